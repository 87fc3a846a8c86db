"""The RO-Crate metadata of packages, judged by roc-validator, and the credits of campaign files in it."""

from __future__ import annotations

import json
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

from orchestrator.catalog.credits import stated_credits
from orchestrator.planning.campaign_file import CampaignFile
from orchestrator.review.crate import METADATA, metadata
from tests.orchestrator.review.packages import findings, members, packaged, simulated, simulated_campaign
from tests.readmes.pages import PAGES, SITE, block
from tests.requirements import needs_variable

PAGE = f"{SITE}judge/what-a-package-proves.md"
EXAMPLE = block(PAGES[PAGE], "yaml")
CREDITS = stated_credits(EXAMPLE)
TOY = {"workload": "tests.toys.behave", "timeout": "1 h", "instances": 3}
NOTHING = {"license": None, "author": None, "publisher": None}


def issues(folder: Path, profile: str, severity: str = "RECOMMENDED") -> list[dict[str, str]]:
    """Return what roc-validator finds of at least this severity."""
    python = needs_variable("READERS_PYTHON", "a Python with roc-validator 0.13.0 and rocrate 0.15.0")
    done = subprocess.run(
        [python, Path(__file__).with_name("crate_validator.py"), folder, profile, severity],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def unpacked(file: Path, to: Path) -> Path:
    with zipfile.ZipFile(file) as archive:
        archive.extractall(to)
    return to


def entities(content: bytes) -> dict[str, dict[str, Any]]:
    return {one["@id"]: one for one in json.loads(content)["@graph"]}


@pytest.fixture(scope="module")
def stated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the package of a campaign that states everything."""
    folder = tmp_path_factory.mktemp("stated")
    url = simulated_campaign(folder, [TOY], rulebook="none", stated=CREDITS)
    return packaged(url, folder / "toy.zip").file


def test_a_package_with_credits_is_a_workflow_run_crate(stated: Path, tmp_path: Path) -> None:
    assert findings(stated) == []
    folder = unpacked(stated, tmp_path / "crate")
    assert issues(folder, "ro-crate-1.1") == []
    assert issues(stated, "ro-crate-1.1") == []  # packed, too
    found = issues(folder, "workflow-run-crate-0.5")
    assert {one["severity"] for one in found} <= {"RECOMMENDED"}
    assert {
        one["message"] for one in found
    } == {  # the project has no address, and a package has no README.md
        "The Application SHOULD have a url",
        "The SoftwareApplication id SHOULD be an absolute URI",
        "The README.md SHOULD be about the crate",
        "The README.md SHOULD have text/markdown as its encodingFormat",
        "The Main Workflow SHOULD comply with Bioschemas ComputationalWorkflow profile version 1.0 or later",
    }
    known = entities(members(stated)[METADATA])
    root, run = known["./"], known["#run-toy"]
    assert known[root["license"]["@id"]]["name"] == "CC-BY-4.0"
    assert known[root["author"]["@id"]]["name"] == "Ada Lovelace"
    assert known[root["publisher"]["@id"]]["@type"] == "Organization"
    assert run["agent"] == root["author"]
    assert run["startTime"] <= run["endTime"] == root["datePublished"]


def test_a_package_without_credits_says_so(tmp_path: Path) -> None:
    file = packaged(simulated(tmp_path / "run", instances=3), tmp_path / "toy.zip").file
    folder = unpacked(file, tmp_path / "crate")
    assert issues(folder, "workflow-run-crate-0.5", "REQUIRED") == []
    known = entities(members(file)[METADATA])
    assert known[known["./"]["license"]["@id"]]["name"] == "No licence is stated"
    assert not {"author", "publisher"} & known["./"].keys()


def test_several_campaigns_are_a_process_run_crate(tmp_path: Path) -> None:
    runs = [
        {"campaign": name, "started_us": 0, "ended_us": 60_000_000, **given}
        for name, given in {"a b": CREDITS, "c": NOTHING}.items()
    ]
    facts = {
        "campaigns": ["a b", "c"],
        "rulebook": "none",
        "version": "1",
        "ended_us": 60_000_000,
        "runs": runs,
    }
    names = [f"campaigns/{one}/{file}.yaml" for one in ("a b", "c") for file in ("campaign", "site")]
    names.append("rows/manifest.json")
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")
    made = metadata(names, dict.fromkeys(names, 2), dict.fromkeys(names, "0" * 64), facts)
    (tmp_path / METADATA).write_bytes(made)
    assert issues(tmp_path, "process-run-crate-0.5", "REQUIRED") == []
    known = entities(made)
    assert "mainEntity" not in known["./"]
    assert len(known["./"]["license"]) == 2
    assert [one["@id"] for one in known["./"]["mentions"]] == ["#run-a%20b", "#run-c", "#packaging"]


def test_the_validator_finds_what_is_missing(stated: Path, tmp_path: Path) -> None:
    folder = unpacked(stated, tmp_path / "crate")
    content = json.loads((folder / METADATA).read_text())
    content["@graph"] = [one for one in content["@graph"] if one["@id"] != "#campaign-file"]
    (folder / METADATA).write_text(json.dumps(content))
    [missing] = issues(folder, "workflow-run-crate-0.5", "REQUIRED")
    assert "programmingLanguage" in missing["message"]


def test_credits_are_names_or_more() -> None:
    assert stated_credits("license: MIT\nauthor: Ada\npublisher: Here\n") == {
        "license": "MIT",
        "author": {"name": "Ada", "url": None, "affiliation": None},
        "publisher": {"name": "Here", "url": None},
    }
    assert stated_credits("campaign: x\n") == stated_credits("") == stated_credits("author: [1]") == NOTHING
    spec = {"campaign": "x", "rulebook": "none", "benchmarks": [TOY], "author": "Ada"}
    author = CampaignFile.model_validate(spec).author
    assert author is not None
    assert author.name == "Ada"
    with pytest.raises(ValueError, match="url"):
        CampaignFile.model_validate({**spec, "author": {"name": "Ada", "url": "orcid"}})
