"""Tell whether the files of imported modules have changed since they were imported."""

from __future__ import annotations

import functools
import math
import os
import sys
import sysconfig
import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

_FOLDERS_SECONDS = 5.0
_OWN = frozenset({"orchestrator", "workloads", "db"})
_INSTALLED = ("/site-packages/", "/dist-packages/")

Signature = tuple[int, ...] | None
"""Time of modification in ns, size and inode, of sources the time of change too; None for a lost file."""


class LoadedFiles:
    """Files of all modules that are imported when this is made.

    Sources of the project and of a user are looked at each time. Of installed packages, which may be
    thousands of files on a shared file system, only the folders that an installation changes and the first
    file of each package are, every 5 s at most; of Python itself, its program and a file of its library.

    Parameters
    ----------
    clock
        Monotonic seconds.
    started_ns
        When imports began, nanoseconds since the epoch. A source that was written later may have been
        imported before, and counts as changed.
    package
        A user's package, whose sources are looked at each time also where it is installed.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        started_ns: float = math.inf,
        package: str = "",
    ) -> None:
        installed, sources = _places(_OWN | {package})
        self._sources = {path: _signature(path) for path in sources}
        self._written_meanwhile = next((path for path in sources if _written_ns(path) > started_ns), None)
        self._installed = {path: _installed_signature(path) for path in installed}
        self._clock = clock
        self._next_look = clock() + _FOLDERS_SECONDS

    def changed(self, *, at_once: bool = False) -> str | None:
        """Return a file or folder that has changed; None if none has.

        Parameters
        ----------
        at_once
            Whether to look at installed packages even if that was done less than 5 s ago.
        """
        if (source := self._written_meanwhile or _first_changed(self._sources, _signature)) is not None:
            return source
        if not at_once and self._clock() < self._next_look:
            return None
        self._next_look = self._clock() + _FOLDERS_SECONDS
        return _first_changed(self._installed, _installed_signature)


def is_of_others(name: str, file: str, own: Collection[str]) -> bool:
    """Return whether a module is Python's, or of an installed package that is none of some own ones."""
    installed = any(part in file for part in _INSTALLED)
    return name.partition(".")[0] not in own and (installed or file.startswith(_library()))


@functools.cache
def _library() -> str:
    return f"{sysconfig.get_path('stdlib')}/"


def _places(own: Collection[str]) -> tuple[list[str], list[str]]:
    """Return folders and first files of installed packages, and all sources of others, that are imported."""
    folders, first_files, sources = set(), [], []
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if not isinstance(file, str):
            continue
        ends = [at + len(part) for part in _INSTALLED if (at := file.rfind(part)) >= 0]
        if ends:
            folders.add(file[: max(ends)])
        if not is_of_others(name, file, own):
            sources.append(file)
        elif ends and "." not in name:
            first_files.append(file)
    return [*folders, *first_files, os.path.realpath("/proc/self/exe"), os.__file__], sources


def _first_changed(known: Mapping[str, Signature], signature: Callable[[str], Signature]) -> str | None:
    return next((path for path, found in known.items() if signature(path) != found), None)


def _signature(path: str) -> Signature:
    try:
        found = os.stat(path)  # noqa: PTH116  half the time, and hundreds of files
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino, found.st_ctime_ns


def _installed_signature(path: str) -> Signature:
    """Return a signature without the time of change, which another link or another mode sets too."""
    found = _signature(path)
    return found and found[:-1]


def _written_ns(path: str) -> int:
    """Return when a file was last written; its modification time may be that of a copied file."""
    try:
        return Path(path).stat().st_ctime_ns
    except OSError:
        return 0
