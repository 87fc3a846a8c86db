"""Slurm: sbatch, squeue, sacct, scancel. Formats as documented for Slurm 22.05."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path
from types import MappingProxyType

from orchestrator.schedulers import slurm_qos
from orchestrator.schedulers.durations import format_hms, parse_hms
from orchestrator.schedulers.model import (
    Command,
    Family,
    FreeNodes,
    Hole,
    Job,
    JobRequest,
    JobState,
    QueueWait,
    SchedulerError,
    expanded_account,
    quoted_path,
    with_expected_start,
)
from orchestrator.schedulers.pending_reasons import (
    ACCOUNT,
    DOWN,
    SHARED,
    SHORTER,
    SMALLER,
    PendingReason,
    find_pending_reason,
)
from orchestrator.schedulers.survey import slurm as survey
from orchestrator.schedulers.survey.model import SurveyedNode
from sites.schedulers import Batch, Slurm

_STATES = {
    "COMPLETED": JobState.COMPLETED,
    "CANCELLED": JobState.CANCELLED,
    "TIMEOUT": JobState.TIMEOUT,
    "DEADLINE": JobState.TIMEOUT,
    "NODE_FAIL": JobState.NODE_FAILURE,
    "PREEMPTED": JobState.NODE_FAILURE,
    "BOOT_FAIL": JobState.NODE_FAILURE,
    "FAILED": JobState.FAILED,
    "OUT_OF_MEMORY": JobState.FAILED,
    "LAUNCH_FAILED": JobState.FAILED,
    "RECONFIG_FAIL": JobState.FAILED,
    "REVOKED": JobState.CANCELLED,
    "PENDING": JobState.QUEUED,
    "REQUEUED": JobState.QUEUED,
    "REQUEUE_HOLD": JobState.HELD,
    "REQUEUE_FED": JobState.QUEUED,
    "SPECIAL_EXIT": JobState.HELD,
    "RESV_DEL_HOLD": JobState.HELD,
}  # all others hold nodes
_LONG = {
    "-A": "--account",
    "-C": "--constraint",
    "-G": "--gpus",
    "-J": "--job-name",
    "-N": "--nodes",
    "-c": "--cpus-per-task",
    "-n": "--ntasks",
    "-o": "--output",
    "-p": "--partition",
    "-q": "--qos",
    "-s": "--oversubscribe",
    "-t": "--time",
    "-x": "--exclude",
}
_FORMAT = "%i|%T|%r|%S"
_CANCELLED_FORMAT = "jobarrayid:20,exit_code:12,nodelist:40"
_JOB = re.compile(r"\d+(?:_\d+)?")  # tasks of arrays are 12_0, 12_1, …
_CANCELLED = re.compile(rf"({_JOB.pattern})\s+(\d+)(?:\s+(\S+))?")
_LINE = re.compile(r"(\d+[^\s|]*)\|([A-Z][A-Z_]*(?: by \d+|\+)?)(?:\|(.*))?")
_START = re.compile(r"(.*)\|(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d|N/A|)")
_WILL_START = re.compile(r"to start at (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)")
_MEASURED_BY = ("AcctGatherEnergyType", "JobAcctGatherType", "AccountingStorageType")
_SETTING = re.compile(r"^(\w+) *= *(.*?) *$", re.MULTILINE)
_NO_ENERGY = 2**63  # larger numbers are Slurm's NO_VAL64 and INFINITE64
_NEVER_RAN = "CANCELLED (Slurm ended it on its nodes before its script ran, as after a failed prolog)"
# Names of job_reason_string of Slurm 22.05; each limit is of an association, or with QOS of a qos.
_PENDING = (
    PendingReason("PartitionTimeLimit", SHORTER, hopeless=True),
    PendingReason("AssociationTimeLimit|(Assoc|QOS)MaxWallDurationPerJobLimit", SHORTER, hopeless=True),
    PendingReason(
        r"(Assoc|QOS)?Max(Node|Cpu|GRES|Memory|Mem|Billing|BB|Energy|CpuMinutes|CPUMins|TRESMins)\w*PerJob\w*",
        SMALLER,
        hopeless=True,
    ),
    PendingReason(r"QOSMaxNodePerUserLimit|(Assoc|QOS)MaxNodes\w*", SHARED),
    PendingReason(r"QOSMin\w*", "the qos is for larger jobs; " + ACCOUNT, hopeless=True),
    PendingReason(
        "BadConstraints",
        "no nodes have what scheduler.constraint and extra_directives request; correct them in the site file",
        hopeless=True,
    ),
    PendingReason(
        r"InvalidAccount|InvalidQOS|\w*AccountNotAllowed|\w*QOSNotAllowed",
        ACCOUNT,
        hopeless=True,
    ),
    PendingReason("DependencyNeverSatisfied", "remove --dependency from extra_directives", hopeless=True),
    PendingReason(
        "PartitionNodeLimit",
        "a block has more nodes than the partition allows, or nodes are down; " + SMALLER,
    ),
    PendingReason(
        r"(Assoc|QOS)(Grp|Max)\w*|Max\w*PerAccount|Association(Job|Resource)Limit|AccountingPolicy|QOSUsageThreshold",
        SHARED,
    ),
    PendingReason(
        r"ReqNodeNotAvail.*|Nodes required for job are DOWN.*|NodeDown|Partition(Down|Inactive)|"
        r"Reservation\w*",
        DOWN,
    ),
)

_NO_ANSWER = (
    "Unable to contact slurm controller|Socket timed out|Connection refused"
    "|Could not establish a configuration source"
)


class SlurmFamily(Family):
    """Directives, commands and answers of Slurm."""

    title = "Slurm"
    directive_prefix = "#SBATCH"
    default_launcher: str = "srun"
    list_nodes_command = 'scontrol show hostnames "$SLURM_JOB_NODELIST"'
    nodes_option, time_option = "--nodes", "--time"
    short_options = MappingProxyType(_LONG)
    time_units = ((60,), (60, 1), (3600, 60, 1))
    allocation_variable = job_id_variable = "SLURM_JOB_ID"
    array_variable = "SLURM_ARRAY_TASK_ID"
    job_variables = ("SLURM_",)
    kept_variables = ("SLURM_CONF",)
    inherited_variables = ("SLURM_*", "SLURMD_*")
    account_variable = "$SBATCH_ACCOUNT"
    queue_key = "partition"
    alterable = frozenset({"account", "partition", "qos", "constraint"})
    pending_reasons = _PENDING
    survey = survey.COMMANDS

    def __init__(self, site: Slurm) -> None:
        self._site = site
        self._qos = [one.strip() for one in (getattr(site, "qos", None) or "").split(",") if one.strip()]
        if len(self._qos) > 1:  # a job has one of them
            self.alterable = self.alterable - {"qos"}

    def directives(self, request: JobRequest) -> list[str]:
        """Return the ``#SBATCH`` options; a requeued job would find that its campaign has given it up."""
        site = self._site
        given = {
            "--account": expanded_account(site),
            "--partition": site.partition,
            "--qos": next(iter(self._qos), None),
            "--constraint": site.constraint,
            "--exclude": ",".join(request.exclude_nodes),
        }
        return [
            f"--job-name={request.name}",
            f"--nodes={request.nodes}",
            "--ntasks-per-node=1",
            f"--time={format_hms(request.walltime_seconds)}",
            f"--output={quoted_path(_output(request))}",
            *([f"--array=0-{request.tasks - 1}"] if request.tasks > 1 else []),
            *(f"{option}={value}" for option, value in given.items() if value),
            *(["--exclusive"] if site.exclusive else []),
            "--no-requeue",
        ]

    def submit_command(self, script: Path, text: str) -> Command:  # noqa: ARG002
        """Return the sbatch command."""
        return Command(("sbatch", "--parsable", str(script)))

    def ask_command(self, text: str) -> Command:
        """Return the sbatch command that tests a script, which it reads from standard input."""
        return Command(("sbatch", "--test-only"), text)

    def expected_start(self, words: str) -> str:
        """Return the time in ``Job 7 to start at 2026-11-27T12:00:00 using …``."""
        match = _WILL_START.search(words)
        return match[1] if match else ""

    def choices_command(self) -> Command | None:
        """Return the command that prints the limits of several qualities of service, and the user's jobs."""
        if len(self._qos) < 2:
            return None
        return Command(("sh", "-c", slurm_qos.command(self._qos)), name="sacctmgr")

    def choices(self, stdout: str, request: JobRequest) -> list[tuple[str, Batch]]:
        """Return the settings with each quality of service that takes a block."""
        names = slurm_qos.choose(self._qos, stdout, request.nodes, request.walltime_seconds, request.tasks)
        return [(f"qos {name}", self._site.model_copy(update={"qos": name})) for name in names]

    def alter_command(self, job: str, changed: Collection[str]) -> Command:
        """Return the scontrol command; a walltime stands in the script too, and cannot change alone."""
        values = {
            "account": f"Account={expanded_account(self._site)}",
            "partition": f"Partition={self._site.partition}",
            "qos": f"QOS={self._site.qos}",
            "constraint": f"Features={self._site.constraint}",
        }
        words = [word for name, word in values.items() if name in changed]
        return Command(("scontrol", "update", f"JobId={job}", *words))

    def is_no_answer(self, output: str) -> bool:
        """Return whether the controller could not be reached."""
        return re.search(_NO_ANSWER, output) is not None

    def job_id_from_output(self, stdout: str) -> str:
        """Return the job id: a number, and on federated clusters a cluster's name after a semicolon."""
        job = stdout.strip().splitlines()[-1].partition(";")[0] if stdout.strip() else ""
        if not job.isdecimal():
            raise SchedulerError(f"sbatch printed no job id but: {stdout.strip()!r}")
        return job

    def status_command(self, ids: Sequence[str]) -> Command:
        """Return a command that runs both: squeue forgets ended jobs soon, sacct learns of new ones late.

        Of cancelled jobs squeue is asked for more: one that got nodes and has no exit status never ran its
        script. So ends a job without requeue whose prolog fails.
        """
        # squeue fails if all the jobs it is asked for are unknown; so it lists all of the user's.
        queue = f"squeue --me --array --noheader --states=all --format='{_FORMAT}'"
        cancelled = f"squeue --me --array --noheader --states=CANCELLED --Format={_CANCELLED_FORMAT}"
        history = f"sacct --noheader --parsable2 --allocations --format=jobid,state --jobs={','.join(ids)}"
        return Command(("sh", "-c", f"{queue} && {{ {cancelled}; {history}; true; }} 2>/dev/null"))

    def parse_status(self, ids: Sequence[str], code: int, stdout: str, stderr: str) -> list[Job]:
        """Return the jobs; one that squeue no longer lists is as sacct reports, else UNKNOWN."""
        if code:
            raise SchedulerError(f"squeue failed: {stderr.strip() or f'exit code {code}'}")
        queue: dict[str, Job] = {}
        history: dict[str, Job] = {}
        unread = ""
        for line in filter(None, map(str.strip, stdout.splitlines())):
            answer = _LINE.fullmatch(line)
            if (cancelled := _CANCELLED.fullmatch(line)) is not None:
                job, status, nodes = cancelled.groups()
                if status == "0" and nodes and job in queue and queue[job].state is JobState.CANCELLED:
                    queue[job] = Job(job, JobState.FAILED, _NEVER_RAN)
                continue
            if answer is None:
                unread = line
                continue
            job, state, reason = answer.groups()
            if reason is not None:
                reason, start = _split_start(reason)
                meant = _state(state, reason)
                pending = find_pending_reason(_PENDING, reason) if meant is JobState.QUEUED else None
                queue[job] = with_expected_start(Job(job, meant, _reason(state, reason), pending), start)
            elif _state(state, "").ended:
                history[job] = Job(job, _state(state, ""), state)
        known = queue | {job: one for job, one in history.items() if job not in queue}
        if unread and any(job not in known for job in ids):  # what cannot be read may be about that job
            raise SchedulerError(f"squeue printed a line that is no job: {unread[:80]!r}")
        return [known.get(job) or Job(job, JobState.UNKNOWN, "not in the queue") for job in ids]

    def energy_command(self, ids: Sequence[str]) -> Command:
        """Return a command that prints what Slurm measures energy by, and what sacct states of jobs."""
        config = f"scontrol show config | grep -E '^({'|'.join(_MEASURED_BY)}) '"
        history = "sacct --noheader --parsable2 --allocations --format=jobid,state,consumedenergyraw"
        return Command(("sh", "-c", f"{config}; {history} --jobs={','.join(ids)}"))

    def parse_energy(self, code: int, stdout: str, stderr: str) -> tuple[Mapping[str, float | None], str]:
        """Return the joules of ended jobs, 0 where Slurm measured none, or why there are none."""
        settings = dict(_SETTING.findall(stdout))
        for name in _MEASURED_BY:
            value = settings.get(name, "")
            if value == "(null)" or value.endswith("/none"):
                return {}, f"Slurm's {name} is {value}"
        if code:
            raise SchedulerError(f"sacct failed: {stderr.strip() or f'exit code {code}'}")
        found: dict[str, float | None] = {}
        for line in stdout.splitlines():
            job, _, rest = line.strip().partition("|")
            state, _, energy = rest.partition("|")
            if _JOB.fullmatch(job) and _state(state, "").ended:
                known = energy.isdecimal() and 0 < int(energy) < _NO_ENERGY
                found[job] = float(energy) if known else None
        return found, ""

    def find_command(self, name: str) -> Command:
        """Return the squeue command for jobs of a name."""
        return Command(("squeue", "--me", "--array", "--noheader", f"--name={name}", "--format=%i"))

    def parse_found(self, stdout: str) -> list[str]:
        """Return one id a line."""
        return [word for word in stdout.split() if _JOB.fullmatch(word)]

    def cancel_command(self, job: str) -> Command:
        """Return the scancel command."""
        return Command(("scancel", job))

    def allocation_command(self, allocation: str) -> Command:
        """Return the squeue command for state and time left."""
        return Command(("squeue", "--noheader", f"--jobs={allocation}", "--states=all", "--format=%T|%L"))

    def seconds_left(self, stdout: str, now: float) -> float:  # noqa: ARG002
        """Return the time left of a running job."""
        state, left = stdout.strip().split("|")
        if state != "RUNNING" or left == "INVALID":  # Slurm's word once the limit is passed
            return 0.0
        return math.inf if left in ("UNLIMITED", "NOT_SET") else parse_hms(left)

    def free_nodes_command(self) -> Command:
        """Return a command that lists idle nodes by state, and waiting jobs by priority with their starts."""
        where = f" --partition={shlex.quote(self._site.partition)}" if self._site.partition else ""
        idle = f"sinfo --noheader --states=idle,planned --format='nodes|%D|%T'{where}"
        starts = f"squeue --noheader --states=PENDING --sort=-p --format='start|%S|%i'{where}"
        return Command(("sh", "-c", f"{idle} && {starts}"), name="sinfo")

    def parse_free_nodes(self, stdout: str, now: float) -> FreeNodes:
        """Return idle nodes, and with them those that Slurm plans for other jobs, until the first of these.

        Jobs without an expected start, such as held jobs, precede no other.

        A ``*`` or another mark behind a state means that its nodes do not answer, or are about to leave.
        """
        idle = planned = 0
        starts: dict[str, float] = {}
        for line in stdout.splitlines():
            kind, _, rest = line.partition("|")
            if kind == "nodes":
                number, state = rest.split("|")
                idle += int(number) * (state in ("idle", "idle~"))
                planned += int(number) * (state == "planned")
            elif kind == "start":
                start, job = rest.split("|")
                if start != "N/A":
                    starts[job] = datetime.fromisoformat(start).timestamp() - now
            else:
                raise ValueError(f"neither nodes nor a start: {line[:80]!r}")
        found = [Hole(idle)] if idle else []
        until = min((start for start in starts.values() if start > 0), default=None)
        if planned and until is not None:
            found.append(Hole(idle + planned, until))
        return FreeNodes(tuple(found), dict(islice(starts.items(), 1, None)))

    def waits_command(self) -> Command:
        """Return the sacct command; a job becomes eligible when nothing but nodes is missing."""
        where = (f"--partition={self._site.partition}",) if self._site.partition else ()
        columns = ("--format=eligible,start,nnodes", "--starttime=now-30days")
        return Command(("sacct", "--noheader", "--parsable2", "--allocations", *columns, *where))

    def parse_waits(self, stdout: str) -> list[QueueWait]:
        """Return a wait for each job that started."""
        found = []
        for line in stdout.splitlines():
            eligible, start, nodes = line.split("|")
            if nodes != "0" and {eligible, start}.isdisjoint(("Unknown", "None")):
                since, begun = (datetime.fromisoformat(one).timestamp() for one in (eligible, start))
                found.append(QueueWait(int(nodes), since, max(0.0, begun - since)))
        return found

    def exclude_line(self, nodes: Sequence[str]) -> str:
        """Return a directive with the names."""
        return f'extra_directives: ["--exclude={",".join(nodes)}"]'

    def whole_nodes_line(self, kind: SurveyedNode) -> str:
        """Return directives for all GPUs and all memory."""
        gpus = f"--gpus-per-node={kind.gpus}, " if kind.gpus else ""
        return f"extra_directives: [{gpus}--mem=0]"


def _output(request: JobRequest) -> Path:
    """Return the file of a block's output, as Slurm takes it: %a is the number of a task."""
    whole = Path(str(request.output).replace("%", "%%"))
    return whole if request.tasks == 1 else whole.with_name(f"{whole.stem}-%a{whole.suffix}")


def _state(word: str, reason: str) -> JobState:
    state = _STATES.get(word.split(" ")[0].rstrip("+"), JobState.RUNNING)  # sacct: "CANCELLED by 0"
    return JobState.HELD if state is JobState.QUEUED and "held" in reason.lower() else state


def _split_start(text: str) -> tuple[str, str]:
    """Return reason and expected start, in Slurm's own time; an empty text where Slurm expects none."""
    match = _START.fullmatch(text)
    return (match[1], match[2] if match[2] != "N/A" else "") if match else (text, "")


def _reason(state: str, reason: str) -> str:
    return state if reason in ("None", "") else f"{state} ({reason})"
