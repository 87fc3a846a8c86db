"""Where things are below a campaign's directory."""

from __future__ import annotations

from pathlib import Path

_FAN_OUT = 250  # instances whose logs share a folder: two files for each of their attempts


def log_folder(directory: Path, session: int, instance: int) -> Path:
    """Return where the logs of an instance's attempts are written, below the campaign's directory."""
    return directory / "logs" / str(session) / f"{instance // _FAN_OUT:04d}"
