"""Batches of P1B3's joined rows, and the scores of a model on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workloads.candle.data.p1b3 import DrugResponse, Responses
from workloads.description import DataError


@dataclass(frozen=True, slots=True)
class SignScores:
    """Share of rows whose growth is predicted on the right side of 0, and mean squared error."""

    accuracy: float
    loss: float


def batch_rows(
    rows: int, batch_size: int, epoch: int, order: NDArray[np.int64] | None
) -> list[NDArray[np.int64]]:
    """Return the rows of each whole batch of an epoch.

    Parameters
    ----------
    epoch
        Counted from 0; batches go on where those of the epoch before ended.
    order
        A permutation of the rows; None: as they are.

    Raises
    ------
    DataError
        If the part has fewer rows than a batch.
    """
    steps = rows // batch_size
    if not steps:
        raise DataError(
            f"p1b3: a batch of {batch_size} rows is larger than a part of the data with {rows} rows"
        )
    numbers = np.arange(epoch * steps * batch_size, (epoch + 1) * steps * batch_size) % rows
    return list((numbers if order is None else order[numbers]).reshape(steps, batch_size))


def joined_batches(
    data: DrugResponse,
    part: Responses,
    batch_size: int,
    order_seed: int | None = None,
    first_epoch: int = 0,
) -> Any:
    """Return a Keras data set of whole batches, joined when they are asked for.

    Parameters
    ----------
    data, part
        Features, and the responses to train or validate on.
    order_seed
        Seed of the rows' order; None: as they are, the same in every epoch.
    first_epoch
        Epoch of the first pass; each further pass is the next epoch.
    """
    import keras

    order = None if order_seed is None else np.random.default_rng(order_seed).permutation(len(part))

    class Joined(keras.utils.PyDataset):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self._epoch = first_epoch
            self._rows = batch_rows(len(part), batch_size, first_epoch, order)

        def __len__(self) -> int:
            return len(self._rows)

        def __getitem__(self, step: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
            rows = self._rows[step]
            return data.join(part, rows), part.growth[rows]

        def on_epoch_end(self) -> None:
            if order is not None:
                self._epoch += 1
                self._rows = batch_rows(len(part), batch_size, self._epoch, order)

    return Joined()


def sign_scores(model: Any, data: DrugResponse, part: Responses, batch_size: int) -> SignScores:
    """Return the scores of a model on the whole batches of a part."""
    right, error, count = 0, 0.0, 0
    for rows in batch_rows(len(part), batch_size, 0, None):
        predicted = np.asarray(model.predict_on_batch(data.join(part, rows)), np.float64).ravel()
        truth = part.growth[rows].astype(np.float64)
        right += int(np.sum((predicted >= 0) == (truth >= 0)))
        error += float(np.sum((predicted - truth) ** 2))
        count += len(rows)
    return SignScores(right / count, error / count)
