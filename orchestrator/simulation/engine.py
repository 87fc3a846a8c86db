"""The simulated engine: hands orders to free slots of blocks, and detects losses by missing heartbeats."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from db.records import BlockRecord
from orchestrator.engines.base import UNLIMITED, Allowance, EngineMessage, ExpectedWork, OnEnd
from orchestrator.engines.block_failures import FAILED_STATES, BlockFailures, block_event
from orchestrator.engines.block_scaling import (
    BlockStatus,
    PoolStatus,
    ScalingDecision,
    ScalingLimits,
    ShapedRequest,
    decide,
)
from orchestrator.engines.chosen_shapes import ChosenShapes, too_small
from orchestrator.errors import EngineError
from orchestrator.planning.stage import Stage
from orchestrator.protocol.order import AttemptOrder
from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir.layout import RunDirectory
from orchestrator.rundir.signal_files import stop_requested
from orchestrator.schedulers.block_shape import BlockShape
from orchestrator.schedulers.families import keep_their_place
from orchestrator.schedulers.model import FreeNodes, JobState
from orchestrator.simulation.machine import Block, Machine, Pool, PresentBlock, StageStatistics
from orchestrator.wording import count_of
from sites import Site
from sites.schedulers import Batch


class ManagerLost(Exception):  # noqa: N818  named as the real engine names it
    """A node's worker pool has been silent for too long."""


