"""Instances are handed out block by block, whatever pauses and fails."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import replace

from db.records import Pending
from orchestrator.driver.observers.node_balance import NodeBalance
from orchestrator.driver.queue.order_design import OrderDesign
from orchestrator.driver.queue.ordered import OrderedQueue
from orchestrator.driver.queue.pending import by_benchmark

NAMES = ("a", "b", "c")
DESIGN = OrderDesign("interleaved", 2017, dict.fromkeys(NAMES, 1), dict.fromkeys(NAMES, ""))


def queue(design: OrderDesign = DESIGN, paused: AbstractSet[str] = frozenset()) -> OrderedQueue:
    waiting = [Pending(k * 3 + n, name, k, k, 0) for n, name in enumerate(NAMES) for k in range(6)]
    return OrderedQueue(by_benchmark(NAMES, waiting), paused, "", design, NodeBalance())


def taken(backlog: OrderedQueue) -> list[Pending]:
    found = []
    while (name := next(backlog.ready(0.0), None)) is not None:
        found.append(backlog.pop(name))
    return found


def test_every_point_occurs_once_in_each_block_in_an_order_of_its_own() -> None:
    order = taken(queue())
    assert [one.benchmark_index for one in order] == [k for k in range(6) for _ in NAMES]
    blocks = ["".join(one.benchmark for one in order[k : k + 3]) for k in range(0, 18, 3)]
    assert all(sorted(block) == list(NAMES) for block in blocks)
    assert len(set(blocks)) > 1
    assert taken(queue()) == order


def test_shuffled_instances_are_one_block() -> None:
    order = taken(queue(replace(DESIGN, order="shuffled")))
    assert len(order) == 18
    assert [one.benchmark_index for one in order] != sorted(one.benchmark_index for one in order)


def test_a_cancelled_instance_goes_first_and_a_failed_one_last_with_their_deviations() -> None:
    backlog = queue()
    first, second = (backlog.pop(next(backlog.ready(0.0))) for _ in range(2))
    assert backlog.deviation(first) is None
    backlog.requeue(replace(first, attempts=1), last=True)
    backlog.requeue(replace(second, attempts=1))
    order = taken(backlog)
    assert (order[0].instance_id, order[-1].instance_id) == (second.instance_id, first.instance_id)
    assert "block 1 is handed out again, attempt 2" in str(backlog.deviation(order[-1]))


def test_paused_points_are_passed_over_and_come_later_as_deviations() -> None:
    paused: set[str] = {"b"}
    backlog = queue(paused=paused)
    order = taken(backlog)
    assert {one.benchmark for one in order} == {"a", "c"}
    assert all(backlog.deviation(one) is None for one in order)
    paused.clear()
    assert "after instances of block 6" in str(backlog.deviation(taken(backlog)[0]))


def test_a_block_waits_for_its_deferred_instance() -> None:
    backlog = queue()
    backlog.defer("b", until=5.0)
    assert {one.benchmark for one in taken(backlog)} == {"a", "c"}
    assert len(backlog) == 16
