"""Instances that are not needed any more, as the questions of their campaign have answers."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, update

from db.events import note
from db.records import SettledBenchmark
from db.states import InstanceState
from db.tables import instances


def settle(connection: Connection, campaign_id: int, settled: SettledBenchmark) -> None:
    """Let no waiting instance of a benchmark run, and note why; nothing where none waits."""
    waiting = (
        instances.c.campaign_id == campaign_id,
        instances.c.benchmark == settled.benchmark,
        instances.c.state == InstanceState.PLANNED.value,
    )
    number = connection.execute(
        update(instances).where(*waiting).values(state=InstanceState.NOT_NEEDED.value)
    ).rowcount
    if number:
        note(
            connection,
            campaign_id,
            settled.kind,
            settled.message,
            subject=settled.benchmark,
            data={**settled.data, "not_needed": number},
            at_us=settled.at_us,
        )


def reopen_settled(
    connection: Connection, campaign_id: int, benchmarks: Collection[str] | None = None
) -> None:
    """Plan the instances again, of all benchmarks or of some, that were not needed: now they are."""
    settled = [
        instances.c.campaign_id == campaign_id,
        instances.c.state == InstanceState.NOT_NEEDED.value,
    ]
    if benchmarks is not None:
        settled.append(instances.c.benchmark.in_(benchmarks))
    connection.execute(update(instances).where(*settled).values(state=InstanceState.PLANNED.value))
