"""Numbers that another process reported."""

from __future__ import annotations

import math


def finite(value: float) -> bool:
    """Tell whether a number is finite as a floating-point number."""
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number of hundreds of digits
        return False
