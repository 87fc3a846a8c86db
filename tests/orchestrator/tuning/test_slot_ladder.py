"""Which slot shapes of a node are measured, and in which order."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.planning.slots import NodeFacts, SlotShape, partition
from orchestrator.tuning.slot_ladder import MOST_TRIED, Ladder, Tried, first_pass, ladders, next_points

GIB = 1 << 30


def node(cores: int, gpus: int = 0, shared: int = 1) -> NodeFacts:
    return NodeFacts(tuple(range(cores)), 64 * GIB, gpus=gpus, max_ranks_per_gpu=shared)


def counts(ladder: Ladder) -> list[int]:
    return [one.instances for one in ladder]


def test_cores_are_divided_without_rest_and_by_powers_of_two() -> None:
    found = ladders(node(12), SlotShape(1), ranks=False)
    assert list(found) == ["cores"]
    assert [(one.instances, one.shape.cores) for one in found["cores"]] == [
        (1, 12), (2, 6), (3, 4), (4, 3), (6, 2), (12, 1),
    ]  # fmt: skip


def test_a_prime_number_of_cores_has_more_than_its_ends() -> None:
    assert counts(ladders(node(7), SlotShape(1), ranks=False)["cores"]) == [1, 2, 7]


def test_ranks_have_a_ladder_of_their_own_with_the_cores_of_the_site() -> None:
    found = ladders(node(8), SlotShape(2), ranks=True)
    assert [(one.instances, one.shape.ranks, one.shape.cores) for one in found["ranks"]] == [
        (1, 4, 2), (2, 2, 2), (4, 1, 2),
    ]  # fmt: skip
    assert counts(found["cores"]) == [1, 2, 4, 8]


def test_gpus_are_whole_or_shared_as_far_as_the_site_lets_them() -> None:
    alone = ladders(node(64, gpus=4, shared=6), SlotShape(16, gpus=Fraction(1)), ranks=False)
    assert [(one.instances, one.shape.cores, one.shape.gpus) for one in alone["gpus"]] == [
        (4, 16, 1), (8, 8, Fraction(1, 2)), (16, 4, Fraction(1, 4)), (24, 2, Fraction(1, 6)),
    ]  # fmt: skip
    several = ladders(node(64, gpus=4, shared=2), SlotShape(16, gpus=Fraction(1)), ranks=True)
    assert [(one.instances, one.shape.ranks) for one in several["gpus"]] == [(1, 4), (2, 2), (4, 1), (8, 1)]
    mig = ladders(node(64, gpus=28), SlotShape(2, gpus=Fraction(1)), ranks=False)
    assert counts(mig["gpus"]) == [28]  # whole MIG instances only


def test_gpus_beyond_the_cores_are_left_out() -> None:
    assert counts(
        ladders(node(6, gpus=4, shared=4), SlotShape(1, gpus=Fraction(1)), ranks=False)["gpus"]
    ) == [4]


def test_the_fewest_instances_come_first_then_both_ends_and_a_coarse_grid() -> None:
    found = ladders(node(64), SlotShape(1), ranks=False)
    shapes, _ = next_points(found, {}, None)
    assert shapes == (SlotShape(64),)
    shapes, _ = next_points(found, {SlotShape(64): Tried(1.0, GIB)}, None)
    assert [one.cores for one in shapes] == [16, 4, 1]
    assert [one.cores for one in first_pass(found)] == [64, 16, 4, 1]


def test_the_best_is_enclosed_by_its_neighbours() -> None:
    found = ladders(node(64), SlotShape(1), ranks=False)
    tried = {
        SlotShape(cores): Tried(figure, None) for cores, figure in ((64, 1.0), (16, 3.0), (4, 2.0), (1, 1.0))
    }
    shapes, _ = next_points(found, tried, None)
    assert [one.cores for one in shapes] == [32, 8]
    shapes, _ = next_points(
        found, tried | {SlotShape(32): Tried(2.0, None), SlotShape(8): Tried(2.9, None)}, None
    )
    assert shapes == ()


def test_points_that_cannot_fit_are_refused_with_the_arithmetic() -> None:
    found = ladders(node(8), SlotShape(1), ranks=False)
    shapes, refused = next_points(found, {SlotShape(8): Tried(1.0, 3 * GIB)}, 10 * GIB)
    assert [one.cores for one in shapes] == [4]  # the largest number that fits is the end
    assert list(refused) == [SlotShape(2), SlotShape(1)]
    assert refused[SlotShape(2)] == (
        "4 instances of 3.00 GiB, the peak with 1 per node, need 12.00 GiB; the node has 10.00 GiB for them"
    )


def test_a_refused_point_comes_back_when_a_nearer_one_needs_less() -> None:
    found = ladders(node(4), SlotShape(1), ranks=False)
    tried = {SlotShape(4): Tried(1.0, 3 * GIB)}
    assert next_points(found, tried, 7 * GIB)[0] == (SlotShape(2),)
    tried[SlotShape(2)] = Tried(2.0, GIB)
    assert next_points(found, tried, 7 * GIB) == ((SlotShape(1),), {})


def test_nothing_more_is_tried_where_nothing_was_measured() -> None:
    found = ladders(node(4), SlotShape(1), ranks=False)
    assert next_points(found, {SlotShape(4): Tried(None, None)}, None) == ((), {})


@pytest.mark.parametrize("cores", [1, 2, 61, 256])
def test_every_rung_fills_the_node_as_planning_cuts_it(cores: int) -> None:
    for ladder in ladders(node(cores), SlotShape(1), ranks=True).values():
        assert counts(ladder) == sorted(set(counts(ladder)))
        assert all(len(partition(node(cores), one.shape)) == one.instances for one in ladder)


@given(
    st.integers(1, 300),
    st.integers(1, 8),
    st.booleans(),
    st.floats(0.1, 8.0),
    st.one_of(st.none(), st.integers(1, 64)),
    st.integers(0, 40),
)
def test_rounds_end_with_a_local_best_and_respect_memory(
    cores: int, of_rank: int, several: bool, exponent: float, gibibytes: int | None, fixed: int
) -> None:
    """A figure that rises and then falls with the number of instances; memory of one falls with its cores."""
    found = ladders(node(cores), SlotShape(min(of_rank, cores)), ranks=several)
    limit = None if gibibytes is None else gibibytes * GIB
    tried: dict[SlotShape, Tried] = {}
    instances = {one.shape: one.instances for ladder in found.values() for one in ladder}
    for _ in range(40):
        shapes, refused = next_points(found, tried, limit)
        assert not set(shapes) & (set(tried) | set(refused))
        assert set(shapes) <= set(instances)
        if not shapes:
            break
        for shape in shapes:
            number = instances[shape]
            peak = (1 << 27) * (1 + fixed * shape.cores // cores)
            tried[shape] = Tried(number / (1 + (number / 20) ** exponent), peak)
    else:
        raise AssertionError("never ended")
    assert len(tried) <= MOST_TRIED
    best = max(tried, key=lambda shape: tried[shape].figure or 0.0)
    _, refused = next_points(found, tried, limit)
    for ladder in found.values():
        fitting = [one.shape for one in ladder if one.shape not in refused]
        if best in fitting and len(tried) < MOST_TRIED:
            place = fitting.index(best)
            assert set(fitting[max(0, place - 1) : place + 2]) <= set(tried)
