"""Rates of every attempt of a campaign on its slot, with where it ran and how it ended."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from db.rows import LINK_FACTS
from db.tables import attempts, instances, metrics

if TYPE_CHECKING:
    from db.reader import Reader

RATES = {"flop_per_second": "FLOP/s", "bytes_per_second": "B/s"}
"""Metrics that say how fast a slot was, with units; the first that an attempt of a benchmark has counts."""


@dataclass(frozen=True, slots=True)
class SlotRate:
    """One attempt on a slot.

    Parameters
    ----------
    slot
        Number on the node; None where it is not known.
    reason, message
        Why it failed; None where it did not, or none was reported.
    submitted_us, received_us
        When the driver handed it over, and got its last report; None before.
    rate, unit
        Of an accepted attempt: its metric of `RATES`, or, of a benchmark without any, one divided by its FOM
        time. None where it has none that is finite and above 0; rates of other units are not compared.
    nodes
        Nodes of the attempt; `node` is its first one, unless it measured links.
    instance
        Number of the instance.
    has_links
        Whether the rate is that of the node's links to the others of the attempt.
    """

    benchmark: str
    node: str
    slot: int | None
    session: int
    block: str | None
    state: str
    reason: str | None
    message: str | None
    submitted_us: int
    received_us: int | None
    rate: float | None
    unit: str
    nodes: int = 1
    instance: int = 0
    has_links: bool = False


def slot_rates(reader: Reader, campaign_id: int) -> list[SlotRate]:
    """Return the attempts of a campaign that have a node, in the order of instances and attempts.

    One that measured the links of several nodes stands there once for each of them.
    """
    a, i, m = attempts.c, instances.c, metrics.c
    places = (i.benchmark, a.node, a.slot_index, a.session_number, a.block_id, a.state)
    ends = (
        a.failure_reason,
        a.failure_message,
        a.submitted_us,
        a.received_us,
        a.fom_seconds,
        (i.accepted_attempt == a.attempt_number).label("accepted"),
    )
    statement = (
        select(a.instance_id, a.attempt_number, *places, *ends)
        .select_from(attempts.join(instances))
        .where(a.campaign_id == campaign_id, a.node.is_not(None))
        .order_by(a.instance_id, a.attempt_number)
    )
    measured = select(m.instance_id, m.attempt_number, m.name, m.value).where(
        m.campaign_id == campaign_id, m.name.in_(RATES), m.value > 0
    )
    observed = select(a.instance_id, a.attempt_number, a.observed).where(
        a.campaign_id == campaign_id, a.observed.contains(f'"{LINK_FACTS}"')
    )
    rates: dict[tuple[int, int], dict[str, float]] = {}
    with reader.connection() as connection, connection.begin():
        for instance, number, name, value in connection.execute(measured):
            rates.setdefault((instance, number), {})[name] = value
        rows = connection.execute(statement).all()
        seen = connection.execute(observed).all()
    links = {row[:2]: of_links for row in seen if (of_links := _link_rates(row.observed))}
    slots = {one.benchmark: json.loads(one.slot) for one in reader.benchmarks(campaign_id)}
    counted: dict[str, str] = {}
    for name in reversed(RATES):
        counted |= {row.benchmark: name for row in rows if name in rates.get(row[:2], {})}
    found = []
    for row in rows:
        known = counted.get(row.benchmark)
        rate = rates.get(row[:2], {}).get(known) if known else _inverse(row.fom_seconds)
        of_nodes: dict[str, float | None] = links.get(row[:2]) or {row.node: rate}
        unit = "B/s" if row[:2] in links else RATES[known] if known else "1/s"
        for node, mine in of_nodes.items():
            usable = row.accepted and mine is not None and math.isfinite(mine)
            found.append(
                SlotRate(
                    benchmark=row.benchmark,
                    node=node,
                    slot=row.slot_index,
                    session=row.session_number,
                    block=row.block_id,
                    state=row.state,
                    reason=row.failure_reason,
                    message=row.failure_message,
                    submitted_us=row.submitted_us,
                    received_us=row.received_us,
                    rate=mine if usable else None,
                    unit=unit,
                    nodes=int(slots.get(row.benchmark, {}).get("nodes", 1)),
                    instance=row.instance_id,
                    has_links=row[:2] in links,
                )
            )
    return found


def _link_rates(observed: str) -> dict[str, float | None]:
    """Return the rate of each node by what an attempt observed; empty where it has another form."""
    rates = _links_of(observed).get("bytes_per_second")
    pairs = rates.items() if isinstance(rates, dict) else ()
    return {node: rate for node, rate in pairs if node and isinstance(rate, float) and rate > 0}


def _links_of(observed: str) -> dict[str, Any]:
    """Return what an attempt says of links; empty where that has another form."""
    content = json.loads(observed)
    facts = content.get(LINK_FACTS) if isinstance(content, dict) else None
    return facts if isinstance(facts, dict) else {}


def slow_pairs(reader: Reader, campaign_id: int) -> dict[tuple[str, str, str], list[float]]:
    """Return the shares of the median pair of nodes, by benchmark and two nodes, of pairs that were slowest.

    A list has a share for each accepted attempt in which the pair was among the slowest.
    """
    a, i = attempts.c, instances.c
    statement = (
        select(i.benchmark, a.observed)
        .select_from(attempts.join(instances))
        .where(
            a.campaign_id == campaign_id,
            i.accepted_attempt == a.attempt_number,
            a.observed.contains(f'"{LINK_FACTS}"'),
        )
    )
    with reader.connection() as connection, connection.begin():
        rows = connection.execute(statement).all()
    found: dict[tuple[str, str, str], list[float]] = {}
    for benchmark, observed in rows:
        listed = _links_of(observed).get("slowest_pairs")
        for one in listed if isinstance(listed, list) else ():
            match one:
                case [str(first), str(second), float(share)]:
                    first, second = sorted((first, second))
                    found.setdefault((benchmark, first, second), []).append(share)
    return found


def _inverse(seconds: float | None) -> float | None:
    return 1 / seconds if seconds is not None and seconds > 0 else None
