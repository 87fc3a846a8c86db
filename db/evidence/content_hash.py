"""One hash over what a ledger recorded of a campaign, the same in every copy of it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select, text

from db.column_values import to_json
from db.event_chain import READ_BY_RULES, UNCHAINED
from db.events import EventKind
from db.tables import NOTED, attempts, benchmarks, campaigns, events, instances, metrics, points, sessions

if TYPE_CHECKING:
    from db.reader import Reader

_PLACE = {
    "campaign_id", "event_id", "stdout_path", "stderr_path", "stderr_tail", "observed", "data_facts"
}  # fmt: skip
"""Columns that a copy may change, that no verdict reads, or whose content another column names."""
_ABOUT = (*UNCHAINED, EventKind.DOCUMENT_RECORDED)


@dataclass(frozen=True, slots=True)
class Content:
    """What a ledger recorded of a campaign.

    Parameters
    ----------
    sha256
        Of its rows.
    events
        Number of its events, but for those about verdicts, packages and documents. Every change of rows
        adds one: another hash with the same number is one of rows that were edited.
    """

    sha256: str
    events: int


def content_of(reader: Reader, campaign: int) -> Content:
    """Return the hash of a campaign's texts, rows, events that rules read, and sums of its metrics.

    It takes about 15 s of processor time for a million attempts. What attempts observed is in it by its key.
    """
    read = (text(NOTED), events.c.kind.in_([str(kind) for kind in READ_BY_RULES]))
    statements = [
        select(campaigns.c.uid, campaigns.c.campaign_sha256, campaigns.c.site_sha256),
        *(
            select(*(column for column in table.c if column.name not in _PLACE)).order_by(*table.primary_key)
            for table in (benchmarks, points, instances, sessions, attempts)
        ),
        select(*(column for column in events.c if column.name not in _PLACE))
        .where(*read)
        .order_by(events.c.event_id),
        select(
            metrics.c.name, func.count(), func.min(metrics.c.value), func.max(metrics.c.value)
        ).group_by(metrics.c.name).order_by(metrics.c.name),
    ]  # fmt: skip
    digest = hashlib.sha256()
    with reader.connection() as connection, connection.begin():
        for statement in statements:
            [table] = statement.get_final_froms()
            mine = statement.where(table.c.campaign_id == campaign)
            for row in connection.execute(mine.execution_options(stream_results=True, yield_per=1000)):
                digest.update(to_json(list(row)).encode() + b"\n")
        here = events.c.campaign_id == campaign
        number = connection.execute(select(func.count()).where(here)).scalar_one()
        number -= connection.execute(
            select(func.count()).where(text(NOTED), here, events.c.kind.in_([str(kind) for kind in _ABOUT]))
        ).scalar_one()
    return Content(digest.hexdigest(), number)
