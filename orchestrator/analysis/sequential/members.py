"""Members of a group that are certainly slower than the others, by waves in which all have a value.

In each wave a member is placed among the others. Where it is slower by exactly the asked difference, and that
is made up for, each place is as likely as any other, whatever the distribution of the values: so the errors
hold for skewed and heavy-tailed ones, and for a few waves. Assumed is that values of a wave come from one
distribution, up to the factor of each member, and that waves are independent. Factors that differ between the
others make places in their middle more likely, and errors rarer. A member whose values alone spread much
wider than those of the others breaks the assumption.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from orchestrator.analysis.sequential.boundaries import placement_ranks
from orchestrator.analysis.sequential.differences import Difference, bounds, further_looks, ratio

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Counts = NDArray[np.int64]

Standing = Literal["slow", "fine", "undecided"]
STANDINGS: tuple[Standing, ...] = ("undecided", "slow", "fine")


@dataclass(frozen=True, slots=True)
class Among:
    """Wanted decisions about the members of a family of groups.

    Parameters
    ----------
    difference
        Least difference that matters, such as 0.05: the others' values are at least 5 % above the member's.
    members
        Members of all groups, among which the errors are divided.
    false_alarms, missed
        Probability that any member that is not slower by the difference is called slow, and that any that is
        slower by it is called fine, over all members and looks.
    at_least, at_most
        Waves at the first and at the last look.
    """

    difference: float
    members: int
    false_alarms: float
    missed: float
    at_least: int
    at_most: int

    def ranks(self, sizes: tuple[int, ...], standing: Standing) -> Counts:
        """Return the ranks of the bound that makes a member slow or fine, after waves of some sizes."""
        error = self.false_alarms if standing == "slow" else self.missed
        return placement_ranks(sizes, error / max(self.members, 1), self.at_least, self.at_most)


@dataclass(frozen=True, slots=True)
class MemberDecision:
    """A member beside the others.

    Parameters
    ----------
    looks
        Waves when it was decided; while it is not, all so far.
    estimate, low, high
        Its value ÷ that of another, with its interval at that look; None where there are too few values.
    further
        Estimate of the further waves that would decide; None where it is decided or none can be stated.
    """

    standing: Standing
    looks: int
    estimate: float | None
    low: float | None
    high: float | None
    further: int | None = None


def standings(logs: Numbers, asked: Among) -> tuple[Counts, Counts]:
    """Return the number of each member's standing in `STANDINGS`, and its waves when that was found.

    Parameters
    ----------
    logs
        Logarithms of values, shape (waves, members); higher ones are faster; NaN where one has none.
    """
    logs = logs[: asked.at_most]
    present = ~np.isnan(logs)
    as_slow, as_fast = (_others(logs, present, math.log1p(asked.difference), side) for side in (1, -1))
    found, looks = np.zeros(logs.shape[1], dtype=np.int64), present.sum(axis=0)
    patterns, member = np.unique(present, axis=1, return_inverse=True)
    for number, pattern in enumerate(patterns.T):
        if not pattern.any():
            continue
        mine = np.flatnonzero(member.ravel() == number)
        sizes = tuple(present[pattern].sum(axis=1).tolist())
        slow = _below(as_slow, pattern, mine, asked.ranks(sizes, "slow"))
        decided = slow | _below(as_fast, pattern, mine, asked.ranks(sizes, "fine"))
        first = decided.argmax(axis=0)
        standing = np.where(
            slow[first, np.arange(mine.size)], STANDINGS.index("slow"), STANDINGS.index("fine")
        )
        known = decided.any(axis=0)
        found[mine] = np.where(known, standing, STANDINGS.index("undecided"))
        looks[mine] = np.where(known, first + 1, looks[mine])
    return found, looks


def _below(counts: Counts, waves: NDArray[np.bool_], members: Counts, ranks: Counts) -> NDArray[np.bool_]:
    """Return after which waves the sums of members are below the ranks, shape (waves, members)."""
    found: NDArray[np.bool_] = np.cumsum(counts[np.ix_(waves, members)], axis=0) < ranks[1:, None]
    return found


def _others(logs: Numbers, present: NDArray[np.bool_], shift: float, side: Literal[1, -1]) -> Counts:
    """Return how many others are at or below each value (side 1), or at or above it (-1), once shifted."""
    counts = np.zeros(logs.shape, dtype=np.int64)
    for wave, here in enumerate(present):
        values = side * logs[wave, here]
        counts[wave, here] = np.searchsorted(np.sort(values), values + side * shift, side="right")
    return counts - (side == 1)  # itself is below its shifted value


def decision(logs: Numbers, member: int, asked: Among, found: tuple[Counts, Counts]) -> MemberDecision:
    """Return the decision about a member, with its interval.

    Parameters
    ----------
    found
        As `standings` returns them.
    """
    standing, looks = STANDINGS[found[0][member]], int(found[1][member])
    waves = logs[: asked.at_most]
    waves = waves[~np.isnan(waves[:, member])][:looks]
    others = np.delete(waves, member, axis=1) - waves[:, [member]]
    entries = -others[~np.isnan(others)]
    sizes = tuple((~np.isnan(waves)).sum(axis=1).tolist())
    below, above = asked.ranks(sizes, "fine")[-1], asked.ranks(sizes, "slow")[-1]
    interval = bounds(entries, int(below), int(above))
    further = _further(looks, interval, asked) if standing == "undecided" else None
    return MemberDecision(
        standing, looks, ratio(interval.middle), ratio(interval.low), ratio(interval.high), further
    )


def _further(looks: int, found: Difference, asked: Among) -> int | None:
    """Return the further waves after which one bound is expected to leave the difference out."""
    if found.middle is None or found.low is None or found.high is None:
        return None
    room = found.middle + math.log1p(asked.difference)
    reach = found.middle - found.low if room > 0 else found.high - found.middle
    return further_looks(looks, reach, abs(room))
