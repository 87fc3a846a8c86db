"""Saves a campaign's rows in its run directory, so that a lost ledger can be rebuilt."""

from __future__ import annotations

import logging
import time
from pathlib import Path

from db.errors import LedgerError
from db.ledger import Ledger
from db.records import CampaignRow
from db.transfer.saved_rows import RowSaver
from orchestrator.errors import CampaignError
from orchestrator.rundir.layout import RunDirectory

_BETWEEN_SECONDS = 10.0
_SHARE_OF_TIME = 50  # saving takes at most a fiftieth of the driver's time
_log = logging.getLogger(__name__)


def refuse_older_ledger(book: Ledger, row: CampaignRow) -> None:
    """Raise `CampaignError` if the run directory has events of the campaign that the ledger lacks."""
    try:
        _saver(book, row).check()
    except LedgerError as error:
        raise CampaignError(str(error)) from None


def save_rows(book: Ledger, row: CampaignRow) -> None:
    """Save what a command changed of a campaign that no driver runs, where the run directory is there."""
    if Path(row.run_directory).is_dir():
        SessionRows(book, row).save_last()


class SessionRows:
    """Saves what a session writes to the ledger, every ten seconds or slower."""

    def __init__(self, book: Ledger, row: CampaignRow) -> None:
        self._saver = _saver(book, row)
        self._folder = RunDirectory(Path(row.run_directory)).saved_rows
        self._next = 0.0
        self._reported = False

    def save_first(self) -> None:
        """Save now, and again when the driver first turns: by then it has registered what it goes by."""
        self._save(last=False)
        self._next = 0.0

    def save_some(self) -> None:
        """Save if it is time."""
        if time.monotonic() >= self._next:
            self._save(last=False)

    def save_last(self) -> None:
        """Save all that is left."""
        self._save(last=True)

    def _save(self, *, last: bool) -> None:
        begin = time.monotonic()
        try:
            if last:
                self._saver.save_last()
            else:
                self._saver.save()
            self._reported = False
        except (LedgerError, OSError) as error:
            if not self._reported:
                _log.warning("%s: rows are not saved: %s; a lost ledger lacks them", self._folder, error)
            self._reported = True
        end = time.monotonic()
        self._next = end + max(_BETWEEN_SECONDS, _SHARE_OF_TIME * (end - begin))


def _saver(book: Ledger, row: CampaignRow) -> RowSaver:
    return RowSaver(book, row, RunDirectory(Path(row.run_directory)).saved_rows)
