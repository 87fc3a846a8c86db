"""Notices that a session's run directory is gone: nothing more can start there."""

from __future__ import annotations

import logging
from pathlib import Path

from db.connection.connect import file_identity
from orchestrator.driver.stop_requests import StopLevel, StopRequests

_log = logging.getLogger(__name__)


class RunDirectoryWatch:
    """Drains a session whose run directory was removed or is another one.

    What runs may still finish and sends its report to the driver, which has the ledger elsewhere.
    """

    def __init__(self, path: Path, stops: StopRequests) -> None:
        self._path = path
        self._stops = stops
        self._identity = file_identity(path)
        self._told = False

    def check(self) -> None:
        """Ask for a drain if the directory is gone; one that cannot be read now may come back."""
        if self._told:
            return
        try:
            found = file_identity(self._path)
        except FileNotFoundError:
            found = None
        except OSError:
            return
        if found == self._identity:
            return
        self._told = True
        what = "is gone" if found is None else "was removed and made anew"
        _log.error(
            "the run directory %s %s, with its journals and logs: nothing more starts, reports of what runs "
            "still go to the ledger; put it back from a copy, then `orchestrator resume`",
            self._path,
            what,
        )
        self._stops.request(StopLevel.DRAIN, f"the run directory {self._path}, which {what}")
