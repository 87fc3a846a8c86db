"""Colours that can be seen on light and dark pages, and told from those of failures."""

from __future__ import annotations

from colorsys import rgb_to_hls

import pytest
from matplotlib.colors import to_rgb

from orchestrator.report.theme import DISCARDED, OTHERS, SERIES


def luminance(colour: str) -> float:
    """Return the relative luminance of WCAG 2.2."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("colour", [*SERIES, DISCARDED, OTHERS])
@pytest.mark.parametrize("page", ["#ffffff", "#15181c"])
def test_colours_of_figures_are_seen_on_both_pages(colour: str, page: str) -> None:
    low, high = sorted((luminance(colour), luminance(page)))
    assert (high + 0.05) / (low + 0.05) >= 3


def test_no_benchmark_has_the_colour_of_attempts_that_were_not_accepted() -> None:
    red = rgb_to_hls(*to_rgb(DISCARDED))[0]
    for colour in SERIES:
        distance = abs(rgb_to_hls(*to_rgb(colour))[0] - red)
        assert min(distance, 1 - distance) > 15 / 360
