"""Learning curves stay within their bounds and keep their extremes."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workloads.curves import MOST_CURVES, MOST_POINTS, Curve, Curves

LOSSES = st.floats(allow_nan=True, allow_infinity=True)


@given(st.lists(LOSSES, max_size=1000), st.integers(min_value=1, max_value=5))
def test_a_curve_keeps_its_first_last_lowest_and_highest_point(losses: list[float], times: int) -> None:
    curve = Curve("step")
    losses = losses * times
    for step, loss in enumerate(losses, start=1):
        curve.add(step, loss)
    points = curve.points
    assert len(points) <= MOST_POINTS
    assert [place for place, _ in points] == sorted({place for place, _ in points})
    for place, value in points:
        assert value == losses[place - 1] if math.isfinite(losses[place - 1]) else value is None
    if losses:
        assert (points[0][0], points[-1][0]) == (1, len(losses))
    if finite := [loss for loss in losses if math.isfinite(loss)]:
        kept = [value for _, value in points if value is not None]
        assert (min(kept), max(kept)) == (min(finite), max(finite))


def test_a_short_curve_keeps_every_point_and_a_long_one_evenly_spaced_ones() -> None:
    short, long = Curve("epoch"), Curve("step")
    for place in range(1, 101):
        short.add(place, 1 / place)
    for place in range(1, 100_001):
        long.add(place, 1 / place)
    assert len(short.points) == 100
    places = [place for place, _ in long.points]
    assert MOST_POINTS // 2 - 3 <= len(places) <= MOST_POINTS
    assert {after - before for before, after in pairwise(places[:-1])} == {512}


def test_points_without_one_axis_and_too_many_curves_are_refused() -> None:
    curves = Curves()
    for number in range(MOST_CURVES):
        curves.add(f"loss{number}", 1.0, epoch=1, step=None)
    with pytest.raises(ValueError, match="at most 50"):
        curves.add("further", 1.0, epoch=1, step=None)
    with pytest.raises(ValueError, match="given by epoch, and now by step"):
        curves.add("loss0", 1.0, epoch=None, step=2)
    for epoch, step in ((None, None), (1, 1)):
        with pytest.raises(ValueError, match="its epoch or its step, and not both"):
            curves.add("loss0", 1.0, epoch=epoch, step=step)
    assert curves.to_json()[0] == {"name": "loss0", "axis": "epoch", "points": [[1, 1.0]]}
