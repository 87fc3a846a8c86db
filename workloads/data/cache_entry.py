"""Entries of the dataset cache: folders of typed ``.npy`` files, written aside and renamed into place.

``entry.json`` of an entry has the facts of the data set and, of each array, the file's size, a hash of
blocks spread over it, which every reader compares, and the hash of all of it, which a copy is compared with.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

MANIFEST = "entry.json"
_BLOCK, _BLOCKS = 4096, 64
_DAY = 86_400


@dataclass(frozen=True, slots=True)
class Parsed:
    """A data set in memory: arrays by name, facts that a run reports, and the entry it is mapped from."""

    arrays: Mapping[str, NDArray[Any]]
    facts: Mapping[str, Any]
    entry: Path | None = None


def open_entry(entry: Path) -> Parsed | None:
    """Return an entry's mapped arrays and facts, or None if it is missing, cut short or damaged."""
    try:
        manifest = json.loads((entry / MANIFEST).read_bytes())
        arrays = {}
        for name, recorded in manifest["arrays"].items():
            path = entry / f"{name}.npy"
            with path.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                if (size, _sample(file, size)) != (recorded["bytes"], recorded["sample"]):
                    return None
            arrays[name] = np.asarray(np.load(path, mmap_mode="r"))
        return Parsed(arrays, manifest["facts"], entry)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def write_entry(folder: Path, parsed: Parsed) -> None:
    """Write arrays and manifest to disk before anyone can see them."""
    arrays = {}
    for name, given in parsed.arrays.items():
        array = np.ascontiguousarray(given)
        path = folder / f"{name}.npy"
        with path.open("x+b") as file:
            _write_header(file, array)
            file.write(array.reshape(-1).view(np.uint8).data)  # not array.tofile: it hides why a disk refused
            flush(file)
            size = os.fstat(file.fileno()).st_size
            file.seek(0)
            whole = hashlib.file_digest(file, "blake2b").hexdigest()
            arrays[name] = {"bytes": size, "sample": _sample(file, size), "blake2b": whole}
        path.chmod(0o444)
    with (folder / MANIFEST).open("xb") as file:
        file.write(json.dumps({"arrays": arrays, "facts": dict(parsed.facts)}, indent=2).encode())
        flush(file)


def put_in_place(folder: Path, entry: Path, mapped: Parsed) -> Parsed:
    """Rename the finished folder to the entry's name; return the arrays of whichever is there then.

    Raises
    ------
    OSError
        If it cannot be renamed, and there is no entry of that name.
    """
    try:
        with suppress(FileNotFoundError):  # what was there is broken, or another's, finished just now
            if open_entry(entry) is None:
                entry.rename(f"{folder}-broken")
        folder.rename(entry)
    except OSError:
        theirs = open_entry(entry)
        if theirs is None:
            raise
        return theirs
    finally:
        shutil.rmtree(f"{folder}-broken", ignore_errors=True)
    return replace(mapped, entry=entry)


def remove_abandoned(folder: Path, kind: str, abandoned: str | None) -> None:
    """Remove folders of processes that were killed.

    The holder of a lock is the only process on this host, on any file system, that writes for the
    same key. Others' folders are removed after a day, by the clock that set both times.

    Parameters
    ----------
    folder
        The folder that is written now, which stays.
    kind
        Beginning of the names of all such folders.
    abandoned
        Beginning of the names of those of the lock that this process holds; None if it holds none.
    """
    today = folder.stat().st_mtime
    for other in folder.parent.glob(f"{kind}*"):
        with suppress(OSError):  # another process may be removing it
            ours = abandoned is not None and other.name.startswith(abandoned)
            if other != folder and (ours or today - other.stat().st_mtime > _DAY):
                shutil.rmtree(other)


def lock_file(lock: IO[bytes]) -> tuple[bool, bool]:
    """Lock a file; return whether another process had it, and whether it is locked at all."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return True, True
    except OSError:  # this file system knows no locks
        return False, False
    return False, True


def flush(file: IO[bytes]) -> None:
    """Write a file's content to the disk."""
    file.flush()
    os.fsync(file.fileno())


def _write_header(file: BinaryIO, array: Any) -> None:
    layout: Any = np.lib.format  # NumPy leaves these two untyped
    layout.write_array_header_1_0(file, layout.header_data_from_array_1_0(array))


def _sample(file: IO[bytes], size: int) -> str:
    """Return a hash of blocks spread over a file, to detect an incomplete or replaced one.

    Hashing everything would cost each instance the time that the cache saves.
    """
    last = max(size - _BLOCK, 0)
    starts = dict.fromkeys(k * last // (_BLOCKS - 1) for k in range(_BLOCKS))
    digest = hashlib.blake2b(digest_size=16)
    for start in starts:
        digest.update(os.pread(file.fileno(), _BLOCK, start))
    return digest.hexdigest()
