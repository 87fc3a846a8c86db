"""The updates of every scheme in one process: NumPy in float64, gradients written out, nothing exchanged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workloads.deep500.distributed.problem import Problem, layers
from workloads.deep500.rounding import UNIT_ROUNDOFF
from workloads.metrics.outputs import LARGEST, storable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    _Vector = NDArray[Any]

_ROUNDINGS_BEFORE, _ROUNDINGS_OF_STEP = 16, 8


@dataclass(frozen=True, slots=True)
class Replay:
    """A training that is to be repeated.

    Parameters
    ----------
    scheme
        One of `workloads.deep500.distributed.schemes.SCHEMES`.
    ranks, steps, batch_size
        Ranks, steps of each, and rows of one rank's step.
    learning_rate
        Of the mean gradient of all ranks.
    local_steps
        Steps between two averagings of the parameters; of scheme ``model_averaging``.
    order
        Rank and version read of every update, in the order in which the server applied them; of scheme
        ``inconsistent_centralised``.
    """

    problem: Problem
    scheme: str
    ranks: int
    steps: int
    batch_size: int
    learning_rate: float
    local_steps: int = 1
    order: Sequence[tuple[int, int]] = ()

    def parameters(self) -> list[_Vector]:
        """Return the parameters of every rank after the last step."""
        if self.scheme == "inconsistent_centralised":
            return [self._in_order()] * self.ranks
        held = [self.problem.initial.astype(float)] * self.ranks
        for step in range(self.steps):
            held = self._after(step, held)
        return held

    def _after(self, step: int, held: list[_Vector]) -> list[_Vector]:
        """Return the parameters of every rank after a synchronous step."""
        slopes = [self.gradient(held[rank], step, rank) for rank in range(self.ranks)]
        if self.scheme == "model_averaging":
            moved = [one - self.learning_rate * slope for one, slope in zip(held, slopes, strict=True)]
            return moved if (step + 1) % self.local_steps else [_mean(moved)] * self.ranks
        if self.scheme == "neighbour_exchange":
            count = self.ranks
            means = [_mean([slopes[one], slopes[one - 1], slopes[(one + 1) % count]]) for one in range(count)]
        else:
            means = [_mean(slopes)] * self.ranks
        return [one - self.learning_rate * mean for one, mean in zip(held, means, strict=True)]

    def _in_order(self) -> _Vector:
        """Return the server's parameters after its last update; a version is dropped after its last use."""
        last_use = {version: number for number, (_, version) in enumerate(self.order)}
        current = self.problem.initial.astype(float)
        versions, taken = {0: current}, [0] * self.ranks
        for number, (rank, version) in enumerate(self.order):
            slope = self.gradient(versions[version], taken[rank], rank)
            taken[rank] += 1
            current = current - self.learning_rate / self.ranks * slope
            if last_use[version] == number:
                del versions[version]
            if number + 1 in last_use:
                versions[number + 1] = current
        return current

    def gradient(self, flat: _Vector, step: int, rank: int) -> _Vector:
        """Return the gradient of a rank's batch of a step at some parameters."""
        rows, classes = self.problem.batch(step, rank, self.ranks, self.batch_size)
        return gradient(self.problem, flat, rows, classes)


def _mean(vectors: Sequence[_Vector]) -> _Vector:
    import numpy as np

    return np.mean(vectors, axis=0)  # type: ignore[no-any-return]


def gradient(problem: Problem, flat: _Vector, rows: _Vector, classes: _Vector) -> _Vector:
    """Return the gradient of the mean cross-entropy of a batch, in float64."""
    import numpy as np

    weights, biases, out_weights, out_biases = layers(flat, problem.sizes)
    rows = rows.astype(float)
    hidden = np.tanh(rows @ weights + biases)
    scores = hidden @ out_weights + out_biases
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    shares[np.arange(len(rows)), classes] -= 1
    shares /= len(rows)
    back = shares @ out_weights.T * (1 - hidden**2)
    slopes = (rows.T @ back, back.sum(axis=0), hidden.T @ shares, shares.sum(axis=0))
    return np.concatenate([one.ravel() for one in slopes])


def accuracy_and_loss(problem: Problem, flat: _Vector) -> tuple[float, float]:
    """Return the share of test rows whose class has the highest score, and their mean cross-entropy."""
    import numpy as np

    weights, biases, out_weights, out_biases = layers(flat, problem.sizes)
    rows, classes = problem.test
    scores = np.tanh(rows @ weights + biases) @ out_weights + out_biases
    scores = scores.astype(float) - scores.max(axis=1, keepdims=True)
    losses = np.log(np.exp(scores).sum(axis=1)) - scores[np.arange(len(classes)), classes]
    return float((scores.argmax(axis=1) == classes).mean()), float(losses.mean())


def tolerance(expected: _Vector, precision: str, steps: int) -> float:
    """Return the largest difference that rounding may make to a parameter in so many steps.

    A step rounds each parameter once, to half the spacing at its magnitude, and its update by a few spacings
    of a smaller number; errors of the steps add up, because the network is smooth. Sums are compared in
    another order, so 16 spacings and 8 more for each step are allowed, at the magnitude of the largest
    parameter.
    """
    import numpy as np

    largest = float(np.abs(expected).max())
    return 2 * UNIT_ROUNDOFF[precision] * (_ROUNDINGS_BEFORE + _ROUNDINGS_OF_STEP * steps) * largest


def error_over_bound(found: _Vector, expected: _Vector, precision: str, steps: int) -> tuple[float, int]:
    """Return the largest difference ÷ its tolerance, and the number of parameters that are not finite.

    A parameter that is not finite, here or in the reference, counts as 1e300.
    """
    import numpy as np

    nonfinite = int(np.count_nonzero(~np.isfinite(found)))
    if nonfinite or not np.isfinite(expected).all():
        return LARGEST, nonfinite
    bound = tolerance(expected, precision, steps)
    return storable(float(np.abs(found.astype(float) - expected).max()) / bound), 0
