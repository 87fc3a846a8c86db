"""The longest of many runs, predicted from a sample of them by extreme-value statistics.

Peaks over threshold: the excesses of a sample over a high threshold follow a generalized Pareto distribution,
whatever the distribution of the sample (J. Pickands, Annals of Statistics 3 (1975) 119-131; S. Coles, An
Introduction to Statistical Modeling of Extreme Values, 2001, chapter 4). The prediction integrates over the
uncertainty of its parameters, so that its interval holds the maximum that a new system will show.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Column = NDArray[np.float64]

METHOD = "peaks over threshold, generalized Pareto distribution"
CONFIDENCE = 0.90
LEAST_UNITS = 100
"""Fewer independent values leave a tail of too few."""
MOST_EXTRAPOLATION = 100
"""The system may have this many times as many units as the sample at the most."""
WIDEST = 10.0
"""Upper ÷ lower end of an interval above which it is no answer."""
_TAIL_SHARE = 0.1
_LEAST_TAIL = 20
_DRAWS = 2000
_SEED = 2017
_SHAPES = np.linspace(-1.0, 0.8, 73)  # below -1 the likelihood has no maximum
_SCALES = np.exp(np.linspace(np.log(0.25), np.log(4.0), 64))  # × mean excess


class TooFewError(ValueError):
    """The sample cannot carry a prediction; the message says why, and `units` how many values would."""

    def __init__(self, reason: str, units: int) -> None:
        super().__init__(reason)
        self.units = units


@dataclass(frozen=True, slots=True)
class Maximum:
    """The predicted longest of many values.

    Parameters
    ----------
    value, low, high
        Median of the prediction, and the ends of its interval of `CONFIDENCE`.
    tail
        Number of values above the threshold.
    shape
        Posterior mean of the shape of the tail: negative for a bounded one, 0 for an exponential one.
    draws
        Draws of the maximum.
    """

    value: float
    low: float
    high: float
    tail: int
    shape: float
    draws: Column


def predict_maximum(units: Column, number: float, factor: Column | None = None) -> Maximum:
    """Return the predicted longest of `number` values that are like those of a sample.

    The prior of the shape is flat up to 0 and falls from there as the penalty of S. G. Coles and M. J. Dixon,
    Extremes 2 (1999) 5-23; that of the scale is flat in its logarithm, and that of the share above the
    threshold is Jeffreys's.

    Parameters
    ----------
    units
        Independent values, such as the longest run of each node.
    factor
        Draws of a factor of the maximum, for what is known beside the sample.

    Raises
    ------
    TooFewError
        If the sample cannot carry it.
    """
    size = units.size
    if size < LEAST_UNITS:
        raise TooFewError(f"a tail needs {LEAST_UNITS} independent values, and there are {size}", LEAST_UNITS)
    if number > MOST_EXTRAPOLATION * size:
        needed = int(np.ceil(number / MOST_EXTRAPOLATION))
        raise TooFewError(
            f"the system has {number / size:,.0f} times as many as were measured, and a tail carries "
            f"{MOST_EXTRAPOLATION} times at the most",
            needed,
        )
    random = np.random.default_rng(_SEED)
    drawn, tail, shape = _draws(np.sort(units), number, random)
    if factor is not None:
        drawn = drawn * random.choice(factor, drawn.size)
    low, value, high = np.quantile(drawn, [(1 - CONFIDENCE) / 2, 0.5, (1 + CONFIDENCE) / 2]).tolist()
    if high > WIDEST * low:
        needed = int(np.ceil(size * (np.log(high / low) / np.log(WIDEST)) ** 2))
        raise TooFewError(f"the interval would reach from {low:.4g} to {high:.4g}", needed)
    return Maximum(value, low, high, tail, shape, drawn)


def _draws(ordered: Column, number: float, random: np.random.Generator) -> tuple[Column, int, float]:
    """Return draws of the maximum, the number of excesses, and the mean shape."""
    size = ordered.size
    tail = max(_LEAST_TAIL, round(_TAIL_SHARE * size))
    threshold = ordered[size - tail - 1]
    excess = ordered[size - tail :] - threshold
    mean = float(excess.mean())
    if not mean > 0:  # all longest values are equal
        return np.full(_DRAWS, threshold), tail, 0.0
    scales = mean * _SCALES
    posterior = np.exp(_log_posterior(excess, scales))
    cumulative = np.cumsum(posterior)
    cell = np.searchsorted(cumulative, random.random(_DRAWS) * cumulative[-1])
    shape, scale = _SHAPES[cell // scales.size], scales[cell % scales.size]
    above = random.beta(tail + 0.5, size - tail + 0.5, _DRAWS)
    # The maximum of n values exceeds x with probability 1 − (1 − above·S(x))ⁿ, S being the tail's survival.
    survival = np.minimum(-np.expm1(np.log(random.random(_DRAWS)) / number) / above, 1.0)
    bent = np.where(np.abs(shape) < 1e-9, 1e-9, shape)
    drawn: Column = threshold + scale * np.expm1(-bent * np.log(survival)) / bent
    return drawn, tail, float(shape.mean())


def _log_posterior(excess: Column, scales: Column) -> Column:
    """Return the logarithm of the posterior of each shape and scale, less its largest value."""
    bent = np.abs(_SHAPES) > 1e-9
    shape = np.where(bent, _SHAPES, 1.0)[:, None]
    inner = 1 + (shape / scales)[:, :, None] * excess
    possible = inner.min(axis=2) > 0
    logs = np.log(np.where(possible[:, :, None], inner, 1.0)).sum(axis=2)
    likelihood = -excess.size * np.log(scales) - np.where(
        bent[:, None], (1 + 1 / shape) * logs, excess.sum() / scales
    )
    prior = np.where(_SHAPES > 0, 1 - 1 / (1 - np.maximum(_SHAPES, 0)), 0.0)
    found: Column = np.where(possible | ~bent[:, None], likelihood + prior[:, None], -np.inf).ravel()
    found -= found.max()
    return found
