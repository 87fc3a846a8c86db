"""The shapes in which an engine requested its blocks, where the site gives ranges."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from db.events import EventKind
from orchestrator.engines.base import EngineMessage, ExpectedWork
from orchestrator.engines.block_scaling import BlockStatus, ScalingDecision, ShapedRequest
from orchestrator.engines.flexible_scaling import ShapedBlock, decide_shapes
from orchestrator.planning.stage import Stage
from orchestrator.schedulers.block_shape import BlockRange
from orchestrator.schedulers.model import Hole, JobState

_REMEMBERED = 5  # starts of blocks, of which the slowest counts


class ChosenShapes:
    """Remembers shapes, and chooses those of further blocks.

    Attributes
    ----------
    shapes
        The ranges.
    """

    def __init__(self, shapes: BlockRange) -> None:
        self.shapes = shapes
        self._before = ShapedRequest(shapes.most), 0.0  # of blocks that were requested before this
        self._requests: dict[str, tuple[ShapedRequest, float]] = {}
        self._begun: dict[str, float | None] = {}  # None once a block has had its first worker pool, or ended
        self._startup: deque[float] = deque(maxlen=_REMEMBERED)

    @classmethod
    def of(cls, stage: Stage, before: ChosenShapes | None = None) -> ChosenShapes | None:
        """Return what chooses the shapes of a stage; None where all blocks have one shape, and had before.

        Parameters
        ----------
        before
            What chose them so far, and goes on with the ranges of the stage.
        """
        shapes = stage.block_range
        if shapes is None or (before is None and not shapes.varies):
            return None
        if before is None:
            return cls(shapes)
        before.shapes = shapes
        return before

    def decide(
        self,
        statuses: Sequence[BlockStatus],
        *,
        left: int,
        expected: ExpectedWork | None,
        holes: Sequence[Hole] | None,
        now: float,
        next_request: float,
    ) -> ScalingDecision:
        """Return what to do now; see `decide_shapes`."""
        self._look_at_startup(statuses, now)
        blocks = [
            ShapedBlock(one, request.shape, requested, request.hole is not None)
            for one in statuses
            for request, requested in [self._requests.get(one.name, self._before)]
        ]
        return decide_shapes(
            blocks,
            self.shapes,
            left=left,
            expected=expected,
            holes=holes,
            now=now,
            next_request=next_request,
            startup=max(self._startup, default=0.0),
        )

    def _look_at_startup(self, statuses: Sequence[BlockStatus], now: float) -> None:
        """Learn how long blocks take from their start to their first worker pool, or to their end without."""
        for one in statuses:
            begun = self._begun.get(one.name)
            if one.pools or one.state.ended:
                if begun is not None and not (one.released and not one.pools):
                    self._startup.append(now - begun)
                self._begun[one.name] = None
            elif one.state is JobState.RUNNING and one.name not in self._begun:
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
        self._requests[block] = request, now
        data = {
            "block": block,
            "job": job,
            "nodes": request.shape.nodes,
            "walltime_seconds": request.shape.walltime,
        }
        return EngineMessage(EventKind.BLOCK_SHAPED, f"{named} is asked for with {request}", named, data)

    def nodes(self, block: str) -> int:
        """Return the nodes of a block; of a refused one, those of the largest."""
        return self._requests.get(block, self._before)[0].shape.nodes

    def slots(self, block: str) -> int:
        """Return how many instances a block runs at a time."""
        return self.shapes.slots(self.nodes(block))
