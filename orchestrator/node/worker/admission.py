"""Decide whether a worker starts an attempt."""

from __future__ import annotations

from collections.abc import Iterable

from orchestrator.protocol.order import AttemptOrder
from orchestrator.protocol.time_budget import is_whole, seconds_left
from orchestrator.rundir.signal_files import (
    EXCLUDED,
    WITHDRAWN,
    cancel_reason,
    excluded_of,
    stop_requested,
)


def reject_reason(
    order: AttemptOrder,
    window: tuple[float, float] | None,
    now: float,
    *,
    first: bool = False,
    nodes: Iterable[str] = (),
) -> tuple[str, str] | None:
    """Return reason and message if an attempt must not start, else None.

    Parameters
    ----------
    order
        The attempt.
    window, now
        Start and end of its block, or None if the block has no end, and the time; seconds since the epoch.
    first
        Whether it is the first of its worker. Then it starts in a whole block: no other would give it more
        time.
    """
    if stop_requested(order):
        return "not started", "the campaign was stopping"
    if (reason := cancel_reason(order)) is not None:
        who = "the driver gave it up" if reason == WITHDRAWN else "a user cancelled it"
        return reason, f"{who} before it started"
    if found := excluded_of(order, nodes):
        named = f"node {found[0]} is" if len(found) == 1 else f"nodes {', '.join(found)} are"
        return EXCLUDED, f"not started: {named} on the campaign's exclude list"
    needed = order.expected_seconds
    if window is None or not needed or (first and is_whole(window)):
        return None
    left = seconds_left(window, now, order.grace_seconds)
    if left >= needed:
        return None
    return "walltime", f"not started: it needs {needed:.0f} s, {max(left, 0):.0f} s of its block are left"
