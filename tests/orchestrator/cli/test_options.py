"""The table of commands, and what shells complete: names of campaigns, instances and sites."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from db.ledger import Ledger
from orchestrator.cli import COMMANDS, FORMER, app
from orchestrator.cli.options import complete_instance, complete_site, ledger_words
from orchestrator.cli.run.options import complete_file
from tests.db import rows
from tests.db.filled import fill


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A default ledger with a campaign of benchmarks `toy` and `toto`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ORCHESTRATOR_LEDGER", raising=False)
    with Ledger.open(None) as book:
        book.register(
            rows.campaign("friday"),
            [rows.benchmark("toy", 12), rows.benchmark("toto", 1)],
            [*rows.planned(12), *rows.planned(1, "toto", 12)],
        )


def context(**params: str) -> typer.Context:
    found = typer.Context(typer.main.get_command(app))
    found.params = params
    return found


def test_help_lists_the_table_of_commands_in_its_order() -> None:
    shown = CliRunner().invoke(app, ["--help"]).output
    listed = re.findall(r"^. (?:([a-z]+)  |─ ([A-Z][a-z]+) ─)|^╭─ ([A-Z][a-z]+) ─", shown, re.MULTILINE)
    words = ["".join(found) for found in listed]
    expected = [word for panel, row in COMMANDS.items() for word in (panel, *row)]
    assert words[words.index("Run") :] == expected


def test_few_commands_stand_at_the_top() -> None:
    assert sum(map(len, COMMANDS.values())) <= 24


@pytest.mark.parametrize("word", FORMER)
def test_a_former_spelling_is_its_command_and_says_the_spelling_of_today(word: str) -> None:
    former = CliRunner().invoke(app, [word, "--help"])
    assert former.exit_code == 0
    assert former.stderr == f"note: `{word}` is `orchestrator {FORMER[word]}` now\n"
    assert former.stdout == CliRunner().invoke(app, [*FORMER[word].split(), "--help"]).stdout


def test_former_spellings_are_not_listed() -> None:
    top = {name for row in COMMANDS.values() for name in row}
    assert not top & FORMER.keys()


@pytest.mark.usefixtures("ledger")
@pytest.mark.parametrize(
    ("incomplete", "names"),
    [
        ("", ["toy/", "toto/"]),
        ("toy", ["toy/"]),
        ("toy/1", ["toy/1", "toy/10", "toy/11"]),
        ("toto/", ["toto/0"]),
        ("x", []),
        ("x/", []),
    ],
)
def test_instances_of_the_campaign_are_completed(incomplete: str, names: list[str]) -> None:
    assert complete_instance(context(name="friday"), incomplete) == names


@pytest.mark.usefixtures("ledger")
def test_an_unknown_campaign_has_no_instances() -> None:
    assert complete_instance(context(name="sunday"), "") == []
    assert complete_instance(context(), "") == []


def test_sites_and_site_files_are_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("polar.yaml").touch()
    assert complete_site("pol") == ["polaris", "polar.yaml"]


def test_campaigns_and_yaml_files_are_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine").mkdir()
    for name in ("demo-small.yaml", "demo.txt", ".demo.yaml", "mine/a.yml", "mine/b.yaml"):
        Path(name).touch()
    assert complete_file("demo-s") == ["demo-small.yaml"]
    assert set(complete_file("demo")) == {"demo", "demo-small.yaml"}
    assert ".demo.yaml" not in complete_file("")
    assert complete_file("mine/") == ["mine/a.yml", "mine/b.yaml"]
    assert complete_file(f"{tmp_path}/mine/b") == [f"{tmp_path}/mine/b.yaml"]
    assert complete_file("nowhere/") == []


def test_a_shell_completes_the_site_of_a_launch() -> None:
    variables = {
        "_ORCHESTRATOR_COMPLETE": "complete_bash",
        "COMP_WORDS": "orchestrator launch demo --site pol",
    }
    ended = CliRunner().invoke(app, [], prog_name="orchestrator", env=variables | {"COMP_CWORD": "4"})
    assert "polaris" in ended.stdout.split()


def test_a_ledger_in_a_folder_with_a_space_is_named_as_a_shell_takes_it() -> None:
    assert ledger_words(None) == ""
    assert ledger_words("mine.sqlite") == " --ledger mine.sqlite"
    assert shlex.split(ledger_words("my runs/it's.sqlite")) == ["--ledger", "my runs/it's.sqlite"]


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A default ledger with two campaigns, both at their end."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ORCHESTRATOR_LEDGER", raising=False)
    Ledger.open(None).close()
    for name in ("friday", "monday"):
        fill("sqlite:///ledger.sqlite", name, tmp_path / "runs" / name)
    (tmp_path / "runs" / "monday").mkdir(parents=True)
    (tmp_path / "runs" / "monday" / "driver.log").write_text("of monday\n")


def without_minute(text: str) -> str:
    """Return a text without the minute of a report: the next may begin between two commands."""
    return re.sub(r"[\d-]+ \d\d:\d\d UTC, version", "UTC, version", text)


@pytest.mark.usefixtures("two")
@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")  # of the ledger's odd numbers
@pytest.mark.parametrize(
    ("words", "same"),
    [
        ("fom", "fom monday"),
        ("instance list", "instance list monday"),
        ("events", "events monday"),
        ("explain", "explain monday"),
        ("analyze makespan", "analyze makespan monday"),
        ("node rank", "node rank monday"),
        ("logs", "logs monday"),
        ("report --output -", "report monday --output -"),
        ("status --log", "status monday --log"),
        ("status --benchmark toy", "status monday --benchmark toy"),
    ],
)
def test_a_look_without_a_name_is_at_the_last_campaign_and_says_so(words: str, same: str) -> None:
    found = CliRunner().invoke(app, words.split())
    named = CliRunner().invoke(app, same.split())
    assert found.exit_code == named.exit_code
    assert without_minute(found.stdout) == without_minute(named.stdout)
    assert found.stdout
    assert "campaign monday (the last one)\n" in found.stderr
    assert "the last one" not in named.stderr


def test_the_last_of_none_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ORCHESTRATOR_LEDGER", raising=False)
    Ledger.open(None).close()
    assert "has no campaign yet; launch one" in str(CliRunner().invoke(app, ["fom"]).exception)
