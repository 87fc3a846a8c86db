"""Ledger URLs, database engines, and the check of the schema."""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Engine, create_engine, event, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DataError, IntegrityError, SQLAlchemyError

from db.columns import SCHEMA
from db.connection.snapshot import may_write
from db.errors import DeadlockError, LedgerError, RefusedError, SchemaError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.engine import URL


DEFAULT_URL = "sqlite:///ledger.sqlite"
URL_VARIABLE = "ORCHESTRATOR_LEDGER"
_BUSY_SECONDS = 5.0
_WRITER_CACHE_KIB = 8_192  # of the driver's memory, which grows until it is full; more is no faster
# Tokens are random, so each batch touches pages all over their index: they are written back once for
# several batches.
_WAL_PAGES = 8_192
_SMALLEST_BYTES = 512  # of an SQLite database, which has a page of them
_STEPS = 1_000_000  # of SQLite's machine, some milliseconds
# A server that disappears is detected within a minute.
_KEEPALIVE = {
    "connect_timeout": 10,
    "keepalives": 1,
    "keepalives_idle": 20,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
_ROW_ERRORS = (DataError, IntegrityError, OverflowError, UnicodeError)
_SHARED_FILE_SYSTEMS = (
    "nfs",
    "lustre",
    "gpfs",
    "beegfs",
    "ceph",
    "cifs",
    "smb",
    "afs",
    "sshfs",
    "panfs",
    "dvs",
    "wekafs",
    "gluster",
    "orangefs",
    "pvfs2",
    "dfuse",
    "ocfs2",
    "gfs2",
)


def parse_url(given: str | None) -> URL:
    """Return the ledger's URL from an option, else the environment, else the default file.

    A plain path ending in ``.sqlite`` or ``.db`` is taken as an SQLite file.

    Raises
    ------
    LedgerError
        If the text is no URL, or names a database other than SQLite and PostgreSQL.
    """
    raw = given or os.environ.get(URL_VARIABLE) or DEFAULT_URL
    try:
        plain = "://" not in raw and Path(raw).suffix in {".sqlite", ".db", ".sqlite3"}
        url = URL.create("sqlite", database=raw) if plain else make_url(raw)
    except (ArgumentError, ValueError):  # a port that is no number; its message could hold a password
        raise LedgerError(
            "the ledger must be a path that ends in .sqlite or .db, or a URL such as "
            "postgresql://user@host/name"
        ) from None
    if url.get_backend_name() == "postgresql":
        if "@" in (url.host or ""):
            raise LedgerError("the ledger's URL has @ in its user or password; write it as %40")
        url = url.set(drivername="postgresql+psycopg")
        # Read now: what the engine starts must not inherit it, so it leaves the environment later.
        if url.password is None and "password" not in url.query and os.environ.get("PGPASSWORD"):
            url = url.set(password=os.environ["PGPASSWORD"])
        return url
    if url.get_backend_name() != "sqlite":
        raise LedgerError(f"a ledger is sqlite or postgresql, not {url.get_backend_name()}")
    if not url.database or url.database == ":memory:":
        raise LedgerError("a ledger needs a file: sqlite:///path/to/ledger.sqlite")
    return url.set(database=str(Path(url.database).expanduser().absolute()))


def redacted_url(url: URL) -> str:
    """Return the URL as text without its password."""
    secret = {key: "***" for key in url.query if "password" in key}
    url = url.update_query_dict(secret)
    return url.render_as_string(hide_password=True).replace("postgresql+psycopg", "postgresql")


def make_engine(url: URL, *, read_only: bool) -> Engine:
    """Make an engine; SQLite readers cannot write and never hold up the writer."""
    if url.get_backend_name() == "postgresql":
        # Compiling a query takes longer than it saves, even over a million attempts.
        options = "-c default_transaction_read_only=on -c jit=off" if read_only else ""
        # A prepared statement is a single statement: it cannot end the transaction and go on after it.
        connect = {"options": options, "prepare_threshold": 0}
        # Of a statement that failed in a pipeline it logs a warning too, beside the error that it raises.
        logging.getLogger("psycopg").addHandler(logging.NullHandler())
        connect |= {name: value for name, value in _KEEPALIVE.items() if name not in url.query}
        return create_engine(url, pool_pre_ping=True, connect_args=connect)
    engine = create_engine(url, connect_args={"timeout": _BUSY_SECONDS})

    @event.listens_for(engine, "connect")
    def _configure(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # BEGIN is sent below
        connection.execute("PRAGMA foreign_keys = ON")
        if read_only:
            # Python handles signals only between two calls, and a query is one call, however long.
            connection.set_progress_handler(lambda: 0, _STEPS)
            connection.execute("PRAGMA query_only = ON")
            connection.set_authorizer(_only_this_file)
        else:
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute(f"PRAGMA cache_size = -{_WRITER_CACHE_KIB}")
            connection.execute(f"PRAGMA wal_autocheckpoint = {_WAL_PAGES}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Any) -> None:
        connection.exec_driver_sql("BEGIN" if read_only else "BEGIN IMMEDIATE")

    return engine


def _only_this_file(action: int, *_: str | None) -> int:
    """Refuse to attach another file, which SQLite creates if it does not exist."""
    other = action in (sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH)
    return sqlite3.SQLITE_DENY if other else sqlite3.SQLITE_OK


def use_wal(engine: Engine, url: URL) -> None:
    """Switch an SQLite file to WAL, so that readers and the writer do not block each other."""
    if url.get_backend_name() != "sqlite":
        return
    with translated(url):
        connection = engine.raw_connection()  # outside of a transaction
        try:
            _switch_to_wal(connection.cursor())
        finally:
            connection.close()


def _switch_to_wal(cursor: Any) -> None:
    """Switch with retries: this statement does not wait for another process that switches too."""
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return


@contextmanager
def translated(url: URL) -> Iterator[None]:
    """Turn a database driver's error into one line that names the ledger and never its password.

    Raises
    ------
    RefusedError
        If the database refuses a row.
    DeadlockError
        If PostgreSQL undid the transaction to end a deadlock.
    LedgerError
        For every other error.
    """
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error, sqlite3.Warning, OverflowError, UnicodeError) as error:
        origin = getattr(error, "orig", None) or error
        cause = str(origin).strip().splitlines()
        row_error = isinstance(error, _ROW_ERRORS) or isinstance(origin, OverflowError | UnicodeError)
        kind = RefusedError if row_error else DeadlockError if is_deadlock(origin) else LedgerError
        problem = cause[0] if cause else type(error).__name__
        if problem == "interrupted" and isinstance(origin, sqlite3.Error):
            raise KeyboardInterrupt from None
        todo = "" if row_error else hint(problem, url)
        raise kind(f"ledger {redacted_url(url)}: {problem}" + (f"; {todo}" if todo else "")) from error


def is_deadlock(error: object) -> bool:
    """Return whether an error of a database driver is PostgreSQL's ``deadlock_detected``."""
    return getattr(error, "sqlstate", None) == "40P01"


def check_schema(engine: Engine, url: URL) -> None:
    """Refuse a ledger whose tables are missing, older or newer.

    Raises
    ------
    SchemaError
        With the command that corrects it.
    LedgerError
        If the database cannot be reached.
    """
    with translated(url), engine.connect() as connection:
        known = inspect(connection).get_table_names()
        found = (
            connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
            if "alembic_version" in known
            else None
        )
    if found == SCHEMA:
        return
    address = redacted_url(url)
    if found is None:
        refuse_foreign_tables(url, known)
        raise SchemaError(f"{address} has no ledger tables; run: orchestrator ledger init --ledger {address}")
    if str(found) > SCHEMA:
        raise SchemaError(
            f"{address} was written by a newer version (schema {found}, this program knows {SCHEMA}); "
            "install the newer orchestrator"
        )
    raise SchemaError(
        f"{address} has schema {found}, this program needs {SCHEMA}; "
        f"run: orchestrator ledger upgrade --ledger {address}"
    )


def refuse_foreign_tables(url: URL, tables: list[str]) -> None:
    """Refuse an SQLite file with tables of another program; a PostgreSQL database may hold other tables."""
    if tables and url.get_backend_name() == "sqlite":
        raise SchemaError(f"{redacted_url(url)} has tables that are not a ledger's; name another --ledger")


def check_place(url: URL) -> None:
    """Refuse a file that is no SQLite database, or on a file system whose locks cannot be trusted.

    Raises
    ------
    LedgerError
        On a network file system, if the folder is missing or not writable, or if the file is
        there and no SQLite database.
    """
    if url.get_backend_name() != "sqlite" or url.database is None:
        return
    folder = Path(url.database).parent
    if not folder.is_dir():
        raise LedgerError(f"the ledger's folder {folder} does not exist")
    if not os.access(folder, os.W_OK):
        raise LedgerError(
            f"the ledger's folder {folder} is not writable for this user; name another --ledger"
        )
    kind = file_system(folder)
    if kind.removeprefix("fuse.").startswith(_SHARED_FILE_SYSTEMS):
        raise LedgerError(
            f"{folder} is on {kind}, where SQLite can lose data; "
            "put the ledger on a local disk or give a postgresql:// URL"
        )
    if not _may_be_sqlite(Path(url.database)):
        raise LedgerError(f"{url.database} is not an SQLite database")


def _may_be_sqlite(file: Path) -> bool:
    """Tell whether a file is absent, empty or an SQLite database.

    SQLite looks itself: the end of any other opening of the file would release the locks of this process's
    connections to it, and another process could remove the log that they read (sqlite.org/howtocorrupt.html).
    """
    if not file.is_file() or not (size := file.stat().st_size):
        return True
    if size < _SMALLEST_BYTES:  # SQLite takes a very short file of any kind for an empty one
        return False
    try:
        address = f"{file.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, timeout=0)) as connection:
            connection.execute("PRAGMA schema_version")
    except sqlite3.OperationalError:  # it cannot be read now, and whoever opens it says why
        return True
    except sqlite3.DatabaseError:
        return False
    return True


def file_identity(path: Path) -> tuple[int, int]:
    """Return device and inode of a file or folder; raises OSError."""
    found = os.stat(path)  # noqa: PTH116  is_file takes a mount that fails for a file that is gone
    return found.st_dev, found.st_ino


def file_system(path: Path) -> str:
    """Return the type of the file system that holds `path`, e.g. ``ext4`` or ``lustre``; else ``unknown``."""
    try:
        import psutil
    except ModuleNotFoundError:  # a browser's Python has none, and no file systems to tell apart
        return "unknown"
    resolved = path.resolve()
    mounts = {Path(part.mountpoint): part.fstype for part in psutil.disk_partitions(all=True)}
    return next((mounts[place] for place in (resolved, *resolved.parents) if place in mounts), "unknown")


_READ_ONLY = "attempt to write a readonly database"
_SQLITE = {
    "error in view": "drop that view, run the command again, and make the view anew with the present names",
    "error in trigger": "drop that trigger, run the command again, and make it anew with the present names",
    "unable to open database file": (
        "check with `ls -ld` that {folder} and the file exist and that this user may write both"
    ),
    "disk I/O error": (
        "the disk below {folder} fails: look at `df -h {folder}` and the system's log, and keep a ledger on "
        "a local disk. What it has is kept; resume afterwards"
    ),
    "database or disk is full": (
        "free some space (`df -h {folder}`), and run the command again. A campaign that had begun is kept; "
        "resume it"
    ),
    "database is locked": "another program holds it: `fuser {file}` names it; try again when it has ended",
    "database disk image is malformed": (
        "the file is damaged: restore a backup or an export; `orchestrator resume` then adopts what the "
        "journals have"
    ),
}

_POSTGRESQL = {
    "Connection refused": "no server listens there: check the host and the port, and that PostgreSQL runs",
    "failed to resolve host": "check the host's name in the URL, and this machine's name service",
    "timeout expired": "the server does not answer: check the host, the port, and any firewall between",
    "No such file or directory": "no server has its socket there: check that it runs, or name its host",
    "password authentication failed": "check the user and the password, in $ORCHESTRATOR_LEDGER or ~/.pgpass",
    "no password supplied": "put the password into ~/.pgpass, or the whole URL into $ORCHESTRATOR_LEDGER",
    "no pg_hba.conf entry": "the server's pg_hba.conf has to allow this user from this machine",
    "too many clients": "raise the server's max_connections, or end what holds them (`pg_stat_activity`)",
    "remaining connection slots": (
        "raise the server's max_connections, or end what holds them (`pg_stat_activity`)"
    ),
    "No space left on device": (
        "free some space on the server. What the ledger has is kept; resume afterwards"
    ),
}


def hint(problem: str, url: URL) -> str:
    """Return what a user can do about an error of a ledger's database; empty if unknown."""
    if url.get_backend_name() == "sqlite":
        return _of_sqlite(problem, Path(str(url.database)))
    if f'database "{url.database}" does not exist' in problem:
        return f"make it with `createdb {url.database}`"
    return next((text for known, text in _POSTGRESQL.items() if known in problem), "")


def _of_sqlite(problem: str, file: Path) -> str:
    if _READ_ONLY in problem:
        if may_write(file):
            return "a query can only read: use one SELECT"
        return f"this user may not write {file} or its folder; commands that only read work all the same"
    found = next((text for known, text in _SQLITE.items() if known in problem), "")
    return found.format(folder=file.parent, file=file)
