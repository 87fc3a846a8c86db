"""Intervals for the relative difference of two points that hold at every look.

`ranks` (the default of designs) assumes that a logarithm of a ratio is as likely to be some way above the
true one as below: so it is where points of a block run in random order on random nodes, and a point
multiplies the time of a run by a factor, whatever the distribution of times. Drift and slow nodes then
widen the interval, and bias nothing. Where one point alone has stragglers, the ratio of `ranks` counts some
of them: it is the median of the means of two logarithms. The spread is assumed to stay: where it grows
fivefold in a campaign, stated 95 % are 94 % (simulated).

`signs` assumes neither symmetry nor one spread: its ratio is the median of the ratios of pairs; it takes
about a quarter more pairs.

`unpaired` is for runs without blocks: all runs of both points are independent, and have one distribution up
to the factor.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from orchestrator.analysis.base.statistics import CONFIDENCE, Estimate, ratio_of_medians
from orchestrator.analysis.sequential.boundaries import Method, ranks_of
from orchestrator.analysis.sequential.intervals import Look
from orchestrator.analysis.sequential.observations import Pairing, Series, paired

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]


def compared(
    first: Series, second: Series, method: Method, pairing: Pairing = "block"
) -> tuple[Numbers, Numbers]:
    """Return the logarithms that a method compares, shape (looks,) each.

    They are the ratios, first ÷ second, of pairs, and zeros; where unpaired, the runs of both points.
    """
    if method == "unpaired":
        one, two = first.known, second.known
        n = min(one.size, two.size)
        return one[:n], two[:n]
    ratios = paired(first, second, pairing)
    return ratios, np.zeros_like(ratios)


def latest_entries(method: Method, one: Numbers, two: Numbers) -> Numbers:
    """Return the entries that the last of the compared values adds: bounds are two of all entries."""
    if method == "ranks":
        means: Numbers = (one + one[-1]) / 2
        return means
    if method == "signs":
        return one[-1:]
    return np.concatenate([one - two[-1], one[-1] - two[:-1]])


def all_entries(method: Method, one: Numbers, two: Numbers) -> Numbers:
    """Return all entries: ratios, means of two ratios (each two once), or differences of two runs."""
    if method == "ranks":
        rows, columns = _below(one.size)
        means: Numbers = (one[rows] + one[columns]) / 2
        return means
    return one if method == "signs" else np.subtract.outer(one, two).ravel()


@lru_cache(maxsize=4)  # 8 MB each at 1,000 pairs
def _below(size: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    return np.tril_indices(size)


@dataclass(frozen=True, slots=True)
class Difference:
    """Logarithm of a ratio with its interval; None where there are too few values."""

    middle: float | None
    low: float | None
    high: float | None


def difference(method: Method, one: Numbers, two: Numbers, rank: int) -> Difference:
    """Return the median of all entries, and the entries of a rank from below and from above.

    Parameters
    ----------
    rank
        As `ranks_of` has it for this look; 0 for no interval.
    """
    return bounds(all_entries(method, one, two), rank, rank)


def bounds(entries: Numbers, below: int, above: int) -> Difference:
    """Return the median of entries, and those of two ranks, from below and from above; 0 for no bound."""
    if not entries.size:
        return Difference(None, None, None)
    last = entries.size - 1
    chosen = {last // 2, (last + 1) // 2}
    chosen |= ({below - 1} if below else set()) | ({last + 1 - above} if above else set())
    known = np.partition(entries, sorted(chosen))
    middle = float(known[last // 2] + known[(last + 1) // 2]) / 2
    low = float(known[below - 1]) if below else None
    return Difference(middle, low, float(known[last + 1 - above]) if above else None)


def difference_path(
    first: Series,
    second: Series,
    at_least: int,
    at_most: int,
    *,
    error: float = 1 - CONFIDENCE,
    method: Method = "ranks",
    pairing: Pairing = "block",
) -> list[Look]:
    """Return the interval of the ratio, first ÷ second, at every look.

    With a probability of 1 − `error` or more, all intervals of the path cover the ratio.

    Parameters
    ----------
    at_least, at_most
        Pairs, or runs of each point where unpaired, at the first and at the last look.
    error
        Probability that any interval misses: of a family's error, the share of this pair.
    """
    one, two = compared(first, second, method, pairing)
    ranks = ranks_of(method, error / 2, at_least, at_most)
    found = []
    for n in range(at_least, min(one.size, at_most) + 1):
        mine = difference(method, one[:n], two[:n], int(ranks[n]))
        found.append(Look(n, ratio(mine.low), ratio(mine.high)))
    return found


def further_looks(looks: int, reach: float, room: float) -> int | None:
    """Return the further looks after which a bound, whose distance falls with √n, is nearer than a room.

    Parameters
    ----------
    reach
        Distance of the bound from the estimate now.

    Returns
    -------
    int or None
        None where the true value may be the limit, which no number of looks decides.
    """
    if room <= reach / 100:
        return None
    return max(1, math.ceil(looks * (reach / room) ** 2) - looks)


def ratio(log: float | None) -> float | None:
    """Return the ratio of a logarithm, None of None."""
    return None if log is None else float(np.exp(log))


def naive(first: Series, second: Series) -> Estimate:
    """Return the ratio of medians without blocks, nodes and earlier looks, to be shown beside.

    Its interval holds for one look at a number of independent runs that was fixed beforehand, as
    `ratio_of_medians` states; drift and slow nodes may bias it.

    Raises
    ------
    ValueError
        If a point has no run with a value.
    """
    if not first.known.size or not second.known.size:
        raise ValueError("a point has no run with a value, so no ratio")
    return ratio_of_medians(np.exp(first.known), np.exp(second.known))
