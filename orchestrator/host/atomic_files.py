"""Files that readers see with their old content or with all of the new, never in between."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def atomic_write(file: Path, text: str | bytes) -> None:
    """Write bytes, or a text as UTF-8, beside a file's place and rename it; a file has one writer at a time.

    Raises
    ------
    OSError
        If it cannot be written; the old content stays.
    """
    partial = file.with_name(f"{file.name}.partial")
    try:
        partial.write_bytes(text if isinstance(text, bytes) else text.encode())
        partial.replace(file)
    except OSError:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        raise
