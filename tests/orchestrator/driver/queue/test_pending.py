"""The order in which waiting instances are handed out."""

from __future__ import annotations

import pytest

from db.records import Pending
from orchestrator.driver.queue.pending import PendingQueue, by_benchmark


def pending(*numbers: int, benchmark: str = "a") -> list[Pending]:
    return [Pending(number, benchmark, number, 2017 + number, attempts=0) for number in numbers]


def taken(backlog: PendingQueue) -> list[int]:
    found = []
    while (benchmark := next(backlog.ready(0.0), None)) is not None:
        found.append(backlog.pop(benchmark).instance_id)
    return found


def test_benchmarks_go_in_the_order_given_and_only_those() -> None:
    waiting = [*pending(5, 6), *pending(1, 2, benchmark="b"), *pending(9, benchmark="other")]
    backlog = PendingQueue(by_benchmark(["b", "a"], waiting))
    assert len(backlog) == 4
    assert backlog.benchmarks == ["b", "a"]
    assert taken(backlog) == [1, 2, 5, 6]


@pytest.mark.parametrize(("last", "order"), [(False, [0, 1, 2]), (True, [1, 2, 0])])
def test_one_that_comes_back_goes_first_or_last(last: bool, order: list[int]) -> None:
    backlog = PendingQueue(by_benchmark(["a"], pending(0, 1, 2)))
    backlog.requeue(backlog.pop("a"), last=last)
    assert taken(backlog) == order


def test_one_that_is_held_waits_for_its_time_or_its_release() -> None:
    backlog = PendingQueue(by_benchmark("ab", [*pending(0), *pending(1, benchmark="b")]))
    backlog.defer("a", 10.0)
    assert list(backlog.ready(9.0)) == ["b"]
    assert list(backlog.ready(10.0)) == ["a", "b"]
    assert backlog.ready_count(9.0) == 1
    backlog.resume_all()
    assert backlog.ready_count(9.0) == 2
