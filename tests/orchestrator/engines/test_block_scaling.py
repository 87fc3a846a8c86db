"""Which blocks are requested, released and drained."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.engines.block_scaling import (
    BlockStatus,
    PoolStatus,
    ScalingDecision,
    ScalingLimits,
    decide,
)
from orchestrator.schedulers.model import JobState

LIMITS = ScalingLimits(slots_per_block=4, max_blocks=3, releasable=True)
IDLE = (PoolStatus("p"),)
BUSY = (PoolStatus("p", orders=2),)


def block(name: str, state: JobState = JobState.RUNNING, pools: tuple[PoolStatus, ...] = BUSY) -> BlockStatus:
    return BlockStatus(name, state, pools=pools)


def queued(name: str, state: JobState = JobState.QUEUED) -> BlockStatus:
    return block(name, state, ())


def scaled(*blocks: BlockStatus, left: int, limits: ScalingLimits = LIMITS) -> ScalingDecision:
    return decide(blocks, limits, left=left, now=0.0, next_request=0.0)


def test_one_block_at_a_time_is_requested_up_to_the_limit() -> None:
    assert scaled(left=1) == ScalingDecision(request=True)
    assert not scaled(block("0"), left=4).request
    assert scaled(block("0"), left=5).request
    assert scaled(block("0"), queued("1"), left=100).request
    assert not scaled(block("0"), queued("1"), queued("2"), left=100).request
    assert scaled(left=0) == ScalingDecision()


def test_no_block_is_requested_while_failed_ones_are_backed_off_from() -> None:
    assert not decide([], LIMITS, left=1, now=9.9, next_request=10.0).request
    assert decide([], LIMITS, left=1, now=10.0, next_request=10.0).request


@pytest.mark.parametrize("state", [JobState.QUEUED, JobState.HELD])
def test_queued_blocks_are_released_before_idle_ones(state: JobState) -> None:
    blocks = [block("0", pools=IDLE), queued("1", state), block("2", pools=IDLE)]
    assert scaled(*blocks, left=8).release == ("1",)
    assert scaled(*blocks, left=4).release == ("1", "0")
    assert scaled(*blocks, left=0).release == ("1", "0", "2")


def test_a_block_whose_pools_connected_counts_as_running_whatever_the_scheduler_last_said() -> None:
    assert scaled(block("0", JobState.QUEUED, BUSY), left=0).release == ()
    assert scaled(block("0", JobState.QUEUED, IDLE), left=0).release == ("0",)


def test_a_drained_idle_block_is_released_and_replaced() -> None:
    drained = PoolStatus("p", drained=True)
    decision = scaled(block("0", pools=(drained,)), left=4)
    assert decision.release == ("0",)
    assert decision.request
    assert scaled(block("0", pools=(drained, PoolStatus("q"))), left=4).release == ()
    assert scaled(block("0", pools=(replace(drained, orders=1),)), left=4).release == ()


def test_a_stalled_pools_orders_do_not_keep_its_block() -> None:
    stalled = PoolStatus("p", orders=3, drained=True, stalled=True)
    assert scaled(block("0", pools=(stalled, PoolStatus("q"))), left=9).release == ("0",)
    assert scaled(block("0", pools=(stalled, PoolStatus("q", orders=1))), left=9).release == ()


def test_a_released_block_counts_neither_as_active_nor_as_cancelled_from_outside() -> None:
    leaving = replace(block("0", pools=IDLE), released=True)
    assert scaled(leaving, left=4) == ScalingDecision(request=True)
    gone = replace(queued("0", JobState.CANCELLED), released=True)
    assert scaled(gone, left=4) == ScalingDecision(drain=("0",), request=True)


def test_a_block_that_was_cancelled_from_outside_is_not_replaced() -> None:
    gone = [queued(str(number), JobState.CANCELLED) for number in range(3)]
    assert not scaled(gone[0], block("1"), block("2"), left=100).request
    assert scaled(gone[0], block("1"), left=100).request
    assert scaled(*gone, left=1) == ScalingDecision(drain=("0", "1", "2"), cancelled_by_others="2")
    assert scaled(*gone, left=0) == ScalingDecision(drain=("0", "1", "2"))


def test_without_a_batch_system_nothing_is_released() -> None:
    limits = ScalingLimits(slots_per_block=4, max_blocks=1, releasable=False)
    assert scaled(block("0", pools=IDLE), left=0, limits=limits) == ScalingDecision()
    assert scaled(block("0", JobState.COMPLETED), left=1, limits=limits).request


POOLS = st.builds(PoolStatus, st.sampled_from("pqr"), st.integers(0, 2), st.booleans(), st.booleans())
BLOCKS = st.lists(
    st.builds(
        BlockStatus, st.just(""), st.sampled_from(JobState), st.booleans(), st.tuples(POOLS) | st.just(())
    ),
    max_size=6,
).map(lambda blocks: [replace(one, name=str(number)) for number, one in enumerate(blocks)])


@given(
    BLOCKS,
    st.builds(ScalingLimits, st.integers(1, 5), st.integers(1, 4), st.booleans()),
    st.integers(0, 30),
    st.sampled_from([-1.0, 0.0, 1.0]),
)
def test_decisions_keep_to_the_limits(
    blocks: list[BlockStatus], limits: ScalingLimits, left: int, next_request: float
) -> None:
    decision = decide(blocks, limits, left=left, now=0.0, next_request=next_request)
    active = {one.name: one for one in blocks if not (one.state.ended or one.released)}
    assert set(decision.drain) == {one.name for one in blocks if one.state.ended}
    assert len(set(decision.release)) == len(decision.release)
    assert set(decision.release) <= set(active)
    for name in decision.release:
        assert limits.releasable
        assert not any(pool.orders for pool in active[name].pools if not pool.stalled)
    if decision.request:
        kept = len(active) - len(decision.release)
        assert kept < limits.max_blocks
        assert kept * limits.slots_per_block < left
        assert next_request <= 0.0
    if decision.cancelled_by_others is not None:
        assert left
        assert not decision.request


@given(BLOCKS, st.integers(0, 30))
def test_a_decision_that_was_carried_out_is_not_made_again(blocks: list[BlockStatus], left: int) -> None:
    first = scaled(*blocks, left=left)
    after = [replace(one, released=one.released or one.name in first.release) for one in blocks]
    assert scaled(*after, left=left).release == ()
