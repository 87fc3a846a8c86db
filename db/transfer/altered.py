"""A source of one campaign under another name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlalchemy import Table

from db.tables import campaigns
from db.transfer.source import Row, Source


class Renamed:
    """A source's only campaign under another name.

    Parameters
    ----------
    source
        Where the rows come from; it must outlive this object.
    """

    def __init__(self, source: Source, name: str) -> None:
        self._source = source
        self._name = name
        self.schema = source.schema
        self.campaigns = [replace(one, name=name) for one in source.campaigns]
        self.counts = source.counts

    def chunks(self, table: Table) -> Iterator[list[Row]]:
        """Yield the rows of a table."""
        place = [column.name for column in campaigns.columns].index("name")
        for rows in self._source.chunks(table):
            yield (
                [(*row[:place], self._name, *row[place + 1 :]) for row in rows]
                if table is campaigns
                else rows
            )
