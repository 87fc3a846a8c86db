"""The end of a driver's log."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO

_LOG_LINES = 40
_LOG_BYTES = 16_384


def log_lines(directory: str) -> list[str]:
    """Return the last lines of a campaign's driver log, or why there are none."""
    from orchestrator.rundir.layout import RunDirectory

    file = RunDirectory(Path(directory)).driver_log
    try:
        with file.open("rb") as stream:
            return last_lines(stream)
    except OSError as error:
        return [f"driver log {file} cannot be read: {error.strerror}"]


def last_lines(stream: IO[bytes]) -> list[str]:
    """Return the last lines of an open log."""
    stream.seek(max(0, stream.seek(0, os.SEEK_END) - _LOG_BYTES))
    return stream.read().decode(errors="replace").splitlines()[-_LOG_LINES:]
