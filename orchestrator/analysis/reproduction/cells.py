"""Published numbers and ours, cell by cell. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import isfinite
from typing import Any

from orchestrator.analysis.base.statistics import Estimate, median_interval, ratio_of_medians
from orchestrator.analysis.publications.documents import Conditions, Number
from orchestrator.analysis.reproduction.exhibits import Change, Curve, Exhibit, Runs
from orchestrator.analysis.study.closest_runs import axis_text, by_number, closest_runs
from orchestrator.analysis.study.published import Published, published, set_beside
from orchestrator.analysis.study.sweep_summary import PointRuns

NOT_MEASURED = "no campaign measures it"


@dataclass(frozen=True, slots=True)
class Cell:
    """A published number with ours, or one of them.

    Parameters
    ----------
    published
        None where the document draws the number without stating it.
    ours
        Our median with its interval, in the document's unit; None where there is none.
    runs, benchmark
        Number of our runs, and their label.
    differs
        Parameters and sizes of the data of ours that are not those of the document.
    reason
        Why there is no number of ours.
    """

    row: str
    column: str
    unit: str
    published: float | None = None
    ours: Estimate | None = None
    runs: int = 0
    benchmark: str = ""
    differs: str = ""
    reason: str = ""

    @property
    def ratio(self) -> float | None:
        """Ours ÷ published."""
        return self.ours.value / self.published if self.ours and self.published else None

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {**asdict(self), "ratio": self.ratio}


def cells(
    exhibit: Exhibit,
    numbers: Iterable[Number],
    points: Sequence[PointRuns],
    sizes: Mapping[str, Mapping[str, int]],
) -> list[Cell]:
    """Return the cells of a table or figure: those with published numbers, then those that it draws.

    Parameters
    ----------
    points
        The runs of the campaigns behind it.
    sizes
        Sizes of the data set of each workload in the document.
    """
    kept = tuple(numbers)
    several = len({number.machine for number in kept}) > 1
    found = [
        _numbered(exhibit, number, points, sizes, machine=number.machine if several else "")
        for number in kept
        if not _is_change(exhibit, number)
    ]
    for label, curve in exhibit.curves.items():
        found += _drawn(label, curve, points, sizes)
    for label, change in exhibit.changes.items():
        found += _changed(label, change, points, sizes, kept)
    return found


def is_measured(exhibit: Exhibit, numbers: Sequence[Number]) -> bool:
    """Return whether runs can give any number of a table or figure."""
    linked = exhibit.rows or exhibit.columns or exhibit.curves or exhibit.changes
    return bool(linked) or any(number.metric or number.failure for number in numbers)


def _is_change(exhibit: Exhibit, number: Number) -> bool:
    """Return whether a number is of the changes, which have cells of their own."""
    return any(
        number.row in (change.largest, change.least) or _of_change(label, change, number)
        for label, change in exhibit.changes.items()
    )


def _of_change(label: str, change: Change, number: Number) -> bool:
    return number.row == (change.row or label) and change.place in ("", number.place)


def _numbered(
    exhibit: Exhibit,
    number: Number,
    points: Sequence[PointRuns],
    sizes: Mapping[str, Mapping[str, int]],
    *,
    machine: str,
) -> Cell:
    name = f"{number.row} ({machine})" if machine else number.row
    wanted, factor = published(number), 1.0
    if not (number.metric or number.failure):
        runs = exhibit.rows.get(number.row, Runs()).with_column(exhibit.columns.get(number.column, Runs()))
        if not (runs.workload and runs.metric):
            reason = exhibit.absent or NOT_MEASURED
            return Cell(name, number.column, number.unit, number.value, reason=reason)
        where = {**runs.where, **_axis(exhibit.over, number.column)}
        wanted = Published(
            workload=runs.workload, where=where, figure=runs.metric, value=number.value, unit=number.unit
        )
        factor = runs.factor
    like = closest_runs(wanted, points, sizes)
    if not like:
        reason = f"no run of {wanted.workload}" + (f" with {wanted.conditions}" if wanted.where else "")
        return Cell(name, number.column, number.unit, number.value, reason=reason)
    point, differs = next((one for one in like if one[0].measured(wanted.figure)[1]), like[0])
    if number.failure:
        outcome = f"published: {number.failure}; ours: {set_beside(wanted, point, '').outcome}"
        apart = ", ".join(differs)
        return Cell(name, number.column, "", None, None, point.planned, point.benchmark, apart, outcome)
    return _measured(name, number.column, number.unit, number.value, wanted, factor, point, differs)


def _axis(over: str, column: str) -> Conditions:
    """Return the condition that an axis has the value of a column."""
    number = by_number(column)[0]
    return {over: number if isfinite(number) else column} if over else {}


def _measured(
    row: str,
    column: str,
    unit: str,
    value: float | None,
    wanted: Published,
    factor: float,
    point: PointRuns,
    differs: Sequence[str],
) -> Cell:
    measured, values = point.measured(wanted.figure)
    reason = ""
    if not values:
        missing = ", ".join(f"{number} {why}" for why, number in point.missing.items())
        reason = f"{point.benchmark} has no {wanted.figure}" + (f": {missing}" if missing else "")
    elif factor == 1.0 and unit and measured != unit:
        reason = f"{point.benchmark} has {wanted.figure} in {measured or 'no unit'}"
    ours = None if reason else _scaled(median_interval(values), factor)
    apart = ", ".join(differs)
    return Cell(row, column, unit or measured, value, ours, len(values), point.benchmark, apart, reason)


def _scaled(estimate: Estimate, factor: float) -> Estimate:
    low, high = (None if bound is None else bound * factor for bound in (estimate.low, estimate.high))
    return Estimate(estimate.value * factor, low, high)


def _drawn(
    label: str, curve: Curve, points: Sequence[PointRuns], sizes: Mapping[str, Mapping[str, int]]
) -> Iterator[Cell]:
    wanted = Published(workload=curve.workload, where=curve.where, figure=curve.metric)
    by_place: dict[str, tuple[PointRuns, tuple[str, ...]]] = {}
    for point, differs in closest_runs(wanted, points, sizes, (curve.over,)):
        place = axis_text(point, curve.over)
        closer = by_place.get(place)
        if closer is None or (not closer[0].measured(curve.metric)[1] and point.measured(curve.metric)[1]):
            by_place[place] = point, differs
    for place in sorted(by_place, key=by_number):
        yield _measured(label, place, curve.unit, None, wanted, curve.factor, *by_place[place])
    if not by_place:
        conditions = f" with {wanted.conditions}" if curve.where else ""
        yield Cell(label, "", curve.unit, reason=f"no run of {curve.workload}{conditions}")


def _changed(
    label: str,
    change: Change,
    points: Sequence[PointRuns],
    sizes: Mapping[str, Mapping[str, int]],
    numbers: Sequence[Number],
) -> Iterator[Cell]:
    unit = "%" if change.shown in ("increase", "saving") else ""
    before = _by_place(change, change.since, points, sizes)
    after = _by_place(change, change.to, points, sizes)
    base = str(change.since[change.over]) if change.over in change.since else None
    found = []
    for place, side in after.items():
        other = before.get(base or place)
        if other is not None and place != base:
            found.append(_compared(label, change, place, base, side, other, unit))
    reason = f"no runs of {change.workload} to compare by {change.metric}"
    stated = {number.column: number for number in numbers if _of_change(label, change, number)}
    for column, number in stated.items():
        like = next(
            (cell for cell in found if cell.column == column), Cell(label, column, unit, reason=reason)
        )
        yield replace(like, published=number.value)
    yield from (cell for cell in found if cell.column not in stated)
    yield from _extremes(change, unit, found, numbers, reason)
    if not (found or stated or change.least or change.largest):
        yield Cell(label, "", unit, reason=reason)


def _compared(
    label: str, change: Change, place: str, base: str | None, side: _Side, other: _Side, unit: str
) -> Cell:
    """Return the cell of a change at a place, from the runs on both of its sides."""
    cell = Cell(
        label, place, unit, None, None, min(len(side.values), len(other.values)), side.benchmark,
        ", ".join(dict.fromkeys((*side.differs, *other.differs))),
    )  # fmt: skip
    if not median_interval(other.values).value:
        return replace(cell, reason=f"{other.benchmark} has a median of 0, to which there is no ratio")
    ours = _shown(change, ratio_of_medians(side.values, other.values), place, base)
    return replace(cell, ours=ours)


def _extremes(
    change: Change, unit: str, found: Sequence[Cell], numbers: Sequence[Number], reason: str
) -> Iterator[Cell]:
    """Yield the least and the largest change, where the document states them."""
    ordered = sorted((cell for cell in found if cell.ours), key=_value)
    for words, column, at in ((change.least, "least", 0), (change.largest, "largest", -1)):
        for number in numbers:
            if number.row == words:
                empty = Cell(words, column, unit, number.value, reason=reason)
                yield (
                    replace(ordered[at], row=words, column=column, published=number.value)
                    if ordered
                    else empty
                )


def _value(cell: Cell) -> float:
    return cell.ours.value if cell.ours else 0.0


@dataclass(frozen=True, slots=True)
class _Side:
    """Values of the runs on one side of a change, and how these runs differ from the document's."""

    benchmark: str
    values: tuple[float, ...]
    differs: tuple[str, ...]


def _by_place(
    change: Change,
    conditions: Conditions,
    points: Sequence[PointRuns],
    sizes: Mapping[str, Mapping[str, int]],
) -> dict[str, _Side]:
    """Return the closest runs on one side of a change, by the value of its axis."""
    wanted = Published(workload=change.workload, where={**change.where, **conditions}, figure=change.metric)
    found: dict[str, _Side] = {}
    for point, differs in closest_runs(wanted, points, sizes, (change.over,)):
        values = point.measured(change.metric)[1]
        if values:
            found.setdefault(axis_text(point, change.over), _Side(point.benchmark, values, differs))
    return found


def _shown(change: Change, ratio: Estimate, place: str, base: str | None) -> Estimate:
    """Return the ratio of two medians as the document shows it."""
    if change.shown in ("increase", "saving"):
        scale, offset = (100.0, -100.0) if change.shown == "increase" else (-100.0, 100.0)
    else:
        larger = float(place) / float(base) if change.shown == "efficiency" and base else 1.0
        scale, offset = 1 / larger, 0.0
    bounds = [None if bound is None else scale * bound + offset for bound in (ratio.low, ratio.high)]
    low, high = bounds if scale > 0 else reversed(bounds)
    return Estimate(scale * ratio.value + offset, low, high)
