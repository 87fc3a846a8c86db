"""The key ``command`` of a workload file: how a command is called, and where its numbers are read from."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    AllowInfNan,
    Field,
    Strict,
    field_validator,
    model_validator,
)

from orchestrator.wording import shortened
from sites import Model
from workloads.curves import MOST_CURVES
from workloads.description import FomTime, WorkloadError
from workloads.external import command, templates
from workloads.spelling import nearest

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OF_RANKS = "fields of ranks need ranks: true beside command"
_EXAMPLE = "(?P<value>[-+0-9.eE]+)"


def _without_nul(text: str) -> str:
    if "\0" in text:
        raise ValueError("must not contain a NUL character")
    return text


def _expression(pattern: str) -> str:
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"{pattern!r} is not a regular expression: {error}") from None
    if "\n" in pattern or re.search(r"(?<!\\)(?:\\\\)*\\[nr]", pattern):
        raise ValueError("output is searched line by line, so a line break cannot be matched")
    return pattern


def _with_value(pattern: str) -> str:
    groups = re.compile(pattern).groupindex
    if "value" not in groups:
        close = nearest("value", groups)
        hint = f"; rename group {close}" if close else f", such as {_EXAMPLE}"
        raise ValueError(f"{pattern!r} has no group named value{hint}")
    return pattern


def _with_one_place(pattern: str) -> str:
    if {"epoch", "step"} <= re.compile(pattern).groupindex.keys():
        raise ValueError(f"{pattern!r} has groups epoch and step; a point of a curve has one place")
    return pattern


def _never_empty(pattern: str) -> str:
    if re.compile(pattern).search(""):
        raise ValueError(f"{pattern!r} matches any line")
    return pattern


def _dotted(key: str) -> str:
    if not all(key.split(".")):
        raise ValueError(f"{key!r} is not a dotted path such as scores.accuracy")
    return key


def _one_line(text: str) -> str:
    line = text.strip()
    if not line.isprintable():
        raise ValueError(f"{shortened(repr(text), 60)} has line breaks or control characters, for one line")
    return line


Text = Annotated[str, AfterValidator(_without_nul)]
Line = Annotated[str, AfterValidator(_one_line)]
"""A text that tables and verdicts show."""
Whole = Annotated[int, Strict()]
Finite = Annotated[float, Strict(), AllowInfNan(False)]
_Number = Annotated[Text, AfterValidator(_expression), AfterValidator(_with_value)]
_Curve = Annotated[_Number, AfterValidator(_with_one_place)]
_Key = Annotated[Text, Field(min_length=1, max_length=100)]
_Failure = Annotated[Text, AfterValidator(_expression), AfterValidator(_never_empty)]


class Source(Model):
    """Where a number is read from: the command's output, MLLOG lines in it, or a JSON file that it writes."""

    pattern: _Number | None = Field(
        None, description="Expression with a group named value; its last match on the output counts."
    )
    mllog: _Key | None = Field(None, description="Key of MLLOG lines on the output; the last value counts.")
    file: Text | None = Field(None, alias="json", min_length=1, description="JSON file; a template.")
    key: Annotated[Text, AfterValidator(_dotted)] | None = Field(
        None, description="Dotted path into the JSON file."
    )

    @model_validator(mode="after")
    def _one_place(self) -> Source:
        given = {"pattern": self.pattern, "mllog": self.mllog, "json": self.file, "key": self.key}
        names = [name for name, value in given.items() if value is not None]
        if len(names) > 1 and names != ["json", "key"]:
            raise ValueError(f"has {names[0]} and {names[1]}; a number is read from one place")
        if not names or names in (["json"], ["key"]):
            missing = "key" if names == ["json"] else "json"
            raise ValueError(f"needs pattern, mllog, or json and key; {missing} is missing")
        return self

    def parsed(self, name: str, unit: str = "") -> command.Source:
        """Return the source as the training process reads it; `name` is its key, for messages."""
        if self.pattern is not None:
            return command.PatternSource(name, self.pattern, unit)
        if self.mllog is not None:
            return command.MllogSource(name, self.mllog, unit)
        return command.JsonSource(name, self.file or "", self.key or "", unit)


class MetricSource(Source):
    """Where a further number is read from."""

    unit: Line = Field("", description="Unit of the number.")


