"""From a campaign on a few nodes to the longest run on a whole system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from orchestrator.analysis.base.statistics import MAD_TO_SIGMA
from orchestrator.analysis.projection.extremes import (
    CONFIDENCE,
    LEAST_UNITS,
    METHOD,
    Maximum,
    TooFewError,
    predict_maximum,
)
from orchestrator.rulebooks.measurements import EndedAttempts, Measurements, SupersededInstances
from orchestrator.wording import count_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Column = NDArray[np.float64]
    Codes = NDArray[np.int64]

LEAST_SCALE_RATIO = 1.5
"""Campaigns whose numbers of instances at once differ by less are one scale."""
_NO_NODE_EFFECT = 0.1
"""Probability of the Kruskal-Wallis test from which runs of one node count as independent."""
_MEDIAN_ERROR = 1.2533141373155001
"""Standard error of a median ÷ that of a mean, of normal values: √(π ÷ 2)."""
_DRAWS = 2000
_SEED = 2018


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """The accepted runs of a benchmark in one campaign.

    Parameters
    ----------
    seconds, node
        FOM time of each run, more than 0, and the number of its node.
    at_once
        How many instances ran at once.
    """

    seconds: Column
    node: Codes
    at_once: int


@dataclass(frozen=True, slots=True, eq=False)
class Contention:
    """How run times grow with the number of instances at once: as its power `exponent`.

    Parameters
    ----------
    exponent, error
        Estimate and its standard error.
    scales
        Instances at once of the campaigns that it rests on.
    """

    exponent: float
    error: float
    scales: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """The longest run on a system.

    Parameters
    ----------
    instances
        Instances that the longest run is one of.
    unit
        ``node`` where the longest run of each node is one value, ``run`` where every run is.
    units
        Number of these values in the sample.
    maximum
        The prediction, in the unit of the FOM time.
    contention
        None where all campaigns ran at one scale.
    """

    instances: int
    unit: str
    units: int
    maximum: Maximum
    contention: Contention | None

    @property
    def method(self) -> str:
        """How it was predicted, in one line."""
        of = "longest run of each node" if self.unit == "node" else "every run"
        return (
            f"{METHOD}; {count_of(self.units, 'value')} ({of}), {self.maximum.tail} of them tail; "
            f"{CONFIDENCE:.0%}"
        )


def project(samples: Sequence[Sample], at_once: int, waves: int = 1) -> Projection:
    """Return the predicted longest run of a system on which so many instances run at once.

    With `LEAST_UNITS` nodes or more, the longest run of each node is one value: nodes are independent,
    whatever is common to the runs of a node. With fewer nodes every run is one, if the
    Kruskal-Wallis test finds no difference between nodes.

    Raises
    ------
    TooFewError
        If the runs cannot carry a prediction; `units` is the number of runs that would.
    """
    contention = contention_of(samples)
    largest = max(samples, key=lambda one: one.at_once)
    instances = at_once * waves
    values, node = _pooled(samples, largest.at_once, contention)
    nodes = np.unique(node)
    factor = None
    if contention is not None:
        random = np.random.default_rng(_SEED)
        exponent = random.normal(contention.exponent, contention.error, _DRAWS)
        factor = (at_once / largest.at_once) ** exponent
    per_node = values.size / max(nodes.size, 1)
    if nodes.size >= LEAST_UNITS:
        longest = np.zeros(nodes.size)
        np.maximum.at(longest, np.searchsorted(nodes, node), values)
        unit, units, number = "node", longest, instances / per_node
    elif nodes.size > 1 and per_node > 1 and _differ(values, node) < _NO_NODE_EFFECT:
        raise TooFewError(
            f"the nodes differ, so that {LEAST_UNITS} nodes are needed to know how the worst of many is, and "
            f"{nodes.size} were measured",
            int(np.ceil(LEAST_UNITS * per_node)),
        )
    else:
        unit, units, number = "run", values, float(instances)
    try:
        maximum = predict_maximum(units, max(number, 1.0), factor)
    except TooFewError as error:
        runs = error.units * (per_node if unit == "node" else 1)
        raise TooFewError(str(error), int(np.ceil(runs))) from None
    return Projection(instances, unit, units.size, maximum, contention)


def contention_of(samples: Sequence[Sample]) -> Contention | None:
    """Return how times grow with the instances at once; None where they were measured at one scale only.

    Weighted least squares of the logarithms of medians on the logarithms of instances at once. The standard
    error of a median counts nodes, not runs, since runs of a node may have much in common.
    """
    scales = np.array([one.at_once for one in samples], dtype=np.float64)
    if scales.min() < 1 or scales.max() / scales.min() < LEAST_SCALE_RATIO:
        return None
    medians, variances = [], []
    for one in samples:
        logs = np.log(one.seconds)
        medians.append(float(np.median(logs)))
        spread = MAD_TO_SIGMA * float(np.median(np.abs(logs - medians[-1])))
        variances.append(max((_MEDIAN_ERROR * spread) ** 2 / np.unique(one.node).size, 1e-12))
    weight = 1 / np.array(variances)
    x = np.log(scales)
    centered = x - (weight * x).sum() / weight.sum()
    precision = float((weight * centered**2).sum())
    exponent = float((weight * centered * np.array(medians)).sum()) / precision
    return Contention(exponent, precision**-0.5, tuple(one.at_once for one in samples))


def projected(found: Measurements, seconds: float, instances: int) -> Measurements:
    """Return measurements of a benchmark as they would be with another longest time and width."""
    return replace(
        found,
        times=replace(found.times, max_seconds=seconds),
        planned=max(instances, found.planned),
        accepted=max(instances, found.accepted),
        overlap=replace(found.overlap, concurrent=instances, sustained=instances, guaranteed=None),
        ended=EndedAttempts(),
        superseded=SupersededInstances(),
    )


def _pooled(samples: Sequence[Sample], at_once: int, contention: Contention | None) -> tuple[Column, Codes]:
    """Return all run times as at one scale, and nodes numbered by campaign."""
    exponent = contention.exponent if contention is not None else 0.0
    values = [one.seconds * (at_once / max(one.at_once, 1)) ** exponent for one in samples]
    offsets = np.cumsum([0, *(int(one.node.max(initial=0)) + 1 for one in samples)])
    nodes = [one.node + offset for one, offset in zip(samples, offsets, strict=False)]
    return np.concatenate(values), np.concatenate(nodes)


def _differ(values: Column, node: Codes) -> float:
    """Return the probability of the Kruskal-Wallis test: that nodes which do not differ look so different."""
    from scipy.stats import kruskal

    if np.unique(values).size == 1:
        return 1.0
    order = np.argsort(node, kind="stable")
    groups = np.split(values[order], np.flatnonzero(np.diff(node[order])) + 1)
    return float(kruskal(*groups).pvalue)
