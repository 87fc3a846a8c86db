"""Decide which blocks an engine requests and releases, and their shapes. Pure: no clock, no I/O.

*Full blocks* hold together all that is left, as blocks of one shape do, and keep their age in the queue.
While instances have no slot, one further block at a time is asked for in a shape that fits a *hole*: nodes
that are free now. The last block that the site allows is kept for that while full blocks wait.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from orchestrator.engines.base import UNLIMITED, Allowance, ExpectedWork
from orchestrator.engines.block_scaling import (
    BlockStatus,
    ScalingDecision,
    ShapedRequest,
    cancelled_by_others,
    is_drained,
    is_idle,
)
from orchestrator.planning.placement import BLOCK_OVERHEAD_SECONDS
from orchestrator.schedulers.block_shape import BlockRange, BlockShape
from orchestrator.schedulers.model import Hole, JobState

PATIENCE_SECONDS = 180.0
"""How long a block waits for a hole before it is given back; backfill passes may be that far apart."""
# Guesses, with which `python -m tests.bench.shapes` was run.
_MARGIN = 1.25  # of walltimes, for instances that take longer than expected
# Of the longest, for the last to start, as a few take several times as long. The longest walltime of all does
# as well, but a budget has to pay for it.
_LONGEST = 5.0
_SURE = 1.15  # of the shortest, in holes: with 1 their ends cut off many that took a bit longer than expected
_START_SECONDS = 60.0  # of walltimes, for the start of a block's worker pools
_MINUTE = 60.0
_ROUNDS = 2  # of instances in the widest block that a small budget pays for, and time for slow ones; a guess
_SPARED_SECONDS = 600.0  # before the end of a block in a hole, in which an idle full block is kept
_REVISED = 0.25  # of the nodes or walltime of a full block, or four times its nodes: it is asked for anew
_QUICK_TRIES = 4  # for holes, after which the next is later
_LATER_SECONDS = 5 * PATIENCE_SECONDS
# Of the time that full blocks have waited, the longest walltime in a hole with fewer nodes. By that bench, on
# a machine with fair share such a block delayed a full block that was next by more than it did of its work:
# with 0.45 there, 6 campaigns of 100 took more than 1.1 times as long as with one shape, with 0.15 one.
_SHARE = 0.45
_SHARE_NEXT = 0.15  # the same where no job of others is known to start before the full block
_SHARE_BEHIND = 0.7  # of the time until a full block behind other jobs is expected to start


@dataclass(frozen=True, slots=True)
class ShapedBlock:
    """A block that was requested in a shape of its own.

    Parameters
    ----------
    requested
        When, in monotonic seconds.
    for_hole
        Whether it was asked for to fit a hole.
    wait
        Seconds until it is expected to start, if it is known to wait behind jobs of others.
    end
        When its walltime ends, in monotonic seconds, if it has nodes.
    """

    status: BlockStatus
    shape: BlockShape
    requested: float
    for_hole: bool = False
    wait: float | None = None
    end: float = math.inf

    @property
    def name(self) -> str:
        """Name of the block."""
        return self.status.name

    @property
    def is_active(self) -> bool:
        """True while it may hold nodes, now or later."""
        return not (self.status.state.ended or self.status.released)

    @property
    def is_queued(self) -> bool:
        """True while it waits; the first sign of life of a pool is newer than the batch system's answer."""
        return self.status.state in (JobState.QUEUED, JobState.HELD) and not self.status.pools


