"""Attempts of which no report came for too long are found, by looks that end early."""

from __future__ import annotations

import pytest

from orchestrator.driver.queue.in_flight import START_SECONDS, InFlightAttempt
from orchestrator.driver.queue.overdue import OverdueAttempts
from orchestrator.driver.queue.time_limits import TimeLimit
from tests.orchestrator.driver.fakes import attempt

LIMITS = {"a": TimeLimit(60.0, 100.0), "b": TimeLimit(600.0, 1000.0)}


@pytest.fixture
def overdue() -> OverdueAttempts:
    return OverdueAttempts(lambda one: LIMITS[one.benchmark])


def hand_over(overdue: OverdueAttempts, place: int, benchmark: str = "a") -> InFlightAttempt:
    one = attempt(f"t{place}", benchmark, place=place)
    overdue.handed_over(one, "queue")
    return one


def start(overdue: OverdueAttempts, one: InFlightAttempt, at: float) -> None:
    one.started_at, one.node = at, "n1"
    overdue.started(one, "queue")


def found(
    overdue: OverdueAttempts, now: float, start_seconds: float = START_SECONDS, stalled: int = 0
) -> list[str]:
    return [one.token for one, _ in overdue.find(now, start_seconds, stalled)]


def test_only_an_attempt_that_a_later_one_overtook_must_start(overdue: OverdueAttempts) -> None:
    first, second, _ = (hand_over(overdue, place) for place in (1, 2, 3))
    assert found(overdue, 0.0) == found(overdue, 1e6) == []
    start(overdue, second, 1e6)
    assert found(overdue, 1e6) == []
    assert first.overtaken_at == 1e6
    overdue.ended(second, "queue")
    assert found(overdue, 1e6 + START_SECONDS) == []
    ((one, problem),) = overdue.find(1e6 + START_SECONDS + 1, START_SECONDS)
    assert one is first
    assert "not started for 1801 s, though later ones were" in problem
    overdue.ended(first, "queue")
    assert found(overdue, 1e7) == []


def test_where_a_pool_is_stalled_less_time_is_left_to_start(overdue: OverdueAttempts) -> None:
    first, second = (hand_over(overdue, place) for place in (1, 2))
    start(overdue, second, 5.0)
    assert found(overdue, 10.0, 30.0, 1) == []
    assert found(overdue, 41.0, 30.0, 0) == []
    assert found(overdue, 41.0, 30.0, 1) == [first.token]


def test_no_more_start_early_than_stalled_pools_hold(overdue: OverdueAttempts) -> None:
    waiting = [hand_over(overdue, place) for place in range(6)]
    start(overdue, waiting.pop(), 5.0)

    def lost(now: float, stalled: int) -> list[str]:
        tokens = found(overdue, now, 30.0, stalled)
        for one in [one for one in waiting if one.token in tokens]:
            overdue.ended(one, "queue")
        return tokens

    assert lost(10.0, 2) == []
    assert lost(41.0, 2) == ["t0", "t1"]  # the longest waiting
    assert lost(50.0, 2) == []  # the pool still holds them
    assert lost(55.0, 3) == ["t2"]  # another pool stalls
    assert lost(60.0, 1) == []  # the first is gone, and the order of the second is t2
    assert lost(65.0, 2) == ["t3"]
    assert lost(10.0 + START_SECONDS + 1, 2)[0] == "t4"


def test_each_benchmark_has_its_own_time_to_run(overdue: OverdueAttempts) -> None:
    for place, benchmark in enumerate("bab", 1):
        start(overdue, hand_over(overdue, place, benchmark), float(place))
    assert found(overdue, 402.0) == []
    assert found(overdue, 402.5) == ["t2"]
    assert sorted(found(overdue, 1302.0)) == ["t1", "t2"]


def test_a_look_ends_at_the_first_that_is_not_overdue(overdue: OverdueAttempts) -> None:
    class Counted(InFlightAttempt):
        """An attempt that counts how often it was looked at."""

        looks = 0

        def overdue(self, *given: float) -> str | None:
            Counted.looks += 1
            return super().overdue(*given)

    for place in range(1000):
        one = Counted(f"t{place}", attempt().pending, 1, place)
        overdue.handed_over(one, "queue")
        if place < 500:
            start(overdue, one, float(place))
    assert overdue.find(400.0, START_SECONDS) == []
    assert Counted.looks == 1
