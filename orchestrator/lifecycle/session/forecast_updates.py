"""Predict anew, in a process of its own and now and then, when the campaign of a session will end."""

from __future__ import annotations

import logging
import os
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress

from db.connection.connect import URL_VARIABLE
from db.events import EventKind, now_us
from db.ledger import Ledger
from db.records import CampaignRow
from orchestrator.host.own_modules import module_command

_log = logging.getLogger(__name__)
_LEAST_SECONDS = 600.0
_SHARE = 20
"""Time between two predictions: a share of the campaign's length so far."""
_COST = 50
"""A prediction follows after so many times as long as the last one took."""
_NICE = 19
_END_SECONDS = 5.0


class ForecastUpdates:
    """Runs ``analyze forecasts NAME --update`` while a campaign runs whose launch recorded a forecast.

    Parameters
    ----------
    environment
        Variables of the new process; its ledger is added, which no command line shows.
    """

    def __init__(self, book: Ledger, row: CampaignRow, environment: Mapping[str, str]) -> None:
        self._book, self._row = book, row
        self._environment = dict(environment)
        self._process: subprocess.Popen[str] | None = None
        self._began = 0.0
        self._due = time.monotonic() + _LEAST_SECONDS
        self._wanted = next(iter(book.events(row.campaign_id, kinds=[EventKind.FORECAST_REGISTERED])), None)

    def check(self) -> None:
        """Start a prediction if it is time; note how the last one ended. Never waits."""
        if self._process is not None:
            if self._process.poll() is not None:
                self._ended(self._process)
        elif self._wanted is not None and time.monotonic() >= self._due:
            self._start()

    def close(self) -> None:
        """End a prediction that runs."""
        if (process := self._process) is None:
            return
        self._process = None
        process.terminate()
        try:
            process.communicate(timeout=_END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()

    def _start(self) -> None:
        url = self._book.url.render_as_string(hide_password=False)
        self._began = time.monotonic()
        try:
            self._process = subprocess.Popen(
                module_command("orchestrator", "analyze", "forecasts", self._row.name, "--update"),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                env=self._environment | {URL_VARIABLE: url},
            )
        except OSError as error:
            _log.info("no forecast of what is left: %s", error)
            self._wanted = None
            return
        with suppress(OSError):  # it may have ended
            os.setpriority(os.PRIO_PROCESS, self._process.pid, _NICE)

    def _ended(self, process: subprocess.Popen[str]) -> None:
        _, errors = process.communicate()
        if process.returncode != 0:
            why = errors.strip().splitlines()[-1:] or [f"exit code {process.returncode}"]
            _log.info("no forecast of what is left: %s", why[0])
        now = time.monotonic()
        so_far = (now_us() - self._row.created_us) / 1e6
        self._due = now + max(_LEAST_SECONDS, so_far / _SHARE, _COST * (now - self._began))
        self._process = None
