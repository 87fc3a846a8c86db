"""What displays show of a running campaign, on both kinds of ledgers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import update

from db.ledger import Ledger
from db.records import BlockRecord
from db.states import Action, InstanceState
from db.tables import campaigns
from db.writing.requests import Request
from db.writing.superseding import Missed
from orchestrator.analysis.live.progress import LiveProgress, figures_so_far, live_progress
from orchestrator.simulation.fault_model import FaultModel
from tests.db import rows
from tests.db.rows import T0, attempt, report
from tests.orchestrator.simulation.simulated import SimulatedCampaign, made_plan

SECOND = 1_000_000


class Running:
    """A campaign of two benchmarks, of four instances and of two."""

    def __init__(self, url: str) -> None:
        self.book = Ledger(url)
        slot = json.dumps({"nodes": 1, "slots": 1})
        benchmarks = [rows.benchmark("a", 4, slot=slot), rows.benchmark("b", 2, slot=slot)]
        planned = [*rows.planned(4, "a"), *rows.planned(2, "b", first=4)]
        self.number = self.book.register(rows.campaign(), benchmarks, planned)
        self.session = rows.begin(self.book, self.number)
        self.started = self.book.sessions_of(self.number)[-1].started_us

    def seen(self, after: float = 60.0) -> LiveProgress:
        row = self.book.campaign("toy")
        return live_progress(self.book, row, self.started + int(after * SECOND))

    def ended(self, instance: int, state: str, becomes: InstanceState, at: float, **values: object) -> None:
        stop = self.started + int(at * SECOND)
        times = {"process_start_us": self.started, "process_stop_us": stop, "received_us": stop}
        given = report(f"t{instance}.1", state, becomes, **(times | values))
        self.book.record(self.number, [given])


@pytest.fixture
def running(ledger_url: str) -> Iterator[Running]:
    found = Running(ledger_url)
    yield found
    found.book.close()


def test_before_anything_ran(running: Running) -> None:
    seen = running.seen()
    assert [(one.benchmark, one.total, one.planned) for one in seen.benchmarks] == [("a", 4, 4), ("b", 2, 2)]
    assert (seen.done, seen.total, seen.slots, seen.slots_busy) == (0, 6, 2, 0)
    assert (seen.per_minute, seen.failures) == (None, ())
    assert (seen.time_left.seconds, seen.time_left.unmeasured) == (None, ("a", "b"))


def test_expected_durations_stand_in_for_what_is_not_measured(running: Running) -> None:
    row = running.book.campaign("toy")
    seen = live_progress(running.book, row, running.started, lambda _: {"a": 10.0, "b": 30.0})
    assert (seen.time_left.unmeasured, seen.time_left.expected) == ((), ("a", "b"))
    assert seen.time_left.seconds == pytest.approx(50.0)  # four of 10 s and two of 30 s, on two slots


def test_every_state_is_counted_once(running: Running) -> None:
    running.book.submit(running.number, running.session, [attempt(k) for k in range(4)])
    running.ended(0, "succeeded", InstanceState.DONE, 30.0, fom_seconds=25.0)
    running.ended(1, "failed", InstanceState.EXHAUSTED, 31.0, failure_reason="exit code 1", node="n\x1b7")
    begun = report("t2.1", "running", None, process_start_us=running.started + 40 * SECOND)
    running.book.record(running.number, [begun])
    seen = running.seen()
    a, b = seen.benchmarks
    assert (a.planned, a.running, a.done, a.exhausted, a.failed_attempts) == (1, 1, 1, 1, 1)
    assert (a.longest, a.unit, a.longest_running_seconds) == (25.0, "s", 20.0)
    assert (b.planned, b.longest) == (2, None)
    assert sum((a.planned, a.running, a.done, a.exhausted)) == a.total == 4
    assert (seen.per_minute, seen.slots_busy) == (1.0, 1)
    assert seen.time_left.unmeasured == ("b",)
    # One slot is free for the waiting one of a, which takes 30 s as the one before; that of b is not known.
    assert seen.time_left.seconds == pytest.approx(30.0)
    [failure] = seen.failures
    assert (failure.instance, failure.attempt, failure.reason) == ("a/1", 1, "exit code 1")
    assert json.loads(json.dumps(seen.to_dict()))["benchmarks"][0]["done"] == 1


def test_the_rate_is_that_of_the_attempts_of_the_session(running: Running) -> None:
    running.book.submit(running.number, running.session, [attempt(0)])
    running.book.end_session(running.number, running.session, "me", "interrupted")
    later = rows.begin(running.book, running.number)
    running.session = later
    running.book.submit(running.number, later, [attempt(1)])
    for instance in (0, 1):
        running.ended(instance, "succeeded", InstanceState.DONE, 30.0, fom_seconds=25.0)
    running.started = running.book.sessions_of(running.number)[-1].started_us
    assert running.seen(60.0).per_minute == 1.0


def test_what_runs_is_given_the_longest_time(running: Running) -> None:
    running.book.submit(running.number, running.session, [attempt(0), attempt(1)])
    running.ended(0, "succeeded", InstanceState.DONE, 30.0)
    running.book.record(running.number, [report("t1.1", "running", None, process_start_us=running.started)])
    for benchmark in ("a", "b"):
        running.book.request(running.number, Request(Action.PAUSE, benchmark, benchmark=benchmark), "me")
    running.book.apply_requests(running.number, running.session)
    assert running.seen(10.0).time_left.seconds == pytest.approx(20.0)
    assert running.seen(35.0).time_left.seconds == 0.0
    assert running.seen(35.0).benchmarks[0].paused


def test_the_last_failures_come_first(running: Running) -> None:
    running.book.submit(running.number, running.session, [attempt(k) for k in range(6)])
    for k, state in enumerate(("failed", "timed_out", "lost", "cancelled", "failed", "failed")):
        running.ended(k, state, InstanceState.EXHAUSTED, 10.0 + k, failure_reason=f"reason {k}")
    assert [one.reason for one in running.seen().failures] == [f"reason {k}" for k in (5, 4, 2, 1, 0)]
    assert [one.failed_attempts for one in running.seen().benchmarks] == [3, 2]


def test_slots_are_those_of_running_blocks(running: Running) -> None:
    running.book.submit(running.number, running.session, [attempt(0), attempt(1)])
    running.ended(0, "succeeded", InstanceState.DONE, 30.0)
    running.ended(1, "succeeded", InstanceState.DONE, 30.0)
    assert running.seen().time_left.seconds == pytest.approx(30.0)  # two wait, for the session's two slots
    queued = BlockRecord("c1", "0", "7", "queued", T0, None, None, 8, None)
    runs = BlockRecord("c1", "1", "8", "running", T0, T0, None, 1, None)
    running.book.record_blocks(running.number, running.session, [queued, runs])
    assert running.seen().time_left.seconds == pytest.approx(60.0)


def test_before_a_block_starts_a_stage_has_its_own_share_of_the_slots(ledger_url: str) -> None:
    """A node has two slots, and an instance of the second benchmark fills both."""
    with Ledger(ledger_url) as book:
        slots = [json.dumps({"nodes": 1, "slots": 2}), json.dumps({"nodes": 1, "slots": 1})]
        benchmarks = [rows.benchmark(name, 4, slot=slot) for name, slot in zip("ab", slots, strict=True)]
        number = book.register(
            rows.campaign(), benchmarks, [*rows.planned(4, "a"), *rows.planned(4, "b", first=4)]
        )
        rows.begin(book, number)
        row, now = book.campaign("toy"), book.sessions_of(number)[-1].started_us
        seen = live_progress(book, row, now, lambda _: {"a": 10.0, "b": 10.0})
        assert seen.slots == 2
        assert seen.time_left.seconds == pytest.approx(2 * 10.0 + 4 * 10.0)


def test_a_rulebook_that_is_not_installed_here_hides_nothing_else(running: Running) -> None:
    with rows.raw(running.book.url.render_as_string(hide_password=False)) as connection:
        connection.execute(update(campaigns).values(rulebook="elsewhere"))
    assert running.seen().total == 6
    assert figures_so_far(running.book, running.book.campaign("toy")) == []


def test_superseded_instances_are_no_longer_done_and_their_times_count(running: Running) -> None:
    running.book.submit(running.number, running.session, [attempt(0)])
    running.ended(0, "succeeded", InstanceState.DONE, 30.0, accuracy=0.1, fom_seconds=99.0)
    running.book.end_session(running.number, running.session, "me", "drained")
    running.book.supersede(running.number, "a", [Missed(0, "a/0", 0.1)], None)
    [a, _] = running.seen().benchmarks
    assert (a.total, a.planned, a.done, a.longest) == (4, 4, 0, 99.0)


def test_a_simulated_campaign_has_its_fom_so_far(tmp_path: Path) -> None:
    plan = made_plan({"name": "a", "instances": 8, "expected_runtime": "1 min"}, rulebook="coral2")
    world = SimulatedCampaign(tmp_path, plan, FaultModel(seed=1, node_hours_to_failure=1e9))
    world.run()
    row = world.book.campaign("toy")
    seen = live_progress(world.book, row, world.book.sessions_of(row.campaign_id)[-1].ended_us or 0)
    assert (seen.done, seen.slots_busy, seen.time_left.seconds) == (8, 0, 0.0)
    figures = {(one.subject, one.name): one.value for one in figures_so_far(world.book, row)}
    assert figures["", "overall"] is None
    assert figures["a", "fom"] is None  # a toy is no benchmark of the suite
    world.close()
