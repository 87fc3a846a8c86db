"""The driver's clock as nodes see it: a file that tells how far ahead a node's clock is at most.

About once a second the driver writes the time into a file that all nodes see. Whoever reads it, reads
an instant that has passed: so a node's clock is ahead of the driver's by its own time less what it
reads, or by less. How far it may be behind, results tell: they are received after they were sent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

PERIOD_SECONDS = 1.0


def clock_file(directory: Path, session: int) -> Path:
    """Return the file of a session's driver."""
    return directory / f"clock-{session}"


def tell(file: Path, now_us: int) -> None:
    """Write the time, UTC microseconds; a disk that takes none leaves an older time, which is no lie."""
    partial = file.with_suffix(".partial")
    try:
        partial.write_text(str(now_us), encoding="ascii")
        partial.replace(file)
    except OSError:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def ahead_us(order: Mapping[str, Any], now_us: Callable[[], int]) -> int | None:
    """Return how far this node's clock is ahead of the driver's at most, in microseconds.

    Parameters
    ----------
    order
        The attempt's.
    now_us
        This node's clock; asked once the driver's time has been read.

    Returns
    -------
    int or None
        Less than nothing where the clock is behind for certain; None where no driver tells its time.
    """
    try:
        told = int(clock_file(Path(order["directory"]), order["session"]).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
    return now_us() - told
