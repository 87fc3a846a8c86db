"""The simulated engine: the driver, retries, barrier, walltime and ledger at scale and under faults."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from db.states import RunOutcome
from orchestrator.driver.records import journal_reader
from orchestrator.driver.stop_requests import StopLevel
from orchestrator.protocol.order import AttemptOrder
from orchestrator.rundir.layout import RunDirectory
from orchestrator.schedulers.model import JobState
from orchestrator.simulation.attempt import LATENCY_SECONDS, AttemptLocation, SimulatedAttempt
from orchestrator.simulation.fault_model import FaultModel, SimulatedRun
from orchestrator.simulation.machine import Block, DoubleBookingError, Pool
from orchestrator.simulation.virtual_clock import SimulationTimeoutError
from tests import messages
from tests.db.rows import fast_folder
from tests.orchestrator.simulation.journals import RepeatedReports
from tests.orchestrator.simulation.simulated import WALLTIME, SimulatedCampaign, made_plan

CALM = FaultModel(stragglers=0.0, pool_seconds=0.0)
ROUGH = RepeatedReports(
    seed=7, stragglers=0.05, failures=0.03, node_hours_to_failure=30.0, duplicates=0.1, queue_seconds=60.0
)
FINISHED = (RunOutcome.COMPLETE, RunOutcome.EXHAUSTED)


def history(world: SimulatedCampaign) -> list[tuple[Any, ...]]:
    return world.rows(
        "SELECT instance_id, attempt_number, state, failure_reason, node, slot_index, "
        "process_start_us, process_stop_us, "
        "submitted_us, received_us FROM attempts ORDER BY instance_id, attempt_number"
    )


def test_a_seed_is_a_history(tmp_path: Path) -> None:
    plan = made_plan(
        {"instances": 150, "expected_runtime": "5 min"},
        slots=4,
        batch={"nodes_per_block": 4, "max_blocks": 2},
    )
    seen = []
    for name, fault_model in (("a", ROUGH), ("b", ROUGH), ("c", FaultModel(seed=8))):
        world = SimulatedCampaign(tmp_path / name, plan, fault_model)
        assert world.run() in FINISHED
        world.check()
        seen.append(history(world))
        world.close()
    assert seen[0] == seen[1]
    assert seen[0] != seen[2]


@pytest.mark.slow
@pytest.mark.parametrize("start", ["independent", "synchronized"])
def test_a_campaign_of_the_suites_size(start: str) -> None:
    folder = fast_folder("simulation-")
    plan = made_plan(
        {"instances": 14_000, "expected_runtime": "10 min"},
        slots=8,
        batch={"nodes_per_block": 128, "max_blocks": 2, "walltime": "2 h"},
        start=start,
    )
    fault_model = RepeatedReports(
        stragglers=0.02, failures=0.01, node_hours_to_failure=40.0, late=0.02, duplicates=0.02
    )
    try:
        world = SimulatedCampaign(folder / "one", plan, fault_model, grain=2.0)
        before = psutil.Process().memory_info().rss
        assert world.run() in FINISHED
        assert psutil.Process().memory_info().rss - before < 100 << 20
        world.check()
        lost = world.rows("SELECT count(*) FROM attempts WHERE state = 'lost'")[0][0]
        late = world.rows("SELECT count(*) FROM events WHERE kind = 'late_report'")[0][0]
        assert lost > 20
        assert late > 0
        assert world.machine.statistics.most_at_once == 2048
        assert world.machine.statistics.at_once == 0
        # A failed or lost attempt, or a block's end, costs another one; nothing else does.
        assert world.rows("SELECT count(*) FROM attempts")[0][0] < 14_000 * 1.6
        world.close()
    finally:
        shutil.rmtree(folder)


# -- walltime ------------------------------------------------------------------------------------


def test_few_orders_meet_a_block_that_is_too_short(tmp_path: Path) -> None:
    plan = made_plan(
        {"instances": 200, "expected_runtime": "25 min"},
        slots=4,
        batch={"nodes_per_block": 2, "max_blocks": 1},
    )
    world = SimulatedCampaign(tmp_path, plan, CALM)
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    attempts = dict(world.rows("SELECT coalesce(failure_reason, state), count(*) FROM attempts GROUP BY 1"))
    blocks = len(world.machine.blocks)
    assert blocks == 13  # two waves of eight in each
    assert attempts["succeeded"] == 200
    assert attempts.get("walltime", 0) <= blocks * 8
    assert set(attempts) <= {"succeeded", "walltime"}
    world.close()


def test_an_instance_that_needs_a_whole_block_gets_one(tmp_path: Path) -> None:
    """What is learned may exceed what a block has; a fresh worker starts it all the same."""

    def draw(order: AttemptOrder) -> SimulatedRun:
        return SimulatedRun(1.0, WALLTIME - 120.0 if order.label == "behave/0" else 60.0)

    plan = made_plan({"instances": 12, "expected_runtime": "50 min"}, batch={})
    world = SimulatedCampaign(tmp_path, plan, CALM, draw=draw)
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    world.close()


def test_one_longer_than_any_block_is_exhausted(tmp_path: Path) -> None:
    plan = made_plan({"instances": 4, "expected_runtime": "50 min", "timeout": "3 h"}, batch={})
    world = SimulatedCampaign(tmp_path, plan, CALM, draw=lambda order: SimulatedRun(1.0, 2 * WALLTIME))
    assert world.run() is RunOutcome.EXHAUSTED
    world.check()
    assert set(world.rows("SELECT state, failure_reason FROM attempts")) <= {
        ("timed_out", "walltime"), ("cancelled", "walltime")
    }  # fmt: skip
    world.close()


def test_an_ended_block_gets_no_more_work(tmp_path: Path) -> None:
    plan = made_plan({"instances": 40}, slots=4, batch={"nodes_per_block": 2})
    world = SimulatedCampaign(tmp_path, plan, CALM, draw=lambda order: SimulatedRun(1.0, 1000.0))
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    assert world.rows("SELECT count(*) FROM attempts WHERE state = 'lost'") == [(0,)]
    world.close()


# -- the barrier ------------------------------------------------------------------------------------


def test_waves_are_of_one_benchmark_and_start_at_one_instant(tmp_path: Path) -> None:
    plan = made_plan(
        {"name": "long", "instances": 10, "expected_runtime": "10 min"},
        {"name": "short", "instances": 7, "expected_runtime": "5 min"},
        slots=4,
        start="synchronized",
    )
    world = SimulatedCampaign(tmp_path, plan, CALM)
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    starts: dict[int, list[str]] = {}
    for benchmark, start in world.rows(
        "SELECT i.benchmark, a.run_start_us FROM attempts a JOIN instances i ON i.instance_id = a.instance_id"
    ):
        starts.setdefault(start, []).append(benchmark)
    waves = [starts[start] for start in sorted(starts)]
    assert waves == [["long"] * 4, ["long"] * 4, ["long"] * 2, ["short"] * 4, ["short"] * 3]
    world.close()


def test_benchmarks_of_a_stage_alternate_after_a_stage_of_another_slot_shape(tmp_path: Path) -> None:
    plan = made_plan(
        {"name": "wide", "instances": 2, "slot": {"cores": 2}},
        {"name": "one", "instances": 2},
        {"name": "two", "instances": 2},
        start="synchronized",
    )
    world = SimulatedCampaign(tmp_path, plan, CALM)
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    world.close()


def test_a_wave_that_drains_does_not_wait_for_those_who_may_not_come(tmp_path: Path) -> None:
    """Of two blocks one is held: half of the wave is at the barrier, the other half has no worker."""
    plan = made_plan(
        {"instances": 8, "expected_runtime": "5 min"},
        batch={"max_blocks": 2},
        start="synchronized",
        start_timeout="30 min",
    )
    world = SimulatedCampaign(tmp_path, plan, CALM)
    world.machine.held_blocks = 1
    world.machine.clock.at(60.0, lambda: world.switch.request(StopLevel.DRAIN))
    assert world.run() is RunOutcome.DRAINED
    assert world.rows("SELECT count(*) FROM attempts WHERE state = 'succeeded'") == [(2,)]
    assert world.machine.clock.seconds() < 600
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    world.close()


# -- what the machine itself guarantees ----------------------------------------------------------


def test_a_slot_is_never_given_twice(tmp_path: Path) -> None:
    plan = made_plan({"instances": 1, "expected_runtime": "5 min"})
    world = SimulatedCampaign(tmp_path, plan, CALM)
    pool = Pool("p", "n", 1)
    order = messages.order(label="behave/0")
    place = AttemptLocation("0", "p", "n", 0, None, True)
    pool.attempts[0] = SimulatedAttempt(order, SimulatedRun(1, 1), place, world.machine, lambda report: None)
    with pytest.raises(DoubleBookingError):
        world.machine.run(Block("0", 1, JobState.RUNNING, 0.0), pool, 0, order, lambda report: None)
    world.close()


def test_a_held_block_goes_on_when_it_is_let_go(tmp_path: Path) -> None:
    world = SimulatedCampaign(
        tmp_path, made_plan({"instances": 2, "expected_runtime": "5 min"}, batch={}), CALM
    )
    world.machine.held_blocks = 1
    world.machine.clock.at(600.0, lambda: setattr(world.machine.blocks[0], "state", JobState.QUEUED))
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    assert "block 0 is held" in world.messages
    assert world.machine.clock.seconds() > 900
    world.close()


def test_a_block_that_is_refused_is_asked_for_again_unless_it_was_the_first(tmp_path: Path) -> None:
    plan = made_plan({"instances": 8, "expected_runtime": "5 min"}, batch={"max_blocks": 2})
    world = SimulatedCampaign(tmp_path, plan, CALM)
    world.machine.refused_blocks = 1
    assert world.run() is RunOutcome.ENGINE_FAILED
    assert "the batch system refused the block; giving up" in world.messages
    world.machine.clock.after(1.5, lambda: setattr(world.machine, "refused_blocks", 3))
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    world.close()


def test_after_failed_blocks_the_next_one_is_requested_later(tmp_path: Path) -> None:
    """Three failures in a short time end the engine; the one that replaces it starts without a pause."""
    world = SimulatedCampaign(
        tmp_path, made_plan({"instances": 1, "expected_runtime": "5 min"}, batch={}), CALM
    )
    machine = world.machine

    def lose_the_newest() -> None:
        block = machine.blocks[-1]
        if len(machine.blocks) < 5 and block.pools:
            machine.fail_node(block, block.pools[0], partitioned=False)
        machine.clock.after(0.1, lose_the_newest)

    machine.clock.at(1.0, lose_the_newest)
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    assert "3 blocks failed; restarting" in world.messages
    times = [block.requested for block in machine.blocks]
    ends = [block.ended or 0.0 for block in machine.blocks]
    pauses = [later - end for end, later in zip(ends, times[1:], strict=False)]
    assert 5.0 <= pauses[0] < 7.0
    assert 10.0 <= pauses[1] < 12.0
    assert pauses[2] < 2.0  # of the engine that replaced the first
    world.close()


def test_a_block_whose_nodes_were_all_cut_off_is_given_back_and_replaced(tmp_path: Path) -> None:
    world = SimulatedCampaign(
        tmp_path, made_plan({"instances": 1, "expected_runtime": "5 min"}, batch={}), CALM
    )
    machine = world.machine
    machine.clock.at(
        100.0, lambda: machine.fail_node(machine.blocks[0], machine.blocks[0].pools[0], partitioned=True)
    )
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    first, second = machine.blocks
    assert first.released
    assert second.requested < 200.0
    world.close()


@pytest.mark.parametrize("loss", ["stop", "finish"])
def test_a_result_that_is_journalled_after_its_worker_was_given_up_is_adopted(
    tmp_path: Path, loss: str
) -> None:
    """A clock that is set makes the engine miss workers that live; their attempts end as they would."""
    plan = made_plan({"instances": 2, "expected_runtime": "5 min"}, batch={"nodes_per_block": 2}, slots=1)
    site = plan.site.model_copy(update={"on_driver_loss": loss})

    def draw(order: AttemptOrder) -> SimulatedRun:
        if order.label == "behave/0":  # it ends five seconds after it is missed
            world.machine.clock.after(300.0 - 5.0 - site.heartbeat.threshold, miss)
        return SimulatedRun(1.0, 299.0)

    def miss() -> None:
        [block] = world.machine.blocks
        [pool] = [one for one in block.pools if next(iter(one.attempts.values())).order.label == "behave/0"]
        world.machine.fail_node(block, pool, partitioned=True)

    world = SimulatedCampaign(tmp_path, replace(plan, site=site), CALM, draw=draw)
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    assert world.rows("SELECT state, attempt_number FROM attempts") == [("succeeded", 1)] * 2
    assert world.rows("SELECT 1 FROM events WHERE kind = 'late_report'") == []
    world.close()


def test_a_campaign_that_never_ends_is_told(tmp_path: Path) -> None:
    plan = made_plan({"instances": 1, "expected_runtime": "5 min"}, batch={})
    world = SimulatedCampaign(tmp_path, plan, CALM, longest=7200.0)
    world.machine.held_blocks = 1
    with pytest.raises(SimulationTimeoutError):
        world.run()
    world.close()


def test_what_stands_in_a_journal_when_the_engine_breaks_is_taken(tmp_path: Path) -> None:
    """The second result is half a second younger than the driver's last look, its future a minute late."""

    def draw(order: AttemptOrder) -> SimulatedRun:
        if order.label == "behave/1":
            world.machine.clock.after(
                LATENCY_SECONDS + 101.6, lambda: setattr(world.machine, "broken", "it broke")
            )
        return SimulatedRun(1.0, 100.0 if order.label == "behave/0" else 100.5)

    plan = made_plan({"instances": 2, "expected_runtime": "5 min"})
    world = SimulatedCampaign(tmp_path, plan, FaultModel(late=1.0, pool_seconds=0.0), draw=draw)
    assert world.run() is RunOutcome.COMPLETE
    assert "it broke; restarting" in world.messages
    assert world.rows("SELECT state, count(*) FROM attempts GROUP BY state") == [("succeeded", 2)]
    world.check()
    world.close()


