"""Accepted and counted: what judging takes of a campaign's accepted attempts, and what it leaves out.

An instance counts by the attempt that it accepted, unless a new instance took its place because it missed
its accuracy. Judging reads counted rows by `counted_rows`; users' SQL has the view ``counted``.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from db.events import EventKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from db.plain import Readable, Row, Rows


@dataclass(frozen=True, slots=True)
class SupersededGroup:
    """The accepted attempts of a benchmark's superseded instances.

    Parameters
    ----------
    number
        How many.
    longest_seconds
        Their longest FOM time; None where none has one.
    """

    number: int
    longest_seconds: float | None
    lowest_accuracy: float | None
    highest_accuracy: float | None


NONE_SUPERSEDED = SupersededGroup(0, None, None, None)


def superseded_ids(moment: Rows, campaign_id: int) -> set[int]:
    """Return the numbers of a campaign's superseded instances."""
    return {one[0] for one in _superseding(moment, campaign_id, ["instance_id"])}


def counted_rows(
    moment: Rows, table: str, columns: Sequence[str], campaign_id: int, **conditions: Any
) -> Iterator[Row]:
    """Yield columns of the rows of accepted and counted attempts; see `db.plain.Rows.rows`."""
    gone = superseded_ids(moment, campaign_id)
    if not gone:
        yield from moment.rows(table, columns, campaign_id, accepted=True, **conditions)
        return
    rows = moment.rows(table, ["instance_id", *columns], campaign_id, accepted=True, **conditions)
    yield from (tuple(row[1:]) for row in rows if row[0] not in gone)


def superseded_counts(reader: Readable, campaign_id: int) -> dict[str, int]:
    """Return how many instances of each benchmark are superseded; benchmarks without one are left out."""
    with reader.moment() as moment:
        gone = superseded_ids(moment, campaign_id)
        rows = moment.rows("instances", ["benchmark"], campaign_id, instance_id=gone) if gone else ()
        return dict(sorted(Counter(benchmark for (benchmark,) in rows).items()))


def superseded_by(reader: Readable, campaign_id: int) -> dict[int, str]:
    """Return, by superseded instance, the label of the instance that took its place."""
    with reader.moment() as moment:
        return {
            instance: str(json.loads(data or "{}").get("label", "another instance"))
            for instance, data in _superseding(moment, campaign_id, ["instance_id", "data"])
        }


def superseded_groups(reader: Readable, campaign_id: int) -> dict[str, SupersededGroup]:
    """Return, by benchmark, what superseded instances had accepted; benchmarks without any are left out."""
    columns = ["benchmark", "fom_seconds", "accuracy"]
    found: dict[str, list[Row]] = {}
    with reader.moment() as moment:
        gone = superseded_ids(moment, campaign_id)
        rows = moment.rows("attempts", columns, campaign_id, accepted=True, instance_id=gone) if gone else ()
        for benchmark, *values in rows:
            found.setdefault(benchmark, []).append(tuple(values))
    return {benchmark: _group(some) for benchmark, some in found.items()}


def _group(rows: Sequence[Row]) -> SupersededGroup:
    seconds, accuracies = ([one for one in column if one is not None] for column in zip(*rows, strict=True))
    lowest, highest = min(accuracies, default=None), max(accuracies, default=None)
    return SupersededGroup(len(rows), max(seconds, default=None), lowest, highest)


def _superseding(moment: Rows, campaign_id: int, columns: Sequence[str]) -> Iterator[Row]:
    kind = EventKind.INSTANCE_SUPERSEDED.value
    return moment.rows("events", columns, campaign_id, kind=kind, known=["instance_id"])
