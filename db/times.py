"""Texts for the ledger's times."""

from __future__ import annotations

from datetime import UTC, datetime


def utc(microseconds: int | None) -> str | None:
    """Return microseconds since the epoch as ISO 8601 UTC text."""
    if microseconds is None:
        return None
    moment = datetime.fromtimestamp(microseconds / 1e6, UTC)
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def utc_seconds(microseconds: int | None) -> str | None:
    """Return microseconds since the epoch as UTC text for people, to the second."""
    return None if microseconds is None else str(utc(microseconds))[:19].replace("T", " ")
