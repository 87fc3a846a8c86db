"""Scale the columns of tables, as scikit-learn's scalers do, in place and without a copy of the whole."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def scale_to_unit_range(*tables: NDArray[np.float32]) -> None:
    """Scale in place to [0, 1] per column over the rows of all tables; a column with one value becomes 0."""
    lowest, width = column_bounds(*tables)
    for table in tables:
        table -= lowest
        table /= width


def column_bounds(*tables: NDArray[np.float32]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return lowest value and width of each column over the rows of all tables; a width of 0 as 1."""
    lowest = np.minimum.reduce([table.min(axis=0) for table in tables])
    width = np.maximum.reduce([table.max(axis=0) for table in tables]) - lowest
    width[width == 0] = 1
    return lowest, width


def scale_to_largest_magnitude(*tables: NDArray[np.float32]) -> None:
    """Divide in place by each column's largest magnitude over the rows of all tables; zeros stay."""
    largest = np.maximum.reduce(
        [np.maximum(np.abs(table.min(axis=0)), np.abs(table.max(axis=0))) for table in tables]
    )
    largest[largest == 0] = 1
    for table in tables:
        table /= largest


def impute_and_standardise(table: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the table without columns that are all NaN, with mean 0 and standard deviation 1 per column.

    A missing number (NaN) becomes its column's mean; a column with one value becomes 0. The standard
    deviation is that of the whole population, computed in double precision.
    """
    kept = table[:, ~np.isnan(table).all(axis=0)]
    mean = np.nanmean(kept, axis=0, dtype=np.float64).astype(np.float32)
    missing = np.isnan(kept)
    kept[missing] = np.broadcast_to(mean, kept.shape)[missing]
    kept -= kept.mean(axis=0, dtype=np.float64).astype(np.float32)
    deviation = kept.std(axis=0, dtype=np.float64).astype(np.float32)
    deviation[deviation == 0] = 1
    kept /= deviation
    return kept
