"""`ledger remove`: it says what it frees, asks, and never touches rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from orchestrator.cli import app
from tests.db import filled


@pytest.fixture
def folder(sqlite_url: str, tmp_path: Path) -> Path:
    made = tmp_path / "toy"
    filled.fill(sqlite_url, directory=made)
    for name in ("journals", "logs"):
        (made / name).mkdir(parents=True)
        (made / name / "1.zip").write_bytes(b"z" * 2048)
    return made


def remove(url: str, *words: str, answer: str = "") -> Any:
    return CliRunner().invoke(app, ["ledger", "remove", "toy", "--ledger", url, *words], input=answer)


@pytest.fixture(autouse=True)
def _at_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("orchestrator.lifecycle.ending.removal.why_busy", lambda *_: None)


def test_it_says_what_it_frees_and_asks(sqlite_url: str, folder: Path) -> None:
    for answer in ("n\n", ""):
        asked = remove(sqlite_url, "--files", answer=answer)
        assert asked.exit_code == 1
        assert asked.stdout.splitlines()[:3] == [
            f"toy: of {folder}",
            "  remove       2.0 KiB  logs",
            "  keep         2.0 KiB  journals and others; and all rows of the ledger",
        ]
        assert "nothing was removed; --yes removes without asking" in asked.stderr
        assert (folder / "logs" / "1.zip").exists()
    assert remove(sqlite_url, "--files", answer="y\n").stdout.splitlines()[-1] == "toy: 2.0 KiB freed"
    assert not (folder / "logs" / "1.zip").exists()
    assert (folder / "journals" / "1.zip").exists()
    assert "toy: nothing to remove in" in remove(sqlite_url, "--files", "--yes").stdout


def test_for_programs(sqlite_url: str, folder: Path) -> None:
    done = json.loads(remove(sqlite_url, "--files", "--yes", "--json").stdout)
    assert done == {"campaign": "toy", "bytes": 2048, "removed": {"logs": 2048}, "problems": []}


def test_a_program_is_not_asked(sqlite_url: str, folder: Path) -> None:
    refused = remove(sqlite_url, "--files", "--json", answer="y\n")
    assert refused.exit_code == 2
    assert "add --yes" in " ".join(refused.output.replace("│", "").split())
    assert (folder / "logs" / "1.zip").exists()


def test_rows_are_never_removed(sqlite_url: str, folder: Path) -> None:
    said = remove(sqlite_url, "--yes").output
    assert "cannot be removed" in " ".join(said.replace("│", "").split())
    assert (folder / "logs" / "1.zip").exists()
