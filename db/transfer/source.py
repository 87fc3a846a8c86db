"""Whole campaigns, wherever they are kept, read table by table: for exports, copies and comparisons."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from db import columns
from db.columns import TableFacts
from db.errors import LedgerError
from db.plain import Row

Progress = Callable[[str, int, int], None]
"""Called with a table's name, its number of copied rows, and its number of rows."""

TABLES = tuple(columns.TABLES.values())
"""All tables; each comes after those it refers to."""
CHUNK = 10_000
_NAMES = {
    "campaigns": ("name", "site_name", "rulebook", "run_class"),
    "benchmarks": ("benchmark", "workload", "quality_metric"),
    "points": ("benchmark", "axis", "sweep"),
}
"""By table, columns that reports show as they are."""


@dataclass(frozen=True, slots=True)
class CampaignRef:
    """A campaign that a source holds: its number there, and whether a driver ran it at that moment."""

    number: int
    name: str
    uid: str
    running: bool


class Source(Protocol):
    """Whole campaigns, wherever they are kept."""

    schema: str
    campaigns: list[CampaignRef]
    counts: dict[str, int]

    def chunks(self, table: TableFacts) -> Iterator[list[Row]]:
        """Yield all rows of a table, in the order of its columns, never many at a time."""


def unprintable(table: TableFacts, rows: Sequence[Row]) -> str | None:
    """Return which name no ledger gives, as it could draw a verdict of its own on a terminal; else None."""
    places = [table.place(name) for name in _NAMES.get(table.name, ())]
    for row in rows if places else ():
        for place in places:
            if isinstance(row[place], str) and not row[place].isprintable():
                name = table.names[place]
                return f"{table.name}.{name} {row[place][:60]!r} has line breaks or control characters"
    return None


def refuse_unlisted(listed: CampaignRef | None, name: str, uid: str) -> None:
    """Refuse a campaign that is not the one which a source lists with its number."""
    if listed is None or (listed.name, listed.uid) != (name, uid):
        raise LedgerError(f"campaign {name!r} is not the one that the manifest names")


class RowDigests:
    """Digests of campaigns' rows: equal for the same rows, whatever their order and the campaign's number."""

    def __init__(self) -> None:
        self._sums: dict[int, int] = {}

    def add(self, table: TableFacts, rows: Sequence[Row]) -> None:
        """Take rows of a table."""
        if table.name == "documents":  # shared by campaigns; attempts name them by their hash
            return
        names = table.names
        place = names.index("campaign_id")
        left_out = {"campaign_id", "event_id"} if table.name == "events" else {"campaign_id"}
        kept = [position for position, name in enumerate(names) if name not in left_out]
        for row in rows:
            values = [row[position] for position in kept]
            # SQLite keeps no sign of a zero.
            content = repr((table.name, [0 if value == 0 else value for value in values])).encode()
            digest = int.from_bytes(hashlib.blake2b(content, digest_size=16).digest())
            self._sums[row[place]] = (self._sums.get(row[place], 0) + digest) % 2**128

    def of(self, number: int) -> int:
        """Return a campaign's digest."""
        return self._sums.get(number, 0)
