"""Sources of a package that somebody changed, added, removed or listed otherwise are findings."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.orchestrator.review.packages import Members, findings, packaged, repacked
from tests.orchestrator.review.sources.ran import PROJECT_FILE, ran

LISTING, SOURCE = "campaigns/toy/sources.json", "campaigns/toy/code/mine/net.py"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sources")
    return packaged(ran(folder / "run"), folder / "toy.zip").file


def listed(change: Callable[[dict[str, Any]], object]) -> Callable[[Members], object]:
    """Return a change of the listing of sources."""

    def apply(members: Members) -> None:
        content = json.loads(members[LISTING])
        change(content)
        members[LISTING] = (json.dumps(content, indent=1, sort_keys=True) + "\n").encode()

    return apply


CHANGES: dict[str, tuple[Callable[[Members], object], str]] = {
    "changed": (lambda m: m.update({SOURCE: b"LAYERS = 2\n"}), f"{SOURCE} is not the source that attempts"),
    "project's": (lambda m: m.update({f"project/{PROJECT_FILE}": b""}), "is not the source that attempts"),
    "removed": (lambda m: m.pop(SOURCE), "source mine/net.py is neither in the package nor stated as absent"),
    "added": (lambda m: m.update({"project/x.py": b""}), "project/x.py is no source that attempts recorded"),
    "unlisted": (listed(lambda c: c["files"].pop("mine/net.py")), "mine/net.py is neither in the package"),
    "no listing": (lambda m: m.pop(LISTING), f"{LISTING} cannot be read"),
    "another text": (lambda m: m.update({LISTING: b"[]"}), f"{LISTING} cannot be read"),
    "another place": (listed(lambda c: c["files"].update({"mine/net.py": "x.txt"})), "no place for a source"),
    "another name": (listed(lambda c: c["files"].update({"a.py": SOURCE})), "no attempt recorded a.py"),
    "other words": (lambda m: m.update({LISTING: m[LISTING] + b" "}), "is not as packages have it"),
    "instructions": (lambda m: m.update({"REPRODUCE.md": b"rm -r"}), "REPRODUCE.md is not the text"),
    "packages": (
        lambda m: m.update({"campaigns/toy/requirements.txt": b"torch\n"}),
        "requirements.txt is not the text that its rows give",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_found(whole: Path, tmp_path: Path, name: str) -> None:
    change, expected = CHANGES[name]
    found = findings(repacked(whole, tmp_path / "changed.zip", change))
    assert any(expected in one for one in found), found


def test_a_source_that_is_stated_as_absent_is_no_finding(whole: Path, tmp_path: Path) -> None:
    def withhold(members: Members) -> None:
        del members[SOURCE]
        content = json.loads(members[LISTING])
        del content["files"]["mine/net.py"]
        known = {"name": "mine/net.py", "sha256": "0" * 64, "why": "secret"}
        content["absent"] = [known, *content["absent"]]
        members[LISTING] = (json.dumps(content, indent=1, sort_keys=True) + "\n").encode()

    [found] = findings(repacked(whole, tmp_path / "withheld.zip", withhold))
    assert "source mine/net.py is neither in the package nor stated as absent" in found  # of another hash
