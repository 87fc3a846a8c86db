"""What all schedulers have in common: jobs and their states, requests, commands, the family contract."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Protocol, runtime_checkable

from orchestrator.errors import OrchestratorError
from orchestrator.schedulers.pending_reasons import PendingReason
from sites.schedulers import Batch


class JobState(StrEnum):
    """State of a scheduler job."""

    QUEUED = "queued"
    """Waits for nodes."""
    HELD = "held"
    """Waits, and does not start before a user, an administrator or another job releases it."""
    RUNNING = "running"
    """Holds nodes, or may hold some: states that are not known count as this one."""
    COMPLETED = "completed"
    """Ended with exit code 0."""
    FAILED = "failed"
    """Ended with an error of its own: another exit code, out of memory, a launch that failed."""
    CANCELLED = "cancelled"
    """Ended by its owner or an administrator, before or after its start."""
    TIMEOUT = "timeout"
    """Ended by the scheduler at its walltime limit or deadline."""
    NODE_FAILURE = "node_failure"
    """Ended because the scheduler took its nodes away: node failure, boot failure or preemption."""
    UNKNOWN = "unknown"
    """The scheduler answered and does not know the job any more: it ended, and how is not known."""

    @property
    def ended(self) -> bool:
        """Whether the job will never hold nodes again."""
        return self not in (JobState.QUEUED, JobState.HELD, JobState.RUNNING)


@dataclass(frozen=True, slots=True)
class Job:
    """One scheduler job.

    Parameters
    ----------
    reason
        The scheduler's own explanation of its state.
    pending
        For a waiting job, what is known of a reason for which it may never start; None for ordinary waiting.
    """

    id: str
    state: JobState
    reason: str = ""
    pending: PendingReason | None = field(default=None, compare=False)


def with_expected_start(job: Job, start: str) -> Job:
    """Return a waiting job with when its scheduler expects to start it; unchanged for an empty text.

    A job that only the user can help never starts, whatever the scheduler expects.
    """
    if not start or job.state is not JobState.QUEUED or (job.pending and job.pending.hopeless):
        return job
    return replace(job, reason=f"{job.reason}, expected to start at {start}")


@dataclass(frozen=True, slots=True)
class JobRequest:
    """One block to submit.

    Parameters
    ----------
    name
        Name of the job; the same for all blocks of a campaign, so that lost ones can be found.
    command
        Shell command that runs once on every node, or once on the host of the script.
    variables
        Names and values of environment variables that are exported to the command.
    on_every_node
        Which of the two. On one host the command finds the block's nodes in ``ORCHESTRATOR_BLOCK_NODES``.
    exclude_nodes
        Names of nodes that the block must not get; only Slurm can be asked for that.
    teardown
        Words of a command that runs another, its further words, and then what ends a node; none for nothing.
    """

    name: str
    nodes: int
    walltime_seconds: float
    output: Path
    command: str
    variables: tuple[tuple[str, str], ...] = ()
    on_every_node: bool = True
    exclude_nodes: tuple[str, ...] = ()
    teardown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Command:
    """A command to run: its words, and what it reads from standard input."""

    words: tuple[str, ...]
    stdin: str | None = None


class SchedulerError(OrchestratorError):
    """A scheduler refused a request, did not answer, or gave an answer that cannot be parsed."""


class Family(Protocol):
    """One family of schedulers: the text of its scripts, the words of its commands, their answers.

    A family is made from a site's settings, a model derived from `sites.schedulers.Batch`. It is pure:
    it starts no process and reads no file. `SchedulerClient` runs its commands on the host of the
    driver, each with a limit of two minutes, and writes the submit script. To add a scheduler, write
    such a class and register it as described in `orchestrator.schedulers.families`;
    `orchestrator.schedulers.conformance` has the tests that hold for every family.

    What a submit script must do
        It begins with the directives, one a line, after `directive_prefix`. The scheduler must run it
        once, on the first node of the block, with bash, and must not run it again after a failure: the
        campaign has given up what ran there. It must reach the directory it was submitted from;
        `script_preamble` does so where the scheduler does not. `render` adds the rest: exported
        variables, the site's prologue, and the launcher that starts the request's command on every node.
        `default_launcher` is the one used where the site names none.

    What is called when
        `directives` and `submit_command` for each block, then `job_id_from_output` with the answer if the
        command ended with 0; any other exit code is a refusal, and its output the message. While blocks
        are open, `status_command` with the ids of all of them every `poll_interval`, then `parse_status`
        with whatever came back. `cancel_command` for each block that is no longer needed or that a
        dead driver left; cancelling a job that has ended may fail, the status afterwards decides.
        `find_command` and `parse_found` when a campaign is resumed, for jobs that a driver submitted and
        did not live to note.

    What unknown answers mean
        No answer must ever end a job that may still run: a node would be used twice. `parse_status` raises
        `SchedulerError` if the scheduler did not answer, or if an answer cannot be parsed and may concern
        one of the jobs; the states known so far then stay. A state that is not known is RUNNING, or no
        answer. Only a scheduler that says it does not know a job makes it UNKNOWN, which counts as ended.

    Attributes
    ----------
    directive_prefix
        What a directive's line begins with, such as ``#SBATCH``.
    default_launcher
        Type of the launcher used where the site names none.
    list_nodes_command
        Shell command that prints the names of the nodes of the job it runs in, one a line.
    script_preamble
        Shell lines between directives and exported variables.
    """

    directive_prefix: str
    default_launcher: str
    list_nodes_command: str
    script_preamble: tuple[str, ...]

    def directives(self, request: JobRequest) -> list[str]:
        """Return the directives of a submit script, without their prefix.

        Raises
        ------
        SchedulerError
            If the account is a variable that is not set here.
        """
        ...

    def submit_command(self, script: Path, text: str) -> Command:
        """Return the command that submits a script; `text` is the content of the file."""
        ...

    def job_id_from_output(self, stdout: str) -> str:
        """Return the new job's id; raises `SchedulerError` if the output has none."""
        ...

    def status_command(self, ids: Sequence[str]) -> Command:
        """Return the command that prints the states of jobs; at least one is asked for."""
        ...

    def parse_status(self, ids: Sequence[str], code: int, stdout: str, stderr: str) -> list[Job]:
        """Return one job for each id, in their order, from what the status command printed.

        Parameters
        ----------
        code, stdout, stderr
            Exit code and output of the command. Some schedulers exit with an error for one unknown job
            and still report the others.

        Raises
        ------
        SchedulerError
            If the scheduler did not answer the question; nothing is known then.
        """
        ...

    def find_command(self, name: str) -> Command:
        """Return the command that lists the user's jobs of a name that have not ended."""
        ...

    def parse_found(self, stdout: str) -> list[str]:
        """Return the ids in that list; anything else in the output is ignored."""
        ...

    def cancel_command(self, job: str) -> Command:
        """Return the command that ends a job."""
        ...


