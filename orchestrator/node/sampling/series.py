"""Samples of one quantity in few points, which keep the lowest and the highest value."""

from __future__ import annotations

import json
from collections.abc import Sequence


class SampleSeries:
    """Values over time in at most some points; neighbours are merged when there are more.

    Parameters
    ----------
    most
        Largest number of points, at least 2.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._merged = 1
        self._in_last = 0
        self._points: list[tuple[float, float, float, float, float]] = []

    def __len__(self) -> int:
        return len(self._points)

    def add(self, begin: float, seconds: float, value: float) -> None:
        """Add a value that holds for some seconds from a time, in seconds."""
        point = (begin, seconds, value, value, value)
        if self._points and self._in_last < self._merged:
            self._points[-1] = _merged(self._points[-1], point)
        else:
            if len(self._points) >= self._most:
                self.halve()
            self._points.append(point)
            self._in_last = 0
        self._in_last += 1

    def reduce(self, most: int) -> None:
        """Merge points until there are at most so many."""
        while len(self._points) > most:
            self.halve()

    def halve(self) -> None:
        """Merge each two neighbours."""
        points = self._points
        odd = len(points) % 2
        halved = [_merged(*points[k : k + 2]) for k in range(0, len(points) - odd, 2)]
        self._points = halved + points[len(points) - odd :]
        self._merged *= 2

    def to_json(self) -> str:
        """Return the points as `db.rows.Sample` has them."""
        return json.dumps([_listed(*point) for point in self._points], separators=(",", ":"))


def _merged(
    one: tuple[float, float, float, float, float], other: tuple[float, float, float, float, float]
) -> tuple[float, float, float, float, float]:
    seconds = one[1] + other[1]
    mean = (one[2] * one[1] + other[2] * other[1]) / seconds
    return one[0], seconds, mean, min(one[3], other[3]), max(one[4], other[4])


def _listed(begin: float, _: float, mean: float, lowest: float, highest: float) -> list[float]:
    values = [_short(mean)] if lowest == highest else [_short(mean), _short(lowest), _short(highest)]
    return [round(begin, 3), *values]


def _short(value: float) -> float:
    """Return a number in 6 digits, whole where it is."""
    short = float(f"{value:.6g}")
    return int(short) if short.is_integer() else short


def fitted(series: Sequence[SampleSeries], most: int) -> list[SampleSeries]:
    """Return the first of some series, reduced so that all have at most so many points together."""
    kept = list(series[: most // 2])
    for one in kept:
        one.reduce(max(2, most // len(kept)))
    return kept
