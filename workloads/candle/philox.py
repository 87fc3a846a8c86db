"""TensorFlow's random numbers without TensorFlow: uniform float32 from the counter-based Philox4x32-10.

The generator is that of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3"
(SC11). TensorFlow gives the same numbers on CPUs and GPUs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_ROUNDS = 10
_MULTIPLIERS = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_KEY_STEPS = 0x9E3779B9, 0xBB67AE85
_WORD = 0xFFFFFFFF
_SCRAMBLE_KEY = 0x3EC8F720, 0x02461E29  # of TensorFlow's stateless operations
_KERAS_SEEDS, _TENSORFLOW1_SEEDS = 2**31 - 2, 2**31 - 1  # they take a seed's remainder by these
_WORDS = 4  # of one counter


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream of numbers.

    Parameters
    ----------
    key
        Two words of 32 bits.
    counter
        The upper two words of the counter, whose lower two count blocks of four numbers.
    """

    key: tuple[int, int]
    counter: tuple[int, int]

    def uniform(self, begin: int, end: int) -> NDArray[np.float32]:
        """Return the numbers with places `begin` … `end` − 1 of the stream, each in [0, 1)."""
        blocks = np.arange(begin // _WORDS, -(-end // _WORDS), dtype=np.uint64)
        words = _blocks(self.key, blocks, self.counter)
        chosen = words.reshape(-1)[begin % _WORDS :][: end - begin]
        # 23 bits become the fraction of a number in [1, 2).
        return (chosen & np.uint32(0x7FFFFF) | np.uint32(127 << 23)).view(np.float32) - np.float32(1)


def stateful(seed: int) -> Stream:
    """Return the stream of an operation of TensorFlow 1 whose own and whose graph's seed are `seed`."""
    word = seed % _TENSORFLOW1_SEEDS
    return Stream((word, 0), (word, 0))


def stateless(seed: int) -> Stream:
    """Return the stream that Keras 3 on TensorFlow uses for a seed."""
    blocks = np.array([(seed & _WORD) % _KERAS_SEEDS], np.uint64)
    words = _blocks(_SCRAMBLE_KEY, blocks, (0, 0))[0]
    return Stream((int(words[0]), int(words[1])), (int(words[2]), int(words[3])))


def _blocks(key: tuple[int, int], low: NDArray[np.uint64], high: tuple[int, int]) -> NDArray[np.uint32]:
    """Return four words for each counter, shape (counters, 4)."""
    mask, half = np.uint64(_WORD), np.uint64(32)
    first, second = low & mask, low >> half
    third, fourth = (np.full_like(low, word) for word in high)
    for number in range(_ROUNDS):
        keys = [np.uint64(word + number * step & _WORD) for word, step in zip(key, _KEY_STEPS, strict=True)]
        one, two = first * _MULTIPLIERS[0], third * _MULTIPLIERS[1]
        first, second = (two >> half) ^ second ^ keys[0], two & mask
        third, fourth = (one >> half) ^ fourth ^ keys[1], one & mask
    words: NDArray[np.uint32] = np.stack([first, second, third, fourth], axis=1).astype(np.uint32)
    return words
