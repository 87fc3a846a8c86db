"""Notes with each session which ledger file and run directory it has: a copy of either has another inode."""

from __future__ import annotations

import logging
from pathlib import Path

from db.connection.connect import file_identity
from db.events import EventKind
from db.ledger import Ledger
from db.records import CampaignRow

_log = logging.getLogger(__name__)


def note_place(book: Ledger, row: CampaignRow, session: int) -> None:
    """Record the inodes of ledger file and run directory, and which are not those of the session before.

    A restored or copied one is no error. What ran in another copy is in none of the two.
    """
    here = {"run_directory": _inode(Path(row.run_directory))}
    if book.url.get_backend_name() == "sqlite":
        here["ledger"] = _inode(book.file)
    before: dict[str, int | None] = {}
    for event in book.events(row.campaign_id, kinds=(EventKind.SESSION_PLACE,)):
        before = dict((event.data or {}).get("inodes", {}))
    copied = sorted(name for name, inode in here.items() if before.get(name) not in (None, inode))
    words = " and ".join(name.replace("_", " ") for name in copied)
    message = (
        f"ledger and run directory of session {session} are noted, for later sessions to be compared with"
    )
    if before:
        message = f"session {session} has the ledger and run directory of the session before"
    if copied:
        message = f"session {session} goes on with another {words} than the one before: a copy, or restored"
        _log.warning("%s", message)
    data = {"inodes": here, "copied": copied}
    book.note(row.campaign_id, EventKind.SESSION_PLACE, message, subject=f"session {session}", data=data)


def _inode(path: Path) -> int | None:
    try:
        return file_identity(path)[1]
    except OSError:
        return None
