"""The simulated machine: blocks, worker pools, slots; it outlives engines and drivers."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

from db.records import BlockRecord
from orchestrator.protocol.order import AttemptOrder
from orchestrator.protocol.report import AttemptReport
from orchestrator.protocol.time_budget import BLOCK_END_SECONDS
from orchestrator.rundir.layout import RunDirectory
from orchestrator.rundir.signal_files import announced_start
from orchestrator.schedulers.model import FreeNodes, Hole, JobState
from orchestrator.simulation.attempt import LATENCY_SECONDS, AttemptLocation, SimulatedAttempt
from orchestrator.simulation.fault_model import FaultModel, RunSampler
from orchestrator.simulation.virtual_clock import START_US, VirtualClock

_BARRIER_SECONDS = 0.5
_HELD_SECONDS = 60.0
Done = Callable[[AttemptReport], None]
_Wave = tuple[str, int, int]  # run directory, session, number


@dataclass(frozen=True, slots=True)
class PresentBlock:
    """A block that runs, or waits, as the simulation begins.

    Parameters
    ----------
    seconds
        Until its walltime ends; of one that waits, its whole walltime.
    waited_seconds
        How long it has waited; None for one that runs.
    """

    nodes: int
    seconds: float
    waited_seconds: float | None = None

    @property
    def runs(self) -> bool:
        """True if it has its nodes."""
        return self.waited_seconds is None


class DoubleBookingError(AssertionError):
    """Two attempts were given one slot at one time."""


@dataclass(slots=True)
class StageStatistics:
    """Counts of one stage; times in virtual seconds."""

    stage: str = ""
    begin: float = 0.0
    seconds: float = 0.0
    started: int = 0
    ended: int = 0
    at_once: int = 0
    most_at_once: int = 0
    pools_lost: int = 0
    node_seconds: float = 0.0


@dataclass(slots=True)
class Pool:
    """The workers of a node; they may live on where the engine no longer hears of them, or take no order."""

    name: str
    node: str
    slots: int
    alive: bool = True
    connected: bool = True
    stalled: bool = False
    left: Callable[[Pool], None] | None = None
    attempts: dict[int, SimulatedAttempt] = field(default_factory=dict)
    worked: set[int] = field(default_factory=set)


@dataclass(slots=True)
class Block:
    """A scheduler job, of a stage; `window` is in virtual seconds, as is its walltime, if it has one."""

    name: str
    nodes: int
    state: JobState
    requested: float
    statistics: StageStatistics = field(default_factory=StageStatistics)
    walltime: float | None = None
    window: tuple[float, float] | None = None
    ended: float | None = None
    released: bool = False
    reason: str = ""
    is_whole: bool = True
    pools: list[Pool] = field(default_factory=list)
    job: Hashable | None = None

    @property
    def job_id(self) -> str:
        """Id of its job."""
        return f"simulated-{self.name}"

    def row(self, slot_shape: str, pool: str | None) -> BlockRecord:
        """Return the ledger's row."""
        return BlockRecord(
            slot_shape=slot_shape,
            block_id=self.name,
            job_id=self.job_id,
            state="released" if self.released and self.ended is not None else self.state.value,
            requested_us=START_US + round(self.requested * 1e6),
            started_us=START_US + round(self.window[0] * 1e6) if self.window else None,
            ended_us=None if self.ended is None else START_US + round(self.ended * 1e6),
            nodes=self.nodes,
            message=self.reason or None,
            pool=pool,
        )


class PoolListener(Protocol):
    """Is notified of worker pools."""

    def joined(self, block: Block, pool: Pool) -> None:
        """Take a pool into service."""

    def left(self, pool: Pool) -> None:
        """Note that a pool is disconnected."""

    def detach(self) -> None:
        """Detach like an engine whose driver died: attempts go on, no order is handed out."""


class BatchQueue(Protocol):
    """Gives nodes to jobs; `submit` returns a job by which the queue knows it."""

    def submit(self, nodes: int, walltime: float, start: Callable[[], None]) -> Hashable:
        """Queue a job, and call `start` as an event of the clock once it has its nodes."""

    def end(self, job: Any) -> None:
        """End a job that runs or waits; nothing happens if it has ended."""

    def holes(self) -> tuple[Hole, ...]:
        """Return the free nodes on which a job that is submitted now starts, if nothing else happens."""

    def waits_behind(self) -> Mapping[Any, float]:
        """Return in how many seconds own jobs are expected to start which wait behind another job."""


