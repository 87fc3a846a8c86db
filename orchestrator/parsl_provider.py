"""Where Parsl gets blocks from: this host, or the site's batch system."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from parsl.jobs.states import JobState as ParslState
from parsl.jobs.states import JobStatus
from parsl.providers import LocalProvider
from parsl.providers.base import ExecutionProvider

from orchestrator.batch import BatchSystem
from orchestrator.planning import Stage
from orchestrator.processes import CAMPAIGN_MARK, SESSION_MARK
from orchestrator.schedulers.jobs import Job, JobRequest, JobState, SchedulerError
from sites import Site
from sites.schedulers import Batch

_log = logging.getLogger(__name__)
_AVOIDABLE_NODES = 3  # of a machine whose size the site file does not tell
_MARKS = (CAMPAIGN_MARK, SESSION_MARK, "SPT_NOENV")
_PARSL_STATES = {
    JobState.QUEUED: ParslState.PENDING,
    JobState.HELD: ParslState.PENDING,
    JobState.RUNNING: ParslState.RUNNING,
    JobState.COMPLETED: ParslState.COMPLETED,
    JobState.FAILED: ParslState.FAILED,
    JobState.CANCELLED: ParslState.CANCELLED,
    JobState.WALLTIME: ParslState.TIMEOUT,
    JobState.NODE_LOST: ParslState.FAILED,
    JobState.GONE: ParslState.COMPLETED,
}


class PromptLocalProvider(LocalProvider):
    """Notices the end of a local block within a second instead of five."""

    @property
    def status_polling_interval(self) -> int:
        """Seconds between two looks."""
        return 1


class BatchProvider(ExecutionProvider):
    """Asks the site's batch system for blocks, in Parsl's terms.

    Parsl's own providers take a failed status command, or an accounting database that lags, for
    the end of a job; here a job ends only when the batch system says so.
    """

    def __init__(self, site: Site, batch: Batch, name: str, folder: Path, stage: Stage) -> None:
        self._system = BatchSystem(site)
        self._batch = batch
        self._name = name
        self._folder = folder
        self._each_node = stage.shape.nodes == 1
        self._avoided: list[str] = []
        self._avoidable = _AVOIDABLE_NODES
        if site.nodes is not None:
            self._avoidable = max(0, site.nodes - batch.nodes_per_block * batch.blocks)
        self.nodes_per_block = batch.nodes_per_block
        self.init_blocks = 0
        self.min_blocks = 0
        self.max_blocks = batch.blocks
        self.parallelism = 1.0
        self.cores_per_node = None
        self.mem_per_node = None
        self.jobs: dict[str, Job] = {}
        self.unanswered = ""

    def submit(self, command: str, tasks_per_node: int, job_name: str = "") -> str:  # noqa: ARG002
        """Submit a block that runs Parsl's command once on every node."""
        self._folder.mkdir(parents=True, exist_ok=True)
        stem = self._folder / job_name.removeprefix("parsl.")
        request = JobRequest(
            name=self._name,
            nodes=self._batch.nodes_per_block,
            walltime_seconds=self._batch.walltime,
            output=Path(f"{stem}.out"),
            command=command.strip(),
            each_node=self._each_node,
            variables=tuple((name, os.environ[name]) for name in _MARKS if name in os.environ),
            avoid=tuple(self._avoided),
        )
        try:
            job = self._system.submit(request, Path(f"{stem}.sh"))
        except SchedulerError:
            if not self._avoided:
                raise
            self._avoided, self._avoidable = [], 0  # it may be these names that it refuses
            job = self._system.submit(replace(request, avoid=()), Path(f"{stem}.sh"))
        self.jobs[job] = Job(job, JobState.QUEUED)
        return job

    def status(self, job_ids: Sequence[object]) -> list[JobStatus]:
        """Return where jobs stand; while the batch system does not answer, where they stood last."""
        asked = [str(job) for job in job_ids]
        open_jobs = [job for job in asked if not self.jobs[job].state.ended]
        try:
            self.jobs |= {job.id: job for job in self._system.jobs(open_jobs)}
            self.unanswered = ""
        except SchedulerError as error:
            self.unanswered = str(error)
        return [JobStatus(_PARSL_STATES[self.jobs[job].state], self.jobs[job].reason) for job in asked]

    def cancel(self, job_ids: Sequence[object]) -> list[bool]:
        """End jobs."""
        asked = [str(job) for job in job_ids]
        try:
            self._system.cancel(asked)
        except SchedulerError as error:
            _log.warning("%s", error)
            return [False] * len(asked)
        return [True] * len(asked)

    def avoid(self, node: str) -> None:
        """Ask for no more blocks with a node, unless too few others would be left."""
        if node not in self._avoided and len(self._avoided) < self._avoidable:
            self._avoided.append(node)

    @property
    def label(self) -> str:
        """Parsl's name for it."""
        return self._name

    @property
    def status_polling_interval(self) -> int:
        """Seconds between two questions."""
        return max(1, round(self._batch.poll))
