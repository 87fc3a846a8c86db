"""The packer: makes one file of many, so that every byte can be read at every instant.

A pack is written beside its place, flushed to disk, read back, and given its name; only then is
removed what it holds. Whatever was begun and not ended is ended by the next packing.
"""

from __future__ import annotations

import copy
import fcntl
import os
import secrets
import shutil
import socket
import time
import zipfile
import zlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import psutil

from orchestrator.errors import CampaignError
from orchestrator.rundir.journal import journal_files, sync_folder
from orchestrator.rundir.layout import RunDirectory
from orchestrator.rundir.packed_reader import archive_file, packed_bytes, segments_of

_KEYS = "certificates"  # of Parsl's connections, which are over; private ones belong into no archive
_DAY_SECONDS = 86_400.0


@dataclass(frozen=True, slots=True)
class Packing:
    """Result of packing a campaign.

    Parameters
    ----------
    before, after
        Files below its directory.
    problems
        What could not be packed and stays as it was, each with its reason.
    """

    before: int
    after: int
    problems: tuple[str, ...] = ()


def pack_files(directory: Path, sessions: Collection[int], over: Collection[Path] = ()) -> Packing:
    """Pack the files of sessions below a campaign's directory.

    Nothing may write there any more. A line that comes all the same, from a worker that was cut
    off, stands in a file of its own and is read, and the next packing takes it.

    Parameters
    ----------
    over
        Folders there that are no longer needed; they are removed.

    Raises
    ------
    CampaignError
        If another process packs it now.
    """
    run = RunDirectory(directory)
    before = count_files(directory)
    problems: list[str] = []
    try:
        with only_writer(directory):
            for session in sessions:
                for pack_folder, folder in (
                    (_pack_journals, run.session_journals(session)),
                    (_pack_tree, run.session_logs(session)),
                    (_pack_tree, run.parsl(session)),
                ):
                    try:
                        pack_folder(folder)
                    except (OSError, ValueError, EOFError, zlib.error, zipfile.BadZipFile) as error:
                        problems.append(f"{folder}: {getattr(error, 'strerror', None) or error}")
            for folder in over:
                try:
                    shutil.rmtree(folder)
                except OSError as error:
                    problems.append(f"{folder}: {error.strerror}")
                with suppress(OSError):  # others are still needed
                    folder.parent.rmdir()
    except OSError as error:
        problems.append(f"{directory}: {error.strerror}")
    return Packing(before, count_files(directory), tuple(problems))


def count_files(directory: Path) -> int:
    """Return how many files are below a directory."""
    return sum(len(files) for _, _, files in os.walk(directory))


@contextmanager
def only_writer(directory: Path) -> Iterator[None]:
    """Keep other processes that pack or remove a campaign's files out.

    Raises
    ------
    CampaignError
        If one is at work.
    """
    file = RunDirectory(directory).compaction_lock
    with file.open("ab") as lock:
        busy = CampaignError(f"another process is packing or removing files of {directory} now")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise busy from None
        except OSError:
            pass  # a file system without locks; packs are still whole, and none replaces what it did not read
        try:
            theirs = os.fstat(lock.fileno()).st_ino != file.stat().st_ino
        except FileNotFoundError:
            theirs = True
        if theirs:  # the one who had it has just removed it
            raise busy
        try:
            yield
        finally:
            file.unlink(missing_ok=True)


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """Give the name under which to write what `_place` is to put there; without that it is removed."""
    for other in target.parent.glob(f"{target.name}.*.partial"):
        if _stale(other, target):
            other.unlink(missing_ok=True)
    writer = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"
    partial = target.with_name(f"{target.name}.{writer}.partial")
    try:
        yield partial
    finally:
        partial.unlink(missing_ok=True)


