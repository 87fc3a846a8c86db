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
cache's folder. `workloads.data.staging` copies entries to each node's own disk.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import secrets
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from io import BufferedReader
from pathlib import Path
from typing import IO, Any, Literal

from workloads.context import DatasetCache
from workloads.data.cache_entry import (
    Parsed,
    lock_file,
    open_entry,
    put_in_place,
    remove_abandoned,
    write_entry,
)
from workloads.data.staging import staged
from workloads.data.synthetic import MARKER
from workloads.description import DataError

State = Literal["hit", "waited", "built"]

_ENTRY_FORMAT = 2  # of an entry's folder
_SETTLED_NS = 2_000_000_000  # the coarsest file times in use are those of whole seconds
_BUILDING = ".building-"


def load(
    loader: str,
    cache: DatasetCache | Path | None,
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
        Directory of the cache, alone or with one on the node's disk for copies of what it holds.
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
    path, stage = (cache.path, cache.stage) if isinstance(cache, DatasetCache) else (cache, None)
    parsed, state = through_cache(path, directory, files, layout_name, partial(read, "numpy"), stage)
    facts = {**parsed.facts, "loader": loader, "cache": state}
    if stage is not None:
        parsed, facts["cache_stage"] = staged(parsed, stage)
    return Parsed(parsed.arrays, facts)


def through_cache(
    cache: Path,
    directory: Path,
    files: Sequence[str],
    layout_name: str,
    build: Callable[[], Parsed],
    stage: Path | None = None,
) -> tuple[Parsed, State]:
    """Return the mapped, read-only arrays of a data set, which one process builds for all.

    Where the node's directory ``stage`` has a copy of the entry, that is mapped.

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
    known = _opened_by_key(key, stage)
    if known:
        return known, "hit"
    new_folders = [folder for folder in (cache, *cache.parents) if not folder.exists()]
    try:
        cache.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(key, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:  # a cache that cannot be written may hold the entry all the same
        known = open_entry(cache / sources.entry_name())
        if known is None:
            raise _unwritable(cache, error) from error
        return known, "hit"
    with os.fdopen(descriptor, "r+b", buffering=0) as lock:
        waited, locked = lock_file(lock)
        known = _opened_by_key(key, stage)
        built = False
        if known is None:
            try:
                entry = cache / sources.entry_name()
                known = open_entry(entry)
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
    host = f"{_BUILDING}{source_key}-{platform.node()}-"
    folder = entry.with_name(f"{host}{secrets.token_hex(8)}")
    try:
        folder.mkdir()
        remove_abandoned(folder, _BUILDING, host if locked else None)
    except OSError as error:
        raise _unwritable(entry.parent, error) from error
    try:
        parsed = build()
        if sources.entry_name() != entry.name:
            raise DataError(f"{sources.directory}: a file changed while it was read; start again")
        try:
            write_entry(folder, parsed)
        except OSError as error:
            raise _unwritable(entry.parent, error) from error
        mapped = open_entry(folder)
        if mapped is None:
            raise DataError(f"{entry.parent}: the dataset cache does not return what was written")
        try:
            return put_in_place(folder, entry, mapped)
        except OSError as error:
            raise _unwritable(entry, error) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _remove_unused(key: Path, new_folders: Sequence[Path]) -> None:
    """Remove the key of an entry that could not be built, and the folders that were made for it.

    Whoever waits for the lock then tries with a key that has no name, which costs the next one a hash.
    """
    with suppress(OSError):  # another process has put something into them
        if key.stat().st_size == 0:
            key.unlink()
        for folder in new_folders:
            folder.rmdir()


def _opened_by_key(key: Path, stage: Path | None) -> Parsed | None:
    try:
        name = key.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None
    if not name or "/" in name:
        return None
    copy = None if stage is None else open_entry(stage / name)
    return copy or open_entry(key.with_name(name))


def _remember(key: IO[bytes], entry: Path) -> None:
    """Write the entry's name into the key file; if the disk is full, the next instance hashes again."""
    with suppress(OSError):
        key.truncate(0)
        key.write(entry.name.encode())


def _unwritable(path: Path, error: OSError) -> DataError:
    return DataError(
        f"{path}: the dataset cache cannot be written: {error.strerror or error}; "
        "make room, or name another folder as the site's paths.cache"
    )


def _hash(facts: list[Any]) -> str:
    return hashlib.blake2b(json.dumps(facts).encode(), digest_size=16).hexdigest()
