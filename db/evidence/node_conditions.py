"""Heat, clock and throttling of a campaign's GPUs by node."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from db.plain import RowReader

TEMPERATURE, THROTTLED = "gpu_temperature_peak_celsius", "gpu_throttled_seconds"
CLOCK = "gpu_clock_mean_megahertz"


@dataclass(frozen=True, slots=True)
class NodeConditions:
    """Conditions of a node's GPUs while attempts ran.

    Parameters
    ----------
    hottest_celsius
        Highest temperature of any GPU; None where none was read.
    throttled_seconds, throttled_attempts
        Time in which heat or the hardware lowered a GPU's clock, summed over attempts, and their number.
    clock_megahertz
        Clock of its GPUs, mean over attempts; None where none was read.
    """

    node: str
    hottest_celsius: float | None
    throttled_seconds: float
    throttled_attempts: int
    clock_megahertz: float | None = None


def node_conditions(reader: RowReader, campaign_id: int) -> list[NodeConditions]:
    """Return the conditions of each node with such metrics, the longest throttled first.

    Attempts that span several nodes are left out: their metrics do not say which node it was.
    """
    alone = [
        one.benchmark for one in reader.benchmarks(campaign_id) if json.loads(one.slot).get("nodes", 1) == 1
    ]
    columns = ["node", "name", "value"]
    names = (TEMPERATURE, THROTTLED, CLOCK)
    values: dict[str, dict[str, list[float]]] = {}
    with reader.moment() as moment:
        for node, name, value in moment.rows(
            "metrics", columns, campaign_id, name=names, benchmark=alone, known=["node", "value"]
        ):
            values.setdefault(node, {}).setdefault(name, []).append(value)
    found = [_conditions(node, known) for node, known in values.items()]
    return sorted(found, key=lambda one: (-one.throttled_seconds, one.node))


def _conditions(node: str, known: Mapping[str, Sequence[float]]) -> NodeConditions:
    throttled, clocks = known.get(THROTTLED, ()), known.get(CLOCK, ())
    return NodeConditions(
        node,
        max(known.get(TEMPERATURE, ()), default=None),
        math.fsum(throttled),
        sum(one > 0 for one in throttled),
        math.fsum(clocks) / len(clocks) if clocks else None,
    )