def test_one_whose_supervisor_hangs_is_written_off_and_runs_elsewhere(tmp_path: Path) -> None:
    def draw(order: AttemptOrder) -> SimulatedRun:
        return SimulatedRun(1.0, 60.0, hangs=(order.label, order.attempt) == ("behave/0", 1))

    plan = made_plan({"instances": 6, "timeout": "10 min"})
    world = SimulatedCampaign(tmp_path, plan, CALM, draw=draw)
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    lost = world.rows(
        "SELECT instance_id, failure_reason, failure_category, failure_message FROM attempts "
        "WHERE state = 'lost'"
    )
    assert [row[:3] for row in lost] == [(0, "overdue", "infrastructure")]
    assert "with a timeout of 600 s: its supervisor or its node n1 hangs" in lost[0][3]
    world.close()


def test_a_result_that_stands_in_a_journal_is_adopted_before_its_attempt_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def draw(order: AttemptOrder) -> SimulatedRun:
        return SimulatedRun(1.0, 60.0, hangs=order.label == "behave/0")

    plan = made_plan({"instances": 6, "timeout": "10 min"})
    world = SimulatedCampaign(tmp_path, plan, CALM, draw=draw)

    def read_seldom() -> None:
        monkeypatch.setattr(journal_reader, "_PERIOD_SECONDS", 1e6)
        monkeypatch.setattr(journal_reader, "_LONGEST_SECONDS", 1e6)

    def end() -> None:
        """End the attempt, of which only its journal tells."""
        [hanging] = world.machine.running()[0].pools[0].attempts.values()
        hanging._done = lambda report: None
        hanging._marks["run_start_us"] = world.machine.clock.now_us() - 1
        hanging.end(None)

    world.machine.clock.at(500.0, read_seldom)
    world.machine.clock.at(600.0, end)
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    assert world.rows("SELECT state, count(*) FROM attempts GROUP BY state") == [("succeeded", 6)]
    world.close()


