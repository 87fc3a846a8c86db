"""Hashes over what a ledger recorded of a campaign, the same in every copy of it and on every database."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Result, Select, Table, func, select, text

from db.column_values import to_json
from db.event_chain import READ_BY_RULES, UNCHAINED
from db.events import EventKind
from db.states import AttemptState
from db.tables import (
    NOTED,
    attempts,
    benchmarks,
    blocks,
    campaigns,
    curves,
    events,
    instances,
    metrics,
    points,
    samples,
    sessions,
)

if TYPE_CHECKING:
    from db.reader import Reader

_CAMPAIGN = (
    campaigns.c.uid, campaigns.c.created_us, campaigns.c.rulebook, campaigns.c.run_class,
    campaigns.c.data_path, campaigns.c.site_name, campaigns.c.campaign_sha256, campaigns.c.site_sha256,
)  # fmt: skip
_SESSION = (
    sessions.c.session_number, sessions.c.kind, sessions.c.host, sessions.c.pid, sessions.c.version,
    sessions.c.slots, sessions.c.started_us,
)  # fmt: skip
_INSTANCE = (
    instances.c.instance_id, instances.c.benchmark, instances.c.benchmark_index, instances.c.seed,
    instances.c.accepted_attempt,
)  # fmt: skip
_BLOCK = (
    blocks.c.session_number, blocks.c.slot_shape, blocks.c.block_id, blocks.c.job_id,
    blocks.c.requested_us, blocks.c.started_us, blocks.c.nodes, blocks.c.pool,
)  # fmt: skip
_BLOCK_KEY = (blocks.c.session_number, blocks.c.slot_shape, blocks.c.block_id)
_PLACE = {
    "campaign_id", "event_id", "stdout_path", "stderr_path", "stderr_tail", "observed", "data_facts"
}  # fmt: skip
"""Columns that a copy may change, that no verdict reads, or whose content another column names."""
_ABOUT = (*UNCHAINED, EventKind.DOCUMENT_RECORDED)
PART = 10_000
"""Instances whose rows, with those of their attempts, have a hash of their own."""


@dataclass(frozen=True, slots=True)
class Content:
    """Records of a campaign in a ledger.

    Parameters
    ----------
    events
        Number of its events, but for those about verdicts, packages and documents. Every change of rows
        adds one: another hash with the same number is one of rows that were edited.
    """

    sha256: str
    events: int


def content_of(reader: Reader, campaign_id: int, kinds: Sequence[str] = READ_BY_RULES) -> Content:
    """Return the hash of a campaign's texts, rows, events that rules read, and sums of the rest.

    It takes about 15 s of processor time for a million attempts. What attempts observed is in it by its key.
    """
    read = (text(NOTED), events.c.kind.in_([str(kind) for kind in kinds]))
    statements = [
        select(campaigns.c.uid, campaigns.c.campaign_sha256, campaigns.c.site_sha256),
        *(
            _columns(table).order_by(*table.primary_key)
            for table in (benchmarks, points, instances, sessions, attempts)
        ),
        _columns(events)
        .where(*read)
        .order_by(events.c.event_id),
        select(
            metrics.c.name, func.count(), func.min(metrics.c.value), func.max(metrics.c.value)
        ).group_by(metrics.c.name).order_by(metrics.c.name),
        select(
            samples.c.quantity, func.count(), func.sum(func.length(samples.c.points))
        ).group_by(samples.c.quantity).order_by(samples.c.quantity),
        select(
            curves.c.name, func.count(), func.sum(func.length(curves.c.points))
        ).group_by(curves.c.name).order_by(curves.c.name),
    ]  # fmt: skip
    digest = hashlib.sha256()
    with reader.connection() as connection, connection.begin():
        for statement in statements:
            [table] = statement.get_final_froms()
            mine = statement.where(table.c.campaign_id == campaign_id)
            found = connection.execute(mine.execution_options(stream_results=True, yield_per=1000))
            for line in _lines(found):
                digest.update(line.encode() + b"\n")
        here = events.c.campaign_id == campaign_id
        number = connection.execute(select(func.count()).where(here)).scalar_one()
        number -= connection.execute(
            select(func.count()).where(text(NOTED), here, events.c.kind.in_([str(kind) for kind in _ABOUT]))
        ).scalar_one()
    return Content(digest.hexdigest(), number)


def rows_sha256(parts: Sequence[str]) -> str:
    """Return the SHA-256 of the rows that a session leaves, by the hashes of their parts."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def row_parts(connection: Connection, campaign_id: int) -> list[str]:
    """Return a SHA-256 for each part of the rows that a session leaves, as of `row_part`.

    The end of each session keeps them. It takes about 10 s of processor time for a million attempts.
    """
    last = max(
        connection.execute(
            select(func.max(table.c.instance_id)).where(table.c.campaign_id == campaign_id)
        ).scalar()
        or 0
        for table in (instances, attempts)
    )
    return [row_part(connection, campaign_id, number) for number in range(last // PART + 2)]


def row_part(connection: Connection, campaign_id: int, number: int) -> str:
    """Return the SHA-256 of a part of the rows which nothing but a later session changes.

    Part 0 is all but instances and attempts. Each later one is `PART` instances with their attempts.

    Metrics of accepted attempts are in none, as journals have them, nor ends of blocks, which `ends_sha256`
    is over.
    """
    if not number:
        return _digest(connection, campaign_id, _rest(), in_order=False)
    end = number * PART
    begin = end - PART
    statements = [
        (table, statement.where(table.c.instance_id >= begin, table.c.instance_id < end))
        for table, statement in (
            (instances, select(*_INSTANCE).order_by(instances.c.instance_id)),
            (attempts, _all(attempts).order_by(attempts.c.instance_id, attempts.c.attempt_number)),
        )
    ]
    return _digest(connection, campaign_id, statements, in_order=True)


def _rest() -> list[tuple[Table, Select[Any]]]:
    failed = metrics.join(
        attempts,
        (attempts.c.campaign_id == metrics.c.campaign_id)
        & (attempts.c.instance_id == metrics.c.instance_id)
        & (attempts.c.attempt_number == metrics.c.attempt_number)
        & (attempts.c.state != AttemptState.SUCCEEDED.value),
    )
    return [
        (campaigns, select(*_CAMPAIGN)),
        (sessions, select(*_SESSION)),
        (benchmarks, _all(benchmarks)),
        (points, _all(points)),
        (metrics, _all(metrics).select_from(failed)),
        (blocks, select(*_BLOCK)),
    ]


def _digest(
    connection: Connection, campaign_id: int, parts: Iterable[tuple[Table, Select[Any]]], *, in_order: bool
) -> str:
    digest = hashlib.sha256()
    for table, statement in parts:
        mine = statement.where(table.c.campaign_id == campaign_id)
        found = connection.execute(mine.execution_options(stream_results=True, yield_per=1000))
        lines = _lines(found)
        # Databases sort texts otherwise.
        for line in lines if in_order else sorted(lines):
            digest.update(f"{table.name} {line}\n".encode())
    return digest.hexdigest()


def open_blocks(connection: Connection, campaign_id: int) -> list[list[int | str]]:
    """Return session, slot shape and number of the blocks without an end, which may be found later."""
    statement = select(*_BLOCK_KEY).where(blocks.c.campaign_id == campaign_id, blocks.c.ended_us.is_(None))
    return sorted(list(row) for row in connection.execute(statement))


def ends_sha256(
    connection: Connection, campaign_id: int, open_then: Iterable[Sequence[int | str]] = ()
) -> str:
    """Return the SHA-256 of how and when blocks ended.

    Parameters
    ----------
    open_then
        Blocks that had no end when the hash was kept, as of `open_blocks`; theirs are left out.
    """
    columns = (*_BLOCK_KEY, blocks.c.state, blocks.c.ended_us, blocks.c.message)
    statement = select(*columns).where(blocks.c.campaign_id == campaign_id, blocks.c.ended_us.is_not(None))
    left_out = {tuple(one) for one in open_then}
    lines = [to_json(list(row)) for row in connection.execute(statement) if tuple(row[:3]) not in left_out]
    return hashlib.sha256("".join(f"{line}\n" for line in sorted(lines)).encode()).hexdigest()


def _lines(found: Result[Any]) -> Iterator[str]:
    """Yield each row as `to_json` writes it as an object, in half of the time.

    Columns of later schemas are NULL in earlier rows, and are left out.
    """
    names = sorted(found.keys())
    keys = [f"{to_json(name)}: " for name in names]
    for rows in found.columns(*names).partitions():
        for row in rows:
            cells = [
                key + _TEXTS.get(type(value), to_json)(value)
                for key, value in zip(keys, row, strict=True)
                if value is not None
            ]
            yield f"{{{', '.join(cells)}}}"


_TEXTS: dict[type, Callable[[Any], str]] = {
    int: int.__repr__,
    str: encode_basestring_ascii,
    # SQLite keeps no sign of a zero.
    float: lambda value: repr(value) if value else "0",
}


def _all(table: Table) -> Select[Any]:
    return select(*(column for column in table.c if column.name != "campaign_id"))


def _columns(table: Table) -> Select[Any]:
    return select(*(column for column in table.c if column.name not in _PLACE))
