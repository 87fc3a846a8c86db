"""Drops of a learning rate to a tenth."""

from __future__ import annotations

from collections.abc import Iterable

_DROP = 0.1


def dropped(rate: float, epoch: int, drops: Iterable[int]) -> float:
    """Return the rate of an epoch: a tenth for each epoch of `drops`, counted from 0, that has begun."""
    return rate * _DROP ** sum(epoch >= drop for drop in drops)
