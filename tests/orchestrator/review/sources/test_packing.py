"""A package has the sources that attempts recorded, as long as they are as they were."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import workloads
from db.ledger import Ledger
from orchestrator.review.crate import METADATA
from orchestrator.review.sources import packing
from orchestrator.review.verification import verify
from tests.orchestrator.review.packages import members, packaged
from tests.orchestrator.review.sources.ran import FILES, PROJECT_FILE, digest, ran

CODE = "campaigns/toy/code/"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder, from which the package is not written."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return tmp_path / "run"


def absent(content: dict[str, bytes]) -> dict[str, str]:
    return {one["name"]: one["why"] for one in json.loads(content["campaigns/toy/sources.json"])["absent"]}


def test_sources_are_packed_as_they_ran(place: Path) -> None:
    done = packaged(ran(place), place / "toy.zip")
    content = members(done.file)
    assert content[f"{CODE}mine/net.py"].decode() == FILES["mine/net.py"]
    assert content[f"{CODE}script.py"].decode() == FILES["script.py"]  # beside it, as both lay in one folder
    assert (
        content[f"project/{PROJECT_FILE}"] == (Path(workloads.__path__[0]).parent / PROJECT_FILE).read_bytes()
    )
    assert absent(content) == {
        "mine/lost.py": "changed or unreadable while it ran",
        str(place / "lib.so"): "no text",
    }
    assert [line.split(":")[0] for line in done.warnings] == [
        f"{CODE}script.py may hold a secret (password)",
        "toy",
    ]
    described = {one["@id"]: one for one in json.loads(content[METADATA])["@graph"]}
    assert described[f"{CODE}script.py"]["description"] == "Source that attempts recorded with this hash."
    assert described["project/"]["@type"] == "Dataset"
    assert verify(done.file).findings == []
    assert verify(done.file).notes == [done.warnings[1]]


def test_a_source_that_changed_or_went_is_stated_and_not_packed(place: Path) -> None:
    url = ran(place)
    (place / "mine/net.py").write_text("LAYERS = 4\n")
    (place / "script.py").unlink()
    done = packaged(url, place / "toy.zip")
    content = members(done.file)
    assert not any(name.startswith(CODE) for name in content)
    assert absent(content) | {"mine/lost.py": ""} == {
        "mine/lost.py": "",
        "mine/net.py": "changed since it ran",
        str(place / "lib.so"): "no text",
        str(place / "script.py"): "not found where it was packaged",
    }
    assert "3 of 5 recorded sources are not in the package" in done.warnings[0]
    assert verify(done.file).findings == []


def test_sources_are_limited(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = ran(place)
    monkeypatch.setattr(packing, "_LARGEST_BYTES", 20)
    monkeypatch.setattr(packing, "_MOST_BYTES", 5)
    found = absent(members(packaged(url, place / "toy.zip").file))
    assert found["mine/net.py"] == "over the limit of 64 MiB for all sources"
    assert found[str(place / "script.py")] == "larger than 1 MiB"


def test_files_of_secrets_and_those_that_cannot_be_looked_for_are_stated(place: Path) -> None:
    url, token, long = ran(place), place / "api-token", "mine/" + 300 * "x"
    token.write_text("hunter22hunter\n")
    documents = [
        {"packages": {}, "files": {}, "command": {"files": {str(token): digest("hunter22hunter\n")}}},
        {"packages": {}, "files": {long: digest("")}},
    ]
    with Ledger(url) as book:
        book.store_documents(book.campaign("toy").campaign_id, documents)
    content = members(packaged(url, place / "toy.zip").file)
    assert not [name for name in content if "api-token" in name]
    assert absent(content)[str(token)] == "a secret by its name"
    assert absent(content)[long] == "not found where it was packaged"
