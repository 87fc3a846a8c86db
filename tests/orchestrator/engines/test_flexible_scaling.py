"""Shapes of blocks that are chosen by what is left and by nodes that are free."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.engines.base import UNLIMITED, Allowance, ExpectedWork
from orchestrator.engines.block_scaling import BlockStatus, PoolStatus, ScalingDecision
from orchestrator.engines.flexible_scaling import PATIENCE_SECONDS, ShapedBlock, decide_shapes
from orchestrator.schedulers.block_shape import BlockRange, BlockShape
from orchestrator.schedulers.model import Hole, JobState

SHAPES = BlockRange(
    most=BlockShape(16, 36000.0),
    least=BlockShape(2, 600.0),
    slots_per_node=Fraction(4),
    full_blocks=2,
    max_blocks=3,
)
WORK = ExpectedWork(64 * 600.0, 600.0, 600.0)
BUSY = (PoolStatus("p", orders=1),)
FULL = BlockShape(16, 36000.0)


def block(
    name: str,
    shape: BlockShape = FULL,
    state: JobState = JobState.QUEUED,
    pools: tuple[PoolStatus, ...] = (),
    requested: float = 0.0,
    for_hole: bool = False,
    released: bool = False,
    wait: float | None = None,
) -> ShapedBlock:
    return ShapedBlock(BlockStatus(name, state, released, pools), shape, requested, for_hole, wait)


def running(name: str, shape: BlockShape = FULL, pools: tuple[PoolStatus, ...] = BUSY) -> ShapedBlock:
    return block(name, shape, JobState.RUNNING, pools)


def decided(
    *blocks: ShapedBlock,
    left: int,
    expected: ExpectedWork | None = WORK,
    holes: tuple[Hole, ...] | None = (),
    now: float = 0.0,
    shapes: BlockRange = SHAPES,
    startup: float = 0.0,
    allowance: Allowance = UNLIMITED,
) -> ScalingDecision:
    return decide_shapes(
        blocks,
        shapes,
        left=left,
        expected=expected,
        holes=holes,
        now=now,
        next_request=0.0,
        startup=startup,
        allowance=allowance,
    )


def shape(decision: ScalingDecision) -> BlockShape:
    assert decision.shaped is not None
    return decision.shaped.shape


@pytest.mark.parametrize(
    ("left", "expected", "wanted"),
    [
        # 64 instances of 10 min on 64 slots: 10 min and a quarter more, 50 min for slow ones, a minute more.
        (64, WORK, BlockShape(16, 3840.0)),
        (8, replace(WORK, seconds=8 * 600.0), BlockShape(2, 3840.0)),
        (1, replace(WORK, seconds=60.0, longest=60.0), BlockShape(2, 600.0)),
        (64, None, BlockShape(16, 36000.0)),
        (9000, replace(WORK, seconds=9000 * 600.0), BlockShape(16, 36000.0)),
    ],
)
def test_a_full_block_is_as_large_and_as_long_as_what_is_left(
    left: int, expected: ExpectedWork | None, wanted: BlockShape
) -> None:
    assert shape(decided(left=left, expected=expected)) == wanted


def test_no_more_full_blocks_than_hold_what_is_left() -> None:
    one = block("0", BlockShape(16, 3840.0))
    assert decided(one, left=64).shaped is None
    assert shape(decided(one, left=65)).nodes == 16
    assert decided(one, block("1", BlockShape(16, 3840.0)), left=1000).release == ()
    assert decided(one, block("1", BlockShape(16, 3840.0)), left=1000).shaped is None
    assert decided(one, block("1", BlockShape(16, 3840.0)), left=64).release == ("1",)
    assert decided(running("0"), running("1"), left=64, expected=None).shaped is None


@pytest.mark.parametrize(
    ("hole", "wanted"),
    [
        (Hole(12, 1859.0), BlockShape(12, 1800.0)),
        (Hole(12, 9000.0), BlockShape(12, 4080.0)),
        (Hole(99, 999999.0), BlockShape(16, 3840.0)),
        (Hole(9, None), BlockShape(9, 4440.0)),
        (Hole(1, 1800.0), None),
        (Hole(12, 599.0), None),
        (Hole(12, 719.0), None),  # too short for an instance that is a bit slow, and the start of its block
    ],
)
def test_a_block_is_asked_for_that_fits_the_nodes_which_are_free(
    hole: Hole, wanted: BlockShape | None
) -> None:
    found = decided(block("0", BlockShape(16, 3840.0)), left=64, holes=(hole,), now=29700.0)
    assert found.release == ()
    assert (found.shaped and found.shaped.shape) == wanted


def test_blocks_in_narrow_holes_are_the_longer_the_longer_the_full_block_has_waited() -> None:
    full, hole = block("0", BlockShape(16, 3840.0)), (Hole(4, None),)
    assert decided(full, left=64, holes=hole, now=4799.0).shaped is None  # 12 min are needed
    assert shape(decided(full, left=64, holes=hole, now=12000.0)) == BlockShape(4, 1800.0)
    assert shape(decided(full, left=64, holes=hole, now=1e5)) == BlockShape(4, 6060.0)


@pytest.mark.parametrize(
    ("wait", "wanted"),
    [(None, None), (900.0, None), (2000.0, BlockShape(4, 1380.0)), (1e5, BlockShape(4, 6060.0))],
)
def test_a_narrow_block_may_last_for_much_of_the_time_that_others_go_first(
    wait: float | None, wanted: BlockShape | None
) -> None:
    full = block("0", BlockShape(16, 3840.0), wait=wait)
    found = decided(full, left=64, holes=(Hole(4, None),), now=60.0)
    assert (found.shaped and found.shaped.shape) == wanted


def test_a_full_block_waits_on_while_a_hole_may_cut_an_instance_off() -> None:
    full = block("0", BlockShape(2, 3840.0))
    hole = block("1", BlockShape(2, 660.0), JobState.RUNNING, BUSY, for_hole=True)
    assert decided(full, hole, left=8, now=27000.0) == ScalingDecision()
    assert decided(full, running("1", BlockShape(2, 3840.0)), left=8).release == ("0",)
    assert decided(full, block("2", BlockShape(2, 3840.0)), hole, left=8, now=27000.0).release == ("2",)
    assert decided(full, left=0).release == ("0",)


def test_the_hole_with_most_node_seconds_is_taken() -> None:
    holes = (Hole(8, 1200.0), Hole(14, 700.0), Hole(12, 900.0))
    assert shape(
        decided(block("0", BlockShape(16, 3840.0)), left=64, holes=holes, now=27000.0)
    ) == BlockShape(12, 900.0)


def test_one_hole_at_a_time_and_none_while_all_have_a_slot() -> None:
    full, hole = block("0", BlockShape(16, 3840.0)), (Hole(8, None),)
    waiting = block("1", BlockShape(8, 1200.0), for_hole=True)
    assert decided(full, waiting, left=64, holes=hole).shaped is None
    assert decided(running("0"), left=64, holes=hole).shaped is None
    assert decided(running("0"), waiting, left=64, holes=hole).release == ("1",)


def test_a_block_that_finds_no_hole_is_given_back_and_the_next_is_shorter() -> None:
    full, hole = block("0", BlockShape(16, 3840.0)), (Hole(8, None),)
    tried: list[ShapedBlock] = []
    walltimes = []
    now = 36000.0
    for number in range(1, 6):
        found = decided(full, *tried, left=64, holes=hole, now=now)
        walltimes.append(shape(found).walltime)
        waiting = block(str(number), shape(found), requested=now, for_hole=True)
        assert decided(full, *tried, waiting, left=64, now=now + PATIENCE_SECONDS - 1).release == ()
        now += PATIENCE_SECONDS
        assert decided(full, *tried, waiting, left=64, now=now).release == (str(number),)
        tried.append(
            replace(waiting, status=replace(waiting.status, state=JobState.CANCELLED, released=True))
        )
        if number >= 4:
            assert decided(full, *tried, left=64, holes=hole, now=now).shaped is None
            now += 4 * PATIENCE_SECONDS
    assert walltimes == [4560.0, 2280.0, 1140.0, 710.0, 710.0]
    started = block("6", BlockShape(8, 710.0), JobState.COMPLETED, BUSY, now, for_hole=True)
    assert shape(decided(full, *tried, started, left=64, holes=hole, now=now)).walltime == 4560.0


def test_the_last_block_that_the_site_allows_is_kept_for_holes_while_others_wait() -> None:
    shapes = replace(SHAPES, full_blocks=3)
    many = replace(WORK, seconds=9000 * 600.0)
    hole = (Hole(8, 3600.0),)
    waiting = (block("0"), block("1"))
    assert decided(*waiting, left=9000, expected=many, shapes=shapes).shaped is None
    found = decided(*waiting, left=9000, expected=many, shapes=shapes, holes=hole, now=27000.0)
    assert shape(found).nodes == 8
    served = (running("0"), running("1"))
    assert shape(decided(*served, left=9000, expected=many, shapes=shapes, holes=hole)).nodes == 16
    alone = replace(SHAPES, max_blocks=1, full_blocks=1)
    assert shape(decided(left=9000, expected=many, holes=hole, shapes=alone)).nodes == 16
    assert decided(block("0"), left=9000, expected=many, holes=hole, shapes=alone) == ScalingDecision()


def test_a_full_block_of_which_little_is_needed_by_now_is_asked_for_anew() -> None:
    full = block("0", BlockShape(16, 3840.0))
    assert decided(full, left=20, now=PATIENCE_SECONDS).release == ()
    assert decided(full, left=16, now=PATIENCE_SECONDS - 1).release == ()
    found = decided(full, left=16, now=PATIENCE_SECONDS)
    assert found.release == ("0",)
    assert shape(found).nodes == 4
    served = decided(full, running("1", BlockShape(8, 3840.0)), left=32)
    assert (served.release, served.shaped) == (("0",), None)


def test_a_full_block_that_can_no_more_do_what_is_left_is_asked_for_anew() -> None:
    alone = replace(SHAPES, max_blocks=1, full_blocks=1)
    long = ExpectedWork(64 * 36000.0, 36000.0, 36000.0)
    narrow, short = block("0", BlockShape(4, 3840.0)), block("0", BlockShape(16, 3840.0))
    assert decided(narrow, left=60, now=PATIENCE_SECONDS, shapes=alone).release == ()
    assert decided(narrow, left=64, now=PATIENCE_SECONDS, shapes=alone).release == ("0",)
    assert decided(short, left=64, now=PATIENCE_SECONDS, shapes=alone).release == ()
    found = decided(short, left=64, expected=long, now=PATIENCE_SECONDS, shapes=alone)
    assert (found.release, shape(found).walltime) == (("0",), 36000.0)


def test_the_last_block_is_not_kept_for_holes_that_the_batch_system_does_not_tell() -> None:
    many = replace(WORK, seconds=9000 * 600.0)
    two = replace(SHAPES, max_blocks=2)
    assert decided(block("0"), left=9000, expected=many, shapes=two).shaped is None
    assert shape(decided(block("0"), left=9000, expected=many, holes=None, shapes=two)).nodes == 16


def test_walltimes_include_how_long_blocks_took_to_start() -> None:
    assert shape(decided(left=64, startup=300.0)).walltime == 4200.0
    full = block("0", BlockShape(16, 4200.0))
    short, fits = (
        decided(full, left=64, holes=(Hole(12, seconds),), startup=300.0, now=27000.0)
        for seconds in (1019.0, 1020.0)
    )
    assert short.shaped is None
    assert shape(fits).walltime == 1020.0


def test_very_many_failed_tries_for_holes_are_no_error() -> None:
    gone = [
        replace(one, status=replace(one.status, state=JobState.CANCELLED, released=True))
        for one in (block(str(number), BlockShape(4, 710.0), for_hole=True) for number in range(1, 2000))
    ]
    found = decided(block("0", BlockShape(16, 3840.0)), *gone, left=64, holes=(Hole(4, None),), now=1e6)
    assert shape(found).walltime == 710.0


@pytest.mark.parametrize(
    ("node_seconds", "wanted"),
    [
        (16 * 3840.0, BlockShape(16, 3840.0)),
        (16 * 3840.0 - 1, BlockShape(15, 3900.0)),
        (16 * 1000.0, BlockShape(4, 3960.0)),  # for an instance after another, and slow ones
        (4 * 3840.0, BlockShape(4, 3840.0)),
        (2 * 900.0, BlockShape(2, 900.0)),
        (2 * 619.0, None),  # an instance and the start of its block may take longer
        (-5.0, None),
    ],
)
def test_a_block_costs_no_more_than_the_budget_leaves(node_seconds: float, wanted: BlockShape | None) -> None:
    found = decided(left=64, allowance=Allowance(node_seconds))
    assert (found.shaped and found.shaped.shape) == wanted
    assert found.unaffordable == (wanted is None)


def test_a_block_ends_before_the_budget_does() -> None:
    assert shape(decided(left=64, allowance=Allowance(seconds=1000.0))) == BlockShape(16, 960.0)
    assert decided(left=64, allowance=Allowance(seconds=619.0)).unaffordable
    assert shape(decided(left=64, expected=None, allowance=Allowance(seconds=1000.0))).walltime == 960.0


def test_what_blocks_that_wait_may_take_is_not_missed_twice() -> None:
    full, nothing = block("0", BlockShape(16, 3840.0)), Allowance(0.0)
    kept = decided(full, left=64, now=PATIENCE_SECONDS, allowance=nothing)
    assert kept == ScalingDecision()
    anew = decided(full, left=16, now=PATIENCE_SECONDS, allowance=nothing)
    assert (anew.release, shape(anew).nodes) == (("0",), 4)
    busy = running("0", BlockShape(4, 3840.0))
    assert decided(busy, left=64, allowance=nothing) == ScalingDecision()  # it may give some back


def test_a_block_in_a_hole_costs_no_more_than_the_budget_leaves() -> None:
    full, hole = block("0", BlockShape(16, 3840.0)), (Hole(4, None),)
    assert shape(decided(full, left=64, holes=hole, now=99000.0)) == BlockShape(4, 6060.0)
    found = decided(full, left=64, holes=hole, now=99000.0, allowance=Allowance(4 * 3900.0))
    assert shape(found) == BlockShape(4, 3900.0)
    assert decided(full, left=64, holes=hole, now=99000.0, allowance=Allowance(1000.0)).shaped is None


def test_a_budget_that_pays_for_the_longest_walltime_refuses_no_long_instance() -> None:
    long = ExpectedWork(72000.0, 72000.0, 72000.0)
    assert shape(decided(left=1, expected=long, allowance=Allowance(1e9, 1e9))) == BlockShape(2, 36000.0)


def test_idle_blocks_are_given_back() -> None:
    idle, drained = (PoolStatus("p"),), (PoolStatus("p", drained=True),)
    assert decided(running("0", pools=idle), running("1"), left=64).release == ("0",)
    assert decided(running("0", pools=idle), left=1).release == ()
    assert decided(running("0", pools=drained), left=64).release == ("0",)
    assert decided(running("0", pools=idle), left=0).release == ("0",)


def test_an_idle_full_block_is_kept_while_a_hole_may_cut_an_instance_off() -> None:
    idle = (PoolStatus("p"),)
    full, hole = running("0", pools=idle), replace(running("1"), for_hole=True, end=1000.0)
    assert decided(full, hole, left=1, now=390.0).release == ("0",)
    assert decided(full, hole, left=1, now=410.0).release == ()
    assert decided(full, running("2", pools=idle), hole, left=1, now=410.0).release == ("2",)
    assert decided(full, replace(hole, for_hole=False), left=1, now=410.0).release == ("0",)
    assert decided(full, left=0).release == ("0",)


def test_blocks_that_others_cancelled_are_not_replaced() -> None:
    gone = [block(str(one), state=JobState.CANCELLED) for one in range(3)]
    assert decided(*gone, left=1).cancelled_by_others == "2"
    assert decided(*gone[:2], left=1).shaped is not None
    many = replace(WORK, seconds=9000 * 600.0)
    assert decided(*gone[:2], block("3"), left=9000, expected=many, holes=(Hole(8, None),)).shaped is None


def test_instances_of_several_nodes_have_blocks_of_one_size() -> None:
    shapes = replace(
        SHAPES, least=BlockShape(16, 600.0), slots_per_node=Fraction(1, 8), full_blocks=1, max_blocks=2
    )
    work = ExpectedWork(1200.0, 600.0, 600.0)
    full = BlockShape(16, 3840.0)
    assert shape(decided(left=2, expected=work, shapes=shapes)) == full
    assert (
        decided(block("0", full), left=2, expected=work, holes=(Hole(8, None),), shapes=shapes).shaped is None
    )
    found = decided(block("0", full), left=2, expected=work, holes=(Hole(16, 3900.0),), shapes=shapes)
    assert shape(found) == full


blocks = st.builds(
    block,
    st.uuids().map(str),
    st.builds(BlockShape, st.integers(2, 16), st.sampled_from([600.0, 3600.0, 36000.0])),
    st.sampled_from([JobState.QUEUED, JobState.RUNNING, JobState.TIMEOUT]),
    st.sampled_from([(), BUSY, (PoolStatus("p"),)]),
    st.floats(0, 1000),
    st.booleans(),
)
holes = st.builds(Hole, st.integers(1, 50), st.one_of(st.none(), st.floats(1, 1e5)))


@given(
    st.lists(blocks, max_size=6),
    st.integers(0, 500),
    st.one_of(st.none(), st.floats(1, 1e5)),
    st.lists(holes, max_size=3),
    st.builds(Allowance, st.floats(-1e4, 1e6), st.floats(-1e3, 1e5)) | st.just(UNLIMITED),
)
def test_shapes_stay_within_their_ranges_and_blocks_within_their_number(
    requested: list[ShapedBlock],
    left: int,
    seconds: float | None,
    free: list[Hole],
    allowance: Allowance,
) -> None:
    work = None if seconds is None else ExpectedWork(seconds * left, seconds, seconds)
    found = decided(*requested, left=left, expected=work, holes=tuple(free), now=1000.0, allowance=allowance)
    active = [one for one in requested if one.is_active]
    assert set(found.release) <= {one.name for one in active}
    assert len(set(found.release)) == len(found.release)
    if found.shaped is not None:
        assert left > 0
        assert len(active) - len(found.release) < SHAPES.max_blocks
        assert SHAPES.least.nodes <= found.shaped.shape.nodes <= SHAPES.most.nodes
        assert SHAPES.least.walltime <= found.shaped.shape.walltime <= SHAPES.most.walltime
        saved = sum(one.shape.node_seconds for one in active if one.is_queued and one.name in found.release)
        assert found.shaped.shape.node_seconds <= allowance.node_seconds + saved
        assert found.shaped.shape.walltime <= allowance.seconds
        if found.shaped.hole is not None:
            assert found.shaped.shape.nodes <= found.shaped.hole.nodes
    for one in active:  # nothing that works is given back
        if one.name in found.release:
            assert not any(pool.orders for pool in one.status.pools)


@pytest.mark.parametrize(("free", "nodes"), [(1, None), (4, None), (5, 5), (9, 5), (12, 10), (99, 15)])
def test_a_block_in_a_hole_has_the_nodes_of_whole_instances(free: int, nodes: int | None) -> None:
    shapes = replace(
        SHAPES, most=BlockShape(15, 36000.0), least=BlockShape(5, 600.0), slots_per_node=Fraction(1, 5)
    )
    waiting = block("0", BlockShape(15, 36000.0))
    found = decided(waiting, left=3, holes=(Hole(free, None),), now=27000.0, shapes=shapes)
    assert (found.shaped and found.shaped.shape.nodes) == nodes


@pytest.mark.parametrize(("free", "nodes"), [(3, None), (4, 4), (5, 4)])
def test_a_block_is_never_smaller_than_the_range_even_if_instances_leave_some_nodes_idle(
    free: int, nodes: int | None
) -> None:
    shapes = replace(
        SHAPES, most=BlockShape(5, 36000.0), least=BlockShape(4, 600.0), slots_per_node=Fraction(1, 3)
    )
    waiting = block("0", BlockShape(5, 36000.0))
    found = decided(waiting, left=1, holes=(Hole(free, None),), now=27000.0, shapes=shapes)
    assert (found.shaped and found.shaped.shape.nodes) == nodes


@pytest.mark.parametrize(("hours", "nodes"), [(9.0, 8), (3.9, 4), (0.9, 4), (0.4, None)])
def test_a_small_budget_pays_for_the_nodes_of_whole_instances(hours: float, nodes: int | None) -> None:
    shapes = replace(
        SHAPES, most=BlockShape(8, 14400.0), least=BlockShape(4, 600.0), slots_per_node=Fraction(1, 4)
    )
    work = ExpectedWork(40 * 300.0, 300.0, 300.0)
    found = decided(left=40, expected=work, shapes=shapes, allowance=Allowance(hours * 3600.0))
    assert (found.shaped and found.shaped.shape.nodes) == nodes
