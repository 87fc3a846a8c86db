"""Learning curves from lines of a command's output."""

from __future__ import annotations

import pytest

from workloads.context import Context, SlotView
from workloads.external.curve_lines import CurveLines


def curves(patterns: dict[str, str], *lines: str) -> dict[str, tuple[str, list[list[float | None]]]]:
    context = Context(seed=1, slot=SlotView(cores=(0,)))
    seen = CurveLines(patterns, context)
    for line in lines:
        seen.see(line)
    return {one["name"]: (one["axis"], one["points"]) for one in context.curves.to_json()}


@pytest.mark.parametrize("axis", ["epoch", "step"])
def test_a_place_is_read_from_the_line(axis: str) -> None:
    pattern = rf"(?P<{axis}>\d+): loss (?P<value>[-+.0-9e]+)"
    found = curves({"loss": pattern}, "1: loss 0.5", "nothing", "5: loss 0.25; 6: loss 1e-1")
    assert found == {"loss": (axis, [[1, 0.5], [5, 0.25], [6, 0.1]])}


def test_without_a_place_the_matches_are_steps() -> None:
    found = curves({"r": r"r=(?P<value>\S+)", "l": r"l=(?P<value>\S+)"}, "r=1 l=2", "r=3", "l=nan")
    assert found == {"r": ("step", [[1, 1.0], [2, 3.0]]), "l": ("step", [[1, 2.0], [2, None]])}


def test_what_is_no_number_is_no_point() -> None:
    assert curves({"loss": r"loss (?P<value>\S*)"}, "loss ?", "loss 2") == {"loss": ("step", [[2, 2.0]])}