def test_one_that_no_worker_starts_is_written_off_once_later_ones_were(tmp_path: Path) -> None:
    plan = made_plan({"instances": 60, "timeout": "10 min"}, slots=4)
    world = SimulatedCampaign(tmp_path, plan, CALM, draw=lambda order: SimulatedRun(1.0, 500.0))
    real, stuck = world.machine.run, []

    def run(*arguments: Any) -> None:
        order = arguments[3]
        if order.label == "behave/5" and not stuck:
            stuck.append(order.token)  # its worker has it, and hangs
        else:
            real(*arguments)

    world.machine.run = run  # type: ignore[method-assign]
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    lost = world.rows(
        "SELECT instance_id, token, failure_reason, failure_message FROM attempts WHERE state = 'lost'"
    )
    assert [row[:3] for row in lost] == [(5, stuck[0], "overdue")]
    assert "though later ones were: its worker hangs" in lost[0][3]
    world.close()


@pytest.mark.parametrize(("waves", "stands_at"), [(2, 5.0), (3, 400.0)])
@pytest.mark.parametrize(("nodes_per_block", "blocks"), [(None, 1), (1, 1), (1, 2), (2, 1), (3, 2)])
def test_a_pool_that_stands_still_is_given_up(
    tmp_path: Path, nodes_per_block: int | None, blocks: int, waves: int, stands_at: float
) -> None:
    batch = None
    if nodes_per_block:
        batch = {"nodes_per_block": nodes_per_block, "max_blocks": blocks, "walltime": "12 h"}
    instances = waves * 2 * (nodes_per_block or 1) * blocks
    plan = made_plan({"instances": instances, "expected_runtime": "5 min"}, batch=batch)
    world = SimulatedCampaign(tmp_path, plan, CALM)

    def stand() -> None:
        world.machine.running()[0].pools[0].stalled = True

    world.machine.clock.at(stands_at, stand)
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    assert world.machine.clock.seconds() < 330 * (waves + 3) + 600
    lines = [line for line in world.messages if "worker pool of node n1 started none of its 2 orders" in line]
    assert [line.rpartition("; ")[2] for line in lines] == ["it gets no more" if batch else "restarting"]
    lost = {reason for (reason,) in world.rows("SELECT failure_reason FROM attempts WHERE state = 'lost'")}
    assert lost
    assert lost <= ({"ManagerLost", "overdue"} if batch else {"engine failed"})
    world.close()


