"""Asynchronous successive halving: which trials of a rung go on to the next one, and which are pruned.

Li et al., "A System for Massively Parallel Hyperparameter Tuning", MLSys 2020: whenever a trial of a rung
ends, those among the best 1/η of the rung's results go on. Here results count in the order in which trials
entered the rung, up to the first that has not ended, whatever order they ended in. What goes on then follows
from the values alone, however fast the trials were, and whenever a driver died.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Ended = Mapping[int, float | None]
"""Values of the trials that ended a rung, lower ones are better; None: it ended without a value."""


@dataclass(frozen=True, slots=True)
class Rung:
    """A rung of a search.

    Parameters
    ----------
    entered
        Trials that train, or trained, up to it, in the order in which they came to it.
    promoted
        Those that go on, in the order in which that was known.
    pruned
        Those that certainly do not go on.
    """

    entered: tuple[int, ...]
    promoted: tuple[int, ...] = ()
    pruned: frozenset[int] = frozenset()


def halve(trials: Sequence[int], ended: Sequence[Ended], reduction: int) -> list[Rung]:
    """Return what is known of each rung.

    Parameters
    ----------
    trials
        All trials, in their registered order.
    ended
        Values of each rung. A trial with a value on the rung after was promoted, whatever is known now of
        others.
    reduction
        η: one in so many trials goes on.
    """
    found: list[Rung] = []
    entered, most = list(trials), len(trials)
    for number, values in enumerate(ended):
        if number == len(ended) - 1:
            found.append(Rung(tuple(entered)))
            break
        promoted, better = _promoted(entered, values, reduction)
        later = (trial for trial, value in ended[number + 1].items() if value is not None)
        promoted += sorted(trial for trial in later if trial not in promoted)
        pruned = frozenset(
            trial
            for trial, place in better.items()
            if trial not in promoted and (place >= most // reduction or not _known(values[trial]))
        )
        found.append(Rung(tuple(entered), tuple(promoted), pruned))
        most -= len(pruned)
        entered = promoted
    return found


def _promoted(entered: Sequence[int], values: Ended, reduction: int) -> tuple[list[int], dict[int, int]]:
    """Return the trials that go on, and of each result that counts how many are better."""
    promoted: dict[int, None] = {}
    order: list[tuple[float, int]] = []
    for place, trial in enumerate(entered):
        if trial not in values:
            break
        value = values[trial]
        mine = (value if value is not None and _known(value) else math.inf, place)
        at = bisect.bisect(order, mine)
        order.insert(at, mine)
        best = (place + 1) // reduction
        # Better ones were promoted before, or push what was promoted down.
        new = {at, best - 1} if best > place // reduction else {at}
        promoted |= {
            entered[order[one][1]]: None for one in sorted(new) if one < best and order[one][0] < math.inf
        }
    return list(promoted), {entered[at]: better for better, (_, at) in enumerate(order)}


def _known(value: float | None) -> bool:
    return value is not None and math.isfinite(value)
