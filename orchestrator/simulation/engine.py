"""The simulated engine: queues orders for free slots of blocks, and notices losses by their silence."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from concurrent.futures import Future
from functools import partial

from db.records import BlockRecord
from orchestrator.errors import EngineError
from orchestrator.planning.plan import Stage
from orchestrator.protocol.order import AttemptOrder
from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir.stop_file import stop_requested
from orchestrator.schedulers.model import JobState
from orchestrator.simulation.machine import Block, Machine, Pool
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
    site
        The machine as data.
    stage
        Slot shape and slots per node.
    """

    def __init__(self, machine: Machine, site: Site, stage: Stage) -> None:
        self._machine = machine
        self._stage = stage
        self._silence = site.heartbeat.threshold
        self._batch = site.scheduler if isinstance(site.scheduler, Batch) else None
        nodes = stage.nodes_per_block
        self._pools = nodes if stage.shape.nodes == 1 else 1
        self._slots_per_pool = len(stage.slots) if stage.shape.nodes == 1 else nodes // stage.shape.nodes
        self._blocks: list[Block] = []
        self._queue: deque[tuple[AttemptOrder, Future[AttemptReport]]] = deque()
        self._free: deque[tuple[Block, Pool, int]] = deque()
        self._out: dict[str, dict[str, Future[AttemptReport]]] = {}
        self._held: set[str] = set()
        self._standing: set[str] = set()
        self._joined: set[str] = set()
        self._told: dict[str, JobState] = {}
        self._order: AttemptOrder | None = None
        self._stopped = False

    def start(self) -> None:
        """Begin the stage."""
        self._machine.engine = self
        self._machine.begin_stage(self._stage.shape.label)

    def scale(self, left: int) -> None:
        """Ask for a block if one is missing, and give back those that nothing is left for."""
        for block in self._blocks:
            if block.state.ended:
                self._held.update(pool.name for pool in block.pools)
        active = [block for block in self._blocks if not block.state.ended]
        cancelled = [
            block for block in self._blocks if block.state is JobState.CANCELLED and not block.released
        ]
        limit = self._stage.blocks - len(cancelled)
        if left and limit <= 0:
            raise EngineError(f"block {cancelled[-1].name} was cancelled from outside", final=True)
        wanted = min(limit, math.ceil(left / (self._pools * self._slots_per_pool)))
        queued = [block for block in active if block.state is not JobState.RUNNING]
        surplus = len(active) - wanted
        for block in queued[: max(0, surplus)]:
            self._release(block)
        if self._batch is not None:
            for block in self._idle(active, max(0, surplus - len(queued))):
                self._release(block)
        if sum(not block.state.ended for block in active) < wanted:
            self._request()

    def retire(self, pool: str) -> None:
        """Give a worker pool no more work; its block is given back once nothing runs there."""
        if self._batch is not None:
            self._held.add(pool)

    def submit(self, order: AttemptOrder) -> Future[AttemptReport]:
        """Queue an order."""
        future: Future[AttemptReport] = Future()
        self._order = order
        self._queue.append((order, future))
        self._serve()
        return future

    def blocks(self) -> list[BlockRecord]:
        """Return the blocks asked for so far."""
        return [block.row(self._stage.shape.label) for block in self._blocks]

    def news(self) -> list[str]:
        """Return what happened to blocks since the last call, in words for the user."""
        said = []
        for block in self._blocks:
            if not block.released and self._told.get(block.name) is not block.state:
                self._told[block.name] = block.state
                said.append(f"block {block.name} is {block.state}")
        return said if self._batch is not None else []

    def set_aside(self, pool: str, node: str) -> None:  # noqa: ARG002
        """Give a node's worker pool no more work; where there is no other node, it keeps on."""
        self.retire(pool)

    def orders(self) -> dict[str, int]:
        """Return how many orders each connected worker pool holds."""
        return {
            pool.name: len(self._out.get(pool.name, {}))
            for block in self._blocks
            for pool in block.pools
            if pool.connected and pool.name in self._joined
        }

    def give_up(self, standing: Mapping[str, str]) -> None:
        """Lose standing pools' orders: with their blocks, once nothing runs there, or with the engine."""
        if self._batch is None and standing:
            raise EngineError(next(iter(standing.values())))
        self._standing = set(standing)
        for pool in standing:
            self.retire(pool)

    def check(self) -> None:
        """Raise `EngineError` if the machine says that the engine broke."""
        if self._machine.broken:
            message, self._machine.broken = self._machine.broken, ""
            raise EngineError(message)

    def stop(self) -> None:
        """Give all slots back; what still runs there is ended."""
        if self._stopped:
            return
        self.abandon()
        why = "orphaned"
        if self._order and stop_requested(self._order):
            why = "cancelled"
        self._machine.end_all(why)
        self._machine.end_stage()

    def abandon(self) -> None:
        """Vanish like an engine whose driver died: what runs goes on, nothing new is handed out."""
        self._stopped = True
        self._queue.clear()
        self._out.clear()

    # -- blocks ------------------------------------------------------------------------------

    def _request(self) -> None:
        if self._machine.refused_blocks:
            self._machine.refused_blocks -= 1
            if not self._blocks:
                raise EngineError("the batch system refused the block", final=True)
            return
        self._blocks.append(
            self._machine.request(self._stage.nodes_per_block, self._pools, self._slots_per_pool, self)
        )

    def _release(self, block: Block) -> None:
        if block.state.ended:
            return
        block.released = True
        for pool in block.pools:
            self._held.add(pool.name)
        self._machine.end_block(block, JobState.CANCELLED)

    def _idle(self, active: list[Block], surplus: int) -> list[Block]:
        """Return running blocks on which nothing runs: those given no more work, and so many others."""
        idle = [
            block
            for block in active
            if block.state is JobState.RUNNING
            and any(pool.name in self._joined for pool in block.pools)
            and not any(self._out.get(pool.name) for pool in block.pools if pool.name not in self._standing)
        ]
        retired = [
            block
            for block in idle
            if all(pool.name in self._held for pool in block.pools if pool.name in self._joined)
            or any(pool.name in self._standing for pool in block.pools)
        ]
        return retired + [block for block in idle if block not in retired][:surplus]

    # -- pools -------------------------------------------------------------------------------

    def joined(self, block: Block, pool: Pool) -> None:
        """Take a node's workers into service."""
        if not self._stopped and pool.connected:
            self._joined.add(pool.name)
            self._free.extend((block, pool, slot) for slot in range(pool.slots))
            self._serve()

    def left(self, pool: Pool) -> None:
        """Hear no more of a node's workers; it is noticed by and by."""
        self._machine.clock.after(self._silence, lambda: self._miss(pool))

    def _miss(self, pool: Pool) -> None:
        self._held.add(pool.name)
        for token, future in self._out.pop(pool.name, {}).items():
            future.set_exception(ManagerLost(f"manager {pool.name} was lost with {token}"))

    # -- orders ------------------------------------------------------------------------------

    def _serve(self) -> None:
        """Hand orders to free slots, those included whose node died and was not missed yet."""
        while self._queue and self._free:
            block, pool, slot = self._free.popleft()
            if pool.name in self._held:
                continue
            order, future = self._queue.popleft()
            self._out.setdefault(pool.name, {})[order.token] = future
            if pool.connected:
                self._machine.run(block, pool, slot, order, partial(self._done, block, pool, slot))

    def _done(self, block: Block, pool: Pool, slot: int, report: AttemptReport) -> None:
        if self._stopped or not pool.connected:
            return
        future = self._out.get(pool.name, {}).pop(report.token, None)
        self._free.append((block, pool, slot))
        self._serve()
        if future is not None:
            future.set_result(report)
