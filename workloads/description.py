"""What a workload is, without running it: parameters, rules, quality target, data, sizes.

A description is plain data. Importing it never imports a deep-learning framework.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Value = int | float | str | bool
Rule = Literal["fixed", "at least", "free"]
FomTime = Literal["run", "batch", "sample"]

FOM_UNITS: dict[FomTime, str] = {"run": "s", "batch": "s/batch", "sample": "s/sample"}


class WorkloadError(ValueError):
    """A workload, one of its parameters, or its data cannot be used as asked."""


class DataError(WorkloadError):
    """A data file is missing, cut short, or holds something that is not what its format says."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One knob of a workload.

    Parameters
    ----------
    name
        Key in the campaign file.
    default
        Value of the real benchmark; its type is the parameter's type.
    description
        One line for ``workload show``.
    unit
        Unit of the value, empty for counts.
    choices
        Allowed values; empty for any.
    minimum
        Smallest allowed value, inclusive.
    rule
        What the suite's rules say of the default in a base run: ``fixed``, ``at least``
        (may be raised, never lowered) or ``free``.
    allowed
        Values beside the default that a base run may use though the rule is ``fixed``.
    """

    name: str
    default: Value
    description: str
    unit: str = ""
    choices: tuple[Value, ...] = ()
    minimum: float | None = None
    rule: Rule = "free"
    allowed: tuple[Value, ...] = ()

    def coerce(self, value: object) -> Value:
        """Return `value` as this parameter's type.

        Raises
        ------
        WorkloadError
            If the type is wrong, the value is not finite, below the minimum, or not a choice.
        """
        want = type(self.default)
        if want is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if type(value) is not want:
            raise WorkloadError(f"{self.name} must be {_ARTICLE[want]}, not {value!r}")
        if isinstance(value, float) and not math.isfinite(value):
            raise WorkloadError(f"{self.name} must be a finite number, not {value!r}")
        if self.choices and value not in self.choices:
            raise WorkloadError(
                f"{self.name} must be one of {', '.join(map(str, self.choices))}, not {value!r}"
            )
        if self.minimum is not None and isinstance(value, int | float) and value < self.minimum:
            raise WorkloadError(f"{self.name} must be at least {self.minimum:g}, not {value!r}")
        return value

    @property
    def base_values(self) -> str:
        """What a base run may use, in words."""
        if self.rule == "at least":
            return f"at least {self.default}"
        values = ", ".join(map(str, (self.default, *self.allowed)))
        return f"one of {values}" if self.allowed else values

    def follows_rule(self, value: Value) -> bool:
        """Tell whether a base run may use `value`."""
        if self.rule == "fixed":
            return value in (self.default, *self.allowed)
        if self.rule == "at least":
            return value >= self.default  # type: ignore[operator]
        return True


_ARTICLE = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}


@dataclass(frozen=True, slots=True)
class Quality:
    """The quality an instance must reach for its time to count: `metric` ≥ `minimum`."""

    metric: str
    minimum: float


@dataclass(frozen=True, slots=True)
class DataFormat:
    """The files a workload reads, and who makes and checks them.

    Parameters
    ----------
    files
        File names or patterns inside the data directory, for people.
    maker
        ``module:function``; ``make(directory, seed=..., **sizes)`` writes synthetic files in
        the true format and returns their paths.
    checker
        ``module:function``; ``check(directory)`` reads everything and returns facts
        (rows, columns, classes), or raises `DataError` naming file, row and column.
    sizes
        The maker's size parameters; defaults are the real data set's, and their rules say which
        facts of the data a reportable run must have read.
    cacher
        ``module:function``; ``fill(directory, cache)`` parses everything into a dataset cache, unless
        it is there, and returns facts; empty where instances use none.
    """

    files: tuple[str, ...]
    maker: str
    checker: str
    sizes: tuple[Parameter, ...]
    cacher: str = ""

    def resolve_sizes(self, given: Mapping[str, object]) -> dict[str, Value]:
        """Return all sizes of the maker, real ones overridden by `given`; raises `WorkloadError`."""
        return resolve(self.sizes, given, "the data maker")

    def other_sizes(self, facts: Mapping[str, Any]) -> list[str]:
        """List, in words, how the data that a run read differ in size from the real data set."""
        return [
            f"{size.name} is {facts.get(size.name, 'not stated')}, the data set has {size.default}"
            for size in self.sizes
            if size.rule != "free" and (size.name not in facts or not size.follows_rule(facts[size.name]))
        ]


@dataclass(frozen=True, slots=True)
class Workload:
    """One benchmark program.

    Parameters
    ----------
    name
        Short name used in campaign files.
    title
        One line for lists.
    source
        Where the program and its constants come from.
    entry
        ``module:function`` of ``run(parameters, context) -> Result``; imported only in the
        training process.
    parameters
        All knobs, with defaults of the real benchmark.
    fom_time
        Which time is the figure of merit's: the whole run (run start to run stop), the mean
        seconds per batch, or per sample.
    quality
        Target, or None where the suite has none.
    data
        Files it reads, or None for synthetic in-memory input.
    sizes
        Facts of the full-size model, e.g. ``trainable_parameters``, ``forward_flop_per_sample``.
    ranks
        An instance may be several processes that train one model together.
    parameters_type
        Class of what ``run`` receives, with a keyword for each parameter; by default a dict.
    """

    name: str
    title: str
    source: str
    entry: str
    parameters: tuple[Parameter, ...]
    fom_time: FomTime
    quality: Quality | None = None
    data: DataFormat | None = None
    sizes: Mapping[str, int] = field(default_factory=dict)
    ranks: bool = False
    parameters_type: type[Any] | None = None

    def typed(self, values: Mapping[str, Value]) -> Any:
        """Return resolved parameters as ``run`` takes them: as `parameters_type`, else as a dict."""
        return dict(values) if self.parameters_type is None else self.parameters_type(**values)

    def resolve(self, given: Mapping[str, object]) -> dict[str, Value]:
        """Return all parameters, defaults overridden by `given`, with checked types.

        Raises
        ------
        WorkloadError
            If a name is unknown (the nearest one is suggested) or a value does not fit.
        """
        return resolve(self.parameters, given, f"workload {self.name}")

    def broken_rules(self, parameters: Mapping[str, Value]) -> list[str]:
        """List, in words, how `parameters` differ from what a base run allows.

        A parameter that is not among them, because the campaign is older than it, follows no rule.
        """
        return [
            f"{p.name} is {parameters.get(p.name, 'not stated')}, rules say {p.base_values}"
            for p in self.parameters
            if p.rule != "free" and (p.name not in parameters or not p.follows_rule(parameters[p.name]))
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the description as JSON-ready data."""
        from dataclasses import asdict

        return {name: value for name, value in asdict(self).items() if name != "parameters_type"}


def resolve(known: tuple[Parameter, ...], given: Mapping[str, object], owner: str) -> dict[str, Value]:
    """Return every known parameter's value, defaults overridden by `given`.

    Raises
    ------
    WorkloadError
        If a name is unknown or a value does not fit its parameter.
    """
    names = {p.name: p for p in known}
    for name in given:
        if name not in names:
            near = difflib.get_close_matches(str(name), names, n=1)
            hint = f"; did you mean {near[0]}?" if near else f"; it has {', '.join(names) or 'none'}"
            raise WorkloadError(f"{owner} has no parameter {name!r}{hint}")
    try:
        return {name: p.coerce(given.get(name, p.default)) for name, p in names.items()}
    except WorkloadError as error:
        raise WorkloadError(f"{owner}: {error}") from None
