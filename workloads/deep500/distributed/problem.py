"""Problem that every rank trains: rows in classes, drawn from the seed, and a network of two dense layers.

All parameters are one flat vector, so that a scheme exchanges one tensor. Rows, labels and initial values
are numbers that float32 holds exactly, so that a reference in float64 starts from the same ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DISTANCE = 5.0
"""Between the centres of two classes, in standard deviations of the rows around them."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes of the network and of the data.

    Parameters
    ----------
    features, hidden, classes
        Width of a row, of the hidden layer, and number of classes.
    """

    features: int
    hidden: int
    classes: int
    train_rows: int
    test_rows: int

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shapes of both layers' weights and biases, in the order of the flat vector."""
        return (self.features, self.hidden), (self.hidden,), (self.hidden, self.classes), (self.classes,)

    @property
    def lengths(self) -> tuple[int, ...]:
        """Elements of each of the `shapes`."""
        return tuple(shape[0] * (shape[1] if len(shape) > 1 else 1) for shape in self.shapes)

    @property
    def parameters(self) -> int:
        """Elements of the flat vector."""
        return sum(self.lengths)

    @property
    def memory_bytes(self) -> int:
        """Bytes of rows, labels and vectors of one rank, without those of a framework."""
        rows = self.train_rows + self.test_rows
        drawn = 2 * self.features * 4 + 8  # the rows, and the centres that are added to them
        return rows * drawn + self.test_rows * self.hidden * 8 + 12 * self.parameters * 8


@dataclass(frozen=True, slots=True)
class Problem:
    """The data, and the parameters before the first step.

    Parameters
    ----------
    initial
        Flat vector of float32.
    train, test
        Rows of float32, and their classes.
    seed
        That all of it was drawn from.
    """

    sizes: Sizes
    initial: NDArray[Any]
    train: tuple[NDArray[Any], NDArray[Any]]
    test: tuple[NDArray[Any], NDArray[Any]]
    seed: int

    def batch(self, step: int, rank: int, ranks: int, rows: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the rows and classes of one rank's step: its part of the batch of all ranks.

        The parts of R ranks are, in rank order, the batch that one rank with R times the rows takes in the
        same step. Rows are drawn independently, so that their order needs no shuffling.
        """
        import numpy as np

        first = (step * ranks + rank) * rows
        taken = np.arange(first, first + rows) % self.sizes.train_rows
        return self.train[0][taken], self.train[1][taken]


def draw(sizes: Sizes, seed: int) -> Problem:
    """Return data and initial parameters from a seed; the same on every rank."""
    import numpy as np

    random = np.random.default_rng([500, seed % 2**64])
    centres = (
        random.standard_normal((sizes.classes, sizes.features)) * _DISTANCE / (2 * sizes.features) ** 0.5
    )

    def rows(number: int) -> tuple[NDArray[Any], NDArray[Any]]:
        classes = random.integers(0, sizes.classes, number)
        noise = random.standard_normal((number, sizes.features), dtype=np.float32)
        return noise + centres.astype(np.float32)[classes], classes

    initial = [
        random.standard_normal(shape) / shape[0] ** 0.5 if len(shape) > 1 else np.zeros(shape)
        for shape in sizes.shapes
    ]
    flat = np.concatenate([one.ravel() for one in initial]).astype(np.float32)
    return Problem(sizes, flat, rows(sizes.train_rows), rows(sizes.test_rows), seed)


def layers(flat: NDArray[Any], sizes: Sizes) -> list[NDArray[Any]]:
    """Return the weights and biases that a flat vector holds."""
    import numpy as np

    parts = np.split(flat, list(accumulate(sizes.lengths))[:-1])
    return [part.reshape(shape) for part, shape in zip(parts, sizes.shapes, strict=True)]
