"""Whether the clocks behind a campaign's times agreed, asked of the times themselves."""

from __future__ import annotations

from sqlalchemy import func, select

from db.connect import translated
from db.reader import Reader
from db.tables import attempts


def contradiction_us(reader: Reader, campaign: int) -> int:
    """Return by how many microseconds the times of attempts contradict each other at most; 0 if they do not.

    A process does not start before it was submitted, nor stop after its report came, and a session
    begins when the one before it has ended. Where that seems otherwise, a clock was set back or
    the clocks of driver and nodes differ, and intervals of different processes cannot be compared.
    """
    statement = (
        select(
            func.max(attempts.c.submitted_us - attempts.c.process_start_us),
            func.max(attempts.c.process_stop_us - attempts.c.received_us),
            func.min(attempts.c.submitted_us),
            func.max(attempts.c.received_us),
        )
        .where(attempts.c.campaign == campaign)
        .group_by(attempts.c.session)
        .order_by(attempts.c.session)
    )
    with translated(reader.url), reader.connection() as connection:
        rows = connection.execute(statement).all()
    found = [0]
    latest = None
    for early, late, first, last in rows:
        found += [value for value in (early, late) if value is not None]
        if latest is not None:
            found.append(latest - first)
        latest = max((value for value in (latest, last) if value is not None), default=None)
    return int(max(found))
