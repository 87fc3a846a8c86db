"""Campaigns whose site gives ranges of nodes and walltime, on a simulated machine that others use, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from db.queries.blocks import chosen_walltimes
from db.states import RunOutcome
from orchestrator.analysis.slot_time.makespan_explained import explain
from orchestrator.planning.plan import Plan
from orchestrator.protocol.order import AttemptOrder
from orchestrator.simulation.fault_model import FaultModel, SimulatedRun
from tests.orchestrator.simulation.batch_queue import BackgroundJob, BatchQueue
from tests.orchestrator.simulation.simulated import SimulatedCampaign, made_plan

CALM = FaultModel(seed=1, stragglers=0.0, pool_seconds=0.0)
HOUR = 3600.0
RANGES = {"nodes_per_block": "1..8", "walltime": "10 min..4 h", "max_blocks": 3}
BUSY = (BackgroundJob(0.0, 6, 2 * HOUR, 2 * HOUR), BackgroundJob(0.0, 8, 2 * HOUR, 2 * HOUR))
"""Six of eight nodes are held for two hours, and then all."""


class Slow(FaultModel):
    """Every node takes equally long until its first order."""

    def pool(self, node: str) -> float:
        """Return the seconds."""
        return self.pool_seconds


def plan(instances: int, minutes: int = 5, budget: dict[str, Any] | None = None, **batch: Any) -> Plan:
    benchmark = {"instances": instances, "expected_runtime": f"{minutes} min"}
    return made_plan(benchmark, batch=RANGES | batch, rulebook="none", budget=budget)


def shared(
    folder: Path, made: Plan, jobs: tuple[BackgroundJob, ...] = BUSY, **given: Any
) -> SimulatedCampaign:
    """Return a campaign on eight nodes that others use."""
    world = SimulatedCampaign(folder, made, CALM, **given)
    world.machine.queue = BatchQueue(world.machine.clock, 8, jobs)
    world.machine.clock.after(0.0, lambda: None)
    return world


def shapes(world: SimulatedCampaign) -> list[tuple[int, float, bool]]:
    """Return nodes and walltime of the blocks, and whether they had nodes, as requested."""
    walltimes = chosen_walltimes(world.book, world.row.campaign_id)
    found = world.rows("SELECT nodes, job_id, started_us IS NOT NULL FROM blocks ORDER BY requested_us")
    return [(nodes, walltimes["", job], bool(started)) for nodes, job, started in found]


def test_free_nodes_are_used_while_a_full_block_waits(tmp_path: Path) -> None:
    world = shared(tmp_path / "ranges", plan(40))
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    assert world.machine.clock.seconds() < 2 * HOUR
    found = shapes(world)
    assert {nodes for nodes, _, started in found if started} <= {1, 2}
    assert found[0] == (7, 2760.0, False)
    world.write_texts("{}", world.plan.site.model_dump_json(exclude_unset=True))
    asked = explain(world.book, world.row).node_hours.asked
    assert asked == pytest.approx(sum(nodes * seconds for nodes, seconds, _ in found) / HOUR)
    fixed = shared(tmp_path / "fixed", plan(40, nodes_per_block=8, walltime="4 h"))
    assert fixed.run() is RunOutcome.COMPLETE
    assert fixed.machine.clock.seconds() > 4 * HOUR


def test_what_the_end_of_a_block_cuts_off_runs_in_a_longer_block(tmp_path: Path) -> None:
    """Instances take ten times as long as the campaign file says."""

    def draw(order: AttemptOrder) -> SimulatedRun:
        return SimulatedRun(1.0, 50 * 60.0)

    world = shared(tmp_path, plan(4), (), draw=draw)
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    assert world.rows("SELECT DISTINCT failure_category FROM attempts WHERE state != 'succeeded'") == [
        ("neutral",)
    ]
    walltimes = [seconds for _, seconds, started in shapes(world) if started]
    assert walltimes == sorted(walltimes)
    assert walltimes[-1] > 50 * 60.0 > walltimes[0]


def test_what_is_longer_than_the_longest_block_fails(tmp_path: Path) -> None:
    def draw(order: AttemptOrder) -> SimulatedRun:
        return SimulatedRun(1.0, 50 * 60.0)

    world = shared(tmp_path, plan(2, walltime="10 min..40 min"), (), draw=draw)
    assert world.run() is RunOutcome.EXHAUSTED
    world.check()
    failed = world.rows("SELECT failure_message FROM attempts WHERE failure_category = 'benchmark'")
    assert failed
    assert {message.partition(";")[0] for (message,) in failed} == {
        "it runs longer than a whole block's walltime"
    }


@pytest.mark.parametrize("startup", [480.0, 540.0, 860.0])
def test_blocks_that_start_slowly_get_longer(tmp_path: Path, startup: float) -> None:
    world = shared(tmp_path, plan(8, minutes=1, walltime="2 min..4 h"), ())
    world.machine.fault_model = Slow(seed=1, stragglers=0.0, pool_seconds=startup)
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    first, *_, last = [seconds for _, seconds, _ in shapes(world)]
    assert last > first
    assert len(shapes(world)) <= 4


@pytest.mark.parametrize("write", [4, 9, 14, 24])
@pytest.mark.parametrize("after_commit", [False, True])
def test_a_driver_that_dies_loses_nothing(tmp_path: Path, write: int, after_commit: bool) -> None:
    world = shared(tmp_path, plan(12))
    world.book.crash_at[write] = after_commit
    while world.run() is RunOutcome.ABORTED:
        pass
    assert world.outcomes == [RunOutcome.ABORTED, RunOutcome.COMPLETE]
    world.check()


def test_blocks_of_wide_instances_fit_holes_by_whole_instances(tmp_path: Path) -> None:
    """Instances of three nodes use six of seven free nodes, or three of five."""
    wide = {"workload": "tests.toys.multi_rank", "slot": {"nodes": 3, "ranks": 3}, "parameters": {}}
    made = made_plan(
        wide | {"instances": 24, "expected_runtime": "5 min"},
        batch=RANGES | {"nodes_per_block": "1..16", "max_blocks": 4},
        rulebook="none",
    )
    [stage] = made.all_stages
    assert stage.block_range is not None
    assert [one.nodes for one in stage.block_range.corners] == [15, 15, 3, 3]
    jobs = (BackgroundJob(0.0, 11, 2 * HOUR, 2 * HOUR), BackgroundJob(0.0, 16, HOUR, HOUR))
    world = SimulatedCampaign(tmp_path, made, CALM)
    world.machine.queue = BatchQueue(world.machine.clock, 16, jobs)
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    found = shapes(world)
    assert {nodes % 3 for nodes, _, _ in found} == {0}
    assert 3 in {nodes for nodes, _, started in found if started}
    ((most,),) = world.rows(
        "SELECT max(n) FROM (SELECT count(*) AS n FROM attempts a JOIN blocks b ON a.block_id = b.block_id "
        "WHERE b.nodes = 3 AND a.process_start_us < b.started_us + 200000000 GROUP BY b.block_id)"
    )
    assert most == 1  # a block of three nodes runs one at a time


def test_waves_that_start_together_keep_one_shape(tmp_path: Path) -> None:
    made = made_plan(
        {"instances": 16, "expected_runtime": "5 min"}, batch=RANGES, rulebook="none", start="synchronized"
    )
    world = shared(tmp_path, made)
    assert world.run() is RunOutcome.COMPLETE
    assert world.rows("SELECT DISTINCT nodes FROM blocks") == [(8,)]
    assert world.rows("SELECT 1 FROM events WHERE kind = 'block_shaped'") == []


@pytest.mark.parametrize("jobs", [(), BUSY])
def test_blocks_take_no_more_than_the_budget(tmp_path: Path, jobs: tuple[BackgroundJob, ...]) -> None:
    world = shared(tmp_path, plan(100, budget={"node_hours": 1}), jobs)
    assert world.run() is RunOutcome.DRAINED
    [(hours,)] = world.rows("SELECT sum(nodes * (ended_us - started_us)) / 3.6e9 FROM blocks")
    assert 0.6 < hours <= 1
    [(message,)] = world.rows("SELECT message FROM events WHERE kind = 'budget_spent'")
    assert "`orchestrator resume" in message
    [(asked,)] = world.rows("SELECT count(*) FROM instances WHERE state = 'planned'")
    assert asked > 50
    blocks = world.rows("SELECT count(*) FROM blocks")
    assert world.run() is RunOutcome.DRAINED
    assert world.rows("SELECT count(*) FROM blocks") == blocks
    world.close()
