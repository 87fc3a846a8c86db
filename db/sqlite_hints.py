"""Hints for users on errors of SQLite."""

from __future__ import annotations

from pathlib import Path

from db.snapshot import may_write

_READ_ONLY = "attempt to write a readonly database"
_HINTS = {
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


def hint(problem: str, file: str | None) -> str:
    """Return what a user can do about an SQLite error of a ledger's file; empty if unknown."""
    if file is None:
        return ""
    place = Path(file)
    if _READ_ONLY in problem:
        if may_write(place):
            return "a query can only read: use one SELECT"
        return f"this user may not write {place} or its folder; commands that only read work all the same"
    found = next((text for known, text in _HINTS.items() if known in problem), "")
    return found.format(folder=place.parent, file=place)
