"""What reports of an attempt in flight tell of the clock of its node."""

from __future__ import annotations

from db.records import Pending
from orchestrator.driver.queue.in_flight import InFlightAttempt


def test_the_tightest_of_its_reports_bounds_the_clock() -> None:
    attempt = InFlightAttempt(
        "t", Pending(instance_id=0, benchmark="toy", benchmark_index=0, seed=1, attempts=0), 1
    )
    assert attempt.clock_offset_min_us is None
    attempt.bound_clock(1_000, 1_900)
    attempt.bound_clock(5_000, 5_200)  # at the start barrier
    attempt.bound_clock(9_000, 9_800)
    assert attempt.clock_offset_min_us == -200
