"""Parts that all schedulers share: jobs and their states, requests, commands, the family contract."""

from __future__ import annotations

import os
import re
import shlex
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from orchestrator.errors import OrchestratorError
from orchestrator.schedulers import directives
from orchestrator.schedulers.directives import Option
from orchestrator.schedulers.pending_reasons import PendingReason, find_pending_reason
from orchestrator.schedulers.survey.model import SurveyCommands, SurveyedNode
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
        """True if the job will never hold nodes again."""
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
    is_whole
        Whether it has all the time that any block gets. What the end of another block cuts off is tried
        again, and not charged.
    tasks
        How many such blocks are submitted at once, as a job array.
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
    is_whole: bool = True
    tasks: int = 1


@dataclass(frozen=True, slots=True)
class Command:
    """A command to run.

    Parameters
    ----------
    words, stdin
        Its words, and what it reads from standard input.
    name
        Name in messages; by default the first word.
    """

    words: tuple[str, ...]
    stdin: str | None = None
    name: str = ""

    def __str__(self) -> str:
        """Return the name in messages."""
        return self.name or self.words[0]


class Submitted(NamedTuple):
    """Id of a job that was submitted, and the settings that it took of several; empty where there is one."""

    job: str
    choice: str = ""


@dataclass(frozen=True, slots=True)
class StartAnswer:
    """Answer of a scheduler: whether it would take a job (None: it cannot be asked), and its own words."""

    accepted: bool | None
    words: str


@dataclass(frozen=True, slots=True)
class Hole:
    """Nodes that are free now.

    Parameters
    ----------
    seconds
        Time until the first of them is promised to another job; None where the scheduler does not state it.
    """

    nodes: int
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class FreeNodes:
    """Answer of a scheduler to the question for nodes that are free.

    Parameters
    ----------
    behind
        Seconds until jobs that wait behind another are expected to start, by their ids.
    """

    holes: tuple[Hole, ...] = ()
    behind: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def counted(cls, nodes: int) -> FreeNodes:
        """Return the answer of a scheduler that states only their number."""
        return cls((Hole(nodes),) if nodes else ())


@dataclass(frozen=True, slots=True)
class QueueWait:
    """How long a job waited until it had nodes.

    Parameters
    ----------
    since, seconds
        When it could have started, in seconds since the epoch; and how much later it did.
    """

    nodes: int
    since: float
    seconds: float


class SchedulerError(OrchestratorError):
    """A scheduler refused a request, did not answer, or gave an answer that cannot be parsed."""


class NoAnswerError(SchedulerError):
    """A scheduler did not answer: what it was asked for may be done all the same."""


