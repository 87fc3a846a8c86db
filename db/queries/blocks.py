"""Blocks of a campaign that have no end, and walltimes that were chosen for blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from db.connection.open_ledger import select_rows
from db.events import EventKind
from db.rows import Block
from db.tables import attempts, blocks

if TYPE_CHECKING:
    from db.reader import Reader


def chosen_walltimes(reader: Reader, campaign_id: int) -> dict[tuple[str, str], float]:
    """Return the walltimes in seconds of blocks whose shape the driver chose, by pool and id of the job."""
    return {
        (one.data.get("pool") or "", str(one.data["job"])): float(one.data["walltime_seconds"])
        for one in reader.events(campaign_id, kinds=[EventKind.BLOCK_SHAPED])
        if one.data is not None
    }


def pools_with_blocks(reader: Reader, campaign_id: int) -> set[str]:
    """Return the pools that had blocks, of all sessions; an empty name is a site without pools."""
    statement = select(blocks.c.pool).where(blocks.c.campaign_id == campaign_id).distinct()
    with reader.connection() as connection, connection.begin():
        return {pool or "" for pool in connection.execute(statement).scalars()}


def unended_blocks(reader: Reader, campaign_id: int) -> list[Block]:
    """Return the blocks without an end, of all sessions, oldest first."""
    statement = (
        select_rows(Block)
        .where(blocks.c.campaign_id == campaign_id, blocks.c.ended_us.is_(None))
        .order_by(blocks.c.requested_us, blocks.c.block_id)
    )
    with reader.connection() as connection, connection.begin():
        return [Block(*row) for row in connection.execute(statement)]


def open_blocks(reader: Reader, campaign_id: int) -> int:
    """Return the number of blocks without an end, of all sessions."""
    statement = (
        select(func.count())
        .select_from(blocks)
        .where(blocks.c.campaign_id == campaign_id, blocks.c.ended_us.is_(None))
    )
    with reader.connection() as connection, connection.begin():
        return int(connection.execute(statement).scalar_one())


def last_attempt_times(reader: Reader, campaign_id: int) -> dict[tuple[int, str, str], int]:
    """Return when the last attempt of each block was submitted, started or ended, by the last of these.

    Returns
    -------
    dict
        UTC microseconds, by session, slot shape and number of the block.
    """
    a = attempts.c
    last = func.max(func.coalesce(a.process_stop_us, a.process_start_us, a.submitted_us))
    statement = (
        select(a.session_number, a.slot_shape, a.block_id, last)
        .where(a.campaign_id == campaign_id, a.block_id.is_not(None))
        .group_by(a.session_number, a.slot_shape, a.block_id)
    )
    with reader.connection() as connection, connection.begin():
        return {(session, shape, block): at for session, shape, block, at in connection.execute(statement)}


def left_seconds(block: Block, walltime: float, now_us: int) -> float | None:
    """Return how long a block still has its nodes, at least 0; None for one that waits."""
    if block.started_us is None:
        return None
    return max(0.0, walltime - (now_us - block.started_us) / 1e6)
