"""A build-once cache of parsed data sets, which every instance maps into memory.

An *entry* is a folder of typed ``.npy`` files. Its name is a hash of the bytes of the source files,
the marker of synthetic data, and the name of the arrays' layout, so any change selects another entry.
Instances map the arrays read-only: all instances on a node share one copy in the page cache.

Hashing a gigabyte takes longer than mapping it, so a *key* file holds the entry's name. The key's own
name is a hash of each source file's path, inode, size, mtime and ctime. Programs cannot set a ctime,
so a changed file has another key, even after a copy that restores its mtime. A file that changed in
the last two seconds gets no key, because another change could have the same ctime.

The first of many instances locks the key file and builds; the others wait for the lock, which the
kernel releases when its holder ends. On a file system without locks several may build, each in its
own folder, and a rename puts one of them in place. Entries are never removed; users may remove the
cache's folder.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import platform
import secrets
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from io import BufferedReader
from pathlib import Path
from typing import IO, Any, BinaryIO, Literal

import numpy as np
from numpy.typing import NDArray

from workloads.data.synthetic import MARKER
from workloads.description import DataError

State = Literal["hit", "waited", "built"]

_ENTRY_FORMAT = 1  # of an entry's folder
_MANIFEST = "entry.json"
_SETTLED_NS = 2_000_000_000  # the coarsest file times in use are those of whole seconds
_BLOCK, _BLOCKS = 4096, 64
_DAY = 86_400


@dataclass(frozen=True, slots=True)
class Parsed:
    """A data set in memory: arrays by name, and the facts a run reports of it."""

    arrays: Mapping[str, NDArray[Any]]
    facts: Mapping[str, Any]


def load(
    loader: str,
    cache: Path | None,
    directory: Path,
    files: Sequence[str],
    layout_name: str,
    read: Callable[[str], Parsed],
) -> Parsed:
    """Return a data set by the loader that was asked for; its facts also say which, and what the cache did.

    Parameters
    ----------
    loader
        ``cache``, or a reader that `read` knows.
    cache
        Directory of the cache.
    directory, files
        The source files.
    layout_name
        Name of what `read` makes of them, fit for a file name; another scaling, split or type
        needs another one.
    read
        Reads the files with the named reader.

    Raises
    ------
    DataError
        As `read` and `through_cache`, or if the cache is asked for and there is none.
    """
    if loader != "cache":
        parsed = read(loader)
        return Parsed(parsed.arrays, {**parsed.facts, "loader": loader})
    if cache is None:
        raise DataError("loader is cache, but there is no dataset cache; give one, or choose another loader")
    parsed, state = through_cache(cache, directory, files, layout_name, partial(read, "numpy"))
    return Parsed(parsed.arrays, {**parsed.facts, "loader": loader, "cache": state})


def through_cache(
    cache: Path, directory: Path, files: Sequence[str], layout_name: str, build: Callable[[], Parsed]
) -> tuple[Parsed, State]:
    """Return the mapped, read-only arrays of a data set, which one process builds for all.

    Returns
    -------
    Parsed
        Arrays in the page cache, and the facts.
    str
        ``hit`` if the entry was there, ``built`` if this process made it, ``waited`` if another
        one did while this one waited.

    Raises
    ------
    DataError
        If the entry has to be built and the cache cannot be written, the source files change while
        they are read, or `build` raises it.
    """
    sources = _Sources(directory, (*files, MARKER), layout_name)
    settled, source_key = sources.key()
    key = cache / f"{source_key}.key"
    known = _opened_by_key(key)
    if known:
        return known, "hit"
    new_folders = [folder for folder in (cache, *cache.parents) if not folder.exists()]
    try:
        cache.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(key, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:  # a cache that cannot be written may hold the entry all the same
        known = _opened(cache / sources.entry_name())
        if known is None:
            raise _unwritable(cache, error) from error
        return known, "hit"
    with os.fdopen(descriptor, "r+b", buffering=0) as lock:
        waited, locked = _lock(lock)
        known = _opened_by_key(key)
        built = False
        if known is None:
            try:
                entry = cache / sources.entry_name()
                known = _opened(entry)
                if known is None:
                    known, built = _build(entry, sources, build, source_key, locked=locked), True
            except DataError:
                _remove_unused(key, new_folders)
                raise
            if settled:
                _remember(lock, entry)
    return known, "built" if built else "waited" if waited else "hit"


@dataclass(frozen=True, slots=True)
class _Sources:
    """The files of a data set, some of which may not exist, and the name of the arrays' layout."""

    directory: Path
    files: Sequence[str]
    layout_name: str

    def key(self) -> tuple[bool, str]:
        """Return whether the last change is old enough that the next one has another ctime; and a hash.

        Files are opened first, so that network file systems ask their server instead of a client cache.
        """
        now, newest = time.time_ns(), 0
        seen: list[Any] = [_ENTRY_FORMAT, self.layout_name, str(self.directory.resolve())]
        for name in self.files:
            with self._opened(name) as file:
                found = os.fstat(file.fileno()) if file else None
            if found:
                newest = max(newest, found.st_ctime_ns)
                seen.append([name, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns])
            else:
                seen.append([name, None])
        return newest + _SETTLED_NS < now, _hash(seen)

    def entry_name(self) -> str:
        """Return the name of the entry that holds what the files hold now; reads all of them."""
        seen: list[Any] = [_ENTRY_FORMAT, self.layout_name]
        for name in self.files:
            with self._opened(name) as file:
                seen.append([name, hashlib.file_digest(file, "blake2b").hexdigest() if file else None])
        return f"{self.layout_name}-{_hash(seen)}"

    @contextmanager
    def _opened(self, name: str) -> Iterator[BufferedReader | None]:
        """Open a file; yield None for a missing one, about which `build` may raise."""
        path = self.directory / name
        try:
            with path.open("rb") as file:
                yield file
        except FileNotFoundError:
            yield None
        except OSError as error:
            raise DataError(f"{path}: cannot be read: {error.strerror}") from error


