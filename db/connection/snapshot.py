"""A private copy of an SQLite ledger that this user may read and not write.

SQLite keeps a log and an index beside a file in WAL mode, even to read it, so it cannot open a ledger in a
folder that is not writable. The copy is taken without SQLite and without any lock.
"""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from db.errors import LedgerError

logger = logging.getLogger(__name__)
_LOG_HEADER_BYTES = 32
"""Its salts change whenever SQLite starts to overwrite the log (sqlite.org/fileformat2.html, section 4.1)."""
_TRIES = 20
_PAUSE_SECONDS = 0.25


class _Moment(NamedTuple):
    """State that changes if a page was written into the file and is no longer in the log."""

    log_header: bytes
    file: tuple[int, int]


def may_write(file: Path) -> bool:
    """Return whether this user may write a ledger, its folder, and what SQLite keeps beside it."""
    beside = _log(file), Path(f"{file}-shm")  # which go when the last connection closes, perhaps just now
    return all(_writable(path) for path in (file.parent, file)) and all(
        _writable(path) or not path.exists() for path in beside
    )


def _writable(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def snapshot(file: Path, *, quiet: bool = False) -> tempfile.TemporaryDirectory[str]:
    """Copy a ledger as it is now into a temporary folder, under its own name.

    Parameters
    ----------
    quiet
        Do not warn that a copy is read.

    Raises
    ------
    LedgerError
        If the file cannot be read, there is no room for the copy, or it changes faster than it can be copied.
    """
    with ExitStack() as undo:
        try:
            folder = tempfile.TemporaryDirectory(prefix="ledger-")
            undo.callback(folder.cleanup)
            open_by_driver = _copy(file, Path(folder.name, file.name))
        except OSError as error:
            raise LedgerError(
                f"this user may not write {file}, so it is read from a copy, which failed: "
                f"{error.filename}: {error.strerror}; TMPDIR names another place for the copy"
            ) from error
        undo.pop_all()
    if quiet:
        return folder
    driver = "; a driver has it open" if open_by_driver else ""
    logger.warning("%s may not be written by this user: this is a copy of it, made just now%s", file, driver)
    return folder


def _copy(file: Path, copy: Path) -> bool:
    """Copy the file, then its log; return whether it has one.

    If nothing of `_Moment` changed meanwhile, every page that a driver wrote into the file is in the log too:
    both copies together are one moment of the ledger.
    """
    for _ in range(_TRIES):
        before = _moment(file)
        shutil.copyfile(file, copy)
        _log(copy).unlink(missing_ok=True)
        if before.log_header:
            shutil.copyfile(_log(file), _log(copy))
        if _moment(file) == before:
            return bool(before.log_header)
        time.sleep(_PAUSE_SECONDS)
    raise LedgerError(f"{file} changes faster than it can be copied; try again when its driver writes less")


def _moment(file: Path) -> _Moment:
    try:
        with _log(file).open("rb") as log:
            header = log.read(_LOG_HEADER_BYTES)
    except FileNotFoundError:
        header = b""
    status = file.stat()
    return _Moment(header, (0, 0) if header else (status.st_mtime_ns, status.st_size))


def _log(file: Path) -> Path:
    return Path(f"{file}-wal")
