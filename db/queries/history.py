"""Times of the campaigns that a site ran before: of their trainings, and of their blocks in the queue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import case, func, select

from db.connection.open_ledger import select_rows
from db.counted import counted
from db.records import CampaignRow
from db.states import AttemptState
from db.tables import ACCEPTED, attempts, benchmarks, blocks, campaigns, instances

if TYPE_CHECKING:
    from collections.abc import Collection

    from db.reader import Reader

_RUNS_OF_BENCHMARK = 500


@dataclass(frozen=True, slots=True)
class StartedBlock:
    """A block that started.

    Parameters
    ----------
    pool
        Pool of the site; empty for a site without pools.
    requested_us
        UTC microseconds.
    wait_seconds
        From its request to its start.
    held_seconds
        From its start to its end; None while it has not ended.
    """

    pool: str
    nodes: int
    requested_us: int
    wait_seconds: float
    held_seconds: float | None
    state: str


def campaigns_of_site(
    reader: Reader, site: str, most: int, workloads: Collection[str] = ()
) -> list[CampaignRow]:
    """Return the last campaigns that ran on a site, newest first; by default with any workload."""
    statement = (
        select_rows(CampaignRow)
        .where(campaigns.c.site_name == site)
        .order_by(campaigns.c.created_us.desc(), campaigns.c.campaign_id.desc())
        .limit(most)
    )
    if workloads:
        same = select(benchmarks.c.campaign_id).where(benchmarks.c.workload.in_(workloads))
        statement = statement.where(campaigns.c.campaign_id.in_(same))
    with reader.connection() as connection, connection.begin():
        return [CampaignRow(*row) for row in connection.execute(statement)]


def run_times(
    reader: Reader, campaign_id: int, names: Collection[str], *, at_barrier: bool
) -> dict[str, list[tuple[float, float]]]:
    """Return the runs that count of some benchmarks, by benchmark, at most 500 of each.

    Parameters
    ----------
    at_barrier
        Whether runs waited for each other once they were ready; that time is left out.

    Returns
    -------
        Seconds until ready, and seconds of the rest, of each run; a run that states no time at which it was
        ready was ready at its start.
    """
    a = attempts.c
    ready_us = func.coalesce(a.ready_us, a.process_start_us)
    begin_us = func.coalesce(a.run_start_us, ready_us) if at_barrier else ready_us
    statement = (
        select(instances.c.benchmark, ready_us - a.process_start_us, a.process_stop_us - begin_us)
        .select_from(ACCEPTED)
        .where(
            counted(campaign_id),
            instances.c.benchmark.in_(names),
            instances.c.benchmark_index < _RUNS_OF_BENCHMARK,
            ready_us >= a.process_start_us,
            a.process_stop_us > begin_us,
        )
        .order_by(instances.c.benchmark, instances.c.benchmark_index)
    )
    found: dict[str, list[tuple[float, float]]] = {}
    with reader.connection() as connection, connection.begin():
        for benchmark, ready, run in connection.execute(statement):
            found.setdefault(benchmark, []).append((ready / 1e6, run / 1e6))
    return found


def ended_attempts(reader: Reader, campaign_id: int, names: Collection[str]) -> dict[str, tuple[int, int]]:
    """Return how many attempts of benchmarks failed or timed out, and how many ended by themselves."""
    failed = [one.value for one in (AttemptState.FAILED, AttemptState.TIMED_OUT)]
    statement = (
        select(
            instances.c.benchmark,
            func.count(case((attempts.c.state.in_(failed), 1))),
            func.count(),
        )
        .select_from(attempts.join(instances))
        .where(
            attempts.c.state.in_([*failed, AttemptState.SUCCEEDED.value]),
            attempts.c.campaign_id == campaign_id,
            instances.c.benchmark.in_(names),
        )
        .group_by(instances.c.benchmark)
    )
    with reader.connection() as connection, connection.begin():
        return {name: (ended_badly, ended) for name, ended_badly, ended in connection.execute(statement)}


def started_blocks(reader: Reader, campaign_id: int) -> list[StartedBlock]:
    """Return the blocks of a campaign that started, in the order of their requests."""
    b = blocks.c
    statement = (
        select(
            b.pool, b.nodes, b.requested_us, b.started_us - b.requested_us, b.ended_us - b.started_us, b.state
        )
        .where(b.campaign_id == campaign_id, b.started_us >= b.requested_us)
        .order_by(b.requested_us, b.session_number, b.block_id)
    )
    with reader.connection() as connection, connection.begin():
        return [
            StartedBlock(pool or "", nodes, asked, wait / 1e6, None if held is None else held / 1e6, state)
            for pool, nodes, asked, wait, held, state in connection.execute(statement)
        ]


def node_starts(reader: Reader, campaign_id: int) -> list[tuple[str, float]]:
    """Return pool, empty without pools, and seconds from the start of a block to the first process on a node.

    The start is by the driver's clock and the process by the node's; differences below 0 are 0.
    """
    a, b = attempts.c, blocks.c
    statement = (
        select(func.coalesce(b.pool, ""), func.min(a.process_start_us) - b.started_us)
        .select_from(
            blocks.join(
                attempts,
                (a.campaign_id == b.campaign_id)
                & (a.session_number == b.session_number)
                & (a.slot_shape == b.slot_shape)
                & (a.block_id == b.block_id),
            )
        )
        .where(b.campaign_id == campaign_id, a.node.is_not(None), b.started_us.is_not(None))
        .group_by(b.session_number, b.slot_shape, b.block_id, b.pool, b.started_us, a.node)
    )
    with reader.connection() as connection, connection.begin():
        found = connection.execute(statement).all()
    return [(pool, max(0.0, after / 1e6)) for pool, after in found if after is not None]
