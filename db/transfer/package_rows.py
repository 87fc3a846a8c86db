"""A package's tables in memory, which give what a ledger of the same rows would.

Everything that a database would refuse is refused when the tables are read: values of other types, doubled
keys, rows that refer to none.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from contextlib import contextmanager
from dataclasses import fields
from itertools import count
from types import NoneType
from typing import TYPE_CHECKING, Any, TypeVar

from db.column_values import now_us, sha256
from db.columns import TABLES
from db.errors import LedgerError, UnknownCampaignError
from db.events import Event, EventKind
from db.plain import OWNER_KEYS, Except, owner_of, wanted
from db.records import CampaignRow
from db.rows import BenchmarkRow, Point, Session
from db.transfer.source import refuse_unlisted, unprintable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from db.columns import ColumnFacts, TableFacts
    from db.plain import Row
    from db.transfer.source import Source

_Typed = TypeVar("_Typed", CampaignRow, BenchmarkRow, Point, Session)
_LIMIT, _NARROW_LIMIT = 2**63, 2**31
_INDEXED = {"token", "instance_id"}
"""Columns of which a few rows at a time are asked for."""


class PackageRows:
    """The rows of a package; see `db.plain.Rows` and `db.plain.RowReader`, both of which this is.

    Campaigns and events get numbers from 1, in the order of the files, as in a new ledger.

    Raises
    ------
    LedgerError
        If no ledger would hold these rows.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        listed = {one.number: one for one in source.campaigns}
        if len(listed) < len(source.campaigns):
            raise LedgerError("its manifest names campaigns of the same number")
        self._numbers: dict[int, int] = {}
        self._columns: dict[tuple[str, str], list[Any]] = {}
        self._of_campaign: dict[tuple[str, int], Sequence[int]] = {}
        self._indices: dict[tuple[str, int | None, str], dict[Any, list[int]]] = {}
        for facts in TABLES.values():
            self._read(facts)
        names = zip(*(self._columns["campaigns", name] for name in ("name", "uid")), strict=True)
        for number, (name, uid) in zip(self._numbers, names, strict=True):
            refuse_unlisted(listed.pop(number, None), name, uid)
        if listed:
            raise LedgerError("a campaign that the manifest names is not there; export again")
        for facts in TABLES.values():
            self._check(facts)

    def _read(self, facts: TableFacts) -> None:
        columns: list[list[Any]] = [[] for _ in facts.columns]
        shared: dict[str, str] = {}  # one text for a million rows
        for rows in self._source.chunks(facts):
            if (problem := unprintable(facts, rows)) is not None:
                raise LedgerError(problem)
            for column, kind, values in zip(columns, facts.columns, zip(*rows, strict=True), strict=True):
                _refuse_other(facts.name, kind, values)
                if kind.type is str:
                    column.extend(shared.setdefault(value, value) for value in values)
                else:
                    column.extend(map(_as_stored, values) if kind.type is float else values)
        found = dict(zip(facts.names, columns, strict=True))
        if facts.name == "campaigns":
            self._numbers = dict(zip(found["campaign_id"], count(1)))
            if len(self._numbers) < len(found["campaign_id"]):
                raise LedgerError("rows of campaigns have the same campaign_id")
        if facts.name == "events":
            found["event_id"] = list(range(1, len(found["event_id"]) + 1))
        if "campaign_id" in found:
            found["campaign_id"] = [self._number(facts, one) for one in found["campaign_id"]]
        keys = list(zip(*(found[name] for name in facts.key), strict=True))
        order = sorted(range(len(keys)), key=keys.__getitem__)
        for name, column in found.items():
            self._columns[facts.name, name] = [column[place] for place in order]

    def _number(self, facts: TableFacts, number: int) -> int:
        if number not in self._numbers:
            raise LedgerError(f"table {facts.name} has rows of a campaign {number} that is not there")
        return self._numbers[number]

    def _check(self, facts: TableFacts) -> None:
        """Refuse doubled keys, rows that refer to none, and documents that are not those of their keys."""
        for columns in (facts.key, *facts.unique.values()):
            keys = self._keys(facts.name, columns)
            if len(set(keys)) < len(keys):
                raise LedgerError(f"rows of {facts.name} have the same {', '.join(columns)}")
        for columns, parent in facts.parents:
            there = set(self._keys(parent, TABLES[parent].key))
            lost = sum(key not in there and None not in key for key in self._keys(facts.name, columns))
            if lost:
                raise LedgerError(
                    f"rows of {facts.name} that refer to rows of {parent} that are not there: {lost}"
                )
        if facts.name == "documents":
            for key, content in self._keys(facts.name, ("sha256", "content")):
                if sha256(content) != key:
                    raise LedgerError(f"document {key[:12]} is not the one that its checksum names")

    def _keys(self, table: str, columns: Sequence[str]) -> list[Row]:
        return list(zip(*(self._columns[table, name] for name in columns), strict=True))

    # -- rows --------------------------------------------------------------------------------

    @contextmanager
    def moment(self) -> Iterator[PackageRows]:
        """Yield the rows; they never change."""
        yield self

    def rows(
        self,
        table: str,
        columns: Sequence[str],
        campaign_id: int | None = None,
        *,
        accepted: bool = False,
        known: Sequence[str] = (),
        order: Sequence[str] | None = None,
        distinct: bool = False,
        **values: Any,
    ) -> Iterator[Row]:
        """Return columns of a table's rows."""
        places: Sequence[int] = self._places(table, campaign_id)
        for name in _INDEXED & values.keys():
            if isinstance(values[name], list | tuple | set | frozenset):
                places = self._places_with(table, campaign_id, name, values.pop(name))
                break
        for name in known:
            column = self._column(table, name)
            places = [place for place in places if column[place] is not None]
        for name, value in values.items():
            places = _filtered(places, self._column(table, name), value)
        if accepted:
            mine, theirs = (self._column(table, name) for name in ("attempt_number", "accepted_attempt"))
            places = [place for place in places if mine[place] == theirs[place]]
        for name in reversed(order or ()):
            places = sorted(places, key=self._column(table, name).__getitem__)
        chosen = [self._column(table, name) for name in columns]
        rows: Iterator[Row] = zip(*([column[place] for place in places] for column in chosen), strict=True)
        return iter(dict.fromkeys(rows)) if distinct else rows

    def _places(self, table: str, campaign_id: int | None) -> Sequence[int]:
        """Return the places of a campaign's rows in the columns."""
        if campaign_id is None:
            return range(len(self._columns[table, TABLES[table].key[0]]))
        found = self._of_campaign.get((table, campaign_id))
        if found is None:
            column = self._columns[table, "campaign_id"]
            found = [place for place, number in enumerate(column) if number == campaign_id]
            self._of_campaign[table, campaign_id] = found
        return found

    def _places_with(
        self, table: str, campaign_id: int | None, name: str, values: Collection[Any]
    ) -> list[int]:
        """Return the places of a campaign's rows with some values in a column, without a look at all rows."""
        index = self._indices.get((table, campaign_id, name))
        if index is None:
            column, index = self._column(table, name), {}
            for place in self._places(table, campaign_id):
                index.setdefault(column[place], []).append(place)
            self._indices[table, campaign_id, name] = index
        return sorted(place for value in set(values) for place in index.get(value, ()))

    def _column(self, table: str, name: str) -> list[Any]:
        """Return a column, of the rows themselves or of those to which they belong."""
        if (table, name) not in self._columns:
            owner = owner_of(table, name)
            values, places = self._columns[owner, name], self._owners(table, owner)
            self._columns[table, name] = [values[place] for place in places]
        return self._columns[table, name]

    def _owners(self, table: str, owner: str) -> list[int]:
        """Return, for each row, the place of the row to which it belongs."""
        key = table, f"place of {owner}"
        if key not in self._columns:
            columns = OWNER_KEYS[owner]
            places = {one: place for place, one in enumerate(self._keys(owner, columns))}
            self._columns[key] = [places[one] for one in self._keys(table, columns)]
        return self._columns[key]

    def highest(self, table: str, column: str, campaign_id: int) -> int:
        """Return the highest number in a column of a campaign's rows; 0 without any."""
        return max((value for (value,) in self.rows(table, [column], campaign_id)), default=0)

    def clock_us(self) -> int:
        """Return this host's clock."""
        return now_us()

    def lost_parents(self) -> dict[tuple[str, str], int]:
        """Return nothing: such rows were refused."""
        return {}

    def lost_guards(self) -> list[str]:
        """Return nothing: files have no triggers."""
        return []

    def damage(self) -> list[str]:
        """Return nothing: the files have the checksums of the manifest."""
        return []

    # -- campaigns ---------------------------------------------------------------------------

    def _typed(
        self, kind: type[_Typed], table: str, campaign_id: int | None = None, **conditions: Any
    ) -> list[_Typed]:
        names = [one.name for one in fields(kind)]
        return [kind(*row) for row in self.rows(table, names, campaign_id, **conditions)]

    def campaigns(self) -> list[CampaignRow]:
        """Return all campaigns."""
        return self._typed(CampaignRow, "campaigns")

    def campaign(self, name: str) -> CampaignRow:
        """Return the campaign that has a name.

        Raises
        ------
        UnknownCampaignError
            If there is none.
        """
        for row in self.campaigns():
            if row.name == name:
                return row
        raise UnknownCampaignError(f"its rows are of no campaign {name!r}")

    def campaigns_of_workloads(self, rulebook: str, numbers: Sequence[int]) -> list[str]:
        """Return names of other campaigns under a rulebook that ran a workload of these, oldest first."""
        columns = ["campaign_id", "workload"]
        workloads = {workload for number, workload in self.rows("benchmarks", columns) if number in numbers}
        alike = {number for number, _ in self.rows("benchmarks", columns, workload=workloads)}
        return [
            row.name
            for row in self.campaigns()
            if row.rulebook == rulebook and row.campaign_id in alike.difference(numbers)
        ]

    def benchmarks(self, campaign_id: int) -> list[BenchmarkRow]:
        """Return the campaign's benchmark rows, in the plan's order; those without instances come first."""
        first: dict[str, tuple[int, int]] = {}
        columns = ["benchmark", "benchmark_index", "instance_id"]
        for benchmark, *key in self.rows("instances", columns, campaign_id):
            first[benchmark] = min(first.get(benchmark, (key[0], key[1])), (key[0], key[1]))
        rows = self._typed(BenchmarkRow, "benchmarks", campaign_id)
        return sorted(rows, key=lambda row: (first.get(row.benchmark, (0, -1))[1], row.benchmark))

    def axes(self, campaign_id: int, benchmark: str | None = None) -> list[Point]:
        """Return the axes of a campaign's points, or of one, in the order of names and of the file."""
        named = {} if benchmark is None else {"benchmark": benchmark}
        return self._typed(Point, "points", campaign_id, order=["benchmark", "place"], **named)

    def sweeps(self, campaign_id: int) -> dict[str, str]:
        """Return the name of its sweep for each benchmark that is a point of one."""
        return dict(self.rows("points", ["benchmark", "sweep"], campaign_id))

    def counts(self, campaign_id: int) -> dict[str, dict[str, int]]:
        """Return the number of instances per benchmark and instance state."""
        numbers = Counter(self.rows("instances", ["benchmark", "state"], campaign_id))
        found: dict[str, dict[str, int]] = {}
        for benchmark, state in sorted(numbers):
            found.setdefault(benchmark, {})[state] = numbers[benchmark, state]
        return found

    def instance_counts(self, campaign_id: int) -> dict[str, int]:
        """Return the number of instances per instance state."""
        return self._states("instances", campaign_id)

    def attempt_counts(self, campaign_id: int) -> dict[str, int]:
        """Return the number of attempts per state."""
        return self._states("attempts", campaign_id)

    def _states(self, table: str, campaign_id: int) -> dict[str, int]:
        return dict(sorted(Counter(state for (state,) in self.rows(table, ["state"], campaign_id)).items()))

    def sessions_of(self, campaign_id: int) -> list[Session]:
        """Return each launch and resume of a campaign."""
        return self._typed(Session, "sessions", campaign_id)

    def events(
        self, campaign_id: int, *, after: int = 0, kinds: Collection[str] | None = None
    ) -> Iterator[Event]:
        """Yield a campaign's events in their order, without transitions unless `kinds` has them."""
        wanted_kinds: Any = Except([EventKind.TRANSITION.value]) if kinds is None else list(map(str, kinds))
        columns = ["instance_id", "benchmark", "benchmark_index"]
        labels: Mapping[int, str] = {
            instance: f"{benchmark}/{index}"
            for instance, benchmark, index in self.rows("instances", columns, campaign_id)
        }
        names = [one.name for one in fields(Event)]
        for row in self.rows(
            "events", names, campaign_id, kind=wanted_kinds, event_id=range(after + 1, _LIMIT)
        ):
            facts = dict(zip(names, row, strict=True))
            facts["subject"] = facts["subject"] or labels.get(facts["instance_id"], "")
            facts["message"] = facts["message"] or ""
            facts["data"] = json.loads(facts["data"]) if facts["data"] else None
            yield Event(**facts)


def _filtered(places: Sequence[int], column: Sequence[Any], value: Any) -> list[int]:
    """Return the places at which a column meets a condition of `db.plain.Rows.rows`."""
    if isinstance(value, Except):
        left_out = {None, *value.values}
        return [place for place in places if column[place] not in left_out]
    chosen = value if isinstance(value, range) else set(wanted(value))
    return [place for place in places if column[place] in chosen]


def _refuse_other(table: str, column: ColumnFacts, values: Sequence[Any]) -> None:
    """Refuse values that the column of a database does not have."""
    allowed = {column.type, NoneType} if column.nullable else {column.type}
    if not allowed.issuperset(map(type, values)):
        raise LedgerError(f"{table}.{column.name} has values of another type")
    limit = _LIMIT if column.wide else _NARROW_LIMIT
    if column.type is int and any(value is not None and not -limit <= value < limit for value in values):
        size = limit.bit_length() // 8
        raise LedgerError(f"{table}.{column.name} has a number of more than {size} bytes")


def _as_stored(value: float | None) -> float | None:
    """Return a number as databases keep it: without NaN, and without the sign of a zero."""
    return None if value is None or math.isnan(value) else value + 0.0
