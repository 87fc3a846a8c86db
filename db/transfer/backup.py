"""A copy of an SQLite ledger at one moment, made while drivers go on writing."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from db.connection.connect import redacted_url, translated
from db.errors import LedgerError
from db.reader import Reader


def back_up(reader: Reader, file: Path) -> int:
    """Write a ledger's SQLite file as it is now into a new file and return its bytes.

    The file is whole or it is not there; the driver is not held up.

    Raises
    ------
    LedgerError
        If the file is there already, or the ledger is a PostgreSQL one.
    """
    if reader.url.get_backend_name() != "sqlite":
        raise LedgerError(
            f"{redacted_url(reader.url)} is backed up with PostgreSQL's own pg_dump; "
            "or copy it: orchestrator ledger copy, or ledger export"
        )
    if file.exists():
        raise LedgerError(f"{file} is there already; give the backup another name")
    if not file.parent.is_dir():
        raise LedgerError(f"the backup's folder {file.parent} does not exist")
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        with translated(reader.url):
            _copy(reader.file, part)
        _sync(part)
        part.rename(file)
    finally:
        part.unlink(missing_ok=True)
    return file.stat().st_size


def _copy(origin: Path, part: Path) -> None:
    part.touch(mode=0o600, exist_ok=False)
    with (
        closing(sqlite3.connect(f"file:{quote(str(origin))}?mode=ro", uri=True, timeout=30)) as source,
        closing(sqlite3.connect(part)) as copy,
    ):
        source.backup(copy)
        # One file that any tool opens, without the log beside it that a living ledger has.
        copy.execute("PRAGMA journal_mode = DELETE")
        found = copy.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise LedgerError(f"{origin} is damaged ({found}), and so would its backup be")


def _sync(file: Path) -> None:
    descriptor = os.open(file, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
