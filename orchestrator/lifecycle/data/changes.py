"""Finds data files that changed after the launch had hashed them."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from db.errors import LedgerError
from db.events import EventKind
from db.ledger import Ledger
from db.records import CampaignRow
from orchestrator.lifecycle.data.hashes import MOST_FILES, data_set_facts
from orchestrator.rulebooks import registry

_log = logging.getLogger(__name__)


def note_changed_data(book: Ledger, row: CampaignRow) -> None:
    """Note each data set whose hash is no longer that of the launch.

    Unchanged files are not read again, except for a run that must not be modified.
    Sets of which not every file was hashed, and those that cannot be read from here, are left alone.
    """
    kinds = (EventKind.DATA_READ, EventKind.DATA_CHANGED)
    last = {event.subject: event.data or {} for event in book.events(row.campaign_id, kinds=kinds)}
    found: dict[str, dict[str, Any]] = {}
    anew = row.run_class in registry.load(row.rulebook).unmodified_run_classes
    for benchmark, facts in last.items():
        path = str(facts.get("path", ""))
        if "sha256" not in facts or facts.get("hashed") != "all files" or facts["files"] > MOST_FILES:
            continue
        try:
            now = found[path] if path in found else data_set_facts(Path(path), anew=anew)
        except OSError as error:
            _log.warning("data of %s cannot be read again: %s", benchmark, error)
            continue
        found[path] = now
        if now["sha256"] == facts["sha256"]:
            continue
        message = f"data of {benchmark} in {path} are no longer those that were hashed: they were changed"
        _log.warning("%s", message)
        try:
            book.note(row.campaign_id, EventKind.DATA_CHANGED, message, subject=benchmark, data=now)
        except LedgerError as error:
            _log.warning("that the data changed is not in the ledger: %s", error)
            return
