"""How a campaign that runs differs from what was expected, by its runs so far and by what still runs."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST = 400
"""Observations that count, taken evenly."""
_SMALLEST = 1e-12
"""Least probability of an observation, so that its logarithm exists."""


class Observed(NamedTuple):
    """Logarithm of a duration by what was expected; of an attempt that still runs, of its age by that.

    Parameters
    ----------
    spread
        Of such logarithms within a campaign; 0 where it is a part of the candidates.
    """

    logarithm: float
    spread: float
    ended: bool


def likely(
    candidates: Sequence[tuple[float, float]], observed: Sequence[Observed], random: Random
) -> tuple[float, float]:
    """Return one of some candidates, each as probable as it makes what was observed.

    Durations follow Student's distribution with four degrees of freedom, so that single stragglers say
    little; an attempt that still runs takes longer than its age.

    Parameters
    ----------
    candidates
        Centre of the logarithms and their spread; the spread of an observation that has its own counts there.
    """
    import numpy as np

    step = -(-len(observed) // _MOST)
    rows = observed[:: max(step, 1)]
    values = np.array([one.logarithm for one in rows])
    ended = np.array([one.ended for one in rows], dtype=bool)
    own = np.array([one.spread for one in rows])
    centres, spreads = np.array(candidates).T
    scales = np.where(own > 0, own, spreads[:, None])
    away = (values - centres[:, None]) / scales
    logs = np.where(ended, _log_density(away) - np.log(scales), np.log(_above(away))).sum(axis=1)
    weights = np.exp(logs - logs.max())
    place = random.choices(range(len(candidates)), weights.tolist())[0]
    return candidates[place]


def _log_density(value: NDArray[Any]) -> NDArray[Any]:
    import numpy as np

    density: NDArray[Any] = -2.5 * np.log1p(value**2 / 4)
    return density


def _above(value: NDArray[Any]) -> NDArray[Any]:
    """Return the probability of a larger value than some, of Student's distribution with four degrees."""
    import numpy as np

    share = value**2 / (4 + value**2)
    above: NDArray[Any] = 0.5 - 0.75 * np.sign(value) * np.sqrt(share) * (1 - share / 3)
    above[above < _SMALLEST] = _SMALLEST
    return above
