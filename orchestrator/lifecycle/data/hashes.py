"""Facts of a data set's files: SHA-256, sizes, and place.

A file's hash is remembered under its path, size and times of last change to content and status, so
that the next campaign does not read it again.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from db.connection.connect import file_system
from orchestrator.host.atomic_files import atomic_write
from orchestrator.lifecycle.data.progress import read_progress
from orchestrator.wording import count_of

_log = logging.getLogger(__name__)

MOST_BYTES, MOST_FILES = 20_000_000_000, 10_000
"""Largest data set of which every file is hashed; ImageNet's 144 GB would take minutes to read once more."""

_SAMPLE_FILES = 64
_LISTED_FILES = 32
_UNREADABLE = "unreadable: "
_CHUNK_BYTES = 1 << 20
_PERIOD_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class _File:
    """A file of a data set: path below its folder, and what `os.stat` says of it."""

    name: str
    size: int
    mtime_ns: int
    ctime_ns: int

    @property
    def stamp(self) -> list[int]:
        return [self.size, self.mtime_ns, self.ctime_ns]


def place_facts(folder: Path) -> dict[str, Any]:
    """Return path and file-system types of a data set, none of whose files is read."""
    kind = file_system(folder)
    facts: dict[str, Any] = {"path": str(folder), "file_system": kind, "hashed": "nothing"}
    linked = sorted({file_system(one) for one in _linked_folders(folder)} - {kind})
    return facts | ({"linked_file_systems": linked} if linked else {})


def data_set_facts(
    folder: Path,
    remembered: Path | None = None,
    *,
    anew: bool = False,
    most_bytes: int = MOST_BYTES,
    most_files: int = MOST_FILES,
) -> dict[str, Any]:
    """Return where a data set is, its size, and its SHA-256.

    Up to `most_bytes` and `most_files`, ``sha256`` is the hash of the list of all files with their own
    hashes. Above that it is the hash of the list of names, sizes and times of last change, and of the
    hashes of a sample of files; ``hashed`` says which.

    Parameters
    ----------
    remembered
        File that keeps hashes from one campaign to the next; by default one in the user's cache directory.
    anew
        Read every file, also where its hash is remembered: users can edit that file.
    most_bytes, most_files
        Largest data set of which every file is hashed.
    """
    files = _list(folder)
    total = sum(file.size for file in files)
    whole = total <= most_bytes and len(files) <= most_files
    chosen = files if whole else files[:: -(-len(files) // _SAMPLE_FILES)]
    hashes = _hashes(folder, chosen, remembered or _default_memory(), anew=anew)
    lines = [f"{hashes[file.name]} {file.size} {file.name}\n" for file in chosen]
    if not whole:
        lines += [f"{file.size} {file.mtime_ns} {file.name}\n" for file in files]
    facts: dict[str, Any] = place_facts(folder) | {
        "files": len(files),
        "bytes": total,
        "hashed": "all files" if whole else f"names, sizes and times of all files, and {len(chosen)} files",
        "sha256": hashlib.sha256("".join(lines).encode()).hexdigest(),
    }
    return facts | ({"files_sha256": hashes} if len(chosen) <= _LISTED_FILES else {})


def describe(facts: Mapping[str, Any]) -> str:
    """Return the facts of a data set as one line."""
    place = f"{facts['path']} ({facts['file_system']})"
    if "sha256" not in facts:
        return f"{place}: data not hashed"
    seed = facts.get("generator_seed")
    recognised = "" if seed is None else f"; recognised as synthetic, drawn with seed {seed}"
    return (
        f"{place}: {count_of(facts['files'], 'file')}, {facts['bytes'] / 1e6:,.0f} MB, "
        f"SHA-256 {facts['sha256']} of {facts['hashed']}{recognised}"
    )


def _linked_folders(folder: Path) -> set[Path]:
    """Return the folders outside of a data set's own to which links in it lead."""
    real = folder.resolve()
    found, entered = set(), set()
    for path, folders, names in os.walk(folder, followlinks=True):
        if (place := os.path.realpath(path)) in entered:
            folders.clear()
            continue
        entered.add(place)
        if not Path(place).is_relative_to(real):
            found.add(Path(place))
        links = (Path(path) / name for name in names)
        found |= {one.resolve().parent for one in links if one.is_symlink() and one.is_file()}
    return {one for one in found if not one.is_relative_to(real)}


def _list(folder: Path) -> list[_File]:
    """Return all files below a folder that are not hidden, by name; of links those that lead to a file."""
    found, entered = [], set()
    for path, folders, names in os.walk(folder, followlinks=True):
        if (place := os.path.realpath(path)) in entered:  # a link to a folder above it
            folders.clear()
            continue
        entered.add(place)
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            file = Path(path) / name
            if not name.startswith(".") and file.is_file():
                seen = file.stat()
                below = file.relative_to(folder).as_posix()
                found.append(_File(below, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns))
    return sorted(found, key=lambda file: file.name)


def _hashes(folder: Path, files: Sequence[_File], remembered: Path, *, anew: bool) -> dict[str, str]:
    """Return the hash of each file by name, from those remembered or read by several threads."""
    known = _recall(remembered)
    keys = {file.name: str((folder / file.name).resolve()) for file in files}
    found = {}
    for file in files:
        entry = None if anew else known.get(keys[file.name])
        if isinstance(entry, list) and entry[:-1] == file.stamp:
            found[file.name] = str(entry[-1])
    missing = [file for file in files if file.name not in found]
    if missing:
        found |= _read(folder, missing)
        known |= {
            keys[file.name]: [*file.stamp, found[file.name]]
            for file in missing
            if not found[file.name].startswith(_UNREADABLE)
        }
        with suppress(OSError):  # the next campaign reads the files again
            remembered.parent.mkdir(parents=True, exist_ok=True)
            atomic_write(remembered, json.dumps(known))
    return {file.name: found[file.name] for file in files}


def _read(folder: Path, files: Sequence[_File]) -> dict[str, str]:
    """Return the hash of each file, or why it has none; log rate and time left every few seconds."""
    total, begin = sum(file.size for file in files), time.monotonic()
    read, lock = 0, threading.Lock()

    def digest(file: _File) -> str:
        nonlocal read
        sha, chunk = hashlib.sha256(), bytearray(_CHUNK_BYTES)
        try:
            with (folder / file.name).open("rb", buffering=0) as content:
                while count := content.readinto(chunk):
                    sha.update(memoryview(chunk)[:count])
                    with lock:
                        read += count
        except OSError as error:  # no file that a benchmark needs: its check has read those
            return f"{_UNREADABLE}{error.strerror}"
        return sha.hexdigest()

    with ThreadPoolExecutor(
        len(os.sched_getaffinity(0))
    ) as pool:  # reading and hashing hold no lock of Python's
        hashing = {file.name: pool.submit(digest, file) for file in files}
        while wait(hashing.values(), timeout=_PERIOD_SECONDS).not_done:
            _log.info("hashing %s", read_progress(folder, read, total, time.monotonic() - begin))
        return {name: one.result() for name, one in hashing.items()}


def _recall(remembered: Path) -> dict[str, Any]:
    with suppress(OSError, ValueError):
        known = json.loads(remembered.read_text(encoding="utf-8"))
        if isinstance(known, dict):
            return known
    return {}


def _default_memory() -> Path:
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111  never raises
    return Path(caches) / "ensemble-throughput-orchestrator" / "data-hashes.json"
