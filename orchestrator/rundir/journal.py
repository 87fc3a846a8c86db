"""The journal: what attempts reported, on disk before anybody else knows.

One append-only file per worker process. A line is a checksum, a space and a JSON object; a line
that was cut short or damaged is recognised and left out, never guessed at. Its first value is the hash of
the chain of all lines before it (`orchestrator.rundir.chain`).
"""

from __future__ import annotations

import errno
import json
import os
import re
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from orchestrator.protocol.codec import MessageError
from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir.chain import CHAIN, Head, chain_of_end
from orchestrator.rundir.layout import JOURNAL_SUFFIX

_CHAIN = re.compile(rb'"%s":"[0-9a-f]{64}",' % CHAIN.encode())
_NO_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EBADF)  # of file systems that sync no directories


def append(file: Path, report: AttemptReport) -> None:
    """Append one report and return when it is on disk.

    Raises
    ------
    OSError
        If the line could not be written whole, for example on a full disk.
    """
    try:
        descriptor = _open(file)
    except FileNotFoundError:  # its folder went when the campaign's files were packed without this one
        file.parent.parent.mkdir(exist_ok=True)
        file.parent.mkdir(exist_ok=True)
        descriptor = _open(file)
    try:
        size = os.fstat(descriptor).st_size
        truncated = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
        chain = chain_of_end(descriptor, size)
        line = (b"\n" if truncated else b"") + encode(report.to_json(), chain)
        while line:
            line = line[os.write(descriptor, line) :]
        os.fsync(descriptor)
        if size == 0:
            for folder in file.parents[:3]:  # or a power cut could forget that the file exists
                sync_folder(folder)
    finally:
        os.close(descriptor)


def _open(file: Path) -> int:
    return os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)


def sync_folder(folder: Path) -> None:
    """Return when the names in a folder are on disk, or where a file system cannot tell, at once."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_SYNC:
            raise
    finally:
        os.close(descriptor)


def final_report(file: Path, token: str) -> AttemptReport | None:
    """Return the final report of an attempt in a journal, if it is there."""
    return next((report for report in _reports_of(file, token) if report.state.final), None)


def process_start_us(file: Path, token: str) -> int | None:
    """Return when an attempt started its processes, UTC microseconds; None if its journal has no report."""
    return next((report.process_start_us for report in _reports_of(file, token)), None)


def _reports_of(file: Path, token: str) -> Iterator[AttemptReport]:
    """Yield the reports of an attempt in a journal, which may not be there."""
    if file.is_file():
        for line in file.read_bytes().splitlines():
            report = decode_report(line)
            if report is not None and report.token == token:
                yield report


def encode(content: Mapping[str, Any], chain: str | None = None) -> bytes:
    """Return the journal line of JSON-ready data, newline included."""
    linked = content if chain is None else {CHAIN: chain, **content}
    text = json.dumps(linked, separators=(",", ":")).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)


def decode(line: bytes) -> dict[str, Any] | None:
    """Return the JSON data in a line (without its newline), or None if the line is damaged."""
    checksum, _, text = line.partition(b" ")
    if len(checksum) != 8 or checksum != b"%08x" % zlib.crc32(text):
        return None
    try:
        content = msgspec.json.decode(text)
    except msgspec.DecodeError:  # of what is no JSON, but also of NaN, which a training may report
        try:
            content = json.loads(text)
        except ValueError:
            return None
    return content if isinstance(content, dict) else None


def decode_report(line: bytes) -> AttemptReport | None:
    """Return the report in a line (without its newline), or None if the line is damaged or holds none."""
    content = decode(line)
    if content is None:
        return None
    try:
        return AttemptReport.from_json(content)
    except MessageError:
        return None


def describe_damage(file: Path, line: bytes) -> str:
    """Return where a damaged line is and how it begins, as it is kept for evidence."""
    return f"{file}: {_CHAIN.sub(b'', line, count=1)[:80].decode(errors='replace')}"


def journal_files(folder: str | Path) -> Iterator[os.DirEntry[str]]:
    """Yield the journals below a folder; one that is not there, or no more, has none."""
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        if entry.name.endswith(JOURNAL_SUFFIX):
            yield entry
        elif entry.is_dir():
            yield from journal_files(entry.path)


class Tail:
    """Reads all journals below a directory, each line once, as they grow.

    Parameters
    ----------
    directory
        Holds ``*.journal`` files, at any depth; may not exist yet.

    Attributes
    ----------
    complete
        Whether the last call could read all of them.
    """

    def __init__(self, directory: Path) -> None:
        self.complete = True
        self._directory = directory
        self._offsets: dict[str, int] = {}
        self._heads: dict[str, Head] = {}
        self._grown: set[str] = set()

    def new_heads(self) -> dict[str, Head]:
        """Return the heads of the journals that grew since the last call, by path below the directory."""
        grown, self._grown = self._grown, set()
        return {os.path.relpath(path, self._directory): self._heads[path] for path in sorted(grown)}

    def read(self) -> Iterator[AttemptReport]:
        """Yield the reports written since the last call; damaged lines are left for adoption to note."""
        self.complete = True
        try:
            found = list(journal_files(self._directory))
        except OSError:
            self.complete = False
            return  # errors of shared file systems pass; the next call reads again
        for entry in found:
            offset = self._offsets.get(entry.path, 0)
            try:
                if entry.stat().st_size <= offset:
                    continue
                with Path(entry.path).open("rb") as stream:
                    stream.seek(offset)
                    content = stream.read()
            except OSError:
                self.complete = False
                continue
            whole = content[: content.rfind(b"\n") + 1]  # a line still being written waits for its newline
            self._offsets[entry.path] = offset + len(whole)
            reports = []
            head = self._heads.get(entry.path, Head())
            for line in whole.split(b"\n"):
                head = head.after(line)
                if (report := decode_report(line)) is not None:
                    reports.append(report)
            if whole:
                self._heads[entry.path] = head
                self._grown.add(entry.path)
            yield from reports
