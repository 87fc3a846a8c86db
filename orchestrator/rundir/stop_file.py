"""The file that keeps a session's queued attempts from starting."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any


def stopping(order: Mapping[str, Any]) -> bool:
    """Tell whether an attempt's session keeps its attempts from starting; no if a file system stumbles."""
    try:
        return stop_file(Path(order["directory"]), order["session"]).exists()
    except OSError:
        return False


def stop_file(directory: Path, session: int) -> Path:
    """Return the file that keeps a session's attempts from starting while it exists."""
    return directory / f"stop-{session}"
