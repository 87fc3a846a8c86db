"""Recipes: parameters that are fixed, parameters that may change, and metrics with their bounds."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, model_validator

import workloads
from orchestrator.protocol import foreign_load, sampling
from sites import FileError, Model, parse_mapping, read_text
from sites.files import NAME, NAME_WORDS, validate
from sites.placed import placed
from sites.places import Lines, Place
from sites.resolved import Resolved, dump
from workloads import plugins
from workloads.description import Workload, WorkloadError
from workloads.external.reference import is_file, is_pinned, located, pin
from workloads.spelling import near

GROUP = "ensemble_throughput_orchestrator.recipes"
"""Group of the entry points by which installed packages name their recipes, each a mapping."""
RUN_SECONDS = "run_seconds"
"""The metric that every workload has: run start to run stop, in seconds."""
_OF_EVERY_RUN = (
    *(*sampling.METRICS, foreign_load.METRIC),
    *("energy_per_epoch_joules", "energy_per_sample_joules", "energy_per_run_joules", "timeline", "profile"),
)
"""Metrics that are measured beside those of a workload; names of others begin with them, as with its own."""
_OF_TIMES = re.compile("second|joule|watt|latency")
_IN_SECONDS = re.compile(r"(^|/)[mµun]?s$|^[kM]?[JW]$")
_FOLDER = Path(str(workloads.__file__)).parent / "recipes"
_Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError(f"must hold no control characters, not {text!r}")
    return text


_Text = Annotated[str, AfterValidator(_printable)]
_Value = Annotated[int, Field(strict=True)] | _Number | bool | str


class Bound(Model):
    """Bound that a metric of each instance must keep."""

    at_least: _Number | None = Field(None, description="Smallest value, inclusive.")
    at_most: _Number | None = Field(None, description="Largest value, inclusive.")
    unit: _Text = Field("", description="Unit, for tables.")

    @model_validator(mode="before")
    @classmethod
    def _has_a_direction(cls, value: Any) -> Any:
        if not isinstance(value, dict | cls):
            forms = f"{{at_least: {value}}} or {{at_most: {value}}}"
            raise ValueError(f"{value!r} has no direction; write {forms}")  # noqa: TRY004  pydantic's
        return value

    @model_validator(mode="after")
    def _has_one_direction(self) -> Bound:
        if self.at_least is not None and self.at_most is not None:
            raise ValueError("has two directions; write at_least or at_most")
        return self

    @property
    def stated_only(self) -> bool:
        """True if it has no bound."""
        return self.at_least is None and self.at_most is None

    def __str__(self) -> str:
        value = self.at_least if self.at_most is None else self.at_most
        return f"{'at least' if self.at_most is None else 'at most'} {value:.10g} {self.unit}".rstrip()

    def met_by(self, value: float) -> bool:
        """Return whether a value is within the bound; NaN is not."""
        if self.at_most is not None:
            return value <= self.at_most
        return self.at_least is not None and value >= self.at_least

    def miss(self, value: float) -> float:
        """Return by how much a value misses the bound, in percent of it (of 1 if it is 0); inf for NaN."""
        bound = self.at_least if self.at_most is None else self.at_most
        if bound is None or self.met_by(value):
            return 0.0
        return math.inf if math.isnan(value) else 100 * abs(value - bound) / (abs(bound) or 1)


class Recipe(Model):
    """A recipe."""

    recipe: str = Field(pattern=NAME, json_schema_extra=NAME_WORDS, description="Name.")
    title: _Text = Field("", description="One line for lists.")
    source: _Text = Field("", description="Where it is published.")
    workload: str = Field(description="Workload that it runs, as in a campaign file.")
    fixed: dict[str, _Value] = Field(
        default_factory=dict, description="Parameters that a campaign must not change."
    )
    mutable: dict[str, _Value] = Field(
        default_factory=dict, description="Parameters that a campaign may change, with their defaults."
    )
    synthetic_data: bool = Field(
        False, description="Whether instances that read made data count, for a trial at a small size."
    )
    metrics: dict[_Text, Bound] = Field(
        min_length=1,
        description="Metrics of each instance: {at_least: 93, unit: '%'}, {at_most: 3600}; {} where it is "
        f"stated only. {RUN_SECONDS} is the time of the run.",
    )

    @property
    def bounds_a_time(self) -> bool:
        """True if a metric with a bound is a time, a rate or an energy, by its name or unit."""
        return any(
            not bound.stated_only and (_OF_TIMES.search(name) or _IN_SECONDS.search(bound.unit))
            for name, bound in self.metrics.items()
        )

    @model_validator(mode="after")
    def _keys_differ(self) -> Recipe:
        if both := sorted(self.fixed.keys() & self.mutable.keys()):
            raise placed(
                f"{both[0]} is in fixed too; remove it from fixed or from mutable", ("mutable", both[0])
            )
        return self

    def agrees_with(self, other: Recipe) -> bool:
        """Return whether another recipe has another name, or the same fixed parameters and bounds."""
        return self.recipe != other.recipe or (self.fixed, self.metrics) == (other.fixed, other.metrics)

    def check_parameters(self, given: Mapping[str, Any]) -> None:
        """Raise `WorkloadError` if a campaign changes what is not mutable."""
        for name, value in given.items():
            if name in self.mutable or (name in self.fixed and value == self.fixed[name]):
                continue
            if name in self.fixed:
                value = repr(self.fixed[name])
                raise WorkloadError(
                    f"recipe {self.recipe} fixes {name} to {value}; remove it from parameters"
                )
            known = ", ".join(self.mutable) or "no parameter"
            hint = near(str(name), [*self.mutable, *self.fixed], f"a campaign may change {known}")
            raise WorkloadError(f"recipe {self.recipe} has no key {name!r}{hint}")

    def check_workload(self, workload: Workload) -> None:
        """Raise `WorkloadError` if the workload lacks a parameter, or a metric where it lists them."""
        try:
            workload.resolve({**self.fixed, **self.mutable})
        except WorkloadError as error:
            raise WorkloadError(f"recipe {self.recipe}: {error}") from None
        if not workload.metrics:
            return
        own = [name for name in (*workload.metrics, workload.accuracy_metric, RUN_SECONDS) if name]
        known = (*own, *_OF_EVERY_RUN)
        for name in self.metrics:
            if name not in known and not name.startswith(tuple(f"{one}_" for one in known)):
                hint = near(name, known, f"it has {', '.join(own)}")
                raise WorkloadError(
                    f"recipe {self.recipe}: workload {workload.name} has no metric {name!r}{hint}"
                )


def names() -> list[str]:
    """Return the names of the recipes that come with the project, and of those of installed packages."""
    return sorted({*(file.stem for file in _FOLDER.glob("*.yaml")), *plugins.names(GROUP)})


def read(given: object) -> tuple[Recipe, tuple[str, str]]:
    """Return a recipe, and the name and text of what it was read from.

    Parameters
    ----------
    given
        A name, the path of a file, from the working directory, or the mapping itself.

    Raises
    ------
    FileError
        If there is no such recipe; the nearest name is suggested. If it does not follow the schema.
    """
    if isinstance(given, dict):
        found = validate(given, Recipe, "recipe")
        return found, (f"recipe {found.recipe} of the campaign file", dump(plain(found)))
    if not isinstance(given, str) or not given:
        raise FileError(f"must be the name or the path of a recipe, not {given!r}")
    if not (given.endswith((".yaml", ".yml")) or "/" in given):
        shipped = _FOLDER / f"{given}.yaml"
        if given not in names():
            hint = near(given, names(), f"there are {', '.join(names())}")
            raise FileError(f"no recipe {given!r}{hint} (a recipe of your own is named by its .yaml file)")
        if not shipped.is_file():
            return _offered(given)
        given = str(shipped)
    text = read_text(Path(given).expanduser(), "recipe")
    data, lines = parse_mapping(text, given), Lines(text)
    where = f"{given}: "
    return validate(data, Recipe, given, where=lambda place: (where + lines.of(place)).removesuffix(": ")), (
        given,
        text,
    )


def _offered(name: str) -> tuple[Recipe, tuple[str, str]]:
    """Return a recipe of an installed package."""
    try:
        data = plugins.load(GROUP, name)
    except ValueError as error:
        raise FileError(f"recipe {error}") from error
    if not isinstance(data, Mapping):
        raise FileError(f"recipe {name} of an installed package is a {type(data).__name__}, not a mapping")
    found = validate(dict(data), Recipe, f"recipe {name}")
    return found, (f"recipe {name} of an installed package", dump(plain(found)))


def plain(recipe: Recipe) -> dict[str, Any]:
    """Return a recipe as the mapping that it was read from."""
    return recipe.model_dump(exclude_unset=True)


def expanded(benchmark: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, str]]:
    """Return a campaign's benchmark with all that its recipe says, and the recipe's name and text.

    Raises
    ------
    FileError, WorkloadError
        If there is no such recipe, or the benchmark contradicts it.
    """
    recipe, file = read(benchmark["recipe"])
    workload = recipe.workload
    if not is_pinned(workload):
        own = is_file(str(benchmark["recipe"]))
        workload = pin(located(workload, Path(file[0]).parent) if own and is_file(workload) else workload)
    if benchmark.get("workload", workload) not in (workload, recipe.workload):
        raise WorkloadError(f"recipe {recipe.recipe} runs workload {recipe.workload}; remove workload")
    parameters = benchmark.get("parameters")
    if parameters is None or isinstance(parameters, dict):
        recipe.check_parameters(parameters or {})
        parameters = {**recipe.fixed, **recipe.mutable, **(parameters or {})}
    of_recipe = {
        "name": benchmark.get("name") or recipe.recipe,
        "workload": workload,
        "recipe": plain(recipe) | {"workload": workload},
        "parameters": parameters,
    }
    return {**benchmark, **of_recipe}, file


def with_recipes(resolved: Resolved) -> Resolved:
    """Return a campaign's file with what the recipes of its benchmarks say, which become files of its text.

    A benchmark whose recipe cannot be used stays as it is; the campaign's model names its line.
    """
    benchmarks = resolved.data.get("benchmarks")
    if not isinstance(benchmarks, list):
        return resolved
    found: list[Any] = []
    files = dict(resolved.files)
    for one in benchmarks:
        if isinstance(one, dict) and "recipe" in one:
            try:
                one, (name, text) = expanded(one)
            except (FileError, WorkloadError):
                found.append(one)
                continue
            files.setdefault(name, text)
        found.append(one)
    if found == benchmarks:
        return resolved
    origins: dict[Place, int] = {(): 0, **resolved.origins}
    data = {**resolved.data, "benchmarks": found}
    return replace(resolved, data=data, files=tuple(files.items()), origins=origins)


def registered(text: str) -> dict[str, Recipe]:
    """Return the recipe of each benchmark of a campaign's registered text, by the benchmark's name."""
    benchmarks = parse_mapping(text, "campaign").get("benchmarks") or []
    return {one["name"]: read(one["recipe"])[0] for one in benchmarks if "recipe" in one}
