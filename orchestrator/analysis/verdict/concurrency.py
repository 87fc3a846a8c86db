"""How many instances ran together, and whether anything ran beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from db.evidence.clocks import Bounds, Clocks
from orchestrator.analysis.base.overlap import MICROSECONDS, guaranteed_overlap, overlapping, peak_overlap
from orchestrator.analysis.verdict.gathering import Gathered, together
from orchestrator.rulebooks.accepted_facts import GuaranteedOverlap
from orchestrator.rulebooks.measurements import SUSTAINED_SHARE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from db.evidence.accepted import Intervals


def lasting_us(starts: NDArray[np.int64], stops: NDArray[np.int64]) -> int:
    """Return for how long instances must overlap to count, in microseconds."""
    lengths = (stops - starts)[stops > starts]  # an interval of no length overlaps none
    return int(SUSTAINED_SHARE * lengths.min()) if lengths.size else 0


def beside_others(gathered: Sequence[Gathered], others: Sequence[Gathered] = ()) -> list[int]:
    """Return, for each benchmark, how many instances were timed while another one ran, for certain.

    Parameters
    ----------
    others
        Benchmarks that are not asked about, and may have run beside them.
    """
    ran = [_ran(one) for one in (*gathered, *others)]
    begun, ended = (
        np.sort(np.concatenate([np.empty(0, np.int64), *ends])) for ends in zip(*ran, strict=True)
    )
    counts = []
    for one, own in zip(gathered, ran, strict=False):
        timed = _shortened(one.timed, one.clocks)
        beside = overlapping(*timed, begun, ended) - overlapping(*timed, *own)
        counts.append(int((beside > 0).sum()))
    return counts


def _ran(one: Gathered) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return sorted starts and stops of everything that a benchmark ran."""
    parts = [_shortened(intervals, one.clocks) for intervals in (one.accepted.runs, one.ended_runs)]
    starts, stops = (np.sort(np.concatenate(ends)) for ends in zip(*parts, strict=True))
    return starts, stops


def _shortened(intervals: Intervals, known: Clocks) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return starts and stops by the driver's clock, shortened by what its nodes' clocks leave open."""
    starts, stops = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for place, times in intervals.items():
        bounds = known.of(place)
        if known.nodes and None in (bounds.low_us, bounds.high_us):
            continue  # nothing is certain of what this clock timed
        starts.append(times[:, 0] - (bounds.low_us or 0))
        stops.append(times[:, 1] - (bounds.high_us or 0))
    begun, ended = np.concatenate(starts), np.concatenate(stops)
    certain = ended > begun
    return begun[certain], ended[certain]


def most_on_a_node(runs: Intervals) -> int:
    """Return the most runs that one node's clock measured at one moment."""
    return max((peak_overlap(*times.T) for times in runs.values() if len(times)), default=0)


def makespan_seconds(runs: Intervals) -> float | None:
    """Return last stop − first start of all runs, in seconds; None where no run was measured."""
    starts, stops = together(runs)
    return float(stops.max() - starts.min()) / MICROSECONDS if starts.size else None


def guaranteed(intervals: Intervals, known: Clocks, sustained: int, lasting: int) -> GuaranteedOverlap | None:
    """Return the overlap that the bounds of the clocks guarantee; None where one clock timed everything."""
    timed = {place: times for place, times in intervals.items() if len(times)}
    if not known.nodes or not timed:
        return None
    # Attempts of one session end before the next session begins, whose driver may have another clock.
    overlap = max(
        guaranteed_overlap(
            (
                (known.of(place).low_us, known.of(place).high_us, *times.T)
                for place, times in timed.items()
                if place[0] == session and place[1] is not None
            ),
            lasting,
        )
        for session in {place[0] for place in timed}
    )
    session, node = max(timed, key=lambda place: _largest_offset_us(known.of(place)))
    bounds = known.of((session, node))
    return GuaranteedOverlap(
        overlap=min(overlap, sustained),
        node=node or "without a name",
        ahead_seconds=(_seconds(bounds.low_us), _seconds(bounds.high_us)),
    )


def _largest_offset_us(bounds: Bounds) -> float:
    """Return how far a clock may be off, in microseconds; infinity where it is unknown."""
    return math.inf if bounds.off_us is None else bounds.off_us


def _seconds(microseconds: int | None) -> float | None:
    return None if microseconds is None else microseconds / MICROSECONDS