class MllogPoints(Model):
    """MLLOG lines with a point of a learning curve each."""

    mllog: _Key = Field(description="Key of the lines, whose value is the point's.")
    epoch: _Key | None = Field(None, description="Key of their metadata with the epoch, such as epoch_num.")
    step: _Key | None = Field(None, description="Key of their metadata with the step.")

    @model_validator(mode="after")
    def _one_axis(self) -> MllogPoints:
        if self.epoch is not None and self.step is not None:
            raise ValueError("has epoch and step; a point of a curve has one place")
        return self


class WindowLines(Model):
    """Lines of the output between which the timed steps lie; each expression matches one line."""

    start: _Failure = Field(description="Expression of the line that starts the window.")
    stop: _Failure = Field(description="Expression of the line that stops it.")
    after: _Failure | None = Field(None, description="Expression of a line before which none counts.")
    units: list[str | Whole] = Field(
        min_length=1,
        description="Steps or samples in the window: numbers and names of parameters, which are multiplied.",
    )

    def parsed(self) -> command.Window:
        """Return the window as the training process sees it."""
        return command.Window(self.start, self.stop, self.after, tuple(map(str, self.units)))


class Failure(Model):
    """Conditions that make a run a failure."""

    exit_codes_ok: list[Whole] = Field([0], min_length=1, description="Exit codes of a good end.")
    patterns: list[_Failure] = Field(
        default_factory=list, description="A line of output that matches one of them is a failure."
    )


