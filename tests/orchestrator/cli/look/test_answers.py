"""Answers of campaigns that end once they are certain, as commands, screens, pages and reports show them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from db.reader import Reader
from db.states import RunOutcome
from orchestrator.analysis.sequential.questions import naive_ratios, paths
from orchestrator.analysis.sequential.registered import answers
from orchestrator.cli import app
from orchestrator.cli.look.watch_view import plain_line
from orchestrator.cli.terminal.answer_lines import answer_lines
from orchestrator.monitoring.campaign_status import CampaignStatus
from orchestrator.report.blocks import Table
from orchestrator.report.writing import report
from orchestrator.serve.pages.live_sections import headline, sections
from tests.orchestrator.simulation.test_stopping import asking, started

DECIDE = {"compare": "seconds", "difference": "3 %", "at_most": 60}
CERTAIN = "seconds 1.0 is certainly faster than seconds 1.1, which takes at least"


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory) -> str:
    """URL of a ledger whose campaign `toy` was decided."""
    folder = tmp_path_factory.mktemp("decided")
    world = started(folder, asking([1.0, 1.1], decide=DECIDE, until={"width": "4 %"}))
    assert world.run() is RunOutcome.COMPLETE
    world.close()
    return f"sqlite:///{folder}/ledger.sqlite"


@pytest.fixture(scope="module")
def halfway(tmp_path_factory: pytest.TempPathFactory) -> str:
    """URL of a ledger whose driver died before anything was decided."""
    folder = tmp_path_factory.mktemp("halfway")
    world = started(folder, asking([1.0, 1.1], decide=DECIDE))
    world.book.crash_at[25] = True
    assert world.run() is RunOutcome.ABORTED
    world.close()
    return f"sqlite:///{folder}/ledger.sqlite"


def run(*words: str) -> Result:
    done = CliRunner().invoke(app, [*words])
    assert done.exit_code == 0, done.output
    return done


def test_status_tells_the_answers_and_what_was_not_needed(decided: str) -> None:
    shown = run("status", "toy", "--ledger", decided).output
    assert "answers: 3 of 3 questions" in shown
    assert CERTAIN in shown
    assert "toy[seconds=1] is known within" in shown
    facts = json.loads(run("status", "toy", "--ledger", decided, "--json").stdout)
    assert facts["instances"].keys() == {"done", "not_needed"}
    assert f"cost: {facts['instances']['done']} runs" in shown
    decision, *precise = facts["answers"]
    assert decision["certain"]
    assert decision["pairs"][0]["outcome"] == "lower"
    assert decision["runs"] == facts["instances"]["done"]
    assert decision["fixed_runs"] > 0
    assert [one["precision"][0]["precise"] for one in precise] == [True, True]


def test_fom_and_explain_say_the_answer_first(decided: str) -> None:
    lines = run("fom", "toy", "--ledger", decided).output.splitlines()
    assert lines[0] == "answers: 3 of 3 questions"
    assert any("node-hours" in line for line in lines[:6])
    assert "answers" in json.loads(run("fom", "toy", "--ledger", decided, "--json").stdout)
    assert "are not needed" in run("explain", "toy", "--ledger", decided).output


def test_the_cost_stands_beside_that_of_a_fixed_design(tmp_path: Path) -> None:
    world = started(tmp_path, asking([1.0, 1.1], decide=DECIDE))
    assert world.run() is RunOutcome.COMPLETE
    world.close()
    url = f"sqlite:///{tmp_path}/ledger.sqlite"
    assert "a fixed design that knew spread and difference takes" in run("fom", "toy", "--ledger", url).output


def test_an_open_question_says_how_near_it_is(halfway: str) -> None:
    with Reader(halfway) as reader:
        status = CampaignStatus.read(reader, reader.campaign("toy"))
    assert "0 of 1 question answered" in plain_line(status)
    [head, sentence, cost] = answer_lines(status.answers)
    assert head == "answers: 0 of 1 question"
    assert sentence.startswith("  undecided between seconds 1.0 and seconds 1.1")
    assert cost.startswith("  cost: ")
    assert "undecided between" in headline(status, None)[0]
    first = sections(status, None)[0]
    assert first.title == "Answers"
    [table] = first.blocks
    assert isinstance(table, Table)
    assert table.rows[0][1] == sentence.strip()


def test_the_report_begins_with_the_answer_and_its_intervals(decided: str) -> None:
    with Reader(decided) as reader:
        made = report(reader, reader.campaign("toy"))
        known = answers(reader, 1)
    page = made.html()
    assert "3 of 3 questions have an answer" in page
    assert page.index("Answers") < page.index("Figures of each benchmark")
    assert CERTAIN in page
    assert "naive ratio" in page
    assert [one is not None for one in naive_ratios(known[0])] == [True]
    for one in known:
        for path in paths(one):
            assert [look.look for look in path.looks] == list(range(5, path.looks[-1].look + 1))
    [ratio] = paths(known[0])
    assert ratio.limits == (1 / 1.03, 1.03)
    last = ratio.looks[-1]
    assert last.high is not None
    assert last.high < 1 / 1.03


def test_study_and_compare_say_it_too(decided: str) -> None:
    assert run("analyze", "study", "toy", "--ledger", decided).output.startswith("answers: 3 of 3 questions")
    assert CERTAIN in run("analyze", "compare", "toy", "--ledger", decided).output
    facts = json.loads(run("analyze", "compare", "toy", "--ledger", decided, "--json").stdout)
    assert [one["certain"] for one in facts] == [True] * 3


def test_long_lists_of_answers_are_cut(decided: str) -> None:
    with Reader(decided) as reader:
        known = answers(reader, 1)
    lines = answer_lines(known * 10, shown=4)
    assert lines[5] == "  and 26 more; --json has all"
