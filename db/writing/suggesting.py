"""Parameters of trials that an optimizer chooses while a campaign runs."""

from __future__ import annotations

import json
from collections.abc import Iterable

from sqlalchemy import Connection, select, update

from db.errors import LedgerError
from db.events import EventKind, note
from db.records import SuggestedTrial
from db.tables import benchmarks, events
from db.writing.changes import insert_points


def suggest(connection: Connection, campaign_id: int, chosen: Iterable[SuggestedTrial]) -> None:
    """Write the parameters of trials, each once: those of a trial that has some stay as they are."""
    for one in chosen:
        kept = select(events.c.event_id).where(
            events.c.campaign_id == campaign_id,
            events.c.kind == EventKind.TRIAL_SUGGESTED.value,
            events.c.subject == one.benchmark,
        )
        if connection.execute(kept).first() is None:
            _write(connection, campaign_id, one)


def _write(connection: Connection, campaign_id: int, one: SuggestedTrial) -> None:
    mine = benchmarks.c.campaign_id == campaign_id, benchmarks.c.benchmark == one.benchmark
    before = connection.execute(select(benchmarks.c.parameters).where(*mine)).scalar()
    if before is None:
        raise LedgerError(f"no benchmark {one.benchmark} is registered, and it was to get parameters")
    parameters = json.dumps({**json.loads(before), **one.parameters}, sort_keys=True)
    connection.execute(update(benchmarks).where(*mine).values(parameters=parameters))
    insert_points(connection, campaign_id, one.points)
    note(
        connection,
        campaign_id,
        EventKind.TRIAL_SUGGESTED,
        one.message,
        subject=one.benchmark,
        data=one.data,
        at_us=one.at_us,
    )
