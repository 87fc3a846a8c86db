"""One moment of a ledger, read table by table in chunks: for exports, copies and comparisons."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol, Self

from sqlalchemy import Column, ColumnElement, Connection, Table, func, or_, select, true

from db.columns import SCHEMA
from db.connection.connect import translated
from db.connection.ledger_rows import clock_us
from db.errors import UnknownCampaignError
from db.queries.documents import keys_of
from db.reader import Reader
from db.tables import attempts, campaigns, documents, metadata

Row = tuple[Any, ...]
Progress = Callable[[str, int, int], None]
"""Called with a table's name, its number of copied rows, and its number of rows."""

TABLES = tuple(metadata.sorted_tables)
"""All tables; each comes after those it refers to."""
CHUNK = 10_000


@dataclass(frozen=True, slots=True)
class CampaignRef:
    """A campaign that a source holds: its number there, and whether a driver ran it at that moment."""

    number: int
    name: str
    uid: str
    running: bool


class Source(Protocol):
    """Whole campaigns, wherever they are kept."""

    schema: str
    campaigns: list[CampaignRef]
    counts: dict[str, int]

    def chunks(self, table: Table) -> Iterator[list[Row]]:
        """Yield all rows of a table, in the order of its columns, never many at a time."""


class Snapshot:
    """A ledger, or some of its campaigns, at one moment; later writes are not seen.

    Parameters
    ----------
    names
        Campaigns to take; without any, all that the ledger has.

    Raises
    ------
    UnknownCampaignError
        If the ledger has no such campaign.
    """

    schema = SCHEMA

    def __init__(self, reader: Reader, names: Sequence[str] = ()) -> None:
        for name in names:
            reader.campaign(name)  # suggests the nearest one
        self._url = reader.url
        with ExitStack() as opened:
            self._connection = opened.enter_context(reader.connection())
            opened.enter_context(self._connection.begin())
            now = clock_us(self._connection)
            wanted = campaigns.c.name.in_(names) if names else true()
            self.campaigns = [
                CampaignRef(row.campaign_id, row.name, row.uid, (row.lease_expires_us or 0) > now)
                for row in self._connection.execute(
                    select(campaigns).where(wanted).order_by(campaigns.c.campaign_id)
                )
            ]
            self._numbers = [one.number for one in self.campaigns] if names else None
            self.counts = {table.name: count(self._connection, table, self._numbers) for table in TABLES}
            if len(self.campaigns) < len(set(names)):
                raise UnknownCampaignError("a campaign was removed meanwhile")
            self._opened = opened.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._opened.__exit__(kind, error, trace)

    def chunks(self, table: Table) -> Iterator[list[Row]]:
        """Yield all rows of a table in the order of its key."""
        with translated(self._url):
            yield from chunks(self._connection, table, self._numbers)


def chunks(connection: Connection, table: Table, numbers: Sequence[int] | None) -> Iterator[list[Row]]:
    """Yield the rows of campaigns (None: of all) in a table, in the order of its key."""
    statement = (
        select(table)
        .where(_belongs(table, numbers))
        .order_by(*table.primary_key.columns)
        .execution_options(stream_results=True, yield_per=CHUNK)
    )
    with connection.execute(statement) as result:
        for part in result.partitions():
            yield [tuple(row) for row in part]


def count(connection: Connection, table: Table, numbers: Sequence[int] | None) -> int:
    """Return how many rows of campaigns (None: of all) a table has."""
    statement = select(func.count()).select_from(table).where(_belongs(table, numbers))
    return int(connection.execute(statement).scalar_one())


def _belongs(table: Table, numbers: Sequence[int] | None) -> ColumnElement[bool]:
    if numbers is None:
        return true()
    if table is documents:
        return or_(
            *(
                documents.c.sha256.in_(select(column).where(attempts.c.campaign_id.in_(numbers)))
                for column in (attempts.c.environment_sha256, attempts.c.observation_sha256)
            ),
            documents.c.sha256.in_(keys_of(numbers)),
        )
    return table.c.campaign_id.in_(numbers)


def portable_columns(table: Table) -> list[Column[Any]]:
    """Return the columns that mean the same in every ledger; a ledger numbers campaigns and events itself."""
    own = {"campaigns": "campaign_id", "events": "event_id"}.get(table.name)
    return [column for column in table.columns if column.name != own]


class RowDigests:
    """Digests of campaigns' rows: equal for the same rows, whatever their order and the campaign's number."""

    def __init__(self) -> None:
        self._sums: dict[int, int] = {}

    def add(self, table: Table, rows: Sequence[Row]) -> None:
        """Take rows of a table."""
        if table is documents:  # shared by campaigns; attempts name them by their hash
            return
        names = [column.name for column in table.columns]
        place = names.index("campaign_id")
        left_out = {"campaign_id", "event_id"} if table.name == "events" else {"campaign_id"}
        kept = [position for position, name in enumerate(names) if name not in left_out]
        for row in rows:
            values = [row[position] for position in kept]
            # SQLite keeps no sign of a zero.
            content = repr((table.name, [0 if value == 0 else value for value in values])).encode()
            digest = int.from_bytes(hashlib.blake2b(content, digest_size=16).digest())
            self._sums[row[place]] = (self._sums.get(row[place], 0) + digest) % 2**128

    def of(self, number: int) -> int:
        """Return a campaign's digest."""
        return self._sums.get(number, 0)
