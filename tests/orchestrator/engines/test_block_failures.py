"""A block's state in words, and the pause after failed blocks."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.engines.block_failures import BlockFailures, describe_block
from orchestrator.schedulers.model import Job, JobState


@pytest.mark.parametrize(
    ("job", "words"),
    [
        (Job("1", JobState.QUEUED, "PENDING (Priority)"), "is queued: PENDING (Priority)"),
        (Job("1", JobState.HELD, "JobHeldUser"), "is held: JobHeldUser; release it with the scheduler's"),
        (Job("1", JobState.FAILED, "FAILED"), "failed: FAILED; its output is in /runs/blocks"),
        (Job("1", JobState.CANCELLED), "was cancelled from outside"),
        (Job("1", JobState.NODE_FAILURE, "NODE_FAIL"), "lost its nodes: NODE_FAIL"),
        (Job("1", JobState.TIMEOUT, "TIMEOUT"), "reached its walltime"),
    ],
)
def test_a_blocks_state_is_described(job: Job, words: str) -> None:
    assert describe_block(job, Path("/runs/blocks")).startswith(words)


def test_each_failure_doubles_the_pause_and_old_ones_are_forgiven() -> None:
    failures = BlockFailures()
    assert failures.next_request(100.0) == 100.0
    waits = []
    for k in range(4):
        failures.note(str(k), 100.0)
        waits.append(failures.next_request(100.0) - 100.0)
    assert waits == [5.0, 10.0, 20.0, 40.0]
    failures.note("3", 400.0)  # seen again, it is no later failure
    assert failures.next_request(400.0) == 140.0
    assert failures.too_many(400.0)
    assert not failures.too_many(701.0)
    assert failures.next_request(701.0) == 701.0
