"""A source without the events of some kinds."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sqlalchemy import Table

from db.tables import events
from db.transfer.source import Row, Source


class WithoutEvents:
    """A source's content without events of some kinds.

    Parameters
    ----------
    source
        Where the rows come from; it must outlive this object.
    kinds
        Kinds of events that are left out.
    """

    def __init__(self, source: Source, kinds: Collection[str]) -> None:
        self._source = source
        self._kinds = frozenset(str(kind) for kind in kinds)
        self.schema = source.schema
        self.campaigns = source.campaigns
        self.counts = dict(source.counts)
        kept = sum(len(rows) for rows in self.chunks(events))
        self.counts[events.name] = kept

    def chunks(self, table: Table) -> Iterator[list[Row]]:
        """Yield the rows of a table that are not left out."""
        place = [column.name for column in events.columns].index("kind")
        for rows in self._source.chunks(table):
            yield rows if table is not events else [row for row in rows if row[place] not in self._kinds]
