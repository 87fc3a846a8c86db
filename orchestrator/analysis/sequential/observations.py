"""Values of ended instances, by point and block, in the registered order.

A look uses blocks from the first one up to the first that still waits for a value. Instances that end early
are not taken before earlier blocks are whole: short runs end first, and would make a point look faster than
it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from orchestrator.errors import CampaignError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

Pairing = Literal["block", "node"]
"""Two runs are a pair because they share their block, or because they share their node."""


@dataclass(frozen=True, slots=True)
class Observation:
    """Value of an ended instance.

    Parameters
    ----------
    block
        Number of the block in the registered order; blocks are numbered from 0 without gaps.
    node
        Name of the node that ran the instance.
    value
        Its metric, such as seconds, above 0; None for an instance that ended without one, which its block
        then lacks.
    """

    point: str
    block: int
    node: str
    value: float | None


@dataclass(frozen=True, slots=True)
class Series:
    """Runs of a point from block 0 to the last before a block that waits.

    Parameters
    ----------
    logs
        Natural logarithm of the value by block; NaN where an instance ended without a value.
    nodes
        Name of the node, by block.
    """

    logs: Numbers
    nodes: tuple[str, ...]

    @property
    def known(self) -> Numbers:
        """The logarithms without blocks that have none."""
        found: Numbers = self.logs[~np.isnan(self.logs)]
        return found


def series(observations: Sequence[Observation], points: Sequence[str]) -> dict[str, Series]:
    """Return the runs of each point in the order of their blocks.

    Raises
    ------
    CampaignError
        If a value is not a number above 0, a point is not among `points`, or a point has two runs in a block.
    """
    runs: dict[str, dict[int, tuple[float, str]]] = {point: {} for point in points}
    for one in observations:
        mine = runs.get(one.point)
        if mine is None:
            raise CampaignError(
                f"point {one.point} is not of this design: its points are {', '.join(points)}"
            )
        if one.block in mine:
            raise CampaignError(f"point {one.point} has two runs in block {one.block}: give the accepted one")
        if one.value is None:
            mine[one.block] = (math.nan, one.node)
        elif 0 < one.value < math.inf:
            mine[one.block] = (math.log(one.value), one.node)
        else:
            raise CampaignError(
                f"point {one.point}, block {one.block}: {one.value!r} is not a number above 0, "
                "so it has no relative difference; give None for a run without a value"
            )
    return {point: _prefix(mine) for point, mine in runs.items()}


def _prefix(runs: dict[int, tuple[float, str]]) -> Series:
    whole = 0
    while whole in runs:
        whole += 1
    logs, nodes = zip(*map(runs.__getitem__, range(whole)), strict=True) if whole else ((), ())
    return Series(np.array(logs, dtype=np.float64), tuple(nodes))


def paired(first: Series, second: Series, pairing: Pairing) -> Numbers:
    """Return logarithms of ratios, first ÷ second, of the pairs of runs of two points.

    By node, a run waits for the next run of the other point on its node; where several wait, the latest is
    taken, which leaves drift the least time. A pair that is formed stays, whatever comes later.

    Parameters
    ----------
    pairing
        ``block`` where nodes are alike, or a block is on one node; ``node`` where nodes differ.

    Returns
    -------
    Numbers
        Of shape (pairs,), in the order in which the pairs are whole.
    """
    blocks = min(first.logs.size, second.logs.size)
    if pairing == "block":
        ratios = first.logs[:blocks] - second.logs[:blocks]
        whole: Numbers = ratios[~np.isnan(ratios)]
        return whole
    waiting: dict[str, list[tuple[int, float]]] = {}
    found = []
    for block in range(blocks):
        for sign, runs in ((1, first), (-1, second)):
            log, others = float(runs.logs[block]), waiting.setdefault(runs.nodes[block], [])
            if math.isnan(log):
                continue
            if others and others[-1][0] != sign:
                found.append(sign * (log - others.pop()[1]))
            else:
                others.append((sign, log))
    return np.array(found, dtype=np.float64)
