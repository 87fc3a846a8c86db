"""How long attempts and their supervisors may take. Pure: no clock, no I/O."""

from __future__ import annotations

_SPARE_SECONDS = 180.0  # for a slot to become free, an image to be found, and programs to be read
_REPORT_SECONDS = 30.0  # for the last process to be gone, and the report to be written
BLOCK_END_SECONDS = 5.0  # between the last process of an attempt and the end of its block


def supervisor_timeout(timeout: float, barrier: float, grace: float, hook: float | None = None) -> float:
    """Return the seconds after which a supervisor without a report has failed.

    Parameters
    ----------
    timeout, barrier, grace
        Seconds that the attempt may run, wait for its wave, and take to end.
    hook
        Longest seconds of the shell lines before it, and of those after it; None where it has none.
    """
    around = 0.0 if hook is None else 2 * (hook + grace)
    return timeout + barrier + 2 * grace + around + _SPARE_SECONDS


def longest_after_start(longest: float, grace: float) -> float:
    """Return the seconds after which a supervisor that has begun its processes has failed.

    Parameters
    ----------
    longest, grace
        From `supervisor_timeout`, and seconds that the attempt may take to end.
    """
    return longest - _SPARE_SECONDS - grace + _REPORT_SECONDS


def is_whole(window: tuple[float, float] | None) -> bool:
    """Return whether a block has all the time that any block gets: no shorter block, and no allocation."""
    return window is not None and window[0] > 0


def seconds_left(window: tuple[float, float], now: float, grace: float) -> float:
    """Return how many seconds an attempt may run before it must be ended for its block's end.

    Parameters
    ----------
    window
        When the block began and ends, in seconds since the epoch.
    now
        The time, in seconds since the epoch.
    grace
        Seconds that the attempt may take to end.
    """
    return window[1] - now - grace - BLOCK_END_SECONDS
