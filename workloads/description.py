"""Description of a workload, without running it: parameters, accuracy, data, sizes, packages.

A description is plain data. Importing it never imports a deep-learning framework. What a benchmark suite
demands of a workload is in that suite's rulebook (``orchestrator/rulebooks``), not here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from workloads.spelling import near

if TYPE_CHECKING:
    from workloads.expected_steps import StepPlan

Value = int | float | str | bool
FomTime = Literal["run", "batch", "sample"]

_PACKAGES = {"mpi": "mpi4py"}
"""Package that a parameter's value needs, where its name is another."""
FOM_UNITS: dict[FomTime, str] = {"run": "s", "batch": "s/batch", "sample": "s/sample"}


class WorkloadError(ValueError):
    """A workload, one of its parameters, or its data cannot be used as asked."""


class DataError(WorkloadError):
    """A data file is missing, cut short, or holds something that is not what its format says."""


class CommandError(Exception):
    """An external command failed, or did not say what its description promises.

    Parameters
    ----------
    signal
        Number of the signal it died of, or None.
    exit_code
        Its exit code where that is what failed.
    """

    def __init__(self, message: str, signal: int | None = None, exit_code: int = 1) -> None:
        super().__init__(message)
        self.signal = signal
        self.exit_code = exit_code


class DiskFullError(CommandError):
    """An external command failed, and its output says that a disk is full.

    Parameters
    ----------
    full_place
        A folder on that disk; None if it is not known.
    """

    def __init__(
        self, message: str, signal: int | None = None, exit_code: int = 1, full_place: Path | None = None
    ) -> None:
        super().__init__(message, signal, exit_code)
        self.full_place = full_place


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
    """

    name: str
    default: Value
    description: str
    unit: str = ""
    choices: tuple[Value, ...] = ()
    minimum: float | None = None

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
        if isinstance(value, str) and _NO_TEXT.search(value):
            raise WorkloadError(f"{self.name} must hold no NUL character and no surrogate, not {value!r}")
        if isinstance(value, float) and not math.isfinite(value):
            raise WorkloadError(f"{self.name} must be a finite number, not {value!r}")
        if self.choices and value not in self.choices:
            known = list(map(str, self.choices))
            hint = near(str(value), known)
            raise WorkloadError(f"{self.name} must be one of {', '.join(known)}, not {value!r}{hint}")
        if self.minimum is not None and isinstance(value, int | float) and value < self.minimum:
            raise WorkloadError(f"{self.name} must be at least {self.minimum:g}, not {value!r}")
        return value


_NO_TEXT = re.compile("[\0\ud800-\udfff]")  # neither command lines nor UTF-8 can hold these
_ARTICLE = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}


TRAINING_SEED = Parameter(
    "training_seed", 0, "seed of all instances, which then compute the same; 0: each has its own", minimum=0
)
"""A workload that has it draws all random numbers from it, or from the instance's seed where it is 0."""


@dataclass(frozen=True, slots=True)
class ParameterRule:
    """Demand of a rule on a parameter, or on a size of the data.

    Parameters
    ----------
    values
        The allowed values; the first is the rule's own.
    at_least
        Smallest allowed number, inclusive. Either this or `values` is given.
    if_stated
        A workload without such a parameter, or data without such a size, keeps the rule.
    """

    values: tuple[Value, ...] = ()
    at_least: int | float | None = None
    if_stated: bool = False

    def __post_init__(self) -> None:
        if bool(self.values) == (self.at_least is not None):
            raise ValueError("a rule has either values or at_least")

    @property
    def reference(self) -> Value:
        """The rule's own value: the smallest, or the first of those allowed."""
        return self.values[0] if self.at_least is None else self.at_least

    def __str__(self) -> str:
        if self.at_least is not None:
            return f"at least {self.at_least}"
        listed = ", ".join("''" if value == "" else str(value) for value in self.values)
        return f"one of {listed}" if len(self.values) > 1 else listed

    def met_by(self, value: object) -> bool:
        """Tell whether `value` keeps the rule."""
        if self.at_least is None:
            return value in self.values
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        return value >= self.at_least


def broken_rules(rules: Mapping[str, ParameterRule], parameters: Mapping[str, Any]) -> list[str]:
    """List, one sentence each that begins with the parameter's name, how `parameters` break `rules`.

    A parameter that is not stated, because the campaign is older than it, breaks its rule, unless that is one
    `if_stated`.
    """
    return [
        f"{name} is {parameters.get(name, 'not stated')}, rules say {rule}"
        for name, rule in rules.items()
        if (not rule.met_by(parameters[name]) if name in parameters else not rule.if_stated)
    ]


