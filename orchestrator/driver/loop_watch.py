"""Watches that the driver's loop turns: a standstill leaves the stacks of all threads in the driver's log."""

from __future__ import annotations

import faulthandler
import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

STILL_SECONDS = 60.0
"""Without a turn of the loop, after which the stacks are written."""

_log = logging.getLogger(__name__)


class LoopWatch:
    """Arms the interpreter's watchdog anew at each turn of the loop.

    The watchdog is a thread outside of Python: it writes the stacks whichever lock the loop waits for, the
    interpreter's own and logging's too. It cannot write to the ledger, whose connection is the loop's; the
    event follows when the loop turns again.

    Parameters
    ----------
    descriptor
        File that the stacks are written to.
    tell
        Takes a sentence about a standstill that is over.
    still_seconds
        Without a turn, after which the stacks are written.
    """

    def __init__(
        self, descriptor: int, tell: Callable[[str], None], still_seconds: float = STILL_SECONDS
    ) -> None:
        self._descriptor = descriptor
        self._tell = tell
        self._still_seconds = still_seconds
        self._turned_at = time.monotonic()

    def turned(self) -> None:
        """Note that the loop turns."""
        stood = time.monotonic() - self._turned_at
        faulthandler.dump_traceback_later(self._still_seconds, file=self._descriptor)
        self._turned_at = time.monotonic()
        if stood > self._still_seconds:
            self._tell(
                f"the driver's loop stood still for {stood:.0f} s; driver.log has the stacks of its threads "
                f"after {self._still_seconds:.0f} s"
            )


@contextmanager
def loop_watch(
    log: Path, tell: Callable[[str], None], still_seconds: float = STILL_SECONDS
) -> Iterator[LoopWatch]:
    """Watch a loop inside of this context, from its first turn on; see `LoopWatch`.

    Parameters
    ----------
    log
        File to which the stacks are appended; standard error where it cannot be opened.
    """
    try:
        descriptor = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    except OSError as error:
        _log.warning("%s: %s; stacks of a standstill go to standard error", log, error.strerror)
        descriptor = os.dup(2)
    try:
        yield LoopWatch(descriptor, tell, still_seconds)
    finally:
        faulthandler.cancel_dump_traceback_later()
        os.close(descriptor)
