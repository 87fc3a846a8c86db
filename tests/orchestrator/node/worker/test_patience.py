"""A slot where attempts do not start waits before each next attempt; `Patience` is tested by a supervisor."""

from __future__ import annotations

import pytest

from orchestrator.node.worker.patience import FailedStarts
from tests.messages import report
from tests.orchestrator.driver.fakes import failed, succeeded


def test_the_pause_grows_from_the_third_failure_on_and_ends_with_a_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, slept = 0.0, list[float]()
    monkeypatch.setattr("time.monotonic", lambda: now)

    def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds
        slept[-1] += seconds

    starts = FailedStarts(sleep)
    failure = report(state="failed", failure_category="infrastructure", failure_reason="cannot start")
    for one in (*[failure] * 8, failed(), failure):
        starts.note(one)
        slept.append(0.0)
        starts.pause(lambda: False)
    assert slept == [0, 0, 2, 4, 8, 10, 10, 10, 0, 0]
    for _ in range(4):
        starts.note(failure)
    starts.pause(lambda: True)  # a campaign that stops waits for nothing
    assert slept[-1] == 0
    starts.note(succeeded())
    starts.pause(lambda: False)
    assert slept[-1] == 0