def test_orders_of_a_stalled_pool_go_to_others_while_its_block_is_busy(tmp_path: Path) -> None:
    batch = {"nodes_per_block": 2, "max_blocks": 1, "walltime": "12 h"}
    plan = made_plan({"instances": 60, "expected_runtime": "5 min"}, batch=batch)
    world = SimulatedCampaign(tmp_path, plan, CALM)

    def stall() -> None:
        world.machine.running()[0].pools[0].stalled = True

    world.machine.clock.at(400.0, stall)
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    lost = world.rows(
        "SELECT a.token, a.failure_reason, (e.at_us - (SELECT min(at_us) FROM events)) / 1e6 FROM attempts a "
        "JOIN events e ON e.instance_id = a.instance_id AND e.attempt_number = a.attempt_number "
        "WHERE a.state = 'lost' AND e.to_state = 'lost'"
    )
    # Its two slots took an order each when their runs ended, after about 620 s.
    assert [reason for _, reason, _ in lost] == ["overdue"] * 2
    assert all(at < 620 + 2 * plan.site.heartbeat.stall_timeout + 60 for _, _, at in lost)
    files = RunDirectory(Path(world.row.run_directory)).cancel_files
    assert {file.name for file in files.iterdir()} == {token for token, _, _ in lost}  # they start no more
    assert world.machine.clock.seconds() > 5000  # the block was busy for much longer
    world.close()


