"""One look a node at the file that announces a wave's start, however many of its attempts wait."""

from __future__ import annotations

import fcntl
import hashlib
import os
import tempfile
from contextlib import suppress
from pathlib import Path

from orchestrator.protocol.order import AttemptOrder
from orchestrator.rundir.signal_files import announced_start, barrier_of

_MEMORY = Path("/dev/shm")  # noqa: S108  the name of a file below it holds the user's number
_NAME = "orchestrator-barrier"


class NodeBarrier:
    """The announced start of a wave, as the attempts of a node share it.

    The attempt that holds the lock on a file in the node's memory looks at the run directory, and writes what
    it finds into that file, which the others have open. A lock ends with its process; then another takes it.
    The last of them removes the file, and `remove_abandoned` one whose last attempt was killed.

    Parameters
    ----------
    campaign
        The campaign's unique mark: another one in the same run directory must not find an old start.
    local
        Folder in the node's memory.
    """

    def __init__(self, file: Path, campaign: str, local: Path | None = None) -> None:
        self._file = file
        self._folder = local or node_memory()
        key = hashlib.sha256(os.fsencode(file) + b"\0" + campaign.encode()).hexdigest()[:16]
        self._shared = self._folder / f"{_NAME}-{os.getuid()}-{key}"
        self._descriptor: int | None = None
        self._leads = False

    def announced_start(self) -> int | None:
        """Return the announced start, UTC microseconds; None while there is none."""
        try:
            return self._found()
        except OSError:  # the node's memory is full, or the file there is another user's
            return announced_start(self._file)

    def close(self) -> None:
        """Wait no longer; another attempt looks from now on."""
        if self._descriptor is None:
            return
        _unlink_unless_locked(self._descriptor, self._shared)  # one that was killed may have led
        os.close(self._descriptor)
        self._descriptor, self._leads = None, False

    def _found(self) -> int | None:
        if self._descriptor is None:
            self._descriptor = os.open(self._shared, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        if os.fstat(self._descriptor).st_uid != os.getuid():
            raise PermissionError(self._shared)
        text = os.pread(self._descriptor, 32, 0)
        if text.endswith(b"\n"):
            return int(text)
        if not self._leads:
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return None
            self._leads = True
            remove_abandoned(self._folder)
        start_us = announced_start(self._file)
        if start_us is not None:
            os.pwrite(self._descriptor, b"%d\n" % start_us, 0)
        return start_us


def remove_abandoned(local: Path | None = None) -> None:
    """Remove this user's files that no attempt has locked: each of them was killed, or looks anew.

    Parameters
    ----------
    local
        Folder in the node's memory.
    """
    for file in (local or node_memory()).glob(f"{_NAME}-{os.getuid()}-*"):
        with suppress(OSError):
            descriptor = os.open(file, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
            _unlink_unless_locked(descriptor, file)
            os.close(descriptor)


def _unlink_unless_locked(descriptor: int, file: Path) -> None:
    """Remove the file unless another attempt holds its lock; who has it open can still take the lock."""
    with suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        file.unlink()


def node_memory() -> Path:
    """Return a folder in the node's memory; one on its disk where it has none."""
    return _MEMORY if os.access(_MEMORY, os.W_OK) else Path(tempfile.gettempdir())


def node_barrier_of(order: AttemptOrder) -> NodeBarrier | None:
    """Return where an attempt waits for its wave's start; None where it starts as soon as it is ready."""
    file = barrier_of(order)
    return None if file is None else NodeBarrier(file, order.campaign)
