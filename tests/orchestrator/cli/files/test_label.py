"""Commands `ledger label`, with lists that choose by it, and `ledger rename`, with all that stays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from db.errors import CampaignExistsError, LedgerError, UnknownCampaignError
from db.events import EventKind
from db.evidence.content_hash import content_of
from db.ledger import Ledger
from db.reader import Reader
from db.writing.changes import NewName
from orchestrator.cli import app
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.launch import _check_name
from tests.db import filled, rows
from tests.orchestrator.cli.command_line import CommandLine


def test_a_label_is_shown_and_filters(tmp_path: Path, sqlite_url: str, run: CommandLine) -> None:
    filled.fill(sqlite_url)
    known = json.loads(run("status", "--json", cwd=tmp_path).stdout)
    name = known[0]["campaign"]
    done = run("ledger", "label", name, "--tag", "night", "--owner", "ada", "--note", "cold", cwd=tmp_path)
    assert done.stdout == "owner  ada\ntags   night\nnote   cold\n"
    shown = json.loads(run("status", "--owner", "ada", "--tag", "night", "--json", cwd=tmp_path).stdout)
    assert [(one["campaign"], one["owner"], one["tags"]) for one in shown] == [(name, "ada", ["night"])]
    assert run("status", "--tag", "day", cwd=tmp_path).stdout.strip() == "no campaign has these labels"
    wrong = run("status", name, "--tag", "night", cwd=tmp_path)
    assert (wrong.returncode, "leave NAME out" in wrong.stderr) == (2, True)
    assert "its tags are night" in run("ledger", "label", name, "--untag", "x", cwd=tmp_path).stderr


@pytest.fixture
def folder(ledger_url: str, tmp_path: Path) -> Path:
    made = tmp_path / "toy"
    filled.fill(ledger_url, directory=made)
    (made / "journals").mkdir(parents=True)
    return made


def rename(url: str, *words: str) -> Any:
    return CliRunner().invoke(app, ["ledger", "rename", *words, "--ledger", url])


@pytest.fixture
def _at_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("orchestrator.lifecycle.labels.why_busy", lambda *_: None)


@pytest.mark.usefixtures("_at_rest")
def test_both_names_find_it_and_its_identity_stays(ledger_url: str, folder: Path) -> None:
    with Reader(ledger_url) as reader:
        before = reader.campaign("toy")
        hashed = content_of(reader, before.campaign_id).sha256
    done = rename(ledger_url, "toy", "second")
    assert done.stdout == f"toy is second now; its files stay in {before.run_directory}\n"
    with Reader(ledger_url) as reader:
        after = reader.campaign("second")
        assert reader.campaign("toy") == after
        assert (after.uid, after.run_directory) == (before.uid, before.run_directory)
        assert content_of(reader, after.campaign_id).sha256 == hashed
        [event] = reader.events(after.campaign_id, kinds=[EventKind.CAMPAIGN_RENAMED])
        assert event.data == {"before": "toy", "after": "second"}
    again = rename(ledger_url, "toy", "third", "--json")  # by its former name
    assert json.loads(again.stdout)["before"] == "toy"
    assert rename(ledger_url, "second", "toy").exit_code == 0  # back
    with Reader(ledger_url) as reader:
        assert {reader.campaign(name).name for name in ("toy", "second", "third")} == {"toy"}


@pytest.mark.usefixtures("_at_rest")
def test_names_of_others_and_wrong_ones_are_refused(ledger_url: str, folder: Path) -> None:
    with Ledger(ledger_url) as ledger:
        rows.register(ledger, name="other")
    rename(ledger_url, "other", "another")
    for new in ("another", "other"):
        with pytest.raises(LedgerError, match=f"{new} is, or was, the name of another campaign"):
            _asked(ledger_url, "toy", new)
    with pytest.raises(CampaignError, match="the name 'a b' must be of letters"):
        _asked(ledger_url, "toy", "a b")
    with pytest.raises(CampaignError, match="toy is its name already"):
        _asked(ledger_url, "toy", "toy")
    with pytest.raises(CampaignExistsError):
        _check_name(ledger_url, "other")  # a launch
    with pytest.raises(UnknownCampaignError, match="did you mean toy"):
        _asked(ledger_url, "tyo", "new")
    with Ledger(ledger_url) as ledger, pytest.raises(LedgerError, match="tyo has another name"):
        ledger.change(1, NewName("tyo", "new"))


def test_a_driver_that_runs_keeps_its_name(sqlite_url: str) -> None:
    with Ledger(sqlite_url) as ledger:
        rows.begin(ledger, rows.register(ledger), seconds=36_000)
    with pytest.raises(CampaignError, match="rename it afterwards"):
        _asked(sqlite_url, "toy", "second")


def _asked(url: str, name: str, new: str) -> None:
    raised = rename(url, name, new).exception
    assert raised is not None
    raise raised
