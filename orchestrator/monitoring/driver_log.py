"""The end of a driver's log."""

from __future__ import annotations

import os
from pathlib import Path

_LOG_LINES = 40
_LOG_BYTES = 16_384


def log_lines(directory: str) -> list[str]:
    """Return the last lines of a campaign's driver log, or why there are none."""
    from orchestrator.rundir.layout import RunDirectory

    file = RunDirectory(Path(directory)).driver_log
    try:
        with file.open("rb") as stream:
            stream.seek(max(0, stream.seek(0, os.SEEK_END) - _LOG_BYTES))
            text = stream.read().decode(errors="replace")
    except OSError as error:
        return [f"driver log {file} cannot be read: {error.strerror}"]
    return text.splitlines()[-_LOG_LINES:]
