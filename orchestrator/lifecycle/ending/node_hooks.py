"""Note in the ledger how the site's lines for the end of a node ended, as the nodes wrote it."""

from __future__ import annotations

import json
import logging
import threading
import time
from pathlib import Path
from typing import Any

from db.errors import LedgerError
from db.events import EventKind
from db.ledger import Ledger
from db.records import CampaignRow
from orchestrator.rundir.layout import RunDirectory
from orchestrator.wording import count_of

_log = logging.getLogger(__name__)
_NAME = "node_teardown"
_LOOK_SECONDS = 0.2


def note_node_hooks(
    book: Ledger, row: CampaignRow, session: int, wait_seconds: float = 0.0, *, running_seconds: float = 0.0
) -> None:
    """Note the outcomes on the nodes of a session, each once; those that do not come in time have failed.

    Parameters
    ----------
    wait_seconds
        Longest wait for nodes that have not written theirs.
    running_seconds
        Leave alone what began less than this ago and has not ended.
    """
    folder = RunDirectory(Path(row.run_directory)).node_hooks(session)
    deadline, announced = time.monotonic() + wait_seconds, 0
    pause = threading.Event()
    while (left := _unfinished(folder)) and time.monotonic() < deadline:
        if announced != left:
            _log.info("waiting for %s on %s", _NAME, count_of(left, "node"))
            announced = left
        pause.wait(_LOOK_SECONDS)
    for file, found in _read(folder).items():
        if "problem" not in found and _age_seconds(file) < running_seconds:
            continue
        problem = str(found.get("problem", "its end was not seen: its node died, or was ended first"))
        output = str(found.get("output", ""))
        text = problem or f"it ended after {float(found.get('seconds', 0.0)):.1f} s"
        message = f"{_NAME} on {found.get('node', 'a node')}: {text}" + (
            f"; it printed: {output}" if output else ""
        )
        kind = EventKind.HOOK_FAILED if problem else EventKind.HOOK_RAN
        try:
            book.note(row.campaign_id, kind, message, subject=_NAME, data={**found, "session": session})
        except LedgerError as error:
            _log.warning("what became of %s is not in the ledger: %s", _NAME, error)
            return
        if problem:
            _log.warning("%s", message)
        file.unlink(missing_ok=True)


def note_earlier_node_hooks(book: Ledger, row: CampaignRow, hook_timeout: float) -> None:
    """Note the outcomes that nodes of earlier sessions wrote after their driver had ended.

    Parameters
    ----------
    hook_timeout
        Seconds that a node may take.
    """
    for folder in RunDirectory(Path(row.run_directory)).all_node_hooks():
        note_node_hooks(book, row, int(folder.parent.name), running_seconds=hook_timeout)


def _age_seconds(file: Path) -> float:
    try:
        return time.time() - file.stat().st_mtime
    except OSError:  # being replaced
        return 0.0


def _unfinished(folder: Path) -> int:
    return sum("problem" not in one for one in _read(folder).values())


def _read(folder: Path) -> dict[Path, dict[str, Any]]:
    found = {}
    for file in sorted(folder.glob("*.json")):
        try:
            content = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):  # being replaced
            content = {}
        found[file] = content if isinstance(content, dict) else {}
    return found
