"""Stages that run one after another on a pool of the site, beside those of other pools."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from db.records import BlockRecord, Pending
from db.states import InstanceState
from orchestrator.driver.observers.observer import DriverObserver
from orchestrator.driver.queue.in_flight import InFlightAttempt
from orchestrator.driver.queue.pending import PendingQueue
from orchestrator.driver.queue.resource_levels import ResourceLevels
from orchestrator.driver.submission import Submission
from orchestrator.engines.base import Engine
from orchestrator.errors import EngineError
from orchestrator.planning.stage import Stage, fitted, on_changed_site
from orchestrator.protocol.report import AttemptReport
from sites import Site

MakeQueue = Callable[[Mapping[str, deque[Pending]], AbstractSet[str], str], PendingQueue]
_BLOCK_NUMBERS = 100_000
"""Of each lane, so that no two blocks of a session have the same number."""


class Lane:
    """One pool's stages with the engine of the stage that runs.

    Parameters
    ----------
    levels
        Waiting instances by level and benchmark; queues are made known there.
    make_queue
        Makes the queue of a stage from waiting instances, paused benchmarks and the pool's name.

    Attributes
    ----------
    engine
        That of the stage that runs; None while none does.
    failed
        Whether no further engine may be tried.
    closed
        Whether its pool was removed: what runs there finishes.
    blocks_started
        Blocks of the engine that had nodes when it was last looked at.
    slots
        Slots of these blocks that take orders; see `look_for_slots`.
    idle_since
        When there were none first, in seconds by the driver's clock; None while there are some.
    """

    def __init__(
        self,
        number: int,
        stages: Sequence[Stage],
        levels: ResourceLevels,
        paused: AbstractSet[str],
        submission: Submission,
        make_queue: MakeQueue = PendingQueue,
    ) -> None:
        self.submission = submission
        self.stages: list[Stage] = []
        self.queues: list[PendingQueue] = []
        self._levels = levels
        self._paused = paused
        self._make_queue = make_queue
        self.stage = stages[0]
        self.engine: Engine | None = None
        self.failed = self.closed = False
        self.blocks_started = self.slots = 0
        self.idle_since: float | None = None
        self._next_block = number * _BLOCK_NUMBERS
        self._left_out: tuple[str, ...] | None = None
        self.follow(stages)

    @property
    def pool(self) -> str:
        """Pool of its stages; that of the first where one lane serves all pools."""
        return self.stages[0].site.pool or ""

    def follow(self, stages: Sequence[Stage]) -> None:
        """Go on with the stages that another plan has for the pool; of slots that it lacks, none starts."""
        wanted = {(one.label, one.level): one for one in stages}
        for number, known in enumerate(self.stages):
            new = wanted.pop((known.label, known.level), None)
            self.queues[number].serve({} if new is None else self._levels.of_stage(new))
            if new is None:
                continue
            self.stages[number] = new
            if (self.stage.label, self.stage.level) == (new.label, new.level):
                now = self.stage  # its engine has these blocks
                self.stage = replace(
                    new, blocks=now.blocks, nodes_per_block=now.nodes_per_block, resized=now.resized
                )
        for stage in wanted.values():
            here, pool, level = self._levels.of_stage(stage), stage.site.pool or "", stage.level
            queue = (
                PendingQueue(here, self._paused, pool, level)  # after all others, in no drawn order
                if level
                else self._make_queue(here, self._paused, pool)
            )
            self.stages.append(stage)
            self.queues.append(queue)
            self._levels.serve(queue)

    def close(self) -> None:
        """Hand nothing more out: what runs here finishes, and then its blocks are given back."""
        self.closed = True
        for queue in self.queues:
            queue.serve({})

    @property
    def waits(self) -> bool:
        """True while this lane has pending instances and an engine may still start."""
        return not self.failed and self.left

    @property
    def left(self) -> bool:
        """True while instances wait that no pool has started."""
        return bool(self.submission) or any(self.queues)

    def look_for_slots(self, engine: Engine, now: float) -> None:
        """Note how many slots take orders, where that is not known from the stage.

        Other pools serve a benchmark of the stage, too, or its blocks have different shapes.
        """
        asks = self.stage.spread or self.stage.chooses_shapes or self.stage.resized
        self.slots = engine.open_slots() if asks else 0
        if self.slots:
            self.idle_since = None
        elif self.idle_since is None:
            self.idle_since = now

    def change(self, pool: str, site: Site) -> None:
        """Go on with other settings of a pool, which change no slots: blocks with nodes keep them."""
        if self.closed:
            return
        self.stages = [
            on_changed_site(one, site) if (one.site.pool or "") == pool else one for one in self.stages
        ]
        if (self.stage.site.pool or "") != pool:
            return
        self.stage = on_changed_site(self.stage, site)
        self.submission.queue.resume_all()
        if self.engine is not None:
            self.engine.change(self.stage)

    def leave_out(self, nodes: tuple[str, ...]) -> None:
        """Ask for further blocks without these nodes; those that wait keep their place in the queue."""
        self._left_out = nodes
        if self.engine is not None:
            self.engine.leave_out(nodes)

    def begin(self, make_engine: Callable[[Stage, int], Engine]) -> Engine:
        """Make the engine of the first stage with instances that wait."""
        if not self.submission:
            number = next(number for number, queue in enumerate(self.queues) if queue)
            self.stage, self.submission.queue = self.stages[number], self.queues[number]
            if self.stage.level:  # how many need it was not known before
                self.stage = fitted(self.stage, len(self.submission.queue))
        self.engine = make_engine(self.stage, self._next_block)
        if self._left_out is not None:
            self.engine.leave_out(self._left_out)
        self.blocks_started = self.slots = 0
        self.idle_since = None
        return self.engine

    def end(self) -> list[BlockRecord]:
        """Stop the engine and return its blocks."""
        if self.engine is None:
            return []
        engine, self.engine = self.engine, None
        engine.stop()
        blocks = engine.blocks()
        self._next_block += len(blocks)
        return blocks


class EndsByLane(DriverObserver):
    """Tells the lane that handed an attempt over of its end; the others need not look."""

    def __init__(self) -> None:
        self._submissions: dict[int, Submission] = {}

    def serve(self, lane: Lane) -> None:
        """Know the queues of a lane."""
        self._submissions |= {id(queue): lane.submission for queue in lane.queues}

    def attempt_ended(self, attempt: InFlightAttempt, report: AttemptReport, instance: InstanceState) -> None:  # noqa: ARG002
        """Let the submission forget the attempt."""
        self._submissions[id(attempt.queue)].forget(attempt)


class AllPools:
    """The worker pools of several engines.

    Attributes
    ----------
    failed
        Engines that cannot go on, and why: the others do.
    """

    def __init__(self, engines: Sequence[Engine]) -> None:
        self._engines = engines
        self.failed: list[tuple[Engine, EngineError]] = []

    def drain_pool(self, pool: str) -> None:
        """Give a worker pool no more orders."""
        for engine in self._holding(pool):
            engine.drain_pool(pool)

    def exclude_node(self, pool: str, node: str) -> None:
        """Drain a node's worker pool, and request no more blocks with the node."""
        for engine in self._holding(pool):
            engine.exclude_node(pool, node)

    def queued_by_pool(self) -> dict[str, int]:
        """Return how many orders each connected worker pool holds."""
        return {pool: orders for engine in self._engines for pool, orders in engine.queued_by_pool().items()}

    def replace_pools(self, stalled: Mapping[str, str]) -> Collection[str]:
        """Replace stalled worker pools, each by its own engine; return those of engines that go on."""
        replaced: set[str] = set()
        for engine in self._engines:
            connected = engine.queued_by_pool()
            try:
                replaced.update(
                    engine.replace_pools({pool: why for pool, why in stalled.items() if pool in connected})
                )
            except EngineError as error:
                self.failed.append((engine, error))
        return replaced

    def _holding(self, pool: str) -> Sequence[Engine]:
        """Return the engine of a worker pool, or all where none has it any more."""
        return [one for one in self._engines if pool in one.queued_by_pool()] or self._engines
