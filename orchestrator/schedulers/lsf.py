"""LSF: bsub, bmod, bjobs, bkill. Formats as documented for IBM Spectrum LSF 10.1."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from pathlib import Path

from orchestrator.schedulers.durations import parse_hms
from orchestrator.schedulers.model import (
    Command,
    Family,
    FreeNodes,
    Job,
    JobRequest,
    JobState,
    SchedulerError,
    expanded_account,
    quoted_path,
    with_expected_start,
)
from orchestrator.schedulers.pending_reasons import DOWN, SHARED, SMALLER, PendingReason, find_pending_reason
from orchestrator.schedulers.survey import lsf as survey
from sites.schedulers import Lsf

_STATES = {
    "PEND": JobState.QUEUED,
    "WAIT": JobState.QUEUED,
    "PROV": JobState.QUEUED,
    "PSUSP": JobState.HELD,
    "RUN": JobState.RUNNING,
    "USUSP": JobState.RUNNING,
    "SSUSP": JobState.RUNNING,
    "UNKWN": JobState.RUNNING,
    "DONE": JobState.COMPLETED,
    "EXIT": JobState.FAILED,
    "ZOMBI": JobState.NODE_FAILURE,
}
_EXITS = {
    "TERM_RUNLIMIT": JobState.TIMEOUT,
    "TERM_DEADLINE": JobState.TIMEOUT,
    "TERM_OWNER": JobState.CANCELLED,
    "TERM_ADMIN": JobState.CANCELLED,
    "TERM_FORCE": JobState.CANCELLED,
    "TERM_PREEMPT": JobState.NODE_FAILURE,
    "TERM_ZOMBIE": JobState.NODE_FAILURE,
}
_FIELDS = "jobid stat exit_reason pend_reason"
_STATUS = f"""
bjobs -a -noheader -o "{_FIELDS} estart_time delimiter='|'" "$@" 2>/dev/null ||
exec bjobs -a -noheader -o "{_FIELDS} delimiter='|'" "$@"
"""
# Texts of lsbatch.h of LSF 10.1.
_PENDING = (
    PendingReason(
        "Dependency condition invalid or never satisfied", "remove -w from extra_directives", hopeless=True
    ),
    PendingReason(
        r"(?i).*(not enough (hosts|processors|slots) to meet the job's spanning requirement"
        r"|no suitable hosts|no eligible hosts|not specified in job submission).*",
        "a block may have more nodes than the queue, or nodes are down; " + SMALLER,
    ),
    PendingReason(r"(?i).*(slot|job|resource|memory|host) limit.*(reached|exceeded)?.*", SHARED),
    PendingReason(r"(?i).*(queue is (inactivated|closed)|closed by lsf administrator|host is down).*", DOWN),
)


class LsfFamily(Family):
    """Directives, commands and answers of LSF."""

    title = "LSF"
    directive_prefix = "#BSUB"
    default_launcher: str = "jsrun"
    list_nodes_command = 'tail -n +2 "$LSB_DJOB_HOSTFILE" | sort -u'  # the first line is the launch node
    nodes_option, time_option = "-nnodes", "-W"
    time_units = ((60,), (3600, 60))
    allocation_variable = job_id_variable = "LSB_JOBID"
    job_variables = ("LSB_",)
    inherited_variables = ("LSB_*", "LSF_*", "LS_*", "JSM_*")
    alterable = frozenset({"account", "queue"})
    pending_reasons = _PENDING
    survey = survey.COMMANDS

    def __init__(self, site: Lsf) -> None:
        self._site = site

    def directives(self, request: JobRequest) -> list[str]:
        """Return the ``#BSUB`` options; the run limit is in whole minutes."""
        site = self._site
        payer = expanded_account(site)
        return [
            f"-J {request.name}",
            f"-nnodes {request.nodes}",
            f"-W {math.ceil(request.walltime_seconds / 60)}",
            f"-o {quoted_path(request.output)}",
            *([f"-P {payer}"] if payer else []),
            *([f"-q {site.queue}"] if site.queue else []),
        ]

    def submit_command(self, script: Path, text: str) -> Command:  # noqa: ARG002
        """Return the bsub command; only from standard input does every LSF read directives."""
        return Command(("bsub",), stdin=text)

    def job_id_from_output(self, stdout: str) -> str:
        """Return the id in ``Job <123> is submitted to …``."""
        match = re.search(r"^Job <(\d+)> is submitted to ", stdout, re.MULTILINE)
        if match is None:
            raise SchedulerError(f"bsub printed no job id but: {stdout.strip()!r}")
        return match[1]

    def status_command(self, ids: Sequence[str]) -> Command:
        """Return the bjobs command; where LSF does not know estart_time, it is asked again without."""
        return Command(("sh", "-c", _STATUS, "sh", *ids))

    def parse_status(self, ids: Sequence[str], code: int, stdout: str, stderr: str) -> list[Job]:
        """Return the jobs; those that LSF no longer knows are UNKNOWN."""
        known: dict[str, Job] = {}
        for line in stdout.splitlines():
            words = [word.strip() for word in line.split("|")]
            if len(words) >= 2 and words[1] in _STATES:
                known.setdefault(words[0], _job(*words[:5]))  # the first answer has the expected start
        unknown = set(re.findall(r"Job <(\d+)> is not found", stderr))
        missing = [job for job in ids if job not in known and job not in unknown]
        if missing:
            raise SchedulerError(
                f"bjobs failed: {stderr.strip() or f'exit code {code}, no status for job {missing[0]}'}"
            )
        return [known.get(job) or Job(job, JobState.UNKNOWN, "LSF knows it no longer") for job in ids]

    def find_command(self, name: str) -> Command:
        """Return the bjobs command for jobs of a name that have not ended."""
        return Command(("bjobs", "-noheader", "-J", name, "-o", "jobid"))

    def parse_found(self, stdout: str) -> list[str]:
        """Return one id a line."""
        first = (line.split()[0] for line in stdout.splitlines() if line.strip())
        return [word for word in first if word.isdecimal()]

    def cancel_command(self, job: str) -> Command:
        """Return the bkill command."""
        return Command(("bkill", job))

    def alter_command(self, job: str, changed: Collection[str]) -> Command:
        """Return the bmod command."""
        payer = ("-P", str(expanded_account(self._site))) if "account" in changed else ()
        queue = ("-q", str(self._site.queue)) if "queue" in changed else ()
        return Command(("bmod", *payer, *queue, job))

    def allocation_command(self, allocation: str) -> Command:
        """Return the bjobs command for state, run time and run limit."""
        return Command(
            ("bjobs", "-a", "-noheader", "-o", "stat run_time runtimelimit delimiter='|'", allocation)
        )

    def seconds_left(self, stdout: str, now: float) -> float:  # noqa: ARG002
        """Return the run limit, less the run time.

        Times are ``160 second(s)`` and minutes as ``60.0`` or ``60.0/host``, and ``00:02:40`` where the
        cluster is set up so.
        """
        state, used, limit = (word.strip() for word in stdout.strip().split("|"))
        if state != "RUN":
            return 0.0
        if limit in ("-", ""):
            return math.inf
        limit = limit.partition("/")[0]
        whole = parse_hms(limit) if ":" in limit else float(limit) * 60
        return max(0.0, whole - parse_hms(used.removesuffix("second(s)").strip()))

    def free_nodes_command(self) -> Command:
        """Return the bhosts command."""
        return Command(("bhosts", "-w"))

    def parse_free_nodes(self, stdout: str, now: float) -> FreeNodes:  # noqa: ARG002
        """Return the hosts that take jobs and have none; LSF does not tell here which queues use them."""
        lines = [line.split() for line in stdout.splitlines()]
        if not lines or lines[0][:2] != ["HOST_NAME", "STATUS"]:
            raise ValueError("bhosts printed another table")
        jobs = lines[0].index("NJOBS")
        free = sum(len(line) > jobs and line[1] == "ok" and line[jobs] == "0" for line in lines[1:])
        return FreeNodes.counted(free)

    def exclude_line(self, nodes: Sequence[str]) -> str:
        """Return a directive that selects hosts of other names."""
        names = " && ".join(f"hname!='{name}'" for name in nodes)
        return f"""extra_directives: ['-R "select[{names.replace("'", "''")}]"']"""


def _job(
    job: str, word: str, exit_reason: str = "-", pend_reason: str = "-", expected_start: str = "-"
) -> Job:
    state = _STATES[word]
    if state is JobState.QUEUED:
        why = "" if pend_reason in ("-", "") else pend_reason
        pending = find_pending_reason(_PENDING, why) if why else None
        waits = Job(job, state, f"{word} ({why})" if why else word, pending)
        return with_expected_start(waits, "" if expected_start == "-" else expected_start)
    if word == "EXIT":
        state = next((known for name, known in _EXITS.items() if exit_reason.startswith(name)), state)
    return Job(job, state, word if exit_reason in ("-", "") else f"{word} ({exit_reason})")
