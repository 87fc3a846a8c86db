"""Lengths of time as batch systems write them."""

from __future__ import annotations


def parse_hms(text: str) -> float:
    """Return the seconds of ``[DAYS-][[HOURS:]MINUTES:]SECONDS``; raises `ValueError` for another text."""
    days, _, clock = text.strip().rpartition("-")
    seconds = 0
    for part in clock.split(":"):
        if not part.isdecimal():
            raise ValueError(f"{text!r} is no length of time")
        seconds = seconds * 60 + int(part)
    return float(int(days or 0) * 86400 + seconds)


def parse_limit(text: str) -> float | None:
    """Return the seconds of a limit as `parse_hms` does; None for another text, such as UNLIMITED."""
    try:
        return parse_hms(text)
    except ValueError:
        return None


def format_hms(seconds: float) -> str:
    """Return a duration as ``HH:MM:SS``."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02d}:{minutes:02d}:{rest:02d}"
