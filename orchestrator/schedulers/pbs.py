"""PBS Pro and Torque: qsub, qalter, qmove, qstat, qselect, qdel. Formats of PBS Pro 2022 and Torque 6."""

from __future__ import annotations

import getpass
import json
import math
import re
import shlex
import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from orchestrator.schedulers.durations import format_hms, parse_hms
from orchestrator.schedulers.model import (
    Command,
    Family,
    FreeNodes,
    Job,
    JobRequest,
    JobState,
    QueueWait,
    SchedulerError,
    expanded_account,
    quoted_path,
    with_expected_start,
)
from orchestrator.schedulers.pending_reasons import DOWN, SHARED, SMALLER, PendingReason, find_pending_reason
from orchestrator.schedulers.survey import pbs as survey
from orchestrator.schedulers.survey.model import SurveyedNode
from sites.schedulers import PbsPro, Torque

_STATES = {
    "Q": JobState.QUEUED,
    "W": JobState.QUEUED,
    "T": JobState.QUEUED,
    "M": JobState.QUEUED,
    "H": JobState.HELD,
    "R": JobState.RUNNING,
    "B": JobState.RUNNING,
    "E": JobState.RUNNING,
    "S": JobState.RUNNING,
    "U": JobState.RUNNING,
    "F": JobState.COMPLETED,
    "X": JobState.COMPLETED,
    "C": JobState.COMPLETED,
}
_ID = re.compile(r"^\d+(\[\d*\])?(\.\S+)?$")
_SIGNALLED = 256
_PRO_EXITS = {  # job.h of OpenPBS; a job that never ran has none
    None: JobState.CANCELLED,
    0: JobState.COMPLETED,
    -29: JobState.TIMEOUT,
    -20: JobState.NODE_FAILURE,
    -4: JobState.NODE_FAILURE,
    -5: JobState.NODE_FAILURE,
    -6: JobState.NODE_FAILURE,
}
# Slurm's wrappers have no qselect; their qstat ends with 153 where there are no jobs.
_FIND = r"""
command -v qselect >/dev/null && exec qselect "$@"
jobs=$(qstat -f) || [ $? = 153 ] || exit 1
printf '%s\n' "$jobs" | awk -v name="$4" '
  $1 == "Job" && $2 == "Id:" { id = $3 }
  $1 == "Job_Name" { named = $3 == name }
  $1 == "job_state" && named && $3 != "C" { print id }'
"""
_HISTORY = 'jobs=$(qselect -x -u "$1") || exit 1; [ -z "$jobs" ] || exec qstat -x -f -F json $jobs'
_TORQUE_EXITS = {  # pbs_job.h of Torque; Slurm's wrappers tell none
    None: JobState.COMPLETED,
    0: JobState.COMPLETED,
    -11: JobState.TIMEOUT,
    -4: JobState.NODE_FAILURE,
    -5: JobState.NODE_FAILURE,
    -6: JobState.NODE_FAILURE,
}
# Comments of the schedulers of OpenPBS and Torque.
_PENDING = (
    PendingReason(r"(?i)can never run.*", "a block requests what no nodes have; " + SMALLER, hopeless=True),
    PendingReason(r"(?i)not running:.*(limit|would exceed).*", SHARED),
    PendingReason(r"(?i)not running:.*(queue not started|not (enabled|available|up)|offline|down).*", DOWN),
)


class _Pbs(Family):
    title = "PBS"
    directive_prefix = "#PBS"
    list_nodes_command = 'sort -u "$PBS_NODEFILE"'
    script_preamble: tuple[str, ...] = ('cd "${PBS_O_WORKDIR:-.}" || exit 1', "")  # else it is the home
    time_option = "-l walltime"
    resource_option = "-l"
    allocation_variable = job_id_variable = "PBS_JOBID"
    job_variables = ("PBS_JOB", "PBS_NODE", "PBS_O_", "PBS_TASK", "PBS_MOM")
    inherited_variables = ("PBS_*",)
    alterable = frozenset({"account", "queue"})
    pending_reasons = _PENDING

    def __init__(self, site: PbsPro | Torque) -> None:
        self._site = site

    def directives(self, request: JobRequest) -> list[str]:
        """Return the ``#PBS`` options; a job that lost its nodes is never rerun, it would come back empty."""
        site = self._site
        payer = expanded_account(site)
        return [
            f"-N {request.name}",
            *_resources(site, request.nodes),
            f"-l walltime={format_hms(request.walltime_seconds)}",
            f"-o {quoted_path(request.output)}",
            "-j oe",
            *([f"-A {payer}"] if payer else []),
            *([f"-q {site.queue}"] if site.queue else []),
            "-r n",
            "-S /bin/bash",
        ]

    def allocation_command(self, allocation: str) -> Command:
        """Return the qstat command for the long form."""
        return self.status_command([allocation])

    def submit_command(self, script: Path, text: str) -> Command:  # noqa: ARG002
        """Return the qsub command."""
        return Command(("qsub", str(script)))

    def job_id_from_output(self, stdout: str) -> str:
        """Return the id, which is the last line."""
        lines = stdout.split()
        if not lines or not _ID.match(lines[-1]):
            raise SchedulerError(f"qsub printed no job id but: {stdout.strip()!r}")
        return lines[-1]

    def find_command(self, name: str) -> Command:
        """Return the qselect command for jobs of a name that have not ended."""
        return Command(("qselect", "-u", getpass.getuser(), "-N", name))

    def parse_found(self, stdout: str) -> list[str]:
        """Return one id a line."""
        return [word for word in stdout.split() if _ID.match(word)]

    def cancel_command(self, job: str) -> Command:
        """Return the qdel command."""
        return Command(("qdel", job))

    def alter_command(self, job: str, changed: Collection[str]) -> Command:
        """Return the qalter command for the account, the qmove command for the queue, or both in turn."""
        site = self._site
        move = ("qmove", str(site.queue), job) if "queue" in changed else ()
        if "account" not in changed:
            return Command(move)
        charge = ("qalter", "-A", str(expanded_account(site)), job)
        return Command(("sh", "-c", f"{shlex.join(charge)} && {shlex.join(move)}") if move else charge)

    def requested_nodes(self, value: str) -> str:
        """Return the sum of the chunks; a node by its name is one."""
        counts = [chunk.partition(":")[0] for chunk in value.split("+")]
        return str(sum(int(count) if count.isdecimal() else 1 for count in counts))


