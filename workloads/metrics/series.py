"""Summaries of what a run recorded, in the order in which it did."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

from workloads.metrics.figures import Figures, with_interval
from workloads.metrics.intervals import median_interval

FEWEST_FOR_P99 = 100
"""Values from which on a 99th percentile is one of them and not the highest."""


def number(value: Any) -> float:
    """Return a value that is a number. Raises `ValueError` for one that is not."""
    if math.isnan(found := float(value)):
        raise ValueError("the recorded value is not a number")
    return found


def histogram(value: Any) -> list[float]:
    """Return the counts of a histogram. Raises `ValueError` for one that cannot be."""
    counts = [float(one) for one in value]
    if not all(0 <= one < math.inf for one in counts):
        raise ValueError("the recorded counts of labels are negative or not numbers")
    return counts


def last(name: str, unit: str, values: Sequence[Any]) -> Figures:
    """Return the last value."""
    yield name, float(values[-1]), unit


def best(name: str, unit: str, values: Sequence[Any]) -> Figures:
    """Return the highest value; values that are not numbers do not count, unless all are."""
    numbers = [float(value) for value in values]
    yield name, max((one for one in numbers if not math.isnan(one)), default=math.nan), unit


def total(name: str, unit: str, values: Sequence[Any]) -> Figures:
    """Return the sum."""
    yield name, float(sum(values)), unit


def seconds(name: str, unit: str, values: Sequence[Any]) -> Figures:
    """Return the median with its interval, and the number of values."""
    yield from with_interval(name, unit, median_interval(values), len(values))


def percentiles(name: str, unit: str, values: Sequence[Any]) -> Figures:
    """Return the 50th and the 99th percentile, and the number of values.

    A percentile is the lowest value that so many percent of all values do not exceed. Of fewer than 100 the
    99th would be the highest, which says nothing of one in a hundred, so it is absent.
    """
    ordered = sorted(values)
    for percent, fewest in ((50, 1), (99, FEWEST_FOR_P99)):
        if len(ordered) >= fewest:
            yield f"{name}_p{percent}", ordered[-(-percent * len(ordered) // 100) - 1], unit
    yield f"{name}_samples", float(len(ordered)), ""


def bias(name: str, unit: str, values: Sequence[Any]) -> Figures:
    """Return how far histograms of sampled labels, added up, are from equal shares of all labels.

    It is the total variation distance. Uniform sampling of n labels of k gives, by chance,
    √((k - 1) / 2πn) on average: the mean absolute deviation of k binomial shares, by their normal limit.
    """
    counts = [sum(column) for column in itertools.zip_longest(*values, fillvalue=0.0)]
    samples, labels = sum(counts), len(counts)
    if not samples:
        return
    yield name, sum(abs(count / samples - 1 / labels) for count in counts) / 2, unit
    yield f"{name}_by_chance", math.sqrt((labels - 1) / (2 * math.pi * samples)), unit
    yield f"{name}_samples", samples, ""
