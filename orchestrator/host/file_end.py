"""The end of a text file, on one line."""

from __future__ import annotations

import io
from pathlib import Path
from typing import BinaryIO

_BYTES = 4096
_CHARACTERS = 500


def last_lines(file: Path | BinaryIO) -> str:
    """Return the last lines of a file, joined by bars; empty if there are none or it cannot be read."""
    try:
        if isinstance(file, Path):
            with file.open("rb") as stream:
                return _end(stream)
        return _end(file)
    except OSError:
        return ""


def _end(stream: BinaryIO) -> str:
    stream.seek(0, io.SEEK_END)
    stream.seek(max(0, stream.tell() - _BYTES))
    text = stream.read().decode(errors="replace")
    printable = ("".join(one if one.isprintable() else " " for one in line) for line in text.splitlines())
    return " | ".join(line.strip() for line in printable if line.strip())[-_CHARACTERS:]
