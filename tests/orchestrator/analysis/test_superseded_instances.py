"""Instances below their accuracy may run again, openly: both are kept, stated, and what counts is clear."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select
from typer.testing import CliRunner

from db.counted import counted
from db.events import EventKind
from db.queries.instance_totals import InstanceTotals, instance_totals
from db.reader import Reader
from db.states import RunOutcome
from db.tables import instances
from db.verification import check
from orchestrator.cli import app
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.driver_process.identity import this_driver
from orchestrator.lifecycle.requests.missed_quality import retry_missed_quality
from orchestrator.rulebooks.model import BenchmarkVerdict, RuleResult
from orchestrator.simulation import attempt as simulated_attempt
from orchestrator.simulation.fault_model import FaultModel
from tests.db import rows
from tests.db.rows import T0, attempt, report
from tests.orchestrator.analysis.judged import fom
from tests.orchestrator.analysis.verdict.test_fom import SECOND, SEEN, Book
from tests.orchestrator.simulation.simulated import SimulatedCampaign, made_plan


@pytest.fixture
def ended(ledger_url: str) -> Book:
    """A campaign of four P1B1, two of them below the target; the slowest, of 30 s, is one of these."""
    book = Book(ledger_url)
    for k, (seconds, accuracy) in enumerate([(10, 0.8), (10, 0.3), (30, 0.4), (11, 0.8)]):
        book.run(k, 0, seconds, accuracy=accuracy, received_us=T0 + 40 * SECOND)
    book.ledger.end_session(book.number, 1, "me", "complete")
    return book


def url(book: Book) -> str:
    return str(book.ledger.url.render_as_string(hide_password=False))


def again(book: Book, instance: int, accuracy: float) -> None:
    """Run an instance in another session."""
    session = rows.begin(book.ledger, book.number)
    at = T0 + 100 * session * SECOND
    new = replace(attempt(instance), token=f"again-{instance}", submitted_us=at)
    book.ledger.submit(book.number, session, [new])
    values = {"run_start_us": at + SECOND, "run_stop_us": at + 11 * SECOND, "fom_seconds": 10.0}
    values |= {"accuracy": accuracy, "cores": "0", "observed": SEEN, "received_us": at + 12 * SECOND}
    book.ledger.record(book.number, [report(new.token, "succeeded", **values)])
    book.ledger.end_session(book.number, session, "me", "complete")


def verdict(book: Book) -> BenchmarkVerdict:
    [found] = fom("toy", url(book)).benchmarks
    return found


def rule(book: Book, name: str) -> RuleResult:
    return next(one for one in verdict(book).rules if one.name == name)


def retry(book: Book, *labels: str) -> list[str]:
    made = retry_missed_quality("toy", labels or ["p1b1"], ledger=url(book))
    return [f"{one.missed.label} {one.label}" for one in made]


def test_instances_below_the_target_run_again_and_both_count(ended: Book) -> None:
    assert "2 accepted instances are below it" in rule(ended, "quality").reason
    assert retry(ended) == ["p1b1/1 p1b1/4", "p1b1/2 p1b1/5"]
    assert not rule(ended, "complete").passed
    again(ended, 4, 0.8)
    assert rule(ended, "complete").reason == "3 of 4 planned instances accepted"
    again(ended, 5, 0.8)
    quality = rule(ended, "quality")
    assert quality.passed
    assert quality.declared
    assert "2 accepted instances missed it, from 0.3 to 0.4" in quality.reason
    found = verdict(ended)
    assert found["seconds"] == 30.0
    assert found["instances"] == 2
    assert found.attempts == {"succeeded": 4, "succeeded, below target and run again": 2}
    assert rule(ended, "complete").passed
    with Reader(url(ended)) as reader:
        assert [one.message for one in check(reader, ["toy"]) if not one.note] == []
        seeds = reader.query("SELECT seed FROM instances ORDER BY instance_id")[1]
        of_view = reader.query("SELECT instance_id FROM counted ORDER BY 1")[1]
        of_function = (
            select(instances.c.instance_id).where(counted(ended.number)).order_by(instances.c.instance_id)
        )
        with reader.connection() as connection:
            assert (
                [tuple(row) for row in connection.execute(of_function)] == of_view == [(0,), (3,), (4,), (5,)]
            )
    assert len({seed for (seed,) in seeds}) == 6
    ended.ledger.close()


def test_a_new_instance_below_the_target_may_run_again_too(ended: Book) -> None:
    assert retry(ended, "p1b1/2", "p1b1/2") == ["p1b1/2 p1b1/4"]
    again(ended, 4, 0.1)
    assert not rule(ended, "quality").passed
    assert retry(ended, "p1b1/4", "p1b1") == ["p1b1/1 p1b1/5", "p1b1/4 p1b1/6"]
    again(ended, 5, 0.8)
    again(ended, 6, 0.8)
    assert "3 accepted instances missed it, from 0.1 to 0.4" in rule(ended, "quality").reason
    with pytest.raises(CampaignError, match="no accepted instance is below"):
        retry(ended)
    ended.ledger.close()


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("p1b1/0", "no accepted instance is below"),
        ("p1b1/99", "p1b1 has the instances 0 to 3"),
        ("p1b1/x", "names no instances: write p1b1"),
        ("p3b1", "no benchmark 'p3b1'; did you mean p1b1?"),
        ("", "'' names no instances"),
    ],
)
def test_what_missed_nothing_is_not_run_again(ended: Book, label: str, words: str) -> None:
    with pytest.raises(CampaignError, match=words):
        retry(ended, label)
    ended.ledger.close()


def test_a_campaign_that_runs_is_left_alone(ended: Book) -> None:
    rows.begin(ended.ledger, ended.number, this_driver())
    with pytest.raises(CampaignError, match="stop it first"):
        retry(ended)
    ended.ledger.close()


def test_a_slow_instance_that_reached_its_target_cannot_be_replaced(sqlite_url: str) -> None:
    """An event written by hand leaves the slowest out; the rule about quality fails."""
    book = Book(sqlite_url)
    for k in range(4):
        book.run(k, 0, 99 if k == 3 else 10)
    with rows.raw(sqlite_url) as connection:
        connection.exec_driver_sql(
            "INSERT INTO events (campaign_id, at_us, kind, instance_id) "
            f"VALUES ({book.number}, {T0}, '{EventKind.INSTANCE_SUPERSEDED}', 3)"
        )
    assert rule(book, "quality").passed is False
    assert "had not missed a target" in rule(book, "quality").reason
    assert verdict(book)["seconds"] == 99.0
    book.ledger.close()


def test_a_resume_runs_what_takes_the_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = made_plan({"instances": 3}, {"name": "more", "instances": 2}, rulebook="none")
    world = SimulatedCampaign(tmp_path, plan, FaultModel(spread=0.0, stragglers=0.0))
    real, accuracies = (
        simulated_attempt.TrainingResult,
        itertools.chain([0.9, 0.1, 0.2], itertools.repeat(0.8)),
    )
    monkeypatch.setattr(
        simulated_attempt,
        "TrainingResult",
        lambda fom_seconds, accuracy: real(fom_seconds=fom_seconds, accuracy=next(accuracies)),
    )
    assert world.run() is RunOutcome.COMPLETE
    world.rows("SELECT 1")
    place = f"sqlite:///{tmp_path}/ledger.sqlite"
    with rows.raw(place) as connection:
        connection.exec_driver_sql("UPDATE benchmarks SET quality_target = 0.5")
    made = retry_missed_quality("toy", ["behave"], ledger=place)
    assert [one.label for one in made] == ["behave/3", "behave/4"]
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    assert world.rows("SELECT instance_id, state FROM instances WHERE state <> 'done'") == []
    with Reader(place) as reader:
        assert [one.message for one in check(reader, ["toy"]) if not one.note] == []
    found = fom("toy", place).benchmarks[0]
    assert (found["planned"], found["accepted"], found["lowest_accuracy"]) == (3, 3, 0.8)
    world.close()


def asked(*arguments: str) -> str:
    """Return what a command prints, stderr included."""
    ended = CliRunner().invoke(app, [*arguments])
    assert ended.exit_code == 0, ended.output
    return ended.output


def test_every_count_agrees_on_what_is_superseded(tmp_path: Path, sqlite_url: str) -> None:
    """A person who counts rows, or reads any display, sees which instances no verdict counts."""
    book = Book(sqlite_url)
    for k, accuracy in enumerate((0.8, 0.3, 0.4, 0.8)):
        book.run(k, 0, 10, accuracy=accuracy)
    book.ledger.end_session(book.number, 1, "me", "complete")
    assert "superseded" not in asked("status", "toy", "--ledger", sqlite_url)
    retry(book)
    for instance in (4, 5):
        again(book, instance, 0.8)
    with Reader(sqlite_url) as reader:
        found, frame = instance_totals(reader, book.number), reader.instances("toy")
    assert found == InstanceTotals(total=4, done=4, exhausted=0, cancelled=0, superseded=2)
    assert len(frame) == found.done + found.superseded == 6
    assert verdict(book).attempts["succeeded"] == found.done
    here = ("--ledger", sqlite_url)
    assert json.loads(asked("status", "toy", "--json", *here))["superseded"] == {"p1b1": 2}
    [row] = [line.split() for line in asked("status", "toy", *here).splitlines() if line.startswith("p1b1")]
    assert row == ["p1b1", "4", "0", "0", "0", "0", "2", "6"]
    [row] = [line.split() for line in asked("status", *here).splitlines() if line.startswith("toy")]
    assert row[-4:] == ["4", "4", "0", "complete"]
    listed = json.loads(asked("instance", "list", "toy", "--where", "superseded_by=*", "--json", *here))
    assert [one["superseded_by"] for one in listed] == ["p1b1/4", "p1b1/5"]
    assert asked("instance", "list", "toy", *here).count("superseded by p1b1/") == 2
    assert "superseded by p1b1/5, as its" in asked("instance", "show", "toy", "p1b1/2", *here)
    assert "2 of the done instances are superseded" in asked(
        "ledger", "export", "toy", "--output", str(tmp_path / "export"), *here
    )
    count = "SELECT count(*) FROM accepted a"
    assert "2 are superseded" in asked("ledger", "query", count, *here)
    assert asked("ledger", "query", "SELECT count(*) FROM counted", *here).split()[-1] == "4"
    book.ledger.close()