def client_commands(family: Family) -> list[str]:
    """Return the programs that a family runs on the host of the driver, without repetition."""
    commands = (
        family.submit_command(Path("script"), ""),
        family.status_command(["1"]),
        family.find_command("name"),
        family.cancel_command("1"),
    )
    return list(dict.fromkeys(command.words[0] for command in commands))


@runtime_checkable
class AllocationFamily(Protocol):
    """A family that also tells how long the allocation lasts which the driver runs inside of.

    Attributes
    ----------
    allocation_variable
        Environment variable that names the allocation; set in each of its processes.
    list_nodes_command
        As of `Family`.
    """

    allocation_variable: str
    list_nodes_command: str

    def allocation_command(self, allocation: str) -> Command:
        """Return the command that prints how long an allocation lasts, by the variable's value."""
        ...

    def seconds_left(self, stdout: str, now: float) -> float:
        """Return the seconds that are left of it: infinite without a limit, 0 if it has ended.

        Parameters
        ----------
        now
            Seconds since the epoch.

        Raises
        ------
        ValueError
            If the output cannot be read.
        """
        ...


class AccountAsWritten(str):
    """An account that is shown and not submitted, so that its variables stay."""

    __slots__ = ()


def expanded_account(batch: Batch) -> str | None:
    """Return the site's account with environment variables of the driver expanded; None without one.

    Raises
    ------
    SchedulerError
        If a variable is not set.
    """
    if not batch.account or isinstance(batch.account, AccountAsWritten):
        return batch.account or None
    found = os.path.expandvars(batch.account)
    if not found or re.search(r"\$(\w|\{)", found):
        raise SchedulerError(
            f"the site's account is {batch.account}, which is not set here: export it, or write the "
            "project's name into the site file"
        )
    return found


def quoted_path(path: Path) -> str:
    """Return a path as a directive takes it; all families read quotes as a shell does."""
    return shlex.quote(str(path))


def parse_hms(text: str) -> float:
    """Return the seconds of ``[DAYS-][[HOURS:]MINUTES:]SECONDS``; raises `ValueError` for another text."""
    days, _, clock = text.strip().rpartition("-")
    seconds = 0
    for part in clock.split(":"):
        if not part.isdecimal():
            raise ValueError(f"{text!r} is no length of time")
        seconds = seconds * 60 + int(part)
    return float(int(days or 0) * 86400 + seconds)


def format_hms(seconds: float) -> str:
    """Return a duration as ``HH:MM:SS``."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02d}:{minutes:02d}:{rest:02d}"
