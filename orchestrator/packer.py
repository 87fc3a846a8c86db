"""The packer: makes one file of many, so that every byte can be read at every instant.

A pack is written beside its place, flushed to disk, read back, and given its name; only then is
removed what it holds. Whatever was begun and not ended is ended by the next packing.
"""

from __future__ import annotations

import copy
import fcntl
import os
import shutil
import socket
import zipfile
import zlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from orchestrator.errors import CampaignError
from orchestrator.journal import below, sync_folder
from orchestrator.packed import (
    Part,
    archive_file,
    as_part,
    packed_bytes,
    packed_file,
    parts_of,
    unpacked,
)

_KEYS = "certificates"  # of Parsl's connections, which are over; private ones belong into no archive


@dataclass(frozen=True, slots=True)
class Packing:
    """What packing a campaign did.

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


def pack_files(directory: Path, sessions: Collection[int]) -> Packing:
    """Pack the files of sessions below a campaign's directory.

    Nothing may write there any more. A line that comes all the same, from a worker that was cut
    off, stands in a file of its own and is read, and the next packing takes it.

    Raises
    ------
    CampaignError
        If somebody packs it now.
    """
    before = count_files(directory)
    problems: list[str] = []
    try:
        with _alone(directory):
            for session in sessions:
                for pack_folder, folder in (
                    (_pack_journals, directory / "journals" / str(session)),
                    (_pack_tree, directory / "logs" / str(session)),
                    (_pack_tree, directory / "parsl" / str(session)),
                ):
                    try:
                        pack_folder(folder)
                    except (OSError, ValueError, zipfile.BadZipFile) as error:
                        problems.append(f"{folder}: {getattr(error, 'strerror', None) or error}")
    except OSError as error:
        problems.append(f"{directory}: {error.strerror}")
    return Packing(before, count_files(directory), tuple(problems))


def count_files(directory: Path) -> int:
    """Return how many files are below a directory."""
    return sum(len(files) for _, _, files in os.walk(directory))


@contextmanager
def _alone(directory: Path) -> Iterator[None]:
    """Keep other packers of a campaign out."""
    file = directory / "packing.lock"
    with file.open("ab") as lock:
        busy = CampaignError(f"somebody is packing {directory} now")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise busy from None
        except OSError:
            pass  # a file system without locks; packs are then still whole, each under a name of its own
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
    """Give the name under which to write what is to replace a file, or to come into being, whole."""
    for stale in target.parent.glob(f"{target.name}.*.partial"):
        stale.unlink(missing_ok=True)
    partial = target.with_name(f"{target.name}.{socket.gethostname()}-{os.getpid()}.partial")
    try:
        yield partial
        if partial.exists():
            partial.replace(target)
            sync_folder(target.parent)
    finally:
        partial.unlink(missing_ok=True)


def _pack_journals(folder: Path) -> None:
    target = packed_file(folder)
    if not folder.is_dir():
        return
    known = parts_of(target)
    sizes: dict[Path, int] = {}
    new: list[Part] = []
    with _beside(target) as partial:
        with partial.open("xb") as stream:
            if target.exists():
                _copy_whole(target, stream)
            for file in [Path(entry.path) for entry in below(folder)]:
                content = file.read_bytes()
                rest = content[packed_bytes(content, known.get(file, ())) :]
                sizes[file] = len(content)
                if rest:
                    stream.write(as_part(file.relative_to(folder).as_posix(), rest))
                    new.append(Part(file, len(rest), zlib.crc32(rest)))
            _flush(stream)
        if new:
            _compare(_measured(partial, folder), (_measured(target, folder) if target.exists() else []) + new)
        else:
            partial.unlink()
    _remove(folder, sizes)


def _copy_whole(target: Path, stream: BinaryIO) -> None:
    with target.open("rb") as old:
        shutil.copyfileobj(old, stream)
        old.seek(-1, os.SEEK_END)
        if old.read() != b"\n":
            raise OSError(f"{target} was cut: its last line has no end")


def _measured(file: Path, folder: Path) -> list[Part]:
    """Return the parts of a packed journal with the sizes and checksums that their bytes really have."""
    found: list[Part] = []
    for part, line in unpacked(file, folder):
        if line is None and part is not None:
            found.append(Part(part.file, 0, 0))
        elif line is not None and found:
            last = found[-1]
            found[-1] = Part(last.file, last.size + len(line), zlib.crc32(line, last.crc))
    return found


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
        with _beside(archive_file(folder)) as partial:
            with zipfile.ZipFile(partial, "x", zipfile.ZIP_DEFLATED, strict_timestamps=False) as new:
                _take_over(archive_file(folder), new, files)
                for name, file in files.items():
                    new.write(file, name)
                    sizes[file] = new.getinfo(name).file_size
                written = new.namelist()
            with partial.open("rb+") as stream:
                _flush(stream)
            with zipfile.ZipFile(partial) as archive:
                _compare((archive.testzip(), archive.namelist()), (None, written))
    _remove(folder, sizes)


def _take_over(archive: Path, new: zipfile.ZipFile, files: Collection[str]) -> None:
    """Copy what an earlier packing took, but for what stands on disk still, or again."""
    if not archive.exists():
        return
    with zipfile.ZipFile(archive) as old:
        for info in old.infolist():
            if info.filename not in files:
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
