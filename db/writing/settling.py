"""Instances that do not run, as questions have their answers, or other trials of a search are better."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, update

from db.records import SettledBenchmark
from db.states import InstanceState
from db.tables import instances
from db.writing.lease import require_open_session
from db.writing.noting import note


def settle(connection: Connection, campaign_id: int, settled: SettledBenchmark) -> None:
    """Let no waiting instance of some benchmarks run, and note why; nothing where none waits."""
    waiting = (
        instances.c.campaign_id == campaign_id,
        instances.c.benchmark.in_(settled.benchmarks),
        instances.c.state == InstanceState.PLANNED.value,
    )
    number = connection.execute(update(instances).where(*waiting).values(state=settled.state.value)).rowcount
    if number:
        note(
            connection,
            campaign_id,
            settled.kind,
            settled.message,
            subject=settled.benchmarks[0],
            data={**settled.data, settled.state.value: number},
            at_us=settled.at_us,
        )


def reopen_settled(
    connection: Connection,
    campaign_id: int,
    benchmarks: Collection[str] | None = None,
    session: int | None = None,
) -> None:
    """Plan the instances again, of all benchmarks or of some, that were not needed or pruned.

    Parameters
    ----------
    session
        That of the driver that asks while it runs; it has to be open.
    """
    if session is not None:
        require_open_session(connection, campaign_id, session)
    settled = [
        instances.c.campaign_id == campaign_id,
        instances.c.state.in_((InstanceState.NOT_NEEDED.value, InstanceState.PRUNED.value)),
    ]
    if benchmarks is not None:
        settled.append(instances.c.benchmark.in_(benchmarks))
    connection.execute(update(instances).where(*settled).values(state=InstanceState.PLANNED.value))
