"""Rows of a campaign in its run directory, saved as they are written; with the journals they make its ledger.

``rows-1.gz`` has a gzip member, a *part*, for each save: a line that names the columns, lines with rows that
are new or changed since the part before, and a last line. A part without its last line was cut short and
counts for nothing. ``saved.json`` names the file and states how far its parts go. Left out is what journals
have: metrics, samples, curves, and the long texts of attempts.
"""

from __future__ import annotations

import contextlib
import fcntl
import gzip
import hashlib
import io
import json
import os
import zlib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection, Select, Table, func, select

from db.columns import SCHEMA
from db.errors import LedgerError
from db.events import SITE_CHANGES, EventKind
from db.plain import Row
from db.reader import Reader
from db.records import CampaignRow
from db.tables import attempts, benchmarks, blocks, campaigns, documents, events, instances, points, sessions

FROM_JOURNALS = ("observed", "data_facts", "stderr_tail")
"""Columns of attempts that the final report in a journal has."""
TABLES = (campaigns, sessions, benchmarks, points, instances, documents, attempts, events, blocks)
"""Tables whose rows are saved; each comes after those it refers to."""
_UNSAVED = {
    "campaigns": {"campaign_id", "lease_expires_us", "stop_request"},
    "attempts": {"campaign_id", *FROM_JOURNALS},
    "events": {"campaign_id", "event_id"},
}
_PLANNED = (benchmarks, points, instances)
_REPLANNED = (
    EventKind.BUDGET_SPENT,
    EventKind.CAMPAIGN_CHANGED,
    EventKind.CAMPAIGN_EXTENDED,
    EventKind.CAMPAIGN_REGISTERED,
    EventKind.EXHAUSTED_REOPENED,
    EventKind.INSTANCES_CHANGED,
    EventKind.INSTANCE_SUPERSEDED,
    EventKind.POINT_SETTLED,
    EventKind.QUESTIONS_REGISTERED,
    *SITE_CHANGES,
    EventKind.TRIAL_PRUNED,
    EventKind.TRIAL_SUGGESTED,
)
"""Kinds of events with which rows of these tables may change that no event names."""
SavedRow = dict[str, Any]
"""Values by column."""
_ROWS_PER_LINE = 1_000
_KEYS_PER_QUERY = 5_000
_PLACE = "saved.json"
_LATE_EVENTS = 100
"""Most events that PostgreSQL numbered before the last saved one, and showed only after it was saved."""


@dataclass(frozen=True, slots=True)
class Place:
    """How far saved rows go.

    Parameters
    ----------
    file
        Name of the file in the folder.
    schema, uid
        Of the ledger, and of the campaign.
    events
        Number of the campaign's events.
    last_sha256
        Of the last one of them; empty without any.
    """

    file: str
    schema: str
    uid: str
    bytes: int = 0
    events: int = 0
    last_sha256: str = ""


def saved_columns(table: Table) -> list[str]:
    """Return the columns of a table that are saved."""
    left_out = _UNSAVED.get(table.name, {"campaign_id"})
    return [str(one.name) for one in table.columns if one.name not in left_out]


