"""Few points that keep means, the lowest and the highest value."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.node.sampling.series import SampleSeries, fitted


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=400), st.integers(2, 40))
def test_points_keep_the_mean_and_both_extremes(values: list[float], most: int) -> None:
    series = SampleSeries(most)
    for second, value in enumerate(values):
        series.add(float(second), 1.0, value)
    points = [[*point[:2], *(point[2:] or [point[1]] * 2)] for point in json.loads(series.to_json())]
    assert 1 <= len(points) <= most
    assert min(point[2] for point in points) == pytest.approx(min(values), rel=1e-5)
    assert max(point[3] for point in points) == pytest.approx(max(values), rel=1e-5)
    ends = [point[0] for point in points[1:]] + [len(values)]
    weighted = sum(point[1] * (end - point[0]) for point, end in zip(points, ends, strict=True))
    assert weighted == pytest.approx(sum(values), rel=1e-4, abs=1e-5 * sum(map(abs, values)) + 1e-9)


def test_means_are_weighted_by_time() -> None:
    series = SampleSeries(2)
    series.add(0.0, 1.0, 100.0)
    series.add(1.0, 3.0, 200.0)
    series.halve()
    assert series.to_json() == "[[0.0,175,100,200]]"


def test_equal_values_are_one_number() -> None:
    series = SampleSeries(2)
    for second in range(5):
        series.add(second / 3, 1 / 3, 1234.5678)
    assert all(len(point) == 2 for point in json.loads(series.to_json()))


@pytest.mark.parametrize(
    ("count", "most", "kept"), [(3, 600, 3), (3, 6, 3), (3, 5, 2), (400, 600, 300), (2, 1, 0)]
)
def test_the_first_series_share_the_points(count: int, most: int, kept: int) -> None:
    every = [SampleSeries(100) for _ in range(count)]
    for series in every:
        for second in range(90):
            series.add(second, 1, second)
    found = fitted(every, most)
    assert len(found) == kept
    assert sum(map(len, found)) <= most
