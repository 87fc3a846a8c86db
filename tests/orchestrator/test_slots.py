"""Cutting a node: no core twice, slots alike, as many as fit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.errors import CampaignError
from orchestrator.slots import SlotShape, partition

GIB = 1 << 30
cores = st.lists(st.integers(0, 300), min_size=1, max_size=64, unique=True)
shapes = st.builds(SlotShape, st.integers(1, 20), st.none() | st.integers(1, 64).map(lambda n: n * GIB))


@given(cores, st.integers(1, 256).map(lambda n: n * GIB), shapes)
def test_slots_share_no_core_are_alike_and_as_many_as_fit(
    node: list[int], memory: int, shape: SlotShape
) -> None:
    by_cores = len(node) // shape.cores
    by_memory = memory // shape.memory_bytes if shape.memory_bytes else by_cores
    if min(by_cores, by_memory) == 0:
        with pytest.raises(CampaignError, match=r"a slot needs .* the node offers"):
            partition(node, memory, shape)
        return
    slots = partition(node, memory, shape)
    used = [core for slot in slots for core in slot]
    assert len(slots) == min(by_cores, by_memory)
    assert {len(slot) for slot in slots} == {shape.cores}
    assert len(used) == len(set(used))
    assert used == node[: len(used)]  # handed out in the node's order, so neighbours share a slot
    assert len(slots) * (shape.memory_bytes or 0) <= memory
    one_more_core = (len(slots) + 1) * shape.cores <= len(node)
    one_more_memory = (len(slots) + 1) * (shape.memory_bytes or 0) <= memory
    assert not (one_more_core and one_more_memory)


@pytest.mark.parametrize(
    ("node", "memory", "shape", "slots"),
    [
        ((0, 1, 2, 3), 8 * GIB, SlotShape(1), ((0,), (1,), (2,), (3,))),
        ((0, 1, 2, 3, 4), 8 * GIB, SlotShape(2), ((0, 1), (2, 3))),
        ((3, 1, 7), 8 * GIB, SlotShape(1), ((3,), (1,), (7,))),
        ((0, 1, 2, 3), 8 * GIB, SlotShape(1, 3 * GIB), ((0,), (1,))),
        ((0, 1, 2, 3), 8 * GIB, SlotShape(4, 8 * GIB), ((0, 1, 2, 3),)),
    ],
)
def test_by_hand(
    node: tuple[int, ...], memory: int, shape: SlotShape, slots: tuple[tuple[int, ...], ...]
) -> None:
    assert partition(node, memory, shape) == slots


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        (SlotShape(3), "a slot needs 3 cores, the node offers 2"),
        (SlotShape(1, 5 * GIB), "a slot needs 5.0 GiB of memory, the node offers 4.0 GiB"),
    ],
)
def test_a_slot_that_does_not_fit(shape: SlotShape, said: str) -> None:
    with pytest.raises(CampaignError, match=said):
        partition((0, 1), 4 * GIB, shape)


@given(shapes, shapes)
def test_shapes_that_differ_have_other_labels(one: SlotShape, other: SlotShape) -> None:
    """The label names executors, and with them blocks in the ledger."""
    assert (one.label == other.label) == (one == other)
    assert "/" not in one.label


def test_shapes_that_differ_by_less_than_a_mebibyte_have_other_labels() -> None:
    four_gb, nearly = SlotShape(1, 4_000_000_000), SlotShape(1, 4_000_000_001)
    assert four_gb.label != nearly.label
