"""Ways to send a gradient in fewer bytes: their constants, message sizes and random numbers.

`compressed_gradients` encodes and exchanges the messages, and `compressed_replay` checks them; the two share
nothing but this module.

- ``top_k``: the k numbers of largest magnitude, with their indices. Stich, Cordonnier and Jaggi, Sparsified
  SGD with memory, NeurIPS 2018.
- ``sparse_all_reduce``: as ``top_k``, but each rank adds up its part of the vector and sends the sums to all
  (split all-gather). Renggli et al., SparCML, SC 2019.
- ``one_bit``: signs, and the mean magnitude. Seide et al., 1-bit stochastic gradient descent, Interspeech
  2014, in the form of Karimireddy et al., Error feedback fixes SignSGD, ICML 2019.
- ``terngrad``: -1, 0 or 1 times the largest magnitude, of numbers cut off at 2.5 standard deviations; drawn
  so that the mean is right. Wen et al., TernGrad, NIPS 2017.
- ``stochastic_rounding``: 8 bits, -127 to 127 times a part of the largest magnitude, rounded up or down at
  random so that the mean is right. Alistarh et al., QSGD, NIPS 2017, with the norm of the maximum.

The first three add the part of a gradient that was not sent to the next gradient (error feedback).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

NONE = "none"
SPARSE = ("top_k", "sparse_all_reduce")
FEEDBACK = (*SPARSE, "one_bit")
COMPRESSIONS = (NONE, *FEEDBACK, "terngrad", "stochastic_rounding")
INDEX_BYTES = 4
LEVELS = 127
"""Positive levels of ``stochastic_rounding``."""
CUT_OFF = 2.5
"""Standard deviations at which ``terngrad`` cuts numbers off; section 3.2 of its paper."""


@dataclass(frozen=True, slots=True)
class Compression:
    """A way to compress the gradients of all ranks.

    Parameters
    ----------
    name
        One of `COMPRESSIONS` but ``none``.
    density
        Share of the numbers that ``top_k`` and ``sparse_all_reduce`` send.
    seed
        Of the random numbers of ``terngrad`` and ``stochastic_rounding``.
    """

    name: str
    elements: int
    density: float
    seed: int

    @property
    def kept(self) -> int:
        """Numbers that ``top_k`` and ``sparse_all_reduce`` send; at least 1."""
        return max(1, round(self.density * self.elements))

    @property
    def decision_bytes(self) -> int:
        """Bytes of a message without its floating-point numbers: indices, signs, digits or levels."""
        return {
            "one_bit": -(-self.elements // 8),
            "terngrad": -(-self.elements // 4),
            "stochastic_rounding": self.elements,
        }.get(self.name, INDEX_BYTES * self.kept)

    def message_bytes(self, number_bytes: int) -> int:
        """Return the bytes of a rank's compressed gradient.

        Parameters
        ----------
        number_bytes
            Bytes of a number of the gradient.
        """
        return self.decision_bytes + number_bytes * (self.kept if self.name in SPARSE else 1)

    def expected_bytes(self, number_bytes: int, ranks: int) -> float:
        """Return the bytes that a rank sends in a step, the mean over ranks.

        Each of n ranks sends its message to the n − 1 others. In ``sparse_all_reduce`` it sends the share
        (n − 1)/n of its k pairs, and to n − 1 ranks the sums of its part of the vector. A sum is there for
        each of the d/n indices that any rank sends: expected are d/n (1 − (1 − k/d)ⁿ), where indices of the
        ranks are independent (SparCML, section 5.1). Gradients of similar rows agree in more of them, so that
        fewer bytes are sent.
        """
        others = ranks - 1
        if self.name != "sparse_all_reduce":
            return float(others * self.message_bytes(number_bytes))
        share = self.kept / self.elements
        sums = self.elements / ranks * (1 - (1 - share) ** ranks)
        return (INDEX_BYTES + number_bytes) * others * (self.kept / ranks + sums)

    def draws(self, step: int, rank: int) -> NDArray[Any]:
        """Return a random number from 0 to below 1 for each number of a rank's gradient."""
        import numpy as np

        return np.random.default_rng([self.seed % 2**64, step, rank]).random(self.elements)
