"""Say what a command is doing when it takes long."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

FIRST_SECONDS = 2.0


@contextmanager
def slow_notice(text: str) -> Iterator[None]:
    """Print a line on standard error if what is done takes more than two seconds."""
    timer = threading.Timer(FIRST_SECONDS, lambda: print(f"{text} …", file=sys.stderr))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def reading_notice(campaign: str) -> AbstractContextManager[None]:
    """Print a line on standard error if a campaign file is read and checked for more than two seconds."""
    file = Path(campaign)
    size = f" ({file.stat().st_size / 2**20:.1f} MiB)" if file.is_file() else ""
    return slow_notice(f"reading and checking {campaign}{size}")
