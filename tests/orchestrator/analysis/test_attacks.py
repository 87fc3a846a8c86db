"""Ways to make a figure of merit look better than the machine is, each of which must show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from db.events import EventKind
from db.ledger import Ledger
from db.states import CANCELLED_BY_USER, Action, InstanceState, RunOutcome
from db.writing.requests import Request
from orchestrator.analysis.verdict.evidence import measurements
from orchestrator.analysis.verdict.fom import campaigns_named, judge
from orchestrator.driver import settlement
from orchestrator.driver.records.attempt_records import to_ledger
from orchestrator.protocol.order import AttemptOrder
from orchestrator.rulebooks import common_rules
from orchestrator.rulebooks.measurements import Measurements
from orchestrator.rulebooks.straggler_rule import stragglers
from orchestrator.simulation.fault_model import FaultModel, SimulatedRun
from tests.db import rows
from tests.db.rows import T0
from tests.orchestrator.analysis.verdict.test_fom import SECOND, Book, fill
from tests.orchestrator.simulation.simulated import SimulatedCampaign, made_plan
from workloads.description import QualityTarget

CALM = FaultModel(spread=0.0, stragglers=0.0)
USUAL, SLOW = 1990.0, 6052.0


def slow_at_first(order: AttemptOrder) -> SimulatedRun:
    """Every twentieth instance straggles at its first attempt only, as on a node that is left afterwards."""
    straggles = order.label.endswith(("/3", "/23")) and order.attempt == 1
    return SimulatedRun(10.0, SLOW if straggles else USUAL)


def measured(folder: Path, *benchmarks: dict[str, Any], draw: Any = slow_at_first, **plan: Any) -> Any:
    """Return the measurements of a simulated campaign by benchmark, and its world."""
    world = SimulatedCampaign(folder, made_plan(*benchmarks, **plan), CALM, draw=draw)
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    found = {one.benchmark: one for one in measurements(world.book, world.row)}
    world.close()
    return found


def straggler(found: Measurements) -> str:
    rule = stragglers(found)
    assert rule.passed is False
    return rule.reason


def test_a_short_timeout_hides_no_straggler(tmp_path: Path) -> None:
    one = {"instances": 40, "timeout": "34 min"}
    found = measured(tmp_path, one, slots=10, retries={"benchmark": 50})["behave"]
    assert found.times.max_seconds == USUAL
    assert found.ended.outcomes == {"timed_out: timeout": 2}
    assert found.ended.begun == {"timed_out: timeout": 2}
    assert found.ended.longest_seconds == 34 * 60 - 10
    assert "timed_out: timeout" in straggler(found)
    assert found.least_max_seconds == 34 * 60 - 10


def test_a_short_walltime_hides_no_straggler(tmp_path: Path) -> None:
    one = {"instances": 40, "timeout": "4 h"}
    found = measured(tmp_path, one, slots=10, batch={"walltime": 4200.0}, retries={"benchmark": 50})["behave"]
    assert found.times.max_seconds == USUAL
    assert found.ended.longest_seconds is not None
    assert found.ended.longest_seconds > USUAL
    assert "walltime" in straggler(found)


def test_with_time_to_end_the_straggler_is_the_longest(tmp_path: Path) -> None:
    found = measured(tmp_path, {"instances": 40, "timeout": "4 h"}, slots=10)["behave"]
    assert (found.times.max_seconds, dict(found.ended.outcomes)) == (SLOW, {})
    assert stragglers(found).passed


@pytest.mark.parametrize("retried", [False, True])
def test_a_cancel_hides_no_straggler(tmp_path: Path, retried: bool) -> None:
    plan = made_plan({"instances": 40, "timeout": "4 h"}, slots=10)
    world = SimulatedCampaign(tmp_path, plan, CALM, draw=slow_at_first)

    def ask() -> None:
        with Ledger(str(world.book.url.database)) as other:
            other.request(1, Request(Action.CANCEL, "behave/3", [[3, 3]], ends_running=True), "user")
            if retried:
                other.request(1, Request(Action.RETRY, "behave/3", [[3, 3]]), "user")

    world.machine.clock.at(4000.0, ask)
    assert world.run() is RunOutcome.COMPLETE
    [found] = measurements(world.book, world.row)
    world.close()
    assert found.ended.outcomes == {"cancelled: cancelled by user": 1}
    assert found.accepted == 39 + retried
    assert found.ended.longest_seconds == pytest.approx(3990, abs=10)
    assert found.times.max_seconds == SLOW  # that of the other one
    assert found.ended.begun == {"cancelled: cancelled by user": 1}


def test_a_cancelled_straggler_breaks_the_rule(sqlite_url: str) -> None:
    book = Book(sqlite_url)
    book.run(0, 0, 100, state="cancelled", fom_seconds=None, failure_reason=CANCELLED_BY_USER)
    fill(book)
    assert "cancelled: cancelled by user" in straggler(book.measured)
    book.ledger.close()


TWO = (
    {"name": "long", "instances": 7, "expected_runtime": "10 min"},
    {"name": "short", "instances": 9, "expected_runtime": "5 min"},
)


def of_its_length(order: AttemptOrder) -> SimulatedRun:
    return SimulatedRun(1.0, 600.0 if order.label.startswith("long") else 300.0)


def test_a_benchmark_beside_another_one_is_seen(tmp_path: Path) -> None:
    found = measured(tmp_path, *TWO, slots=4, rulebook="none", draw=of_its_length)
    assert found["long"].overlap.beside_others == 3
    assert found["short"].overlap.beside_others > 0


def test_the_driver_runs_benchmarks_of_the_suite_one_at_a_time(tmp_path: Path) -> None:
    found = measured(tmp_path, *TWO, slots=4, draw=of_its_length)
    assert [one.overlap.beside_others for one in found.values()] == [0, 0]
    assert [one.overlap.sustained for one in found.values()] == [4, 4]


def test_a_busy_driver_makes_no_clock_uncertain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports that arrive together bound the nodes' clocks alike, however long it takes to record them."""
    plan = made_plan({"instances": 40}, slots=40, start="synchronized")
    world = SimulatedCampaign(tmp_path, plan, CALM, draw=lambda order: SimulatedRun(1.0, 60.0), grain=0.01)

    def slow(*arguments: Any) -> Any:
        world.machine.clock.pass_time(0.05)  # two seconds for the wave
        return to_ledger(*arguments)

    monkeypatch.setattr(settlement, "to_ledger", slow)
    assert world.run() is RunOutcome.COMPLETE
    [(late,)] = world.rows("SELECT max(received_us - process_stop_us) FROM attempts")
    world.close()
    assert late < 100_000