class Machine:
    """Nodes on which attempts run.

    Parameters
    ----------
    grace
        Seconds between SIGTERM and SIGKILL, as the campaign says.
    written
        Takes what attempts report.
    queue
        Batch queue from which blocks get their nodes; None: they wait for times of the fault model.
    present
        Blocks that there are already, by stage; the stage's first engine takes them.
    """

    def __init__(
        self,
        clock: VirtualClock,
        fault_model: FaultModel,
        sample_run: RunSampler,
        grace: float,
        written: Callable[[AttemptReport], None],
        queue: BatchQueue | None = None,
        present: Mapping[str, Sequence[PresentBlock]] = MappingProxyType({}),
    ) -> None:
        self._written = written
        self._present = dict(present)
        self.clock = clock
        self.fault_model = fault_model
        self.sample_run = sample_run
        self.queue = queue
        self.stages: list[StageStatistics] = []
        self.blocks: list[Block] = []
        self.engines: list[PoolListener] = []
        self.refused_blocks = 0
        self.broken = ""
        self.held_blocks = 0
        self._grace = grace
        self._barriers: dict[_Wave, list[Callable[[int], None]]] = {}
        self._nodes = 0

    @property
    def statistics(self) -> StageStatistics:
        """Statistics of the stage that runs, or ran last."""
        return self.stages[-1]

    def begin_stage(self, stage: str, engine: PoolListener) -> StageStatistics:
        """Count for a stage from now on, that an engine runs; it goes on where it ran before."""
        self.engines.append(engine)
        found = next((one for one in self.stages if one.stage == stage), None)
        if found is None:
            found = StageStatistics(stage, self.clock.seconds())
            self.stages.append(found)
        return found

    def end_stage(self, statistics: StageStatistics, engine: PoolListener) -> None:
        """Stop the time of a stage, for now."""
        statistics.seconds = self.clock.seconds() - statistics.begin
        if engine in self.engines:
            self.engines.remove(engine)

    # -- blocks ------------------------------------------------------------------------------

    def request(
        self,
        nodes: int,
        pools: int,
        slots: int,
        listener: PoolListener,
        statistics: StageStatistics,
        walltime: float | None,
        *,
        is_whole: bool = True,
        pool: str = "",
        present: PresentBlock | None = None,
    ) -> Block:
        """Queue a block of so many nodes, whose worker pools will have so many slots each.

        Parameters
        ----------
        present
            Where the block stands that there is already; by default it is a new block.
        """
        now = self.clock.seconds()
        name = f"{len(self.blocks)}"
        block = Block(name, nodes, JobState.QUEUED, now, statistics, walltime, is_whole=is_whole)
        self.blocks.append(block)
        if self.held_blocks:
            self.held_blocks -= 1
            block.state, block.reason = JobState.HELD, "JobHeldUser"
        start = partial(self._start, block, pools, slots, listener)
        if present is not None and present.runs:
            start(joined=True)
        elif walltime is None:  # a machine without a batch system
            self.clock.after(0.0, start)
        elif self.queue is None:
            waited = present.waited_seconds if present is not None else None
            self.clock.after(self.fault_model.queue(block.name, pool, waited or 0.0), start)
        else:
            self._submit(block, self.queue, walltime, start)
        return block

    def take_present(self, stage: str) -> Sequence[PresentBlock]:
        """Return the blocks of a stage that there are as the simulation begins; none the second time."""
        return self._present.pop(stage, ())

    def free_nodes(self) -> FreeNodes | None:
        """Return the nodes that are free now; None without a batch queue, where this is not known."""
        if self.queue is None:
            return None
        if not (holes := self.queue.holes()):
            return FreeNodes()
        waits = self.queue.waits_behind()
        own = {block.job_id: waits[block.job] for block in self.blocks if block.job in waits}
        return FreeNodes(holes, own)

    def end_block(
        self, block: Block, state: JobState, why: str = "orphaned", *, silent: bool = False
    ) -> None:
        """End a block and all that runs there; silent attempts die without a report."""
        if block.state.ended:
            return
        for pool in block.pools:
            self._end_pool(block, pool, why, silent=silent)
        block.state, block.ended = state, self.clock.seconds()
        if self.queue is not None and block.job is not None:
            self.queue.end(block.job)
        if block.window is not None:
            block.statistics.node_seconds += block.nodes * (block.ended - block.window[0])

    def end_blocks(self, blocks: Iterable[Block], why: str, *, silent: bool = False) -> None:
        """End blocks and all that runs there."""
        for block in blocks:
            if not block.state.ended:
                block.released = True
                self.end_block(block, JobState.CANCELLED, why, silent=silent)

    def end_cancelled(self, directory: RunDirectory) -> None:
        """End the attempts that users cancelled."""
        if not directory.cancel_files.is_dir():
            return
        for pool in [pool for block in self.blocks for pool in block.pools]:
            for attempt in list(pool.attempts.values()):
                if attempt.started and directory.cancel_file(attempt.order.token).exists():
                    attempt.end("user")

    def running(self) -> list[Block]:
        """Return the blocks that hold nodes."""
        return [block for block in self.blocks if block.state is JobState.RUNNING]

    def _submit(self, block: Block, queue: BatchQueue, walltime: float, start: Callable[[], None]) -> None:
        """Queue a block's job once it is not held."""
        if block.state is JobState.HELD:
            self.clock.after(_HELD_SECONDS, partial(self._submit, block, queue, walltime, start))
        elif block.state is JobState.QUEUED:
            block.job = queue.submit(block.nodes, walltime, start)

    def _start(
        self, block: Block, pools: int, slots: int, listener: PoolListener, *, joined: bool = False
    ) -> None:
        if block.state is JobState.HELD:
            self.clock.after(_HELD_SECONDS, lambda: self._start(block, pools, slots, listener))
        if block.state is not JobState.QUEUED:
            return
        now = self.clock.seconds()
        block.state = JobState.RUNNING
        block.window = (now, now + (block.walltime or math.inf))
        if block.walltime is not None:
            last = max(now, block.window[1] - self._grace - BLOCK_END_SECONDS)
            self.clock.at(last, lambda: self._warn(block))
            self.clock.at(block.window[1], lambda: self.end_block(block, JobState.TIMEOUT))
        for _ in range(pools):
            self._nodes += 1
            pool = Pool(f"{block.name}-n{self._nodes}", f"n{self._nodes}", slots)
            block.pools.append(pool)
            pool.left = listener.left
            joins = 0.0 if joined else self.fault_model.pool(pool.node)
            self.clock.after(joins, partial(listener.joined, block, pool))
            fails = self.fault_model.failure(pool.node, block.nodes // pools)
            if math.isfinite(fails):
                random = self.fault_model.random("unseen", pool.node)
                partitioned = random.random() < self.fault_model.partition_share
                self.clock.after(fails, partial(self.fail_node, block, pool, partitioned=partitioned))

    def _warn(self, block: Block) -> None:
        """Let supervisors end their attempts before the block does."""
        if not block.state.ended:
            for pool in block.pools:
                for attempt in list(pool.attempts.values()):
                    attempt.end("walltime")

    # -- pools -------------------------------------------------------------------------------

    def run(self, block: Block, pool: Pool, slot: int, order: AttemptOrder, done: Done) -> None:
        """Run an attempt on a slot; on a dead or stalled pool, nothing happens."""
        if not pool.alive or pool.stalled:
            return
        if slot in pool.attempts:
            raise DoubleBookingError(f"{order.label} got slot {slot} of {pool.node}, which is taken")
        window = None
        if block.walltime is not None and block.window is not None:
            begin = START_US / 1e6 + block.window[0] if block.is_whole else 0.0
            window = (begin, START_US / 1e6 + block.window[1])

        def ended(report: AttemptReport) -> None:
            del pool.attempts[slot]
            block.statistics.at_once -= 1
            block.statistics.ended += 1
            self.clock.after(LATENCY_SECONDS + self.fault_model.delay(order), lambda: done(report))

        location = AttemptLocation(block.name, pool.name, pool.node, slot, window, slot not in pool.worked)
        pool.worked.add(slot)
        attempt = SimulatedAttempt(order, self.sample_run(order), location, self, ended)
        pool.attempts[slot] = attempt
        statistics = block.statistics
        statistics.started += 1
        statistics.at_once += 1
        statistics.most_at_once = max(statistics.most_at_once, statistics.at_once)
        self.clock.after(LATENCY_SECONDS, attempt.start)

    def fail_node(self, block: Block, pool: Pool, *, partitioned: bool) -> None:
        """Fail a node; if partitioned, its attempts run on where the engine cannot see them."""
        if block.state.ended or not pool.connected:
            return
        block.statistics.pools_lost += 1
        if partitioned:
            self._disconnect(pool)
        else:
            self._end_pool(block, pool, "orphaned", silent=True)
        if not any(one.alive for one in block.pools):
            self.end_block(block, JobState.NODE_FAILURE)

    def _end_pool(self, block: Block, pool: Pool, why: str, *, silent: bool) -> None:
        for attempt in list(pool.attempts.values()):
            if silent or not attempt.started:
                attempt.kill()
            else:
                attempt.end(why)
        block.statistics.at_once -= len(pool.attempts)
        pool.attempts.clear()
        pool.alive = False
        self._disconnect(pool)

    def _disconnect(self, pool: Pool) -> None:
        if pool.connected:
            pool.connected = False
            if pool.left is not None:
                pool.left(pool)

    # -- what attempts need ------------------------------------------------------------------

    def journal(self, order: AttemptOrder, block: str, report: AttemptReport) -> None:  # noqa: ARG002
        """Keep a report of an attempt on a block, where a driver finds it."""
        self._written(report)

    def at_barrier(self, order: AttemptOrder, opened: Callable[[int], None]) -> None:
        """Call back with the announced instant once the barrier of an order's wave is open."""
        wave = order.directory, order.session, order.wave or 0
        if (waiting := self._barriers.get(wave)) is None:
            waiting = self._barriers[wave] = []
            file = RunDirectory(Path(order.directory)).barrier_file(order.session, order.wave or 0)
            self.clock.after(0.0, lambda: self._look(file, wave))
        waiting.append(opened)

    def _look(self, file: Path, wave: _Wave) -> None:
        instant = announced_start(file)
        if instant is None:
            self.clock.after(_BARRIER_SECONDS, lambda: self._look(file, wave))
            return
        for opened in self._barriers.pop(wave):
            opened(instant)
