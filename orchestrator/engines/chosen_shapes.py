"""The shapes in which an engine requested its blocks, where the site gives ranges."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from db.events import EventKind
from orchestrator.engines.base import UNLIMITED, Allowance, EngineMessage, ExpectedWork
from orchestrator.engines.block_scaling import BlockStatus, ScalingDecision, ShapedRequest
from orchestrator.engines.flexible_scaling import ShapedBlock, decide_shapes
from orchestrator.errors import BudgetTooSmallError
from orchestrator.planning.stage import Stage
from orchestrator.schedulers.block_shape import BlockRange, BlockShape
from orchestrator.schedulers.model import FreeNodes, JobState
from orchestrator.wording import number_words
from sites.quantities import shown

_REMEMBERED = 5  # starts of blocks, of which the slowest counts


class _Requested(NamedTuple):
    request: ShapedRequest
    seconds: float = 0.0
    job: str = ""


class ChosenShapes:
    """Remembers shapes, and chooses those of further blocks.

    Attributes
    ----------
    shapes
        The ranges.
    """

    def __init__(self, shapes: BlockRange, pool: str | None, before: BlockShape) -> None:
        self.shapes = shapes
        self._pool = pool
        self._before = _Requested(ShapedRequest(before))  # of blocks that were requested before this
        self._requests: dict[str, _Requested] = {}
        self._begun: dict[str, float] = {}  # when blocks were first seen with nodes
        self._joined: set[str] = set()  # blocks that have had their first worker pool, or ended
        self._startup: deque[float] = deque(maxlen=_REMEMBERED)

    @classmethod
    def of(
        cls, stage: Stage, before: ChosenShapes | None = None, nodes: int | None = None
    ) -> ChosenShapes | None:
        """Return what chooses the shapes of a stage; None where all blocks have one shape, and had before.

        Parameters
        ----------
        before
            What chose them so far, and goes on with the ranges of the stage.
        nodes
            Nodes of each block that was requested before, where nothing chose them; by default those of the
            stage.
        """
        shapes = stage.block_range
        if shapes is None:
            return None
        if before is None:
            had = BlockShape(nodes or shapes.most.nodes, shapes.most.walltime)
            varies = shapes.varies or had != shapes.most
            return cls(shapes, stage.site.pool, had) if varies else None
        before.shapes = shapes
        return before

    def asks_for_free_nodes(self, left: int, open_slots: int) -> bool:
        """Return whether the next decision depends on the nodes that are free."""
        return self.shapes.varies and self.shapes.max_blocks > 1 and left > open_slots

    def decide(
        self,
        statuses: Sequence[BlockStatus],
        *,
        left: int,
        expected: ExpectedWork | None,
        free_nodes: FreeNodes | None,
        now: float,
        next_request: float,
        allowance: Allowance = UNLIMITED,
    ) -> ScalingDecision:
        """Return what to do now; see `decide_shapes`.

        Parameters
        ----------
        free_nodes
            Last answer of the batch system; None if it gives none.
        """
        self._look_at_startup(statuses, now)
        behind = free_nodes.behind if free_nodes else {}
        blocks = [
            ShapedBlock(
                one,
                request.shape,
                requested,
                request.hole is not None,
                behind.get(job),
                self._begun.get(one.name, math.inf) + request.shape.walltime,
            )
            for one in statuses
            for request, requested, job in [self._requests.get(one.name, self._before)]
        ]
        return decide_shapes(
            blocks,
            self.shapes,
            left=left,
            expected=expected,
            holes=free_nodes.holes if free_nodes else None,
            now=now,
            next_request=next_request,
            startup=max(self._startup, default=0.0),
            allowance=allowance,
        )

    def _look_at_startup(self, statuses: Sequence[BlockStatus], now: float) -> None:
        """Learn how long blocks take from their start to their first worker pool, or to their end without."""
        for one in statuses:
            begun = self._begun.get(one.name)
            if one.pools or one.state.ended:
                learns = one.name not in self._joined and not (one.released and not one.pools)
                if begun is not None and learns:
                    self._startup.append(now - begun)
                self._joined.add(one.name)
            if begun is None and (one.pools or one.state is JobState.RUNNING):
                self._begun[one.name] = now

    def note(self, block: str, request: ShapedRequest, now: float, *, job: str, named: str) -> EngineMessage:
        """Remember the shape of a block that was requested, and return what to tell of it.

        Parameters
        ----------
        job
            Id of its job.
        named
            The block, in words.
        """
        self._requests[block] = _Requested(request, now, job)
        data = {
            "pool": self._pool,
            "block": block,
            "job": job,
            "nodes": request.shape.nodes,
            "walltime_seconds": request.shape.walltime,
        }
        return EngineMessage(EventKind.BLOCK_SHAPED, f"{named} is asked for with {request}", named, data)

    def shape(self, block: str) -> BlockShape:
        """Return nodes and walltime of a block; of a refused one, those of the largest."""
        return self._requests.get(block, self._before).request.shape

    def slots(self, block: str) -> int:
        """Return how many instances a block runs at a time."""
        return self.shapes.slots(self.shape(block).nodes)


def too_small(allowance: Allowance) -> BudgetTooSmallError:
    """Return the error for a budget of which too little is left."""
    hours = number_words(max(0.0, allowance.node_seconds) / 3600.0, 3)
    rest = [f"{hours} node-hours"] if math.isfinite(allowance.node_seconds) else []
    if math.isfinite(allowance.seconds):
        rest.append(shown(max(0.0, allowance.seconds)))
    return BudgetTooSmallError(
        f"the rest of the budget, {' and '.join(rest)}, pays for no block in which an instance fits"
    )
