"""How many instances ran together, and whether anything ran beside them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from db.evidence.clocks import Bounds, Clocks, Place, Spans
from orchestrator.analysis.base.overlap import MICROSECONDS, guaranteed_overlap, overlapping, peak_overlap
from orchestrator.analysis.verdict.gathering import Gathered, together
from orchestrator.rulebooks.accepted_facts import GuaranteedOverlap
from orchestrator.rulebooks.measurements import SUSTAINED_SHARE


def lasting_us(starts: Sequence[int], stops: Sequence[int]) -> int:
    """Return for how long instances must overlap to count, in microseconds."""
    # An interval of no length overlaps none.
    lengths = (stop - start for start, stop in zip(starts, stops, strict=True) if stop > start)
    return int(SUSTAINED_SHARE * min(lengths, default=0))


def beside_others(gathered: Sequence[Gathered], others: Sequence[Gathered] = ()) -> list[int]:
    """Return, for each benchmark, how many instances were timed while another one ran, for certain.

    Parameters
    ----------
    others
        Benchmarks that are not asked about, and may have run beside them.
    """
    ran = [_ran(one) for one in (*gathered, *others)]
    begun = sorted(start for one in ran for start in one.starts)
    ended = sorted(stop for one in ran for stop in one.stops)
    counts = []
    for one, own in zip(gathered, ran, strict=False):
        timed = _shortened(one.timed, one.clocks)
        beside = zip(overlapping(*timed, begun, ended), overlapping(*timed, *own), strict=True)
        counts.append(sum(of_all > of_own for of_all, of_own in beside))
    return counts


def _ran(one: Gathered) -> Spans:
    """Return sorted starts and stops of everything that a benchmark ran."""
    runs, others = (_shortened(intervals, one.clocks) for intervals in (one.accepted.runs, one.ended_runs))
    return Spans(sorted([*runs.starts, *others.starts]), sorted([*runs.stops, *others.stops]))


def _shortened(intervals: Mapping[Place, Spans], known: Clocks) -> Spans:
    """Return starts and stops by the driver's clock, shortened by what its nodes' clocks leave open."""
    certain: list[tuple[int, int]] = []
    for place, times in intervals.items():
        bounds = known.of(place)
        if known.nodes and None in (bounds.low_us, bounds.high_us):
            continue  # nothing is certain of what this clock timed
        low, high = bounds.low_us or 0, bounds.high_us or 0
        shorter = ((start - low, stop - high) for start, stop in zip(*times, strict=True))
        certain += [span for span in shorter if span[1] > span[0]]
    return Spans([start for start, _ in certain], [stop for _, stop in certain])


def most_on_a_node(runs: Mapping[Place, Spans]) -> int:
    """Return the most runs that one node's clock measured at one moment."""
    return max((peak_overlap(*times) for times in runs.values()), default=0)


def makespan_seconds(runs: Mapping[Place, Spans], tried_us: int | None) -> float | None:
    """Return last stop − first start, in seconds; None where no run was measured.

    Parameters
    ----------
    runs
        Of accepted attempts.
    tried_us
        When the first attempt that does not count began its run, or ended without; None where all count. The
        time is from that moment, if it came first: a campaign whose first attempts fail is not faster.
    """
    starts, stops = together(runs)
    if not starts:
        return None
    first = min(starts) if tried_us is None else min(min(starts), tried_us)
    return (max(stops) - first) / MICROSECONDS


def guaranteed(
    intervals: Mapping[Place, Spans], known: Clocks, sustained: int, lasting: int
) -> GuaranteedOverlap | None:
    """Return the overlap that the bounds of the clocks guarantee; None where one clock timed everything."""
    timed = {place: times for place, times in intervals.items() if times.starts}
    if not known.nodes or not timed:
        return None
    # Attempts of one session end before the next session begins, whose driver may have another clock.
    overlap = max(
        guaranteed_overlap(
            (
                (known.of(place).low_us, known.of(place).high_us, *times)
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
