"""Searches as commands, screens, pages and reports show them."""

from __future__ import annotations

import json

import pytest
from click.testing import Result
from typer.testing import CliRunner

from db.reader import Reader
from db.states import RunOutcome
from orchestrator.cli import app
from orchestrator.cli.look.watch_view import plain_line
from orchestrator.monitoring.campaign_status import CampaignStatus
from orchestrator.report.blocks import Table
from orchestrator.report.writing import report
from orchestrator.serve.pages.live_sections import headline, sections
from tests.orchestrator.simulation.test_search import searching, started

BEST = "time 100.1"


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> str:
    """URL of a ledger whose campaign `toy` is a search that is complete."""
    folder = tmp_path_factory.mktemp("searched")
    world = started(folder, searching())
    assert world.run() is RunOutcome.COMPLETE
    world.close()
    return f"sqlite:///{folder}/ledger.sqlite"


def run(*words: str) -> Result:
    done = CliRunner().invoke(app, [*words])
    assert done.exit_code == 0, done.output
    return done


def test_status_states_the_best_trials_and_what_was_pruned(searched: str) -> None:
    shown = run("status", "toy", "--ledger", searched).output
    assert "search nets: 12 trials, " in shown
    assert BEST in shown
    assert "which saves about" in shown
    assert "pruned" in shown.splitlines()[1]
    facts = json.loads(run("status", "toy", "--ledger", searched, "--json").stdout)
    assert facts["instances"].keys() == {"done", "pruned"}
    [one] = facts["searches"]
    assert len(one["trials"]) == 12
    assert one["trials"][0].keys() >= {"number", "parameters", "epochs", "value", "state"}
    assert one["instances_run"] + one["instances_pruned"] == 36
    assert [rung["epochs"] for rung in one["rungs"]] == [1, 3, 9]
    assert "are pruned" in run("explain", "toy", "--ledger", searched).output


def test_fom_and_study_state_the_best_trials(searched: str) -> None:
    shown = run("fom", "toy", "--ledger", searched, "--rules").output
    assert BEST in shown
    assert "a trial of a search, asha, as registered" in shown
    facts = json.loads(run("fom", "toy", "--ledger", searched, "--json").stdout)
    assert facts["searches"]["toy"][0]["search"] == "nets"
    done = {trial["benchmark"] for trial in facts["searches"]["toy"][0]["trials"]}
    assert done <= {one["benchmark"] for one in facts["benchmarks"]}
    assert BEST in run("analyze", "study", "toy", "--ledger", searched).output


def test_live_pages_and_screens_state_the_best_trial(searched: str) -> None:
    with Reader(searched) as reader:
        status = CampaignStatus.read(reader, reader.campaign("toy"))
    assert f"best is trial {status.searches[0].best[0].number}, {BEST}" in plain_line(status)
    assert BEST in headline(status, [])[0]
    [section] = [one for one in sections(status, None) if one.anchor == "searches"]
    tables = [one for one in section.blocks if isinstance(one, Table)]
    assert [len(one.rows) for one in tables] == [12, 3]


def test_the_report_has_all_trials(searched: str) -> None:
    with Reader(searched) as reader:
        text = report(reader, reader.campaign("toy")).html()
    assert "Trials of search nets" in text
    assert "Rungs of search nets" in text
