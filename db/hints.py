"""What a user can do about an error of SQLite or PostgreSQL."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from db.snapshot import may_write

if TYPE_CHECKING:
    from sqlalchemy.engine import URL

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
    "database or disk is full": "free some space (`df -h {folder}`). What it has is kept; resume afterwards",
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
