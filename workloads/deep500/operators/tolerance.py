"""How far a result may be from its float64 reference: one rule, with the numbers of each precision."""

from __future__ import annotations

import math
from dataclasses import dataclass

from workloads.deep500.rounding import SAFETY, UNIT_ROUNDOFF


@dataclass(frozen=True, slots=True)
class Rounding:
    """How numbers of a precision are rounded.

    Parameters
    ----------
    smallest
        Largest absolute error where numbers are too small for that: libraries may replace numbers
        below the smallest normal one by 0.
    reason
        Why a correct result is no farther away.
    """

    smallest: float
    reason: str


ROUNDINGS = {
    "float32": Rounding(
        2.0**-126,
        "24 bits; sums are accumulated in float32, in any order: errors of terms add up like their root",
    ),
    "bfloat16": Rounding(
        2.0**-126,
        "8 bits; sums are accumulated in float32, as matrix units do, and the result is rounded once",
    ),
    "float16": Rounding(
        2.0**-14,
        "11 bits; sums are accumulated in float32, and numbers below 6.1e-5 lose bits",
    ),
}
"""Rounding of each precision; inputs are rounded before the reference sees them, so they add no error."""


def tolerance(precision: str, roundings: int, terms: int, scale: float) -> float:
    """Return the largest allowed difference between a result and its reference.

    Parameters
    ----------
    precision
        Type of the arrays.
    roundings
        How often a plain program rounds to that type between an input and the result.
    terms
        Terms of the longest sum.
    scale
        Largest magnitude of the reference.
    """
    relative = roundings * UNIT_ROUNDOFF[precision] + math.sqrt(terms) * UNIT_ROUNDOFF["float32"]
    return SAFETY * (relative * scale + ROUNDINGS[precision].smallest)
