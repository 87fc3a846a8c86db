"""Stop a campaign."""

from __future__ import annotations

import time

from db.ledger import Ledger
from db.reader import Reader
from orchestrator.lifecycle.driver_process.identity import is_dead, live_driver, this_user


def stop(
    name: str, *, ledger: str | None = None, cancel: bool = False, repeat: bool = True, source: str = ""
) -> bool:
    """Ask the driver of a campaign to drain, or to cancel if it drains already; False if none runs it.

    Parameters
    ----------
    cancel
        End running instances at once, instead of letting them finish.
    repeat
        True if a request of a driver that drains already cancels; otherwise such a request changes nothing.
    source
        Who asks, for the event; by default user and host of this process.
    """
    with Ledger(ledger) as book:
        row = book.campaign(name)
        if live_driver(row) is None:
            return False
        stops = row.stop_request in ("drain", "cancel")
        if stops and not (cancel or repeat):
            return True
        book.request_stop(row.campaign_id, "cancel" if cancel or stops else "drain", source or this_user())
        return True


def wait_until_stopped(name: str, *, ledger: str | None = None) -> str:
    """Return how the campaign's driver ended, once it has ended."""
    with Reader(ledger) as reader:
        while True:
            row = reader.campaign(name)
            if row.lease_owner is None:
                return row.outcome or "stopped"
            if is_dead(row.lease_owner):
                return "its driver died; resume goes on"
            time.sleep(0.5)
