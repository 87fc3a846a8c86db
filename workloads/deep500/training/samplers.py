"""Samplers: the indices of each batch of an epoch, as pure functions of the data set's keys and a seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from workloads.description import DataError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Indices = NDArray[np.int64]

_BUCKETS = 30


def number_of_batches(samples: int, batch_size: int, drop_last: bool) -> int:
    """Return the batches of an epoch: samples ÷ batch size, rounded down with `drop_last`, otherwise up."""
    return samples // batch_size if drop_last else -(-samples // batch_size)


def batches(chosen: Indices, batch_size: int, drop_last: bool) -> Iterator[Indices]:
    """Return indices batch by batch; the last one may be partial unless it is dropped."""
    for number in range(number_of_batches(len(chosen), batch_size, drop_last)):
        yield chosen[number * batch_size : (number + 1) * batch_size]


def ordered(keys: Indices, batch_size: int, drop_last: bool, seed: int, epoch: int) -> Iterator[Indices]:  # noqa: ARG001
    """Return the samples in the order of the data set, the same in each epoch."""
    import numpy as np

    yield from batches(np.arange(len(keys)), batch_size, drop_last)


def shuffle(keys: Indices, batch_size: int, drop_last: bool, seed: int, epoch: int) -> Iterator[Indices]:
    """Return each sample once, in a new order in each epoch."""
    yield from batches(_draws(seed, epoch).permutation(len(keys)), batch_size, drop_last)


def choice(keys: Indices, batch_size: int, drop_last: bool, seed: int, epoch: int) -> Iterator[Indices]:
    """Return as many samples as there are, drawn with replacement, batch by batch."""
    draws = _draws(seed, epoch)
    for number in range(number_of_batches(len(keys), batch_size, drop_last)):
        yield draws.integers(0, len(keys), min(batch_size, len(keys) - number * batch_size))


def bucket(keys: Indices, batch_size: int, drop_last: bool, seed: int, epoch: int) -> Iterator[Indices]:
    """Return each sample once, with samples of near keys in a batch, in a new order of batches in each epoch.

    The keys, such as lengths of sequences or labels, are divided into 30 ranges of equal width. The last
    batch of each range may be partial unless partial batches are dropped.
    """
    import numpy as np

    draws, edges = _draws(seed, epoch), np.histogram_bin_edges(keys, _BUCKETS)[1:-1]
    numbers = np.digitize(keys, edges)
    found: list[Indices] = []
    for number in np.unique(numbers):
        members = np.flatnonzero(numbers == number)
        found += batches(draws.permutation(members), batch_size, drop_last)
    for one in draws.permutation(len(found)):
        yield found[one]


def _draws(seed: int, epoch: int) -> np.random.Generator:
    import numpy as np

    return np.random.default_rng([seed % 2**63, epoch])


Sampler = Callable[["Indices", int, bool, int, int], Iterator["Indices"]]
"""Returns batches of indices: of the keys of all samples, the batch size, whether partial batches are
dropped, a seed, and the number of the epoch."""

SAMPLERS: dict[str, Sampler] = {"ordered": ordered, "shuffle": shuffle, "bucket": bucket, "choice": choice}


def no_full_batch(sampler: str, batch_size: int) -> DataError:
    """Return the error of an epoch in which every batch was partial, and left out."""
    return DataError(
        f"sampler {sampler} has no full batch of {batch_size}; lower batch_size, or write drop_last: false"
    )
