"""Outputs of a measured function beside those of a reference."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

LARGEST = 1e300
"""Stands for an error that exceeds its bound by an infinite factor, or one that is no number.

Neither is a number of JSON, and a result without an `error_over_bound` would pass for one that was not
compared.
"""
_LEAST_MAGNITUDE = 1e-12


def arrays(value: Any, name: str = "") -> dict[str, Array]:
    """Return the arrays in a value, which may be nested in mappings, tuples and lists, in 64 bits.

    Tensors of TensorFlow, JAX and PyTorch, and lists of numbers alone, are arrays. The name of an array is
    its path, such as ``0`` or ``gradients.kernel``, and empty where the value is one array.

    Raises
    ------
    TypeError
        If something in it is no array of numbers.
    """
    if isinstance(value, Mapping | tuple) or (isinstance(value, list) and not _only_numbers(value)):
        parts = value.items() if isinstance(value, Mapping) else enumerate(value)
        found: dict[str, Array] = {}
        for key, part in parts:
            found |= arrays(part, f"{name}.{key}" if name else str(key))
        return found
    import numpy as np

    if hasattr(value, "detach"):  # NumPy has no bfloat16 for PyTorch to convert into
        value = value.detach().cpu()
        value = value.numpy() if value.is_complex() else value.double().numpy()
    try:
        array = np.asarray(value)
        return {name: array.astype(np.complex128 if np.iscomplexobj(array) else np.float64)}
    except (TypeError, ValueError):
        what = f"output {name}" if name else "the output"
        raise TypeError(f"{what} is no array of numbers but {type(value).__name__}") from None


def _only_numbers(values: list[Any]) -> bool:
    return all(
        _only_numbers(value) if isinstance(value, list) else isinstance(value, int | float | complex)
        for value in values
    )


class Difference:
    """The difference of outputs to those of a reference.

    Parameters
    ----------
    value, reference
        Arrays, or mappings, tuples and lists of them, with the same structure and shapes.
    tolerance
        Most that an element may differ: a number, or arrays with the same structure.

    Raises
    ------
    ValueError
        If structures or shapes differ, or a tolerance is negative, infinite or not a number.
    """

    def __init__(self, value: Any, reference: Any, tolerance: Any = None) -> None:
        import numpy as np

        self.outputs, self.references = arrays(value), arrays(reference)
        _same_names("the reference", self.references, self.outputs)
        for name, output in self.outputs.items():
            if output.shape != (wanted := self.references[name].shape):
                raise ValueError(f"{_called(name)} has shape {output.shape}, and its reference {wanted}")
        self.errors = {name: self._errors(name) for name in self.outputs}
        self.nonfinite = sum(int(np.count_nonzero(~np.isfinite(one))) for one in self.errors.values())
        self._tolerances = None if tolerance is None else self._checked(tolerance)

    def _errors(self, name: str) -> Array:
        """Return the magnitudes of the differences; where both are the same infinity, or no number, 0."""
        import numpy as np

        output, reference = self.outputs[name], self.references[name]
        same = (output == reference) | (np.isnan(output) & np.isnan(reference))
        with np.errstate(invalid="ignore", over="ignore"):
            errors: Array = np.where(same, 0.0, np.abs(output - reference))
        return errors

    def _checked(self, tolerance: Any) -> dict[str, Array]:
        import numpy as np

        given = arrays(tolerance)
        if list(given) == [""]:
            given = dict.fromkeys(self.outputs, given[""])
        _same_names("the tolerance", given, self.outputs)
        for name, one in given.items():
            if np.iscomplexobj(one) or not np.all((one >= 0) & np.isfinite(one)):
                raise ValueError(f"the tolerance of {_called(name)} is negative, infinite or not a number")
            shape = self.outputs[name].shape
            try:
                np.broadcast_to(one, shape)
            except ValueError:
                raise ValueError(
                    f"{_called(name)} has shape {shape}, and its tolerance {one.shape}"
                ) from None
        return given

    def total(self) -> float:
        """Return the sum of all magnitudes, the L1 norm."""
        return self._over_all(lambda errors: errors.sum())

    def root_of_squares(self) -> float:
        """Return the square root of the sum of their squares, the L2 norm.

        Errors are first divided by a power of two that leaves the largest below 1: no square is too large
        for a number, and no bit changes.
        """
        import numpy as np

        _, exponent = math.frexp(self.largest())
        squares = self._over_all(lambda errors: (np.ldexp(errors, -exponent) ** 2).sum())
        with np.errstate(over="ignore"):
            return float(np.ldexp(math.sqrt(squares), exponent))

    def largest(self) -> float:
        """Return the largest magnitude, the L∞ norm; 0 where the outputs have no elements."""
        return largest_magnitude(self.errors)

    def over_bound(self) -> float:
        """Return the largest magnitude ÷ tolerance: 1 or less is valid."""
        import numpy as np

        assert self._tolerances is not None  # noqa: S101
        found = 0.0
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            for name, errors in self.errors.items():
                shares = np.where(errors == 0, 0.0, errors / self._tolerances[name])
                found = max(found, storable(shares.max(initial=0.0)))
        return found

    def relative(self) -> dict[str, Array]:
        """Return 2·(output - reference) ÷ (abs(output) + abs(reference) + 1e-12) of each output."""
        import numpy as np

        found = {}
        with np.errstate(invalid="ignore", over="ignore"):
            for name, output in self.outputs.items():
                reference = self.references[name]
                scale = np.abs(output) + np.abs(reference) + _LEAST_MAGNITUDE
                difference = output - reference if np.isrealobj(output) else self.errors[name]
                found[name] = np.where(self.errors[name] == 0, 0.0, 2 * difference / scale)
        return found

    def _over_all(self, part: Callable[[Array], Any]) -> float:
        import numpy as np

        with np.errstate(over="ignore", invalid="ignore"):
            return sum(float(part(errors)) for errors in self.errors.values())


def variances(outputs: Iterator[Any]) -> dict[str, Array]:
    """Return the variance of each element over several outputs, which are not all kept (B. P. Welford, 1962).

    Raises
    ------
    ValueError
        If there are fewer than two, or their structures or shapes differ.
    """
    import numpy as np

    means: dict[str, Array] = {}
    squares: dict[str, Array] = {}
    count = 0
    for count, output in enumerate(outputs, 1):
        found = arrays(output)
        if count == 1:
            means = {name: np.zeros_like(one) for name, one in found.items()}
            squares = {name: np.zeros(one.shape) for name, one in found.items()}
        if {k: v.shape for k, v in found.items()} != {k: v.shape for k, v in means.items()}:
            raise ValueError("the outputs of reruns have different structures or shapes")
        for name, one in found.items():
            difference = one - means[name]
            means[name] += difference / count
            squares[name] += (difference * np.conj(one - means[name])).real
    if count < 2:
        raise ValueError(f"a variance needs two outputs or more, not {count}")
    return {name: one / (count - 1) for name, one in squares.items()}


def largest_magnitude(found: Mapping[str, Array]) -> float:
    """Return the largest magnitude in arrays, NaN where one is no number; 0 where they have no elements."""
    largest = [float(abs(one).max(initial=0.0)) for one in found.values()]
    return math.nan if any(map(math.isnan, largest)) else max(largest, default=0.0)


def storable(value: Any) -> float:
    """Return an error ÷ bound as a number that JSON has; see `LARGEST`."""
    number = float(value)
    return number if number <= LARGEST else LARGEST  # a comparison with what is not a number is false


def _same_names(what: str, given: Mapping[str, Any], outputs: Mapping[str, Any]) -> None:
    if set(given) != set(outputs):
        listed = [", ".join(name or "one array" for name in names) for names in (given, outputs)]
        raise ValueError(f"{what} has {listed[0] or 'nothing'}, and the output {listed[1] or 'nothing'}")


def _called(name: str) -> str:
    return f"output {name}" if name else "the output"
