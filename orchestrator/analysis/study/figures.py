"""The figures of a study. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from orchestrator.analysis.base.line_figure import LineFigure, Series
from orchestrator.analysis.base.statistics import Estimate, median_interval
from orchestrator.analysis.study.comparison import Choice
from orchestrator.analysis.study.cost_models import StepCost
from orchestrator.analysis.study.curves import Curve, Laws
from orchestrator.analysis.study.tables import SECTIONS, metric_units

_CURVES = 8
"""Curves that one figure has; tables have all."""
_EACH_ALONE = ("phases",)
_NAME_BYTES = 200  # file systems allow 255 with number and ending


@dataclass(frozen=True, slots=True)
class Figure:
    """A file name without ending, which no other figure of the study has, and what is drawn."""

    name: str
    drawn: LineFigure


def figures(
    laws: Sequence[Laws],
    epochs: Sequence[Curve],
    choices: Sequence[Choice],
    threshold: float | None = None,
    costs: Sequence[StepCost] = (),
) -> list[Figure]:
    """Return time, efficiency (or flatness), phases, epochs, accuracy and energy over ranks, and choices.

    Costs of communication have a figure for each curve.

    Parameters
    ----------
    epochs
        Curves over epochs, of which the accuracy is drawn.
    """
    over_epochs: dict[str, list[Curve]] = {}
    for curve in epochs:
        over_epochs.setdefault(curve.sweep, []).append(curve)
    found = [
        *(one for sweep in _by_sweep(laws) for one in _of_sweep(sweep, threshold)),
        *(one for each in over_epochs.values() for one in _metrics(each[:_CURVES], "accuracy", threshold)),
        *_of_choices(choices),
        *_of_costs(costs),
    ]
    names: dict[str, int] = {}
    unique = []
    for one in found:
        number = names[one.name] = names.get(one.name, 0) + 1
        unique.append(Figure(one.name if number == 1 else f"{one.name}-{number}", one.drawn))
    return unique


def _by_sweep(laws: Sequence[Laws]) -> list[list[Laws]]:
    sweeps: dict[str, list[Laws]] = {}
    for one in laws:
        sweeps.setdefault(one.curve.sweep, []).append(one)
    return [members[:_CURVES] for members in sweeps.values()]


def _of_sweep(laws: Sequence[Laws], threshold: float | None) -> Iterator[Figure]:
    curves = [one.curve for one in laws]
    first = curves[0]
    measured = [_series(curve.name, curve, "time") for curve in curves]
    fitted = [
        Series(
            f"{one.curve.name}: {fit.law} (fit)",
            tuple(
                (size, Estimate(fit.at(size), None, None))
                for size in sorted({*one.curve.sizes, *(other.size for other in fit.predictions)})
            ),
            dashed=True,
        )
        for one in laws
        for fit in one.fits
    ]
    predicted = [
        Series(
            f"{one.curve.name}: {fit.law} (prediction)",
            tuple((point.size, point.time) for point in fit.predictions),
            dashed=True,
        )
        for one in laws
        for fit in one.fits
        if fit.predictions
    ]
    unit = first.points[0].unit
    title = f"{first.sweep}: time against {first.scale}"
    yield from _drawn(
        f"{first.sweep}-time", title, (first.scale, unit), [*measured, *fitted, *predicted], log=True
    )
    weak = all(point.weak for curve in curves for point in curve.points)
    name = "flatness" if weak else "efficiency"
    shares = [_share(curve, weak=weak) for curve in curves]
    title = f"{first.sweep}: {name} against {first.scale}"
    yield from _drawn(f"{first.sweep}-{name}", title, (first.scale, name), shares)
    for section in SECTIONS:
        if section in _EACH_ALONE:
            yield from _phases(first, section)
        else:
            yield from _metrics(curves, section, threshold)


def _share(curve: Curve, *, weak: bool) -> Series:
    """Return flatness or parallel efficiency against the smallest size that ran."""
    medians = [
        (size, median_interval(point.seconds).value)
        for size, point in zip(curve.sizes, curve.points, strict=True)
        if point.seconds
    ]
    if not medians or not all(median for _, median in medians):
        return Series(curve.name, ())
    least, base = medians[0]
    return Series(
        curve.name,
        tuple(
            (size, Estimate(base / median * (1 if weak else least / size), None, None))
            for size, median in medians
        ),
    )


def _phases(curve: Curve, section: str) -> Iterator[Figure]:
    names = SECTIONS[section].chosen(metric_units(curve.points))
    series = [_series(name.removesuffix("_seconds"), curve, name) for name in names]
    title = f"{curve.name}: {SECTIONS[section].title}"
    yield from _drawn(f"{curve.sweep}-{section}", title, (curve.scale, "s"), series)


def _metrics(curves: Sequence[Curve], section: str, threshold: float | None) -> Iterator[Figure]:
    units = metric_units(point for curve in curves for point in curve.points)
    for name in SECTIONS[section].chosen(units):
        if not re.fullmatch(SECTIONS[section].drawn, name, re.DOTALL):
            continue
        series = [_series(curve.name, curve, name) for curve in curves]
        if name == "accuracy" and threshold is not None:
            limit = Estimate(threshold, None, None)
            ends = sorted({size for curve in curves for size in curve.sizes})
            line = tuple((size, limit) for size in ends)
            series.append(Series(f"threshold {threshold:g}", line, dashed=True))
        title = f"{curves[0].sweep}: {name} against {curves[0].scale}"
        yield from _drawn(f"{curves[0].sweep}-{name}", title, (curves[0].scale, units[name] or name), series)


def _of_choices(choices: Sequence[Choice]) -> Iterator[Figure]:
    groups: dict[tuple[str, str, str], list[Choice]] = {}
    for one in choices:
        groups.setdefault((one.sweep, one.axis, one.figure), []).append(one)
    for (sweep, axis, figure), members in groups.items():
        series = [
            Series(
                ",".join(f"{name}={value}" for name, value in one.axes.items()) or figure,
                tuple(
                    (value, Estimate(median, None, None))
                    for value, median in one.medians.items()
                    if median is not None
                ),
            )
            for one in members[:_CURVES]
        ]
        label = members[0].unit or figure
        yield from _drawn(
            f"{sweep}-{figure}-by-{axis}", f"{sweep}: {figure} by {axis}", (axis, label), series
        )


def _of_costs(costs: Sequence[StepCost]) -> Iterator[Figure]:
    """Yield measured step and predicted communication over ranks, a figure for each curve."""
    for curve in dict.fromkeys(one.curve for one in costs):
        members = [one for one in costs if one.curve == curve]
        predicted: dict[str, list[tuple[int, float | None]]] = {
            "step": [(one.ranks, one.step) for one in members],
            "all-reduce (predicted)": [(one.ranks, one.collective) for one in members],
            "parameter server (predicted)": [(one.ranks, one.server) for one in members],
        }
        series = [
            Series(
                name,
                tuple((ranks, Estimate(time, None, None)) for ranks, time in points if time is not None),
                dashed=name != "step",
            )
            for name, points in predicted.items()
        ]
        title = f"{curve}: step and communication against ranks"
        yield from _drawn(f"{curve}-communication", title, ("ranks", "s"), series, log=True)


def _series(name: str, curve: Curve, figure: str) -> Series:
    pairs = zip(curve.sizes, curve.points, strict=True)
    values = [(size, point.measured(figure)[1]) for size, point in pairs]
    return Series(name, tuple((size, median_interval(found)) for size, found in values if found))


def _drawn(
    name: str, title: str, labels: tuple[str, str], series: Sequence[Series], *, log: bool = False
) -> Iterator[Figure]:
    """Yield one figure, with the curves that have a point; none where no curve has one."""
    if there := [one for one in series if one.points]:
        file_name = re.sub(r"[^\w.=,+-]", "_", name).lstrip(".")[:150]
        yield Figure(file_name, LineFigure(title, labels, tuple(there), log))
