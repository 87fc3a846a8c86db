"""Dots for few runs, distributions for many, and lines where the reader compares."""

from __future__ import annotations

import numpy as np

from orchestrator.report.run_figures import DOTS, Panel, distributions, relative_times


def panel(runs: int, **marks: float) -> Panel:
    return Panel("p1b1", "s", np.linspace(10.0, 20.0, runs), marks)


def test_few_runs_are_dots_and_many_a_histogram_with_plain_numbers() -> None:
    few = distributions("times", "Times", "c", [panel(DOTS, longest=20.0)])
    many = distributions("times", "Times", "c", [panel(DOTS + 1, longest=20.0)])
    assert "accepted instance<" in few.svg
    assert "instances<" in many.svg
    assert ">longest<" in few.svg
    assert few.svg.count("<use") >= DOTS
    assert many.svg.count("<use") < DOTS
    assert "mathdefault" not in many.svg


def test_times_without_a_reference_stand_beside_their_median() -> None:
    drawn = relative_times([panel(3)])
    assert drawn.title == "Times beside the median"
    assert "Longest: p1b1 1.333." in drawn.caption
    assert "time ÷ median; left is faster" in drawn.svg


def test_benchmarks_without_a_reference_are_left_out_beside_others() -> None:
    drawn = relative_times([panel(3, reference=40.0), Panel("own", "s", np.array([1.0]), {})])
    assert "Longest: p1b1 0.5." in drawn.caption
    assert "own" not in drawn.svg
