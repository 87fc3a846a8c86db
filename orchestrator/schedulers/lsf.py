"""LSF: bsub, bmod, bjobs, bkill. Formats as documented for IBM Spectrum LSF 10.1."""

from __future__ import annotations

import math
import re
import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from orchestrator.schedulers.durations import parse_hms
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
_DAY_SECONDS = 86400
_HISTORY = """
printed=$(LSB_DISPLAY_YEAR=y bhist "$@" 2>&1); code=$?
case $printed in "No matching job found"*) exit 0;; esac
printf '%s\\n' "$printed"; exit $code
"""
_EVENT = re.compile(r"(\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d)( \d{4})?: ")
_DISPATCHED = re.compile(r"(?i)(?:\[\d+\] )?dispatched\b[^<]*((?:<[^<>]+>\s*)+)")
_HOST = re.compile(r"<(?:(\d+)\*)?([^<>]+)>")
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

    def waits_command(self) -> Command:
        """Return the bhist command for the user's jobs of 30 days; bjobs forgets a job an hour after its end.

        ``-n 0`` searches all event logs of the cluster.
        """
        first = time.strftime("%Y/%m/%d", time.localtime(time.time() - 30 * _DAY_SECONDS))
        queue = ("-q", self._site.queue) if self._site.queue else ()
        return Command(
            ("sh", "-c", _HISTORY, "sh", "-a", "-l", "-n", "0", *queue, "-S", f"{first},"), name="bhist"
        )

    def parse_waits(self, stdout: str) -> list[QueueWait]:
        """Return a wait for each job that was dispatched: from its submission to its first hosts."""
        if stdout.strip() and not re.search(r"^Job <", stdout, re.MULTILINE):
            raise ValueError("bhist printed no job")
        found: list[QueueWait] = []
        submitted: float | None = None
        for line in _unwrapped(stdout):
            event = _EVENT.match(line)
            if event is None:
                submitted = None if line.startswith("Job <") else submitted
                continue
            text = line[event.end() :]
            if text.startswith("Submitted from host <"):
                submitted = _moment(*event.groups())
            elif submitted is not None and (hosts := _DISPATCHED.match(text)):
                waited = _moment(*event.groups()) - submitted
                found.append(QueueWait(_nodes(hosts[1]), submitted, max(0.0, waited)))
                submitted = None  # later ones are after a requeue
        return found

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


def _unwrapped(text: str) -> Iterator[str]:
    """Yield the lines of ``bhist -l``, which breaks a long line anywhere and indents the rest."""
    whole, indent = "", 0
    for line in text.split("\n"):  # a name may have other characters that end lines
        if indent and line.startswith(" " * indent):
            whole += line[indent:]
            continue
        yield whole
        whole = line
        event = _EVENT.match(line)
        indent = event.end() if event else 0
    yield whole


def _moment(text: str, year: str | None) -> float:
    """Return a time of bhist in seconds since the epoch; without a year it is the last one of that weekday.

    Raises
    ------
    ValueError
        If there is no such day.
    """
    latest = datetime.fromtimestamp(time.time() + _DAY_SECONDS)
    for candidate in [int(year)] if year else range(latest.year, latest.year - 12, -1):
        try:
            found = datetime.strptime(f"{text} {candidate}", "%a %b %d %H:%M:%S %Y")
        except ValueError:  # 29 February of another year, or no date
            continue
        if year or (found <= latest and found.strftime("%a") == text[:3]):
            return found.timestamp()
    raise ValueError(f"bhist printed a time that cannot be read: {text}{year or ''}")


def _nodes(hosts: str) -> int:
    """Return the number of hosts, without a launch node: the first, if it has one slot and others have more.

    A host stands once for each of its slots, or as ``<8*name>``.
    """
    slots: Counter[str] = Counter()
    for number, name in _HOST.findall(hosts):
        slots[name] += int(number or 1)
    first = next(iter(slots.values()))
    return len(slots) - (first == 1 and max(slots.values()) > 1)
