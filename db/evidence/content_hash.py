"""Hashes over what a ledger recorded of a campaign, the same in every copy of it and on every database."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING, Any

from db.column_values import to_json
from db.columns import TABLES
from db.event_chain import READ_BY_RULES, UNCHAINED
from db.events import EventKind
from db.plain import Except
from db.states import AttemptState

if TYPE_CHECKING:
    from db.plain import Row, RowReader, Rows

_CAMPAIGN = (
    "campaign_sha256", "created_us", "data_path", "rulebook", "run_class", "site_name", "site_sha256", "uid"
)  # fmt: skip
_SESSION = ("host", "kind", "pid", "session_number", "slots", "started_us", "version")
_INSTANCE = ("accepted_attempt", "benchmark", "benchmark_index", "instance_id", "seed")
_BLOCK = (
    "block_id", "job_id", "nodes", "pool", "requested_us", "session_number", "slot_shape", "started_us"
)  # fmt: skip
_BLOCK_KEY = ("session_number", "slot_shape", "block_id")
_PLACE = {
    "campaign_id", "event_id", "stdout_path", "stderr_path", "stderr_tail", "observed", "data_facts"
}  # fmt: skip
"""Columns that a copy may change, that no verdict reads, or whose content another column names."""
_ABOUT = (*UNCHAINED, EventKind.DOCUMENT_RECORDED)
PART = 10_000
"""Instances whose rows, with those of their attempts, have a hash of their own."""


@dataclass(frozen=True, slots=True)
class Content:
    """Records of a campaign in a ledger.

    Parameters
    ----------
    events
        Number of its events, but for those about verdicts, packages and documents. Every change of rows
        adds one: another hash with the same number is one of rows that were edited.
    """

    sha256: str
    events: int


def content_of(reader: RowReader, campaign_id: int, kinds: Sequence[str] = READ_BY_RULES) -> Content:
    """Return the hash of a campaign's texts, rows, events that rules read, and sums of the rest.

    It takes about 15 s of processor time for a million attempts. What attempts observed is in it by its key.
    """
    digest = hashlib.sha256()

    def add(columns: Sequence[str], rows: Iterable[Row]) -> None:
        for line in _lines(columns, rows):
            digest.update(line.encode() + b"\n")

    with reader.moment() as moment:
        columns: Sequence[str] = ("campaign_sha256", "site_sha256", "uid")
        add(columns, moment.rows("campaigns", columns, campaign_id))
        for table in ("benchmarks", "points", "instances", "sessions", "attempts"):
            columns = _columns(table)
            add(columns, moment.rows(table, columns, campaign_id))
        columns = _columns("events")
        add(columns, moment.rows("events", columns, campaign_id, kind=[str(kind) for kind in kinds]))
        add(("count_1", "max_1", "min_1", "name"), _ranges(moment, campaign_id))
        add(("count_1", "quantity", "sum_1"), _lengths(moment, campaign_id, "samples", "quantity"))
        add(("count_1", "name", "sum_1"), _lengths(moment, campaign_id, "curves", "name"))
        about = Except([str(kind) for kind in _ABOUT])
        number = sum(1 for _ in moment.rows("events", ["event_id"], campaign_id, kind=about))
    return Content(digest.hexdigest(), number)


def _ranges(moment: Rows, campaign_id: int) -> list[Row]:
    """Return number of rows, highest and lowest value, and name of each metric, by name."""
    found: dict[str, tuple[int, float | None, float | None]] = {}
    for name, value in moment.rows("metrics", ["name", "value"], campaign_id):
        number, high, low = found.get(name, (0, None, None))
        if value is not None:
            low, high = value if low is None else min(low, value), value if high is None else max(high, value)
        found[name] = number + 1, high, low
    return [(*found[name], name) for name in sorted(found)]


def _lengths(moment: Rows, campaign_id: int, table: str, name: str) -> list[Row]:
    """Return number of rows, name, and length of all points of each kind of samples or curves, by name."""
    found: dict[str, tuple[int, int]] = {}
    for one, points in moment.rows(table, [name, "points"], campaign_id):
        number, length = found.get(one, (0, 0))
        found[one] = number + 1, length + len(points)
    return [(found[one][0], one, found[one][1]) for one in sorted(found)]


def rows_sha256(parts: Sequence[str]) -> str:
    """Return the SHA-256 of the rows that a session leaves, by the hashes of their parts."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def row_parts(moment: Rows, campaign_id: int) -> list[str]:
    """Return a SHA-256 for each part of the rows that a session leaves, as of `row_part`.

    The end of each session keeps them. It takes about 10 s of processor time for a million attempts.
    """
    last = max(moment.highest(table, "instance_id", campaign_id) for table in ("instances", "attempts"))
    return [row_part(moment, campaign_id, number) for number in range(last // PART + 2)]


def row_part(moment: Rows, campaign_id: int, number: int) -> str:
    """Return the SHA-256 of a part of the rows which nothing but a later session changes.

    Part 0 is all but instances and attempts. Each later one is `PART` instances with their attempts.

    Metrics of accepted attempts are in none, as journals have them, nor ends of blocks, which `ends_sha256`
    is over.
    """
    digest = hashlib.sha256()

    def add(table: str, columns: Sequence[str], rows: Iterable[Row], *, in_order: bool) -> None:
        lines = _lines(columns, rows)
        # Databases sort texts otherwise.
        for line in lines if in_order else sorted(lines):
            digest.update(f"{table} {line}\n".encode())

    if number:
        chosen = range((number - 1) * PART, number * PART)
        planned: list[tuple[str, Sequence[str]]] = [("instances", _INSTANCE), ("attempts", _all("attempts"))]
        for table, columns in planned:
            rows = moment.rows(table, columns, campaign_id, instance_id=chosen)
            add(table, columns, rows, in_order=True)
        return digest.hexdigest()
    failed: dict[str, dict[str, Any]] = {"metrics": {"state": Except([AttemptState.SUCCEEDED.value])}}
    rest: list[tuple[str, Sequence[str]]] = [
        ("campaigns", _CAMPAIGN),
        ("sessions", _SESSION),
        ("benchmarks", _all("benchmarks")),
        ("points", _all("points")),
        ("metrics", _all("metrics")),
        ("blocks", _BLOCK),
    ]
    for table, columns in rest:
        rows = moment.rows(table, columns, campaign_id, **failed.get(table, {}))
        add(table, columns, rows, in_order=False)
    return digest.hexdigest()


def open_blocks(moment: Rows, campaign_id: int) -> list[list[int | str]]:
    """Return session, slot shape and number of the blocks without an end, which may be found later."""
    return sorted(list(row) for row in moment.rows("blocks", _BLOCK_KEY, campaign_id, ended_us=None))


def ends_sha256(moment: Rows, campaign_id: int, open_then: Iterable[Sequence[int | str]] = ()) -> str:
    """Return the SHA-256 of how and when blocks ended.

    Parameters
    ----------
    open_then
        Blocks that had no end when the hash was kept, as of `open_blocks`; theirs are left out.
    """
    columns = (*_BLOCK_KEY, "state", "ended_us", "message")
    left_out = {tuple(one) for one in open_then}
    rows = moment.rows("blocks", columns, campaign_id, known=["ended_us"])
    lines = [to_json(list(row)) for row in rows if tuple(row[:3]) not in left_out]
    return hashlib.sha256("".join(f"{line}\n" for line in sorted(lines)).encode()).hexdigest()


def _lines(columns: Sequence[str], rows: Iterable[Row]) -> Iterator[str]:
    """Yield each row as `to_json` writes it as an object, in half of the time; `columns` are sorted.

    Columns of later schemas are NULL in earlier rows, and are left out.
    """
    keys = [f"{to_json(name)}: " for name in columns]
    for row in rows:
        cells = [
            key + _TEXTS.get(type(value), to_json)(value)
            for key, value in zip(keys, row, strict=True)
            if value is not None
        ]
        yield f"{{{', '.join(cells)}}}"


_TEXTS: dict[type, Callable[[Any], str]] = {
    int: int.__repr__,
    str: encode_basestring_ascii,
    # SQLite keeps no sign of a zero.
    float: lambda value: repr(value) if value else "0",
}


def _all(table: str) -> list[str]:
    return sorted(name for name in TABLES[table].names if name != "campaign_id")


def _columns(table: str) -> list[str]:
    return sorted(name for name in TABLES[table].names if name not in _PLACE)
