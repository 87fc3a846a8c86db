"""Create scratch directories of attempts, and remove those of attempts that were killed."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from workloads.description import CommandError

PREFIX = "external-command-"
_SHARED = "output-"


@contextmanager
def scratch_directory() -> Iterator[Path]:
    """Provide a fresh, empty directory below ``$TMPDIR`` for as long as the block lasts.

    An attempt that is killed cannot remove its own. So each holds a lock that ends with its process,
    and the next attempt on this host removes the directories that are not locked.
    """
    _sweep(Path(tempfile.gettempdir()))
    holder = Path(tempfile.mkdtemp(prefix=PREFIX))
    lock = os.open(holder / "making", os.O_CREAT | os.O_WRONLY, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        (holder / "making").rename(holder / "lock")  # never seen without its lock held
        output = holder / "output"
        output.mkdir()
        yield output
    finally:
        shutil.rmtree(holder, ignore_errors=True)
        os.close(lock)


def shared_directory(scratch: Path | None) -> Path:
    """Return a fresh directory for all ranks of an instance, below its own one, which all nodes see.

    Raises
    ------
    CommandError
        If the instance has no directory.
    """
    if scratch is None:
        raise CommandError("several ranks share {output} in a run directory, and this run has none")
    remove_shared(scratch)  # of earlier attempts, whose supervisors were killed
    scratch.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix=_SHARED, dir=scratch))


def remove_shared(scratch: Path) -> None:
    """Remove the directories that ranks shared, and an instance's own where nothing else is in it."""
    with suppress(OSError):  # it is not there, or has other files
        for earlier in scratch.glob(f"{_SHARED}*"):
            shutil.rmtree(earlier, ignore_errors=True)
        scratch.rmdir()


def _sweep(folder: Path) -> None:
    for holder in folder.glob(f"{PREFIX}*"):
        with suppress(OSError):  # another user's, locked, or just removed
            if holder.lstat().st_uid != os.geteuid():
                continue
            lock = os.open(holder / "lock", os.O_WRONLY | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(holder, ignore_errors=True)
            finally:
                os.close(lock)
