"""How a campaign that runs differs from what was expected, by its runs so far and by what still runs.

Logarithms of durations follow Student's distribution with four degrees of freedom around a centre, so that
single stragglers say little. An attempt that still runs takes longer than its age. The probability of centre
and spread is computed on a grid.
"""

from __future__ import annotations

import functools
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST = 400
"""Observations that count, taken evenly."""
_SMALLEST = 1e-12
"""Least probability of an observation, so that its logarithm exists."""
_FARTHEST = 2.0
"""Largest distance of the centre from 0: durations 7.4 times as long, or as short, as expected."""
_CENTRES, _CENTRES_OF_SPREAD = 801, 161
"""Grid points of the centre, and of the centre where the spread is unknown, too."""


class Observed(NamedTuple):
    """Logarithm of a duration by what was expected; of an attempt that still runs, of its age by that.

    Parameters
    ----------
    spread
        Of such logarithms within a campaign; 0 where it is unknown.
    """

    logarithm: float
    spread: float
    ended: bool


class Prior(NamedTuple):
    """Student's distribution of the centre before anything was observed.

    Parameters
    ----------
    spreads
        Of which the spread is one, each as probable as the others; empty where each observation has its own.
    """

    mean: float
    scale: float
    freedom: float
    spreads: tuple[float, ...] = ()


def likely(prior: Prior, observed: tuple[Observed, ...], random: Random) -> tuple[float, float]:
    """Draw centre and spread, each as probable as it makes what was observed; 0 where no spread is sought."""
    centres, spreads, weights, step = _grid(prior, observed)
    place = random.choices(range(len(weights)), weights)[0]
    return centres[place] + step * (random.random() - 0.5), spreads[place]


@functools.lru_cache(maxsize=4)
def _grid(
    prior: Prior, observed: tuple[Observed, ...]
) -> tuple[list[float], list[float], list[float], float]:
    """Return centres, spreads and weights of all points of the grid, and the step of the centres."""
    import numpy as np

    points = np.linspace(-_FARTHEST, _FARTHEST, _CENTRES_OF_SPREAD if prior.spreads else _CENTRES)
    centres = np.repeat(points, max(len(prior.spreads), 1))
    spreads = np.tile(prior.spreads or (0.0,), len(points))
    rows = observed[:: max(-(-len(observed) // _MOST), 1)]
    values, own, ended = (np.array(column) for column in zip(*rows, strict=True))
    scales = np.where(own > 0, own, spreads[:, None])
    away = (values - centres[:, None]) / scales
    logs = np.where(ended, -2.5 * np.log1p(away**2 / 4) - np.log(scales), np.log(_above(away))).sum(axis=1)
    logs -= (prior.freedom + 1) / 2 * np.log1p(((centres - prior.mean) / prior.scale) ** 2 / prior.freedom)
    weights = np.exp(logs - logs.max())
    return centres.tolist(), spreads.tolist(), weights.tolist(), float(points[1] - points[0])


def _above(value: NDArray[Any]) -> NDArray[Any]:
    """Return the probability of a larger value than some, of Student's distribution with four degrees."""
    import numpy as np

    share = value**2 / (4 + value**2)
    above: NDArray[Any] = 0.5 - 0.75 * np.sign(value) * np.sqrt(share) * (1 - share / 3)
    above[above < _SMALLEST] = _SMALLEST
    return above