def test_short_runs_that_a_barrier_starts_together_count_on_every_node(tmp_path: Path) -> None:
    """A campaign of its own has few messages: the barrier's bound the clock of each node."""
    batch = {"nodes_per_block": 200, "max_blocks": 1}
    plan = made_plan({"instances": 200}, slots=1, batch=batch, nodes=200, start="synchronized")
    world = SimulatedCampaign(
        tmp_path, plan, CALM, grain=0.01, draw=lambda order: SimulatedRun(5.0 + order.seed % 60, 1.4)
    )
    assert world.run() is RunOutcome.COMPLETE
    [found] = measurements(world.book, world.row)
    world.close()
    assert (found.slots.nodes_used, found.overlap.sustained, found.overlap.counted) == (200, 200, 200)


def test_an_overlap_of_one_instant_does_not_count(sqlite_url: str) -> None:
    book = Book(sqlite_url, 2)
    book.run(0, 0, 10)
    book.run(1, 9.9, 19.9)
    found = book.measured
    book.ledger.close()
    assert (found.overlap.concurrent, found.overlap.sustained, found.overlap.counted) == (2, 1, 1)


@pytest.mark.parametrize(
    ("stated", "words"), [(0.001, "0.01% only"), (5.0, "50.00% only"), (11.0, "110.00%")]
)
def test_a_stated_time_must_agree_with_the_run(sqlite_url: str, stated: float, words: str) -> None:
    book = Book(sqlite_url)
    fill(book, 3)
    book.run(3, 12, 22, fom_seconds=stated)
    rule = common_rules.timed(book.measured)
    book.ledger.close()
    assert not rule.passed
    assert words in rule.reason


