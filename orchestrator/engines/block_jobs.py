"""Submit, watch and cancel the scheduler jobs of an engine's blocks."""

from __future__ import annotations

import json
import logging
import os
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from orchestrator.engines.block_arrays import JobArray, task_command
from orchestrator.host.atomic_files import atomic_write
from orchestrator.host.own_modules import module_command
from orchestrator.host.processes import CAMPAIGN_MARK, SESSION_MARK
from orchestrator.planning.stage import Stage
from orchestrator.schedulers.allocation import Allocation, AllocationClient
from orchestrator.schedulers.block_shape import BlockShape
from orchestrator.schedulers.client import SchedulerClient
from orchestrator.schedulers.model import FreeNodes, Job, JobRequest, JobState, NoAnswerError, SchedulerError
from orchestrator.wording import count_of
from sites import Site
from sites.schedulers import Batch

_log = logging.getLogger(__name__)
_SHOWN = 3
_EXCLUDABLE_NODES = 3  # where the site file does not state the size of the machine
_MARKS = (CAMPAIGN_MARK, SESSION_MARK, "SPT_NOENV")


class BlockJobs:
    """The jobs of one stage's blocks.

    Parameters
    ----------
    folder
        Directory of their scripts and output; made when the first job is submitted.
    allocation
        Where blocks start without a job of their own; None: each is submitted.

    Attributes
    ----------
    shape
        Nodes and walltime of the next block.
    asks_for_free_nodes
        Whether each look at the jobs is followed by a question for nodes that are free.
    free_nodes
        The last answer; None if the batch system gives none.
    choices
        By the ids of jobs, what they took of several settings, such as a quality of service.
    """

    def __init__(
        self,
        site: Site,
        batch: Batch,
        name: str,
        folder: Path,
        stage: Stage,
        allocation: Allocation | None = None,
    ) -> None:
        self._client: SchedulerClient | AllocationClient = SchedulerClient(site)
        if allocation is not None:
            self._client = AllocationClient(site, allocation)
        self.allocation = allocation
        self._batch = batch
        self._hook_timeout = site.hook_timeout
        self._name = name
        self._folder = folder
        self._span = stage.shape.nodes
        self.nodes_per_block = stage.nodes_per_block
        self.max_blocks = stage.blocks
        self._by_list = stage.excluded if stage.excluded_are_known else ()
        self._left_out = () if stage.excluded_are_known else stage.excluded
        self._excluded: list[str] = []
        self._excludable = self._spare(stage)
        self.known: dict[str, Job] = {}
        self._settings: dict[str, Batch] = {}
        self.choices: dict[str, str] = {}
        self.unanswered = ""
        self.shape = BlockShape(stage.nodes_per_block, float(batch.walltime))
        self.asks_for_free_nodes = False
        self.free_nodes: FreeNodes | None = FreeNodes()
        self._together = 0
        self._array: JobArray | None = None
        self._takes_arrays = True

    @property
    def workers_per_pool(self) -> int | None:
        """Instances that the one pool of the next block runs at a time; None where each node has a pool."""
        return None if self._span == 1 else self.shape.nodes // self._span

    def submit(self, command: str, stem: str) -> str:
        """Submit a block that runs a command once on every node, and return its job's id.

        Raises
        ------
        SchedulerError
            If the scheduler refuses it.
        """
        if self._array is not None:
            if (job := self._array.take(command)) is not None:
                return job
            self.expect(0)  # no task that is left runs this block
        tasks = max(1, self._together)
        together = task_command(command, self._client.array_variable) if tasks > 1 else None
        if together is not None:
            try:
                job = self._submit(together, stem, tasks)
            except NoAnswerError:  # it may have taken them
                raise
            except SchedulerError as error:  # one block may be within a limit that all are not
                _log.info("%s; further blocks are requested one by one", error)
                self._takes_arrays, self._together = False, 0
            else:
                self._array = JobArray(command, [f"{job}_{task}" for task in range(tasks)])
                waits = self.known.pop(job)
                self.known |= {one: replace(waits, id=one) for one in self._array.jobs}
                if choice := self.choices.pop(job, ""):
                    self.choices |= dict.fromkeys(self._array.jobs, choice)
                self._settings |= dict.fromkeys(self._array.jobs, self._batch)
                return self._array.jobs[0]
        return self._submit(command, stem)

    def expect(self, blocks: int) -> bool:
        """Submit the next blocks together, as many as this; return whether the batch system takes them so.

        0 ends that: those that have not come are cancelled.
        """
        if self._array is not None and self._array.left:
            self.cancel(self._array.left)
            for job in self._array.left:
                del self.known[job], self._settings[job]
                self.choices.pop(job, None)
        self._array = None
        together = self._takes_arrays and blocks > 1 and bool(self._client.array_variable)
        self._together = blocks if together else 0
        return together

    @property
    def tasks_left(self) -> int:
        """How many blocks were submitted together that no `submit` has asked for yet."""
        return len(self._array.left) if self._array is not None else 0

    def _submit(self, command: str, stem: str, tasks: int = 1) -> str:
        """Submit a block, or several as the tasks of an array, and return the job's id."""
        self._folder.mkdir(parents=True, exist_ok=True)
        variables = {name: os.environ[name] for name in _MARKS if name in os.environ}
        teardown = self._teardown(stem)
        if teardown and (session := variables.pop(SESSION_MARK, "")):
            # A driver that ends its session ends what has that mark on its own host: not these lines.
            command = f"export {SESSION_MARK}={shlex.quote(session)}\n{command.strip()}"
        request = JobRequest(
            name=self._name,
            nodes=self.shape.nodes,
            walltime_seconds=self.shape.walltime,
            is_whole=self.shape.walltime >= self._batch.walltime,
            output=self._folder / f"{stem}.out",
            command=command.strip(),
            on_every_node=self._span == 1,
            variables=tuple(variables.items()),
            exclude_nodes=tuple(dict.fromkeys((*self._by_list, *self._left_out, *self._excluded))),
            teardown=teardown,
            tasks=tasks,
        )
        script = self._folder / f"{stem}.sh"
        try:
            job, choice = self._client.submit(request, script)
        except SchedulerError as error:
            if not (self._left_out or self._excluded):
                raise self._refused(error) from None
            # The names of the nodes may be what it refuses. Nothing starts on those that users excluded.
            try:
                job, choice = self._client.submit(replace(request, exclude_nodes=self._by_list), script)
            except SchedulerError as again:
                raise self._refused(again) from None
            named = _named((*self._left_out, *self._excluded))
            _log.warning("%s; it takes the request if it may give %s", error, named)
            self._left_out, self._excluded, self._excludable = (), [], 0
        self.known[job] = Job(job, JobState.QUEUED)
        if choice:
            self.choices[job] = choice
        self._settings[job] = self._batch
        return job

    def change(self, stage: Stage, batch: Batch) -> None:
        """Submit further blocks with other settings of the site."""
        self._batch = batch
        self.nodes_per_block = stage.nodes_per_block
        self.max_blocks = stage.blocks
        self._excludable = min(self._excludable, self._spare(stage))
        self.shape = BlockShape(self.nodes_per_block, float(batch.walltime))
        if self.allocation is None:
            self._client = SchedulerClient(stage.site)

    def _spare(self, stage: Stage) -> int:
        """Return how many nodes blocks may be asked for without, so that enough other nodes are left."""
        if stage.site.nodes is None:
            return _EXCLUDABLE_NODES
        return max(0, stage.site.nodes - len(self._by_list) - stage.nodes_per_block * stage.blocks)

    def alter(self, job: str) -> bool:
        """Let a job that waits take the present settings; return whether it has them now."""
        if not isinstance(self._client, SchedulerClient) or not self._client.alter(job, self._settings[job]):
            return False
        self._settings[job] = self._batch
        return True

    def leave_out(self, nodes: tuple[str, ...]) -> None:
        """Submit further blocks without these nodes, in place of those left out before."""
        self._by_list = tuple(node for node in self._by_list if node in nodes)
        self._left_out = tuple(node for node in nodes if node not in self._by_list)

    def _refused(self, error: SchedulerError) -> SchedulerError:
        """Return an error that names the exclude list, which may be what the scheduler refuses."""
        if not self._by_list:
            return error
        return SchedulerError(f"{error}; the exclude list leaves out {_named(self._by_list)}")

    def _teardown(self, stem: str) -> tuple[str, ...]:
        """Return the command that ends a node with the site's lines, and write what it reads."""
        lines = self._batch.node_teardown
        if not lines:
            return ()
        file = self._folder / f"{stem}.teardown.json"
        order = {"lines": lines, "timeout": self._hook_timeout, "folder": str(self._folder.parent / "hooks")}
        atomic_write(file, json.dumps(order))
        return tuple(module_command("orchestrator.node.worker.teardown", str(file)))

    def update(self, ids: Sequence[str]) -> list[Job]:
        """Return the states of jobs; while the scheduler does not answer, those it reported last."""
        try:
            open_jobs = [job for job in ids if not self.known[job].state.ended]
            self.known |= {job.id: job for job in self._client.status(open_jobs)}
            self.unanswered = ""
            if self.asks_for_free_nodes:
                self.free_nodes = self._client.free_nodes()
            elif self.free_nodes:
                self.free_nodes = FreeNodes()
        except SchedulerError as error:
            self.unanswered = str(error)
        return [self.known[job] for job in ids]

    def cancel(self, ids: Sequence[str]) -> bool:
        """Cancel jobs; return whether the scheduler did so."""
        try:
            self._client.cancel(ids)
        except SchedulerError as error:
            _log.warning("%s", error)
            return False
        return True

    def exclude_node(self, node: str) -> None:
        """Request no more blocks with a node, unless too few other nodes would be left."""
        if (
            node not in (*self._by_list, *self._left_out, *self._excluded)
            and len(self._left_out) + len(self._excluded) < self._excludable
        ):
            self._excluded.append(node)


def _named(nodes: Sequence[str]) -> str:
    """Return the number of nodes and the names of the first."""
    more = ", …" if len(nodes) > _SHOWN else ""
    return f"{count_of(len(nodes), 'node')}: {', '.join(nodes[:_SHOWN])}{more}"
