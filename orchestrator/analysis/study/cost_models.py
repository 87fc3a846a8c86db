"""Cost models of communication in data-parallel training, and the link that all-reduces measure. Pure.

The formulas are those of the slides of Deep500, "Updating parameters in distributed data parallelism":
T = 2L + 2Pγm·G/s of a parameter server in s shards, and T = 2L log2 P + 2γmG(P − 1)/P of collective
operations. The slides do not define the symbols; here, as in the model LogGP, P is the number of ranks, m
that of parameters, γ the bytes of a parameter (γm is what a step communicates), L the latency in s, and G the
seconds per byte. L and G are fitted to all-reduces of several sizes or numbers of ranks by the second
formula.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.analysis.base.statistics import CONFIDENCE, Estimate, median_interval
from orchestrator.analysis.study.curves import Curve
from orchestrator.analysis.study.scaling_laws import FitRefusedError

_BYTES, _STEPS, _SECONDS = "communicated_bytes_per_step", "optimizer_steps", "training_seconds"


@dataclass(frozen=True, slots=True)
class Reduction:
    """One measured all-reduce: number of ranks, bytes of the tensor of each, and seconds."""

    ranks: int
    tensor_bytes: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Link:
    """Latency L in s and seconds per byte G, each with its interval of 95 %, from so many all-reduces.

    A rank's bandwidth is 1/G. A value of 0 is the least that the fit allows.
    """

    latency: Estimate
    seconds_per_byte: Estimate
    runs: int
    residual: float

    def collective(self, ranks: int, moved: float) -> float:
        """Return the seconds of an all-reduce of `moved` bytes: 2L log2 P + 2γmG(P − 1)/P."""
        latency, transfer = _terms(ranks, moved)
        return latency * self.latency.value + transfer * self.seconds_per_byte.value

    def server(self, ranks: int, moved: float, shards: int = 1) -> float:
        """Return the seconds of an exchange with a parameter server: 2L + 2PγmG/s."""
        transfer = 2 * ranks * moved / shards
        return 2 * self.latency.value + transfer * self.seconds_per_byte.value


@dataclass(frozen=True, slots=True)
class StepCost:
    """Predicted communication beside the measured step of one size of a curve; times in s.

    Parameters
    ----------
    moved
        Bytes of the gradients that a step communicates.
    step
        Median training time ÷ optimizer steps; None where the runs do not record it.
    collective, server
        Predicted by the two formulas; the server has one shard.
    """

    curve: str
    ranks: int
    moved: float
    step: float | None
    collective: float
    server: float


def fit_link(reductions: Sequence[Reduction]) -> Link:
    """Fit L and G to all-reduces, with errors taken to be a share of the times, and neither below 0.

    Raises
    ------
    FitRefusedError
        If sizes and ranks do not tell L from G, or there are fewer than three runs.
    """
    import numpy as np
    from scipy.optimize import nnls
    from scipy.special import stdtrit

    usable = [one for one in reductions if one.seconds > 0 and one.ranks > 1]
    shape = np.array([_terms(one.ranks, one.tensor_bytes) for one in usable]).reshape(-1, 2)
    scale = shape.max(axis=0, initial=1.0)
    if len(usable) < 3 or np.linalg.matrix_rank(shape / scale, tol=1e-6) < 2:
        raise FitRefusedError(
            f"{len(usable)} all-reduces do not tell latency from bandwidth: run allreduce with three "
            "values of tensor_bytes or more, such as 1024, 1048576 and 67108864"
        )
    seconds = np.array([one.seconds for one in usable])
    weighted = shape / seconds[:, None]
    units = weighted.max(axis=0)
    solution, _ = nnls(weighted / units, np.ones(len(usable)))
    found = solution / units
    free = len(usable) - 2
    variance = float(np.sum((weighted @ found - 1) ** 2)) / free
    covariance = np.linalg.pinv((weighted / units).T @ (weighted / units)) * variance
    reach = float(stdtrit(free, (1 + CONFIDENCE) / 2)) * np.sqrt(np.diag(covariance)) / units
    latency, inverse = (
        Estimate(float(value), max(0.0, float(value - width)), float(value + width))
        for value, width in zip(found, reach, strict=True)
    )
    return Link(latency, inverse, len(usable), math.sqrt(variance))


def step_costs(curve: Curve, link: Link) -> list[StepCost]:
    """Return predicted and measured times of the points of a curve that record the bytes of a step."""
    found = []
    for point in curve.points:
        medians = {
            name: median_interval(values).value
            for name, (_, values) in point.metrics.items()
            if name in (_BYTES, _STEPS, _SECONDS) and values
        }
        if point.ranks < 2 or _BYTES not in medians:
            continue
        steps, moved = medians.get(_STEPS), medians[_BYTES]
        step = medians[_SECONDS] / steps if steps and _SECONDS in medians else None
        times = link.collective(point.ranks, moved), link.server(point.ranks, moved)
        found.append(StepCost(curve.name, point.ranks, moved, step, *times))
    return found


def _terms(ranks: int, moved: float) -> tuple[float, float]:
    """Return the factors of L and G in the time of an all-reduce."""
    return 2 * math.log2(ranks), 2 * moved * (ranks - 1) / ranks