class Command(Model):
    """How an external command is called and read; texts with ``{field}`` are templates."""

    arguments: list[Text] = Field(
        min_length=1, description="Program and arguments, one text each; there is no shell."
    )
    rank_arguments: list[Text] = Field(
        default_factory=list, description="Further arguments where an instance has several ranks."
    )
    directory: Text = Field("{folder}", description="Working directory.")
    environment: dict[str, Text | None] = Field(
        default_factory=dict, description="Variables to set; null removes one."
    )
    accuracy: Source | None = Field(None, description="Where the accuracy is read from.")
    seconds: Source | Literal["run", "mllog", "window"] = Field(
        description="Where the time is read from; run: from the command's start to its end; mllog: from its "
        "MLLOG line run_start to run_stop; window: that of the window for each of its units."
    )
    window: WindowLines | None = Field(None, description="Lines between which the timed steps lie.")
    data: dict[str, Source] = Field(
        default_factory=dict, description="Facts of the data that the command states."
    )
    metrics: dict[str, MetricSource] = Field(
        default_factory=dict, description="Further numbers; one that is not found is absent."
    )
    curves: dict[str, _Curve | MllogPoints] = Field(
        default_factory=dict,
        max_length=MOST_CURVES,
        description="Learning curves: keys of MLLOG lines, or expressions of lines with a point, with a "
        "group named value and, where the line has it, one named epoch or step; without these the matches "
        "are counted as steps.",
    )
    failure: Failure = Field(default_factory=Failure, description="What makes a run a failure.")
    files: list[Text] = Field(
        default_factory=list,
        description="Further files of the program, relative to this file, recorded as its code.",
    )

    @field_validator("arguments", mode="before")
    @classmethod
    def _one_for_each(cls, value: object) -> object:
        if not isinstance(value, list):
            raise ValueError("must be a list of texts, one for each argument, as there is no shell")  # noqa: TRY004
        return value

    @field_validator("seconds", mode="before")
    @classmethod
    def _run(cls, value: object) -> object:
        if value not in ("run", "mllog", "window") and not isinstance(value, dict):
            raise ValueError("must be run, mllog, window, {pattern: …}, {mllog: …} or {json: …, key: …}")
        return value

    @field_validator("data")
    @classmethod
    def _facts(cls, value: dict[str, Source]) -> dict[str, Source]:
        if "synthetic" in value:
            raise ValueError("synthetic: whether data are synthetic is looked for in the files")
        return value

    @field_validator("environment")
    @classmethod
    def _variables(cls, value: dict[str, str | None]) -> dict[str, str | None]:
        for name in value:
            if not _VARIABLE.fullmatch(name):
                raise ValueError(f"{name}: a variable's name has letters, digits and '_' only")
            if name.startswith("ORCHESTRATOR_"):
                raise ValueError(f"{name}: variables that start with ORCHESTRATOR_ mark our processes")
        return value

    def check(self, fields: Collection[str], fom_time: FomTime) -> None:
        """Raise `ValueError` if a template uses another field, or the time is not the figure of merit's."""
        for place, template in self._templates():
            try:
                templates.check(template, fields)
            except WorkloadError as error:
                if "{data}" in template and "data" not in fields:
                    raise ValueError(
                        f"{place} uses {{data}}, but the workload reads none; name whose files it reads, "
                        "such as data: p1b1"
                    ) from None
                if any(f"{{{name}}}" in template for name in templates.RANK_FIELDS.keys() - set(fields)):
                    raise ValueError(f"{place}: {error}; {_OF_RANKS}") from None
                raise ValueError(f"{place}: {error}") from None
        if self.seconds in ("run", "mllog") and fom_time != "run":
            raise ValueError(
                f"command.seconds: {self.seconds} is the time of the whole run, but fom_time is {fom_time}; "
                "name where the command writes it"
            )
        self._check_window(fom_time, fields)
        for name, source in self._sources():
            if source.file is not None:
                self._check_file(name, source.file, fields)

    def _check_window(self, fom_time: FomTime, fields: Collection[str]) -> None:
        if self.window is None:
            if self.seconds == "window":
                raise ValueError("command.window is missing; seconds: window needs it")
            return
        if fom_time == "run":
            raise ValueError(
                "command.window is of timed steps, but fom_time is run, which is timed from the command's "
                "start to its end"
            )
        for unit in self.window.units:
            if isinstance(unit, str) and (unit not in fields or unit in templates.ALL_FIELDS):
                raise ValueError(f"command.window.units: {unit} is neither a parameter nor a whole number")
            if not isinstance(unit, str) and unit < 1:
                raise ValueError(f"command.window.units: must be at least 1, not {unit}")

    def _check_file(self, name: str, file: str, fields: Collection[str]) -> None:
        """Refuse a JSON file that instances running side by side would write over each other."""
        absolute = file.startswith(("/", "{output}", "{folder}"))
        if not {"output", "seed"} & templates.check(file if absolute else self.directory + file, fields):
            raise ValueError(
                f"command.{name}.json: instances side by side would all write {file}; "
                "put it below {output}, or let the command work there with directory: '{output}'"
            )

    def _sources(self) -> Iterator[tuple[str, Source]]:
        for name, source in (("accuracy", self.accuracy), ("seconds", self.seconds)):
            if isinstance(source, Source):
                yield name, source
        for kind, further in (("metrics", self.metrics), ("data", self.data)):
            yield from ((f"{kind}.{name}", source) for name, source in further.items())

    def _templates(self) -> Iterator[tuple[str, str]]:
        for number, argument in enumerate(self.arguments):
            yield f"command.arguments.{number}", argument
        for number, argument in enumerate(self.rank_arguments):
            yield f"command.rank_arguments.{number}", argument
        yield "command.directory", self.directory
        for name, value in self.environment.items():
            if value is not None:
                yield f"command.environment.{name}", value
        for name, source in self._sources():
            if source.file is not None:
                yield f"command.{name}.json", source.file

    def parsed(self, folder: str) -> command.Command:
        """Return the command as the training process runs it; `folder` is that of the file, absolute."""
        return command.Command(
            arguments=tuple(self.arguments),
            folder=folder,
            rank_arguments=tuple(self.rank_arguments),
            directory=self.directory,
            environment=dict(self.environment),
            accuracy=self.accuracy.parsed("accuracy") if self.accuracy else None,
            seconds=self.seconds.parsed("seconds") if isinstance(self.seconds, Source) else self.seconds,
            metrics=tuple(one.parsed(f"metrics.{name}", one.unit) for name, one in self.metrics.items()),
            exit_codes_ok=tuple(self.failure.exit_codes_ok),
            failure_patterns=tuple(self.failure.patterns),
            files=tuple(self.files),
            window=None if self.window is None else self.window.parsed(),
            data=tuple(one.parsed(f"data.{name}") for name, one in self.data.items()),
            curves={
                name: one if isinstance(one, str) else command.MllogPoints(one.mllog, one.epoch, one.step)
                for name, one in self.curves.items()
            },
        )