def decide_shapes(
    blocks: Sequence[ShapedBlock],
    shapes: BlockRange,
    *,
    left: int,
    expected: ExpectedWork | None,
    holes: Sequence[Hole] | None,
    now: float,
    next_request: float,
    startup: float = 0.0,
    allowance: Allowance = UNLIMITED,
) -> ScalingDecision:
    """Return what an engine should do so that its blocks fit the instances that are left.

    Parameters
    ----------
    blocks
        All that were requested, in this order.
    left, now, next_request
        As `block_scaling.decide` takes them.
    expected
        How long the instances take; None if that is not known, and every walltime is the longest then.
    holes
        Nodes that are free now, by the last answer of the batch system; None if it gives none.
    startup
        Seconds that blocks took from their start to their first worker pool.
    allowance
        What the budget leaves for further blocks.
    """
    drain = tuple(one.name for one in blocks if one.status.state.ended)
    statuses = [one.status for one in blocks]
    cancelled = cancelled_by_others(statuses)
    limit = max(0, shapes.max_blocks - len(cancelled))
    if left and not limit and cancelled:
        return ScalingDecision(drain=drain, cancelled_by_others=cancelled[-1])
    active = [one for one in blocks if one.is_active]
    queued = [one for one in active if one.is_queued]
    running = [one for one in active if not one.is_queued]
    slots = {one.name: shapes.slots(one.shape.nodes) for one in active}
    release = _idle_blocks(running, slots, left, now)
    open_slots = sum(
        slots[one.name]
        for one in running
        if one.name not in release and not (one.status.pools and is_drained(one.status))
    )
    missing = max(0, left - open_slots)
    need = _Need(shapes, missing, left, expected, startup, allowance)
    # A block in a hole may end before the last of its instances, whose place in the queue would be lost.
    cut_off = any(one.for_hole and one.name not in release for one in running)
    kept = _kept_queued([one for one in queued if not one.for_hole], slots, missing or int(cut_off))
    if (
        missing
        and len(kept) == 1
        and now - kept[0].requested >= PATIENCE_SECONDS
        and need.differs_much(kept[0])
    ):
        kept = []
    for_holes = [one for one in queued if one.for_hole and missing and now - one.requested < PATIENCE_SECONDS]
    given_back = [one for one in queued if one not in kept and one not in for_holes]
    release += [one.name for one in given_back]
    if not missing or next_request > now:
        return ScalingDecision(drain, tuple(release))
    need = need.without(given_back)
    if (full_shape := need.full_shape) is None:
        return ScalingDecision(drain, tuple(release), unaffordable=len(release) == len(active))
    room = limit - len(active) + len(release)
    full = len(kept) + sum(not one.for_hole for one in running if one.name not in release)
    more = sum(slots[one.name] for one in kept) < missing and full < min(limit, shapes.full_blocks)
    kept_for_holes = 1 if shapes.varies and kept and holes is not None else 0
    failed = _failed_tries(blocks)
    request = None
    if more and room > kept_for_holes:
        request = ShapedRequest(full_shape)
    elif room > 0 and not for_holes and now >= _next_try(failed):
        narrow = _longest_beside(kept, now)
        request = _for_a_hole(need, full_shape.nodes, holes or (), narrow, len(failed))
    return ScalingDecision(drain, tuple(release), int(request is not None), shaped=request)


