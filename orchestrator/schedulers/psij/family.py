"""Every other scheduler, through PSI/J: its executors submit, list and cancel jobs.

PSI/J has objects where the other families have commands, and its polling thread lives as long as the process.
So `commands` makes commands of it, in an environment of its own.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from orchestrator.schedulers.model import (
    Command,
    Family,
    Job,
    JobRequest,
    JobState,
    SchedulerError,
    expanded_account,
    quoted_path,
)
from orchestrator.schedulers.psij import commands
from sites.schedulers import Psij

_STATES = {
    "NEW": JobState.QUEUED,
    "QUEUED": JobState.QUEUED,
    "COMPLETED": JobState.COMPLETED,
    "FAILED": JobState.FAILED,
    "CANCELED": JobState.CANCELLED,
}  # all others hold nodes
_TIME_IS_OVER = re.compile(r"(?i)time ?limit|walltime|run ?limit|timed? ?out")


class PsijFamily(Family):
    """Directives for `commands`, its commands and its answers."""

    title = "PSI/J"
    directive_prefix = commands.PREFIX
    default_launcher: str = "ssh"
    list_nodes_command = 'sort -u "$PSIJ_NODEFILE"'
    script_preamble: tuple[str, ...] = ('export PBS_NODEFILE="${PBS_NODEFILE:-$PSIJ_NODEFILE}"', "")

    def __init__(self, site: Psij) -> None:
        self._site = site

    def directives(self, request: JobRequest) -> list[str]:
        """Return what the job's specification is made from."""
        site = self._site
        payer = expanded_account(site)
        return [
            f"--name={request.name}",
            f"--nodes={request.nodes}",
            f"--duration={int(request.walltime_seconds)}",
            f"--output={quoted_path(request.output)}",
            *([f"--account={payer}"] if payer else []),
            *([f"--queue={site.queue}"] if site.queue else []),
            *(f"--attribute={shlex.quote(f'{key}={value}')}" for key, value in site.attributes.items()),
        ]

    def submit_command(self, script: Path, text: str) -> Command:  # noqa: ARG002
        """Return the command that submits."""
        return self._command("submit", str(script))

    def job_id_from_output(self, stdout: str) -> str:
        """Return the id of the scheduler's job."""
        job = _answer(stdout, "submitted")
        if not isinstance(job, str) or not job:
            raise SchedulerError(f"PSI/J gave no job id but: {stdout.strip()!r}")
        return job

    def status_command(self, ids: Sequence[str]) -> Command:
        """Return the command for states."""
        return self._command("status", *ids)

    def parse_status(self, ids: Sequence[str], code: int, stdout: str, stderr: str) -> list[Job]:
        """Return the jobs; those that the scheduler no longer lists are UNKNOWN."""
        jobs = _answer(stdout, "jobs")
        if code or not isinstance(jobs, dict) or not set(ids) <= jobs.keys():
            why = " ".join(stderr.split()) or f"exit code {code}, {stdout.strip()[:80]!r}"
            raise SchedulerError(f"PSI/J does not answer: {why}")
        return [_job(job, jobs[job]) for job in ids]

    def find_command(self, name: str) -> Command:
        """Return the command that lists the jobs of a name."""
        return self._command("find", name)

    def parse_found(self, stdout: str) -> list[str]:
        """Return the ids."""
        return [str(job) for job in _answer(stdout, "found") or []]

    def cancel_command(self, job: str) -> Command:
        """Return the command that cancels."""
        return self._command("cancel", job)

    def _command(self, *words: str) -> Command:
        # Isolated: this folder has a psij.py too, and this project's packages are not that environment's.
        return Command((self._site.python, "-I", commands.__file__, self._site.executor, *words))


def _answer(stdout: str, key: str) -> Any:
    """Return what the last line of an output has under a key; None for anything else."""
    try:
        answer = json.loads(stdout.strip().splitlines()[-1])
    except (ValueError, IndexError):
        return None
    return answer.get(key) if isinstance(answer, dict) else None


def _job(job: str, facts: Any) -> Job:
    if facts is None:
        return Job(job, JobState.UNKNOWN, "the scheduler lists it no longer")
    word, message = facts
    state = _STATES.get(word, JobState.RUNNING)
    if state is JobState.FAILED and _TIME_IS_OVER.search(message):
        state = JobState.TIMEOUT
    return Job(job, state, f"{word} ({message})" if message else word)
