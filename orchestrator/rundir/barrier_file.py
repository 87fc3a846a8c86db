"""The file that announces when the instances of a wave start."""

from __future__ import annotations

from pathlib import Path

from orchestrator.protocol.order import AttemptOrder
from orchestrator.rundir.layout import RunDirectory

LEAD_SECONDS = 3.0  # between announcement and start: within it all nodes have read the file


def barrier_of(order: AttemptOrder) -> Path | None:
    """Return the file that an attempt waits for; None where it starts as soon as it is ready."""
    if order.wave is None:
        return None
    return RunDirectory(Path(order.directory)).barrier_file(order.session, order.wave)


def announced_start(file: Path) -> int | None:
    """Return the announced start, UTC microseconds; None while there is none or the file cannot be read."""
    try:
        return int(file.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
