"""`evidence package` and `evidence verify` as a user meets them: files, exit codes, JSON, one-line errors."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

from tests.orchestrator.cli.command_line import CommandLine, strict
from tests.orchestrator.cli.test_commands import errs
from tests.orchestrator.review.packages import simulated


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a ledger of a finished campaign, and its package."""
    folder = tmp_path_factory.mktemp("place")
    simulated(folder)
    return folder


def test_package_fom_and_verify(place: Path, run: CommandLine) -> None:
    ended = run("evidence", "package", "toy", "--json", cwd=place)  # into toy.zip
    assert ended.returncode == 0, ended.stderr  # which has progress lines on a loaded machine
    done = strict(ended.stdout)
    with zipfile.ZipFile(place / "toy.zip") as archive:
        manifest = archive.read("manifest-sha256.txt")
        crate = strict(archive.read("ro-crate-metadata.json").decode())
        assert b"figure" in archive.read("fom.txt") or b"measured" in archive.read("fom.txt")
    assert done["root"] == hashlib.sha256(manifest).hexdigest()
    assert (done["signed"], done["warnings"]) == (False, [])

    entities = {one["@id"]: one for one in crate["@graph"]}
    assert entities["ro-crate-metadata.json"]["about"] == {"@id": "./"}
    named = {part["@id"] for one in entities.values() for part in one.get("hasPart", ())}
    assert named <= entities.keys()

    assert done["root"] in run("fom", "toy", cwd=place).stdout
    assert (
        strict(run("fom", "toy", "--json", cwd=place).stdout)["packages"]["toy"][-1]["root"] == done["root"]
    )

    ended = run("evidence", "verify", "toy.zip", cwd=place)
    assert ended.returncode == 0, ended.stderr  # which has progress lines on a loaded machine
    assert "the evidence gives this verdict" in ended.stdout
    found = strict(run("evidence", "verify", "toy.zip", "--json", cwd=place).stdout)
    assert (found["verified"], found["findings"], found["root"]) == (True, [], done["root"])
    assert found["reports"] >= 12


def test_a_changed_package(place: Path, run: CommandLine) -> None:
    assert run("evidence", "package", "toy", "--output", "changed.zip", cwd=place).returncode == 0
    content = bytearray((place / "changed.zip").read_bytes())
    content[content.index(b"rows/attempts.csv") + 60] ^= 1
    (place / "changed.zip").write_bytes(content)
    ended = run("evidence", "verify", "changed.zip", cwd=place)
    assert ended.returncode == 1
    assert "FAIL  rows/attempts.csv " in ended.stdout
    found = strict(run("evidence", "verify", "changed.zip", "--json", cwd=place).stdout)
    assert found["verified"] is False


def test_one_line_errors(place: Path, run: CommandLine) -> None:
    assert "no campaign" in errs(run, place, "evidence", "package", "nosuch", "--output", "x.zip")
    assert "does not exist" in errs(run, place, "evidence", "package", "toy", "--output", "no/x.zip")
    assert "the key" in errs(run, place, "evidence", "package", "toy", "--output", "x.zip", "--sign", "nokey")
    assert "No such file" in errs(run, place, "evidence", "verify", "x.zip")
    assert "regular file" in errs(run, place, "evidence", "verify", ".")
    (place / "text.zip").write_text("no zip")
    assert "is no package" in errs(run, place, "evidence", "verify", "text.zip")
    (place / "taken.zip").write_text("mine")
    assert "is there already" in errs(run, place, "evidence", "package", "toy", "--output", "taken.zip")
    assert (place / "taken.zip").read_text() == "mine"
    assert not (place / "x.zip").exists()
    assert not [one for one in place.iterdir() if one.name.startswith(".")]
