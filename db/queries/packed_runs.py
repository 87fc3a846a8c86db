"""Accepted runs with where and when they ran, for judging how many share a node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from db.counted import counted
from db.tables import ACCEPTED, attempts, instances

if TYPE_CHECKING:
    from db.connection.open_ledger import OpenLedger


@dataclass(frozen=True, slots=True)
class PackedRun:
    """An accepted run; times are microseconds by the clock of its node, UTC.

    Parameters
    ----------
    begin_us, end_us
        Of the run.
    timed_begin_us, timed_end_us
        Of its timed steps; those of the run where no steps are timed.
    peak_bytes
        Most memory of all its processes; None where it was not measured.
    """

    session: int
    node: str
    slot: int
    begin_us: int
    end_us: int
    timed_begin_us: int
    timed_end_us: int
    fom_seconds: float
    peak_bytes: int | None


def packed_runs(reader: OpenLedger, campaign_id: int) -> dict[str, list[PackedRun]]:
    """Return the accepted runs of each benchmark that have times and a node, in the order of their starts."""
    a, i = attempts.c, instances.c
    statement = (
        select(
            i.benchmark,
            a.session_number,
            a.node,
            a.slot_index,
            a.run_start_us,
            a.run_stop_us,
            a.timed_window_start_us,
            a.timed_window_stop_us,
            a.fom_seconds,
            a.peak_memory_bytes,
        )
        .select_from(ACCEPTED)
        .where(
            counted(campaign_id),
            a.node.is_not(None),
            a.slot_index.is_not(None),
            a.run_start_us.is_not(None),
            a.run_stop_us.is_not(None),
            a.fom_seconds > 0,
        )
        .order_by(a.run_start_us, i.instance_id)
    )
    found: dict[str, list[PackedRun]] = {}
    with reader.connection() as connection:
        for name, session, node, slot, begin, end, timed, timed_end, seconds, peak in connection.execute(
            statement
        ):
            steps = (begin, end) if timed is None or timed_end is None else (timed, timed_end)
            run = PackedRun(session, node, slot, begin, end, *steps, seconds, peak)
            found.setdefault(name, []).append(run)
    return found
