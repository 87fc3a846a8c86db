"""File systems of their own that tests may fill."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.schedulers.fixtures import missing


@contextmanager
def mounted(folder: Path, size: str) -> Iterator[Path]:
    """Provide a folder that holds so many bytes, such as ``2m``; skip the test where none may be mounted."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder]
    try:
        refused = subprocess.run(mount, capture_output=True, check=False).returncode
    except OSError:
        refused = 1
    missing(["only root may mount a small disk"] * bool(refused))
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)
