"""Read what a campaign left, packed or not.

The journals and the logs of a session are packed into a zip archive each. A journal's member is named
by the packing that took it and by its file, ``2/0a/NAME.journal``: a file that was written again
after a packing has several members, its segments.
"""

from __future__ import annotations

import errno
import os
import zipfile
import zlib
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import IO, NamedTuple

from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir.journal import decode_report, journal_files


def lines(directory: Path) -> Iterator[tuple[Path, bytes, AttemptReport | None]]:
    """Yield every line of every journal below a directory: file, line, and its report unless damaged.

    A line without its newline was cut short by an end of its process, or is being written. A line
    that was packed comes with the file it was written to, and once, even where that file still
    exists. What is damaged of an archive itself comes as one damaged line.
    """
    try:
        names = {entry.name.partition(".")[0] for entry in directory.iterdir()}
    except FileNotFoundError:
        return
    for session in sorted(names - {""}):  # hidden files of NFS begin with a dot
        for file, line in _session_lines(directory / session):
            if line != b"\n":
                yield file, line, decode_report(line.rstrip(b"\n"))


def journals(directory: Path, session: str | None = None) -> Iterator[tuple[str, list[bytes]]]:
    """Yield every journal below a directory: its path there, and its pieces in the order they were written.

    A later piece goes on with the chain of the piece before it, or begins a new one: the file of a late line
    that came after a packing. What of an archive cannot be read is left out; `lines` has the damage.

    Parameters
    ----------
    session
        The session whose journals are wanted; None for all.
    """
    with suppress(FileNotFoundError, NotADirectoryError):
        names = {entry.name.partition(".")[0] for entry in directory.iterdir()} - {""}
        for name in sorted(names if session is None else names & {session}):
            folder = directory / name
            found = _packed_pieces(archive_file(folder), folder)
            for entry in journal_files(folder):
                content = Path(entry.path).read_bytes()
                pieces = found.setdefault(Path(entry.path), [])
                if content := content[_known_bytes(content, pieces) :]:
                    pieces.append(content)
            for file, pieces in sorted(found.items()):
                yield file.relative_to(directory).as_posix(), pieces


def _packed_pieces(file: Path, folder: Path) -> dict[Path, list[bytes]]:
    found: dict[Path, list[bytes]] = {}
    try:
        with zipfile.ZipFile(file) as archive:
            for info in archive.infolist():
                with suppress(EOFError, zipfile.BadZipFile, zlib.error):
                    found.setdefault(_segment(info, folder).file, []).append(archive.read(info))
    except (FileNotFoundError, IsADirectoryError, zipfile.BadZipFile):
        pass
    return found


def _known_bytes(content: bytes, pieces: Iterable[bytes]) -> int:
    known = 0
    for piece in pieces:
        known += len(piece) if content.startswith(piece, known) else 0
    return known


class Segment(NamedTuple):
    """Bytes of a journal in an archive: the file they were written to, their number, their checksum."""

    file: Path
    size: int
    crc: int


def segments_of(archive: zipfile.ZipFile, folder: Path) -> dict[Path, list[Segment]]:
    """Return what an archive of a session's journals has of each file, in the order it was written."""
    found: dict[Path, list[Segment]] = {}
    for info in archive.infolist():
        segment = _segment(info, folder)
        found.setdefault(segment.file, []).append(segment)
    return found


def packed_bytes(content: bytes, segments: Iterable[Segment]) -> int:
    """Return how many bytes of a file's content are in its segments, from its beginning."""
    known = 0
    for _, size, crc in segments:
        piece = content[known : known + size]
        if len(piece) == size and zlib.crc32(piece) == crc:
            known += size
    return known


def _session_lines(folder: Path) -> Iterator[tuple[Path, bytes]]:
    archive = archive_file(folder)
    segments = _packed_segments(archive, folder)
    read: set[Segment] = set()
    for entry in journal_files(folder):  # before the archive: what is packed meanwhile is found there
        file = Path(entry.path)
        try:
            content = file.read_bytes()
        except FileNotFoundError:
            continue
        rest = content[packed_bytes(content, segments.get(file, ())) :]
        read.add(Segment(file, len(rest), zlib.crc32(rest)))
        for line in BytesIO(rest):
            yield file, line
    yield from _archived_lines(archive, folder, read)


def _packed_segments(file: Path, folder: Path) -> dict[Path, list[Segment]]:
    try:
        with zipfile.ZipFile(file) as archive:
            return segments_of(archive, folder)
    except (FileNotFoundError, IsADirectoryError, zipfile.BadZipFile):
        return {}


def _archived_lines(file: Path, folder: Path, read: Collection[Segment]) -> Iterator[tuple[Path, bytes]]:
    """Yield the lines of an archive's segments, but for those of `read`."""
    try:
        with zipfile.ZipFile(file) as archive:
            for info in archive.infolist():
                segment = _segment(info, folder)
                if segment in read:
                    continue
                try:
                    with archive.open(info) as stream:
                        for line in stream:
                            yield segment.file, line
                except (EOFError, zipfile.BadZipFile, zlib.error) as error:
                    yield file, f"{error}\n".encode()
    except FileNotFoundError:
        return
    except IsADirectoryError:
        yield file, b"it is a directory, not an archive\n"
    except zipfile.BadZipFile as error:
        yield file, f"{error}\n".encode()


def _segment(info: zipfile.ZipInfo, folder: Path) -> Segment:
    return Segment(folder / info.filename.partition("/")[2], info.file_size, info.CRC)


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