def test_a_killed_attempt_that_was_quick_is_declared(sqlite_url: str) -> None:
    book = Book(sqlite_url)
    book.run(0, 0, 1, state="failed", fom_seconds=None, failure_reason="killed")
    fill(book)
    found = book.measured
    book.ledger.close()
    assert (found.ended.outcomes, found.ended.longest_seconds) == ({"failed: killed": 1}, 1.0)
    rule = stragglers(found)
    assert rule.passed
    assert rule.declared == ("attempts ended after their timed part had begun: 1 failed: killed",)


def test_a_timeout_that_ends_one_that_started_slowly_fails(sqlite_url: str) -> None:
    """Its timed part began so late that the timeout left it less time than the longest took."""
    book = Book(sqlite_url)
    book.run(0, 5, 14, state="timed_out", fom_seconds=None, failure_reason="timeout", process_start_us=T0)
    fill(book)
    found = book.measured
    book.ledger.close()
    assert (found.ended.longest_seconds, found.times.max_seconds) == (9.0, 11.0)
    assert "1 attempt had begun the timed part and ran into the timeout" in straggler(found)


@pytest.mark.parametrize(("late", "passed"), [(9.0, True), (12.5, False)])
def test_a_killed_worker_leaves_a_decision(sqlite_url: str, late: float, passed: bool) -> None:
    """The times of processes are compared: how long the timed part of a lost one took is not known."""
    book = Book(sqlite_url)
    book.ledger.submit(book.number, 1, [rows.attempt(0, 1, "slow")])
    book.ledger.record(book.number, [rows.report("slow", "running", process_start_us=T0)])
    lost = {"received_us": T0 + int(late * SECOND), "failure_reason": "worker lost"}
    book.ledger.record(book.number, [rows.report("slow", "lost", InstanceState.PLANNED, **lost)])
    book.tries[0] = 1
    fill(book, process_start_us=T0, process_stop_us=T0 + 12 * SECOND)
    rule = stragglers(book.measured)
    book.ledger.close()
    assert rule.passed is passed
    assert rule.declared == (
        ("attempts lost, with an unknown length of their run: 1 lost: worker lost; at most 9 s",)
        if passed
        else ()
    )


def test_an_order_that_was_lost_before_it_started_bounds_nothing(sqlite_url: str) -> None:
    book = Book(sqlite_url)
    book.ledger.submit(book.number, 1, [rows.attempt(0, 1, "waits")])
    lost = {"received_us": T0 + 900 * SECOND, "failure_reason": "worker lost"}
    book.ledger.record(book.number, [rows.report("waits", "lost", InstanceState.PLANNED, **lost)])
    book.tries[0] = 1
    fill(book)
    found = book.measured
    book.ledger.close()
    assert (found.ended.outcomes, found.ended.unknown) == ({"lost: worker lost": 1}, {})
    assert stragglers(found).passed is True


