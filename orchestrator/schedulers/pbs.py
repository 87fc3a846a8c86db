"""PBS Pro and Torque: qsub, qstat, qselect, qdel. Formats of PBS Pro 2022 and Torque 6."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from orchestrator.schedulers.jobs import Call, Job, JobRequest, JobState, SchedulerError, clock, settings
from sites.schedulers import LauncherType, PbsPro, Torque

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
_PRO_WALLTIME = -29
_SIGNALLED = 256


class _Pbs:
    prefix = "#PBS"

    def submit(self, script: Path, text: str) -> Call:  # noqa: ARG002
        """Return the qsub command."""
        return Call(("qsub", str(script)))

    def submitted(self, stdout: str) -> str:
        """Return the id, which is the last line."""
        lines = stdout.split()
        if not lines or not _ID.match(lines[-1]):
            raise SchedulerError(f"qsub did not tell a job id but: {stdout.strip()!r}")
        return lines[-1]

    def find(self, name: str) -> Call:
        """Return the qselect command for jobs of a name that have not ended."""
        return Call(("qselect", "-N", name))

    def found(self, stdout: str) -> list[str]:
        """Return one id a line."""
        return [word for word in stdout.split() if _ID.match(word)]

    def cancel(self, job: str) -> Call:
        """Return the qdel command."""
        return Call(("qdel", job))


class PbsProFamily(_Pbs):
    """Speaks the language of PBS Pro and OpenPBS."""

    default_launcher: LauncherType = "mpiexec"

    def __init__(self, site: PbsPro) -> None:
        self._site = site

    def directives(self, request: JobRequest) -> list[str]:
        """Return the ``#PBS`` options; a job that lost its nodes is never rerun, it would come back empty."""
        site = self._site
        account = settings(site)
        chunk = ":".join([str(request.nodes), *site.select])
        return [
            f"-N {request.name}",
            f"-l select={chunk}",
            f"-l walltime={clock(request.walltime_seconds)}",
            f"-o {request.output}",
            "-j oe",
            *([f"-A {account}"] if account else []),
            *([f"-q {site.queue}"] if site.queue else []),
            "-r n",
            "-S /bin/bash",
        ]

    def status(self, ids: Sequence[str]) -> Call:
        """Return the qstat command; ended jobs are asked for too."""
        return Call(("qstat", "-x", "-f", "-F", "json", *ids))

    def jobs(self, ids: Sequence[str], code: int, stdout: str, stderr: str) -> list[Job]:
        """Return the jobs; qstat fails as soon as one id is unknown, and still tells of the others."""
        try:
            told: dict[str, Any] = json.loads(stdout).get("Jobs", {}) if stdout.strip() else {}
        except ValueError:
            raise SchedulerError(f"qstat answered what is no JSON: {stdout.strip()[:80]!r}") from None
        return _jobs(ids, {job: _pro_job(job, facts) for job, facts in told.items()}, code, stderr)


class TorqueFamily(_Pbs):
    """Speaks Torque's language, and that of Slurm's wrappers of its commands."""

    default_launcher: LauncherType = "ssh"

    def __init__(self, site: Torque) -> None:
        self._site = site

    def directives(self, request: JobRequest) -> list[str]:
        """Return the ``#PBS`` options."""
        site = self._site
        account = settings(site)
        return [
            f"-N {request.name}",
            f"-l nodes={request.nodes}",
            f"-l walltime={clock(request.walltime_seconds)}",
            f"-o {request.output}",
            "-j oe",
            *([f"-A {account}"] if account else []),
            *([f"-q {site.queue}"] if site.queue else []),
            "-r n",
            "-S /bin/bash",
        ]

    def status(self, ids: Sequence[str]) -> Call:
        """Return the qstat command for the long form."""
        return Call(("qstat", "-f", *ids))

    def jobs(self, ids: Sequence[str], code: int, stdout: str, stderr: str) -> list[Job]:
        """Return the jobs; those that the server no longer knows are gone."""
        told = {}
        for section in re.split(r"^Job Id:", stdout, flags=re.MULTILINE)[1:]:
            job, _, rest = section.partition("\n")
            facts = dict(re.findall(r"^\s+(\w+) = (.*)$", rest, re.MULTILINE))
            status = facts.get("exit_status", "")
            number = int(status) if status.lstrip("-").isdecimal() else None
            told[job.strip()] = _pbs_job(
                job.strip(), facts.get("job_state", "").strip(), number, facts.get("comment")
            )
        return _jobs(ids, told, code, stderr)


def _pro_job(job: str, facts: dict[str, Any]) -> Job:
    status = facts.get("Exit_status")
    made = _pbs_job(job, str(facts.get("job_state", "")), status, facts.get("comment"))
    if made.state is JobState.FAILED and status == _PRO_WALLTIME:
        return Job(job, JobState.WALLTIME, made.reason)
    return made


def _pbs_job(job: str, word: str, status: int | None, comment: Any) -> Job:
    state = _STATES.get(word, JobState.RUNNING)
    reason = (
        word
        + (f", exit status {status}" if status is not None else "")
        + (f" ({comment})" if comment else "")
    )
    if state is JobState.COMPLETED and status:
        state = JobState.CANCELLED if status > _SIGNALLED else JobState.FAILED
    return Job(job, state, reason)


def _jobs(ids: Sequence[str], told: dict[str, Job], code: int, stderr: str) -> list[Job]:
    """Return a job for each id, however much of its server's name either side leaves out."""
    by_number = {job.partition(".")[0]: one for job, one in told.items()}
    jobs = []
    for job in ids:
        one = told.get(job) or by_number.get(job.partition(".")[0])
        if one is None and not re.search(
            rf"(Unknown Job Id.*|\b){re.escape(job.partition('.')[0])}\b", stderr
        ):
            raise SchedulerError(f"qstat failed: {stderr.strip() or f'exit code {code}, no word of {job}'}")
        jobs.append(
            Job(job, one.state, one.reason)
            if one
            else Job(job, JobState.GONE, "the server knows it no longer")
        )
    return jobs
