"""Ends of attempts in steps of time: worked by hand."""

from __future__ import annotations

from orchestrator.analysis.slot_time.throughput import throughput
from tests.orchestrator.analysis.slot_time.test_parts import attempts
from tests.orchestrator.analysis.slot_time.test_timeline import one

S = 1_000_000


def test_ends_are_counted_in_steps_and_the_last_step_has_the_rest() -> None:
    times = attempts(
        *(one(S, S + moment * S) for moment in (3, 4, 14, 22)), one(S, 7 * S, state="failed"),
        {"at": (1, 2 * S, 0, 0, 0, 0, 0), "state": "running"},
    )  # fmt: skip
    found = throughput(times, steps=3, until_us=26 * S)
    assert found is not None
    assert (found.begin_us, found.end_us, found.step_us) == (S, 26 * S, 15 * S)
    assert found.accepted.tolist() == [4]
    found = throughput(times, steps=3, until_us=31 * S)
    assert found is not None
    assert found.accepted.tolist() == [3, 1]
    assert found.others.tolist() == [1, 0]
    assert (found.edges_us / S).tolist() == [1, 16, 31]
    assert found.per_second(found.accepted).tolist() == [0.2, 1 / 15]


def test_few_ends_have_few_steps_and_years_have_days() -> None:
    year = 365 * 86_400 * S
    found = throughput(attempts(*(one(1, 1 + year * k // 40) for k in range(1, 41))), steps=10)
    assert found is not None
    assert found.step_us == 37 * 86_400 * S
    assert len(found.accepted) == 9
    assert found.accepted.sum() == 40
    short = throughput(attempts(one(5, 6)), steps=60)
    assert short is not None
    assert short.accepted.tolist() == [1]


def test_without_an_end_there_is_none() -> None:
    assert throughput(attempts({"at": (1, 2, 0, 0, 0, 0, 0), "state": "running"}), steps=60) is None
    assert throughput(attempts(), steps=60) is None
