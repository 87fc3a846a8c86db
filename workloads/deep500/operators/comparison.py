"""Compare the results of an operator with its reference."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from workloads.context import Context
from workloads.deep500.operators.arrays import Generator, part_indices, reference_of, taken
from workloads.deep500.operators.definition import Operator, Size
from workloads.deep500.rounding import SAFETY, UNIT_ROUNDOFF

if TYPE_CHECKING:
    from workloads.deep500.operators.parameters import OperatorParameters


_ERRORS = ("error_over_bound", "l2_error", "max_error")


def compare(
    operator: Operator,
    size: Size,
    parameters: OperatorParameters,
    arrays: Mapping[str, Any],
    results: Mapping[str, Any],
    random: Generator,
    context: Context,
) -> float:
    """Measure the errors of all results, or of a random part of them; return the share that was compared.

    Parameters
    ----------
    arrays
        Inputs, and gradients of the outputs, as float32.
    results
        Outputs, and gradients by the inputs, in the operator's order of axes.
    context
        Gets the errors as metrics.
    """
    references: dict[str, Any] = {}
    compared: dict[str, Any] = {}
    for part in operator.parts:
        if not any(name in results for name in part.results):
            continue
        indices = part_indices(operator, part, size, parameters.direction, random)
        found = reference_of(operator, part, size, arrays, indices)
        for name in set(part.results) & set(results):
            references[name] = found[name]
            compared[name] = taken(operator, name, results[name], indices)
    tolerances = {
        name: tolerance(
            parameters.precision,
            operator.roundings,
            operator.terms[name](size) if name in operator.terms else 1,
            float(np.abs(one).max()),
        )
        for name, one in references.items()
    }
    context.measure(
        lambda: compared,
        metrics=(*_ERRORS, "difference_heatmap") if parameters.heatmap else _ERRORS,
        reference=references,
        tolerance=tolerances,
        warm_up=0,
    )
    return float(sum(one.size for one in compared.values()) / sum(one.size for one in results.values()))


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
    roundings
        How often a plain program rounds to that type between an input and the result.
    terms
        Terms of the longest sum.
    scale
        Largest magnitude of the reference.
    """
    relative = roundings * UNIT_ROUNDOFF[precision] + math.sqrt(terms) * UNIT_ROUNDOFF["float32"]
    return SAFETY * (relative * scale + ROUNDINGS[precision].smallest)
