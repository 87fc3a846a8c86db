"""What all batch systems have in common: a job, its states, and how its commands are put."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from orchestrator.errors import OrchestratorError
from sites.schedulers import Batch, LauncherType


class JobState(StrEnum):
    """Where a scheduler job stands."""

    QUEUED = "queued"
    HELD = "held"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    WALLTIME = "walltime"
    NODE_LOST = "node lost"
    GONE = "gone"

    @property
    def ended(self) -> bool:
        """Whether it will never hold nodes again."""
        return self not in (JobState.QUEUED, JobState.HELD, JobState.RUNNING)


@dataclass(frozen=True, slots=True)
class Job:
    """One scheduler job as the batch system tells of it; `reason` is in its own words."""

    id: str
    state: JobState
    reason: str = ""


@dataclass(frozen=True, slots=True)
class JobRequest:
    """What is asked for: one block.

    Parameters
    ----------
    name
        The job's name; the same for all blocks of a campaign, so that lost ones can be found.
    nodes
        Nodes to hold.
    walltime_seconds
        For how long.
    output
        File of the job's own output.
    command
        Shell command that runs once on every node, or on the script's own host alone.
    each_node
        Which of the two. Alone, it finds the block's nodes in ``ORCHESTRATOR_BLOCK_NODES``.
    variables
        Exported to the command.
    avoid
        Names of nodes to do without, where the batch system can be told; only Slurm can.
    """

    name: str
    nodes: int
    walltime_seconds: float
    output: Path
    command: str
    variables: tuple[tuple[str, str], ...] = ()
    each_node: bool = True
    avoid: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Call:
    """A command to run: its words, and what it reads from standard input."""

    words: tuple[str, ...]
    stdin: str | None = None


class SchedulerError(OrchestratorError):
    """A batch system refused something, or gave an answer that cannot be understood."""


class Family(Protocol):
    """One family of batch systems, for one site's settings.

    `beginning` are shell lines that take a script to the directory it was submitted from, where the
    batch system does not.
    """

    prefix: str
    default_launcher: LauncherType
    list_nodes: str  # shell command that prints the nodes of the job it runs in, one a line
    beginning: tuple[str, ...]

    def directives(self, request: JobRequest) -> list[str]:
        """Return the directives of a submit script, without their prefix.

        Raises
        ------
        SchedulerError
            If the account is a variable that is not set here.
        """
        ...

    def submit(self, script: Path, text: str) -> Call:
        """Return the command that submits a script; `text` is what it holds."""
        ...

    def submitted(self, stdout: str) -> str:
        """Return the new job's id; raises `SchedulerError` if there is none in the answer."""
        ...

    def status(self, ids: Sequence[str]) -> Call:
        """Return the command that tells of jobs."""
        ...

    def jobs(self, ids: Sequence[str], code: int, stdout: str, stderr: str) -> list[Job]:
        """Return what the status command told, a job for each id.

        Raises
        ------
        SchedulerError
            If the batch system did not answer the question; nothing is known then.
        """
        ...

    def find(self, name: str) -> Call:
        """Return the command that lists the ids of the user's jobs of a name that have not ended."""
        ...

    def found(self, stdout: str) -> list[str]:
        """Return the ids in that list."""
        ...

    def cancel(self, job: str) -> Call:
        """Return the command that ends a job."""
        ...


def account(batch: Batch) -> str | None:
    """Return the project that pays, with the driver's variables put in.

    Raises
    ------
    SchedulerError
        If a variable is not set.
    """
    if not batch.account:
        return None
    found = os.path.expandvars(batch.account)
    if not found or re.search(r"\$(\w|\{)", found):
        raise SchedulerError(
            f"the site's account is {batch.account}, which is not set here: export it, or write the "
            "project's name into the site file"
        )
    return found


def quoted(path: Path) -> str:
    """Return a path as a directive takes it; all families read quotes as a shell does."""
    return shlex.quote(str(path))


def clock(seconds: float) -> str:
    """Return a duration as ``HH:MM:SS``."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02d}:{minutes:02d}:{rest:02d}"


def first_words(lines: Iterable[str]) -> list[str]:
    """Return the first word of every line that has one."""
    return [words[0] for line in lines if (words := line.split())]
