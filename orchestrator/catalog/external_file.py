"""Files that describe an external command as a workload: their keys, and what is read from them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, Strict, field_validator, model_validator

from orchestrator.catalog.external_command import Command, Finite, Line, Whole
from sites import FileError, Model, parse
from sites.files import NAME, NAME_WORDS
from workloads.description import DataFormat, FomTime, Parameter, ParameterRule, QualityTarget, WorkloadError
from workloads.external import templates
from workloads.external.command import ExternalWorkload
from workloads.external.reference import path_of, read_bytes


class ExternalParameter(Model):
    """A parameter of the command; a plain value stands for its default."""

    default: Any = Field(description="Value where the campaign names none; its type is the parameter's.")
    description: Line = Field("", description="One line for lists.")
    unit: Line = Field("", description="Unit of the value.")
    choices: list[Any] = Field(default_factory=list, description="Allowed values; empty for any.")
    minimum: Finite | None = Field(None, description="Smallest allowed value.")
    rule: Literal["fixed", "at least", "free"] = Field(
        "free", description="What keeps the author's own rule: the default, at least it, or anything."
    )

    @field_validator("default")
    @classmethod
    def _is_a_value(cls, value: object) -> object:
        if type(value) not in (int, float, str, bool):
            kind = {dict: "a mapping", list: "a list", type(None): "nothing"}.get(type(value), repr(value))
            raise ValueError(f"must be a number, a text, true or false, not {kind}")
        return value

    @model_validator(mode="after")
    def _rule_fits(self) -> ExternalParameter:
        if self.rule == "at least" and type(self.default) not in (int, float):
            raise ValueError("rule: only a number can be at least something")
        return self

    @property
    def own_rule(self) -> ParameterRule | None:
        """The rule that the file's author sets; None where the parameter is free."""
        if self.rule == "at least":
            return ParameterRule(at_least=self.default)
        return ParameterRule((self.default,)) if self.rule == "fixed" else None


class ExternalQuality(Model):
    """The quality that an instance must reach."""

    metric: Line = Field(description="Name of the accuracy.")
    minimum: Finite | None = Field(None, description="Smallest accuracy that counts.")
    maximum: Finite | None = Field(None, description="Largest that counts, where lower is better.")

    @model_validator(mode="after")
    def _one_bound(self) -> ExternalQuality:
        if (self.minimum is None) == (self.maximum is None):
            raise ValueError("needs minimum, or maximum where lower is better")
        return self

    @property
    def target(self) -> QualityTarget:
        """The target that the file's author sets."""
        return QualityTarget(self.metric, self.minimum, self.maximum)


class ExternalFile(Model):
    """A workload file."""

    name: str = Field(pattern=NAME, json_schema_extra=NAME_WORDS, description="Name of the workload.")
    title: Line = Field(description="One line for lists.")
    source: Line = Field(description="Where the program comes from.")
    fom_time: Literal["run", "batch", "sample"] = Field(
        description="Time of the figure of merit: of the run, or the mean per batch or sample."
    )
    parameters: dict[str, ExternalParameter] = Field(
        default_factory=dict, description="What a campaign may change, each with its default."
    )
    quality: ExternalQuality | None = Field(None, description="Quality target.")
    data: Line | None = Field(None, description="Name of the workload whose files the command reads.")
    sizes: dict[str, Whole] = Field(default_factory=dict, description="Facts of the model, for lists.")
    ranks: Annotated[bool, Strict()] = Field(
        False, description="Whether an instance may have several ranks, each of which runs the command."
    )
    command: Command = Field(description="How the command is called and read.")

    @field_validator("parameters", mode="before")
    @classmethod
    def _default_alone(cls, value: object) -> object:
        if not isinstance(value, dict):
            return value
        return {name: one if isinstance(one, dict) else {"default": one} for name, one in value.items()}

    @model_validator(mode="after")
    def _whole(self) -> ExternalFile:
        for name in self.parameters:
            if not name.isidentifier():
                raise ValueError(f"parameters.{name}: a parameter's name has letters, digits and '_' only")
            if name in self.fields:
                meaning = self.fields[name]
                raise ValueError(f"parameters.{name}: {{{name}}} is the {meaning}; choose another name")
        for parameter in self.table():
            try:
                for value in (parameter.default, *parameter.choices):
                    parameter.coerce(value)
            except WorkloadError as error:
                raise ValueError(f"parameters.{error}") from None
        fields = {*self.fields, *self.parameters} - ({"data"} if self.data is None else set())
        if self.command.rank_arguments and not self.ranks:
            raise ValueError("command.rank_arguments: an instance has one rank; write ranks: true as well")
        self.command.check(fields, self.fom_time)
        for unit in self.command.window.units if self.command.window else ():
            if isinstance(unit, str) and type(self.parameters[unit].default) not in (int, float):
                raise ValueError(f"command.window.units: parameter {unit} is no number")
        if self.quality and self.command.accuracy is None:
            raise ValueError("command.accuracy is missing; quality needs it")
        return self

    @property
    def fields(self) -> dict[str, str]:
        """Fields of templates beside the parameters, with their meanings."""
        return templates.FIELDS | (templates.RANK_FIELDS if self.ranks else {})

    def table(self) -> tuple[Parameter, ...]:
        """Return the parameters as a workload's description has them."""
        return tuple(
            Parameter(name, **{**one.model_dump(exclude={"rule"}), "choices": tuple(one.choices)})
            for name, one in self.parameters.items()
        )


def read(reference: str, data_format: Callable[[str], DataFormat]) -> ExternalWorkload:
    """Return the workload that a file describes. A pin is not checked: reports outlive changes.

    Parameters
    ----------
    reference
        Path of the file, pinned or not.
    data_format
        Returns the data format of a workload by name, or raises `WorkloadError`.

    Raises
    ------
    WorkloadError
        With file, place and reason of the first few things that are wrong, a line each.
    """
    path = path_of(reference)
    content = read_bytes(path)
    try:
        found = parse(content.decode("utf-8"), ExternalFile, str(path))
    except UnicodeDecodeError as error:
        raise WorkloadError(f"{path}: not UTF-8 text: {error}") from None
    except FileError as error:
        raise WorkloadError(str(error)) from None
    try:
        data = None if found.data is None else data_format(found.data)
    except WorkloadError as error:
        raise WorkloadError(f"{path}: data: {error}") from None
    return _workload(found, path, hashlib.sha256(content).hexdigest(), data)


def _workload(found: ExternalFile, path: Path, sha256: str, data: DataFormat | None) -> ExternalWorkload:
    fom_time: FomTime = found.fom_time
    return ExternalWorkload(
        name=found.name,
        title=found.title,
        source=found.source,
        entry="workloads.external:run",
        parameters=found.table(),
        fom_time=fom_time,
        timed_units=tuple(map(str, found.command.window.units)) if found.command.window else (),
        accuracy_metric=found.quality.metric if found.quality else "",
        own_target=found.quality.target if found.quality else None,
        own_rules={name: one.own_rule for name, one in found.parameters.items() if one.own_rule},
        data=data,
        sizes=found.sizes,
        ranks=found.ranks,
        command=found.command.parsed(str(path.parent)),
        file=str(path),
        sha256=sha256,
    )
