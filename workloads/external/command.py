"""External commands: how they are called, and where their numbers are read from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from workloads.description import DataFormat, Workload


@dataclass(frozen=True, slots=True)
class PatternSource:
    """A number on a line of the command's output: group ``value`` of the last match counts.

    `name` is the key in the description (``accuracy``, ``metrics.loss``), for messages.
    """

    name: str
    pattern: str
    unit: str = ""

    def __str__(self) -> str:
        return f"pattern {self.pattern!r} on the output"


@dataclass(frozen=True, slots=True)
class JsonSource:
    """A number in a JSON file that the command writes; `key` is a dotted path into it."""

    name: str
    file: str
    key: str
    unit: str = ""

    def __str__(self) -> str:
        return f"key {self.key} of JSON file {self.file}"


@dataclass(frozen=True, slots=True)
class MllogSource:
    """A number that MLLOG lines of the command's output state: the last value of a key counts."""

    name: str
    mllog: str
    unit: str = ""

    def __str__(self) -> str:
        return f"MLLOG lines {self.mllog} of the output"


Source = PatternSource | JsonSource | MllogSource


@dataclass(frozen=True, slots=True)
class MllogPoints:
    """MLLOG lines with a point of a learning curve each.

    Parameters
    ----------
    mllog
        Key of the lines, whose value is the point's.
    epoch, step
        Key of the metadata with the point's place; without either the lines are counted as steps.
    """

    mllog: str
    epoch: str | None = None
    step: str | None = None


@dataclass(frozen=True, slots=True)
class Window:
    """Lines of the output between which the timed steps lie.

    Parameters
    ----------
    start, stop
        Expressions; each matches one line.
    after
        Expression of a line before which none is looked for; None to look from the first line.
    units
        How many steps or samples lie there: whole numbers and names of parameters, to be multiplied.
    """

    start: str
    stop: str
    after: str | None = None
    units: tuple[str, ...] = ()

    def __str__(self) -> str:
        after = f"after {self.after!r}, " if self.after else ""
        return f"{after}from {self.start!r} to {self.stop!r}, of {' × '.join(self.units)}"


@dataclass(frozen=True, slots=True)
class Command:
    """How an external command is called and read; texts with ``{field}`` are templates.

    Parameters
    ----------
    arguments, rank_arguments
        Program and arguments, one template each; never seen by a shell. The latter follow where an instance
        has several ranks.
    folder
        Absolute folder of the description, field ``{folder}``.
    directory
        Template of the working directory.
    environment
        Templates of variables to set; None removes a variable.
    accuracy, seconds
        Where they are read from. Seconds may also be ``run``: from the command's start to its end;
        ``mllog``: from its MLLOG line ``run_start`` to ``run_stop``; or ``window``: those of the window, for
        each of its units.
    metrics
        Further numbers; one that is not found is absent.
    exit_codes_ok
        Exit codes of a good end.
    failure_patterns
        A line of the output that matches one of them makes the run a failure.
    files
        Further files of the program, relative to `folder`, which are recorded as its code.
    window
        Lines between which the timed steps lie; None where the whole run is timed.
    data
        Facts of the data that the command says it read; one that is not found is absent.
    curves
        Expressions of lines with a point of a learning curve, or MLLOG lines with one, by the curve's name.
    """

    arguments: tuple[str, ...]
    folder: str
    rank_arguments: tuple[str, ...] = ()
    directory: str = "{folder}"
    environment: Mapping[str, str | None] = field(default_factory=dict)
    accuracy: Source | None = None
    seconds: Source | Literal["run", "mllog", "window"] = "run"
    metrics: tuple[Source, ...] = ()
    exit_codes_ok: tuple[int, ...] = (0,)
    failure_patterns: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    window: Window | None = None
    data: tuple[Source, ...] = ()
    curves: Mapping[str, str | MllogPoints] = field(default_factory=dict)

    def unread(self) -> Command:
        """Return the command of a rank but the first, whose output states no number."""
        return replace(self, accuracy=None, seconds="run", metrics=(), window=None, data=(), curves={})

    @property
    def sources(self) -> tuple[Source, ...]:
        """Return every declared source, metrics last."""
        declared = [self.accuracy, self.seconds, *self.metrics, *self.data]
        return tuple(source for source in declared if isinstance(source, Source))

    @property
    def points(self) -> dict[str, MllogPoints]:
        """Return the curves that MLLOG lines draw."""
        return {name: one for name, one in self.curves.items() if isinstance(one, MllogPoints)}

    @property
    def expressions(self) -> dict[str, str]:
        """Return the curves that expressions draw."""
        return {name: one for name, one in self.curves.items() if isinstance(one, str)}

    @property
    def reads_mllog(self) -> bool:
        """Tell whether anything is read from MLLOG lines."""
        sources = any(isinstance(source, MllogSource) for source in self.sources)
        return sources or self.seconds == "mllog" or bool(self.points)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalWorkload(Workload):
    """A workload that is an external command, and the file (absolute path, SHA-256) that says so."""

    command: Command
    file: str
    sha256: str

    def to_order(self) -> dict[str, Any]:
        """Return, as JSON-ready data, what the training process needs to know of the workload."""
        return {
            "name": self.name,
            "fom_time": self.fom_time,
            "timed_units": list(self.timed_units),
            "ranks": self.ranks,
            "data_files": None if self.data is None else list(self.data.files),
            "command": asdict(self.command),
            "file": self.file,
            "sha256": self.sha256,
        }


def from_order(data: Mapping[str, Any]) -> ExternalWorkload:
    """Return the workload that `ExternalWorkload.to_order` was made from, as far as a run needs it."""
    command = data["command"]
    files = data["data_files"]
    return ExternalWorkload(
        name=data["name"],
        title="",
        source="",
        entry="workloads.external:run",
        parameters=(),
        fom_time=data["fom_time"],
        timed_units=tuple(data.get("timed_units", ())),
        ranks=data.get("ranks", False),
        data=None if files is None else DataFormat(files=tuple(files), maker="", checker="", sizes=()),
        command=Command(
            arguments=tuple(command["arguments"]),
            folder=command["folder"],
            rank_arguments=tuple(command.get("rank_arguments", ())),
            directory=command["directory"],
            environment=command["environment"],
            accuracy=_source(command["accuracy"]),
            seconds=_source(command["seconds"]) or command["seconds"],
            metrics=tuple(source for one in command["metrics"] if (source := _source(one))),
            exit_codes_ok=tuple(command["exit_codes_ok"]),
            failure_patterns=tuple(command["failure_patterns"]),
            files=tuple(command.get("files", ())),
            window=_window(command.get("window")),
            data=tuple(source for one in command.get("data", ()) if (source := _source(one))),
            curves={
                name: one if isinstance(one, str) else MllogPoints(**one)
                for name, one in command.get("curves", {}).items()
            },
        ),
        file=data["file"],
        sha256=data["sha256"],
    )


def _window(data: Mapping[str, Any] | None) -> Window | None:
    return None if data is None else Window(**{**data, "units": tuple(data["units"])})


def _source(data: Mapping[str, Any] | str | None) -> Source | None:
    if data is None or isinstance(data, str):
        return None
    if "mllog" in data:
        return MllogSource(**data)
    return PatternSource(**data) if "pattern" in data else JsonSource(**data)