def _stale(partial: Path, target: Path) -> bool:
    """Tell whether a partial has no writer: its process on this host is dead, or it is a day old."""
    writer = partial.name.removeprefix(f"{target.name}.").removesuffix(".partial")
    host, _, process = writer.rpartition("-")[0].rpartition("-")
    if host == socket.gethostname() and process.isdecimal() and not psutil.pid_exists(int(process)):
        return True
    try:
        return time.time() - partial.stat().st_mtime > _DAY_SECONDS
    except FileNotFoundError:  # its writer has just ended
        return False


def _place(partial: Path, target: Path, read: tuple[int, int] | None) -> None:
    """Put a whole pack in the place of the one that was read, or of none.

    Where there are no locks, another packer may have been here meanwhile. What it placed is not
    replaced: that may be all there is of the files that it removed.
    """
    written = _identity(partial)
    if _identity(target) != read:
        raise OSError(f"another process has just packed {target}")
    partial.replace(target)
    sync_folder(target.parent)
    if _identity(target) != written:
        raise OSError(f"another process has just replaced {target}")


def _identity(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size


def _pack_journals(folder: Path) -> None:
    if not folder.is_dir():
        return
    sizes: dict[Path, int] = {}
    with _new_archive(archive_file(folder)) as archive:
        known = segments_of(archive, folder)
        number = 1 + max((int(name.partition("/")[0]) for name in archive.namelist()), default=0)
        for file in [Path(entry.path) for entry in journal_files(folder)]:
            content = file.read_bytes()
            rest = content[packed_bytes(content, known.get(file, ())) :]
            sizes[file] = len(content)
            if rest:
                archive.writestr(f"{number}/{file.relative_to(folder).as_posix()}", rest)
    _remove(folder, sizes)


def _pack_tree(folder: Path) -> None:
    files = {}
    for place, folders, names in os.walk(folder):
        folders.sort()
        for file in (Path(place) / name for name in sorted(names)):
            if _KEYS in file.relative_to(folder).parts[:-1]:
                file.unlink()
            elif file.is_file() and not file.is_symlink():
                files[file.relative_to(folder).as_posix()] = file
    sizes: dict[Path, int] = {}
    if files:
        with _new_archive(archive_file(folder), replaced=files) as archive:
            for name, file in files.items():
                archive.write(file, name)
                sizes[file] = archive.getinfo(name).file_size
    _remove(folder, sizes)


@contextmanager
def _new_archive(target: Path, replaced: Collection[str] = ()) -> Iterator[zipfile.ZipFile]:
    """Give a copy of an archive, less `replaced`, to add members to; it takes its place if any were added."""
    read = _identity(target)
    with _beside(target) as partial:
        with zipfile.ZipFile(partial, "x", zipfile.ZIP_DEFLATED, strict_timestamps=False) as new:
            _take_over(target, new, replaced)
            copied = len(new.namelist())
            yield new
            written = new.namelist()
        if len(written) == copied:
            return
        with partial.open("rb+") as stream:
            _flush(stream)
        with zipfile.ZipFile(partial) as archive:
            _compare((archive.testzip(), archive.namelist()), (None, written))
        _place(partial, target, read)


def _take_over(archive: Path, new: zipfile.ZipFile, replaced: Collection[str]) -> None:
    """Copy the members of an archive, if there is one, but for those of `replaced`."""
    if not archive.exists():
        return
    with zipfile.ZipFile(archive) as old:
        for info in old.infolist():
            if info.filename not in replaced:
                with old.open(info) as source, new.open(copy.copy(info), "w") as copied:
                    shutil.copyfileobj(source, copied)


def _flush(stream: BinaryIO) -> None:
    stream.flush()
    os.fsync(stream.fileno())


def _compare(found: object, expected: object) -> None:
    if found != expected:
        raise OSError("what was written was not read back")


def _remove(folder: Path, sizes: Mapping[Path, int]) -> None:
    """Remove files that were packed and have not grown since, and folders that are empty then."""
    for file, size in sizes.items():
        with suppress(FileNotFoundError):
            if file.stat().st_size == size:
                file.unlink()
    for place, _, _ in os.walk(folder, topdown=False):
        with suppress(OSError):
            Path(place).rmdir()
