"""Rounding of each precision, which the tolerances of all levels are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Floats = TypeVar("Floats", bound="NDArray[np.floating[Any]]")

UNIT_ROUNDOFF = {"float32": 2.0**-24, "bfloat16": 2.0**-8, "float16": 2.0**-11, "float64": 2.0**-53}
"""Half the distance from 1 to the next larger number: the largest relative error of one rounding."""
PRECISIONS = ("float32", "bfloat16", "float16")
KERAS_POLICIES = {"float32": "float32", "bfloat16": "mixed_bfloat16", "float16": "mixed_float16"}
"""What `workloads.runtime.framework.configure_framework` calls products in each precision."""
SAFETY = 4.0
"""Factor of tolerances: the largest of millions of rounding errors is several standard deviations away."""


def rounded(numbers: Floats, precision: str) -> Floats:
    """Return numbers, in their own type, rounded to the nearest that a precision has, to even between two."""
    import numpy as np

    if precision == "bfloat16":  # the upper half of the bits of float32
        bits = np.asarray(numbers, np.float32).view(np.uint32)
        kept = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) & np.uint32(0xFFFF0000)
        return kept.view(np.float32).astype(numbers.dtype, copy=False)  # type: ignore[return-value]
    with np.errstate(over="ignore"):
        return numbers.astype(precision, copy=False).astype(numbers.dtype, copy=False)  # type: ignore[return-value]