class SimulatedEngine:
    """Runs one stage's attempts on a simulated machine.

    Parameters
    ----------
    machine
        Where attempts run; it outlives the engine.
    """

    def __init__(self, machine: Machine, site: Site, stage: Stage) -> None:
        self._machine = machine
        self._stage = stage
        self._statistics = StageStatistics()
        self._silence = site.heartbeat.threshold
        self._batch = site.scheduler if isinstance(site.scheduler, Batch) else None
        self._failures = BlockFailures()
        self._limits = ScalingLimits(
            slots_per_block=len(stage.slots) * (stage.nodes_per_block // stage.shape.nodes),
            max_blocks=stage.blocks,
            releasable=self._batch is not None,
        )
        self._nodes_per_block = stage.nodes_per_block
        self._shapes = ChosenShapes.of(stage)
        self._blocks: list[Block] = []
        self._queue: deque[tuple[AttemptOrder, OnEnd]] = deque()
        self._free: deque[tuple[Block, Pool, int]] = deque()
        self._out: dict[str, dict[str, OnEnd]] = {}
        self._held: set[str] = set()
        self._stalled: set[str] = set()
        self._closed: dict[str, int] = {}  # blocks with the number of their pools
        self._joined: set[str] = set()
        self._described: dict[str, JobState] = {}
        self._told: list[EngineMessage] = []
        self._order: AttemptOrder | None = None
        self._stopped = False

    def start(self) -> None:
        """Begin the stage."""
        self._statistics = self._machine.begin_stage(self._stage.label, self)
        blocks = self._machine.take_present(self._stage.label)
        if other := next((one.nodes for one in blocks if one.nodes != self._nodes_per_block), None):
            self._shapes = ChosenShapes.of(self._stage, self._shapes, other)
        for present in blocks:
            shape = BlockShape(present.nodes, present.seconds)
            self._add_block(shape, is_whole=not present.runs, present=present)

    def scale(
        self, left: int, expected: ExpectedWork | None = None, allowance: Allowance = UNLIMITED
    ) -> None:
        """Hold as many blocks as `left` unfinished instances can fill."""
        if self._order is not None:
            self._machine.end_cancelled(RunDirectory(Path(self._order.directory)))
        now = self._machine.clock.seconds()
        decision = self._decide(left, expected, allowance, now)
        self._close(decision.drain)
        if decision.cancelled_by_others is not None:
            raise EngineError(
                f"block {decision.cancelled_by_others} was cancelled from outside", transient=False
            )
        self._close(decision.release)
        for block in self._blocks:
            if block.name in decision.release:
                block.released = True
                self._machine.end_block(block, JobState.CANCELLED)
        if decision.unaffordable:
            raise too_small(allowance)
        for _ in range(decision.request):
            self._request(decision.shaped)

    def promised_node_seconds(self) -> float:
        """Return what blocks that run or wait may still take, until their walltimes end."""
        now = self._machine.clock.seconds()
        return sum(
            block.nodes * ((block.window[1] - now) if block.window else block.walltime)
            for block in self._blocks
            if block.walltime is not None and not (block.released or block.state.ended)
        )

    def _decide(
        self, left: int, expected: ExpectedWork | None, allowance: Allowance, now: float
    ) -> ScalingDecision:
        """Return what to do now."""
        statuses = [self._status(block) for block in self._blocks]
        next_request = self._failures.next_request(now)
        if self._shapes is None:
            return decide(statuses, self._limits, left=left, now=now, next_request=next_request)
        asks = self._shapes.asks_for_free_nodes(left, self.open_slots())
        return self._shapes.decide(
            statuses,
            left=left,
            expected=expected,
            free_nodes=self._machine.free_nodes() if asks else FreeNodes(),
            now=now,
            next_request=next_request,
            allowance=allowance,
        )

    def change(self, stage: Stage) -> None:
        """Request further blocks by a stage whose site has other settings, as `ParslBlocks.change` does."""
        before = self._batch
        self._stage = stage
        self._batch = stage.site.scheduler if isinstance(stage.site.scheduler, Batch) else None
        self._limits = replace(self._limits, max_blocks=stage.blocks)
        self._shapes = ChosenShapes.of(stage, self._shapes, self._nodes_per_block)
        kept = before is not None and self._batch is not None and keep_their_place(before, self._batch)
        open_ = [one for one in self._blocks if not one.released and not one.state.ended]
        waiting = [one for one in open_ if one.state is JobState.QUEUED]
        most = max(0, stage.blocks - len(open_) + len(waiting)) if kept else 0
        for block in waiting[most:]:
            block.released = True
            self._machine.end_block(block, JobState.CANCELLED)

    def leave_out(self, nodes: tuple[str, ...]) -> None:
        """Change nothing: the simulated batch system hands out any node, and nothing starts on these."""

    def open_slots(self) -> int:
        """Return how many instances run at a time on worker pools that take orders."""
        return sum(self._open_slots_of(block) for block in self._blocks)

    def _open_slots_of(self, block: Block) -> int:
        if block.state is not JobState.RUNNING or block.released:
            return 0
        joined = [pool for pool in block.pools if pool.name in self._joined]
        if not joined:
            return self._limits.slots_per_block if self._shapes is None else self._shapes.slots(block.name)
        pools = sum(pool.connected and pool.name not in self._held for pool in joined)
        return self._slots_per_pool(block.nodes) * pools

    def _slots_per_pool(self, nodes: int) -> int:
        """Return the slots of a pool: those of its node, or all of a block whose instances span several."""
        span = self._stage.shape.nodes
        return len(self._stage.slots) if span == 1 else nodes // span

    def drain_pool(self, pool: str) -> None:
        """Give a worker pool no more orders; its block is released once nothing runs there."""
        if self._batch is not None:
            self._held.add(pool)

    def submit(self, order: AttemptOrder, on_end: OnEnd) -> None:
        """Queue an order."""
        self._order = order
        self._queue.append((order, on_end))
        self._serve()

    def blocks(self) -> list[BlockRecord]:
        """Return the blocks requested so far."""
        row = partial(Block.row, slot_shape=self._stage.label, pool=self._stage.site.pool)
        return [row(block) for block in self._blocks]

    def messages(self) -> list[EngineMessage]:
        """Return what happened to blocks since the last call."""
        messages, self._told = self._told, []
        for block in self._blocks:
            if not block.released and self._described.get(block.name) is not block.state:
                self._described[block.name] = block.state
                name = f"block {block.name}"
                messages.append(EngineMessage(block_event(block.state), f"{name} is {block.state}", name))
        return messages if self._batch is not None else []

    def exclude_node(self, pool: str, node: str) -> None:  # noqa: ARG002
        """Drain a node's worker pool; without a scheduler there is no other node, and it stays in use."""
        self.drain_pool(pool)

    def queued_by_pool(self) -> dict[str, int]:
        """Return how many orders each connected worker pool holds."""
        running = (block for block in self._blocks if not block.state.ended)
        names = (pool.name for block in running for pool in block.pools if pool.connected)
        return {name: len(self._out.get(name, ())) for name in names if name in self._joined}

    def replace_pools(self, stalled: Mapping[str, str]) -> Collection[str]:
        """Release the blocks of stalled pools once nothing runs there; a local one needs a new engine."""
        if self._batch is None and stalled:
            raise EngineError(next(iter(stalled.values())))
        self._stalled = set(stalled)
        for pool in stalled:
            self.drain_pool(pool)
        return self._stalled

    def check(self) -> None:
        """Raise `EngineError` if the machine says that the engine broke, or too many blocks failed."""
        if self._machine.broken:
            message, self._machine.broken = self._machine.broken, ""
            raise EngineError(message)
        now = self._machine.clock.seconds()
        failed = [block for block in self._blocks if block.state in FAILED_STATES]
        for block in failed:
            self._failures.note(block.name, now)
        active = any(not (block.state.ended or block.released) for block in self._blocks)
        if self._failures.too_many(now) and not active:
            raise EngineError(f"{count_of(len(failed), 'block')} failed")

    def stop(self) -> None:
        """Release all slots, and end what still runs there."""
        if self._stopped:
            return
        self.detach()
        why = "orphaned"
        if self._order and stop_requested(self._order):
            why = "cancelled"
        self._machine.end_blocks(self._blocks, why)
        self._machine.end_stage(self._statistics, self)

    def detach(self) -> None:
        """Detach like an engine whose driver died: attempts go on, no order is handed out."""
        self._stopped = True
        self._queue.clear()
        self._out.clear()

    # -- blocks ------------------------------------------------------------------------------

    def _request(self, shaped: ShapedRequest | None) -> None:
        if self._machine.refused_blocks:
            self._machine.refused_blocks -= 1
            self._failures.note(f"refused {self._machine.refused_blocks}", self._machine.clock.seconds())
            if not self._blocks:
                raise EngineError("the batch system refused the block", transient=False)
            return
        walltime = float(self._batch.walltime) if self._batch else None
        shape = BlockShape(self._stage.nodes_per_block, walltime or 0.0) if shaped is None else shaped.shape
        self._add_block(shape, shaped, is_whole=shape.walltime == walltime)

    def _add_block(
        self,
        shape: BlockShape,
        shaped: ShapedRequest | None = None,
        *,
        is_whole: bool,
        present: PresentBlock | None = None,
    ) -> None:
        block = self._machine.request(
            shape.nodes,
            shape.nodes if self._stage.shape.nodes == 1 else 1,
            self._slots_per_pool(shape.nodes),
            self,
            self._statistics,
            shape.walltime if self._batch else None,
            is_whole=is_whole,
            pool=self._stage.site.pool or "",
            present=present,
        )
        self._blocks.append(block)
        if self._shapes is not None:
            now, named = self._machine.clock.seconds(), f"block {block.name}"
            request = shaped or ShapedRequest(shape)
            self._told.append(self._shapes.note(block.name, request, now, job=block.job_id, named=named))

    def _status(self, block: Block) -> BlockStatus:
        """Return a block as the scaling policy takes it.

        An ended block needs no pools, and of one that is busy, a busy pool is enough.
        """
        pools: list[PoolStatus] = []
        for pool in () if block.state.ended else block.pools:
            if pool.name in self._joined:
                orders = len(self._out.get(pool.name, ()))
                stalled = pool.name in self._stalled
                pools.append(PoolStatus(pool.name, orders, pool.name in self._held, stalled))
                if orders and not stalled:
                    break
        return BlockStatus(block.name, block.state, block.released, tuple(pools))

    def _close(self, blocks: Collection[str]) -> None:
        """Give blocks no more work."""
        for block in self._blocks:
            if block.name in blocks and self._closed.get(block.name) != len(block.pools):
                self._closed[block.name] = len(block.pools)
                self._held.update(pool.name for pool in block.pools)

    # -- pools -------------------------------------------------------------------------------

    def joined(self, block: Block, pool: Pool) -> None:
        """Take a node's workers into service."""
        if not self._stopped and pool.connected:
            self._joined.add(pool.name)
            self._free.extend((block, pool, slot) for slot in range(pool.slots))
            self._serve()

    def left(self, pool: Pool) -> None:
        """Disconnect a node's workers; the loss is detected after the heartbeat threshold."""
        self._machine.clock.after(self._silence, lambda: self._miss(pool))

    def _miss(self, pool: Pool) -> None:
        self._held.add(pool.name)
        for token, on_end in self._out.pop(pool.name, {}).items():
            on_end(token, ManagerLost(f"manager {pool.name} was lost with {token}"))

    # -- orders ------------------------------------------------------------------------------

    def _serve(self) -> None:
        """Hand orders to free slots, those included whose node died and was not missed yet."""
        while self._queue and self._free:
            block, pool, slot = self._free.popleft()
            if pool.name in self._held:
                continue
            order, on_end = self._queue.popleft()
            self._out.setdefault(pool.name, {})[order.token] = on_end
            if pool.connected:
                self._machine.run(block, pool, slot, order, partial(self._done, block, pool, slot))

    def _done(self, block: Block, pool: Pool, slot: int, report: AttemptReport) -> None:
        if self._stopped or not pool.connected:
            return
        on_end = self._out.get(pool.name, {}).pop(report.token, None)
        self._free.append((block, pool, slot))
        self._serve()
        if on_end is not None:
            on_end(report.token, report)
