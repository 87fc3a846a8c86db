"""Whether a worker starts an attempt in what is left of its block."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.node.worker.admission import reject_reason
from orchestrator.rundir.layout import RunDirectory
from orchestrator.rundir.signal_files import request_cancel
from tests.messages import order


@pytest.mark.parametrize(
    ("started", "first", "starts"),
    [(100.0, False, False), (100.0, True, True), (0.0, True, False)],
    ids=["later in a block", "first in a whole block", "first in the rest of an allocation"],
)
def test_only_the_first_of_a_whole_block_starts_where_it_may_not_fit(
    started: float, first: bool, starts: bool
) -> None:
    ordered = order(expected_seconds=60.0, grace_seconds=1.0, directory="/nowhere")
    why = reject_reason(ordered, (started, 150.0), 110.0, first=first)
    assert (why is None) == starts
    if why is not None:
        assert why == ("walltime", "not started: it needs 60 s, 34 s of its block are left")


def test_one_that_a_user_cancelled_does_not_start_and_the_others_do(tmp_path: Path) -> None:
    request_cancel(RunDirectory(tmp_path), ["mine"])
    assert reject_reason(order(directory=str(tmp_path), token="other"), None, 0.0) is None
    why = reject_reason(order(directory=str(tmp_path), token="mine"), None, 0.0)
    assert why == ("cancelled by user", "a user cancelled it before it started")


def test_one_that_the_driver_gave_up_was_cancelled_by_no_user(tmp_path: Path) -> None:
    request_cancel(RunDirectory(tmp_path), ["late"], withdrawn=True)
    why = reject_reason(order(directory=str(tmp_path), token="late"), None, 0.0)
    assert why == ("withdrawn", "the driver gave it up before it started")
