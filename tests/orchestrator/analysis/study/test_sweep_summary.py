"""Summaries of sweeps, against numbers worked by hand and intervals from a simulation."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from typing import Any

import pytest

from orchestrator.analysis.base.statistics import median_interval
from orchestrator.analysis.study.sweep_summary import PointRuns, summaries


def point(seconds: tuple[float, ...], ranks: int = 1, planned: int = 0, **axes: Any) -> PointRuns:
    return PointRuns("nt3", axes, ranks, 1, planned or max(1, len(seconds)), seconds, "s")


@pytest.mark.parametrize(
    ("number", "rank"), [(1, 0), (5, 0), (6, 1), (8, 1), (9, 2), (10, 2), (20, 6), (25, 8), (100, 40)]
)
def test_the_ranks_of_an_interval_are_those_of_statistical_tables(number: int, rank: int) -> None:
    found = median_interval([float(one) for one in range(number, 0, -1)])
    assert (found.low, found.high) == ((rank, number + 1 - rank) if rank else (None, None))


@pytest.mark.parametrize("number", [2, 6, 11, 500])
def test_the_chance_that_an_interval_misses_is_at_most_five_percent(number: int) -> None:
    if (low := median_interval(list(range(number))).low) is None:
        assert 2 / 2**number > 0.05
        return
    rank = int(low) + 1
    assert 2 * sum(math.comb(number, k) for k in range(rank)) / 2**number <= 0.05
    assert 2 * sum(math.comb(number, k) for k in range(rank + 1)) / 2**number > 0.05


def test_intervals_cover_the_median_of_a_skewed_distribution() -> None:
    draw = random.Random(7)
    covered = 0
    for _ in range(2_000):
        found = median_interval([draw.lognormvariate(0, 1) for _ in range(10)])
        covered += (found.low or 0) <= 1 <= (found.high or 0)
    assert covered / 2_000 >= 0.95


def test_a_point_has_its_median_interval_and_share_accepted() -> None:
    [found] = summaries([point((3.0, 1.0, 2.0, 4.0, 5.0, 6.0, 7.0), planned=14, batch=4)])
    assert (found.runs, found.median, found.low, found.high, found.accepted) == (7, 4.0, 1.0, 7.0, 0.5)
    assert found.note == ""


@pytest.mark.parametrize(
    ("seconds", "note"), [((), "no run"), ((1.0,), "one run"), ((1.0, 2.0), "no interval below 6 runs")]
)
def test_what_is_missing_says_why(seconds: tuple[float, ...], note: str) -> None:
    [found] = summaries([point(seconds, batch=4)])
    assert found.note == note
    assert found.low is None
    assert (found.median is None) == (not seconds)


def test_speed_up_is_against_the_fewest_ranks_of_the_same_other_axes() -> None:
    points = [
        point((50.0,), ranks=4, ranks_axis=0, batch=1),
        point((100.0,), ranks=1, ranks_axis=0, batch=1),
        point((80.0,), ranks=2, ranks_axis=0, batch=2),
        point((40.0,), ranks=8, ranks_axis=0, batch=2),
        point((), ranks=16, ranks_axis=0, batch=2),
    ]
    found = summaries(points)
    assert [one.speed_up for one in found] == [2.0, 1.0, 1.0, 2.0, None]
    assert [one.efficiency for one in found] == [0.5, 1.0, 1.0, 0.5, None]


@pytest.mark.parametrize(
    ("parameters", "weak"),
    [
        ({}, False),
        ({"scaling": "strong"}, False),
        ({"scaling": "weak"}, True),
        ({"epoch_division": "each"}, True),
        ({"epoch_division": "divided"}, False),
        ({"epoch_division": "each", "batch_scaling": "linear"}, False),
    ],
)
def test_weak_scaling_has_a_flatness_in_place_of_a_speed_up(parameters: dict[str, str], weak: bool) -> None:
    one, four = (
        replace(point((seconds,), ranks=ranks, ranks_axis=0), parameters=parameters)
        for seconds, ranks in ((10.0, 1), (20.0, 4))
    )
    found = summaries([one, four])[1]
    assert (found.flatness, found.speed_up) == ((0.5, None) if weak else (None, 0.5))


def test_a_point_that_alone_has_its_other_axes_has_no_speed_up() -> None:
    pairs = [point((8.0,), ranks=1, batch=1), point((7.0,), ranks=2, batch=2)]
    assert [(one.speed_up, one.efficiency) for one in summaries(pairs)] == [(None, None)] * 2


def test_a_sweep_of_one_size_has_no_speed_up() -> None:
    assert [one.speed_up for one in summaries([point((1.0,), batch=1), point((2.0,), batch=2)])] == [
        None,
        None,
    ]


def test_by_an_axis_runs_of_all_other_values_are_taken_together() -> None:
    points = [
        point((1.0, 3.0), a=1, b="x"),
        point((5.0,), a=1, b="y"),
        point((9.0,), a=2, b="x"),
        point((), c=1),
    ]
    found = summaries(points, "a")
    assert [(one.axes, one.points, one.runs, one.median) for one in found] == [
        ({"a": 1}, 2, 3, 3.0),
        ({"a": 2}, 1, 1, 9.0),
    ]
    assert summaries(points, "d") == []
