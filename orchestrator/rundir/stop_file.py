"""The file that keeps a session's queued attempts from starting."""

from __future__ import annotations

from pathlib import Path

from orchestrator.protocol.order import AttemptOrder
from orchestrator.rundir.layout import RunDirectory


def stop_requested(order: AttemptOrder) -> bool:
    """Return whether an attempt's session starts no attempts now; False if the file system fails."""
    try:
        return RunDirectory(Path(order.directory)).stop_file(order.session).exists()
    except OSError:
        return False