def test_blocks_of_an_engine_that_was_replaced_keep_their_rows(tmp_path: Path) -> None:
    plan = made_plan({"instances": 6, "expected_runtime": "5 min"}, batch={})
    world = SimulatedCampaign(tmp_path, plan, CALM)
    world.machine.clock.at(400.0, lambda: setattr(world.machine, "broken", "it broke"))
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    assert world.rows("SELECT block_id, state FROM blocks ORDER BY block_id") == [
        ("0", "released"), ("1", "released")
    ]  # fmt: skip
    world.close()


def test_a_ledger_that_is_away_at_the_end_is_the_outcome(tmp_path: Path) -> None:
    plan = made_plan({"instances": 8, "expected_runtime": "5 min"})
    world = SimulatedCampaign(tmp_path, plan, CALM)
    world.book.away = [(350.0, 5000.0)]
    world.machine.clock.at(400.0, lambda: world.switch.request(StopLevel.CANCEL))
    assert world.run() is RunOutcome.LEDGER_FAILED
    world.book.away = []
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    assert world.rows("SELECT count(*) FROM attempts WHERE state = 'succeeded'") == [(8,)]
    world.close()


# -- faults --------------------------------------------------------------------------------------

TIMES = st.floats(1.0, 1500.0)
FAULTS = st.one_of(
    st.tuples(st.just("node"), TIMES, st.booleans(), st.integers(0, 9)),
    st.tuples(st.just("worker"), TIMES, st.integers(0, 9)),
    st.tuples(st.just("standstill"), TIMES, st.integers(0, 9)),
    st.tuples(st.just("block"), TIMES, st.integers(0, 3), st.booleans()),
    st.tuples(st.just("engine"), TIMES),
    st.tuples(st.just("ledger"), TIMES, st.floats(1.0, 1500.0)),
    st.tuples(st.just("stop"), TIMES, st.sampled_from([StopLevel.DRAIN, StopLevel.CANCEL])),
    st.tuples(st.just("crash"), st.integers(1, 200), st.booleans()),
)

