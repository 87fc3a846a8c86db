"""Whether a worker starts an attempt."""

from __future__ import annotations

from orchestrator.protocol.order import AttemptOrder
from orchestrator.protocol.time_budget import seconds_left
from orchestrator.rundir.stop_file import stop_requested


def reject_reason(
    order: AttemptOrder, window: tuple[float, float] | None, now: float, *, first: bool = False
) -> tuple[str, str] | None:
    """Return reason and message why an attempt must not start, or None.

    Parameters
    ----------
    window, now
        When its block began and ends, if it ends, and the time; seconds since the epoch.
    first
        Whether it would be the first of its worker: then it starts, as no other block has more time for it.
    """
    if stop_requested(order):
        return "not started", "the campaign was stopping"
    needed = order.expected_seconds
    if window is None or not needed or first:
        return None
    left = seconds_left(window, now, order.grace_seconds)
    if left >= needed:
        return None
    return "walltime", f"not started: {max(left, 0):.0f} s of its block are left, {needed:.0f} s needed"
