"""Tell how far the reading of large data sets and the writing of synthetic ones have come."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from pathlib import Path

import psutil

from sites.quantities import shown
from workloads.data.synthetic import least_bytes_of
from workloads.description import DataError

_log = logging.getLogger(__name__)
_LOOK_SECONDS = 0.2
_FIRST_SECONDS = 2.0
_PERIOD_SECONDS = 5.0
_NOTABLE_BYTES = 1e6


def log_read_progress(
    folder: Path, *, first: float = _FIRST_SECONDS, period: float = _PERIOD_SECONDS
) -> AbstractContextManager[None]:
    """Log every few seconds how much of a folder this process has read since the block began.

    Parameters
    ----------
    folder
        Whose files are read, each once.
    first, period
        Seconds before the first line, and between two.
    """
    return _beside(partial(_log_reading, folder, first, period))


def log_write_progress(
    folder: Path, *, first: float = _FIRST_SECONDS, period: float = _PERIOD_SECONDS
) -> AbstractContextManager[None]:
    """Log how much is to be written into a folder of synthetic files, and repeatedly how much has been.

    `first` and `period` are the seconds before the first line on progress, and between two.
    """
    before = _size_of(folder, threading.Event())  # on this thread: the other may start after the first file
    return _beside(partial(_log_writing, folder, before, first, period))


@contextmanager
def _beside(log: Callable[[threading.Event], None]) -> Iterator[None]:
    """Run `log` on a thread of its own until the block is over, which the event says."""
    over = threading.Event()
    thread = threading.Thread(target=log, args=(over,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def read_progress(folder: Path, read: int, total: int, seconds: float) -> str:
    """Return how many of a folder's bytes were read in some seconds, in words."""
    share = min(1.0, read / total) if total else 1.0
    rate = read / seconds if seconds > 0 else 0.0
    left = f", about {shown((total - read) / rate)} left" if rate and read < total else ""
    return f"{folder}: {share:.0%} of {total / 1e6:,.0f} MB read, {rate / 1e6:,.0f} MB/s{left}"


def write_progress(folder: Path, written: int, least: int, seconds: float) -> str:
    """Return how many bytes were written in some seconds, in words; all files have `least` or more."""
    rate = written / seconds if seconds > 0 else 0.0
    of = f" of at least {_amount(least)}" if written < least else ""
    left = f", at least {shown((least - written) / rate)} left" if rate and written < least else ""
    return f"{folder}: {_amount(written)}{of} written, {rate / 1e6:,.1f} MB/s{left}"


def _log_reading(folder: Path, first: float, period: float, over: threading.Event) -> None:
    with suppress(OSError, psutil.Error):  # where a process may not know what it reads, nothing is logged
        process = psutil.Process()
        begin, before = time.monotonic(), process.io_counters().read_chars
        if over.wait(first):
            return
        total = _size_of(folder, over)
        while not over.is_set():
            read = process.io_counters().read_chars - before
            _log.info("%s", read_progress(folder, read, total, time.monotonic() - begin))
            over.wait(period)


def _log_writing(folder: Path, before: int, first: float, period: float, over: threading.Event) -> None:
    with suppress(OSError, DataError):  # where the folder cannot be read, the writing itself says so
        begin = time.monotonic()
        while (least := least_bytes_of(folder)) is None:
            if over.wait(_LOOK_SECONDS):
                return
        if least >= _NOTABLE_BYTES:
            _log.info("%s: at least %s are to be written", folder, _amount(least))
        pause = first
        while not over.wait(pause):
            pause = period
            written = max(0, _size_of(folder, over) - before)
            _log.info("%s", write_progress(folder, written, least, time.monotonic() - begin))


def _size_of(folder: Path, over: threading.Event) -> int:
    """Return the bytes of all files below a folder that can be seen; less when it is over meanwhile."""
    total = 0
    for path, _, names in os.walk(folder):
        if over.is_set():
            break
        for name in names:
            with suppress(OSError):  # a link to nowhere, or removed meanwhile
                total += (Path(path) / name).stat().st_size
    return total


def _amount(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
