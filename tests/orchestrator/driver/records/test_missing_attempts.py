"""A lost worker's attempt is tried again when it has ended, or had the time to."""

from __future__ import annotations

import pytest

from orchestrator.driver.records.attempt_records import lost
from orchestrator.driver.records.missing_attempts import MissingAttempts
from orchestrator.simulation.virtual_clock import VirtualClock

GRACE = 30.0


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


def test_one_that_reports_its_end_is_not_declared_lost(clock: VirtualClock) -> None:
    missing = MissingAttempts(clock, GRACE)
    missing.add(lost("a", 1, "ManagerLost", "gone"))
    assert missing.given_up({"a"}) == []
    assert missing.given_up(()) == []  # its own report was applied
    clock.pass_time(100.0)
    assert missing.given_up({"a"}) == []


def test_one_whose_node_is_gone_is_declared_lost_once_and_not_before_it_could_end(
    clock: VirtualClock,
) -> None:
    missing = MissingAttempts(clock, GRACE)
    report = lost("a", 1, "ManagerLost", "gone")
    missing.add(report)
    clock.pass_time(GRACE + 10.0)
    assert missing.given_up({"a"}) == []
    clock.pass_time(6.0)
    assert missing.given_up({"a", "b"}) == [report]
    assert missing.given_up({"a", "b"}) == []
