"""Cutting a node: nothing twice, slots alike, as many as fit, no domain crossed without need."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.errors import CampaignError
from orchestrator.planning.slots import NodeFacts, SlotShape, partition, share_of_system, spread
from orchestrator.protocol.order import RankResources

GIB = 1 << 30
memories = st.integers(1, 64).map(lambda n: n * GIB)
shares = st.integers(0, 4).map(Fraction) | st.integers(2, 8).map(lambda n: Fraction(1, n))
shapes = st.builds(
    SlotShape, st.integers(1, 20), st.none() | memories, ranks=st.integers(1, 4), gpus=shares
) | st.builds(
    lambda nodes, ranks, **rest: SlotShape(ranks=nodes * ranks, nodes=nodes, **rest),
    st.integers(2, 4),
    st.integers(1, 4),
    cores=st.integers(1, 20),
    memory_bytes=st.none() | memories,
    gpus=shares,
)


@st.composite
def nodes(draw: st.DrawFn) -> NodeFacts:
    cores = draw(st.lists(st.integers(0, 300), min_size=1, max_size=64, unique=True))
    cuts = sorted(draw(st.sets(st.integers(1, len(cores)), max_size=4)) | {0, len(cores)})
    whole = draw(st.booleans())  # or else the last domain is not told of
    domains = [tuple(cores[a:b]) for a, b in pairwise(cuts)][: None if whole else -1]
    gpus = draw(st.integers(0, 8))
    near = (
        tuple(draw(st.sampled_from(domains)) for _ in range(gpus)) if domains and draw(st.booleans()) else ()
    )
    return NodeFacts(
        tuple(cores),
        draw(memories),
        tuple(domains),
        gpus,
        max_ranks_per_gpu=draw(st.integers(1, 8)),
        gpu_cores=near,
    )


def fitting(node: NodeFacts, shape: SlotShape) -> int:
    """Return how many slots fit, computed the plain way: one more until something runs out."""
    ranks, k = shape.ranks_per_node, 0
    if shape.gpus.denominator > 1 and shape.gpus.denominator > node.max_ranks_per_gpu:
        return 0
    while True:
        k += 1
        if shape.gpus.denominator > 1:
            served = k * ranks <= node.gpus * shape.gpus.denominator
        else:
            served = k * ranks * shape.gpus <= node.gpus
        if (
            k * ranks * shape.cores > len(node.cores)
            or k * ranks * (shape.memory_bytes or 0) > node.memory_bytes
            or not served
        ):
            return min(k - 1, 1) if shape.nodes > 1 else k - 1


@given(nodes(), shapes)
def test_nothing_is_handed_out_twice_and_everything_asked_for_is_there(
    node: NodeFacts, shape: SlotShape
) -> None:
    expected = fitting(node, shape)
    if not expected:
        with pytest.raises(CampaignError, match="a slot needs"):
            partition(node, shape)
        return
    slots = partition(node, shape)
    places = [place for slot in slots for place in slot]
    cores = [core for place in places for core in place.cores]
    assert len(slots) == expected
    assert {len(slot) for slot in slots} == {shape.ranks_per_node}
    assert {len(place.cores) for place in places} == {shape.cores}
    assert len(set(cores)) == len(cores)
    assert set(cores) <= set(node.cores)
    held = Counter(gpu for place in places for gpu in place.gpus)
    assert all(0 <= gpu < node.gpus for gpu in held)
    if shape.gpus:
        wanted = max(1, shape.gpus.numerator)
        assert {len(place.gpus) for place in places} == {wanted}
        assert max(held.values()) <= shape.gpus.denominator
    else:
        assert not held


@given(nodes(), shapes)
def test_no_rank_crosses_a_domain_where_one_could_stay(node: NodeFacts, shape: SlotShape) -> None:
    if not fitting(node, shape):
        return
    told = {core for domain in node.numa_domains for core in domain}
    domains = [set(domain) for domain in node.numa_domains] + [set(node.cores) - told]
    places = [place for slot in partition(node, shape) for place in slot]
    crossing = sum(not any(set(place.cores) <= domain for domain in domains) for place in places)
    room = sum(len(domain) // shape.cores for domain in domains)
    assert crossing == max(0, len(places) - room)


@given(nodes(), st.integers(2, 8))
def test_ranks_that_share_gpus_spread_over_all_of_them(node: NodeFacts, sharers: int) -> None:
    shape = SlotShape(1, gpus=Fraction(1, sharers))
    if not fitting(node, shape):
        return
    slots = partition(node, shape)
    held = Counter(slot[0].gpus[0] for slot in slots)
    assert max(held.values()) - (min(held.values()) if len(held) == node.gpus else 0) <= 1


def test_cores_come_from_beside_the_gpu() -> None:
    node = NodeFacts(
        tuple(range(16)), 64 * GIB, (tuple(range(8)), tuple(range(8, 16))), gpus=2,
        gpu_cores=(tuple(range(8, 16)), (4, 5, 6, 7)),
    )  # fmt: skip
    slots = partition(node, SlotShape(2, gpus=Fraction(1)))
    assert slots == ((RankResources((8, 9), (0,)),), (RankResources((4, 5), (1,)),))


def test_fewer_slots_than_cores_spread_over_the_domains() -> None:
    node = NodeFacts(tuple(range(8)), 2 * GIB, ((0, 1, 2, 3), (4, 5, 6, 7)))
    slots = partition(node, SlotShape(2, GIB))
    assert [slot[0].cores for slot in slots] == [(0, 1), (4, 5)]


@pytest.mark.parametrize(
    ("cores", "memory", "shape", "slots"),
    [
        ((0, 1, 2, 3), 8, SlotShape(1), (((0,),), ((1,),), ((2,),), ((3,),))),
        ((0, 1, 2, 3, 4), 8, SlotShape(2), (((0, 1),), ((2, 3),))),
        ((3, 1, 7), 8, SlotShape(1), (((3,),), ((1,),), ((7,),))),
        ((0, 1, 2, 3), 8, SlotShape(1, 3 * GIB), (((0,),), ((1,),))),
        ((0, 1, 2, 3), 8, SlotShape(1, ranks=2), (((0,), (1,)), ((2,), (3,)))),
        ((0, 1, 2, 3), 8, SlotShape(1, 4 * GIB, ranks=2), (((0,), (1,)),)),
        ((0, 1, 2, 3), 8, SlotShape(1, ranks=4, nodes=2), (((0,), (1,)),)),
    ],
)
def test_by_hand(
    cores: tuple[int, ...], memory: int, shape: SlotShape, slots: tuple[tuple[tuple[int, ...], ...], ...]
) -> None:
    made = partition(NodeFacts(cores, memory * GIB), shape)
    assert tuple(tuple(place.cores for place in slot) for slot in made) == slots


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        (SlotShape(3), "a slot needs 3 cores, the node offers 2"),
        (SlotShape(1, ranks=3), "a slot needs 3 cores, the node offers 2"),
        (SlotShape(1, 5 * GIB), "a slot needs 5.0 GiB of memory, the node offers 4.0 GiB"),
        (SlotShape(1, gpus=Fraction(2)), "a slot needs 2 GPUs, the node offers 1"),
        (
            SlotShape(1, gpus=Fraction(1, 2)),
            "a slot needs 1/2 of a GPU, the site does not let instances share",
        ),
        (
            SlotShape(1, ranks=4, nodes=2, gpus=Fraction(1)),
            "2 GPUs on each of its 2 nodes, the node offers 1",
        ),
        (SlotShape(1, ranks=3, nodes=2), "3 ranks cannot be spread evenly over 2 nodes"),
    ],
)
def test_a_slot_that_does_not_fit(shape: SlotShape, said: str) -> None:
    with pytest.raises(CampaignError, match=said):
        partition(NodeFacts((0, 1), 4 * GIB, gpus=1), shape)


def test_the_share_of_the_system_is_the_larger_of_cores_and_gpus() -> None:
    node = NodeFacts(tuple(range(16)), 64 * GIB, gpus=4)
    assert share_of_system(node, SlotShape(4), 100) == 0.0025
    assert share_of_system(node, SlotShape(1, ranks=2, gpus=Fraction(1)), 100) == 0.005
    assert share_of_system(node, SlotShape(1, ranks=8, nodes=2, gpus=Fraction(1)), 100) == 0.02


@given(shapes, shapes)
def test_shapes_that_differ_have_other_labels(one: SlotShape, other: SlotShape) -> None:
    """The label names executors, and with them blocks in the ledger."""
    assert (one.label == other.label) == (one == other)
    assert "/" not in one.label


def test_shapes_that_differ_by_less_than_a_mebibyte_have_other_labels() -> None:
    four_gb, nearly = SlotShape(1, 4_000_000_000), SlotShape(1, 4_000_000_001)
    assert four_gb.label != nearly.label


@pytest.mark.parametrize(
    ("ranks", "gpus", "nodes"),
    [(1, 1, 1), (4, 1, 1), (6, 1, 2), (12, 1, 3), (48, 1, 12), (6, 0, 1), (7, 1, 7), (5, 8, 1)],
)
def test_ranks_take_as_few_nodes_as_they_need(ranks: int, gpus: int, nodes: int) -> None:
    node = NodeFacts(tuple(range(64)), 2**38, gpus=4)
    found = spread(node, SlotShape(8, ranks=ranks, gpus=Fraction(gpus)))
    assert (found.nodes, found.ranks) == (nodes, ranks)
