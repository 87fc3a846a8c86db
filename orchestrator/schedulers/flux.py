"""Flux: flux batch, flux jobs, flux cancel, flux run. Formats as of flux-core 0.88."""

from __future__ import annotations

import json
import math
import re
import shlex
import time
from collections.abc import Collection, Sequence
from pathlib import Path
from types import MappingProxyType

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
from orchestrator.schedulers.pending_reasons import DOWN, SHARED, PendingReason, find_pending_reason
from orchestrator.schedulers.survey import flux as survey
from sites.schedulers import Flux

# Of RFC 21; INACTIVE is as its result says, any other word holds nodes.
_WAITING = ("NEW", "DEPEND", "PRIORITY", "SCHED")
_RESULTS = {
    "COMPLETED": JobState.COMPLETED,
    "FAILED": JobState.FAILED,
    "CANCELED": JobState.CANCELLED,
    "TIMEOUT": JobState.TIMEOUT,
}
_LONG = {
    "-B": "--bank",
    "-N": "--nodes",
    "-n": "--nslots",
    "-c": "--cores-per-slot",
    "-g": "--gpus-per-slot",
    "-q": "--queue",
    "-t": "--time-limit",
    "-x": "--exclusive",
}
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "": 60.0}
_FIELDS = (
    "id", "state", "result", "urgency", "returncode", "exception.type", "dependencies",
    "annotations.sched.reason_pending", "annotations.sched.t_estimate", "exception.note",
)  # fmt: skip
_FORMAT = "|".join(f"{{{name}}}" for name in _FIELDS)
_ID = re.compile(r"f[1-9A-HJ-NP-Za-km-z]+|\d+")
_NO_LIMIT = 2**32 - 1  # printed for an instance without an end
# Dependencies that flux-accounting adds, and what Flux's schedulers annotate.
_PENDING = (
    PendingReason(r"max-\S+-limit.*", SHARED),
    PendingReason(r"(?i).*(queue|partition).*(stopped|disabled).*", DOWN),
)


