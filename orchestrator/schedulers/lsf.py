"""LSF: bsub, bjobs, bkill. Formats as documented for IBM Spectrum LSF 10.1."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path

from orchestrator.schedulers.model import (
    Call,
    Job,
    JobRequest,
    JobState,
    SchedulerError,
    account,
    first_words,
    quoted,
)
from sites.schedulers import LauncherType, Lsf

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
    "ZOMBI": JobState.NODE_LOST,
}
_EXITS = {
    "TERM_RUNLIMIT": JobState.WALLTIME,
    "TERM_DEADLINE": JobState.WALLTIME,
    "TERM_OWNER": JobState.CANCELLED,
    "TERM_ADMIN": JobState.CANCELLED,
    "TERM_FORCE": JobState.CANCELLED,
    "TERM_PREEMPT": JobState.NODE_LOST,
    "TERM_ZOMBIE": JobState.NODE_LOST,
}


class LsfFamily:
    """Speaks LSF's language."""

    prefix = "#BSUB"
    default_launcher: LauncherType = "jsrun"
    list_nodes = 'tail -n +2 "$LSB_DJOB_HOSTFILE" | sort -u'  # the first line is the launch node
    beginning: tuple[str, ...] = ()

    def __init__(self, site: Lsf) -> None:
        self._site = site

    def directives(self, request: JobRequest) -> list[str]:
        """Return the ``#BSUB`` options; the run limit is in whole minutes."""
        site = self._site
        payer = account(site)
        return [
            f"-J {request.name}",
            f"-nnodes {request.nodes}",
            f"-W {math.ceil(request.walltime_seconds / 60)}",
            f"-o {quoted(request.output)}",
            *([f"-P {payer}"] if payer else []),
            *([f"-q {site.queue}"] if site.queue else []),
        ]

    def submit(self, script: Path, text: str) -> Call:  # noqa: ARG002
        """Return the bsub command; only from standard input does every LSF read directives."""
        return Call(("bsub",), stdin=text)

    def submitted(self, stdout: str) -> str:
        """Return the id in ``Job <123> is submitted to …``."""
        told = re.search(r"^Job <(\d+)> is submitted to ", stdout, re.MULTILINE)
        if told is None:
            raise SchedulerError(f"bsub did not tell a job id but: {stdout.strip()!r}")
        return told[1]

    def status(self, ids: Sequence[str]) -> Call:
        """Return the bjobs command."""
        return Call(("bjobs", "-a", "-noheader", "-o", "jobid stat exit_reason delimiter='|'", *ids))

    def jobs(self, ids: Sequence[str], code: int, stdout: str, stderr: str) -> list[Job]:
        """Return the jobs; those that LSF no longer knows are gone."""
        told: dict[str, Job] = {}
        for line in stdout.splitlines():
            words = [word.strip() for word in line.split("|")]
            if len(words) >= 2 and words[1] in _STATES:
                told[words[0]] = _job(*words[:3])
        unknown = set(re.findall(r"Job <(\d+)> is not found", stderr))
        missing = [job for job in ids if job not in told and job not in unknown]
        if missing:
            raise SchedulerError(
                f"bjobs failed: {stderr.strip() or f'exit code {code}, no word of {missing[0]}'}"
            )
        return [told.get(job) or Job(job, JobState.GONE, "LSF knows it no longer") for job in ids]

    def find(self, name: str) -> Call:
        """Return the bjobs command for jobs of a name that have not ended."""
        return Call(("bjobs", "-noheader", "-J", name, "-o", "jobid"))

    def found(self, stdout: str) -> list[str]:
        """Return one id a line."""
        return [word for word in first_words(stdout.splitlines()) if word.isdecimal()]

    def cancel(self, job: str) -> Call:
        """Return the bkill command."""
        return Call(("bkill", job))


def _job(job: str, word: str, exit_reason: str = "-") -> Job:
    state = _STATES[word]
    if word == "EXIT":
        state = next((known for name, known in _EXITS.items() if exit_reason.startswith(name)), state)
    return Job(job, state, word if exit_reason in ("-", "") else f"{word} ({exit_reason})")
