"""Notices that a session's ledger file was removed or replaced, and goes on with a copy of its rows."""

from __future__ import annotations

import contextlib
import logging
import os
from pathlib import Path

from db.connection.held_file import HeldFile
from db.errors import LedgerError
from db.events import EventKind
from db.ledger import Ledger
from db.records import CampaignRow

_log = logging.getLogger(__name__)


class LedgerFileWatch:
    """Saves an SQLite ledger whose file others removed or replaced while this driver has it open."""

    def __init__(self, book: Ledger, row: CampaignRow, session: int) -> None:
        self._book = book
        self._row = row
        self._session = session
        self._reported = False
        self._held = book.hold_file()

    def check(self) -> None:
        """Save the open ledger if its file is gone, and let the session go on with the copy."""
        if (held := self._held) is None or (problem := held.problem) is None:
            return
        found = f"the ledger {held.path} {problem}, although this driver has it open"
        if (saved := self._save(held)) is None:
            if not self._reported:
                _log.error(
                    "%s, and its rows can be saved neither there nor in %s: they end with this driver "
                    "unless one of the two becomes writable",
                    found,
                    self._row.run_directory,
                )
            self._reported = True
            return
        held.close()
        self._held = None  # should the copy be gone at once, nothing looks through a closed file
        message = (
            f"{found}: its rows are saved as {saved}, where session {self._session} goes on; "
            f"move it to {held.path} when the driver has ended, or give --ledger {saved}"
        )
        _log.error("%s", message)
        self._book.go_on_in(saved)
        self._held = self._book.hold_file()
        subject = f"session {self._session}"
        data = {"former": str(held.path), "saved": str(saved)}
        with contextlib.suppress(LedgerError):
            self._book.note(
                self._row.campaign_id, EventKind.LEDGER_REMOVED, message, subject=subject, data=data
            )

    def _save(self, held: HeldFile) -> Path | None:
        """Save the rows beside the ledger's place, or else in the run directory; None if neither works."""
        stem = held.path.stem.partition(".saved-")[0]
        name = f"{stem}.saved-{os.getpid()}-{self._session}{held.path.suffix}"
        for folder in (held.path.parent, Path(self._row.run_directory)):
            try:
                held.save(folder / name)
            except (LedgerError, OSError) as error:
                _log.debug("%s: %s", folder / name, error)
            else:
                return folder / name
        return None

    def close(self) -> None:
        """Look once more, and release the file."""
        self.check()
        if self._held is not None:
            self._held.close()
