"""Options are the same in all commands: former words, formats, short forms, help."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from db.ledger import Ledger
from orchestrator.cli import app
from tests.db.filled import fill


def leaves(group: Any, words: tuple[str, ...] = ()) -> dict[str, Any]:
    found = {}
    for name, command in group.commands.items():
        inner = hasattr(command, "commands")
        found |= leaves(command, (*words, name)) if inner else {" ".join((*words, name)): command}
    return found


COMMANDS = leaves(typer.main.get_command(app))
SHORT = {"--ledger": "-l", "--site": "-s", "--name": "-n", "--watch": "-w", "--output": "-o", "--quiet": "-q"}


@pytest.fixture
def url(tmp_path: Path) -> str:
    made = f"sqlite:///{tmp_path}/ledger.sqlite"
    Ledger.open(made).close()
    fill(made, "friday", tmp_path / "runs" / "friday")
    return made


@pytest.mark.parametrize("words", COMMANDS)
def test_an_option_has_its_short_form_and_one_word_everywhere(words: str) -> None:
    known = [one.opts for one in COMMANDS[words].params if one.param_type_name == "option"]
    for opts in known:
        assert not {"--to", "--write", "--svg", "--figure"} & set(opts)
        assert opts[1:] == [SHORT[opts[0]]] if opts[0] in SHORT else True


@pytest.mark.parametrize("words", ["", "analyze", "instance", *COMMANDS])
def test_help_names_no_type_of_python(words: str) -> None:
    shown = CliRunner().invoke(app, [*words.split(), "--help"], env={"COLUMNS": "80"}).output
    panels = shown[shown.index("─") :]
    assert re.findall(r"<(?:str|bool|path|int|float|list)[^>]*>", panels) == []
    assert max(map(len, shown.splitlines())) <= 80


def test_paragraphs_of_help_fold_by_the_terminal_alone() -> None:
    shown = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "80"}).output
    assert " of retries; 4 stopped early and can be resumed; 5 slower than compare " in shown
    shown = CliRunner().invoke(app, ["resume", "--help"], env={"COLUMNS": "80"}).output
    assert "\n Example: orchestrator resume friday --set" in shown


def test_a_former_option_is_its_option_of_today_and_says_so(url: str, tmp_path: Path) -> None:
    folder = tmp_path / "exported"
    done = CliRunner().invoke(app, ["ledger", "export", "friday", f"--to={folder}", "--ledger", url])
    assert done.exit_code == 0, done.output
    assert "note: `--to` is `--output` now\n" in done.stderr
    assert (folder / "manifest.json").is_file()


def test_a_format_is_the_option_of_its_name(url: str) -> None:
    def shown(*words: str) -> str:
        return CliRunner().invoke(app, ["instance", "list", "friday", "-l", url, *words]).stdout

    assert json.loads(shown("--format", "json")) == json.loads(shown("--json"))
    assert shown("--format=table") == shown()


def test_an_unknown_format_is_refused_with_those_there_are(url: str) -> None:
    done = CliRunner().invoke(app, ["events", "friday", "--ledger", url, "--format", "xml"])
    assert done.exit_code == 2
    assert "'xml' is none of table, json" in " ".join(done.stderr.split())


def test_after_two_dashes_words_stay_as_they_are(url: str) -> None:
    done = CliRunner().invoke(app, ["ledger", "export", "--ledger", url, "--output", "x", "--", "--to"])
    assert "no campaign" in str(done.exception)


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")  # of the ledger's odd numbers
def test_a_report_says_in_json_which_files_it_wrote(url: str, tmp_path: Path) -> None:
    file = tmp_path / "friday.html"
    done = CliRunner().invoke(app, ["report", "friday", "-l", url, "-o", str(file), "--json"])
    facts = json.loads(done.stdout)
    assert (facts["campaign"], facts["file"], facts["figures"]) == ("friday", str(file), [])
    assert file.read_text().startswith("<!doctype html>")
    refused = CliRunner().invoke(app, ["report", "friday", "-l", url, "-o", "-", "--json"])
    assert refused.exit_code == 2
