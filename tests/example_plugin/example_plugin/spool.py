"""The scheduler `spool`: commands `spool submit`, `spool list`, `spool find` and `spool cancel`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import Field

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
from orchestrator.schedulers.pending_reasons import PendingReason
from orchestrator.schedulers.survey.model import Queue, Survey, SurveyCommands, SurveyedNode, kinds_of
from sites.schedulers import Batch

_STATES = {
    "waiting": JobState.QUEUED,
    "done": JobState.COMPLETED,
    "failed": JobState.FAILED,
    "forgotten": JobState.UNKNOWN,
}


class Spool(Batch):
    """Keys of `scheduler:` in a site file."""

    type: Literal["spool"] = "spool"
    lane: str = Field("slow", description="Lane of the spool.")


def _machine(machine: str) -> Survey:
    """Read lines of a lane, its seconds, and the number of its nodes and of the cores of each."""
    lines = [line.split() for line in machine.splitlines()]
    queues = tuple(Queue(lane, walltime_seconds=float(seconds)) for lane, seconds, _, _ in lines)
    nodes = [
        SurveyedNode((lane,), int(cores), queues=(lane,), count=int(many)) for lane, _, many, cores in lines
    ]
    return Survey("spool", queues, kinds_of(nodes))


class SpoolFamily(Family):
    """Scripts, commands and answers of spool."""

    directive_prefix = "#SPOOL"
    default_launcher: str = "fanout"
    list_nodes_command = 'cat "$SPOOL_NODES"'
    title = "Spool"
    job_id_variable = "SPOOL_JOB"
    job_variables = ("SPOOL_",)
    inherited_variables = ("SPOOL_*",)
    account_variable = "$SPOOL_PAYER"
    queue_key = "lane"
    pending_reasons = (PendingReason("laneclosed", "write another scheduler.lane", hopeless=True),)
    survey = SurveyCommands({"machine": (("spool", "machine"), True)}, _machine)

    def __init__(self, site: Spool) -> None:
        self._site = site

    def directives(self, request: JobRequest) -> list[str]:
        payer = expanded_account(self._site)
        return [
            f"name {request.name}",
            f"nodes {request.nodes}",
            f"seconds {request.walltime_seconds:.0f}",
            f"output {quoted_path(request.output)}",
            f"lane {self._site.lane}",
            *([f"payer {payer}"] if payer else []),
        ]

    def submit_command(self, script: Path, text: str) -> Command:
        return Command(("spool", "submit", str(script)))

    def job_id_from_output(self, stdout: str) -> str:
        if not stdout.strip().isdecimal():
            raise SchedulerError(f"spool printed no job id but: {stdout.strip()!r}")
        return stdout.strip()

    def status_command(self, ids: Sequence[str]) -> Command:
        return Command(("spool", "list", *ids))

    def parse_status(self, ids: Sequence[str], code: int, stdout: str, stderr: str) -> list[Job]:
        words = dict(line.split(maxsplit=1) for line in stdout.splitlines() if " " in line)
        if code or any(job not in words for job in ids):
            raise SchedulerError(f"spool does not list jobs: {stderr.strip() or f'exit code {code}'}")
        return [_job(job, *words[job].split(maxsplit=1)) for job in ids]

    def find_command(self, name: str) -> Command:
        return Command(("spool", "find", name))

    def parse_found(self, stdout: str) -> list[str]:
        return [word for word in stdout.split() if word.isdecimal()]

    def cancel_command(self, job: str) -> Command:
        return Command(("spool", "cancel", job))

    def exclude_line(self, nodes: Sequence[str]) -> str:
        return f'extra_directives: ["without {" ".join(nodes)}"]'


def _job(job: str, word: str, reason: str = "") -> Job:
    return Job(job, _STATES.get(word, JobState.RUNNING), reason or word)


settings = Spool
family = SpoolFamily
