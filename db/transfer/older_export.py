"""Exports of older schemas: restored into a temporary ledger, upgraded there, and read from it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import MetaData, Table

from db.bulk_sql import insert_rows
from db.connect import SCHEMA, make_engine, parse_url, translated
from db.reader import Reader
from db.schema import migrate
from db.transfer.export import Export
from db.transfer.source import CampaignRef, Row, Snapshot, Source


@contextmanager
def open_export(folder: Path) -> Iterator[Source]:
    """Open an export of this schema or of an older one.

    Raises
    ------
    LedgerError
        If the folder is no export, or one of its files was changed or cut short.
    SchemaError
        If a newer program wrote it.
    """
    export = Export(folder)
    if export.schema == SCHEMA:
        yield export
        return
    with tempfile.TemporaryDirectory(prefix="ledger-import-") as directory:
        url = parse_url(f"{directory}/upgraded.sqlite")
        engine = make_engine(url, read_only=False)
        try:
            with translated(url), engine.begin() as connection:
                migrate(connection, export.schema)
                tables = MetaData()
                tables.reflect(connection)
                for table in tables.sorted_tables:
                    if table.name in export.counts:
                        for rows in export.chunks(table):
                            insert_rows(connection, table, [column.name for column in table.columns], rows)
                migrate(connection, "head")
        finally:
            engine.dispose()
        with Reader(url.render_as_string()) as reader, Snapshot(reader) as snapshot:
            yield _Upgraded(snapshot, export.campaigns)


class _Upgraded:
    """The upgraded rows of an export, with what its manifest says of the campaigns."""

    schema = SCHEMA

    def __init__(self, snapshot: Snapshot, campaigns: list[CampaignRef]) -> None:
        self._snapshot = snapshot
        self.campaigns = campaigns
        self.counts = snapshot.counts

    def chunks(self, table: Table) -> Iterator[list[Row]]:
        """Yield all rows of a table, in the order of its key."""
        return self._snapshot.chunks(table)
