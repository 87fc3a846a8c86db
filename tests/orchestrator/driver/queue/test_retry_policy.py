"""When an instance is tried again, when a campaign is hopeless, how many are handed out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from db.states import AttemptState, InstanceState
from orchestrator.driver.queue.retry_policy import (
    FailureCounts,
    SessionOutcomes,
    after_attempt,
    max_in_flight,
    should_abort,
)
from orchestrator.planning.instances.retries import Retries

failures = st.sampled_from(["benchmark", "infrastructure", "neutral", None])


@pytest.mark.parametrize(
    ("tries", "retries", "becomes"),
    [
        ((0, 0), (0, 0), "planned"),
        ((1, 0), (0, 0), "exhausted"),
        ((0, 1), (0, 0), "exhausted"),
        ((1, 0), (1, 0), "planned"),
        ((2, 0), (1, 9), "exhausted"),
        ((1, 5), (1, 5), "planned"),
        ((0, 6), (9, 5), "exhausted"),
    ],
)
def test_retries_are_used_up_one_more_than_they_are(
    tries: tuple[int, int], retries: tuple[int, int], becomes: str
) -> None:
    limits = Retries(benchmark=retries[0], infrastructure=retries[1])
    assert after_attempt(AttemptState.FAILED, FailureCounts(*tries), limits) == becomes


@given(st.integers(0, 9), st.integers(0, 9))
def test_a_success_is_a_success_whatever_went_before(benchmark: int, infrastructure: int) -> None:
    done = after_attempt(AttemptState.SUCCEEDED, FailureCounts(benchmark, infrastructure), Retries())
    assert done is InstanceState.DONE


@given(st.integers(0, 5), st.integers(0, 5), st.lists(failures, min_size=40, max_size=40))
def test_an_instance_is_tried_as_often_as_the_campaign_says(
    benchmark: int, infrastructure: int, ends: list[str | None]
) -> None:
    retries, tries = Retries(benchmark=benchmark, infrastructure=infrastructure), FailureCounts()
    for position, category in enumerate(ends):
        tries.add(category)
        own, others = ends[: position + 1].count("benchmark"), ends[: position + 1].count("infrastructure")
        becomes = after_attempt(AttemptState.FAILED, tries, retries)
        assert (becomes is InstanceState.EXHAUSTED) == (own > benchmark or others > infrastructure)
        if becomes is InstanceState.EXHAUSTED:
            break


def outcomes_of(*deaths: str | None) -> SessionOutcomes:
    outcomes = SessionOutcomes(Retries(infrastructure=100), stop_after=50)
    for instance, death in enumerate(deaths):
        state = AttemptState.LOST if death else AttemptState.SUCCEEDED
        outcomes.record_outcome(instance, state, "infrastructure" if death else None, death)
    return outcomes


def test_supervisors_that_fail_alike_from_the_start_end_a_campaign() -> None:
    text = "its supervisor died: exit code 1; it wrote: ImportError"
    assert outcomes_of(text, text).abort_reason(0, 2) is None
    assert outcomes_of(text, text, text).abort_reason(0, 2) == f"the first 3 attempts all ended so: {text}"
    assert outcomes_of(text, "another", text).abort_reason(0, 2) is None
    assert outcomes_of(None, text, text, text).abort_reason(0, 2) is None


def test_what_is_nobodys_fault_is_free() -> None:
    tries = FailureCounts()
    for category in ("neutral", None, "neutral"):
        tries.add(category)
    assert tries == FailureCounts(0, 0)


@pytest.mark.parametrize(
    ("ended", "failed", "running", "stop_after", "stops"),
    [(0, 0, 0, 1, False), (1, 1, 1, 1, True), (19, 19, 2, 20, False), (20, 20, 2, 20, True),
     (25, 25, 2, 20, True), (20, 19, 2, 20, False), (1000, 999, 2, 20, False),
     (20, 20, 14_000, 20, False), (6999, 6999, 14_000, 20, False), (7000, 7000, 14_000, 20, True)],
)  # fmt: skip
def test_a_campaign_of_failures_is_aborted(
    ended: int, failed: int, running: int, stop_after: int, stops: bool
) -> None:
    assert should_abort(ended, failed, running, stop_after) is stops


@given(st.integers(1, 100_000))
def test_the_window_keeps_slots_busy_and_stays_bounded(slots: int) -> None:
    assert slots + 2 <= max_in_flight(slots) <= max(slots + 2, 2 * slots)
    assert max_in_flight(slots + 1) > max_in_flight(slots)
    assert max_in_flight(slots, 60.0) == max_in_flight(slots)
    assert slots + min(50 * slots, 2000) <= max_in_flight(slots, 0.01) <= 51 * slots + 2


def test_what_takes_no_time_does_not_fill_the_memory() -> None:
    assert max_in_flight(2, 0.0) == 1002
    assert max_in_flight(100, 0.0) == 2100
