"""Points that differ in one axis or parameter, such as `framework`, side by side. Pure."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from statistics import median

from orchestrator.analysis.base.metric_names import TIME, better_of
from orchestrator.analysis.base.statistics import holm, rank_test
from orchestrator.analysis.comparison.axis_rows import DEFAULT, Cell, Row, rows_by
from orchestrator.analysis.study.sweep_summary import PointRuns
from orchestrator.wording import count_of
from workloads.metrics.definitions import Better

_ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Tally:
    """How a value of the axis did.

    Parameters
    ----------
    points, invalid, failed
        Points that have it; those out of their bound; and those with failed instances.
    best, certain
        Rows in which it is best, and is certainly so.
    ratio
        Median, over the rows with another valid point, of its figure ÷ the best one.
    """

    value: str
    points: int
    invalid: int
    failed: int
    best: int
    certain: int
    ratio: float | None


@dataclass(frozen=True, slots=True)
class AxisComparison:
    """Points side by side.

    Parameters
    ----------
    better
        Which values of the metric are.
    failing
        Points that are out of their bound, or have failed instances; those out of bound first.
    comparisons
        Pairs that were compared by a rank test: for so many Holm's method corrects.
    notes
        What a reader must know of the tests.
    """

    axis: str
    metric: str
    better: Better
    values: tuple[str, ...]
    rows: tuple[Row, ...]
    failing: tuple[Cell, ...]
    tallies: tuple[Tally, ...]
    comparisons: int
    notes: tuple[str, ...] = field(default=())


def compare_by(
    points: Sequence[PointRuns], axis: str, metric: str | None = None, *, rank_tests: bool = True
) -> AxisComparison:
    """Compare the points that differ in an axis, or parameter, alone.

    Parameters
    ----------
    metric
        Name of a metric, or `TIME`; by default ``wallclock_seconds`` in rows where all points have it, else
        the FOM time.
    rank_tests
        Whether SciPy is there to make them; without, intervals alone are compared.

    Raises
    ------
    CampaignError
        If no two points differ in it, or none has the metric.
    """
    better = better_of(metric or DEFAULT)
    rows = [_with_best(row, better) for row in rows_by(points, axis, metric)]
    pairs, rows = _tested(rows, better) if rank_tests else ({}, rows)
    rows = [_decided(row, pairs.get(number, {}), better) for number, row in enumerate(rows)]
    cells = [cell for row in rows for cell in row.cells]
    values = tuple(dict.fromkeys(cell.value for cell in cells))
    failing = sorted((cell for cell in cells if cell.failures), key=lambda cell: not cell.invalid)
    comparisons = sum(map(len, pairs.values()))
    return AxisComparison(
        axis,
        metric or (DEFAULT if any(row.metric == DEFAULT for row in rows) else TIME),
        better,
        values,
        tuple(rows),
        tuple(failing),
        tuple(_tally(value, rows, better) for value in values),
        comparisons,
        tuple(_notes(rows, comparisons, rank_tests=rank_tests)),
    )


def _with_best(row: Row, better: Better) -> Row:
    known = {cell.value: cell.figure.value for cell in row.cells if cell.counts and cell.figure is not None}
    if not known or better == "none":
        return row
    return replace(row, best=(min if better == "lower" else max)(known, key=lambda value: known[value]))


_Pairs = dict[frozenset[str], float]


def _tested(rows: Sequence[Row], better: Better) -> tuple[dict[int, _Pairs], list[Row]]:
    """Return the corrected probability of every pair by the number of its row, and rows with `differ`."""
    if better == "none":
        return {}, list(rows)
    found: list[tuple[int, frozenset[str], float]] = []
    groups: dict[int, float] = {}
    for number, row in enumerate(rows):
        repeated = [cell for cell in row.cells if cell.counts and len(cell.values) > 1]
        if len(repeated) > 2:
            groups[number] = rank_test([cell.values for cell in repeated])
        for one, other in itertools.combinations(repeated, 2):
            pair = frozenset((one.value, other.value))
            found.append((number, pair, rank_test([one.values, other.values])))
    pairs: dict[int, _Pairs] = {}
    for (number, pair, _), corrected in zip(found, holm([one[2] for one in found]).tolist(), strict=True):
        pairs.setdefault(number, {})[pair] = corrected
    differ = dict(zip(groups, holm(list(groups.values())).tolist(), strict=True))
    return pairs, [replace(row, differ=differ.get(number)) for number, row in enumerate(rows)]


def _decided(row: Row, pairs: _Pairs, better: Better) -> Row:
    """Say whether the best point is certainly better than every other."""
    best = row.cell(row.best) if row.best is not None else None
    others = [cell for cell in row.cells if cell.counts and cell is not best]
    if best is None or not others:
        return row
    tested = [pairs.get(frozenset((best.value, cell.value))) for cell in others]
    probabilities = [one for one in tested if one is not None]
    by_interval = [
        _apart(best, cell, better) for cell, one in zip(others, tested, strict=True) if one is None
    ]
    known = [one for one in by_interval if one is not None]
    if len(known) < len(by_interval):  # of some other point nothing can be stated
        return row
    largest = max(probabilities, default=None)
    certain = all(known) and (largest is None or largest <= _ALPHA)
    return replace(
        row,
        test=" and ".join(["rank test"] * bool(probabilities) + ["intervals"] * bool(known)),
        probability=largest,
        certain=certain and (row.differ is None or row.differ <= _ALPHA),
    )


def _apart(best: Cell, other: Cell, better: Better) -> bool | None:
    """Return whether the intervals of two points do not overlap; None where one has none."""
    one, two = best.figure, other.figure
    if (
        one is None
        or two is None
        or one.low is None
        or one.high is None
        or two.low is None
        or two.high is None
    ):
        return None
    return one.high < two.low if better == "lower" else one.low > two.high


def _tally(value: str, rows: Sequence[Row], better: Better) -> Tally:
    mine = [(row, cell) for row in rows if (cell := row.cell(value)) is not None]
    ratios = []
    for row, cell in mine:
        best = row.cell(row.best) if row.best is not None else None
        if best is None or best.figure is None or not cell.counts or cell.figure is None:
            continue
        if sum(one.counts for one in row.cells) > 1 and best.figure.value > 0 and cell.figure.value > 0:
            ratio = cell.figure.value / best.figure.value
            ratios.append(ratio if better == "lower" else 1 / ratio)
    best_in = [row for row, _ in mine if row.best == value]
    return Tally(
        value,
        len(mine),
        sum(cell.invalid for _, cell in mine),
        sum(bool(cell.failures) and not cell.invalid for _, cell in mine),
        len(best_in),
        sum(row.certain for row in best_in),
        median(ratios) if ratios else None,
    )


def _notes(rows: Sequence[Row], comparisons: int, *, rank_tests: bool) -> Iterable[str]:
    tests = Counter(row.test for row in rows if row.test)
    if comparisons:
        yield (
            "rank tests of the repeats (Mann-Whitney; of three points or more Kruskal-Wallis too), corrected "
            f"by Holm's method for {comparisons:,} pairs; certain: at most {_ALPHA:g}"
        )
        least = min((row.probability for row in rows if row.probability is not None), default=1.0)
        if least > _ALPHA:
            yield (
                "no pair is certain; with few repeats no ranks can be after this correction: "
                "more repeats, or fewer points (--benchmark), can decide"
            )
    if any("intervals" in test for test in tests):
        yield (
            "where a point has one run, intervals of its reruns in one process are compared, which differ "
            "less than runs do; certain: they do not overlap; not corrected for their number"
        )
    if not rank_tests and any(len(cell.values) > 1 for row in rows for cell in row.cells):
        yield "no rank tests, as SciPy is not installed; it comes with the extra `statistics`"
    if undecided := sum(row.best is not None and not row.test and row.spread != 1 for row in rows):
        yield (
            f"{count_of(undecided, 'row', 'have')} too few runs and no intervals: what is best "
            "there is not certain"
        )
