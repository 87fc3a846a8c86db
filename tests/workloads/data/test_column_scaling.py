from __future__ import annotations

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

from workloads.data.column_scaling import (
    impute_and_standardise,
    scale_to_largest_magnitude,
    scale_to_unit_range,
)

RANDOM = np.random.default_rng(5)
TRAIN, TEST = (RANDOM.normal(2, 3, (rows, 7)).astype(np.float32) for rows in (30, 10))
TRAIN[:, 3] = TEST[:, 3] = 4.0
TRAIN[:, 5] = TEST[:, 5] = 0.0


def scaled(scale):
    train, test = TRAIN.copy(), TEST.copy()
    scale(train, test)
    return np.concatenate([train, test])


def test_unit_range_is_scikit_learns_over_both_tables():
    expected = MinMaxScaler().fit_transform(np.concatenate([TRAIN, TEST]).astype(np.float64))
    np.testing.assert_allclose(scaled(scale_to_unit_range), expected, atol=1e-6)


def test_largest_magnitude_is_scikit_learns_over_both_tables():
    expected = MaxAbsScaler().fit_transform(np.concatenate([TRAIN, TEST]).astype(np.float64))
    np.testing.assert_allclose(scaled(scale_to_largest_magnitude), expected, atol=1e-6)


def test_missing_numbers_become_the_mean_before_columns_are_standardised():
    table = TRAIN.copy()
    table[[0, 4, 9], [1, 1, 6]] = np.nan
    table[:, 2] = np.nan
    kept = np.delete(table, 2, axis=1).astype(np.float64)
    expected = StandardScaler().fit_transform(SimpleImputer().fit_transform(kept))
    found = impute_and_standardise(table)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, atol=1e-5)
