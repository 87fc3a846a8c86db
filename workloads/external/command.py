"""What an external command is: how it is called, and where its numbers are read from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from workloads.description import Workload


class CommandError(Exception):
    """An external command failed, or did not say what its description promises.

    Parameters
    ----------
    message
        One line for people.
    signal
        Number of the signal it died of, or None.
    exit_code
        Its exit code where that is what failed.
    """

    def __init__(self, message: str, signal: int | None = None, exit_code: int = 1) -> None:
        super().__init__(message)
        self.signal = signal
        self.exit_code = exit_code


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


Source = PatternSource | JsonSource


@dataclass(frozen=True, slots=True)
class Command:
    """How an external command is called and read; texts with ``{field}`` are templates.

    Parameters
    ----------
    arguments
        Program and arguments, one template each; never seen by a shell.
    folder
        Absolute folder of the description, field ``{folder}``.
    directory
        Template of the working directory.
    environment
        Templates of variables to set; None removes a variable.
    accuracy, seconds
        Where they are read from. Seconds may also be ``run``: from the command's start to its end.
    metrics
        Further numbers; one that is not found is absent.
    exit_codes_ok
        Exit codes of a good end.
    failure_patterns
        A line of the output that matches one of them makes the run a failure.
    """

    arguments: tuple[str, ...]
    folder: str
    directory: str = "{folder}"
    environment: Mapping[str, str | None] = field(default_factory=dict)
    accuracy: Source | None = None
    seconds: Source | Literal["run"] = "run"
    metrics: tuple[Source, ...] = ()
    exit_codes_ok: tuple[int, ...] = (0,)
    failure_patterns: tuple[str, ...] = ()

    @property
    def sources(self) -> tuple[Source, ...]:
        """Return every declared source, metrics last."""
        declared = [self.accuracy, None if self.seconds == "run" else self.seconds, *self.metrics]
        return tuple(source for source in declared if isinstance(source, PatternSource | JsonSource))


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalWorkload(Workload):
    """A workload that is an external command, and the file (absolute path, SHA-256) that says so."""

    command: Command
    file: str
    sha256: str
