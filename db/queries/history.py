"""Times of the campaigns that a site ran before: of their trainings, and of their blocks in the queue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from db.counted import counted
from db.states import AttemptState
from db.tables import ACCEPTED, attempts, blocks, campaigns, instances

if TYPE_CHECKING:
    from db.reader import Reader

_RUNS_OF_BENCHMARK = 500


@dataclass(frozen=True, slots=True)
class StartedBlock:
    """A block that started.

    Parameters
    ----------
    wait_seconds
        From its request to its start.
    held_seconds
        From its start to its end; None while it has not ended.
    """

    nodes: int
    wait_seconds: float
    held_seconds: float | None
    state: str


def campaigns_of_site(reader: Reader, site: str, most: int) -> list[tuple[int, str]]:
    """Return number and name of the last campaigns that ran on a site, newest first."""
    statement = (
        select(campaigns.c.campaign_id, campaigns.c.name)
        .where(campaigns.c.site_name == site)
        .order_by(campaigns.c.created_us.desc(), campaigns.c.campaign_id.desc())
        .limit(most)
    )
    with reader.connection() as connection, connection.begin():
        return [(number, name) for number, name in connection.execute(statement)]


def run_times(reader: Reader, campaign_id: int, benchmark: str) -> list[tuple[float, float]]:
    """Return seconds until ready and seconds from there to the end of each run that counts, at most 500.

    A run that states no time at which it was ready was ready at its start.
    """
    a = attempts.c
    ready_us = func.coalesce(a.ready_us, a.process_start_us)
    statement = (
        select(ready_us - a.process_start_us, a.process_stop_us - ready_us)
        .select_from(ACCEPTED)
        .where(
            counted(campaign_id),
            instances.c.benchmark == benchmark,
            ready_us >= a.process_start_us,
            a.process_stop_us > ready_us,
        )
        .order_by(instances.c.benchmark_index)
        .limit(_RUNS_OF_BENCHMARK)
    )
    with reader.connection() as connection, connection.begin():
        return [(ready / 1e6, run / 1e6) for ready, run in connection.execute(statement)]


def ended_attempts(reader: Reader, campaign_id: int) -> tuple[int, int]:
    """Return how many attempts of a campaign failed, and how many failed or succeeded."""
    states = (AttemptState.FAILED.value, AttemptState.SUCCEEDED.value)
    statement = (
        select(attempts.c.state, func.count())
        .where(attempts.c.state.in_(states), attempts.c.campaign_id == campaign_id)
        .group_by(attempts.c.state)
    )
    with reader.connection() as connection, connection.begin():
        numbers = {str(row[0]): int(row[1]) for row in connection.execute(statement)}
    return numbers.get(states[0], 0), sum(numbers.values())


def started_blocks(reader: Reader, campaign_id: int) -> list[StartedBlock]:
    """Return the blocks of a campaign that started, in the order of their requests."""
    b = blocks.c
    statement = (
        select(b.nodes, b.started_us - b.requested_us, b.ended_us - b.started_us, b.state)
        .where(b.campaign_id == campaign_id, b.started_us >= b.requested_us)
        .order_by(b.requested_us, b.session_number, b.block_id)
    )
    with reader.connection() as connection, connection.begin():
        return [
            StartedBlock(nodes, wait / 1e6, None if held is None else held / 1e6, state)
            for nodes, wait, held, state in connection.execute(statement)
        ]
