"""One moment of a ledger, read table by table in chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from sqlalchemy import ColumnElement, Connection, Table, func, or_, select, true

from db.columns import SCHEMA, TableFacts
from db.connection.connect import translated
from db.connection.ledger_rows import clock_us
from db.errors import UnknownCampaignError
from db.plain import Row
from db.queries.documents import keys_of
from db.reader import Reader
from db.tables import attempts, campaigns, documents, metadata
from db.transfer.source import CHUNK, TABLES, CampaignRef


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

    def chunks(self, table: TableFacts) -> Iterator[list[Row]]:
        """Yield all rows of a table in the order of its key."""
        with translated(self._url):
            yield from chunks(self._connection, table, self._numbers)


def chunks(connection: Connection, facts: TableFacts, numbers: Sequence[int] | None) -> Iterator[list[Row]]:
    """Yield the rows of campaigns (None: of all) in a table, in the order of its key."""
    table = metadata.tables[facts.name]
    statement = (
        select(table)
        .where(_belongs(table, numbers))
        .order_by(*table.primary_key.columns)
        .execution_options(stream_results=True, yield_per=CHUNK)
    )
    with connection.execute(statement) as result:
        for part in result.partitions():
            yield [tuple(row) for row in part]


def count(connection: Connection, facts: TableFacts, numbers: Sequence[int] | None) -> int:
    """Return how many rows of campaigns (None: of all) a table has."""
    table = metadata.tables[facts.name]
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