def saved_place(folder: Path) -> Place | None:
    """Return how far the rows in a folder go; None if it has none."""
    try:
        return Place(**json.loads((folder / _PLACE).read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


class RowSaver:
    """Saves the rows of one campaign into a folder.

    Parameters
    ----------
    reader, row
        The open ledger, and the campaign in it.
    folder
        Made with the first save.
    """

    def __init__(self, reader: Reader, row: CampaignRow, folder: Path) -> None:
        self._reader = reader
        self._row = row
        self._folder = folder
        self._place: Place | None = None
        self._last_event = 0
        self._known: dict[tuple[str, Row], Row] = {}
        self._documents: set[str] = set()

    def check(self) -> None:
        """Raise `LedgerError` if the folder has events of the campaign that the ledger lacks."""
        with self._reader.connection() as connection, connection.begin():
            self._find(connection)

    def save(self) -> None:
        """Append the rows that are new or changed since the last save.

        Raises
        ------
        LedgerError
            If the ledger is away, or the folder has events of the campaign that it lacks.
        OSError
            If the folder cannot be written; the next save begins where this one did.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        with _alone(self._folder):
            self._save(anew=False)

    def _save(self, *, anew: bool) -> None:
        if anew or saved_place(self._folder) != self._place:  # the latter: another process has saved
            self._place, self._last_event = None, 0
            self._known.clear()
            self._documents.clear()
        with self._reader.connection() as connection, connection.begin():
            place = self._place or (self._new_place() if anew else self._find(connection))
            part = _Part(connection, self._row, self._last_event, self._known, self._documents)
            content = _compressed(place, part.lines())
        if not content:
            self._place = place
            return
        size = _append(self._folder / place.file, place, content)  # a slow disk holds no transaction open
        self._last_event = part.last_event
        self._known |= part.changed
        self._documents |= part.documents
        self._place = replace(
            place,
            bytes=size,
            events=place.events + part.events,
            last_sha256=part.last_sha256 or place.last_sha256,
        )
        _write_place(self._folder / _PLACE, self._place)
        for file in _files(self._folder):
            if not place.bytes and file.name != place.file:
                file.unlink()

    def save_last(self) -> None:
        """Save what is left; where events came in another order than their numbers, save all anew."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with _alone(self._folder):
            self._save(anew=False)
            saved = self._place.events if self._place is not None else 0
            if saved != self._event_count():
                self._save(anew=True)

    def _event_count(self) -> int:
        mine = events.c.campaign_id == self._row.campaign_id
        with self._reader.connection() as connection, connection.begin():
            return int(connection.execute(select(func.count()).where(mine)).scalar_one())

    def _new_place(self) -> Place:
        numbers = [int(file.stem.partition("-")[2]) for file in _files(self._folder)]
        return Place(f"rows-{max(numbers, default=0) + 1}.gz", SCHEMA, self._row.uid)

    def _find(self, connection: Connection) -> Place:
        """Return where to go on, and note the number of the last saved event in this ledger."""
        self._last_event = 0
        found = saved_place(self._folder)
        if found is None or found.schema != SCHEMA or found.uid != self._row.uid:
            return self._new_place()
        if not found.events:
            return found
        statement = select(events).where(events.c.campaign_id == self._row.campaign_id)
        ordered = statement.order_by(events.c.event_id).offset(found.events - 1).limit(_LATE_EVENTS)
        rows = connection.execute(ordered).all()
        hashes = [_event_sha256(one) for one in _portable(events, rows)]
        if found.last_sha256 not in hashes:
            what = "other ones than" if rows else "fewer than"
            raise LedgerError(
                f"the run directory {self._folder.parent} has {found.events:,} events of campaign "
                f"{self._row.name}, and this ledger {what} those: it is an older copy, or another copy of it "
                "went on there; go on with the newest ledger, or make it from the run directory: "
                f"orchestrator ledger rebuild {self._folder.parent} --ledger NEW.sqlite"
            )
        if hashes[0] != found.last_sha256 or not self._whole(found):
            return self._new_place()
        self._last_event = int(rows[0].event_id)
        return found

    def _whole(self, place: Place) -> bool:
        file = self._folder / place.file
        return file.is_file() and file.stat().st_size >= place.bytes


class _Part:
    """Rows of one save, read within one transaction.

    Parameters
    ----------
    after
        The last event that was saved before.
    known
        Rows of small tables as they were saved last, by table and key.
    documents
        Keys of documents that were saved before; afterwards those of this part.
    """

    def __init__(
        self,
        connection: Connection,
        row: CampaignRow,
        after: int,
        known: dict[tuple[str, Row], Row],
        documents: Collection[str],
    ) -> None:
        self.changed: dict[tuple[str, Row], Row] = {}
        self.documents: set[str] = set()
        self.last_event = after
        self.last_sha256 = ""
        self.events = 0
        self._connection = connection
        self._campaign = row.campaign_id
        self._known = known
        self._saved = frozenset(documents)
        self._touched: set[int] = set()
        self._replanned = not after

    def lines(self) -> Iterator[tuple[str, list[Row]]]:
        """Yield tables with rows; nothing if nothing has changed."""
        for table in (campaigns, sessions, blocks):
            if rows := self._changed_rows(table):
                yield table.name, rows
        for rows in self._new_events():
            yield events.name, rows
        if self._replanned:
            for table in _PLANNED:
                yield from self._rows(table, self._all(table))
        for keys in _portions(sorted(self._touched), _KEYS_PER_QUERY):
            if not self._replanned:
                yield from self._rows(
                    instances, self._all(instances).where(instances.c.instance_id.in_(keys))
                )
            for name, rows in self._rows(
                attempts, self._all(attempts).where(attempts.c.instance_id.in_(keys))
            ):
                self._note_documents(rows)
                yield name, rows
        for keys in _portions(sorted(self.documents), _KEYS_PER_QUERY):
            yield from self._rows(documents, select(documents).where(documents.c.sha256.in_(keys)))

    def _all(self, table: Table) -> Select[Any]:
        return select(table).where(table.c.campaign_id == self._campaign)

    def _changed_rows(self, table: Table) -> list[Row]:
        found = []
        keys = [one.name for one in table.primary_key.columns]
        for row in self._connection.execute(self._all(table)):
            key = (table.name, tuple(getattr(row, name) for name in keys))
            [saved] = _portable(table, [row])
            if self._known.get(key) != saved:
                self.changed[key] = saved
                found.append(saved)
        return found

    def _new_events(self) -> Iterator[list[Row]]:
        statement = self._all(events).where(events.c.event_id > self.last_event).order_by(events.c.event_id)
        for rows in self._connection.execute(_streamed(statement)).partitions():
            for row in rows:
                if row.instance_id is not None:
                    self._touched.add(row.instance_id)
                if row.kind == EventKind.DOCUMENT_RECORDED:
                    self._want(row.subject)
                self._replanned |= row.kind in _REPLANNED
            saved = _portable(events, rows)
            self.events += len(saved)
            self.last_event = rows[-1].event_id
            self.last_sha256 = _event_sha256(saved[-1])
            yield saved

    def _rows(self, table: Table, statement: Select[Any]) -> Iterator[tuple[str, list[Row]]]:
        ordered = statement.order_by(*table.primary_key.columns)
        for rows in self._connection.execute(_streamed(ordered)).partitions():
            yield table.name, _portable(table, rows)

    def _note_documents(self, rows: Iterable[Row]) -> None:
        names = saved_columns(attempts)
        places = [names.index("environment_sha256"), names.index("observation_sha256")]
        for row in rows:
            for place in places:
                self._want(row[place])

    def _want(self, key: str | None) -> None:
        if key is not None and key not in self._saved:
            self.documents.add(key)


def _streamed(statement: Select[Any]) -> Select[Any]:
    return statement.execution_options(stream_results=True, yield_per=_ROWS_PER_LINE)


def _portions(values: list[Any], number: int) -> Iterator[list[Any]]:
    for begin in range(0, len(values), number):
        yield values[begin : begin + number]


def _portable(table: Table, rows: Iterable[Any]) -> list[Row]:
    places = [list(table.columns.keys()).index(name) for name in saved_columns(table)]
    return [tuple(row[place] for place in places) for row in rows]


def _event_sha256(row: Row) -> str:
    return hashlib.sha256(msgspec.json.encode(row)).hexdigest()


def _compressed(place: Place, tables: Iterator[tuple[str, list[Row]]]) -> bytes:
    """Return a part; empty if it has no row."""
    first = next(tables, None)
    if first is None:
        return b""
    content = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=content, mode="wb", compresslevel=1, mtime=0) as part:
        columns = {table.name: saved_columns(table) for table in TABLES}
        part.write(msgspec.json.encode({"schema": SCHEMA, "uid": place.uid, "columns": columns}) + b"\n")
        for name, rows in chain([first], tables):
            part.write(msgspec.json.encode([str(name), rows]) + b"\n")
        part.write(b"{}\n")
    return content.getvalue()


def _append(file: Path, place: Place, content: bytes) -> int:
    """Write a part after those that count, and return the file's length."""
    with os.fdopen(os.open(file, os.O_RDWR | os.O_CREAT, 0o644), "r+b") as stream:
        stream.truncate(place.bytes)
        stream.seek(place.bytes)
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
        return stream.tell()


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let no other process save meanwhile, where the file system has locks."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _files(folder: Path) -> list[Path]:
    """Return the files of rows in a folder; a crash may leave the former one beside the present one."""
    found = [file for file in folder.glob("rows-*.gz") if file.stem.partition("-")[2].isdecimal()]
    return sorted(found, key=lambda file: int(file.stem.partition("-")[2]))


def _write_place(file: Path, place: Place) -> None:
    part = file.with_name(f"{file.name}.partial")
    part.write_text(json.dumps(asdict(place)))
    part.replace(file)


@dataclass(slots=True)
class SavedRows:
    """Rows that were saved of a campaign, each as it was saved last.

    Parameters
    ----------
    rows
        By table and key, as mappings of column to value; of events, in their order, by number.
    """

    uid: str = ""
    rows: dict[str, dict[Any, dict[str, Any]]] = field(
        default_factory=lambda: {one.name: {} for one in TABLES}
    )
    parts: int = 0

    def add(self, head: dict[str, Any], tables: Iterable[tuple[str, list[list[Any]]]]) -> None:
        """Take the rows of a part."""
        self.uid = head["uid"]
        self.parts += 1
        keys = {
            one.name: [key.name for key in one.primary_key.columns if key.name != "campaign_id"]
            for one in TABLES
        }
        for name, rows in tables:
            known, columns = self.rows[name], head["columns"][name]
            for values in rows:
                row = dict(zip(columns, values, strict=True))
                key = len(known) if name == events.name else tuple(row[one] for one in keys[name])
                known[key] = row


def read_saved(folder: Path) -> SavedRows:
    """Return the rows that a folder has, of its whole parts.

    Raises
    ------
    LedgerError
        If it has none, or another schema's.
    OSError
        If it cannot be read.
    """
    found = SavedRows()
    head: dict[str, Any] | None = None
    tables: list[tuple[str, list[list[Any]]]] = []
    place = saved_place(folder)
    if place is None and not _files(folder):
        raise LedgerError(f"{folder} has no saved rows: no campaign ran there, or an earlier version ran it")
    file = _files(folder)[-1] if place is None else folder / place.file
    try:
        with gzip.open(file) as stream:
            for line in stream:
                content = msgspec.json.decode(line)
                if head is None:
                    head, tables = content, []
                    if head["schema"] != SCHEMA:
                        raise LedgerError(
                            f"{file} has schema {head['schema']}, and this program {SCHEMA}: rebuild the "
                            "ledger with the version that ran the campaign, then upgrade it"
                        )
                elif content:
                    tables.append((content[0], content[1]))
                else:
                    found.add(head, tables)
                    head = None
    except (EOFError, gzip.BadGzipFile, zlib.error, msgspec.DecodeError):
        pass  # the last part was cut short
    if not found.parts:
        raise LedgerError(f"{file} has no whole part; import an export of the campaign, or restore a backup")
    return found
