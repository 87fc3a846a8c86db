"""Curves of a sweep over ranks or nodes: the laws that they follow, and where accuracy breaks. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from orchestrator.analysis.base.statistics import median_interval
from orchestrator.analysis.study.scaling_laws import LAWS, WEAK_LAWS, Fit, FitRefusedError, fit
from orchestrator.analysis.study.sweep_summary import AxisValue, PointRuns, curve_key, scaling_axis

EPOCHS = "epochs"


@dataclass(frozen=True, slots=True)
class Curve:
    """The points of a sweep that differ in their size alone, from the one of which most accuracy is expected.

    Parameters
    ----------
    scale
        What the sizes are: ``ranks`` or ``nodes``, smallest first; or ``epochs``, largest first.
    """

    sweep: str
    scale: str
    axes: Mapping[str, AxisValue]
    points: tuple[PointRuns, ...]

    @property
    def name(self) -> str:
        """The sweep with the values of the other axes."""
        others = ",".join(
            f"{name}={value if isinstance(value, str) else f'{value:g}'}" for name, value in self.axes.items()
        )
        return f"{self.sweep}[{others}]" if others else self.sweep

    @property
    def sizes(self) -> list[int]:
        """Number of ranks, nodes or epochs of each point."""
        return [
            int(point.axes[EPOCHS]) if self.scale == EPOCHS else getattr(point, self.scale)
            for point in self.points
        ]


@dataclass(frozen=True, slots=True)
class Laws:
    """Laws that were fitted to a curve, and why the others could not be."""

    curve: Curve
    fits: tuple[Fit, ...]
    refused: Mapping[str, str]

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {
            "curve": self.curve.name,
            "scale": self.curve.scale,
            "unit": self.curve.points[0].unit,
            "fits": [one.to_dict() for one in self.fits],
            "refused": dict(self.refused),
        }


@dataclass(frozen=True, slots=True)
class Break:
    """Where the accuracy of a curve is below a threshold for the first time.

    Parameters
    ----------
    size, accuracy
        Ranks, nodes or epochs and median accuracy there; None where it never is.
    epochs
        Median of the epochs that a rank trained there; None where the workload does not report them.
    holds
        Last size before it, which reaches the threshold; None where there is none.
    """

    curve: str
    scale: str
    threshold: float
    measured: int
    size: int | None = None
    accuracy: float | None = None
    epochs: float | None = None
    holds: int | None = None

    @property
    def sentence(self) -> str:
        """Say it in one line."""
        if not self.measured:
            return f"{self.curve}: no run has an accuracy"
        if self.size is None:
            return f"{self.curve}: accuracy reaches {self.threshold:g} at every size that ran"
        of_rank = self.epochs is not None and self.scale != EPOCHS
        epochs = f" ({self.epochs:g} epochs on each rank)" if of_rank else ""
        before = (
            "no size before it reaches it"
            if self.holds is None
            else f"the last that reaches it is {self.scale} {self.holds}"
        )
        return (
            f"{self.curve}: accuracy falls below {self.threshold:g} at {self.scale} {self.size}{epochs}: "
            f"{self.accuracy:.4g}; {before}"
        )


def curves(points: Sequence[PointRuns]) -> list[Curve]:
    """Return the curves of all sweeps that have several sizes, in the order of their first points."""
    scales = scaling_axis(points)
    groups: dict[Any, list[PointRuns]] = {}
    for point in points:
        if point.sweep in scales:
            groups.setdefault(curve_key(point), []).append(point)
    found = []
    for key, members in groups.items():
        scale = scales[members[0].sweep]
        ordered = tuple(sorted(members, key=lambda one: int(getattr(one, scale))))
        found.append(Curve(members[0].sweep, scale, dict(key[1:]), ordered))
    return found


def epoch_curves(points: Sequence[PointRuns]) -> list[Curve]:
    """Return the points of sweeps over `epochs` that differ in them alone."""
    groups: dict[Any, list[PointRuns]] = {}
    for point in points:
        if isinstance(point.axes.get(EPOCHS), int | float):
            others = tuple((name, value) for name, value in point.axes.items() if name != EPOCHS)
            groups.setdefault((point.sweep, *others), []).append(point)
    return [
        Curve(members[0].sweep, EPOCHS, dict(key[1:]), tuple(sorted(members, key=_epochs, reverse=True)))
        for key, members in groups.items()
        if len(members) > 1
    ]


def _epochs(point: PointRuns) -> float:
    return float(point.axes[EPOCHS])


def laws_of(curve: Curve, predict: Sequence[int] = ()) -> Laws:
    """Fit the laws of strong or weak scaling to the times of a curve, and predict times of other sizes."""
    runs = [
        (size, seconds)
        for size, point in zip(curve.sizes, curve.points, strict=True)
        for seconds in point.seconds
        if seconds > 0
    ]
    fits, refused = [], {}
    weak = all(point.weak for point in curve.points)
    if weak:
        refused["Amdahl"] = "every rank has as much work at every size (weak scaling)"
    for law, terms in (WEAK_LAWS if weak else LAWS).items():
        try:
            fits.append(fit(law, terms, runs, predict))
        except FitRefusedError as error:
            refused[law] = str(error)
    return Laws(curve, tuple(fits), refused)


def accuracy_break(curve: Curve, threshold: float) -> Break:
    """Return the first size of a curve whose median accuracy is below a threshold."""
    medians = [
        (size, median_interval(point.metrics["accuracy"][1]).value, point)
        for size, point in zip(curve.sizes, curve.points, strict=True)
        if "accuracy" in point.metrics
    ]
    holds = None
    for size, accuracy, point in medians:
        if accuracy < threshold:
            _, epochs = point.metrics.get("epochs_run", ("", ()))
            of_rank = median_interval(epochs).value if epochs else None
            return Break(curve.name, curve.scale, threshold, len(medians), size, accuracy, of_rank, holds)
        holds = size
    return Break(curve.name, curve.scale, threshold, len(medians))
