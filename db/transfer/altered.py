"""Sources whose rows of one table differ from those of another source."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from db.columns import TABLES, TableFacts
from db.plain import Row
from db.transfer.source import Source


class _Altered:
    """A source's content with other rows of one table; the source must outlive this object."""

    def __init__(self, source: Source, table: TableFacts, column: str) -> None:
        self._source = source
        self._table = table
        self._place = table.place(column)
        self.schema = source.schema
        self.campaigns = source.campaigns
        self.counts = source.counts

    def chunks(self, table: TableFacts) -> Iterator[list[Row]]:
        """Yield the rows of a table."""
        for rows in self._source.chunks(table):
            yield self._altered(rows) if table is self._table else rows

    def _altered(self, rows: list[Row]) -> list[Row]:
        raise NotImplementedError


class Renamed(_Altered):
    """A source's only campaign under another name."""

    def __init__(self, source: Source, name: str) -> None:
        super().__init__(source, TABLES["campaigns"], "name")
        self._name = name
        self.campaigns = [replace(one, name=name) for one in source.campaigns]

    def _altered(self, rows: list[Row]) -> list[Row]:
        return [(*row[: self._place], self._name, *row[self._place + 1 :]) for row in rows]


class WithoutEvents(_Altered):
    """A source's content without events of some kinds."""

    def __init__(self, source: Source, kinds: Collection[str]) -> None:
        super().__init__(source, TABLES["events"], "kind")
        self._kinds = frozenset(str(kind) for kind in kinds)
        self.counts = source.counts | {"events": sum(len(rows) for rows in self.chunks(self._table))}

    def _altered(self, rows: list[Row]) -> list[Row]:
        return [row for row in rows if row[self._place] not in self._kinds]