class PbsProFamily(_Pbs):
    """Directives, commands and answers of PBS Pro and OpenPBS."""

    default_launcher: str = "mpiexec"
    nodes_option = "-l select"
    survey = survey.COMMANDS  # which reads the nodes of Torque too

    def status_command(self, ids: Sequence[str]) -> Command:
        """Return the qstat command; ended jobs are asked for too."""
        return Command(("qstat", "-x", "-f", "-F", "json", *ids))

    def seconds_left(self, stdout: str, now: float) -> float:
        """Return the walltime, less the time since the start."""
        answer = json.loads(stdout, strict=False)["Jobs"]
        (facts,) = answer.values()
        asked = facts.get("Resource_List", {}).get("walltime")
        return _seconds_left(facts.get("job_state"), asked, facts.get("stime"), now)

    def parse_status(self, ids: Sequence[str], code: int, stdout: str, stderr: str) -> list[Job]:
        """Return the jobs; qstat fails if one id is unknown, and still reports the others."""
        try:
            # Control characters of some job's environment come through unescaped.
            answer = json.loads(stdout, strict=False) if stdout.strip() else {}
            listed: dict[str, dict[str, Any]] = answer.get("Jobs", {})
            listed_jobs = {
                job: with_expected_start(
                    _job(
                        job,
                        facts.get("job_state"),
                        facts.get("Exit_status"),
                        facts.get("comment"),
                        _PRO_EXITS,
                    ),
                    _start(facts.get("estimated")),
                )
                for job, facts in listed.items()
            }
        except (ValueError, AttributeError):
            raise SchedulerError(f"qstat printed no list of jobs but: {stdout.strip()[:80]!r}") from None
        return _jobs(ids, listed_jobs, code, stderr)

    def free_nodes_command(self) -> Command:
        """Return the pbsnodes command for all nodes as JSON."""
        return Command(("pbsnodes", "-a", "-F", "json"))

    def parse_free_nodes(self, stdout: str, now: float) -> FreeNodes:  # noqa: ARG002
        """Return the nodes without a job that the queue may use."""
        nodes = json.loads(stdout)["nodes"].values()
        queues = (None, self._site.queue)
        free = sum(
            one.get("state") == "free" and not one.get("jobs") and one.get("queue") in queues for one in nodes
        )
        return FreeNodes.counted(free)

    def waits_command(self) -> Command:
        """Return a command for the user's jobs that the server remembers, ended ones included."""
        return Command(("sh", "-c", _HISTORY, "sh", getpass.getuser()), name="qstat")

    def parse_waits(self, stdout: str) -> list[QueueWait]:
        """Return a wait for each job that started: from when it was eligible to run."""
        jobs = json.loads(stdout or "{}").get("Jobs", {}).values()
        started = [one for one in jobs if "stime" in one and "etime" in one]
        if self._site.queue:
            started = [one for one in started if one.get("queue") == self._site.queue]
        found = []
        for one in started:
            since, begun = (time.mktime(time.strptime(one[key])) for key in ("etime", "stime"))
            nodes = int(one["Resource_List"].get("nodect", 1))
            found.append(QueueWait(nodes, since, max(0.0, begun - since)))
        return found

    def whole_nodes_line(self, kind: SurveyedNode) -> str:
        """Return the resources of each chunk of the select statement."""
        gpus = f", ngpus={kind.gpus}" if kind.gpus else ""
        return f"select: [ncpus={kind.cores}{gpus}]"


