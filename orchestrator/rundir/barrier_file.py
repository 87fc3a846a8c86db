"""The file that announces when the instances of a wave start."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

LEAD_SECONDS = 3.0  # between the announcement and the start: all nodes must have read of it by then


def gate_file(directory: Path, session: int, wave: int) -> Path:
    """Return the file that announces when a wave starts, in UTC microseconds."""
    return directory / "gates" / f"{session}-{wave}"


def order_gate(order: Mapping[str, Any]) -> Path | None:
    """Return the file that the attempt of an order waits for; None where it starts when it is ready."""
    if order["wave"] is None:
        return None
    return gate_file(Path(order["directory"]), order["session"], order["wave"])


def announced(file: Path) -> int | None:
    """Return the announced instant, or None while there is none, or a file system stumbles over it."""
    try:
        return int(file.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
