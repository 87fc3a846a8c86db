from __future__ import annotations

import itertools

import pytest

from workloads.microbenchmarks import repetition
from workloads.microbenchmarks.repetition import rate_metrics, seconds_per_call


class Clock:
    """A clock that only calls move."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, durations: list[float]) -> None:
        self.now, self.calls, self.waits = 0.0, 0, 0
        self.durations = itertools.cycle(durations)
        monkeypatch.setattr(repetition.time, "monotonic", lambda: self.now)
        monkeypatch.setattr(repetition.time, "monotonic_ns", lambda: int(self.now * 1e9))

    def call(self) -> None:
        self.calls += 1
        self.now += next(self.durations)

    def wait(self) -> None:
        self.waits += 1


def test_calls_are_repeated_for_as_long_and_as_often_as_asked(monkeypatch):
    clock = Clock(monkeypatch, [0.5])
    found = seconds_per_call(clock.call, seconds=3, repetitions=2, warm_up=1, synchronise=clock.wait)
    assert found == pytest.approx([0.5] * 6)
    assert clock.calls == 7
    assert clock.waits == 2 * 7  # the device is idle at every reading of the clock
    assert len(seconds_per_call(clock.call, seconds=0, repetitions=4, warm_up=3)) == 4


def test_short_calls_are_timed_several_at_once(monkeypatch):
    clock = Clock(monkeypatch, [0.001])
    found = seconds_per_call(clock.call, seconds=0, repetitions=3, warm_up=2)
    assert found == pytest.approx([0.001] * 3)
    assert clock.calls == 2 + 3 * 10


def test_a_rate_has_its_median_and_its_spread():
    metrics = {one.name: one for one in rate_metrics("flop_per_second", "FLOP/s", 12.0, [1.0, 2.0, 4.0])}
    assert [metrics[name].value for name in metrics] == pytest.approx([6, 3, 12, 0.534522, 3], rel=1e-5)
    assert list(metrics) == [
        "flop_per_second", "flop_per_second_lowest", "flop_per_second_highest", "flop_per_second_spread",
        "repetitions",
    ]  # fmt: skip
    assert metrics["flop_per_second_lowest"].unit == "FLOP/s"
    assert metrics["flop_per_second_spread"].unit == ""
