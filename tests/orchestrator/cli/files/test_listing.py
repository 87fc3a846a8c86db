"""`evidence list` as a user meets it: exit codes, JSON, one-line errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.orchestrator.cli.command_line import CommandLine, strict
from tests.orchestrator.cli.test_commands import errs
from tests.orchestrator.review.packages import packaged, simulated


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a package."""
    folder = tmp_path_factory.mktemp("place")
    (folder / "campaign").mkdir()
    (folder / "in").mkdir()
    packaged(simulated(folder / "campaign", instances=4), folder / "in" / "toy.zip")
    return folder


def test_build_check_and_withdraw(place: Path, run: CommandLine) -> None:
    ended = run("evidence", "list", "build", "in", "--output", "site", "--json", cwd=place)
    assert ended.returncode == 0, ended.stderr
    done = strict(ended.stdout)
    [row] = done["rows"]
    assert [(one["action"], one["root"]) for one in done["changes"]] == [("added", row["root"])]
    checked = run("evidence", "list", "check", "site", cwd=place)
    assert checked.returncode == 0, checked.stderr
    assert checked.stdout.splitlines() == [
        f"Merkle root of the log {done['log']['root']}",
        "site: 1 row: the packages give this list",
    ]
    options = ("--withdraw", row["root"], "--because", "wrong machine")
    ended = run("evidence", "list", "build", "in", "--output", "site", *options, cwd=place)
    assert ended.returncode == 0, ended.stderr
    assert "wrong machine" in ended.stdout
    (place / "site" / "index.html").write_text("mine")
    ended = run("evidence", "list", "check", "site", "--json", cwd=place)
    assert ended.returncode == 1
    assert strict(ended.stdout)["findings"] == ["index.html is not the file that the packages give"]
    assert run("evidence", "list", "build", "in", "--output", "site", cwd=place).returncode == 0
    assert run("evidence", "list", "check", "site", cwd=place).returncode == 0


def test_one_line_errors(place: Path, run: CommandLine) -> None:
    build = ("evidence", "list", "build")
    assert "is no site of a list" in errs(run, place, "evidence", "list", "check", "in")
    assert "is no site of a list" in errs(run, place, *build, "in", "--output", "in")
    assert "is no folder" in errs(run, place, *build, "nothing", "--output", "new")
    assert "lacks pyodide.mjs" in errs(run, place, *build, "in", "--output", "new", "--pyodide", "in")
    (place / "in" / "text.zip").write_text("no zip")
    assert "text.zip is refused" in errs(run, place, *build, "in", "--output", "new")
    (place / "in" / "text.zip").unlink()
    assert "error: " in run(*build, "in", "--output", "/proc/site", cwd=place).stderr
    for words in (
        ("--withdraw", "12345678"),
        ("--because", "x"),
        ("--withdraw", "12345678", "--because", " "),
    ):
        assert run(*build, "in", "--output", "new", *words, cwd=place).returncode == 2
