"""When waiting jobs are expected to start, if all jobs last for their walltimes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator


def planned_starts(
    free: int, ends: Iterable[tuple[float, int]], jobs: Iterable[tuple[int, float]], now: float
) -> Iterator[float]:
    """Yield the starts of waiting jobs: each the earliest that delays no job before it in the queue.

    Parameters
    ----------
    free
        Nodes that are free now.
    ends
        Latest end and nodes of each running job, by their ends.
    jobs
        Nodes and walltime of each waiting job, in the order of the queue; no more nodes than there are.
    """
    times, nodes = [now], [free]  # free nodes from each time on
    for end, held in ends:
        if end > times[-1]:
            times.append(end)
            nodes.append(nodes[-1])
        nodes[-1] += held
    for needed, walltime in jobs:
        first = last = 0
        while last < len(times) and times[last] < times[first] + walltime:
            if nodes[last] < needed:
                first = last + 1
            last += 1
        start = times[first]
        end = start + walltime
        last = bisect_left(times, end)
        if last == len(times) or times[last] > end:
            times.insert(last, end)
            nodes.insert(last, nodes[last - 1])
        for index in range(first, last):
            nodes[index] -= needed
        yield start
