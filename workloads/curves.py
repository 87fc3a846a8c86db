"""Learning curves of a run: values by epoch or step, thinned while the run goes on."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal

Axis = Literal["epoch", "step"]
CurvePoint = tuple[int, float | None]

MOST_POINTS = 200
"""Points that a curve keeps."""
MOST_CURVES = 50
"""Curves of a run."""
_EXTREMES = 3  # the last, the lowest and the highest point are kept beside those of the stride


@dataclass(slots=True)
class Curve:
    """Values of one name by epoch or step, in bounded memory.

    Of every `stride` points one is kept, and the stride doubles when they become too many. The first, last,
    lowest and highest point are always kept.

    Parameters
    ----------
    axis
        What its places count.
    """

    axis: Axis
    _kept: list[tuple[int, CurvePoint]] = field(default_factory=list)
    _stride: int = 1
    _added: int = 0
    _last: tuple[int, CurvePoint] | None = None
    _lowest: tuple[float, int, CurvePoint] | None = None
    _highest: tuple[float, int, CurvePoint] | None = None

    def add(self, place: int, value: float) -> None:
        """Add the next point; a value that is not finite is kept as None."""
        finite = math.isfinite(value)
        number, point = self._added, (place, value if finite else None)
        self._added += 1
        self._last = number, point
        if finite and (self._lowest is None or value < self._lowest[0]):
            self._lowest = value, number, point
        if finite and (self._highest is None or value > self._highest[0]):
            self._highest = value, number, point
        if number % self._stride == 0:
            self._kept.append((number, point))
            if len(self._kept) > MOST_POINTS - _EXTREMES:
                self._kept = self._kept[::2]
                self._stride *= 2

    @property
    def points(self) -> list[CurvePoint]:
        """Return the kept points in the order in which they came, `MOST_POINTS` at most."""
        extremes = [extreme[1:] for extreme in (self._lowest, self._highest) if extreme is not None]
        last = [] if self._last is None else [self._last]
        return [point for _, point in sorted(dict([*self._kept, *extremes, *last]).items())]


class Curves:
    """The curves of a run by name."""

    def __init__(self) -> None:
        self._curves: dict[str, Curve] = {}

    def add(self, name: str, value: float, *, epoch: int | None, step: int | None) -> None:
        """Add the next point of a curve; see `workloads.context.Context.curve`."""
        if (epoch is None) == (step is None):
            raise ValueError(f"a point of the curve {name} needs its epoch or its step, and not both")
        axis: Axis = "step" if epoch is None else "epoch"
        curve = self._curves.get(name)
        if curve is None:
            if len(self._curves) >= MOST_CURVES:
                raise ValueError(f"{name} is curve {MOST_CURVES + 1}: a run has at most {MOST_CURVES}")
            curve = self._curves[name] = Curve(axis)
        if curve.axis != axis:
            raise ValueError(f"the curve {name} is given by {curve.axis}, and now by {axis}")
        place = epoch if step is None else step
        curve.add(int(place or 0), float(value))

    def to_json(self) -> list[dict[str, Any]]:
        """Return the curves as JSON-ready data."""
        return [
            {"name": name, "axis": curve.axis, "points": [list(point) for point in curve.points]}
            for name, curve in self._curves.items()
        ]
