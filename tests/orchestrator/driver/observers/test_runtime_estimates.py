"""How long instances take, learned from those that ended."""

from __future__ import annotations

import msgspec.structs

from db.states import AttemptState, InstanceState
from orchestrator.driver.observers.runtime_estimates import ENOUGH, RuntimeEstimates
from orchestrator.protocol.report import AttemptReport
from tests.orchestrator.driver.fakes import attempt, failed, succeeded

DONE = InstanceState.DONE


def test_the_longest_so_far_and_a_margin_is_expected() -> None:
    estimates = RuntimeEstimates({"a": 60.0, "b": None}, {"b": 100.0})
    assert estimates.expected_seconds("a") == 60.0
    assert estimates.expected_seconds("b") == 100.0 * 1.1
    for seconds in (10.0, 20.0, 5.0):
        estimates.attempt_ended(attempt(), succeeded(seconds), DONE)
    assert estimates.expected_seconds("a") == 20.0 * 1.1


def test_failures_teach_no_runtime() -> None:
    estimates = RuntimeEstimates({"a": 60.0})
    estimates.attempt_ended(attempt(), failed(), InstanceState.PLANNED)
    assert estimates.expected_seconds("a") == 60.0


def test_a_straggler_among_many_does_not_count() -> None:
    estimates = RuntimeEstimates({"a": 60.0}, {"a": 5000.0})
    estimates.attempt_ended(attempt(), succeeded(6000.0), DONE)
    for k in range(ENOUGH - 1):
        assert estimates.expected_seconds("a") == 6000.0 * 1.1
        estimates.attempt_ended(attempt(), succeeded(10.0 + k % 2), DONE)
    assert estimates.expected_seconds("a") == 6000.0 * 1.1  # one of twenty is no straggler yet
    estimates.attempt_ended(attempt(), succeeded(10.0), DONE)
    assert estimates.expected_seconds("a") == 11.0 * 1.1


def test_the_longest_that_the_end_of_a_block_cut_off_counts_until_the_next_success() -> None:
    def cut(seconds: float) -> AttemptReport:
        report = msgspec.structs.replace(succeeded(seconds), state=AttemptState.CANCELLED, result=None)
        return msgspec.structs.replace(report, failure_category="neutral", failure_reason="walltime")

    estimates = RuntimeEstimates({"a": 60.0, "b": None})
    for seconds in (600.0, 120.0):
        estimates.attempt_ended(attempt(), cut(seconds), InstanceState.PLANNED)
        estimates.attempt_ended(attempt(benchmark="b"), cut(seconds), InstanceState.PLANNED)
    assert estimates.expected_seconds("a") == 600.0 * 1.1
    assert estimates.expected_seconds("b") is None  # which would else be known to be short
    estimates.attempt_ended(attempt(), succeeded(50.0), DONE)
    assert estimates.expected_seconds("a") == 50.0 * 1.1
