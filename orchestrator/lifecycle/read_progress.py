"""Telling how far the reading of large data sets has come."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from sites.quantities import shown

_log = logging.getLogger(__name__)
_FIRST_SECONDS = 2.0
_PERIOD_SECONDS = 5.0


@contextmanager
def log_read_progress(
    folder: Path, *, first: float = _FIRST_SECONDS, period: float = _PERIOD_SECONDS
) -> Iterator[None]:
    """Log every few seconds how much of a folder this process has read since the block began.

    Parameters
    ----------
    folder
        Whose files are read, each once.
    first, period
        Seconds before the first line, and between two.
    """
    over = threading.Event()
    thread = threading.Thread(target=_log_until, args=(over, folder, first, period), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def progress(folder: Path, read: int, total: int, seconds: float) -> str:
    """Return how far it has come, in words.

    Parameters
    ----------
    read, total
        Bytes.
    seconds
        Since it began.
    """
    share = min(1.0, read / total) if total else 1.0
    rate = read / seconds if seconds > 0 else 0.0
    left = f", about {shown((total - read) / rate)} left" if rate and read < total else ""
    return f"{folder}: {share:.0%} of {total / 1e6:,.0f} MB read, {rate / 1e6:,.0f} MB/s{left}"


def _log_until(over: threading.Event, folder: Path, first: float, period: float) -> None:
    with suppress(OSError, psutil.Error):  # where a process may not know what it reads, nothing is logged
        process = psutil.Process()
        begin, before = time.monotonic(), process.io_counters().read_chars
        if over.wait(first):
            return
        total = _size(folder, over)
        while not over.is_set():
            read = process.io_counters().read_chars - before
            _log.info("%s", progress(folder, read, total, time.monotonic() - begin))
            over.wait(period)


def _size(folder: Path, over: threading.Event) -> int:
    """Return the bytes of all files below a folder that can be seen; less when it is over meanwhile."""
    total = 0
    for path, _, names in os.walk(folder):
        if over.is_set():
            break
        for name in names:
            with suppress(OSError):  # a link to nowhere, or removed meanwhile
                total += (Path(path) / name).stat().st_size
    return total
