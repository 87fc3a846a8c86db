"""How long a campaign still runs, or why nothing of it runs, for the process that runs it."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from db.column_values import now_us
from db.errors import LedgerError
from orchestrator.analysis.live.progress import live_progress
from orchestrator.monitoring.outlook import holdup

if TYPE_CHECKING:
    from db.records import CampaignRow

_PERIOD_SECONDS = 3.0
_COST = 50  # times as long as a reading took that pass until the next, but no longer than:
_MOST_SECONDS = 15.0


def expected_runtimes(row: CampaignRow) -> Mapping[str, float]:
    """Return the seconds that the campaign's file expects an instance of each benchmark to run."""
    return _expected_by_file(row.campaign_yaml)


@functools.lru_cache(maxsize=8)
def _expected_by_file(text: str) -> Mapping[str, float]:
    from orchestrator.errors import CampaignError  # here: a campaign that is over needs no file
    from orchestrator.planning.campaign_reading import parse_campaign

    try:
        benchmarks = parse_campaign(text, "the ledger").benchmarks
    except CampaignError:  # of another version
        return {}
    return {one.name: one.expected_runtime for one in benchmarks if one.expected_runtime is not None}


class LedgerEstimate:
    """The time left as `status` states it, read by a thread so that the driver never waits.

    Parameters
    ----------
    ledger
        URL of the ledger; None for the usual one.
    """

    def __init__(self, ledger: str | None) -> None:
        self._ledger = ledger
        self._reading: threading.Thread | None = None
        self._due = 0.0
        self._words = ""

    def __call__(self, campaign: str) -> str:
        """Return the last reading, at once; empty before the first."""
        alive = self._reading is not None and self._reading.is_alive()
        if not alive and time.monotonic() >= self._due:
            self._reading = threading.Thread(target=self._read, args=(campaign,), daemon=True)
            self._reading.start()
        return self._words

    def _read(self, campaign: str) -> None:
        from db.reader import Reader

        begin = time.monotonic()
        try:
            with Reader(self._ledger) as reader:
                row, now = reader.campaign(campaign), now_us()
                progress = live_progress(reader, row, now, expected_runtimes)
                parts = [str(progress.time_left)] if progress.done < progress.total else []
                if parts and not progress.slots_busy:
                    parts.append(holdup(reader, row, now))
                self._words = "  ".join(filter(None, parts))
        except (LedgerError, OSError):
            self._words = ""
        end = time.monotonic()
        self._due = end + min(max(_PERIOD_SECONDS, _COST * (end - begin)), _MOST_SECONDS)
