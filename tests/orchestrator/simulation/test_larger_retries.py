"""Instances that run out of memory or disk are tried again in larger slots, in later sessions too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from db.queries.attempt_times import attempt_times
from db.states import RunOutcome
from orchestrator.analysis.slot_time.makespan_explained import slots_of
from orchestrator.analysis.verdict.evidence import measurements
from orchestrator.planning.plan import Plan
from orchestrator.protocol.order import AttemptOrder
from orchestrator.rulebooks.design_rule import design
from orchestrator.simulation.fault_model import FaultModel, SimulatedRun
from tests.orchestrator.simulation.simulated import SimulatedCampaign, made_plan
from tests.orchestrator.simulation.test_pools import SITE, pooled_plan

GIB = 2**30
SLOT = {"cores": 1, "memory": "2 GiB"}


def plan_of(*benchmarks: dict[str, Any], **keys: Any) -> Plan:
    """Return a plan on nodes of 4 cores and 8 GiB."""
    retries = {"benchmark": 2, "memory": "x1.5"}
    batch = {"nodes_per_block": 2, "max_blocks": 2}
    return made_plan(*benchmarks, slots=4, **{"rulebook": "none", "batch": batch, "retries": retries, **keys})


def campaign(folder: Path, plan: Plan, needs: dict[str, float]) -> tuple[SimulatedCampaign, list[Any]]:
    """Return a campaign whose instances need so many GiB by label, else 1; and its orders."""
    orders: list[Any] = []

    def draw(order: AttemptOrder) -> SimulatedRun:
        size = (order.memory_bytes or 8 * GIB) / GIB
        orders.append((order.label, size, order.slot_shape))
        return SimulatedRun(1.0, 30.0, out_of_memory=size < needs.get(order.label, 1.0))

    return SimulatedCampaign(folder, plan, FaultModel(pool_seconds=0.0), draw=draw), orders


def test_a_retry_has_more_memory_and_the_verdict_declares_it(tmp_path: Path) -> None:
    plan = plan_of({"name": "toy", "instances": 12, "slot": SLOT}, {"name": "calm", "instances": 3})
    world, orders = campaign(tmp_path, plan, {"toy/1": 4.0, "toy/7": 2.5})
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    assert [(size, shape) for label, size, shape in orders if label == "toy/1"] == [
        (2.0, "c1-2048m"), (3.0, "c1-3072m"), (4.5, "c1-4608m"),
    ]  # fmt: skip
    assert [size for label, size, _ in orders if label == "toy/7"] == [2.0, 3.0]
    others = {label for label, *_ in orders} - {"toy/1", "toy/7"}
    assert sorted(label for label, *_ in orders if label in others) == sorted(others)
    raised = world.rows("SELECT subject, message FROM events WHERE kind = 'memory_raised' ORDER BY event_id")
    assert sorted(subject for subject, _ in raised) == ["toy/1", "toy/1", "toy/7"]
    assert raised[-1][1].startswith("toy/1 has 4.5 GiB of memory at its next attempt, in one of 1 slot of a")
    results = [design(one) for one in measurements(world.book, world.row)]
    assert [one.passed for one in results] == [True, None]
    assert results[0].declared == ("2 instances were tried again with more memory, up to 4.5 GiB a rank",)
    # Two nodes were enough for first attempts, and one for each of the retries.
    blocks = world.rows("SELECT slot_shape, nodes FROM blocks")
    assert {nodes for shape, nodes in blocks if shape in ("c1-3072m", "c1-4608m")} == {1}
    world.close()


def test_without_a_larger_slot_the_last_one_is_tried_again(tmp_path: Path) -> None:
    plan = plan_of({"name": "toy", "instances": 2, "slot": {"cores": 1, "memory": "6 GiB"}})
    world, orders = campaign(tmp_path, plan, {"toy/1": 99.0})
    assert world.run() is RunOutcome.EXHAUSTED
    assert [size for label, size, _ in orders if label == "toy/1"] == [6.0, 8.0, 8.0]  # all of a node
    world.close()


def test_a_later_session_goes_on_in_the_larger_slot(tmp_path: Path) -> None:
    retries = {"benchmark": 1, "memory": "x1.5"}
    plan = plan_of({"name": "toy", "instances": 4, "slot": SLOT}, retries=retries)
    world, orders = campaign(tmp_path, plan, {"toy/1": 4.0})
    assert world.run() is RunOutcome.EXHAUSTED
    assert world.book.reopen_exhausted(world.row.campaign_id) == 1
    [waiting] = world.book.pending(world.row.campaign_id)
    assert (waiting.attempts, waiting.timeouts, waiting.out_of_memory) == (2, 0, 2)
    orders.clear()
    world.run()
    assert orders[0] == ("toy/1", 3.0, "c1-3072m")  # of one retry, not of two
    world.close()


@pytest.mark.parametrize(("write", "after_commit"), [(9, True), (12, False), (15, True), (18, False)])
def test_a_killed_driver_forgets_no_instance_of_a_larger_slot(
    tmp_path: Path, write: int, after_commit: bool
) -> None:
    plan = plan_of({"name": "toy", "instances": 6, "slot": SLOT})
    world, orders = campaign(tmp_path, plan, {f"toy/{number}": 3.0 for number in range(6)})
    world.book.crash_at[write] = after_commit
    world.run()
    while world.outcomes[-1] is RunOutcome.ABORTED:
        world.run()
    assert world.outcomes[-1] is RunOutcome.COMPLETE
    world.check()
    assert {size for *_, size, _ in orders} == {2.0, 3.0}
    world.close()


def test_a_share_of_the_node_grows_too_and_a_plan_says_what_it_may_become() -> None:
    plan = plan_of({"name": "toy", "instances": 4})
    assert [stage.shape.memory_bytes for stage in plan.retry_stages] == [3 * GIB, int(4.5 * GIB)]
    assert [len(stage.slots) for stage in plan.retry_stages] == [2, 1]
    assert [stage.instances for stage in plan.retry_stages] == [0, 0]
    assert plan.width == plan_of({"name": "toy", "instances": 4}, retries={}).width
    assert "larger" not in json.loads(plan.benchmarks[0].row().slot)


def campaign_of_disks(
    folder: Path, plan: Plan, needs: dict[str, int], memory: dict[str, float] | None = None
) -> tuple[SimulatedCampaign, list[Any]]:
    """Return a campaign whose instances fail with more slots on a node than given; and its orders."""
    orders: list[Any] = []
    slots = {stage.label: len(stage.slots) for stage in plan.all_stages}

    def draw(order: AttemptOrder) -> SimulatedRun:
        orders.append((order.label, order.slot_shape))
        if (order.memory_bytes or 8 * GIB) / GIB < (memory or {}).get(order.label, 0.0):
            return SimulatedRun(1.0, 30.0, out_of_memory=True)
        return SimulatedRun(1.0, 30.0, out_of_disk=slots[order.slot_shape] > needs.get(order.label, 4))

    return SimulatedCampaign(folder, plan, FaultModel(pool_seconds=0.0), draw=draw), orders


DISKS = {"benchmark": 2, "disk": "x2"}


@pytest.mark.parametrize("size", ["", "1 TB"])
def test_a_retry_has_more_disk_and_the_verdict_declares_it(tmp_path: Path, size: str) -> None:
    site = {**SITE, "pools": {"wide": {"node": {"cores": "0-3", "disk": size or None}}}}
    toys = {"name": "toy", "instances": 12}, {"name": "calm", "instances": 3}
    plan = pooled_plan(*toys, site=site, retries=DISKS)
    world, orders = campaign_of_disks(tmp_path, plan, {"toy/1": 1, "toy/7": 2})
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    assert [shape for label, shape in orders if label == "toy/1"] == [
        "wide.c1", "wide.c1-d1of2", "wide.c1-d1",
    ]  # fmt: skip
    assert [shape for label, shape in orders if label == "toy/7"] == ["wide.c1", "wide.c1-d1of2"]
    raised = world.rows(
        "SELECT subject, message, data FROM events WHERE kind = 'disk_raised' ORDER BY 1, event_id"
    )
    assert [subject for subject, *_ in raised] == ["toy/1", "toy/1", "toy/7"]
    all_of_it = "100 % of a node's disk" + (" (931 GiB)" if size else "")
    assert raised[1][1].startswith(
        f"toy/1 has {all_of_it} at its next attempt, in one of 1 slot of a node of pool"
    )
    assert json.loads(raised[1][2])["disk_bytes"] == (10**12 if size else None)
    reasons = dict(world.rows("SELECT failure_reason, count(*) FROM attempts GROUP BY 1"))
    assert reasons == {None: 15, "out of disk": 3}
    results = [design(one) for one in measurements(world.book, world.row)]
    assert results[0].declared == (f"2 instances were tried again with more disk, up to {all_of_it}",)
    assert results[1].passed is None
    assert slots_of(world.book, world.row, attempt_times(world.book, world.row.campaign_id))[
        "wide.c1-d1"
    ] == (1, 1)
    world.close()


def test_an_instance_runs_out_of_memory_and_of_disk(tmp_path: Path) -> None:
    retries = {"benchmark": 2, "memory": "x2", "disk": "x2"}
    plan = plan_of({"name": "toy", "instances": 4, "slot": {"cores": 1, "memory": "1 GiB"}}, retries=retries)
    world, orders = campaign_of_disks(tmp_path, plan, {"toy/1": 2}, {"toy/1": 2.0, "toy/2": 1.5})
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    assert [shape for label, shape in orders if label == "toy/1"] == [
        "c1-1024m", "c1-2048m", "c1-2048m-d1of2",
    ]  # fmt: skip
    assert [shape for label, shape in orders if label == "toy/2"] == ["c1-1024m", "c1-2048m"]
    [result] = [design(one) for one in measurements(world.book, world.row)]
    assert result.declared == (
        "2 instances were tried again with more memory, up to 2 GiB a rank",
        "1 instance was tried again with more disk, up to 50 % of a node's disk",
    )
    world.close()


def test_a_later_session_goes_on_with_more_disk(tmp_path: Path) -> None:
    plan = plan_of({"name": "toy", "instances": 4}, retries={"benchmark": 1, "disk": "x2"})
    world, orders = campaign_of_disks(tmp_path, plan, {"toy/1": 1})
    assert world.run() is RunOutcome.EXHAUSTED
    assert world.book.reopen_exhausted(world.row.campaign_id) == 1
    [waiting] = world.book.pending(world.row.campaign_id)
    assert (waiting.attempts, waiting.out_of_memory, waiting.out_of_disk) == (2, 0, 2)
    orders.clear()
    world.run()
    assert orders[0] == ("toy/1", "c1-d1of2")
    world.close()


@pytest.mark.parametrize(("write", "after_commit"), [(9, True), (12, False), (15, True)])
def test_a_killed_driver_forgets_no_instance_that_ran_out_of_disk(
    tmp_path: Path, write: int, after_commit: bool
) -> None:
    plan = plan_of({"name": "toy", "instances": 6}, retries=DISKS)
    world, orders = campaign_of_disks(tmp_path, plan, {f"toy/{number}": 2 for number in range(6)})
    world.book.crash_at[write] = after_commit
    world.run()
    while world.outcomes[-1] is RunOutcome.ABORTED:
        world.run()
    assert world.outcomes[-1] is RunOutcome.COMPLETE
    world.check()
    assert {shape for _, shape in orders} == {"c1", "c1-d1of2"}
    world.close()