@dataclass(frozen=True, slots=True)
class _Need:
    """Instances that have no slot, and how long blocks must be for them; see `decide_shapes`."""

    shapes: BlockRange
    missing: int
    left: int
    expected: ExpectedWork | None
    startup: float
    allowance: Allowance

    @property
    def full_shape(self) -> BlockShape | None:
        """Shape of a block that holds all of them, or as many as it can and the budget pays for.

        None where the budget pays for no block in which one of them fits.
        """
        least, most = self.shapes.least.nodes, self.shapes.nodes_for(self.missing)
        some = self.shapes.least.walltime if self.expected is None else self.shortest
        several = min(self._several, max(some, _at_most(math.inf, self.allowance.seconds)))
        for nodes in range(most, least - 1, -1):
            if least < nodes < most and self.shapes.usable(nodes) < nodes:
                continue  # instances of several nodes leave some of these idle
            walltime = self.walltime(nodes)
            if (paid := self.paid(nodes, walltime)) >= min(walltime, several):
                return BlockShape(nodes, paid)
        walltime = self.walltime(least)
        paid = self.paid(least, walltime)
        return BlockShape(least, paid) if paid >= min(walltime, some) else None

    @property
    def _several(self) -> float:
        """Walltime for some of the longest instances, one after another."""
        if self.expected is None:
            return self.shapes.least.walltime
        seconds = self._seconds((_ROUNDS - 1) * self.expected.longest, self.expected.longest)
        return max(self.shapes.least.walltime, seconds)

    def _seconds(self, work: float, longest: float) -> float:
        """Return the walltime for work before the last instance, which may be the longest."""
        return _MARGIN * (work + self.startup) + _LONGEST * longest + _START_SECONDS

    def paid(self, nodes: int, walltime: float) -> float:
        """Return a walltime of so many nodes, or as much of it as the budget pays for, in whole minutes."""
        return _at_most(walltime, min(self.allowance.seconds, self.allowance.node_seconds / nodes))

    def without(self, blocks: Sequence[ShapedBlock]) -> _Need:
        """Return the same once blocks that wait are given back: the budget need not pay for them."""
        saved = sum(one.shape.node_seconds for one in blocks)
        return replace(
            self, allowance=replace(self.allowance, node_seconds=self.allowance.node_seconds + saved)
        )

    @property
    def shortest(self) -> float:
        """Walltime below which a block would start none of them."""
        if self.expected is None:
            return self.shapes.most.walltime
        least = self.expected.shortest + self.startup + BLOCK_OVERHEAD_SECONDS
        return max(self.shapes.least.walltime, least)

    @property
    def shortest_in_hole(self) -> float:
        """Walltime below which the end of a block in a hole would cut off most of them."""
        if self.expected is None:
            return self.shortest
        return max(self.shortest, _SURE * self.expected.shortest + self.startup + BLOCK_OVERHEAD_SECONDS)

    def walltime(self, nodes: int) -> float:
        """Return the walltime in which a block alone ends them: when others start is not known."""
        expected, most = self.expected, self.shapes.most.walltime
        if expected is None or not self.left:
            return most
        work = expected.seconds / self.left * self.missing / max(1, self.shapes.slots(nodes))
        seconds = self._seconds(work, expected.longest)
        return min(most, max(self.shapes.least.walltime, -(-seconds // _MINUTE) * _MINUTE))

    def differs_much(self, block: ShapedBlock) -> bool:
        """Return whether a full block that waits is far too large, far too narrow, or too short."""
        shape, wanted = block.shape, self.without([block]).full_shape
        if wanted is None:
            return True
        nodes, walltime = wanted.nodes / shape.nodes, wanted.walltime / shape.walltime
        misses_longest = False
        if self.expected is not None:
            longest = self.expected.longest + self.startup + BLOCK_OVERHEAD_SECONDS
            misses_longest = shape.walltime < min(wanted.walltime, longest)
        return misses_longest or min(nodes, walltime) <= _REVISED or nodes >= 1 / _REVISED


def _at_most(walltime: float, seconds: float) -> float:
    """Return a walltime, or the whole minutes of a shorter time."""
    return walltime if walltime <= seconds else seconds // _MINUTE * _MINUTE


def _idle_blocks(running: Sequence[ShapedBlock], slots: dict[str, int], left: int, now: float) -> list[str]:
    """Return idle blocks to give back: those that get no more orders, and those that nothing needs.

    While a block in a hole is about to end and may cut instances off, a full block that could run these is
    kept.
    """
    release = [one.name for one in running if is_idle(one.status) and is_drained(one.status)]
    kept = sum(slots[one.name] for one in running if one.name not in release)
    cuts_off = any(
        one.for_hole and one.end - now < _SPARED_SECONDS and not is_idle(one.status) for one in running
    )
    for one in running:
        if one.name not in release and is_idle(one.status) and kept - slots[one.name] >= left:
            if cuts_off and not one.for_hole:
                cuts_off = False
                continue
            kept -= slots[one.name]
            release.append(one.name)
    return release


def _kept_queued(full: Sequence[ShapedBlock], slots: dict[str, int], missing: int) -> list[ShapedBlock]:
    """Return the full blocks that go on waiting: the oldest blocks that hold what has no slot."""
    kept: list[ShapedBlock] = []
    held = 0
    for one in full:
        if held < missing:
            kept.append(one)
            held += slots[one.name]
    return kept


def _longest_beside(full: Sequence[ShapedBlock], now: float) -> float:
    """Return the longest walltime of a block with fewer nodes than the full blocks that wait.

    It delays a full block by more than it does of its work, if that could start soon: the longer full blocks
    have waited and will, the longer it may be. A job at the front of the queue often starts long before it is
    expected to, as others end before their walltimes.
    """
    if not full:
        return math.inf
    waited = max(now - one.requested for one in full)
    if full[0].wait is None:
        return _SHARE_NEXT * waited
    return max(_SHARE * waited, _SHARE_BEHIND * full[0].wait)


def _for_a_hole(
    need: _Need, full: int, holes: Sequence[Hole], narrow: float, failed: int
) -> ShapedRequest | None:
    """Return the request that gets most node-seconds out of a hole; None where nothing fits.

    Where the length of a hole is not known, each try that fails is followed by one of half its walltime.

    Parameters
    ----------
    full
        Nodes of a full block.
    narrow
        Longest walltime of a block with fewer nodes than a full block.
    failed
        How many tries have failed since the last that did not.
    """
    found: list[ShapedRequest] = []
    shapes = need.shapes
    for hole in holes:
        if hole.nodes < shapes.least.nodes:
            continue
        nodes = max(shapes.usable(min(hole.nodes, full)), shapes.least.nodes)
        walltime = need.paid(nodes, need.walltime(nodes))
        if nodes < full and narrow < walltime:
            walltime = narrow // _MINUTE * _MINUTE
        if hole.seconds is not None:
            walltime = min(walltime, hole.seconds // _MINUTE * _MINUTE)
        elif failed:
            walltime = min(walltime, max(need.shortest_in_hole, math.ldexp(walltime, -failed)))
        if walltime >= need.shortest_in_hole:
            found.append(ShapedRequest(BlockShape(nodes, walltime), hole))
    return max(found, key=lambda one: one.shape.nodes * one.shape.walltime, default=None)


def _failed_tries(blocks: Sequence[ShapedBlock]) -> list[ShapedBlock]:
    """Return the last blocks for holes that were given back before they had nodes."""
    failed: list[ShapedBlock] = []
    for one in reversed([one for one in blocks if one.for_hole]):
        if not one.status.released or one.status.pools:
            break
        failed.append(one)
    return failed


def _next_try(failed: Sequence[ShapedBlock]) -> float:
    """Return from when on the next block for a hole may be requested: later after many that never started."""
    return -math.inf if len(failed) < _QUICK_TRIES else failed[0].requested + _LATER_SECONDS