class FluxFamily(Family):
    """Directives, commands and answers of Flux."""

    title = "Flux"
    directive_prefix = "#flux:"
    default_launcher: str = "flux"
    list_nodes_command = r"flux hostlist --expand --delimiter='\n' avail"
    nodes_option, time_option = "--nodes", "--time-limit"
    short_options = MappingProxyType(_LONG)
    allocation_variable = "FLUX_URI"
    nested = True
    job_id_variable = "FLUX_ENCLOSING_ID"
    job_variables = ("FLUX_JOB_ID", "FLUX_URI", "FLUX_KVS")
    inherited_variables = ("FLUX_*",)
    account_variable = "$BANK"
    core_unit = "cores, one thread of each"
    alterable = frozenset({"queue"})
    pending_reasons = _PENDING
    survey = survey.COMMANDS

    def __init__(self, site: Flux) -> None:
        self._site = site

    def directives(self, request: JobRequest) -> list[str]:
        """Return the options of flux batch; the job is an instance of Flux of its own, on whole nodes."""
        site = self._site
        payer = expanded_account(site)
        wanted = _requirements(site, request.exclude_nodes)
        return [
            f"--job-name={request.name}",
            f"--nodes={request.nodes}",
            "--exclusive",
            "-o gpu-affinity=off",  # else the script, and all it starts, may be shown no GPUs
            f"--time-limit={int(request.walltime_seconds)}s",
            f"--output={quoted_path(request.output)}",
            *([f"--setattr=bank={payer}"] if payer else []),
            *([f"--queue={site.queue}"] if site.queue else []),
            *([f"--requires={shlex.quote(wanted)}"] if wanted else []),
        ]

    def submit_command(self, script: Path, text: str) -> Command:  # noqa: ARG002
        """Return the flux batch command."""
        return Command(("flux", "batch", str(script)))

    def job_id_from_output(self, stdout: str) -> str:
        """Return the id, which is the last line, in ASCII."""
        lines = _plain(stdout).split()
        if not lines or not _ID.fullmatch(lines[-1]):
            raise SchedulerError(f"flux batch printed no job id but: {stdout.strip()!r}")
        return lines[-1]

    def status_command(self, ids: Sequence[str]) -> Command:
        """Return the flux jobs command."""
        return Command(("flux", "jobs", "--no-header", f"--format={_FORMAT}", *ids))

    def parse_status(self, ids: Sequence[str], code: int, stdout: str, stderr: str) -> list[Job]:
        """Return the jobs; those that Flux no longer knows are UNKNOWN."""
        known = {}
        for line in _plain(stdout).splitlines():
            words = line.strip().split("|", len(_FIELDS) - 1)
            if len(words) == len(_FIELDS) and re.fullmatch("[A-Z]+", words[1]):
                known[words[0]] = _job(dict(zip(_FIELDS, words, strict=True)))
        unknown = re.findall(r"JobID (\S+) unknown", _plain(stderr))
        missing = [job for job in ids if job not in known and job not in unknown]
        if missing:
            why = " ".join(stderr.split()) or f"exit code {code}, no status for job {missing[0]}"
            raise SchedulerError(f"flux jobs failed: {why}")
        return [known.get(job) or Job(job, JobState.UNKNOWN, "Flux knows it no longer") for job in ids]

    def find_command(self, name: str) -> Command:
        """Return the flux jobs command for jobs of a name that have not ended."""
        return Command(("flux", "jobs", "--no-header", "--format={id}", f"--name={name}"))

    def parse_found(self, stdout: str) -> list[str]:
        """Return one id a line."""
        return [line for line in map(str.strip, _plain(stdout).splitlines()) if _ID.fullmatch(line)]

    def alter_command(self, job: str, changed: Collection[str]) -> Command:  # noqa: ARG002
        """Return the flux update command for the queue."""
        return Command(("flux", "update", job, f"queue={self._site.queue}"))

    def cancel_command(self, job: str) -> Command:
        """Return the flux cancel command."""
        return Command(("flux", "cancel", job))

    def allocation_command(self, allocation: str) -> Command:  # noqa: ARG002
        """Return the command for the seconds left of the instance that this process runs in.

        The job within an instance, if any, is not asked for: its variable is left out.
        """
        return Command(("env", "-u", "FLUX_JOB_ID", "flux", "job", "timeleft"))

    def seconds_left(self, stdout: str, now: float) -> float:  # noqa: ARG002
        """Return the time left; an instance started by another batch system may not know its end."""
        left = float(stdout)
        return math.inf if left >= _NO_LIMIT else left

    def requested_seconds(self, value: str) -> float | None:
        """Return the seconds of a number with a unit, or of minutes."""
        match = re.fullmatch(r"(\d{1,9}(?:\.\d+)?)(ms|[smhd]?)", value)
        return float(match[1]) * _UNITS[match[2]] if match else None

    def free_nodes_command(self) -> Command:
        """Return the flux command that counts free nodes."""
        queue = (f"--queue={self._site.queue}",) if self._site.queue else ()
        return Command(
            ("flux", "resource", "list", "--no-header", "--states=free", "--format={nnodes}", *queue)
        )

    def parse_free_nodes(self, stdout: str, now: float) -> FreeNodes:  # noqa: ARG002
        """Return the sum of the lines."""
        free = sum(map(int, stdout.split()))
        return FreeNodes.counted(free)

    def waits_command(self) -> Command:
        """Return the flux command for the last thousand jobs of the user."""
        queue = (f"--queue={self._site.queue}",) if self._site.queue else ()
        return Command(("flux", "jobs", "-a", "--no-header", "--format={t_depend}|{t_run}|{nnodes}", *queue))

    def parse_waits(self, stdout: str) -> list[QueueWait]:
        """Return a wait for each job that started."""
        found = []
        for line in stdout.splitlines():
            since, begun, nodes = line.split("|")
            if nodes and (start := float(begun or 0.0)) > 0:
                found.append(QueueWait(int(nodes), float(since), max(0.0, start - float(since))))
        return found

    def exclude_line(self, nodes: Sequence[str]) -> str:
        """Return the site's constraint with the names."""
        return f"requires: {json.dumps(_requirements(self._site, nodes))}"


def _requirements(site: Flux, exclude: Sequence[str]) -> str:
    """Return the constraint on nodes; empty without one."""
    excluded = f"not hosts:{','.join(exclude)}" if exclude else ""
    return f"({site.requires}) and {excluded}" if site.requires and excluded else site.requires or excluded


def _plain(text: str) -> str:
    """Write job ids, which begin with the letter ƒ where the terminal has it, in ASCII."""
    return text.replace("ƒ", "f")


def _job(facts: dict[str, str]) -> Job:
    state, kind = facts["state"], facts["exception.type"]
    if state == "INACTIVE":
        meant = _RESULTS.get(facts["result"], JobState.FAILED)
        if meant is JobState.FAILED and kind == "node-failure":
            meant = JobState.NODE_FAILURE
        details = [kind, facts["exception.note"]] if kind else [f"exit code {facts['returncode']}"]
        words = ": ".join(filter(None, details)) if meant is not JobState.COMPLETED else ""
        return Job(facts["id"], meant, f"{facts['result']} ({words})" if words else facts["result"])
    if state not in _WAITING:
        return Job(facts["id"], JobState.RUNNING, state)
    meant = JobState.HELD if facts["urgency"] == "0" else JobState.QUEUED
    waits = facts["dependencies"] or facts["annotations.sched.reason_pending"]
    pending = find_pending_reason(_PENDING, waits) if waits and meant is JobState.QUEUED else None
    job = Job(facts["id"], meant, f"{state} ({waits})" if waits else state, pending)
    return with_expected_start(job, _local_time(facts["annotations.sched.t_estimate"]))


def _local_time(seconds: str) -> str:
    """Return a time since the epoch as the driver's local time; empty where there is none."""
    try:
        return time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(float(seconds)))
    except (ValueError, OverflowError, OSError):
        return ""
