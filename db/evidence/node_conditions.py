"""Heat, clock and throttling of a campaign's GPUs by node."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import case, func, select

from db.tables import attempts, instances, metrics

if TYPE_CHECKING:
    from db.reader import Reader

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


def node_conditions(reader: Reader, campaign_id: int) -> list[NodeConditions]:
    """Return the conditions of each node with such metrics, the longest throttled first.

    Attempts that span several nodes are left out: their metrics do not say which node it was.
    """
    alone = [
        one.benchmark for one in reader.benchmarks(campaign_id) if json.loads(one.slot).get("nodes", 1) == 1
    ]
    value, name = metrics.c.value, metrics.c.name
    hot = func.max(case((name == TEMPERATURE, value)))
    seconds = func.sum(case((name == THROTTLED, value), else_=0.0))
    number = func.sum(case(((name == THROTTLED) & (value > 0), 1), else_=0))
    clock = func.avg(case((name == CLOCK, value)))
    statement = (
        select(attempts.c.node, hot, seconds, number, clock)
        .select_from(metrics.join(attempts).join(instances))
        .where(
            metrics.c.campaign_id == campaign_id,
            name.in_((TEMPERATURE, THROTTLED, CLOCK)),
            instances.c.benchmark.in_(alone),
            attempts.c.node.is_not(None),
            value.is_not(None),
        )
        .group_by(attempts.c.node)
        .order_by(seconds.desc(), attempts.c.node)
    )
    with reader.connection() as connection, connection.begin():
        return [NodeConditions(*row) for row in connection.execute(statement)]
