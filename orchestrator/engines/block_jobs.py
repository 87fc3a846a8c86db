"""The scheduler jobs of an engine's blocks: asked for, looked after, ended."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from orchestrator.host.processes import CAMPAIGN_MARK, SESSION_MARK
from orchestrator.planning.plan import Stage
from orchestrator.schedulers.client import SchedulerClient
from orchestrator.schedulers.model import Job, JobRequest, JobState, SchedulerError
from sites import Site
from sites.schedulers import Batch

_log = logging.getLogger(__name__)
_AVOIDABLE_NODES = 3  # of a machine whose size the site file does not tell
_MARKS = (CAMPAIGN_MARK, SESSION_MARK, "SPT_NOENV")


class BlockJobs:
    """The jobs of one stage's blocks.

    Parameters
    ----------
    site, batch
        The machine, and its batch system.
    name
        Of all jobs.
    folder
        For their scripts and output; made when the first is submitted.
    stage
        Whose slots they hold.
    """

    def __init__(self, site: Site, batch: Batch, name: str, folder: Path, stage: Stage) -> None:
        self._system = SchedulerClient(site)
        self._batch = batch
        self._name = name
        self._folder = folder
        self._on_every_node = stage.shape.nodes == 1
        self._avoided: list[str] = []
        self._avoidable = _AVOIDABLE_NODES
        if site.nodes is not None:
            self._avoidable = max(0, site.nodes - batch.nodes_per_block * batch.blocks)
        self.known: dict[str, Job] = {}
        self.unanswered = ""

    def submit(self, command: str, stem: str) -> str:
        """Submit a block that runs a command once on every node, and return its job's id.

        Raises
        ------
        SchedulerError
            If the batch system refuses it.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        request = JobRequest(
            name=self._name,
            nodes=self._batch.nodes_per_block,
            walltime_seconds=self._batch.walltime,
            output=self._folder / f"{stem}.out",
            command=command.strip(),
            on_every_node=self._on_every_node,
            variables=tuple((name, os.environ[name]) for name in _MARKS if name in os.environ),
            exclude_nodes=tuple(self._avoided),
        )
        script = self._folder / f"{stem}.sh"
        try:
            job = self._system.submit(request, script)
        except SchedulerError:
            if not self._avoided:
                raise
            self._avoided, self._avoidable = [], 0  # it may be these names that it refuses
            job = self._system.submit(replace(request, exclude_nodes=()), script)
        self.known[job] = Job(job, JobState.QUEUED)
        return job

    def look(self, ids: Sequence[str]) -> list[Job]:
        """Return where jobs stand; while the batch system does not answer, where they stood last."""
        try:
            open_jobs = [job for job in ids if not self.known[job].state.ended]
            self.known |= {job.id: job for job in self._system.status(open_jobs)}
            self.unanswered = ""
        except SchedulerError as error:
            self.unanswered = str(error)
        return [self.known[job] for job in ids]

    def cancel(self, ids: Sequence[str]) -> bool:
        """End jobs; tell whether the batch system did so."""
        try:
            self._system.cancel(ids)
        except SchedulerError as error:
            _log.warning("%s", error)
            return False
        return True

    def avoid(self, node: str) -> None:
        """Ask for no more blocks with a node, unless too few others would be left."""
        if node not in self._avoided and len(self._avoided) < self._avoidable:
            self._avoided.append(node)