@pytest.mark.parametrize(
    ("since", "until", "shared"),
    [(None, None, True), (21, None, True), (40, 50, False), (5, 6, True), (60, None, False)],
)
def test_another_campaign_harms_what_it_overlapped(
    sqlite_url: str, since: float | None, until: float | None, shared: bool
) -> None:
    book = Book(sqlite_url)
    fill(book)  # from 0 to 23 s
    facts = {} if since is None else {"campaign": "other", "since_us": T0 + since * SECOND}
    book.ledger.note(book.number, EventKind.CORES_SHARED, "another campaign", data=facts)
    if until is not None:
        facts = {"campaign": "other", "until_us": T0 + until * SECOND}
        book.ledger.note(book.number, EventKind.CORES_FREE, "it has left", data=facts)
    found = book.measured
    book.ledger.close()
    assert found.slots.cores_shared is shared
    assert common_rules.slots(found).passed is not shared


def test_another_campaign_is_remembered_from_session_to_session(sqlite_url: str) -> None:
    """The first session ended beside it and noted no end; the second saw it leave."""
    book = Book(sqlite_url)
    fill(book)  # from 0 to 23 s
    for since in (1, 100):
        facts = {"campaign": "other", "since_us": T0 + since * SECOND}
        at_us = T0 + (since + 1) * SECOND
        book.ledger.note(book.number, EventKind.CORES_SHARED, "it came", data=facts, at_us=at_us)
    facts = {"campaign": "other", "until_us": T0 + 110 * SECOND}
    book.ledger.note(book.number, EventKind.CORES_FREE, "it left", data=facts)
    shared = book.measured.slots.cores_shared
    book.ledger.close()
    assert shared


def test_a_run_of_no_length_makes_no_overlap_an_instant(sqlite_url: str) -> None:
    book = Book(sqlite_url, 3)
    book.run(0, 0, 10)
    book.run(1, 9.9, 19.9)
    book.run(2, 5, 5)
    found = book.measured
    book.ledger.close()
    assert (found.overlap.concurrent, found.overlap.sustained) == (2, 1)


@pytest.mark.parametrize(
    ("models", "found"),
    [((["A100"], ["A100"]), False), ((["A100"], ["H100"]), True), (([], ["H100"]), False)],
)
@pytest.mark.parametrize("cpus", [("Xeon", "Xeon"), ("Xeon", "EPYC")])
def test_campaigns_of_one_site_text_and_two_machines_make_no_suite(
    sqlite_url: str, cpus: tuple[str, str], models: tuple[list[str], list[str]], found: bool
) -> None:
    books = [Book(sqlite_url), Book(sqlite_url, name="other")]
    for book, cpu, gpus in zip(books, cpus, models, strict=True):
        fill(book, node="n1")
        facts = {"cpu": {"model": cpu}, "gpu": {"models": gpus} if gpus else {}}
        book.ledger.describe_node(book.number, 1, "n1", facts)
    both = judge(books[0].ledger, campaigns_named(books[0].ledger, ["toy", "other"])).verdict
    for book in books:
        book.ledger.close()
    apart = [reason for reason in both.reasons if "two machines" in reason]
    assert bool(apart) == (found or len({*cpus}) > 1)
    assert all("nodes of toy/p1b1 have" in reason for reason in apart)


def test_campaigns_side_by_side_are_not_alone(sqlite_url: str) -> None:
    """Two halves of a machine, each with a campaign of its own, make no suite on the entire system."""
    book = Book(sqlite_url)
    fill(book)
    other = Book(sqlite_url, name="other", site="elsewhere")
    fill(other)
    both = judge(book.ledger, campaigns_named(book.ledger, ["toy", "other"])).verdict
    single = book.verdict
    for one in (book, other):
        one.ledger.close()
    for verdict in both.benchmarks:
        [alone] = [rule for rule in verdict.rules if rule.name == "alone"]
        assert alone.passed is False
    assert any("different sites" in reason for reason in both.reasons)
    [alone] = [rule for rule in single.benchmarks[0].rules if rule.name == "alone"]
    assert alone.passed


def test_an_upper_target_is_missed_by_the_highest_value(sqlite_url: str) -> None:
    book = Book(sqlite_url)
    for k, error in enumerate((0.05, 0.9, 0.05, 0.05)):
        book.run(k, 0, 10, accuracy=error)
    rule = common_rules.own_target(book.measured, QualityTarget("error", at_most=0.1))
    book.ledger.close()
    assert rule.passed is False
    assert "highest error is 0.9, target 0.1" in rule.reason


