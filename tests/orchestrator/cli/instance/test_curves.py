"""Learning curves as lines of text."""

from __future__ import annotations

from orchestrator.cli.instance.curves import sparkline


def test_a_curve_is_drawn_by_its_places_from_its_lowest_to_its_highest_value() -> None:
    assert sparkline([(1, 8.0), (2, 1.0), (3, 4.5)]) == "█▁▅"
    assert sparkline([(place, float(place)) for place in range(1, 201)], 8) == "▁▂▃▄▅▆▇█"
    assert sparkline([(1, 0.0), (10, 1.0), (100, 2.0)]) == "▁▅█"


def test_a_flat_or_empty_curve_is_drawn_too() -> None:
    assert sparkline([(1, 2.0), (2, 2.0)]) == "▁▁"
    assert sparkline([]) == ""


def test_numbers_that_are_far_apart_are_drawn() -> None:
    assert sparkline([(1, -1e308), (2, 1e308)]) == "▁█"
