"""Instances that users add, cancel or pause after the launch are in the verdict."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from db.events import EventKind, now_us
from db.evidence.runs import run_columns
from db.reader import Reader
from db.records import NewInstance
from db.states import Action, InstanceState
from db.writing.changes import CampaignChange
from db.writing.requests import Request
from orchestrator.cli import app
from orchestrator.lifecycle.session.place import note_place
from orchestrator.rulebooks import common_rules
from orchestrator.rulebooks.measurements import PlanChanges
from orchestrator.rulebooks.mlperf_hpc import rulebook as mlperf_hpc
from orchestrator.rulebooks.model import RuleResult
from tests.db import rows
from tests.db.rows import T0
from tests.orchestrator.analysis.verdict.test_fom import SECOND, Book


@pytest.fixture
def book(ledger_url: str) -> Iterator[Book]:
    opened = Book(ledger_url)
    yield opened
    opened.ledger.close()


def accept(book: Book, *instances: int) -> None:
    for k in instances:
        book.run(k, 10 * k, 10 * k + 10, received_us=now_us())


def add(book: Book, number: int, before: int = 4) -> None:
    """Add instances, as `orchestrator.lifecycle.add` does."""
    text = book.ledger.campaign("toy").campaign_yaml
    new = tuple(NewInstance(k, "p1b1", k, 2017 + k) for k in range(before, before + number))
    data = {"instances": {"p1b1": number}, "benchmarks": []}
    book.ledger.change(
        book.number,
        CampaignChange(
            EventKind.CAMPAIGN_EXTENDED,
            f"added {number} instances of p1b1",
            "",
            data,
            "campaign",
            "",
            text,
            f"{text}\n",
            counts={"p1b1": before + number},
            new_instances=new,
        ),
    )


def ask(book: Book, action: Action, first: int = 0, last: int = 0) -> None:
    pause = action in (Action.PAUSE, Action.UNPAUSE)
    request = Request(action, "some", [] if pause else [[first, last]], "p1b1" if pause else "")
    assert book.ledger.request(book.number, request, "me@here")


def complete(book: Book) -> RuleResult:
    return common_rules.complete(book.measured)


def ended(book: Book) -> None:
    book.ledger.end_session(book.number, 1, "me", "drained")


def test_nothing_is_stated_of_a_campaign_that_ran_as_planned(book: Book) -> None:
    accept(book, 0, 1, 2, 3)
    assert book.measured.plan_changes == PlanChanges()
    assert complete(book).reason == "4 of 4 planned instances accepted"


@pytest.mark.parametrize("knowing", [False, True])
def test_instances_added_with_results_known_are_declared(book: Book, knowing: bool) -> None:
    """Who adds waves until one of them fits chooses among results."""
    if knowing:
        accept(book, 0, 1, 2, 3)
    ended(book)
    add(book, 2)
    book.session = rows.begin(book.ledger, book.number)
    accept(book, *range(4 if knowing else 0, 6))
    assert book.measured.plan_changes == PlanChanges(added=2, added_knowing=2 if knowing else 0)
    rule = complete(book)
    assert rule.passed
    assert "2 instances were added after the launch" in rule.reason
    assert bool(rule.declared) is knowing


def test_a_slow_instance_that_is_cancelled_leaves_the_benchmark_incomplete(book: Book) -> None:
    accept(book, 0, 1)
    book.ledger.submit(book.number, 1, [rows.attempt(2, 1, "slow")])
    book.ledger.record(book.number, [rows.report("slow", "running", process_start_us=T0)])
    ended(book)
    ask(book, Action.CANCEL, 2, 3)
    book.ledger.record(book.number, [rows.report("slow", "cancelled", process_stop_us=T0 + SECOND)])
    rows.begin(book.ledger, book.number)
    book.ledger.begin_requests(book.number, 2)
    with rows.raw(str(book.ledger.url.render_as_string(hide_password=False))) as connection:
        connection.exec_driver_sql("UPDATE instances SET state = 'cancelled' WHERE instance_id = 2")
    found = book.measured
    assert found.plan_changes == PlanChanges(cancelled=2, cancelled_knowing=2, cancelled_started=1)
    rule = complete(book)
    assert rule.passed is False
    assert "2 of them with results known and 1 after they had started" in rule.reason
    assert rule.declared


def test_a_cancelled_instance_is_replaced_by_no_added_one(book: Book) -> None:
    accept(book, 0, 1, 2)
    ended(book)
    ask(book, Action.CANCEL, 3, 3)
    add(book, 1)
    book.session = rows.begin(book.ledger, book.number)
    accept(book, 4)
    found = book.measured
    assert (found.planned, found.accepted) == (5, 4)
    assert found.plan_changes == PlanChanges(added=1, added_knowing=1, cancelled=1, cancelled_knowing=1)
    assert complete(book).passed is False
    models = mlperf_hpc.judge([found]).benchmarks[0].rules[2]
    assert models.name == "models"
    assert "1 instance was cancelled, 1 of them with results known" in models.reason


def test_an_instance_that_was_cancelled_and_planned_again_counts_as_planned(book: Book) -> None:
    ended(book)
    ask(book, Action.CANCEL, 1, 3)
    assert book.measured.plan_changes == PlanChanges(cancelled=3)
    ask(book, Action.RETRY, 1, 3)
    ask(book, Action.PAUSE)
    ask(book, Action.UNPAUSE)
    assert book.measured.plan_changes == PlanChanges(pauses=1)


def test_an_attempt_that_a_cancel_ended_before_its_instance_ran_again_is_declared(book: Book) -> None:
    """Who ends what is slow before it is the slowest, and plans it again, chooses among attempts."""
    accept(book, 0, 1, 2)
    book.ledger.submit(book.number, 1, [rows.attempt(3, 1, "slow")])
    book.ledger.record(book.number, [rows.report("slow", "running", process_start_us=T0)])
    ended(book)
    request = Request(Action.CANCEL, "p1b1/3", [[3, 3]], ends_running=True)
    assert book.ledger.request(book.number, request, "me@here")
    times = {"process_start_us": T0, "run_start_us": T0, "process_stop_us": T0 + SECOND}
    book.ledger.record(book.number, [rows.report("slow", "cancelled", InstanceState.PLANNED, **times)])
    ask(book, Action.RETRY, 3, 3)
    book.session, book.tries[3] = rows.begin(book.ledger, book.number), 1
    accept(book, 3)
    found = book.measured
    assert found.plan_changes == PlanChanges(rerun=1)
    rule = complete(book)
    assert rule.passed
    [declared] = rule.declared
    assert declared == "1 instance was cancelled while running, and ran again"
    assert declared in rule.reason


def test_an_attempt_that_a_stop_ended_before_its_instance_ran_again_is_declared(book: Book) -> None:
    """`stop --now` and `resume` choose among attempts as a cancel and a retry do."""
    accept(book, 0, 1, 2)
    book.ledger.submit(book.number, 1, [rows.attempt(3, 1, "slow")])
    times = {"process_start_us": T0, "run_start_us": T0, "process_stop_us": T0 + SECOND}
    stopped = {"failure_reason": "cancelled", **times}
    book.ledger.record(book.number, [rows.report("slow", "cancelled", InstanceState.PLANNED, **stopped)])
    ended(book)
    book.session, book.tries[3] = rows.begin(book.ledger, book.number), 1
    accept(book, 3)
    assert book.measured.plan_changes == PlanChanges(stopped=1)
    rule = complete(book)
    assert rule.passed
    assert rule.declared == ("1 instance was ended by a stop while running, and ran again",)


def test_an_attempt_that_a_stop_ended_before_it_started_is_no_choice(book: Book) -> None:
    book.ledger.submit(book.number, 1, [rows.attempt(3, 1, "queued")])
    report = rows.report("queued", "cancelled", InstanceState.PLANNED, failure_reason="cancelled")
    book.ledger.record(book.number, [report])
    assert book.measured.plan_changes == PlanChanges()


@pytest.mark.parametrize("how", ["resume", "retry"])
def test_instances_that_were_out_of_retries_and_ran_again_are_declared(book: Book, how: str) -> None:
    accept(book, 0, 1, 2)
    book.ledger.submit(book.number, 1, [rows.attempt(3, 1, "failing")])
    book.ledger.record(book.number, [rows.report("failing", "failed", InstanceState.EXHAUSTED)])
    ended(book)
    if how == "retry":
        ask(book, Action.RETRY, 3, 3)
    book.session, book.tries[3] = rows.begin(book.ledger, book.number), 1
    if how == "resume":
        assert book.ledger.reopen_exhausted(book.number) == 1
    accept(book, 3)
    assert book.measured.plan_changes == PlanChanges(reopened=1)
    assert complete(book).declared == ("1 instance was out of retries, and ran again",)


def test_nodes_excluded_with_results_known_are_declared(book: Book) -> None:
    def exclude(*nodes: str) -> None:
        text = f"{len(nodes)} nodes are excluded"
        book.ledger.note(book.number, EventKind.EXCLUDE_LIST, text, data={"nodes": list(nodes)})

    exclude("n1")
    accept(book, 0, 1, 2)
    exclude("n1")  # as a resume without another list does
    assert book.measured.plan_changes == PlanChanges()
    exclude("n1", "n2", "n3")
    accept(book, 3)
    assert book.measured.plan_changes == PlanChanges(excluded_knowing=2)
    assert complete(book).declared == ("2 nodes were excluded with results known",)


def test_a_copy_that_goes_on_with_results_known_is_declared(
    sqlite_url: str, tmp_path: Path, info_log: pytest.LogCaptureFixture
) -> None:
    book = Book(sqlite_url)
    runs = tmp_path / "runs"
    row = replace(book.ledger.campaign("toy"), run_directory=str(runs))
    for session in (1, 2, 3):
        if session == 2:
            accept(book, 0, 1, 2)
        if session == 3:
            runs.rename(tmp_path / "tried")
        runs.mkdir(exist_ok=True)
        note_place(book.ledger, row, session)
    accept(book, 3)
    changes, rule = book.measured.plan_changes, complete(book)
    book.ledger.close()
    assert changes == PlanChanges(copied_knowing=1)
    assert rule.declared == ("1 session went on with a copied or restored ledger or run directory",)
    assert ["another run directory than the one before" in one.message for one in info_log.records] == [True]


def test_a_model_counts_from_its_first_attempt_that_began(book: Book) -> None:
    accept(book, 0, 1)
    book.ledger.submit(book.number, 1, [rows.attempt(2, 1, "slow"), rows.attempt(3, 1, "lost")])
    slow = {"process_start_us": T0 - 5, "run_start_us": T0 - 4, "process_stop_us": T0 + SECOND}
    book.ledger.record(
        book.number,
        [
            rows.report("slow", "timed_out", InstanceState.PLANNED, **slow),
            rows.report("lost", "lost", InstanceState.PLANNED, process_start_us=T0 - 9),
        ],
    )
    book.tries.update({2: 1, 3: 1})
    accept(book, 2, 3)
    with Reader(book.ledger.url.render_as_string(hide_password=False)) as reader:
        _, _, began_us, *_ = run_columns(reader, book.number)["p1b1"]
    assert began_us.tolist() == [0, 0, T0 - 4, T0 - 9]


def test_fom_prints_every_change_of_a_user(book: Book) -> None:
    accept(book, 0, 1, 2)
    ended(book)
    ask(book, Action.CANCEL, 3, 3)
    ask(book, Action.PAUSE)
    place = str(book.ledger.url.render_as_string(hide_password=False))
    shown = CliRunner().invoke(app, ["fom", "toy", "--rules", "--ledger", place]).output
    flat = " ".join(shown.split())
    assert "changes after the launch: 1 instance was cancelled, 1 of them with results known and 0" in flat
    assert "toy: 1 instance cancelled (some)" in flat
    assert "toy: benchmark p1b1 paused" in flat
    facts = json.loads(CliRunner().invoke(app, ["fom", "toy", "--json", "--ledger", place]).output)
    assert facts["evidence"]["p1b1"]["plan_changes"]["cancelled_knowing"] == 1
    assert [one["kind"] for one in facts["changes"]] == ["instances_changed"] * 2
