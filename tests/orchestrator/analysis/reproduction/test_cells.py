"""Cells of made exhibits: published numbers and ours, and why one of ours is missing."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.analysis.publications.documents import Number
from orchestrator.analysis.reproduction.cells import Cell, cells
from orchestrator.analysis.reproduction.exhibits import Exhibit
from orchestrator.analysis.study.sweep_summary import PointRuns

SEVEN = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0)


def point(seconds: tuple[float, ...] = SEVEN, ranks: int = 1, **more: Any) -> PointRuns:
    made: dict[str, Any] = {"benchmark": f"nt3[ranks={ranks}]", "workload": "nt3", "axes": {"ranks": ranks}}
    return PointRuns(
        "nt3", made.pop("axes") | more.pop("axes", {}), ranks, 1, 7, seconds, "s", **made, **more
    )


def number(row: str = "Time", column: str = "1", value: float | None = 2.0, **more: Any) -> Number:
    given: dict[str, Any] = {
        "place": "Table 1", "unit": "s", "obtained": "read", "machine": "m", "workload": "nt3",
        "where": {"ranks": int(column)} if column.isdigit() else {}, "metric": "time",
    }  # fmt: skip
    return Number(row=row, column=column, value=value, **(given | more))


def made(exhibit: dict[str, Any], numbers: list[Number], points: list[PointRuns]) -> list[Cell]:
    return cells(Exhibit(title="t", **exhibit), numbers, points, {"nt3": {"train_rows": 1120}})


def test_a_number_stands_beside_our_median_with_its_interval() -> None:
    [cell] = made({}, [number()], [point()])
    assert (cell.published, cell.ours and cell.ours.value, cell.ratio, cell.runs) == (2.0, 4.0, 2.0, 7)
    assert cell.ours is not None
    assert (cell.ours.low, cell.ours.high) == (1.0, 7.0)
    assert (cell.differs, cell.reason) == ("", "")


def test_a_scale_that_was_not_run_says_so() -> None:
    [cell] = made({}, [number(column="384")], [point()])
    assert (cell.ours, cell.ratio, cell.reason) == (None, None, "no run of nt3 with ranks=384")


def test_a_point_without_accepted_runs_says_why() -> None:
    [cell] = made({}, [number()], [point((), missing={"timed out": 7})])
    assert cell.reason == "nt3[ranks=1] has no time: 7 timed out"


def test_other_parameters_and_data_are_named() -> None:
    other = point(changed={"filters": 8}, parameters={"filters": 8}, data={"train_rows": 60})
    [cell] = made({}, [number()], [other])
    assert cell.differs == "filters=8, train_rows=60"
    [closest] = made({}, [number()], [other, point((9.0,) * 7)])
    assert (closest.differs, closest.ours and closest.ours.value) == ("", 9.0)


def test_a_failure_stands_beside_the_fate_of_ours() -> None:
    failed = number(value=None, failure="out of memory", metric="", where={})
    [cell] = made({}, [failed], [point((), missing={"out of memory": 7})])
    assert cell.reason == "published: out of memory; ours: 7 out of memory"


def test_rows_and_columns_give_runs_and_convert_units() -> None:
    exhibit = {"rows": {"Rate": {"metric": "rate", "factor": 1e-3}}, "columns": {"NT3": {"workload": "nt3"}}}
    unlinked = number("Rate", "NT3", 5.0, unit="k/s", workload="", metric="", where={})
    [cell] = made(exhibit, [unlinked], [point(metrics={"rate": ("1/s", (2000.0,))})])
    assert (cell.ours and cell.ours.value, cell.ratio) == (2.0, 0.4)
    [absent] = made({}, [unlinked], [point()])
    assert absent.reason == "no campaign measures it"
    [reason] = made({"absent": "a diagram"}, [unlinked], [point()])
    assert reason.reason == "a diagram"


def test_another_unit_is_no_number() -> None:
    [cell] = made({}, [number(unit="min")], [point()])
    assert (cell.ours, cell.reason) == (None, "nt3[ranks=1] has time in s")


def test_curves_have_a_cell_at_each_place() -> None:
    curves = {"curves": {"Total": {"workload": "nt3", "metric": "time"}}}
    found = made(curves, [], [point((9.0,), ranks=12), point((3.0,), ranks=6), point((1.0,), ranks=6)])
    assert [(cell.column, cell.ours and cell.ours.value) for cell in found] == [("6", 3.0), ("12", 9.0)]
    [absent] = made(curves, [], [])
    assert absent.reason == "no run of nt3"


def loaded(seconds: float, ranks: int, loader: str) -> PointRuns:
    return point((seconds,) * 6, ranks, axes={"loader": loader}, parameters={"loader": loader})


LOADERS = [
    loaded(10.0, 1, "old"), loaded(9.0, 1, "new"), loaded(10.0, 2, "old"), loaded(4.0, 2, "new")
]  # fmt: skip
SAVING: dict[str, Any] = {
    "workload": "nt3", "metric": "time", "since": {"loader": "old"}, "to": {"loader": "new"},
    "shown": "saving",
}  # fmt: skip


def test_the_largest_change_stands_beside_the_published() -> None:
    stated = number("improvement, up to", "", 67.68, unit="%", workload="", metric="", where={})
    exhibit = {"changes": {"Improvement": SAVING | {"largest": "improvement, up to"}}}
    one, two, largest = made(exhibit, [stated], LOADERS)
    assert [one.column, two.column, largest.column] == ["1", "2", "largest"]
    assert one.ours is not None
    assert one.ours.value == pytest.approx(10.0)
    assert largest.ours is not None
    assert (largest.row, largest.published, largest.ours.value) == ("improvement, up to", 67.68, 60.0)
    assert largest.ours.low is not None
    assert largest.ours.high is not None
    assert largest.ours.low <= 60.0 <= largest.ours.high
    [absent] = made(exhibit, [stated], [])
    assert absent.reason == "no runs of nt3 to compare by time"


def test_changes_of_a_row_stand_beside_its_numbers() -> None:
    numbers = [number("% Increase", "2", 24.85, unit="%", workload="", metric="", where={})]
    exhibit = {"changes": {"Time": SAVING | {"row": "% Increase", "shown": "increase"}}}
    two, one = made(exhibit, numbers, LOADERS)
    assert (two.column, two.published, two.ours and two.ours.value) == ("2", 24.85, -60.0)
    assert (one.column, one.published) == ("1", None)
    assert one.ours is not None
    assert one.ours.value == pytest.approx(-10.0)


def test_efficiency_is_against_the_smallest_size() -> None:
    rates = [
        point(ranks=ranks, metrics={"rate": ("1/s", (rate,))}) for ranks, rate in ((8, 10.0), (16, 18.0))
    ]
    change = {"workload": "nt3", "metric": "rate", "since": {"ranks": 8}, "shown": "efficiency"}
    numbers = [number("FP32", "16", 0.91, unit="", workload="", metric="", where={})]
    [cell] = made({"changes": {"FP32": change}}, numbers, rates)
    assert (cell.published, cell.ours and cell.ours.value) == (0.91, 0.9)


def test_both_sides_of_a_change_say_how_they_differ() -> None:
    old = point((10.0,) * 6, axes={"loader": "old"}, parameters={"loader": "old"}, changed={"filters": 8})
    new = point((5.0,) * 6, axes={"loader": "new"}, parameters={"loader": "new"}, data={"train_rows": 60})
    [cell] = made({"changes": {"Saving": SAVING}}, [], [old, new])
    assert cell.differs == "train_rows=60, filters=8"


def test_a_median_of_zero_has_no_ratio() -> None:
    [cell] = made({"changes": {"Saving": SAVING}}, [], [loaded(0.0, 1, "old"), loaded(5.0, 1, "new")])
    assert (cell.ours, cell.ratio) == (None, None)
    assert "median of 0" in cell.reason


def test_runs_that_have_the_metric_come_first() -> None:
    two = point(ranks=2, metrics={"rate": ("1/s", (3.0,))}, changed={"filters": 8}, parameters={"filters": 8})
    unlinked = number("Rate", "NT3", 6.0, unit="1/s", workload="", metric="", where={})
    exhibit = {"rows": {"Rate": {"workload": "nt3", "metric": "rate"}}}
    [cell] = made(exhibit, [unlinked], [point(), two])
    assert (cell.ours and cell.ours.value, cell.differs) == (3.0, "filters=8")


def test_a_curve_is_of_the_runs_that_have_its_metric() -> None:
    curves = {"curves": {"Convolution": {"workload": "nt3", "metric": "profile_convolution_percent"}}}
    profiled = point((), metrics={"profile_convolution_percent": ("%", (60.0,))}, changed={"epochs": 2})
    [cell] = made(curves, [], [point(), profiled])
    assert cell.ours is not None
    assert cell.ours.value == 60.0
