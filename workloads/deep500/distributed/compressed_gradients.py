"""Compresses gradients, exchanges the messages, and returns the mean of what they say."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from workloads.deep500.distributed.collectives import Collectives
from workloads.deep500.distributed.compression import CUT_OFF, FEEDBACK, LEVELS, SPARSE, Compression
from workloads.deep500.distributed.schemes import Rules, Update

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[Any]

Encode = Callable[["Vector", "Vector"], tuple["Vector", "Vector"]]
"""Decisions (indices, signs, digits or levels) and numbers of a message, of a vector and random numbers."""


class CompressedGradients:
    """Gradients of one rank, each compressed and exchanged; every rank calls `mean` in the same steps.

    Parameters
    ----------
    record
        Keep the decisions of every message, for a replay.

    Attributes
    ----------
    decisions
        Of each message, as bytes; empty unless they are recorded.
    """

    def __init__(self, given: Compression, ranks: Collectives, *, record: bool = False) -> None:
        self._given, self._ranks, self._record = given, ranks, record
        self._left: Any = 0  # of gradients that were not sent
        self.decisions: list[Vector] = []

    def mean(self, gradient: Vector, step: int) -> Vector:
        """Return the mean over all ranks of the gradients as their messages have them."""
        given = self._given
        vector = gradient + self._left if given.name in FEEDBACK else gradient
        drawn = given.name not in FEEDBACK
        draws = given.draws(step, self._ranks.rank) if drawn else vector
        decisions, numbers = (_largest(given.kept) if given.name in SPARSE else _ENCODE[given.name])(
            vector, draws
        )
        if self._record:
            self.decisions.append(decisions.view("uint8"))
        if given.name in FEEDBACK:
            self._left = vector - self._decoded(decisions, numbers)
        if given.name == "sparse_all_reduce":
            return self._sum_of_parts(decisions, numbers) / self._ranks.size
        total: Any = 0
        message = _bytes(decisions, numbers)
        for other in self._ranks.exchange([message] * self._ranks.size, [len(message)] * self._ranks.size):
            total = total + self._decoded(*self._split(other, vector.dtype))
        mean: Vector = total / self._ranks.size
        return mean

    def of_all_ranks(self) -> list[Vector]:
        """Return the recorded decisions of each rank, one step after another."""
        import numpy as np

        return self._ranks.exchange([np.concatenate(self.decisions)] * self._ranks.size)

    def _decoded(self, decisions: Vector, numbers: Vector) -> Vector:
        """Return the vector of a message."""
        import numpy as np

        given = self._given
        if given.name in SPARSE:
            vector = np.zeros(given.elements, numbers.dtype)
            vector[decisions] = numbers
            return vector
        if given.name == "one_bit":
            signs = np.unpackbits(decisions, count=given.elements).astype(numbers.dtype)
            return np.asarray((2 * signs - 1) * numbers)
        if given.name == "terngrad":
            digits: Vector = (decisions[:, None] >> np.arange(0, 8, 2, dtype=np.uint8) & 3).ravel()[
                : given.elements
            ]
            return np.asarray((digits.astype(numbers.dtype) - 1) * numbers)
        return np.asarray(decisions.astype(numbers.dtype) * (numbers / LEVELS))

    def _split(self, message: Vector, dtype: Any) -> tuple[Vector, Vector]:
        """Return the decisions and numbers of a message."""
        ends = self._given.decision_bytes
        kind = {"stochastic_rounding": "int8", "top_k": "int32"}.get(self._given.name, "uint8")
        return message[:ends].view(kind), message[ends:].copy().view(dtype)

    def _sum_of_parts(self, indices: Vector, numbers: Vector) -> Vector:
        """Return the sum of sparse vectors: each rank adds up its part, then all gather the sums."""
        import numpy as np

        size, elements = self._ranks.size, self._given.elements
        ends = np.searchsorted(indices, [elements * rank // size for rank in range(1, size)])
        parts = zip(np.split(indices, ends), np.split(numbers, ends), strict=True)
        received = self._ranks.exchange([_bytes(*part) for part in parts])
        total = _added(received, elements, numbers.dtype)
        own = np.unique(np.concatenate([_pairs(one, numbers.dtype)[0] for one in received]))
        return _added(self._ranks.exchange([_bytes(own, total[own])] * size), elements, numbers.dtype)


def compressed(
    gradients: CompressedGradients, fetch: Callable[[Any], Vector], place: Callable[[Vector], Any]
) -> Update:
    """Return the update by the mean of compressed gradients, for vectors of a library.

    Parameters
    ----------
    gradients
        Of this rank.
    fetch, place
        Turn a vector of the library into a NumPy vector, and back.
    """

    def update(parameters: Any, gradient: Any, step: int, rules: Rules, ranks: Collectives) -> Any:  # noqa: ARG001
        return parameters - rules.learning_rate * place(gradients.mean(fetch(gradient), step))

    return update


def _largest(kept: int) -> Encode:
    """Return the encoder that sends so many numbers of largest magnitude, in the order of their indices."""

    def encode(vector: Vector, draws: Vector) -> tuple[Vector, Vector]:  # noqa: ARG001
        import numpy as np

        indices = np.sort(np.argpartition(np.abs(vector), len(vector) - kept)[len(vector) - kept :])
        return indices.astype(np.int32), vector[indices]

    return encode


def _one_bit(vector: Vector, draws: Vector) -> tuple[Vector, Vector]:  # noqa: ARG001
    import numpy as np

    return np.packbits(vector >= 0), np.abs(vector).mean(keepdims=True)


def _ternary(vector: Vector, draws: Vector) -> tuple[Vector, Vector]:
    import numpy as np

    cut = CUT_OFF * vector.std()
    vector = np.clip(vector, -cut, cut)
    largest = np.abs(vector).max(keepdims=True)
    digits = (1 + np.sign(vector) * (draws * largest < np.abs(vector))).astype(np.uint8)
    fours = np.pad(digits, (0, -len(digits) % 4)).reshape(-1, 4) << np.arange(0, 8, 2, dtype=np.uint8)
    return np.bitwise_or.reduce(fours, axis=1), largest


def _rounded(vector: Vector, draws: Vector) -> tuple[Vector, Vector]:
    import numpy as np

    largest = np.abs(vector).max(keepdims=True)
    parts = vector.astype(float) / (float(largest[0]) or 1.0) * LEVELS
    levels = np.clip(np.floor(parts + draws), -LEVELS, LEVELS)
    return levels.astype(np.int8), largest


_ENCODE: dict[str, Encode] = {"one_bit": _one_bit, "terngrad": _ternary, "stochastic_rounding": _rounded}


def _bytes(decisions: Vector, numbers: Vector) -> Vector:
    import numpy as np

    return np.concatenate([decisions.view(np.uint8), numbers.view(np.uint8)])


def _pairs(message: Vector, dtype: Any) -> tuple[Vector, Vector]:
    """Return the indices and numbers of a sparse message of any length."""
    import numpy as np

    count = len(message) // (np.dtype(np.int32).itemsize + dtype.itemsize)
    ends = count * np.dtype(np.int32).itemsize
    return message[:ends].copy().view(np.int32), message[ends:].copy().view(dtype)


def _added(messages: list[Vector], elements: int, dtype: Any) -> Vector:
    """Return the sum of sparse messages; none has an index twice."""
    import numpy as np

    total = np.zeros(elements, dtype)
    for message in messages:
        indices, numbers = _pairs(message, dtype)
        total[indices] += numbers
    return total
