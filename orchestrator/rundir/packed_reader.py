"""Reading what a campaign left, be it packed or not.

A packed journal has those of a session, each as a part: a line that names the file it is from,
then the bytes of that file as they were written. A session's logs are packed into a zip.
"""

from __future__ import annotations

import errno
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO, NamedTuple

from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir.journal import below, decode, decode_report, encode, of_a_packer
from orchestrator.rundir.layout import JOURNAL_SUFFIX


def lines(directory: Path) -> Iterator[tuple[Path, bytes, AttemptReport | None]]:
    """Yield every line of every journal below a directory: file, line, and its report unless damaged.

    A line without its newline was cut short by an end of its process, or is being written. A line
    that was packed comes with the file it was written to; one that stands there still, comes once.
    """
    read = set()
    # Packed ones last: what is packed and removed meanwhile is then found in there.
    for folder in _folders(directory):
        parts: dict[Path, list[Part]] | None = None
        for entry in below(folder):
            file = Path(entry.path)
            try:
                content = file.read_bytes()
            except FileNotFoundError:
                continue
            if parts is None:
                parts = parts_of(packed_file(Path(folder)))
            known = packed_bytes(content, parts.get(file, ()))
            if not known:
                read.add(Part(file, len(content), zlib.crc32(content)))
            for line in BytesIO(content[known:]):
                if line != b"\n":
                    yield file, line, decode_report(line.rstrip(b"\n"))
    for file in sorted(directory.glob(f"*{JOURNAL_SUFFIX}")):
        for part, packed in unpacked(file, file.with_suffix("")):
            if packed is not None and packed != b"\n" and part not in read:
                yield part.file if part else file, packed, decode_report(packed.rstrip(b"\n"))


class Part(NamedTuple):
    """Bytes that were packed: the file they were written to, how many they are, their checksum."""

    file: Path
    size: int
    crc: int


def packed_file(folder: Path) -> Path:
    """Return the journal that holds those of a session's folder once they are packed."""
    return folder.with_name(f"{folder.name}{JOURNAL_SUFFIX}")


def as_part(name: str, content: bytes) -> bytes:
    """Return what a packed journal says of the bytes of a file, `name` being its place in the folder."""
    head = encode({"packed": name, "bytes": len(content), "crc": zlib.crc32(content)})
    whole = content.rfind(b"\n") + 1
    if whole == len(content):
        return head + content
    return head + content[:whole] + encode({"packed": name, "torn": True}) + content[whole:] + b"\n"


def unpacked(file: Path, folder: Path) -> Iterator[tuple[Part | None, bytes | None]]:
    """Yield each line of a journal with the part it stands in; each part first by itself, without a line.

    `folder` is the session's, in which the parts were files.
    Outside a packed journal, and before a part that is still to be read, there is no part.
    """
    part, torn = None, False
    with file.open("rb") as stream:
        for line in stream:
            header = decode(line.rstrip(b"\n")) if of_a_packer(line) else None
            if header is None:
                yield part, line.removesuffix(b"\n") if torn else line
                torn = False
            elif "torn" in header:
                torn = True
            else:
                part = Part(folder / header["packed"], header["bytes"], header["crc"])
                yield part, None


def parts_of(file: Path) -> dict[Path, list[Part]]:
    """Return the parts of a packed journal by the files they are from; none where it does not exist."""
    found: dict[Path, list[Part]] = {}
    if file.is_file():
        for part, line in unpacked(file, file.with_suffix("")):
            if part is not None and line is None:
                found.setdefault(part.file, []).append(part)
    return found


def packed_bytes(content: bytes, parts: Iterable[Part]) -> int:
    """Return how many bytes of a file's content are packed already, as its parts tell in their order."""
    known = 0
    for _, size, crc in parts:
        piece = content[known : known + size]
        if len(piece) == size and zlib.crc32(piece) == crc:
            known += size
    return known


def archive_file(folder: Path) -> Path:
    """Return the zip that holds a session's folder once it is packed."""
    return folder.with_name(f"{folder.name}.zip")


@contextmanager
def opened_log(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a log that the ledger names, packed or not.

    Raises
    ------
    OSError
        If it is not there, or cannot be read: then, or as it is being read.
    """
    file = Path(path)
    folder = file.parent.parent  # its session's
    with ExitStack() as opened:
        try:
            stream: IO[bytes] = opened.enter_context(file.open("rb"))
        except OSError:
            archive = archive_file(folder)
            try:
                packed = opened.enter_context(zipfile.ZipFile(archive))
                stream = opened.enter_context(packed.open(file.relative_to(folder).as_posix()))
            except (KeyError, zipfile.BadZipFile) as error:
                raise OSError(errno.ENOENT, f"{file.name} is not in it", str(archive)) from error
        try:
            yield stream
        except (EOFError, zipfile.BadZipFile, zlib.error) as error:
            raise OSError(errno.EIO, str(error), str(file)) from error


def read_log(path: str | Path, last: int | None = None) -> bytes | None:
    """Return a log that the ledger names, packed or not; None if it is not there, or cannot be read.

    Parameters
    ----------
    last
        How many bytes of its end are enough.
    """
    try:
        with opened_log(path) as stream:
            if last is not None:
                stream.seek(max(0, stream.seek(0, os.SEEK_END) - last))
            return stream.read()
    except OSError:
        return None


def log_exists(path: str | Path) -> bool:
    """Return whether a log that the ledger names is there, packed or not."""
    return Path(path).exists() or archive_of(path) is not None


def archive_of(path: str | Path) -> Path | None:
    """Return the zip that alone holds a log that the ledger names; None if there is none."""
    file = Path(path)
    folder = file.parent.parent
    try:
        if file.exists():
            return None
        with zipfile.ZipFile(archive_file(folder)) as archive:
            archive.getinfo(file.relative_to(folder).as_posix())
    except (OSError, KeyError, zipfile.BadZipFile):
        return None
    return archive_file(folder)


def _folders(directory: Path) -> list[str]:
    try:
        with os.scandir(directory) as found:
            return sorted(entry.path for entry in found if entry.is_dir())
    except FileNotFoundError:
        return []
