"""The driver's own journal: results that reached it and that their workers could not write to theirs."""

from __future__ import annotations

import logging
from pathlib import Path

from db.events import EventKind
from orchestrator.driver.records.event_log import EventLog
from orchestrator.driver.records.journal_reader import JournalReader
from orchestrator.rundir import journal
from orchestrator.rundir.layout import JOURNAL_SUFFIX, RunDirectory
from orchestrator.wording import count_of

PERIOD_SECONDS = 5.0
_LATE_SECONDS = 30.0  # for file systems that show what other nodes wrote late

_log = logging.getLogger(__name__)


class OwnJournal:
    """Writes what stands in no worker's journal, as soon as the run directory takes it.

    A disk that was full or read-only for a while would leave accepted results without evidence.
    """

    def __init__(self, directory: Path, session: int, journals: JournalReader, events: EventLog) -> None:
        self._file = RunDirectory(directory).session_journals(session) / f"driver{JOURNAL_SUFFIX}"
        self._session = session
        self._journals = journals
        self._events = events
        self._told = False
        self._written = 0

    def write_late(self) -> None:
        """Write what should have stood in a journal for long."""
        self._write(_LATE_SECONDS)

    def write_last(self) -> None:
        """Write what is in no journal at the end of the session, and say what could not be written."""
        for _ in self._journals.read(now=True):
            pass
        self._write(0.0)
        subject = f"session {self._session}"
        if self._written:
            message = (
                f"{count_of(self._written, 'result')} that workers could not write to their journals: the "
                f"driver's own has them, {self._file}"
            )
            self._events.record(EventKind.RESULTS_JOURNALLED, message, subject=subject)
        if number := len(self._journals.unread(0.0)):
            message = (
                f"{count_of(number, 'accepted result', 'stand')} in no journal, as {self._file.parent} could "
                "not be written: nothing but the ledger has them"
            )
            self._events.record(
                EventKind.RESULTS_NOT_JOURNALLED, message, subject=subject, level=logging.ERROR
            )

    def _write(self, seconds: float) -> None:
        for report in self._journals.unread(seconds):
            try:
                journal.append(self._file, report)
            except OSError as error:
                if not self._told:
                    self._told = True
                    _log.warning(
                        "%s: %s; results that are in no journal are written there once there is room",
                        self._file,
                        error.strerror,
                    )
                return
            self._told = False
            self._written += 1
            self._journals.found(report.token)