def test_a_driver_killed_beside_a_straggler_leaves_a_bound(sqlite_url: str) -> None:
    """The driver dies after 900 s in which a straggler ran; on resume the instance runs again in 10 s."""
    book = Book(sqlite_url)
    book.ledger.submit(book.number, 1, [rows.attempt(0, 1, "slow")])
    book.ledger.record(book.number, [rows.report("slow", "running", process_start_us=T0)])
    for k in range(1, 4):
        book.run(k, 300 * k - 10, 300 * k, received_us=T0 + 300 * k * SECOND)
    written_off = {"received_us": T0 + 5000 * SECOND, "failure_reason": "driver died"}
    book.ledger.record(book.number, [rows.report("slow", "lost", InstanceState.PLANNED, **written_off)])
    book.tries[0] = 1
    book.run(0, 5010, 5020, received_us=T0 + 5021 * SECOND)
    with rows.raw(sqlite_url) as connection:
        connection.exec_driver_sql(f"UPDATE sessions SET ended_us = {T0 + 5000 * SECOND}")
    found = book.measured
    assert found.ended.least_unknown_seconds == 900.0
    assert "may have run 900 s" in straggler(found)
    with rows.raw(sqlite_url) as connection:  # no hash of rows has the end of a session that has a next one
        connection.exec_driver_sql(
            "INSERT INTO sessions (campaign_id, session_number, kind, host, pid, version, slots, started_us) "
            f"SELECT campaign_id, 2, kind, host, pid, version, slots, {T0 + 5000 * SECOND} FROM sessions"
        )
        connection.exec_driver_sql(f"UPDATE sessions SET ended_us = {T0 + 1} WHERE session_number = 1")
    edited = book.measured
    book.ledger.close()
    assert edited.ended.least_unknown_seconds == 900.0


@pytest.mark.parametrize("reason", ["worker lost", "driver died"])
@pytest.mark.parametrize("state", ["failed", "succeeded"])
def test_a_lost_straggler_with_a_late_report_bounds_the_time(
    sqlite_url: str, reason: str, state: str
) -> None:
    """It is written off after 20 s; its own report, of 900 s, comes when the instance runs elsewhere."""
    book = Book(sqlite_url)
    book.ledger.submit(book.number, 1, [rows.attempt(0, 1, "slow")])
    book.ledger.record(book.number, [rows.report("slow", "running", process_start_us=T0)])
    lost = {"received_us": T0 + 20 * SECOND, "failure_reason": reason, "node": "n1"}
    book.ledger.record(book.number, [rows.report("slow", "lost", InstanceState.PLANNED, **lost)])
    book.tries[0] = 1
    fill(book)
    before = book.measured.ended
    times = {"process_start_us": T0, "run_start_us": T0 + SECOND}
    times |= {"run_stop_us": T0 + 901 * SECOND, "process_stop_us": T0 + 903 * SECOND}
    if state == "failed":
        times["run_stop_us"] = None
    late = rows.report("slow", state, stderr_tail='x", "run_start_us": 1' * 5_000, **times)
    assert book.ledger.record(book.number, [late]) == [late]
    found = book.measured
    book.ledger.close()
    assert (sum(before.unknown.values()), before.longest_seconds) == (1, None)
    assert (found.ended.unknown, sum(found.ended.begun.values())) == ({}, 1)
    assert found.ended.longest_seconds == found.least_max_seconds == (902.0 if state == "failed" else 900.0)
    assert f"lost: {reason}" in straggler(found)