class TorqueFamily(_Pbs):
    """Directives, commands and answers of Torque, and of Slurm's wrappers of its commands."""

    default_launcher: str = "ssh"
    nodes_option = "-l nodes"

    def find_command(self, name: str) -> Command:
        """Return what lists jobs of a name; ended ones stay known for a while, and are left out."""
        options = ("-u", getpass.getuser(), "-N", name, "-s", "EHQRTW")
        return Command(("sh", "-c", _FIND, "sh", *options))

    def status_command(self, ids: Sequence[str]) -> Command:
        """Return the qstat command for the long form."""
        return Command(("qstat", "-f", *ids))

    def seconds_left(self, stdout: str, now: float) -> float:
        """Return the walltime, less the time since the start."""
        facts = _facts(stdout)
        started = facts.get("start_time")
        return _seconds_left(facts.get("job_state"), facts.get("Resource_List.walltime"), started, now)

    def parse_status(self, ids: Sequence[str], code: int, stdout: str, stderr: str) -> list[Job]:
        """Return the jobs; those that the server no longer knows are UNKNOWN."""
        listed_jobs = {}
        for section in re.split(r"^Job Id:", stdout, flags=re.MULTILINE)[1:]:
            job, _, rest = section.partition("\n")
            facts = _facts(rest)
            listed_jobs[job.strip()] = _job(
                job.strip(),
                facts.get("job_state"),
                facts.get("exit_status"),
                facts.get("comment"),
                _TORQUE_EXITS,
            )
        return _jobs(ids, listed_jobs, code, stderr)

    def whole_nodes_line(self, kind: SurveyedNode) -> str:
        """Return the properties of each node of the nodes statement."""
        gpus = f", gpus={kind.gpus}" if kind.gpus else ""
        return f"properties: [ppn={kind.cores}{gpus}]"


def _facts(text: str) -> dict[str, str]:
    """Return the attributes of the long form of one job."""
    facts: dict[str, str] = {}
    for name, value in re.findall(r"^(?: {4}|\t)([\w.]+) = (.*)$", text, re.MULTILINE):
        facts.setdefault(name, value.strip())  # a later one is a line of the job's environment
    return facts


def _seconds_left(state: str | None, walltime: str | None, started: str | None, now: float) -> float:
    """Return what is left of a running job's walltime; its start is written as ctime does, in local time."""
    if state is None:
        raise ValueError("no state of the job")
    if state != "R":
        return 0.0
    if walltime is None:
        return math.inf
    if started is None:
        raise ValueError("no start of the job")
    return max(0.0, time.mktime(time.strptime(started)) + parse_hms(walltime) - now)


def _resources(site: PbsPro | Torque, nodes: int) -> list[str]:
    if isinstance(site, Torque):
        return [f"-l nodes={':'.join([str(nodes), *site.properties])}"]
    chunk = ":".join([str(nodes), *site.select])
    return [f"-l select={chunk}", *([f"-l place={site.place}"] if site.place else [])]


def _job(job: str, word: Any, status: Any, comment: Any, exits: dict[int | None, JobState]) -> Job:
    """Return a job from what qstat prints: a state of one letter, and once it has run, its exit status.

    A program's own status is below 256, a signal's number counts from there, and what PBS itself
    says of a job is negative.
    """
    if not isinstance(word, str) or not re.fullmatch("[A-Z]", word):
        raise SchedulerError(f"qstat reports no state of job {job}")
    try:
        number = None if status is None else int(status)
    except (TypeError, ValueError):
        raise SchedulerError(f"qstat reports no exit status of job {job} but {status!r}") from None
    state = _STATES.get(word, JobState.RUNNING)
    if state is JobState.COMPLETED:
        killed = number is not None and number > _SIGNALLED
        state = exits.get(number, JobState.CANCELLED if killed else JobState.FAILED)
    reason = (
        word + ("" if number is None else f", exit status {number}") + (f" ({comment})" if comment else "")
    )
    pending = find_pending_reason(_PENDING, str(comment)) if comment and state is JobState.QUEUED else None
    return Job(job, state, reason, pending)


def _start(estimated: Any) -> str:
    """Return when the server expects to start a job, in its own words; empty where it does not say."""
    start = estimated.get("start_time") if isinstance(estimated, dict) else None
    return start.strip() if isinstance(start, str) else ""


def _jobs(ids: Sequence[str], listed_jobs: dict[str, Job], code: int, stderr: str) -> list[Job]:
    """Return a job for each id, however much of its server's name either side leaves out.

    Every error of qstat ends with a job's id; only this one says that the job is gone.
    """
    by_number = {job.partition(".")[0]: one for job, one in listed_jobs.items()}
    unknown = re.findall(r"Unknown Job Id(?: Error)?\s+(\d+(?:\[\d*\])?)", stderr)
    jobs = []
    for job in ids:
        number = job.partition(".")[0]
        one = listed_jobs.get(job) or by_number.get(number)
        if one is not None:
            jobs.append(replace(one, id=job))
        elif number in unknown:
            jobs.append(Job(job, JobState.UNKNOWN, "the server knows it no longer"))
        else:
            raise SchedulerError(
                f"qstat failed: {stderr.strip() or f'exit code {code}, no status for job {job}'}"
            )
    return jobs
