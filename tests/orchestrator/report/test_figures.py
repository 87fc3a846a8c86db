"""Figures are drawn where the home cannot be written."""

from __future__ import annotations

import os
import subprocess
import sys

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
