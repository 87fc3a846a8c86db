"""Recognise synthetic tables by the seed that they were drawn with, where every mark has been removed.

The generators of this project draw what a table looks like on the whole, such as the mean of each column,
before any row. Real tables correlate with such draws by chance alone: of n columns with a standard deviation
of 1/√n.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

SEEDS = 4096
"""Seeds that are tried, from 0; a generator's default, and that of a campaign file, is 2017."""
_MOST_COLUMNS = 2000
_LEAST_COLUMNS = 100
_LEAST_CORRELATION = 0.4
_LEAST_DEVIATIONS = 8.0  # of a chance correlation: one of 10^15 seeds


def generator_seed(
    statistic: NDArray[Any], draw: Callable[[int, int], NDArray[Any]], least: float = _LEAST_CORRELATION
) -> int | None:
    """Return the seed whose draws correlate with a statistic of the columns; None where there is none.

    Parameters
    ----------
    statistic
        One number for each column.
    draw
        Returns what the generator draws with a seed for the first columns; gets seed and number of columns.
    least
        Least correlation that proves a seed; higher where the numbers depend on each other.
    """
    columns = min(len(statistic), _MOST_COLUMNS)
    least = max(least, _LEAST_DEVIATIONS / np.sqrt(max(columns, 1)))
    found = np.asarray(statistic[:columns], np.float64)
    if columns < _LEAST_COLUMNS or not found.std() > 0:
        return None
    found = (found - found.mean()) / found.std()
    for seed in range(SEEDS):
        drawn = np.asarray(draw(seed, columns), np.float64)
        if float(found @ (drawn - drawn.mean())) / (columns * drawn.std()) > least:
            return seed
    return None