def test_a_lost_attempt_with_a_late_report_of_a_short_run_does_no_harm(ledger_url: str) -> None:
    """It failed after a second, and its worker was written off ten minutes later."""
    book = Book(ledger_url)
    book.ledger.submit(book.number, 1, [rows.attempt(0, 1, "short")])
    book.ledger.record(book.number, [rows.report("short", "running", process_start_us=T0)])
    lost = {"received_us": T0 + 600 * SECOND, "failure_reason": "worker lost"}
    book.ledger.record(book.number, [rows.report("short", "lost", InstanceState.PLANNED, **lost)])
    book.tries[0] = 1
    fill(book)
    assert "may have run 600 s" in straggler(book.measured)
    times = {"process_start_us": T0, "run_start_us": T0, "process_stop_us": T0 + SECOND}
    book.ledger.record(book.number, [rows.report("short", "failed", **times)])
    rule = stragglers(book.measured)
    book.ledger.close()
    assert rule.passed, rule.reason


def test_a_started_attempt_that_was_cancelled_without_a_report_is_no_short_one(sqlite_url: str) -> None:
    book = Book(sqlite_url)
    book.ledger.submit(book.number, 1, [rows.attempt(0, 1, "slow")])
    book.ledger.record(book.number, [rows.report("slow", "running", process_start_us=T0)])
    ended = {"received_us": T0 + 900 * SECOND, "failure_reason": "cancelled"}
    book.ledger.record(book.number, [rows.report("slow", "cancelled", InstanceState.PLANNED, **ended)])
    book.tries[0] = 1
    fill(book)
    found = book.measured
    book.ledger.close()
    assert "may have run 900 s" in straggler(found)


@pytest.mark.parametrize(
    ("kind", "nodes", "passed"),
    [("lustre", 2, True), ("fuse.beegfs", 2, True), ("ext4", 2, False), ("ext4", 1, None), ("odd", 2, None)],
)
def test_data_on_the_disks_of_nodes_are_in_no_global_namespace(
    sqlite_url: str, kind: str, nodes: int, passed: bool | None
) -> None:
    book = Book(sqlite_url)
    facts = {"path": "/data/p1b1", "file_system": kind, "hashed": "nothing"}
    book.ledger.note(book.number, EventKind.DATA_READ, "read", subject="p1b1", data=facts)
    for k in range(4):
        book.run(k, 0, 10, node=f"n{k % nodes}")
    verdict = book.verdict
    book.ledger.close()
    [rule] = [one for one in verdict.benchmarks[0].rules if one.name == "global namespace"]
    assert rule.passed is passed
    assert f"/data/p1b1 on {kind}" in rule.reason


def test_links_to_the_disk_of_a_node_are_in_no_global_namespace(sqlite_url: str) -> None:
    book = Book(sqlite_url)
    facts = {"path": "/data/p1b1", "file_system": "lustre", "linked_file_systems": ["tmpfs"]}
    book.ledger.note(book.number, EventKind.DATA_READ, "read", subject="p1b1", data=facts)
    for k in range(4):
        book.run(k, 0, 10, node=f"n{k % 2}")
    verdict = book.verdict
    book.ledger.close()
    [rule] = [one for one in verdict.benchmarks[0].rules if one.name == "global namespace"]
    assert rule.passed is False
    assert "with links to files on tmpfs" in rule.reason


@pytest.mark.parametrize(("seed", "passed"), [(2017, False), (None, True)])
def test_data_that_the_launch_recognised_by_their_seed_are_synthetic(
    sqlite_url: str, seed: int | None, passed: bool
) -> None:
    book = Book(sqlite_url)
    facts = {"path": "/data/p1b1", "file_system": "lustre", "hashed": "nothing"}
    facts |= {"generator_seed": seed} if seed is not None else {}
    book.ledger.note(book.number, EventKind.DATA_READ, "read", subject="p1b1", data=facts)
    book.run(0, 0, 10)
    verdict = book.verdict
    book.ledger.close()
    [rule] = [one for one in verdict.benchmarks[0].rules if one.name == "data"]
    assert rule.passed is passed
