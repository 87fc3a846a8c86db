"""Whether a worker starts an attempt in what is left of its block."""

from __future__ import annotations

import pytest

from orchestrator.node.admission import reject_reason
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