class Family(ABC):
    """One family of schedulers: the text of its scripts, the words of its commands, their answers.

    A family is made from a site's settings, a model derived from `sites.schedulers.Batch`. It is pure:
    it starts no process and reads no file. `SchedulerClient` runs its commands on the host of the
    driver, each with a limit of two minutes, and writes the submit script. To add a scheduler, derive
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
        `ask_command` when a user asks for the start of a block that is not submitted yet.
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
    title
        Name for people, such as ``PBS``.
    nodes_option, time_option
        Options of a directive that ask for nodes and for the walltime; empty: directives of a site file are
        not compared with these.
    short_options
        Long options by the short ones that mean the same.
    resource_option
        Option of which each value is a comma-separated list of resources, as ``-l`` of PBS.
    time_units
        Seconds of the parts of a walltime of one part, of two, of three, in a directive's own way.
    allocation_variable
        Environment variable that names the allocation, in each of its processes; empty: not known.
    alterable
        Settings that a job takes while it waits, and keeps its place in the queue.
    nested
        Whether it may run inside an allocation of another batch system.
    job_id_variable
        Environment variable that has a job's id; empty: the driver's own job is not named.
    array_variable
        Environment variable with the number of a task of a job array, from 0; empty: there are no arrays.
    job_variables, kept_variables
        What names of a job's own environment variables begin with, which a driver in a job leaves out so
        that blocks which it submits do not take them for theirs; and those that it keeps.
    inherited_variables
        Names and globs of its environment variables that a training inherits.
    account_variable, queue_key, core_unit
        For `site detect`: variable that names an account, key of a queue, and what the survey counts.
    pending_reasons
        Reasons of its own for which jobs wait for ever, or for long.
    survey
        Commands that list queues and nodes of the machine, and what reads their output; None: none are known.
    """

    directive_prefix: str
    default_launcher: str
    list_nodes_command: str
    script_preamble: tuple[str, ...] = ()
    title: str
    nodes_option: str = ""
    time_option: str = ""
    short_options: Mapping[str, str] = MappingProxyType({})
    resource_option: str = ""
    time_units: tuple[tuple[int, ...], ...] = ((1,), (60, 1), (3600, 60, 1))
    allocation_variable: str = ""
    nested: bool = False
    job_id_variable: str = ""
    array_variable: str = ""
    alterable: frozenset[str] = frozenset()
    job_variables: tuple[str, ...] = ()
    kept_variables: tuple[str, ...] = ()
    inherited_variables: tuple[str, ...] = ()
    account_variable: str = "$PROJECT"
    queue_key: str = "queue"
    core_unit: str = "logical CPUs"
    pending_reasons: tuple[PendingReason, ...] = ()
    survey: SurveyCommands | None = None

    @abstractmethod
    def __init__(self, site: Any) -> None:
        """Take the settings of a site, a model derived from `sites.schedulers.Batch`."""

    @abstractmethod
    def directives(self, request: JobRequest) -> list[str]:
        """Return the directives of a submit script, without their prefix.

        Raises
        ------
        SchedulerError
            If the account is a variable that is not set here.
        """

    @abstractmethod
    def submit_command(self, script: Path, text: str) -> Command:
        """Return the command that submits a script; `text` is the content of the file."""

    @abstractmethod
    def job_id_from_output(self, stdout: str) -> str:
        """Return the new job's id; raises `SchedulerError` if the output has none."""

    @abstractmethod
    def status_command(self, ids: Sequence[str]) -> Command:
        """Return the command that prints the states of jobs; at least one is asked for."""

    @abstractmethod
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

    @abstractmethod
    def find_command(self, name: str) -> Command:
        """Return the command that lists the user's jobs of a name that have not ended."""

    @abstractmethod
    def parse_found(self, stdout: str) -> list[str]:
        """Return the ids in that list; anything else in the output is ignored."""

    @abstractmethod
    def cancel_command(self, job: str) -> Command:
        """Return the command that ends a job."""

    def allocation_command(self, allocation: str) -> Command:
        """Return the command that prints how long an allocation lasts, by the value of its variable."""
        raise NotImplementedError(f"{type(self).__name__} has an allocation_variable and no such command")

    def seconds_left(self, stdout: str, now: float) -> float:
        """Return the seconds that are left of an allocation: infinite without a limit, 0 if it has ended.

        Parameters
        ----------
        now
            Seconds since the epoch.

        Raises
        ------
        ValueError
            If the output cannot be read.
        """
        raise NotImplementedError(f"{type(self).__name__} has an allocation_variable and reads no answer")

    def requested(self, directive: str) -> Iterator[Option]:
        """Yield the options that a directive holds."""
        return directives.options(directive, self.short_options, self.resource_option)

    def requested_nodes(self, value: str) -> str | None:
        """Return how many nodes the value of `nodes_option` asks for; None where it cannot be read."""
        return directives.node_range(value)

    def requested_seconds(self, value: str) -> float | None:
        """Return the length that the value of `time_option` asks for; None where it cannot be read."""
        return directives.clock_seconds(value, self.time_units)

    def ask_command(self, text: str) -> Command | None:  # noqa: ARG002
        """Return the command that says when the job of a script would start, and submits nothing.

        None of a scheduler that has no such command. An exit code other than 0 is a refusal.
        """
        return None

    def choices_command(self) -> Command | None:
        """Return the command by whose answer a block takes one of several settings; None: there is one."""
        return None

    def choices(self, stdout: str, request: JobRequest) -> list[tuple[str, Batch]]:
        """Return settings of a block, with names, by that output; raises `SchedulerError` without any."""
        raise NotImplementedError(f"{type(self).__name__} has a choices_command and reads no answer")

    def expected_start(self, words: str) -> str:  # noqa: ARG002
        """Return the start that an answer to `ask_command` states, as texts that sort; empty without one."""
        return ""

    def is_no_answer(self, output: str) -> bool:  # noqa: ARG002
        """Return whether the output of a failed `ask_command` means that the scheduler did not answer."""
        return False

    def alter_command(self, job: str, changed: Collection[str]) -> Command:
        """Return the command by which a job that waits takes settings of `alterable` as they are now."""
        raise NotImplementedError(f"{type(self).__name__} has alterable settings and no command for them")

    def free_nodes_command(self) -> Command | None:
        """Return the command that prints the nodes which are free for a block now; None: there is none."""
        return None

    def parse_free_nodes(self, stdout: str, now: float) -> FreeNodes:
        """Return what `free_nodes_command` printed; raises `ValueError` where it cannot be read.

        Parameters
        ----------
        now
            Seconds since the epoch.
        """
        raise NotImplementedError(f"{type(self).__name__} has a free_nodes_command and reads no answer")

    def waits_command(self) -> Command | None:
        """Return the command that lists the user's jobs, ended ones included; None: there is none."""
        return None

    def parse_waits(self, stdout: str) -> list[QueueWait]:
        """Return the waits of the jobs of `waits_command` that started; raises `ValueError`."""
        raise NotImplementedError(f"{type(self).__name__} has a waits_command and reads no answer")

    def exclude_line(self, nodes: Sequence[str]) -> str | None:  # noqa: ARG002
        """Return the line of a site file's scheduler that keeps blocks off nodes; None: there is none."""
        return None

    def whole_nodes_line(self, kind: SurveyedNode) -> str:  # noqa: ARG002
        """Return the line of a site file's scheduler by which a job gets nodes whole; empty without one."""
        return ""

    def explained(self, job: Job) -> Job:
        """Return a waiting job with what `pending_reasons` says of its reason, if anything."""
        if job.state is not JobState.QUEUED or job.pending is not None:
            return job
        return replace(job, pending=find_pending_reason(self.pending_reasons, job.reason))


def client_commands(family: Family) -> list[str]:
    """Return the programs that a family runs on the host of the driver, without repetition."""
    commands = (
        family.submit_command(Path("script"), ""),
        family.status_command(["1"]),
        family.find_command("name"),
        family.cancel_command("1"),
    )
    return list(dict.fromkeys(command.words[0] for command in commands))


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
