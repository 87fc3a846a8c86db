"""Slot shapes of one node to compare, and which of them to measure next. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import takewhile

from orchestrator.errors import CampaignError
from orchestrator.planning.slots import NodeFacts, SlotShape, partition

COARSE_FACTOR = 4
"""Ratio of instances per node between points of the first pass; the second pass halves it and more."""
MOST_TRIED = 16
"""Points of a tuning, so that a large node with many divisors does not take days."""


@dataclass(frozen=True, slots=True)
class Rung:
    """A slot shape, and how many of its slots fill a node."""

    shape: SlotShape
    instances: int


@dataclass(frozen=True, slots=True)
class Tried:
    """Measurements of a slot shape.

    Parameters
    ----------
    figure
        Figure of merit per node, larger is better; None where the node was never full of its instances.
    peak_bytes
        Most memory of one instance; None where it is not known.
    """

    figure: float | None
    peak_bytes: int | None


Ladder = tuple[Rung, ...]
"""Shapes that differ in one thing, from the fewest instances per node to the most."""


def ladders(node: NodeFacts, slot: SlotShape, *, ranks: bool) -> dict[str, Ladder]:
    """Return the shapes that fill a node, by what differs along them.

    Parameters
    ----------
    slot
        The slot that the site has for the workload; with GPUs, the shapes have GPUs.
    ranks
        Whether an instance may have several ranks.

    Returns
    -------
    dict
        ``gpus``: whole GPUs (one for each rank) and shares of one. Else ``cores``: one rank with more or
        fewer cores; and ``ranks``: more or fewer ranks, each with the cores of `slot`.
    """
    if slot.gpus:
        return {"gpus": _ladder(node, _with_gpus(node, slot, ranks=ranks))}
    total = len(node.cores)
    numbers = sorted({*_divisors(total), *_powers_of_two(total)})
    found = {"cores": _ladder(node, (SlotShape(total // number) for number in numbers))}
    if ranks:
        each = slot.cores
        several = (SlotShape(each, ranks=total // (number * each)) for number in numbers)
        found["ranks"] = _ladder(node, (one for one in several if one.ranks))
    return found


def _with_gpus(node: NodeFacts, slot: SlotShape, *, ranks: bool) -> list[SlotShape]:
    cores = max(1, len(node.cores) // node.gpus) if node.gpus else 1
    if ranks:
        whole = [SlotShape(cores, ranks=number, gpus=Fraction(1)) for number in _divisors(node.gpus)]
    else:
        each = sorted({1, max(1, int(slot.gpus))})
        whole = [SlotShape(cores * number, gpus=Fraction(number)) for number in each]
    shared = sorted({*_powers_of_two(node.max_ranks_per_gpu), node.max_ranks_per_gpu} - {1})
    return whole + [
        SlotShape(len(node.cores) // (node.gpus * number), gpus=Fraction(1, number))
        for number in shared
        if 0 < node.gpus * number <= len(node.cores)
    ]


def _ladder(node: NodeFacts, shapes: Iterable[SlotShape]) -> Ladder:
    """Return the shapes that fit a node, each number of instances once: with the most cores."""
    found: dict[int, Rung] = {}
    for shape in shapes:
        with suppress(CampaignError):
            rung = Rung(shape, len(partition(node, shape)))
            other = found.setdefault(rung.instances, rung)
            if (shape.ranks, shape.cores) > (other.shape.ranks, other.shape.cores):
                found[rung.instances] = rung
    return tuple(found[number] for number in sorted(found))


def next_points(
    ladders: Mapping[str, Ladder], tried: Mapping[SlotShape, Tried], limit_bytes: int | None
) -> tuple[tuple[SlotShape, ...], dict[SlotShape, str]]:
    """Return the shapes to measure next, none when the best is enclosed, and why others are refused.

    First the fewest instances per node, which measure the memory of one; then both ends and a coarse grid
    between; then, again and again, the middle between the best shape and those tried on both sides of it.

    Parameters
    ----------
    tried
        All shapes that were measured, also those without a figure.
    limit_bytes
        Memory of a node for instances; None where it is not known.
    """
    if not tried:
        return tuple(dict.fromkeys(one[0].shape for one in ladders.values() if one)), {}
    if all(one.figure is None and one.peak_bytes is None for one in tried.values()):
        return (), {}
    refused = {
        rung.shape: problem
        for ladder in ladders.values()
        for rung in ladder
        if rung.shape not in tried and (problem := _does_not_fit(rung, ladder, tried, limit_bytes))
    }
    fitting = [[one for one in ladder if one.shape not in refused] for ladder in ladders.values()]
    wanted = [one.shape for ladder in fitting for one in _coarse(ladder) if one.shape not in tried]
    if not wanted:
        wanted = [shape for ladder in fitting for shape in _around_best(ladder, tried)]
    return tuple(dict.fromkeys(wanted))[: max(0, MOST_TRIED - len(tried))], refused


def first_pass(ladders: Mapping[str, Ladder]) -> tuple[SlotShape, ...]:
    """Return the shapes that are measured before the best is enclosed, if memory refuses none."""
    return tuple(dict.fromkeys(one.shape for ladder in ladders.values() for one in _coarse(ladder)))


def _does_not_fit(
    rung: Rung, ladder: Ladder, tried: Mapping[SlotShape, Tried], limit_bytes: int | None
) -> str:
    """Say why the memory of a node is too small for a shape, by the measured one nearest to it."""
    known = [
        (abs(math.log(rung.instances / one.instances)), -(tried[one.shape].peak_bytes or 0), one.instances)
        for one in ladder
        if one.shape in tried and tried[one.shape].peak_bytes
    ]
    if limit_bytes is None or not known:
        return ""
    _, peak, instances = min(known)
    needed = -peak * rung.instances
    if needed <= limit_bytes:
        return ""
    return (
        f"{rung.instances:,} instances of {_gib(-peak)}, the peak with {instances:,} per node, need "
        f"{_gib(needed)}; the node has {_gib(limit_bytes)} for them"
    )


def _coarse(ladder: Sequence[Rung]) -> list[Rung]:
    """Return both ends, and rungs between them that are a factor apart."""
    chosen: list[Rung] = []
    for rung in ladder:
        if not chosen or rung.instances >= COARSE_FACTOR * chosen[-1].instances:
            chosen.append(rung)
    return [*chosen, *([ladder[-1]] if ladder and chosen[-1] != ladder[-1] else [])]


def _around_best(ladder: Sequence[Rung], tried: Mapping[SlotShape, Tried]) -> list[SlotShape]:
    """Return the middles between the best shape of all and its nearest tried neighbours, if it is here."""
    measured = {shape: one.figure for shape, one in tried.items() if one.figure is not None}
    here = [one.shape for one in ladder]
    best = max(measured, key=lambda shape: measured[shape], default=None)
    if best is None or best not in here:
        return []
    place = here.index(best)
    found = []
    for side in (ladder[:place][::-1], ladder[place + 1 :]):
        between = list(takewhile(lambda one: one.shape not in tried, side))
        if between and len(between) < len(side):
            goal = math.sqrt(side[len(between)].instances * ladder[place].instances)
            found.append(min(between, key=lambda one: abs(math.log(one.instances / goal))).shape)
    return found


def _divisors(number: int) -> list[int]:
    return [one for one in range(1, number + 1) if number % one == 0]


def _powers_of_two(most: int) -> list[int]:
    return [2**power for power in range(most.bit_length()) if 2**power <= most]


def _gib(size: int) -> str:
    return f"{size / 2**30:.2f} GiB"
