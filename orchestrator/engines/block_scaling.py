"""Decide which blocks an engine requests, releases and drains. Pure: no clock, no I/O."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.schedulers.block_shape import BlockShape
from orchestrator.schedulers.model import Hole, JobState
from sites.quantities import shown


@dataclass(frozen=True, slots=True)
class PoolStatus:
    """One worker pool of a block.

    Parameters
    ----------
    orders
        Orders it holds, queued or running.
    drained
        Whether it gets no more orders, because its block is about to end or the pool was lost.
    stalled
        Whether it holds orders and starts none of them; these orders do not keep its block.
    """

    name: str
    orders: int = 0
    drained: bool = False
    stalled: bool = False


@dataclass(frozen=True, slots=True)
class BlockStatus:
    """One block that was requested; `pools` are those that have connected since, lost ones included."""

    name: str
    state: JobState
    released: bool = False
    pools: tuple[PoolStatus, ...] = ()


@dataclass(frozen=True, slots=True)
class ScalingLimits:
    """Limits of one stage's blocks.

    Parameters
    ----------
    slots_per_block
        Instances that one block runs at a time.
    max_blocks
        Blocks queued or running at a time.
    releasable
        Whether blocks can be given back; without a batch system they cannot.
    """

    slots_per_block: int
    max_blocks: int
    releasable: bool


@dataclass(frozen=True, slots=True)
class ShapedRequest:
    """A block to request; `hole` is the one that it is to fit, if it is."""

    shape: BlockShape
    hole: Hole | None = None

    def __str__(self) -> str:
        """Return it as people read it."""
        if self.hole is None:
            return str(self.shape)
        nodes = f"{self.hole.nodes} are free"
        return f"{self.shape}, as {nodes}{f' for {shown(self.hole.seconds)}' if self.hole.seconds else ''}"


@dataclass(frozen=True, slots=True)
class ScalingDecision:
    """Changes to make to the blocks now.

    Parameters
    ----------
    drain
        Ended blocks; their pools must get no more orders until their silence is noticed.
    request
        How many more blocks to request.
    shaped
        Its shape, where the engine may choose it.
    unaffordable
        Set when instances are left, no block is, and the budget pays for none.
    cancelled_by_others
        Set when instances are left and no block may be requested any more: the last block that was
        cancelled from outside.
    """

    drain: tuple[str, ...] = ()
    release: tuple[str, ...] = ()
    request: int = 0
    cancelled_by_others: str | None = None
    shaped: ShapedRequest | None = None
    unaffordable: bool = False


def decide(
    blocks: Sequence[BlockStatus], limits: ScalingLimits, *, left: int, now: float, next_request: float
) -> ScalingDecision:
    """Return what an engine should do so that its blocks fit the instances that are left.

    A block that was cancelled from outside is not replaced: whoever cancelled it wants fewer of them.

    Parameters
    ----------
    left
        Instances that have not finished.
    now, next_request
        Monotonic seconds; and the earliest time of the next request, later than `now` after failed blocks.
    """
    ended = tuple(block.name for block in blocks if block.state.ended)
    cancelled = cancelled_by_others(blocks)
    limit = max(0, limits.max_blocks - len(cancelled))
    if left and not limit and cancelled:
        return ScalingDecision(drain=ended, cancelled_by_others=cancelled[-1])
    wanted = min(limit, math.ceil(left / limits.slots_per_block))
    active = [block for block in blocks if not (block.state.ended or block.released)]
    release = _surplus(active, len(active) - wanted) if limits.releasable else []
    missing = max(0, wanted - len(active) + len(release))
    return ScalingDecision(
        drain=ended,
        release=tuple(release),
        request=missing if next_request <= now else 0,
    )


def _surplus(active: Sequence[BlockStatus], surplus: int) -> list[str]:
    """Return blocks to give back: drained ones in any case, else queued before idle ones."""
    # The batch system's answer may be older than the first sign of life of a pool.
    queued = [
        block.name for block in active if block.state in (JobState.QUEUED, JobState.HELD) and not block.pools
    ]
    chosen = queued[: max(0, surplus)]
    idle = [block for block in active if is_idle(block)]
    drained = [block.name for block in idle if is_drained(block)]
    others = [block.name for block in idle if block.name not in drained]
    return chosen + drained + others[: max(0, surplus - len(queued))]


def cancelled_by_others(blocks: Sequence[BlockStatus]) -> list[str]:
    """Return the blocks that were cancelled from outside: whoever did so wants fewer of them."""
    return [block.name for block in blocks if block.state is JobState.CANCELLED and not block.released]


def is_idle(block: BlockStatus) -> bool:
    """Return whether pools of a block have connected, and only stalled ones still hold orders."""
    return bool(block.pools) and not any(pool.orders for pool in block.pools if not pool.stalled)


def is_drained(block: BlockStatus) -> bool:
    """Return whether all pools of a block are drained, or one is stalled."""
    return all(pool.drained for pool in block.pools) or any(pool.stalled for pool in block.pools)
