"""How long a campaign still runs, from the times of its instances so far. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from orchestrator.wording import few
from sites.quantities import shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_HALVINGS = 60
_NAMED = 3
_SHORTEST_SECONDS = 1e-6


@dataclass(frozen=True, slots=True)
class Work:
    """Instances of a benchmark that have not ended.

    Parameters
    ----------
    lane, stage
        Benchmarks of one stage share its slots side by side; stages of one lane run one after another, in
        the order in which they are given, and lanes side by side.
    slots
        How many of its instances run at once.
    waiting
        Instances that do not run yet, and will.
    ages
        Seconds since the start of each instance that runs.
    mean_seconds, longest_seconds
        Of the instances that ended; before the first, of what the campaign file expects, or None.
    expected
        Whether these times are expected, and not measured.
    """

    benchmark: str
    lane: str
    stage: str
    slots: int
    waiting: int
    ages: Sequence[float]
    mean_seconds: float | None
    longest_seconds: float | None
    expected: bool = False


@dataclass(frozen=True, slots=True)
class TimeLeft:
    """When the last instance will end.

    Parameters
    ----------
    seconds
        From now; 0 where what runs already takes longer than any before, None without any duration.
    unmeasured
        Benchmarks that are left out, because no instance of them is accepted and the campaign file expects no
        duration; with one, `seconds` is a lower bound.
    expected
        Benchmarks that are taken to run as long as the campaign file expects; no instance is accepted yet.
    """

    seconds: float | None
    unmeasured: tuple[str, ...] = ()
    expected: tuple[str, ...] = ()

    def __str__(self) -> str:
        lacks = f"no duration of {few(self.unmeasured, _NAMED)} is known yet"
        if self.seconds is None:
            return f"time left unknown: {lacks}"
        if not self.seconds:
            return "later than estimated"
        left = shown(self.seconds)
        by = f", by expected_runtime of {few(self.expected, _NAMED)}" if self.expected else ""
        return f"at least {left} left{by}: {lacks}" if self.unmeasured else f"about {left} left{by}"


def time_left(works: Iterable[Work]) -> TimeLeft:
    """Return how long a campaign still runs.

    Waiting instances start at the pace of the mean; those that run last are given the longest time so far,
    the ages of running ones included. So once nothing waits, the time left never grows unless an instance
    fails and is planned again, or all that run took longer than any before.
    """
    left = [one for one in works if one.waiting or one.ages]
    unmeasured = tuple(one.benchmark for one in left if one.mean_seconds is None)
    known = [one for one in left if one.mean_seconds is not None]
    if not known:
        return TimeLeft(None if left else 0.0, unmeasured)
    expected = tuple(one.benchmark for one in known if one.expected)
    lanes: dict[str, dict[str, list[Work]]] = {}
    for one in known:
        lanes.setdefault(one.lane, {}).setdefault(one.stage, []).append(one)
    seconds = max(sum(map(_stage_seconds, one.values())) for one in lanes.values())
    return TimeLeft(seconds, unmeasured, expected)


def _stage_seconds(works: Sequence[Work]) -> float:
    """Return the seconds until the last instance of benchmarks that share their slots ends."""
    import numpy as np

    due = [max(_mean(one) - age, 0.0) for one in works for age in one.ages]
    most = len(due) + sum(one.waiting for one in works)
    slots = max(len(due), min(most, max(one.slots for one in works)), 1)
    free = np.zeros(slots)
    free[: len(due)] = due
    ends = []
    for one in works:
        known = max(one.longest_seconds or 0.0, _mean(one))
        longest = max([known, *one.ages])
        # One that runs longer than any before may end at any moment: it says nothing of when.
        ends += [longest - age if age < known else 0.0 for age in one.ages]
        if one.waiting:
            ends.append(_last_start(free, one.waiting, _mean(one)) + longest)
    return max(ends)


def _mean(work: Work) -> float:
    return max(work.mean_seconds or 0.0, _SHORTEST_SECONDS)


def _last_start(free: NDArray[np.float64], waiting: int, seconds: float) -> float:
    """Return when the last of some instances starts, and add to each slot what it runs of them.

    Parameters
    ----------
    free
        When each slot is free, in seconds from now.
    waiting, seconds
        How many instances there are, and how long each runs.
    """
    low, high = float(free.min()), float(free.max()) + seconds * waiting / len(free)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if _starts(free, middle, seconds).sum() >= waiting else (middle, high)
    free += _starts(free, high, seconds) * seconds
    return high


def _starts(free: NDArray[np.float64], until: float, seconds: float) -> NDArray[np.float64]:
    """Return how many instances each slot starts until a time, that time included."""
    import numpy as np

    found: NDArray[np.float64] = np.maximum(np.floor((until - free) / seconds) + 1, 0)
    return found
