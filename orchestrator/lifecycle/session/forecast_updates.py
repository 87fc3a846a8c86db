"""Predict anew, in a process of its own and now and then, when the campaign of a session will end."""

from __future__ import annotations

import logging
import os
import subprocess
import tempfile
import time
from contextlib import suppress
from typing import IO

from db.connection.connect import URL_VARIABLE
from db.events import now_us
from db.ledger import Ledger
from db.records import CampaignRow
from orchestrator.analysis.projection.forecasts import registered_forecast
from orchestrator.host.own_modules import module_command
from orchestrator.host.processes import kill_child

_log = logging.getLogger(__name__)
_LEAST_SECONDS = 600.0
"""Between two predictions, and before the first."""
_AGE_SHARE = 0.05
"""The next prediction follows after this share of the campaign's age."""
_COST_RATIO = 50
"""The next prediction follows after so many times the seconds that the last one took."""
_LOWEST_PRIORITY = 19
_END_SECONDS = 5.0


class ForecastUpdates:
    """Runs ``analyze forecasts NAME --update`` while a campaign runs whose launch recorded a forecast.

    The process gets today's environment, and the ledger by a variable, which no list of processes shows.
    """

    def __init__(self, book: Ledger, row: CampaignRow, *, enabled: bool) -> None:
        self._book, self._row = book, row
        self._environment = dict(os.environ)
        # Closed by `close`.
        self._errors: IO[str] = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115
        self._process: subprocess.Popen[bytes] | None = None
        self._began = 0.0
        self._due = time.monotonic() + _LEAST_SECONDS
        self._enabled = enabled and registered_forecast(book, row) is not None

    def check(self) -> None:
        """Start a prediction if it is time; note how the last one ended. Never waits."""
        if self._process is not None:
            if (code := self._process.poll()) is not None:
                self._ended(code)
        elif self._enabled and time.monotonic() >= self._due:
            self._start()

    def close(self) -> None:
        """End a prediction that runs."""
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(_END_SECONDS)
            except subprocess.TimeoutExpired:
                kill_child(self._process)
            self._process = None
        self._errors.close()

    def _start(self) -> None:
        url = self._book.url.render_as_string(hide_password=False)
        self._began = time.monotonic()
        self._errors.seek(0)
        self._errors.truncate()
        try:
            self._process = subprocess.Popen(
                module_command("orchestrator", "analyze", "forecasts", self._row.name, "--update"),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                env=self._environment | {URL_VARIABLE: url},
                start_new_session=True,  # Ctrl-C at the terminal is the driver's
            )
        except OSError as error:
            _log.info("no forecast of what is left: %s", error)
            self._enabled = False
            return
        with suppress(OSError):  # it may have ended
            os.setpriority(os.PRIO_PROCESS, self._process.pid, _LOWEST_PRIORITY)

    def _ended(self, code: int) -> None:
        self._process = None
        if code != 0:
            self._errors.seek(0)
            why = self._errors.read().strip().splitlines()[-1:] or [f"exit code {code}"]
            _log.info("no forecast of what is left: %s", why[0])
        now = time.monotonic()
        age = (now_us() - self._row.created_us) / 1e6
        self._due = now + max(_LEAST_SECONDS, _AGE_SHARE * age, _COST_RATIO * (now - self._began))
