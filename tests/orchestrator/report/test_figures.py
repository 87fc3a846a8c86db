"""Figures are drawn where the home cannot be written."""

from __future__ import annotations

import os
import subprocess
import sys

from orchestrator.report.figures import Band, band_of, bands
from tests.harness import ROOT


def test_matplotlib_says_nothing_of_a_home_that_cannot_be_written() -> None:
    kept = {name: value for name, value in os.environ.items() if name != "MPLCONFIGDIR"}
    ended = subprocess.run(
        [sys.executable, "-P", "-c", "import orchestrator.report.figures"],
        env=kept | {"PYTHONPATH": str(ROOT), "HOME": "/proc/nowhere", "XDG_CONFIG_HOME": "/proc/nowhere"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stderr == ""


def test_a_band_is_the_median_and_range_of_several_curves() -> None:
    found = band_of("loss", "epoch", [[(1, 4.0), (2, 2.0)], [(1, 6.0), (2, None)], [(1, 5.0), (3, 1.0)]])
    assert found == Band("loss", "epoch", [1, 2, 3], [5.0, 2.0, 1.0], [4.0, 2.0, 1.0], [6.0, 2.0, 1.0])


def test_bands_have_their_titles_and_axes() -> None:
    drawn = bands("curves", "Learning curves", "c", [band_of("a $x$", "epoch", [[(1, 1.0)]])])
    assert (drawn.name, drawn.title) == ("curves", "Learning curves")
    assert "a $x$" in drawn.svg
    assert "epoch" in drawn.svg