@dataclass(frozen=True, slots=True)
class QualityTarget:
    """The accuracy an instance must reach for its time to count.

    Parameters
    ----------
    metric
        Name of the accuracy.
    at_least, at_most
        Bound of its value, inclusive; `at_most` where lower is better. Exactly one is given.
    """

    metric: str
    at_least: float | None = None
    at_most: float | None = None

    def __post_init__(self) -> None:
        if (self.at_least is None) == (self.at_most is None):
            raise ValueError(f"target of {self.metric}: give at_least or at_most")

    @property
    def bound(self) -> float:
        """The value to reach."""
        return self.at_least if self.at_least is not None else float(self.at_most or 0.0)

    def __str__(self) -> str:
        return f"{self.metric} {'>=' if self.at_least is not None else '<='} {self.bound:.10g}"

    def met_by(self, accuracy: float) -> bool:
        """Tell whether an accuracy reaches the target; NaN does not."""
        return accuracy >= self.bound if self.at_least is not None else accuracy <= self.bound


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
    checks_parameters
        The checker is called as ``check(directory, parameters)``, with a training's parameters or None, and
        adds the fact ``warnings``: sentences about such a training on the data, where there are any.
    sizes
        The maker's size parameters; defaults are the real data set's.
    decided_by
        Parameters that say which files are read, and are sizes of made files, too.
    cacher
        ``module:function``; ``fill(directory, cache)`` parses everything into a dataset cache, unless
        it is there, and returns facts; empty where instances use none.
    """

    files: tuple[str, ...]
    maker: str
    checker: str
    sizes: tuple[Parameter, ...]
    cacher: str = ""
    checks_parameters: bool = False
    decided_by: tuple[str, ...] = ()

    def resolve_sizes(self, given: Mapping[str, object]) -> dict[str, Value]:
        """Return all sizes of the maker, real ones overridden by `given`; raises `WorkloadError`."""
        return resolve(self.sizes, given, "the data maker")


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
    timed_units
        Parameters, or whole numbers, whose product is the number of batches or samples in the window of timed
        steps; empty where a run is timed as a whole, or the number is no such product.
    accuracy_metric
        Name of the accuracy that a run reports, empty where it reports none.
    metrics
        Names of the metrics that a run reports; empty where they are not listed.
    requires
        Python packages that the training imports; ``{name}`` stands for the value of that parameter.
    requires_for_ranks
        Python packages that it imports as well where an instance has several ranks.
    own_target, own_rules
        A quality target and rules of parameters that the workload's author sets for all campaigns,
        in addition to those of the campaign's rulebook. Shipped workloads have none.
    data
        Files it reads, or None for synthetic in-memory input.
    sizes
        Facts of the full-size model, e.g. ``trainable_parameters``, ``forward_flop_per_sample``.
    optimizer_steps
        Optimizer steps that a whole training takes; None where the workload states none.
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
    timed_units: tuple[str, ...] = ()
    accuracy_metric: str = ""
    metrics: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    requires_for_ranks: tuple[str, ...] = ()
    own_target: QualityTarget | None = None
    own_rules: Mapping[str, ParameterRule] = field(default_factory=dict)
    data: DataFormat | None = None
    sizes: Mapping[str, int] = field(default_factory=dict)
    optimizer_steps: StepPlan | None = None
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

    def timed_product(self, parameters: Mapping[str, Any]) -> float | None:
        """Return how many batches or samples are timed; None where that is no product of `timed_units`."""
        known = [int(name) if name.isdecimal() else parameters.get(name) for name in self.timed_units]
        numbers = [one for one in known if isinstance(one, int | float)]
        return math.prod(numbers) if numbers and len(numbers) == len(known) else None

    def check_ranks(self, parameters: Mapping[str, Value], ranks: int) -> None:
        """Raise `WorkloadError` if a training with these parameters refuses to run on so many ranks.

        `parameters_type` has a method ``check_ranks`` where that depends on parameters.
        """
        check = getattr(self.parameters_type, "check_ranks", None)
        if check is not None:
            check(self.typed(parameters), ranks)

    def check_memory(self, parameters: Mapping[str, Value], memory_bytes: int | None) -> None:
        """Raise `WorkloadError` if a rank with these parameters needs more than its memory; None: no limit.

        `parameters_type` has a property ``memory_bytes``, an estimate, where that depends on parameters.
        """
        if memory_bytes is not None and hasattr(self.parameters_type, "memory_bytes"):
            require_memory(self.typed(parameters).memory_bytes, memory_bytes)

    def packages(self, parameters: Mapping[str, Value], ranks: int) -> tuple[str, ...]:
        """Return the Python packages that an instance of `ranks` processes imports.

        `parameters_type` has methods ``packages``, and ``packages_for_ranks`` for several ranks, where
        further ones depend on parameters.
        """
        named = (*self.requires, *(self.requires_for_ranks if ranks > 1 else ()))
        methods = ("packages", "packages_for_ranks") if ranks > 1 else ("packages",)
        more = [getattr(self.parameters_type, one) for one in methods if hasattr(self.parameters_type, one)]
        further = [package for method in more for package in method(self.typed(parameters))]
        formatted = (name.format(**parameters) for name in named)
        return tuple(dict.fromkeys((*(_PACKAGES.get(name, name) for name in formatted), *further)))

    def to_dict(self) -> dict[str, Any]:
        """Return the description as JSON-ready data."""
        from dataclasses import asdict

        return {name: value for name, value in asdict(self).items() if name != "parameters_type"}


def require_memory(estimate: float, memory_bytes: float) -> None:
    """Raise `WorkloadError` if an estimate of a rank's memory, in bytes, is more than it has."""
    if estimate > memory_bytes:
        raise WorkloadError(
            f"needs about {estimate / 2**30:.1f} GiB of memory, and its slot has "
            f"{memory_bytes / 2**30:.1f} GiB: give it more, or leave this size out"
        )


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
            hint = near(str(name), names, f"it has {', '.join(names) or 'none'}")
            raise WorkloadError(f"{owner} has no parameter {name!r}{hint}")
    try:
        return {name: p.coerce(given.get(name, p.default)) for name, p in names.items()}
    except WorkloadError as error:
        raise WorkloadError(f"{owner}: {error}") from None
