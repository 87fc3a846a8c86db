"""The thread that samples: from mark to mark, never in the way of the attempt, and within its limit."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from orchestrator.node.sampling import sampler_thread
from orchestrator.node.sampling.sampler import Sampler
from orchestrator.node.sampling.sampler_thread import OVERHEAD, SamplerThread, interval
from orchestrator.protocol.sampling import Sampling
from tests.harness import wait_for

BEGUN = {"run_start": 1_000_000}
ENDED = BEGUN | {"run_stop": 3_500_000}


class Recorder:
    """A sampler that notes its calls."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def sample(self) -> None:
        self.calls.append("sample")

    def begin(self, name: str) -> None:
        self.calls.append(f"begin {name}")

    def end(self, name: str) -> None:
        self.calls.append(f"end {name}")

    def result(self, marked: dict[str, float]) -> Sampling:
        return Sampling(metrics=marked)


def thread(sampler: Any, seconds: float = 100.0) -> SamplerThread:
    made = SamplerThread(lambda: sampler, seconds, 1)
    made.start()
    return made


def test_the_first_rank_begins_the_run_and_the_last_ends_it() -> None:
    recorder = Recorder()
    made = thread(recorder)
    late = {"run_start": 1_200_000, "run_stop": 4_000_000}
    for marks in ([], [{}, {}], [BEGUN, {}], [BEGUN, {}], [ENDED, {}], [ENDED, late], [ENDED, late]):
        made.update(marks)
    assert made.finish().metrics == {"run": 3.0}
    assert recorder.calls == ["sample", "begin run", "end run"]


def test_a_window_is_an_interval_of_its_own() -> None:
    recorder = Recorder()
    made = thread(recorder)
    window = {"timed_window_start": 2_000_000, "timed_window_stop": 3_000_000}
    made.update([BEGUN])
    made.update([ENDED | window])
    assert made.finish().metrics == {"run": 2.5, "window": 1.0}
    assert recorder.calls == ["sample", "begin run", "end run", "begin window", "end window"]


def test_it_samples_until_it_is_finished() -> None:
    recorder = Recorder()
    made = thread(recorder, 0.01)
    wait_for(lambda: len(recorder.calls) > 3, "samples")
    made.finish()
    count = len(recorder.calls)
    assert set(recorder.calls[:count]) == {"sample"}
    assert not any(one.name == "sampler" for one in threading.enumerate())


def test_a_driver_that_hangs_holds_up_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampler_thread, "_ANSWER_SECONDS", 0.05)
    hangs = threading.Event()

    def never() -> Sampler:
        hangs.wait()
        raise OSError("it answered at last")

    made = SamplerThread(never, 1.0, 1)
    made.start()
    made.update([BEGUN])
    try:
        assert made.finish().absent == {"sampling": "no meter answered within 0 s"}
    finally:
        hangs.set()


def test_an_error_ends_sampling_and_not_the_attempt() -> None:
    def broken() -> Sampler:
        raise ValueError("nonsense")

    made = SamplerThread(broken, 1.0, 1)
    made.start()
    made.update([ENDED])
    assert made.finish() == Sampling(absent={"sampling": "sampling failed: ValueError: nonsense"})


def test_without_a_thread_the_attempt_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)
    made = thread(Recorder())
    made.update([ENDED])
    assert made.finish().absent == {"sampling": "sampling failed: can't start new thread"}


@pytest.mark.parametrize(
    ("cost", "attempts", "seconds"),
    [(0.0, 1, 1.0), (0.001, 1, 1.0), (0.001, 64, 64 / 3), (0.004, 4, 16 / 3), (1.0, 64, 60.0)],
)
def test_costly_samples_are_taken_less_often(cost: float, attempts: int, seconds: float) -> None:
    assert interval(1.0, cost, attempts) == pytest.approx(seconds)
    if seconds < 60:
        assert cost * attempts / interval(1.0, cost, attempts) <= OVERHEAD + 1e-12
    assert interval(90.0, cost, attempts) == 90.0


def test_time_between_samples_is_that_of_its_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    costs: list[tuple[float, float, int]] = []

    def noted(seconds: float, cost: float, attempts: int) -> float:
        costs.append((seconds, cost, attempts))
        return 0.001

    monkeypatch.setattr(sampler_thread, "interval", noted)

    class Busy(Recorder):
        def sample(self) -> None:
            until = time.thread_time() + 0.002
            while time.thread_time() < until:
                pass

    made = thread(Busy(), 0.001)
    wait_for(lambda: costs, "a sample")
    made.finish()
    assert costs[0][0] == 0.001
    assert costs[0][1] >= 0.002
    assert costs[0][2] == 1
