"""Points side by side: what is best, how certainly, and what is not counted."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from typing import Any

import pytest

from orchestrator.analysis.base.metric_names import TIME, better_of
from orchestrator.analysis.comparison import axis_comparison
from orchestrator.analysis.comparison.axis_comparison import compare_by
from orchestrator.analysis.study.sweep_summary import PointRuns
from orchestrator.analysis.study.tables import metric_units
from orchestrator.errors import CampaignError

FRAMEWORKS = {"tensorflow": 1.0, "jax": 1.3, "torch": 2.0}


def point(framework: str, *values: float, operator: str = "matmul", **changes: Any) -> PointRuns:
    """Return a point of an operator with repeats of these times."""
    axes = {"operator": operator, "framework": framework} | changes.pop("axes", {})
    metrics = {"wallclock_seconds": ("s", values)} | changes.pop("metrics", {})
    if not values:
        del metrics["wallclock_seconds"]
    return PointRuns(
        **{
            "sweep": "operators", "axes": axes, "ranks": 1, "nodes": 1, "planned": len(values),
            "seconds": tuple(10 + value for value in values), "unit": "s", "parameters": axes,
            "benchmark": f"operators[operator={operator},framework={framework}]", "workload": "deep500",
            "metrics": metrics, **changes,
        }
    )  # fmt: skip


def measured(framework: str, low: float, middle: float, high: float, **changes: Any) -> PointRuns:
    """Return a point of one run with the interval of its own reruns."""
    bounds = {"wallclock_seconds_low": ("s", (low,)), "wallclock_seconds_high": ("s", (high,))}
    return point(framework, middle, metrics=bounds | changes.pop("metrics", {}), **changes)


def repeats(framework: str, number: int = 20, seed: int = 1, **changes: Any) -> PointRuns:
    draw = random.Random(f"{seed}{framework}{changes}")
    times = (FRAMEWORKS[framework] * draw.lognormvariate(0, 0.05) for _ in range(number))
    return point(framework, *times, **changes)


def test_repeats_are_compared_by_ranks_and_corrected_for_all_pairs():
    points = [repeats(name, operator=op) for op in ("matmul", "conv") for name in FRAMEWORKS]
    found = compare_by(points, "framework")
    assert (found.metric, found.better, found.comparisons) == ("wallclock_seconds", "lower", 6)
    assert [(row.axes, row.best, row.certain, row.test) for row in found.rows] == [
        ({"operator": "matmul"}, "tensorflow", True, "rank test"),
        ({"operator": "conv"}, "tensorflow", True, "rank test"),
    ]
    first, *_, last = found.tallies
    assert (first.value, first.points, first.best, first.certain, first.ratio) == ("tensorflow", 2, 2, 2, 1.0)
    assert (last.value, last.best) == ("torch", 0)
    assert last.ratio == pytest.approx(2.0, rel=0.1)
    assert "corrected by Holm's method for 6 pairs" in found.notes[0]


def test_points_alike_are_not_told_apart():
    """Among 60 pairs of equal frameworks, about three have 5 % uncorrected; corrected ones are rare."""
    draw = random.Random(2017)
    points = [
        point(name, *(draw.lognormvariate(0, 0.3) for _ in range(12)), operator=f"o{number}")
        for number in range(60)
        for name in ("jax", "torch")
    ]
    found = compare_by(points, "framework")
    assert found.comparisons == 60
    assert sum(row.certain for row in found.rows) == 0
    assert all(row.best for row in found.rows)
    assert any("no pair is certain" in note for note in found.notes)


def test_a_single_run_is_compared_by_the_intervals_of_its_reruns():
    apart = [measured("jax", 0.9, 1.0, 1.1), measured("torch", 1.2, 1.5, 1.9)]
    overlap = [
        measured("jax", 0.9, 1.0, 1.3, operator="conv"), measured("torch", 1.2, 1.5, 1.9, operator="conv"),
    ]  # fmt: skip
    unknown = [point("jax", 1.0, operator="lstm"), measured("torch", 1.2, 1.5, 1.9, operator="lstm")]
    found = compare_by([*apart, *overlap, *unknown], "framework")
    assert [(row.best, row.test, row.certain) for row in found.rows] == [
        ("jax", "intervals", True), ("jax", "intervals", False), ("jax", "", False),
    ]  # fmt: skip
    assert found.comparisons == 0
    assert [row.probability for row in found.rows] == [None] * 3
    assert any("reruns in one process" in note for note in found.notes)
    assert any("1 row has too few runs" in note for note in found.notes)


def test_an_invalid_point_is_never_best_and_stands_first_among_what_fails():
    wrong = {"error_over_bound": ("", (0.5, 3.0))}
    right = {"error_over_bound": ("", (1.0, 0.2))}
    points = [
        point("tensorflow", 5.0, 6.0, metrics=right, missing={"out of memory": 1, "not run yet": 4}),
        point("jax", 0.1, 0.1, metrics=wrong),
        point("torch", 7.0, 8.0, metrics=right, missing={"running": 1}),
    ]
    found = compare_by(points, "framework")
    assert found.rows[0].best == "tensorflow"
    assert [(cell.value, cell.failures) for cell in found.failing] == [
        ("jax", "error_over_bound 3"), ("tensorflow", "1 out of memory"),
    ]  # fmt: skip
    assert [(one.invalid, one.failed) for one in found.tallies] == [(0, 1), (1, 0), (0, 0)]
    assert found.rows[0].spread == pytest.approx(7.5 / 5.5)
    assert found.comparisons == 1
    infinite = point("jax", 0.1, 0.1, metrics={"error_over_bound": ("", (0.5, 1e300))})
    [failing] = compare_by([points[2], infinite], "framework").failing
    assert failing.failures == "error_over_bound infinite or no number"


def test_benchmarks_with_the_same_parameters_have_rows_of_their_own():
    points = [
        replace(point(name, seconds), axes={}, sweep=f"{processes}-{name}")
        for processes, factor in (("fresh", 2.0), ("warm", 1.0))
        for name, seconds in (("jax", 3.0 * factor), ("torch", 4.0 * factor))
    ]
    found = compare_by(points, "framework")
    assert [(row.axes, row.best) for row in found.rows] == [({"copy": 1}, "jax"), ({"copy": 2}, "jax")]
    assert [[cell.values for cell in row.cells] for row in found.rows] == [
        [(6.0,), (8.0,)], [(3.0,), (4.0,)],
    ]  # fmt: skip


def test_a_point_with_no_run_and_a_row_with_one_point():
    points = [point("jax"), point("torch", 1.0), point("torch", 2.0, operator="conv")]
    found = compare_by(points, "framework")
    assert [(row.best, row.certain, row.spread) for row in found.rows] == [("torch", False, 1.0)] * 2
    assert found.rows[0].cell("jax").figure is None
    assert found.tallies[0].ratio is None


def test_the_time_of_instances_is_compared_where_some_point_measures_no_other():
    points = [point("jax", 1.0), point("torch", 2.0, metrics={"wallclock_seconds": ("s", ())})]
    del points[1].metrics["wallclock_seconds"]
    found = compare_by(points, "framework")
    assert (found.metric, found.rows[0].metric) == (TIME, TIME)
    assert [cell.values for cell in found.rows[0].cells] == [(11.0,), (12.0,)]


def test_a_metric_in_two_units_has_no_ratio():
    energies = {"jax": ("J", (3000.0,)), "torch": ("kJ", (2.9,))}
    points = [point(name, 1.0, metrics={"energy_joules": one}) for name, one in energies.items()]
    with pytest.raises(CampaignError, match="energy_joules of operators is in J and kJ, which have no ratio"):
        compare_by(points, "framework", "energy_joules")
    assert metric_units(points)["energy_joules"] == "J or kJ"
    assert metric_units(points)["wallclock_seconds"] == "s"


def test_higher_figures_may_be_better():
    rates = [
        point(name, 1.0, metrics={"forward_flop_per_second": ("FLOP/s", (rate,))})
        for name, rate in (("jax", 5.0), ("torch", 10.0))
    ]
    found = compare_by(rates, "framework", "forward_flop_per_second")
    assert (found.better, found.rows[0].best, found.rows[0].unit) == ("higher", "torch", "FLOP/s")
    assert [one.ratio for one in found.tallies] == [2.0, 1.0]


@pytest.mark.parametrize(
    ("metric", "better"),
    [
        ("map_50_accuracy", "higher"),
        ("images_per_second", "higher"),
        ("bytes_per_second", "higher"),
        ("peak_memory_bytes", "lower"),
        ("seconds_to_accuracy", "lower"),
        ("epochs_to_accuracy", "lower"),
        ("handed_bytes_per_step", "lower"),
        ("train_loss", "lower"),
        (TIME, "lower"),
        ("target_reached", "none"),
        ("lossless_share", "none"),
    ],
)
def test_the_direction_of_a_metric_without_a_definition_is_in_its_name_or_not_known(metric, better):
    assert better_of(metric) == better


def test_a_parameter_groups_points_without_a_matrix():
    points = [
        PointRuns(
            sweep=f"b{number}", axes={}, ranks=1, nodes=1, planned=1, seconds=(1.0 + number,), unit="s",
            benchmark=f"b{number}", workload="gemm", parameters={"framework": name, "m": m, "k": 4},
        )
        for number, (m, name) in enumerate(itertools.product((8, 16), ("numpy", "tensorflow")))
    ]  # fmt: skip
    found = compare_by(points, "framework")
    assert [row.axes for row in found.rows] == [{"m": 8}, {"m": 16}]
    assert [row.best for row in found.rows] == ["numpy", "numpy"]


def test_numbers_of_an_axis_are_written_as_in_the_file():
    points = [
        point("jax", 1.0, axes={"size": size, "rate": 0.5}, benchmark=f"b{size}")
        for size in (16.0, 12345678.0)
    ]
    assert compare_by(points, "size").values == ("16", "12345678")


def test_without_scipy_there_are_intervals_alone(monkeypatch):
    monkeypatch.setattr(axis_comparison, "rank_test", None)
    found = compare_by([repeats("jax"), repeats("torch")], "framework", rank_tests=False)
    assert (found.rows[0].test, found.rows[0].certain, found.comparisons) == ("intervals", True, 0)
    assert any("SciPy is not installed" in note for note in found.notes)


def test_equal_times_are_no_difference():
    points = [point(name, *[1.0] * 10) for name in FRAMEWORKS]
    found = compare_by(points, "framework")
    assert (found.rows[0].probability, found.rows[0].differ, found.rows[0].certain) == (1.0, 1.0, False)


@pytest.mark.parametrize(
    ("axis", "metric", "message"),
    [
        ("framewrk", None, "no point has 'framewrk'; did you mean framework?; they differ in framework"),
        ("operator", None, "all points have operator matmul; they differ in framework"),
        (
            "framework",
            "wallclock",
            "no accepted run has the metric 'wallclock'; did you mean",
        ),
    ],
)
def test_what_cannot_be_compared_is_one_line_with_advice(axis, metric, message):
    with pytest.raises(CampaignError) as caught:
        compare_by([point("jax", 1.0), point("torch", 2.0)], axis, metric)
    assert str(caught.value).startswith(message)
    with pytest.raises(CampaignError, match="no point has 'framework'"):
        compare_by([], "framework")


def test_nine_repeats_can_be_certain_among_a_thousand_pairs():
    points = [
        point(name, *(base + 0.01 * number + 1e-4 * one for one in range(9)), operator=f"o{number}")
        for number in range(1000)
        for name, base in (("jax", 1.0), ("torch", 2.0))
    ]
    found = compare_by(points, "framework")
    assert (found.comparisons, found.tallies[0].certain) == (1000, 1000)
    fewer = [replace(one, metrics={"wallclock_seconds": ("s", one.metrics["wallclock_seconds"][1][:8])})
             for one in points]  # fmt: skip
    assert compare_by(fewer, "framework").tallies[0].certain == 0
