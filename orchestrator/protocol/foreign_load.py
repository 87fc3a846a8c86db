"""CPU time of other processes on the cores of a slot, while an attempt ran: its metric, and its limit."""

from __future__ import annotations

import math

METRIC = "foreign_cpu_seconds"
PERCENT = "foreign_cpu_percent"
"""Observation that states the share of the cores' time."""
UNKNOWN = "foreign_cpu_unknown"
"""Observation that states why the metric is absent."""
MAX_PERCENT = 5
"""Largest share of the cores' time. A node's own daemons take about 1 %; a training's run times vary by
a few percent, so load above this share is visible in them."""
FLOOR_SECONDS = 2.0
"""CPU time that never counts: clock ticks of 10 ms are shared out by sampling, and kernel threads serve the
training's own reads and writes."""


def foreign_percent(foreign_seconds: float, core_seconds: float) -> int:
    """Return the share that other processes took of the time of cores, rounded up to whole percent.

    Parameters
    ----------
    core_seconds
        Cores × seconds of the interval in which ``foreign_seconds`` were measured.
    """
    if foreign_seconds <= FLOOR_SECONDS or core_seconds <= 0:
        return 0
    return math.ceil(100 * foreign_seconds / core_seconds)
