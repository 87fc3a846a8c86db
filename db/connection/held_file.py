"""The file of an open SQLite ledger, which others may remove or replace while it is open."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from db.connection.connect import file_identity, translated

if TYPE_CHECKING:
    from sqlalchemy import Engine
    from sqlalchemy.engine import URL


class HeldFile:
    """A ledger's file, held open by a connection that is used for nothing else.

    The rows stay readable through it when the file's name is gone; a new connection would open another file.

    Parameters
    ----------
    engine, url
        Of an open SQLite ledger.
    """

    def __init__(self, engine: Engine, url: URL) -> None:
        self.path = Path(str(url.database))
        self._url = url
        self._identity = file_identity(self.path)
        with translated(url):
            self._connection: Any = engine.raw_connection()
            self._connection.cursor().execute("SELECT count(*) FROM sqlite_master")  # SQLite opens it now

    @property
    def problem(self) -> str | None:
        """Words for what became of the file's name: gone, or another file; None if it is as it was."""
        try:
            found = file_identity(self.path)
        except FileNotFoundError:
            return "is gone"
        except OSError:
            return None  # it may be readable again
        return None if found == self._identity else "is another file"

    def save(self, to: Path) -> None:
        """Copy the open ledger into a new file; one that is there is replaced.

        Raises
        ------
        LedgerError, OSError
            If it cannot be written whole; nothing is left of it then.
        """
        part = to.with_name(f".{to.name}.part")
        try:
            with translated(self._url), closing(sqlite3.connect(part)) as copy:
                self._connection.driver_connection.backup(copy)
            part.replace(to)
        finally:
            part.unlink(missing_ok=True)

    def close(self) -> None:
        """Give the connection back."""
        self._connection.close()
