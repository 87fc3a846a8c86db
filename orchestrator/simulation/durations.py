"""How long attempts of a benchmark take, by runs that have ended and by attempts that still run."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from random import Random

Run = tuple[float, float]
"""Seconds until ready, and from there to the end."""
Beyond = Callable[[float, Random], float]
"""Draws a duration that is longer than some seconds."""
_ENOUGH_RUNS = 10
"""Where a duration is stated and only n runs are known, n in so many draws come from the runs."""
_TAIL_SHARE, _LEAST_TAIL = 10, 5
"""A tail is estimated from the longest of so many runs, and from so many at least."""
_SHORTEST_TAIL = 0.01
"""Least mean logarithm in Hill's estimate: equal times would give no exponent."""
_LONE_EXPONENT = 2.0
"""Exponent where a single duration is known."""


class Durations:
    """A distribution of durations.

    Attempts that still run say that a duration is longer than their age: the share of each run that has ended
    is the estimate of E. L. Kaplan and P. Meier (Journal of the American Statistical Association 53, 1958).

    Parameters
    ----------
    runs
        Runs that have ended, at least one.
    ages
        Seconds that other attempts have run so far.
    stated
        Draws runs around a duration that is expected, while few runs are known.
    beyond
        Draws what is longer than all that is known; by default by a Pareto distribution whose exponent is
        B. M. Hill's estimate (Annals of Statistics 3, 1975) from the longest durations.
    """

    def __init__(
        self,
        runs: Sequence[Run],
        ages: Sequence[float] = (),
        stated: Callable[[Random], Run] | None = None,
        beyond: Beyond | None = None,
    ) -> None:
        self._stated = stated
        self._runs = sorted(runs, key=sum)
        self._totals = [sum(one) for one in self._runs]
        self._ages = sorted(ages)
        self._beyond = beyond or self._pareto
        self._shares: list[float] = []  # running sums, where there are ages

    def draw(self, random: Random) -> Run:
        """Return a run."""
        if self._stated is not None and self._is_unknown(random):
            return self._stated(random)
        if not self._ages:
            return random.choice(self._runs)
        if not self._shares:
            self._shares = list(accumulate(self._kaplan_meier()))
        place = bisect_right(self._shares, random.random())
        if place < len(self._runs):
            return self._runs[place]
        ready, longest = self._runs[-1][0], max(self._totals[-1], self._ages[-1])
        return ready, self._beyond(longest, random) - ready

    def rest(self, age: float, random: Random) -> float:
        """Return how long an attempt of an age still takes.

        Beside k runs that took longer, it takes longer than all that is known in 1 of k + 1 cases at least.
        """
        if self._stated is not None and self._is_unknown(random):
            return self._beyond(age, random) - age
        longer = self._totals[bisect_right(self._totals, age) :]
        if random.random() * (len(longer) + 1) >= 1:
            return random.choice(longer) - age
        return self._beyond(max(age, self._totals[-1]), random) - age

    def _is_unknown(self, random: Random) -> bool:
        return len(self._runs) < _ENOUGH_RUNS and random.random() * _ENOUGH_RUNS >= len(self._runs)

    def _kaplan_meier(self) -> list[float]:
        """Return the share of each run; what they lack of 1 is longer than all."""
        shares, left = [], 1.0
        for place, total in enumerate(self._totals):
            at_risk = len(self._totals) - place + len(self._ages) - bisect_right(self._ages, total)
            shares.append(left / at_risk)
            left -= shares[-1]
        return shares

    def _pareto(self, longest: float, random: Random) -> float:
        known = self._totals if longest <= self._totals[-1] else [*self._totals, longest]
        return longest * random.paretovariate(_tail_exponent(known))


def _tail_exponent(ordered: Sequence[float]) -> float:
    if len(ordered) == 1:
        return _LONE_EXPONENT
    most = max(len(ordered) // _TAIL_SHARE, min(_LEAST_TAIL, len(ordered) - 1))
    least = ordered[-most - 1]
    mean = sum(math.log(one / least) for one in ordered[-most:]) / most if least > 0 else 1.0
    return 1 / max(mean, _SHORTEST_TAIL)
