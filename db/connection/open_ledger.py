"""An open ledger: its connections, and the campaigns that it has."""

from __future__ import annotations

import difflib
import glob
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from sqlalchemy import Connection, Engine, Select, select
from sqlalchemy.exc import DatabaseError

from db.connection.connect import check_schema, make_engine, parse_url, redacted_url, translated
from db.connection.held_file import HeldFile
from db.connection.ledger_rows import LedgerRows
from db.connection.server_watchdog import ServerWatchdog
from db.connection.snapshot import may_write, snapshot
from db.errors import LedgerError, UnknownCampaignError
from db.records import CampaignRow
from db.rows import Attempt, BenchmarkRow, Block, Instance, Metric, Point, Session
from db.states import RENAMED
from db.tables import campaigns, columns_of, events

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from tempfile import TemporaryDirectory

AnyRow = TypeVar("AnyRow", CampaignRow, Session, BenchmarkRow, Instance, Attempt, Metric, Block, Point)

_DAMAGE_SHOWN = 10


def select_rows(kind: type[AnyRow]) -> Select[Any]:
    """Return a statement that selects the columns of a row class, in the order of its attributes."""
    return select(*columns_of(kind))


def _check_file(file: Path) -> None:
    try:
        if file.is_file():
            return
    except PermissionError:
        raise LedgerError(f"this user may not read {file}: a folder above it is closed") from None
    if saved := sorted(file.parent.glob(f"{glob.escape(file.stem)}.saved-*{glob.escape(file.suffix)}")):
        raise LedgerError(
            f"no ledger at {file}: it was removed while drivers had it open, and they saved their rows as "
            f"{', '.join(one.name for one in saved)}; give that as --ledger, or move it back once its "
            "driver has ended"
        )
    raise LedgerError(f"no ledger at {file}; launch a campaign to make one, or give --ledger")


class OpenLedger:
    """Connections to a ledger that is only read.

    Parameters
    ----------
    url
        Ledger URL; by default the environment's ``ORCHESTRATOR_LEDGER``, else
        ``sqlite:///ledger.sqlite``.

    Raises
    ------
    LedgerError
        If the ledger does not exist, cannot be reached, or has another schema.
    """

    def __init__(self, url: str | None = None) -> None:
        self.url = parse_url(url)
        self._copy: TemporaryDirectory[str] | None = None
        if self.url.get_backend_name() == "sqlite":
            _check_file(self.file)
        self._engine = self._make_engine()
        self._watchdog = ServerWatchdog(self._engine)
        try:
            with self._watchdog.liveness():
                check_schema(self._engine, self.url)
        except LedgerError:
            self.close()
            raise

    def _make_engine(self) -> Engine:
        if self.url.get_backend_name() == "sqlite" and not may_write(self.file):
            self._copy = snapshot(self.file)
            return make_engine(self.url.set(database=str(self.file)), read_only=True)
        return make_engine(self.url, read_only=True)

    def refresh(self) -> None:
        """Copy the ledger anew where it is read from a copy; call it before what may have changed is read."""
        if self._copy is None:
            return
        self._engine.dispose()
        self._copy.cleanup()
        self._copy = snapshot(Path(str(self.url.database)), quiet=True)
        self._engine = make_engine(self.url.set(database=str(self.file)), read_only=True)
        self._watchdog = ServerWatchdog(self._engine)

    def hold_file(self) -> HeldFile | None:
        """Return the ledger's file, held open; None for PostgreSQL.

        Raises
        ------
        LedgerError, OSError
            If it cannot be opened again.
        """
        if self.url.get_backend_name() != "sqlite":
            return None
        held = HeldFile(self._engine, self.url)
        check_schema(self._engine, self.url)  # opens the next connection now, while the file is there
        return held

    def go_on_in(self, file: Path) -> None:
        """Go on with a copy of this SQLite ledger."""
        self._engine.dispose()
        self.url = self.url.set(database=str(file))
        self._engine = self._make_engine()
        self._watchdog = ServerWatchdog(self._engine)

    @property
    def file(self) -> Path:
        """The SQLite file that is read: the ledger's own, or a copy where this user may not write."""
        file = Path(str(self.url.database))
        return file if self._copy is None else Path(self._copy.name, file.name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __str__(self) -> str:
        return redacted_url(self.url)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()
        if self._copy is not None:
            self._copy.cleanup()

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """Yield a new connection whose transactions see one moment of the ledger throughout."""
        with self._connected() as connection:
            if connection.dialect.name == "postgresql":
                connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection

    @contextmanager
    def moment(self) -> Iterator[LedgerRows]:
        """Yield the rows of one moment; see `db.plain`."""
        with self.connection() as connection, connection.begin():
            yield LedgerRows(connection)

    def damage(self) -> list[str]:
        """Return what is wrong with the file itself; PostgreSQL checks its own."""
        with self.connection() as connection:
            if connection.dialect.name != "sqlite":
                return []
            try:
                found = connection.exec_driver_sql(f"PRAGMA integrity_check({_DAMAGE_SHOWN})")
                return [" ".join(message.split()) for (message,) in found if message != "ok"]
            except DatabaseError as error:
                return [str(error.orig)]

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        with self._watchdog.liveness(), translated(self.url), self._engine.connect() as connection:
            yield connection

    def _rows(self, statement: Select[Any]) -> Sequence[Any]:
        with self._connected() as connection, connection.begin():
            return connection.execute(statement).all()

    def _read(self, kind: type[AnyRow], statement: Select[Any]) -> list[AnyRow]:
        """Return the rows of a statement that selects the columns of `kind`."""
        return [kind(*row) for row in self._rows(statement)]

    def campaigns(self) -> list[CampaignRow]:
        """Return all campaigns, oldest first."""
        return self._read(CampaignRow, select_rows(CampaignRow).order_by(campaigns.c.campaign_id))

    def campaign(self, name: str) -> CampaignRow:
        """Return the campaign that has a name, or else the one that had it last before it was renamed.

        Raises
        ------
        UnknownCampaignError
            If there is none; the nearest name is suggested.
        """
        found = select_rows(CampaignRow)
        had = select(events.c.campaign_id).where(events.c.kind == RENAMED, events.c.subject == name)
        last = had.order_by(events.c.event_id.desc()).limit(1).scalar_subquery()
        rows = self._read(CampaignRow, found.where(campaigns.c.name == name))
        rows = rows or self._read(CampaignRow, found.where(campaigns.c.campaign_id == last))
        if rows:
            return rows[0]
        known = [row.name for row in self._rows(select(campaigns.c.name))]
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(known) or 'none yet'}"
        first, slash, instance = name.partition("/")
        if slash and first in known:
            hint = f"a campaign and its instance are two words: {first} {instance}"
        raise UnknownCampaignError(f"{self} has no campaign {name!r}; {hint}")