CAUSES = {
    RunOutcome.ABORTED: {"crash"},
    RunOutcome.LEDGER_FAILED: {"ledger"},
    RunOutcome.DRAINED: {"stop"},
    RunOutcome.CANCELLED: {"stop"},
    RunOutcome.ENGINE_FAILED: {"engine", "block"},
    RunOutcome.TAKEN_OVER: set[str](),
}


def strike(world: SimulatedCampaign, fault: tuple[Any, ...]) -> None:
    """Let a fault happen at its time."""
    machine = world.machine

    def connected() -> list[tuple[Block, Pool]]:
        return [(block, pool) for block in machine.running() for pool in block.pools if pool.connected]

    def node(partitioned: bool, which: int) -> None:
        if pools := connected():
            machine.fail_node(*pools[which % len(pools)], partitioned=partitioned)

    def standstill(which: int) -> None:
        if pools := connected():
            pools[which % len(pools)][1].stalled = True

    def worker(which: int) -> None:
        attempts = [
            one for block in machine.running() for pool in block.pools for one in pool.attempts.values()
        ]
        if attempts and (one := attempts[which % len(attempts)]).started:
            one.end("orphaned")

    def block(which: int, silent: bool) -> None:
        if running := machine.running():
            machine.end_block(running[which % len(running)], JobState.CANCELLED, silent=silent)

    def engine() -> None:
        machine.broken = "the interchange died"

    kind, *rest = fault
    if kind == "crash":
        world.book.crash_at[world.book.writes + rest[0]] = rest[1]
    elif kind == "ledger":
        world.book.away.append((rest[0], rest[0] + rest[1]))
    else:
        act = {"node": node, "worker": worker, "block": block, "engine": engine, "standstill": standstill,
               "stop": lambda level: world.switch.request(level)}[kind]  # fmt: skip
        machine.clock.at(rest[0], lambda: act(*rest[1:]))  # type: ignore[operator]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    faults=st.lists(FAULTS, max_size=8),
    seed=st.integers(0, 1000),
    start=st.sampled_from(["independent", "synchronized"]),
    order=st.sampled_from(["file", "shuffled", "interleaved"]),
    gap=st.floats(0.0, 400.0),
    silent=st.booleans(),
)
def test_whatever_fails_nothing_is_lost_or_counted_twice(
    faults: list[tuple[Any, ...]], seed: int, start: str, order: str, gap: float, silent: bool
) -> None:
    plan = made_plan(
        {"name": "long", "instances": 14, "expected_runtime": "6 min"},
        {"name": "short", "instances": 8, "expected_runtime": "1 min"},
        batch={"nodes_per_block": 2, "max_blocks": 2, "walltime": "20 min"},
        start=start,
        order=order,
        start_timeout="2 min",
    )
    fault_model = RepeatedReports(
        seed=seed, stragglers=0.1, failures=0.1, late=0.3, duplicates=0.2, queue_seconds=20.0
    )
    folder = fast_folder("faults-")
    try:
        world = SimulatedCampaign(folder / "one", plan, fault_model)
        for fault in faults:
            strike(world, fault)
        while not world.outcomes or world.outcomes[-1] not in FINISHED:
            assert len(world.outcomes) < 2 + 2 * len(faults), world.outcomes
            world.run()
            world.slot_time()  # also while attempts are open
            # Nobody drives for a while, and whoever resumes finds the rest or nothing.
            world.machine.clock.pass_time(gap)
            world.book.away = [one for one in world.book.away if one[0] > world.machine.clock.seconds()]
            if world.outcomes[-1] not in FINISHED:
                world.machine.end_blocks(world.machine.blocks, "orphaned", silent=silent)
        world.check()
        kinds = {fault[0] for fault in faults}
        for outcome, causes in CAUSES.items():
            assert outcome not in world.outcomes or causes & kinds, world.outcomes
        world.close()
    finally:
        shutil.rmtree(folder)
