"""Points of a sweep: what the combinations of a benchmark's matrix change of it.

An axis, or a derived value, is called like a key of the slot, else like a parameter of the workload. Derived
values may also be `timeout` and `expected_runtime`, in seconds. The axis `seed_group` changes nothing: its
points differ in their seeds alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from orchestrator.planning.axes.expressions import Expression, ExpressionError, Number
from orchestrator.planning.axes.matrix import Axes, Matrix, MatrixError, labels, read_matrix
from sites.nodes import gpu_share
from workloads.description import Parameter, Value, Workload, WorkloadError
from workloads.spelling import near

SEED_GROUP = "seed_group"
_COUNTS = ("nodes", "ranks", "cores")
_SLOT_KEYS = (*_COUNTS, "gpus")
_DURATIONS = ("timeout", "expected_runtime")


@dataclass(frozen=True, slots=True)
class Point:
    """One combination of a sweep.

    Parameters
    ----------
    sweep, label
        Name of the benchmark in the file, and of this point, such as ``nt3[ranks=4]``.
    axes
        Value of each axis, in the order of the file.
    parameters, slot, durations
        What axes and derived values change: parameters, keys of the slot, and timeout and expected runtime
        in seconds.
    """

    sweep: str
    label: str
    axes: Mapping[str, Value]
    parameters: Mapping[str, Value]
    slot: Mapping[str, Any]
    durations: Mapping[str, float]

    @property
    def chosen_late(self) -> frozenset[str]:
        """Parameters that have no value before the campaign runs."""
        return frozenset()


def point_labels(sweep: str, matrix: object) -> list[str]:
    """Return the names of the points of a matrix; raises `MatrixError`."""
    return labels(sweep, read_matrix(matrix).points())


def points_of(sweep: str, written: object, workload: Workload, base: Mapping[str, Value]) -> list[Point]:
    """Return the points of a benchmark's matrix.

    Parameters
    ----------
    written
        The matrix, as the file has it.
    base
        Resolved parameters of the benchmark, which the points change.

    Raises
    ------
    MatrixError
        If an axis or derived value is neither parameter nor slot key, a value does not fit, or the points
        are none, too many, or not distinct.
    """
    matrix = read_matrix(written)
    known = {one.name: one for one in workload.parameters}
    fit = _Fit(workload.name, known)
    for name, values in matrix.axes.items():
        for value in values:
            fit.check(name, value, name)
    for number, entry in enumerate(matrix.include):
        for name, value in entry.items():
            fit.check(name, value, "include", number, name)
    for name in matrix.derive:
        fit.check_target(name)
    derive = partial(_derived, matrix, fit, base)
    found = matrix.points()
    return [
        _point(sweep, label, axes, fit, derive(label, axes))
        for label, axes in zip(labels(sweep, found), found, strict=True)
    ]


def _point(sweep: str, label: str, axes: Axes, fit: _Fit, derived: Mapping[str, Any]) -> Point:
    values = {**{name: fit.value(name, value) for name, value in axes.items()}, **derived}
    return Point(
        sweep,
        label,
        axes,
        {name: value for name, value in values.items() if name in fit.parameters},
        {name: value for name, value in values.items() if name in _SLOT_KEYS},
        {name: value for name, value in values.items() if name in _DURATIONS},
    )


class _Fit:
    """Fits values to what they are for; a pair of name and value is checked once."""

    def __init__(self, workload: str, parameters: Mapping[str, Parameter]) -> None:
        self._workload = workload
        self.parameters = {
            name: one for name, one in parameters.items() if name not in (*_SLOT_KEYS, SEED_GROUP)
        }
        self._values: dict[tuple[str, type, Value], Any] = {}

    def check(self, name: str, value: Value, *place: str | int) -> None:
        """Refuse an axis of an unknown name, or with a value that does not fit."""
        if name not in self.parameters and name not in (*_SLOT_KEYS, SEED_GROUP):
            raise MatrixError(self._unknown(name, (*_SLOT_KEYS, SEED_GROUP)), *place)
        try:
            self._values[name, type(value), value] = self.fitted(name, value)
        except (WorkloadError, ValueError) as error:
            raise MatrixError(str(error), *place) from None

    def check_target(self, name: str) -> None:
        """Refuse a derived value that is for nothing."""
        others = (*_SLOT_KEYS, *_DURATIONS)
        if name not in self.parameters and name not in others:
            raise MatrixError(self._unknown(name, others), "derive", name)

    def value(self, name: str, value: Value) -> Any:
        """Return a value that was checked, as its parameter or slot key takes it."""
        return self._values[name, type(value), value]

    def fitted(self, name: str, value: Value) -> Any:
        """Return a value as its parameter or slot key takes it; raises `ValueError`."""
        if name in self.parameters:
            return self.parameters[name].coerce(value)
        if name in _COUNTS:
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ValueError(f"{name} must be a whole number of at least 1, not {value!r}")
            return value
        if name == "gpus":
            return gpu_share(value)
        return value

    def _unknown(self, name: str, others: tuple[str, ...]) -> str:
        known = (*self.parameters, *others)
        hint = near(name, known, f"there are {', '.join(known)}")
        return f"workload {self._workload} has no parameter {name!r}, nor has a slot such a key{hint}"


def _derived(
    matrix: Matrix, fit: _Fit, parameters: Mapping[str, Value], label: str, axes: Axes
) -> dict[str, Any]:
    """Return the derived values of a point; one may use those before it."""
    if not matrix.derive:
        return {}
    names: dict[str, Any] = {**parameters, **axes}
    if "gpus" in axes:
        names["gpus"] = float(gpu_share(axes["gpus"]))
    found = {}
    for name, expression in matrix.derive.items():
        try:
            value = _evaluated(expression, names)
            found[name] = _fitted_number(name, value, fit)
        except ExpressionError as error:
            raise MatrixError(f"`{expression.text}` {error}, at {label}", "derive", name) from None
        names[name] = value
    return found


def _evaluated(expression: Expression, names: Mapping[str, Any]) -> Number:
    for name in expression.names:
        if name not in names:
            numbers = [one for one, value in names.items() if _is_number(value)]
            hint = near(name, numbers, f"there are {', '.join(numbers)}")
            raise ExpressionError(f"uses {name}, which has no value{hint}")
        if not _is_number(names[name]):
            raise ExpressionError(f"uses {name}, which is {names[name]!r} and no number")
    return expression.value(names)


def _fitted_number(name: str, value: Number, fit: _Fit) -> Any:
    """Return a derived number as its parameter, slot key or duration takes it."""
    if name in _DURATIONS:
        return float(value)
    whole = name in _COUNTS or (
        name in fit.parameters
        and isinstance(fit.parameters[name].default, int)
        and not isinstance(fit.parameters[name].default, bool)
    )
    if whole:
        if not float(value).is_integer():
            raise ExpressionError(
                f"gives {value:.10g}, and {name} is a whole number: write int(...) around it"
            )
        value = int(value)
    try:
        return fit.fitted(name, value)
    except (WorkloadError, ValueError) as error:
        raise ExpressionError(f"gives {value:.10g}, and {error}") from None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def axis_texts(point: Point) -> Iterator[tuple[str, str, float | None]]:
    """Yield the axes of a point as the ledger keeps them: name, value as text, and as number if it is one."""
    for name, value in point.axes.items():
        if name == "gpus":
            yield name, str(value), float(gpu_share(value))
        elif isinstance(value, bool):
            yield name, str(value).lower(), None
        else:
            yield name, value_text_of(value), float(value) if isinstance(value, int | float) else None


def value_text_of(value: Value) -> str:
    """Return a text or a number as text, the shortest that is read as the same number."""
    return value if isinstance(value, str) else repr(value)
