"""Pages and files about releases state the version, the names and the licence that the code has."""

from __future__ import annotations

import re
import tomllib

import yaml

from orchestrator.cli import FORMER
from orchestrator.cli.exit_codes import EXIT_CODES, SLOWER, UNMET
from tests.readmes.pages import PAGES, ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
STABLE = PAGES["orchestrator/docs/pages/develop/what-is-stable.md"]


def test_the_changes_begin_with_this_version() -> None:
    assert re.findall(r"^## (.+)$", PAGES["CHANGELOG.md"], re.MULTILINE)[0] == PROJECT["version"]


def test_former_spellings_are_listed_where_they_were_announced() -> None:
    announced = (
        PAGES["CHANGELOG.md"].partition("**Spellings of version 0.1.**")[2].partition(" are commands")[0]
    )
    assert re.findall(r"`(\w+)`", announced) == list(FORMER)


def test_the_citation_is_of_this_version() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert cited["version"] == PROJECT["version"]
    assert cited["license"] == PROJECT["license"]
    assert cited["authors"] == PROJECT["authors"]
    assert cited["abstract"] == f"{PROJECT['description']}."


def test_as_many_exit_codes_are_stable_as_there_are() -> None:
    codes = {*EXIT_CODES.values(), SLOWER, UNMET, 2}  # 2: wrong usage, from the parser of the command line
    assert codes == set(range(6))
    assert "the six codes" in STABLE
