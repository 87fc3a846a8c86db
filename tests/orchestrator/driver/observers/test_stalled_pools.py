"""Worker pools that hold orders and start none are found; those that are slow are not."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, cast

from db.events import EventKind
from db.states import AttemptState, InstanceState
from orchestrator.driver.lane import AllPools
from orchestrator.driver.observers.stalled_pools import StalledPoolDetector
from orchestrator.driver.queue.in_flight import START_SECONDS, InFlightAttempt
from orchestrator.engines.base import Engine
from orchestrator.errors import EngineError
from orchestrator.protocol.report import AttemptReport
from tests.orchestrator.driver.fakes import ManualClock, RecordedEvents, attempt, succeeded

PATIENCE = 100.0


def detector_of(
    timeout: float, clock: Any = None, journals_read_at: Any = None, events: Any = None
) -> StalledPoolDetector:
    return StalledPoolDetector(timeout, clock, journals_read_at, events)


def find(
    detector: StalledPoolDetector,
    orders: dict[str, int],
    now: float,
    read: float | None = None,
) -> dict[str, str]:
    """Look, with the journals read just now if no other time is given."""
    return detector.find_stalled(orders, now, now if read is None else read)


def start(detector: StalledPoolDetector, pool: str, node: str | None = None) -> InFlightAttempt:
    """Return an attempt that runs on a pool."""
    report = AttemptReport(token="t", state=AttemptState.RUNNING, at_us=1, pool=pool, node=node)
    running = attempt(started_at=1.0, pool=pool)
    detector.attempt_started(running, report)
    return running


def end(detector: StalledPoolDetector, running: InFlightAttempt) -> None:
    detector.attempt_ended(running, succeeded(), InstanceState.DONE)


def run(detector: StalledPoolDetector, pool: str, node: str | None = None) -> None:
    """Let an attempt run on a pool and end."""
    end(detector, start(detector, pool, node))


def test_a_pool_that_starts_none_of_its_orders_is_found_and_told() -> None:
    detector = detector_of(PATIENCE)
    run(detector, "a", "n01")
    run(detector, "b", "n02")
    assert find(detector, {"a": 2, "b": 1}, 0) == {}
    assert find(detector, {"a": 2, "b": 1}, PATIENCE) == {}
    run(detector, "b", "n02")
    found = find(detector, {"a": 2, "b": 1}, PATIENCE + 10)
    assert list(found) == ["a"]
    assert "of node n01 started none of its 2 orders for 110 s" in found["a"]


def test_it_is_found_as_long_as_it_stands_and_told_once() -> None:
    detector = detector_of(PATIENCE)
    run(detector, "a")
    found = [find(detector, {"a": 1}, now) for now in (0, 101, 106, 111)]
    assert [list(one) for one in found] == [[], ["a"], ["a"], ["a"]]
    assert [bool(one.get("a")) for one in found] == [False, True, False, False]
    running = start(detector, "a")
    assert find(detector, {"a": 1}, 116) == {}
    end(detector, running)
    assert find(detector, {"a": 1}, 200) == {}
    assert find(detector, {"a": 1}, 220)["a"]


def test_pools_without_orders_wait_as_long_as_they_like() -> None:
    detector = detector_of(PATIENCE)
    run(detector, "a")
    assert find(detector, {"a": 0}, 0) == {}
    assert find(detector, {"a": 0}, 1e6) == {}
    assert find(detector, {"a": 1}, 1e6 + 50) == {}


def test_what_runs_on_a_pool_is_let_finish() -> None:
    detector = detector_of(PATIENCE)
    running = start(detector, "a")
    assert find(detector, {"a": 2}, 0) == {}
    assert find(detector, {"a": 2}, 1e6) == {}
    end(detector, running)
    assert find(detector, {"a": 1}, 1e6 + 50) == {}
    assert list(find(detector, {"a": 1}, 1e6 + 101)) == ["a"]


def test_the_first_start_of_a_pool_may_take_long() -> None:
    detector = detector_of(PATIENCE)
    assert find(detector, {"a": 2}, 0) == {}
    assert find(detector, {"a": 2}, START_SECONDS) == {}
    assert list(find(detector, {"a": 2}, START_SECONDS + 10)) == ["a"]


def test_no_pool_is_blamed_for_what_was_not_read_yet() -> None:
    detector = detector_of(PATIENCE)
    run(detector, "a")
    assert find(detector, {"a": 1}, 0, 0) == {}
    assert find(detector, {"a": 1}, 500, 0) == {}
    assert find(detector, {"a": 1}, 600, PATIENCE) == {}
    assert list(find(detector, {"a": 1}, 700, PATIENCE + 1)) == ["a"]


class Pools:
    """What an engine knows of its pools, and which it was asked to give up."""

    def __init__(self) -> None:
        self.asked = 0
        self.given_up: list[list[str]] = []
        self.orders = {"a": 2}

    def queued_by_pool(self) -> dict[str, int]:
        self.asked += 1
        return self.orders

    def replace_pools(self, stalled: Mapping[str, str]) -> Collection[str]:
        self.given_up.append(list(stalled))
        return self.given_up[-1]


class BrokenPools(Pools):
    """Pools of an engine that cannot replace one."""

    def replace_pools(self, stalled: Mapping[str, str]) -> Collection[str]:
        raise EngineError("the pool hangs")


def test_an_engine_is_asked_every_few_seconds_and_told_each_time() -> None:
    clock, events = ManualClock(0.0), RecordedEvents()
    asked: list[float] = []

    def journals_read_at() -> float:
        asked.append(clock.at)
        return clock.at

    detector = detector_of(7.0, clock, journals_read_at, events)
    run(detector, "a", "n01")
    engine: Any = Pools()
    for tenth in range(201):
        clock.at = tenth / 10
        detector.tick(engine)
    assert len(asked) == 5
    assert engine.asked == 5
    assert engine.given_up == [[], [], ["a"], ["a"], ["a"]]
    assert (detector.start_seconds, detector.held) == (7.0, 2)  # others take what it holds
    words = "worker pool of node n01 started none of its 2 orders for 10 s, as happens after a worker process"
    assert events.found == [(EventKind.POOL_REPLACED, "a", f"{words} was killed; it gets no more")]


def test_no_pool_of_an_engine_that_failed_is_recorded_as_replaced() -> None:
    clock, events = ManualClock(0.0), RecordedEvents()
    detector = detector_of(7.0, clock, clock.seconds, events)
    working, broken = Pools(), BrokenPools()
    broken.orders = {"b": 1}
    for pool in "ab":
        run(detector, pool)
    for clock.at in (0.0, 10.0):
        pools = AllPools(cast("list[Engine]", [broken, working]))
        detector.tick(pools)
    assert [str(error) for _, error in pools.failed] == ["the pool hangs"]
    assert [pool for _, pool, _ in events.found] == ["a"]


def test_no_order_of_a_pool_that_starts_its_first_is_hurried_while_another_is_stalled() -> None:
    clock = ManualClock(0.0)
    detector = detector_of(7.0, clock, clock.seconds, RecordedEvents())
    run(detector, "a")
    engine: Any = Pools()
    engine.orders = {"a": 2, "b": 1}
    for clock.at in (0.0, 10.0):
        detector.tick(engine)
    assert engine.given_up[-1] == ["a"]
    assert detector.start_seconds == START_SECONDS
    run(detector, "b")
    clock.at = 15.0
    detector.tick(engine)
    assert engine.given_up[-1] == ["a"]
    assert detector.start_seconds == 7.0


def test_words_of_the_driver_alone_start_nothing() -> None:
    detector = detector_of(PATIENCE)
    run(detector, "a")
    assert find(detector, {"a": 1}, 0) == {}
    lost = AttemptReport(token="t", state=AttemptState.LOST, at_us=1)
    detector.attempt_started(attempt(), lost)
    assert list(find(detector, {"a": 1}, 101)) == ["a"]
