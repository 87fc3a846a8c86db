"""The journal: what attempts reported, on disk before anybody else knows.

One append-only file per worker process. A line is a checksum, a space and a JSON object; a line
that was cut short or damaged is recognised and left out, never guessed at.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


def append(file: Path, report: Mapping[str, Any]) -> None:
    """Append one report and return when it is on disk.

    Raises
    ------
    OSError
        If the line could not be written whole, for example on a full disk.
    """
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        size = os.fstat(descriptor).st_size
        torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
        line = (b"\n" if torn else b"") + encode(report)
        while line:
            line = line[os.write(descriptor, line) :]
        os.fsync(descriptor)
        if size == 0:
            _sync_folder(file.parent)  # or a power cut could forget that the file exists
    finally:
        os.close(descriptor)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def final_report(file: Path, token: str) -> dict[str, Any] | None:
    """Return the final report of an attempt in a journal, if it is there."""
    if not file.is_file():
        return None
    for line in file.read_bytes().splitlines():
        report = decode(line)
        if report is not None and report.get("token") == token and report.get("state") != "running":
            return report
    return None


def encode(report: Mapping[str, Any]) -> bytes:
    """Return the journal line of a report, newline included."""
    content = json.dumps(report, separators=(",", ":")).encode()
    return b"%08x %s\n" % (zlib.crc32(content), content)


def decode(line: bytes) -> dict[str, Any] | None:
    """Return the report in a line (without its newline), or None if the line is damaged."""
    checksum, _, content = line.partition(b" ")
    if len(checksum) != 8 or checksum != b"%08x" % zlib.crc32(content):
        return None
    try:
        report = json.loads(content)
    except ValueError:
        return None
    return report if isinstance(report, dict) else None


def lines(directory: Path) -> Iterator[tuple[Path, bytes, dict[str, Any] | None]]:
    """Yield every line of every journal below a directory: file, line, and its report unless damaged.

    A line without its newline was cut short by an end of its process, or is being written.
    """
    for file in sorted(directory.rglob("*.journal")):
        with file.open("rb") as stream:
            for line in stream:
                if line != b"\n":
                    yield file, line, decode(line.rstrip(b"\n"))


def damage(file: Path, line: bytes) -> str:
    """Return where a damaged line is and how it begins, as it is kept for evidence."""
    return f"{file}: {line[:80].decode(errors='replace')}"


class Tail:
    """Reads all journals below a directory, each line once, as they grow.

    Parameters
    ----------
    directory
        Holds ``*.journal`` files, at any depth; may not exist yet.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._offsets: dict[Path, int] = {}
        self.damaged: list[str] = []

    def read(self) -> Iterator[dict[str, Any]]:
        """Yield the reports written since the last call; damaged lines are noted in `damaged`."""
        for file in sorted(self._directory.rglob("*.journal")):
            offset = self._offsets.get(file, 0)
            try:
                if file.stat().st_size <= offset:
                    continue
                with file.open("rb") as stream:
                    stream.seek(offset)
                    content = stream.read()
            except OSError:
                continue  # a file system that stumbles is asked again next time
            whole = content[: content.rfind(b"\n") + 1]  # a line still being written waits for its newline
            self._offsets[file] = offset + len(whole)
            for line in whole.splitlines():
                report = decode(line)
                if report is not None:
                    yield report
                elif line:
                    self.damaged.append(damage(file, line))
