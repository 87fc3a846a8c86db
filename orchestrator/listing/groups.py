"""Tables of a list, and the groups of rows in them that compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from orchestrator.listing.log import Entry
from orchestrator.listing.rows import Row
from orchestrator.wording import short_hashes


@dataclass(frozen=True, slots=True)
class Placed:
    """A row at its place; None where it has none. `struck` says why it no longer counts."""

    row: Row
    place: int | None
    struck: Entry | None


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that compare.

    Parameters
    ----------
    shared
        What they have in common, a line each.
    differs
        How they differ from the first group of the table, a line each; none for the first.
    """

    rows: tuple[Placed, ...]
    shared: tuple[str, ...]
    differs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of one rulebook and class; the first group has the most rows that count."""

    rulebook: str
    run_class: str
    groups: tuple[Group, ...]


def tables(rows: Sequence[Row], struck: Mapping[str, Entry]) -> list[Table]:
    """Return rows as tables, by rulebook and class."""
    named: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        named.setdefault((row.rulebook, row.run_class), []).append(row)
    return [Table(*name, _groups(mine, struck)) for name, mine in sorted(named.items())]


def _groups(rows: Sequence[Row], struck: Mapping[str, Entry]) -> tuple[Group, ...]:
    alike: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        alike.setdefault(tuple(_compared(row).values()), []).append(row)
    ordered = sorted(alike.values(), key=lambda mine: -sum(row.root not in struck for row in mine))
    first = _compared(ordered[0][0])
    return tuple(
        Group(
            _placed(mine, struck),
            tuple(f"{name} {short_hashes(text)}" for name, text in _compared(mine[0]).items()),
            tuple(
                f"{name}: {short_hashes(text)}, and in the first group {short_hashes(first[name])}"
                for name, text in _compared(mine[0]).items()
                if text != first[name]
            ),
        )
        for mine in ordered
    )


def _compared(row: Row) -> dict[str, str]:
    """Return all in which rows that compare agree, by name. Data that were not hashed agree with no other."""
    data = [
        f"{workload} {hashes or f'not hashed (package {row.root})'}" for workload, hashes in row.data.items()
    ]
    return {
        "rulebook version": f"{row.rulebook_version}, files {row.rulebook_files}",
        "workloads": ", ".join(row.workloads),
        "data": ", ".join(data) or "none recorded",
        "declarations": "; ".join(row.declared) or "none",
    }


def figure_of(row: Row) -> float | None:
    """Return the figure by which a row is ranked; None for several figures, or without a value."""
    return row.figures[0].value if len(row.figures) == 1 else None


def _placed(rows: Sequence[Row], struck: Mapping[str, Entry]) -> tuple[Placed, ...]:
    """Return rows with their places, the best first; a single row that counts has no place."""
    ranked = {
        row.root: value
        for row in rows
        if row.reportable and row.root not in struck and (value := figure_of(row)) is not None
    }
    places = {
        root: 1 + sum(other > value for other in ranked.values())
        for root, value in ranked.items()
        if len(ranked) > 1
    }
    ordered = sorted(
        rows,
        key=lambda row: (row.root in struck, -ranked.get(row.root, float("-inf")), row.ended_us),
    )
    return tuple(Placed(row, places.get(row.root), struck.get(row.root)) for row in ordered)
