"""How long attempts and their supervisors may take. Pure: no clock, no I/O."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_SPARE_SECONDS = 180.0

BLOCK_END_SECONDS = 5.0  # between the last process of an attempt and the end of its block


def longest_seconds(timeout: float, gate: float, grace: float) -> float:
    """Return after how long a supervisor that says nothing hangs: it ends its attempt long before."""
    return timeout + gate + 2 * grace + _SPARE_SECONDS


def seconds_left(order: Mapping[str, Any], window: tuple[float, float], now: float) -> float:
    """Return how long an attempt may run before it must be ended for its block's end."""
    return float(window[1] - now - order["grace_seconds"] - BLOCK_END_SECONDS)
