"""The updates of compressed gradients in one process, in NumPy float64, and a check of every decision.

Which index is sent, or which way a number is rounded, changes at once where rounding moves an input over a
threshold. So the replay takes these decisions from the ranks, as it takes the order of a server's updates,
and returns how far the worst of them was on the wrong side of its threshold: at most as far as rounding moves
an input. All other numbers are the replay's own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workloads.deep500.distributed.compression import CUT_OFF, FEEDBACK, LEVELS, SPARSE, Compression
from workloads.deep500.distributed.reference import Replay, tolerance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    _Vector = NDArray[Any]

_Sent = tuple["_Vector", float]
"""A vector as its message says it, and how far its worst decision was from a right one."""


@dataclass(frozen=True, slots=True)
class CompressedReplay:
    """A training with compressed gradients that is to be repeated.

    Parameters
    ----------
    replay
        The training, of scheme ``consistent_decentralised``.
    decisions
        Bytes of the decisions of each rank, one step after another.
    """

    replay: Replay
    given: Compression
    decisions: Sequence[_Vector]
    precision: str

    def parameters(self) -> tuple[_Vector, float]:
        """Return the parameters after the last step, and the worst decision ÷ its tolerance."""
        import numpy as np

        replay, worst = self.replay, 0.0
        held = replay.problem.initial.astype(float)
        left = [np.zeros_like(held)] * replay.ranks
        for step in range(replay.steps):
            total = np.zeros_like(held)
            # An error e of a gradient moves the parameters by e times the learning rate.
            allowed = tolerance(held, self.precision, step + 1) / (replay.learning_rate or 1e-300)
            for rank in range(replay.ranks):
                wanted = replay.gradient(held, step, rank) + left[rank]
                sent, distance = self._sent(wanted, step, rank)
                if self.given.name in FEEDBACK:
                    left[rank] = wanted - sent
                total += sent
                worst = max(worst, distance / allowed)
            held = held - replay.learning_rate * total / replay.ranks
        return held, worst

    def _sent(self, wanted: _Vector, step: int, rank: int) -> _Sent:
        length = self.given.decision_bytes
        decisions = self.decisions[rank][step * length : (step + 1) * length]
        if len(decisions) != length:
            return wanted, math.inf
        name = "top_k" if self.given.name in SPARSE else self.given.name
        return _CHECKS[name](wanted, decisions, self.given, step, rank)


def _largest(wanted: _Vector, decisions: _Vector, given: Compression, step: int, rank: int) -> _Sent:  # noqa: ARG001
    import numpy as np

    indices = decisions.view(np.int32)
    if not ((indices >= 0) & (indices < len(wanted))).all() or len(np.unique(indices)) != given.kept:
        return wanted, math.inf
    chosen = np.zeros(len(wanted), bool)
    chosen[indices] = True
    sizes = np.abs(wanted)
    # Both the largest that was left out and the smallest that was sent have an error.
    distance = (sizes[~chosen].max(initial=0) - sizes[chosen].min()) / 2
    return np.where(chosen, wanted, 0), max(0.0, float(distance))


def _one_bit(wanted: _Vector, decisions: _Vector, given: Compression, step: int, rank: int) -> _Sent:  # noqa: ARG001
    import numpy as np

    sizes, positive = np.abs(wanted), np.unpackbits(decisions)[: len(wanted)] == 1
    wrong = sizes[positive != (wanted >= 0)]
    return np.where(positive, 1, -1) * sizes.mean(), float(wrong.max(initial=0))


def _ternary(wanted: _Vector, decisions: _Vector, given: Compression, step: int, rank: int) -> _Sent:
    import numpy as np

    fours = [decisions % 4, decisions // 4 % 4, decisions // 16 % 4, decisions // 64]
    digits = np.stack(fours, axis=1).ravel()[: len(wanted)].astype(int) - 1
    if (digits > 1).any():
        return wanted, math.inf
    cut = CUT_OFF * np.sqrt(np.mean((wanted - wanted.mean()) ** 2))
    limited = np.minimum(np.abs(wanted), cut) * np.sign(wanted)
    largest = np.abs(limited).max()
    thresholds = given.draws(step, rank) * largest
    over = digits * limited - thresholds  # of the numbers that were sent, with their own sign
    distances = np.where(digits == 0, np.abs(limited) - thresholds, -over)
    return digits * largest, max(0.0, float(distances.max())) / 2  # number and threshold have an error


def _rounded(wanted: _Vector, decisions: _Vector, given: Compression, step: int, rank: int) -> _Sent:
    import numpy as np

    levels = decisions.view(np.int8).astype(float)
    spacing = np.abs(wanted).max() / LEVELS
    below = levels * spacing - (wanted + given.draws(step, rank) * spacing)
    distances = np.maximum(below, -below - spacing)
    return levels * spacing, max(0.0, float(distances.max())) / 2  # number and spacing have an error


_CHECKS: dict[str, Callable[[_Vector, _Vector, Compression, int, int], _Sent]] = {
    "top_k": _largest,
    "one_bit": _one_bit,
    "terngrad": _ternary,
    "stochastic_rounding": _rounded,
}
