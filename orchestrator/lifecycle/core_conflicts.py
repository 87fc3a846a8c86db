"""Other campaigns on the same cores of this machine: found, named to the user, and kept for the verdict."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

import psutil

from db.errors import LedgerError
from db.events import EventKind
from db.ledger import Ledger
from db.records import Campaign
from orchestrator.host.processes import CAMPAIGN_MARK, campaigns_on_cores, with_mark

_log = logging.getLogger(__name__)
DIRECTORY_MARK = "ORCHESTRATOR_DIRECTORY"


def note_shared_cores(book: Ledger, row: Campaign, cores: Sequence[int], known: set[str]) -> None:
    """Log, and keep for the verdict, that another campaign of this machine uses the same cores.

    Each is noted once; `known` grows. Where the ledger is away, this is tried again the next time. With a
    batch system nothing runs on the driver's own cores.
    """
    for uid in sorted(campaigns_on_cores(cores, row.uid) - known) if cores else ():
        try:
            message = f"another campaign, {_name(book, uid)}, runs on the same cores of this machine"
            book.note(row.campaign_id, EventKind.CORES_SHARED, f"{message}; both will be slower")
        except LedgerError:
            return
        known.add(uid)
        _log.warning("%s; both will be slower", message)


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