def _build(
    entry: Path, sources: _Sources, build: Callable[[], Parsed], source_key: str, *, locked: bool
) -> Parsed:
    """Build an entry in a folder of its own, put it in place, and return it, mapped."""
    host = f".building-{source_key}-{platform.node()}-"
    folder = entry.with_name(f"{host}{secrets.token_hex(8)}")
    try:
        folder.mkdir()
        _clean(folder, host if locked else None)
    except OSError as error:
        raise _unwritable(entry.parent, error) from error
    try:
        parsed = build()
        if sources.entry_name() != entry.name:
            raise DataError(f"{sources.directory}: a file changed while it was read; start again")
        try:
            _write(folder, parsed)
        except OSError as error:
            raise _unwritable(entry.parent, error) from error
        mapped = _opened(folder)
        if mapped is None:
            raise DataError(f"{entry.parent}: the dataset cache does not return what was written")
        return _put_in_place(folder, entry, mapped)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _put_in_place(folder: Path, entry: Path, mapped: Parsed) -> Parsed:
    """Rename the finished folder to the entry's name; return the arrays of whichever is there then."""
    try:
        with suppress(FileNotFoundError):  # what was there is broken, or another's, finished just now
            if _opened(entry) is None:
                entry.rename(f"{folder}-broken")
        folder.rename(entry)
    except OSError as error:
        theirs = _opened(entry)
        if theirs is None:
            raise _unwritable(entry, error) from error
        return theirs
    finally:
        shutil.rmtree(f"{folder}-broken", ignore_errors=True)
    return mapped


def _clean(folder: Path, abandoned: str | None) -> None:
    """Remove folders of builders that were killed.

    The holder of a lock is the only process on this host, on any file system, that builds for the
    same key. Others' folders are removed after a day, by the clock that set both times.
    """
    today = folder.stat().st_mtime
    for other in folder.parent.glob(".building-*"):
        with suppress(OSError):  # another process may be removing it
            ours = abandoned is not None and other.name.startswith(abandoned)
            if other != folder and (ours or today - other.stat().st_mtime > _DAY):
                shutil.rmtree(other)


def _remove_unused(key: Path, new_folders: Sequence[Path]) -> None:
    """Remove the key of an entry that could not be built, and the folders that were made for it.

    Whoever waits for the lock then tries with a key that has no name, which costs the next one a hash.
    """
    with suppress(OSError):  # another process has put something into them
        if key.stat().st_size == 0:
            key.unlink()
        for folder in new_folders:
            folder.rmdir()


def _write_header(file: BinaryIO, array: Any) -> None:
    layout: Any = np.lib.format  # NumPy leaves these two untyped
    layout.write_array_header_1_0(file, layout.header_data_from_array_1_0(array))


def _write(folder: Path, parsed: Parsed) -> None:
    """Write arrays and manifest to disk before anyone can see them."""
    arrays = {}
    for name, given in parsed.arrays.items():
        array = np.ascontiguousarray(given)
        path = folder / f"{name}.npy"
        with path.open("x+b") as file:
            _write_header(file, array)
            file.write(array.reshape(-1).view(np.uint8).data)  # not array.tofile: it hides why a disk refused
            _flush(file)
            size = os.fstat(file.fileno()).st_size
            arrays[name] = {"bytes": size, "sample": _sample(file, size)}
        path.chmod(0o444)
    with (folder / _MANIFEST).open("xb") as file:
        file.write(json.dumps({"arrays": arrays, "facts": dict(parsed.facts)}, indent=2).encode())
        _flush(file)


def _opened(entry: Path) -> Parsed | None:
    """Return an entry's mapped arrays and facts, or None if it is missing, cut short or damaged."""
    try:
        manifest = json.loads((entry / _MANIFEST).read_bytes())
        arrays = {}
        for name, recorded in manifest["arrays"].items():
            path = entry / f"{name}.npy"
            with path.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                if {"bytes": size, "sample": _sample(file, size)} != recorded:
                    return None
            arrays[name] = np.asarray(np.load(path, mmap_mode="r"))
        return Parsed(arrays, manifest["facts"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


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


def _opened_by_key(key: Path) -> Parsed | None:
    try:
        name = key.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None
    return _opened(key.with_name(name)) if name and "/" not in name else None


def _remember(key: IO[bytes], entry: Path) -> None:
    """Write the entry's name into the key file; if the disk is full, the next instance hashes again."""
    with suppress(OSError):
        key.truncate(0)
        key.write(entry.name.encode())


def _lock(lock: IO[bytes]) -> tuple[bool, bool]:
    """Lock a file; return whether another process had it, and whether it is locked at all."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return True, True
    except OSError:  # this file system knows no locks
        return False, False
    return False, True


def _unwritable(path: Path, error: OSError) -> DataError:
    return DataError(
        f"{path}: the dataset cache cannot be written: {error.strerror or error}; "
        "make room, or name another folder as the site's paths.cache"
    )


def _flush(file: IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())


def _hash(facts: list[Any]) -> str:
    return hashlib.blake2b(json.dumps(facts).encode(), digest_size=16).hexdigest()
