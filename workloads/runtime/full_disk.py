"""Find the file system that an error says is full: a node's own disk, or a shared one."""

from __future__ import annotations

import errno
import io
import os
import re
import traceback
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from workloads.provenance.code import local_devices

_NUMBERS = (errno.ENOSPC, errno.EDQUOT)
_TEXTS = tuple(map(os.strerror, _NUMBERS))
_NAMES = re.compile(r"""'([^']+)'|"([^"]+)"|‘([^’]+)’|(/[^\s'":;,]+)""")
_SHORT_WRITE = re.compile(
    r"\d+ requested and \d+ written|PytorchStreamWriter failed writing|unexpected pos \d+ vs \d+"
)
"""Words of NumPy and PyTorch, which leave the system's own out."""
_GZIP_WRITES = 2
"""Mode of a written file of `gzip`, which is not loaded for it."""
_FULL = 0.01  # of a file system's bytes: less is left of one that refused to grow a file


def says_full(text: str) -> bool:
    """Return whether a text has the system's words for a full file system or a spent quota."""
    return any(one in text for one in _TEXTS)


def full_disk_error(error: BaseException) -> BaseException | None:
    """Return what says that a disk is full: an error's cause, or the error; None where neither does."""
    for one in (error.__cause__, error):
        if isinstance(one, OSError) and one.errno in _NUMBERS:
            return one
        if one is not None and (says_full(text := str(one)) or (_SHORT_WRITE.search(text) and _fills(one))):
            return one
    return None


def full_place(error: BaseException) -> Path | None:
    """Return a folder on the file system that was full when an error was raised; None if that is unknown."""
    named = [getattr(error, "filename2", None) or getattr(error, "filename", None)]
    found = (_folder(name) for name in (*named, *_written_files(error)) if isinstance(name, str | bytes))
    return next((one for one in found if one is not None), None) or named_place(str(error))


def named_place(text: str, directory: Path | None = None) -> Path | None:
    """Return the folder of the last file that a text names; else that of temporary files, if it is full now.

    Parameters
    ----------
    directory
        Where relative names begin; by default the working directory.
    """
    for match in reversed(list(_NAMES.finditer(text))):
        name = next(filter(None, match.groups()))
        with suppress(OSError, ValueError):  # no name of a file, such as a long sentence
            path = Path(directory or ".", name)
            if path.exists() or (Path(name).is_absolute() and path.parent.is_dir()):
                return _folder(path)
    folder = _temporary()
    return folder if _is_full(folder) else None


class NodeDisks:
    """Tells a node's own disks from shared ones; make it before a run, to know a disk that is full then.

    Parameters
    ----------
    shared
        Paths that all nodes see, such as that of a run directory.
    """

    def __init__(self, shared: Iterable[Path]) -> None:
        full = [temporary] if _is_full(temporary := _temporary()) else []
        self._others = [*shared, *full]

    def own(self, place: Path | None) -> bool:
        """Return whether a run filled its node's own disk: one that is local, and was not full before."""
        device = None if place is None else _device(place)
        if device is None or device in map(_device, self._others):
            return False
        local_devices.cache_clear()  # a disk may have been mounted since the process began
        return device in local_devices()


def _temporary() -> Path:
    """Return the folder that `tempfile` tries first; it takes another one where that is full."""
    named = (os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP"))
    return Path(next(filter(None, named), "/tmp"))  # noqa: S108  nothing is written there


def _fills(error: BaseException) -> bool:
    """Return whether the file system of the file that an error was raised for is full now."""
    place = full_place(error)
    return place is not None and _is_full(place)


def _written_files(error: BaseException) -> Iterator[str]:
    """Yield names of files open for writing in the frames that an error passed, the innermost first."""
    for frame, _ in reversed(list(traceback.walk_tb(error.__traceback__))):
        for value in list(frame.f_locals.values()):
            if isinstance(value, io.IOBase) and (name := _written_name(value)):
                yield name


def _written_name(file: io.IOBase) -> str:
    """Return the name of a file that is open for writing; empty for all others."""
    with suppress(Exception):  # a file of any library, such as one whose buffer was detached
        mode, name = getattr(file, "mode", ""), getattr(file, "name", None)
        written = set(str(mode)) & set("wax+") or mode == _GZIP_WRITES
        if written and isinstance(name, str | bytes) and name not in ("<stdout>", "<stderr>"):
            return os.fsdecode(name)
    return ""


def _folder(path: str | bytes | Path) -> Path | None:
    """Return the folder of a file, or the nearest above that exists."""
    with suppress(OSError, ValueError):
        return next((one for one in Path(os.fsdecode(path)).resolve().parents if one.is_dir()), None)
    return None


def _device(path: Path) -> int | None:
    with suppress(OSError):
        folder = path if path.is_dir() else _folder(path)
        return None if folder is None else folder.stat().st_dev
    return None


def _is_full(folder: Path) -> bool:
    """Return whether a file system has hardly any bytes, or no files, left."""
    with suppress(OSError):
        found = os.statvfs(folder)
        return found.f_bavail < _FULL * found.f_blocks or (found.f_files > 0 and found.f_favail == 0)
    return False
