"""Other campaigns on the same cores of this machine: found, named to the user, and kept for the verdict."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

import psutil

from db.column_values import now_us
from db.errors import LedgerError
from db.events import EventKind
from db.ledger import Ledger
from db.records import CampaignRow
from orchestrator.host.processes import CAMPAIGN_MARK, campaigns_on_cores, with_mark

_log = logging.getLogger(__name__)
DIRECTORY_MARK = "ORCHESTRATOR_DIRECTORY"


class CoreConflicts:
    """Other campaigns of this machine on a campaign's cores, as far as regular checks see them.

    With a batch system nothing runs on the driver's own cores, and there is nothing to check.

    Parameters
    ----------
    book, row
        The ledger, and the campaign in it.
    cores
        Cores that the campaign uses on this machine; empty with a batch system.
    """

    def __init__(self, book: Ledger, row: CampaignRow, cores: Sequence[int]) -> None:
        self._book = book
        self._row = row
        self._cores = cores
        self._known: dict[str, str] = {}
        self._checked_us = now_us()

    def check(self) -> None:
        """Log, and keep for the verdict, which campaigns came to the cores and which left them.

        Where the ledger is away, this is tried again the next time.
        """
        if not self._cores:
            return
        now = now_us()
        found = campaigns_on_cores(self._cores, self._row.uid)
        try:
            for uid in sorted(found - self._known.keys()):
                name = _name(self._book, uid)
                message = f"another campaign, {name}, runs on the same cores of this machine"
                facts = {"campaign": uid, "since_us": self._checked_us}
                note = f"{message}; both will be slower"
                self._book.note(self._row.campaign_id, EventKind.CORES_SHARED, note, data=facts)
                self._known[uid] = name
                _log.warning("%s", note)
            for uid in sorted(self._known.keys() - found):
                message = f"the other campaign, {self._known[uid]}, has left the cores of this machine"
                facts = {"campaign": uid, "until_us": now}
                self._book.note(self._row.campaign_id, EventKind.CORES_FREE, message, data=facts)
                del self._known[uid]
                _log.info("%s", message)
        except LedgerError:
            return
        self._checked_us = now


def _name(book: Ledger, uid: str) -> str:
    """Return what is known of a campaign: its name where this ledger has it, else its folder's."""
    for other in book.campaigns():
        if other.uid == uid:
            return f"{other.name} of this ledger"
    folders = (_directory(process) for process in with_mark(CAMPAIGN_MARK, uid))
    folder = next(filter(None, folders), None)
    return f"{Path(folder).name} in {folder}" if folder else f"{uid[:8]} by its mark"


def _directory(process: psutil.Process) -> str | None:
    try:
        return process.environ().get(DIRECTORY_MARK)
    except (OSError, psutil.Error):
        return None  # ended meanwhile
