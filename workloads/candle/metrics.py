"""Quality scores, in double precision and in blocks of rows, so that large matrices cost no copies."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_ROWS_AT_ONCE = 64
_Doubles = NDArray[np.float64]


def _blocks(*matrices: NDArray[Any]) -> Iterator[tuple[_Doubles, ...]]:
    for row in range(0, len(matrices[0]), _ROWS_AT_ONCE):
        yield tuple(matrix[row : row + _ROWS_AT_ONCE].astype(np.float64) for matrix in matrices)


def pearson_correlation(truth: NDArray[Any], prediction: NDArray[Any]) -> float:
    """Return the one correlation over all elements of two matrices of the same shape.

    NaN where either has a single value only, or holds NaN.
    """
    mean_truth, mean_prediction = (float(matrix.mean(dtype=np.float64)) for matrix in (truth, prediction))
    products = np.zeros(3)
    for t, p in _blocks(truth, prediction):
        t -= mean_truth
        p -= mean_prediction
        products += ((t * p).sum(), (t * t).sum(), (p * p).sum())
    covariance, variance_truth, variance_prediction = products.tolist()
    scale = math.sqrt(variance_truth) * math.sqrt(variance_prediction)
    return covariance / scale if scale else math.nan


def mean_squared_error(truth: NDArray[Any], prediction: NDArray[Any]) -> float:
    """Return the mean over all elements of the squared difference."""
    return sum(float(((t - p) ** 2).sum()) for t, p in _blocks(truth, prediction)) / truth.size


def r2(truth: NDArray[Any], prediction: NDArray[Any]) -> float:
    """Return the coefficient of determination, averaged over columns with equal weight.

    A column with a single true value counts 1 if it is predicted exactly and 0 otherwise.
    """
    mean = truth.mean(axis=0, dtype=np.float64)
    residual, total = np.zeros_like(mean), np.zeros_like(mean)
    for t, p in _blocks(truth, prediction):
        residual += ((t - p) ** 2).sum(axis=0)
        total += ((t - mean) ** 2).sum(axis=0)
    flat = total == 0
    scores = np.where(flat, residual == 0, 1 - residual / np.where(flat, 1, total))
    return float(scores.mean())


def f1_scores(truth: NDArray[np.int64], prediction: NDArray[np.int64]) -> tuple[float, float]:
    """Return macro and micro F1 of single-label classes.

    Macro is the unweighted mean over the classes present in truth or prediction, 0 for a class
    without a hit; micro equals the share of correct rows.
    """
    scores = []
    for label in np.union1d(truth, prediction):
        hits = np.sum((truth == label) & (prediction == label))
        scores.append(2 * hits / (np.sum(truth == label) + np.sum(prediction == label)))
    return float(np.mean(scores)), float(np.mean(truth == prediction))


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean of values ≥ 0; 0 if one of them is 0."""
    if min(values) == 0:
        return 0.0
    return math.exp(sum(math.log(value) for value in values) / len(values))
