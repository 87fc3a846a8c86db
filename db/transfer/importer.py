"""Import whole campaigns into a ledger, from an export or from another ledger: all or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, insert, select

from db import columns
from db.column_values import sha256
from db.columns import TableFacts
from db.connection.bulk_sql import insert_rows
from db.connection.connect import make_engine, parse_url, redacted_url, translated
from db.connection.ledger_rows import LedgerRows
from db.connection.open_ledger import select_rows
from db.connection.server_watchdog import ServerWatchdog
from db.errors import LedgerError
from db.ledger import Ledger
from db.plain import Row
from db.reader import Reader
from db.records import CampaignRow
from db.tables import campaigns, documents, metadata
from db.transfer.snapshot import Snapshot, chunks
from db.transfer.source import TABLES, CampaignRef, Progress, RowDigests, Source, refuse_unlisted, unprintable
from db.verification import broken
from db.writing.lease import live_campaign


@dataclass(frozen=True, slots=True)
class ImportResult:
    """Counts of the rows that an import wrote.

    Parameters
    ----------
    campaigns
        Names of the campaigns that are new in the ledger.
    skipped
        Those that it had already, row for row.
    running
        Those of `campaigns` that a driver ran when they were read.
    rows
        How many rows of each table were written.
    """

    campaigns: list[str]
    skipped: list[str]
    running: list[str]
    rows: dict[str, int]


def import_campaigns(url: str | None, source: Source, progress: Progress) -> ImportResult:
    """Write a source's campaigns into a ledger in one transaction; a new SQLite file is made.

    Campaigns and events get the ledger's own next numbers, all other rows stay as they are.

    Raises
    ------
    LedgerError
        If another campaign of a name is there, the same one with other rows, or the rows
        contradict each other. The ledger is then as it was.
    """
    parsed = parse_url(url)
    new = not Ledger.exists(url)
    try:
        Ledger.open(url).close()
        engine = make_engine(parsed, read_only=False)
        try:
            with ServerWatchdog(engine).liveness(), translated(parsed), engine.begin() as connection:
                if connection.dialect.name == "sqlite":
                    _refuse_while_written(connection, redacted_url(parsed))
                return _Import(connection, source, redacted_url(parsed)).run(progress)
        finally:
            engine.dispose()
    except BaseException:
        if new:
            for suffix in ("", "-wal", "-shm"):
                Path(f"{parsed.database}{suffix}").unlink(missing_ok=True)
        raise


def copy(origin: str, url: str | None, names: Sequence[str], progress: Progress) -> ImportResult:
    """Take campaigns (without names: all) from one ledger into another, whatever databases they are on.

    Raises
    ------
    LedgerError
        As `import_campaigns`; also if a driver runs one of the campaigns, which would go on in both.
    """
    with Reader(origin) as reader, Snapshot(reader, names) as source:
        for one in source.campaigns:
            if one.running:
                raise LedgerError(
                    f"a driver runs campaign {one.name}, and would go on in the old ledger only; "
                    f"first: orchestrator stop {one.name}"
                )
        return import_campaigns(url, source, progress)


def _refuse_while_written(connection: Connection, ledger: str) -> None:
    """Refuse an SQLite ledger that a driver writes: the import locks the whole file."""
    if (name := live_campaign(connection)) is not None:
        raise LedgerError(
            f"{ledger} is being written: a driver runs campaign {name}; stop it first, or use another ledger"
        )


def _refuse_unprintable(table: TableFacts, rows: Sequence[Row]) -> None:
    if (found := unprintable(table, rows)) is not None:
        raise LedgerError(f"{found}; nothing was imported")


class _Import:
    def __init__(self, connection: Connection, source: Source, ledger: str) -> None:
        self._connection = connection
        self._source = source
        self._ledger = ledger
        self._numbers: dict[int, int] = {}
        self._rows = {table.name: 0 for table in TABLES}

    def run(self, progress: Progress) -> ImportResult:
        there = self._already_there()
        new = [one for one in self._source.campaigns if one.number not in there]
        self._number(new)
        for table in TABLES if new else ():
            done = 0
            for rows in self._source.chunks(table):
                self._write(table, rows)
                done += len(rows)
                progress(table.name, done, self._source.counts[table.name])
        if new and self._connection.dialect.name == "postgresql":
            self._connection.exec_driver_sql(f"ANALYZE {', '.join(table.name for table in TABLES)}")
        self._refuse_contradictions()
        return ImportResult(
            campaigns=[one.name for one in new],
            skipped=[one.name for one in self._source.campaigns if one.number in there],
            running=[one.name for one in new if one.running],
            rows=self._rows,
        )

    def _already_there(self) -> set[int]:
        """Return the numbers, in the source, of the campaigns that the ledger has row for row."""
        same: dict[int, int] = {}
        for one in self._source.campaigns:
            found = self._connection.execute(
                select(campaigns.c.campaign_id, campaigns.c.name, campaigns.c.uid).where(
                    (campaigns.c.name == one.name) | (campaigns.c.uid == one.uid)
                )
            ).all()
            if not found:
                continue
            if [(row.name, row.uid) for row in found] != [(one.name, one.uid)]:
                raise LedgerError(
                    f"{self._ledger} has another campaign {found[0].name!r}; nothing was imported: "
                    "name the campaigns to import, or use another ledger"
                )
            same[one.number] = found[0].campaign_id
        if same:
            self._compare(same)
        return set(same)

    def _compare(self, same: dict[int, int]) -> None:
        theirs, ours = RowDigests(), RowDigests()
        for table in TABLES:
            if table.name != "documents":
                for rows in self._source.chunks(table):
                    theirs.add(table, rows)
                for rows in chunks(self._connection, table, list(same.values())):
                    ours.add(table, rows)
        for one in self._source.campaigns:
            if one.number in same and theirs.of(one.number) != ours.of(same[one.number]):
                raise LedgerError(
                    f"{self._ledger} has campaign {one.name!r} with other rows: one of the two went on "
                    "since; nothing was imported: import into another ledger, and compare"
                )

    def _number(self, new: Sequence[CampaignRef]) -> None:
        """Give the new campaigns the next numbers."""
        wanted = {one.number for one in new}
        listed = {one.number: one for one in self._source.campaigns}
        facts = columns.TABLES["campaigns"]
        for rows in self._source.chunks(facts):
            _refuse_unprintable(facts, rows)
            for row in rows:
                values = dict(zip(facts.names, row, strict=True))
                number = values.pop("campaign_id")
                refuse_unlisted(listed.get(number), values["name"], values["uid"])
                if number in wanted:
                    key = self._connection.execute(insert(campaigns), values).inserted_primary_key
                    self._numbers[number] = int(key[0])  # type: ignore[index]
                    self._rows["campaigns"] += 1
        if wanted - self._numbers.keys():
            raise LedgerError("a campaign that the manifest names is not there; export again")

    def _write(self, table: TableFacts, rows: Sequence[Row]) -> None:
        if table.name == "campaigns":
            return
        # The ledger numbers events itself.
        names = [name for name in table.names if (table.name, name) != ("events", "event_id")]
        _refuse_unprintable(table, rows)
        if table.name == "documents":
            rows = list(self._new_documents(rows))
        else:
            rows = list(self._renumbered(table, names, rows))
        if rows:
            insert_rows(self._connection, metadata.tables[table.name], names, rows)
            self._rows[table.name] += len(rows)

    def _new_documents(self, rows: Sequence[Row]) -> Iterator[Row]:
        column = documents.c.sha256
        known = set(
            self._connection.execute(select(column).where(column.in_([row[0] for row in rows]))).scalars()
        )
        for key, content in rows:
            if sha256(content) != key:
                raise LedgerError(f"document {key[:12]} is not the one that its checksum names")
            if key not in known:
                yield key, content

    def _renumbered(self, table: TableFacts, names: Sequence[str], rows: Sequence[Row]) -> Iterator[Row]:
        kept = [table.place(name) for name in names]
        place = table.place("campaign_id")
        skipped = {one.number for one in self._source.campaigns} - self._numbers.keys()
        for row in rows:
            number = row[place]
            if number in skipped:
                continue
            if number not in self._numbers:
                raise LedgerError(f"table {table.name} has rows of a campaign {number} that is not there")
            yield tuple(self._numbers[number] if k == place else row[k] for k in kept)

    def _refuse_contradictions(self) -> None:
        numbers = list(self._numbers.values())
        rows = self._connection.execute(select_rows(CampaignRow).where(campaigns.c.campaign_id.in_(numbers)))
        found = broken(LedgerRows(self._connection), [CampaignRow(*row) for row in rows])
        if found:
            raise LedgerError(
                f"{found[0].campaign}: {found[0].message}"
                + (f" (and {len(found) - 1} more)" if found[1:] else "")
                + "; nothing was imported"
            )
