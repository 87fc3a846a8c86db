"""A package's rows answer as the ledger does that they are of, and what no ledger would hold is refused."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from db.columns import TABLES, TableFacts
from db.errors import LedgerError, UnknownCampaignError
from db.events import EventKind
from db.plain import OWNERS, Except, Row, RowReader
from db.reader import Reader
from db.transfer.export import Export, write
from db.transfer.package_rows import PackageRows
from db.transfer.snapshot import Snapshot
from db.verification import check
from tests.db.filled import fill

Table = list[dict[str, str]]
ATTEMPTS: list[dict[str, Any]] = [
    {"accepted": True},
    {"state": "succeeded"},
    {"state": ["succeeded", "failed"]},
    {"state": []},
    {"state": [f"state {k}" for k in range(20)] + ["failed"]},
    {"state": Except(["succeeded"])},
    {"known": ["node", "fom_seconds"]},
    {"node": None},
    {"instance_id": range(1, 3)},
    {"instance_id": [*range(1, 40, 2)]},
    {"benchmark": "toy", "attempt_number": 1},
    {"columns": ["state"], "distinct": True},
    {"columns": ["instance_id", "token"], "order": ["session_number", "token"]},
]
OTHERS: list[tuple[str, dict[str, Any]]] = [
    ("events", {"kind": EventKind.TRANSITION.value, "order": ["campaign_id", "instance_id", "event_id"]}),
    ("events", {"kind": Except([EventKind.TRANSITION.value])}),
    ("events", {"kind": ["session_started", "session_ended"]}),
    ("metrics", {"accepted": True, "known": ["value"], "name": ["loss", "epochs_run"]}),
    ("metrics", {"name": ["epochs_run"]}),
    ("metrics", {"state": Except(["succeeded"])}),
    ("blocks", {"ended_us": None}),
    ("documents", {"sha256": ["none"]}),
]


def exported(url: str, folder: Path) -> Path:
    with Reader(url) as reader, Snapshot(reader) as source:
        write(source, folder, "csv", lambda *_: None)
    return folder


@pytest.fixture
def both(ledger_url: str, tmp_path: Path) -> Iterator[tuple[Reader, PackageRows]]:
    fill(ledger_url, "first")
    fill(ledger_url, "second")
    with Reader(ledger_url) as reader:
        yield reader, PackageRows(Export(exported(ledger_url, tmp_path / "export")))


def answer(
    reader: RowReader,
    table: str,
    campaign: int | None,
    *,
    columns: list[str] | None = None,
    **conditions: Any,
) -> list[Any]:
    names = columns or [
        *TABLES[table].names,
        *("benchmark_index" for owner in OWNERS.get(table, ()) if owner == "instances"),
    ]
    with reader.moment() as moment:
        rows = [tuple(row) for row in moment.rows(table, names, campaign, **conditions)]
    place = names.index("event_id") if "event_id" in names else None  # every ledger numbers events itself
    rows = [tuple(value for k, value in enumerate(row) if k != place) for row in rows]
    return sorted(rows, key=repr) if conditions.get("distinct") else rows


@pytest.mark.parametrize("number", [1, 2, None])
def test_rows_are_those_of_the_ledger(both: tuple[Reader, PackageRows], number: int | None) -> None:
    ledger, package = both
    for table in TABLES:
        if table != "documents" or number is None:
            assert answer(ledger, table, number) == answer(package, table, number), table
    for conditions in ATTEMPTS:
        found = answer(package, "attempts", number, **conditions)
        assert answer(ledger, "attempts", number, **conditions) == found, conditions
        assert bool(found) is (conditions.get("state") != []), conditions
    for table, conditions in OTHERS:
        mine = number if table != "documents" else None
        assert answer(ledger, table, mine, **conditions) == answer(package, table, mine, **conditions), table


def test_methods_answer_as_those_of_the_ledger(both: tuple[Reader, PackageRows]) -> None:
    answers = []
    for reader in both:
        row = reader.campaign("second")
        number = row.campaign_id
        with reader.moment() as moment:
            highest = moment.highest("attempts", "instance_id", number), moment.highest("blocks", "nodes", 99)
            assert abs(moment.clock_us() - 1_790_000_000_000_000) < 10**17
        events = [*reader.events(number), *reader.events(number, kinds=EventKind)]
        answers.append(
            [
                row,
                reader.campaigns(),
                reader.campaigns_of_workloads(row.rulebook, [number]),
                *(
                    method(number)
                    for method in (reader.benchmarks, reader.axes, reader.sweeps, reader.counts)
                ),
                reader.axes(number, "no such"),
                reader.instance_counts(number),
                reader.attempt_counts(number),
                reader.sessions_of(number),
                [(one.at_us, one.kind, one.subject, one.message, one.data) for one in events],
                check(reader),
                highest,
            ]
        )
    assert answers[0] == answers[1]
    assert not [*both[1].events(1, after=10**6)]
    with pytest.raises(UnknownCampaignError, match="no campaign 'third'"):
        both[1].campaign("third")


def changed(folder: Path, table: str, change: Callable[[Table], Any]) -> None:
    """Change a table of an export, and what its manifest says of it."""
    file = folder / f"{table}.csv"
    read = csv.DictReader(io.StringIO(file.read_bytes().decode(), newline=""))
    rows = list(read)
    change(rows)
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, read.fieldnames or [], lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    content = out.getvalue().encode()
    file.write_bytes(content)
    manifest = json.loads((folder / "manifest.json").read_text())
    facts = {"rows": len(rows), "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    manifest["tables"][table] |= facts
    (folder / "manifest.json").write_text(json.dumps(manifest))


def doubled(rows: Table) -> None:
    rows.append(dict(rows[0]))


def with_values(**values: str) -> Callable[[Table], None]:
    return lambda rows: rows[0].update(values)


def with_two(**values: str) -> Callable[[Table], None]:
    def change(rows: Table) -> None:
        for row in rows[:2]:
            row.update(values)

    return change


@pytest.mark.parametrize(
    ("table", "change", "problem"),
    [
        ("campaigns", doubled, "rows of campaigns have the same campaign_id"),
        ("campaigns", lambda rows: rows.clear(), "of a campaign 1 that is not there"),
        ("campaigns", with_values(name="other"), "'other' is not the one that the manifest names"),
        ("campaigns", with_values(rulebook="a\nb"), "has line breaks or control characters"),
        ("sessions", doubled, "rows of sessions have the same campaign_id, session_number"),
        ("sessions", with_values(pid="1.5"), "line 2: invalid literal for int"),
        ("instances", with_two(seed="7"), "rows of instances have the same campaign_id, seed"),
        ("instances", with_values(seed=str(2**63)), "instances.seed has a number of more than 8 bytes"),
        ("attempts", with_two(token="one"), "rows of attempts have the same token"),
        ("attempts", with_values(instance_id="99"), "that refer to rows of instances that are not there: 1"),
        ("attempts", with_values(environment_sha256="ab"), "rows of documents that are not there: 1"),
        ("metrics", with_values(attempt_number="9"), "refer to rows of attempts that are not there: 1"),
        ("metrics", with_values(campaign_id="9"), "table metrics has rows of a campaign 9"),
        ("points", with_values(benchmark="none"), "refer to rows of benchmarks that are not there: 1"),
        ("documents", with_values(content="{}"), "is not the one that its checksum names"),
    ],
)  # fmt: skip
def test_what_no_ledger_would_hold_is_refused(
    sqlite_url: str, tmp_path: Path, table: str, change: Callable[[Table], Any], problem: str
) -> None:
    fill(sqlite_url)
    folder = exported(sqlite_url, tmp_path / "export")
    changed(folder, table, change)
    with pytest.raises(LedgerError) as error:
        PackageRows(Export(folder))
    assert problem in str(error.value)


class Odd:
    """A source with one value of an export changed, as a file of another format could."""

    def __init__(self, source: Export, table: str, column: str, value: Any) -> None:
        self._source, self._table, self._value = source, table, value
        self._place = TABLES[table].place(column)
        self.schema, self.campaigns, self.counts = source.schema, source.campaigns, source.counts

    def chunks(self, table: TableFacts) -> Iterator[list[Row]]:
        for rows in self._source.chunks(table):
            if table.name == self._table:
                first = list(rows[0])
                first[self._place] = self._value
                yield [tuple(first), *rows[1:]]
            else:
                yield rows


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("instances", "seed", None),
        ("instances", "seed", 1.0),
        ("attempts", "node", b""),
        ("attempts", "state", 1),
    ],
)
def test_values_of_another_type_are_refused(
    sqlite_url: str, tmp_path: Path, table: str, column: str, value: Any
) -> None:
    fill(sqlite_url)
    source = Odd(Export(exported(sqlite_url, tmp_path / "export")), table, column, value)
    with pytest.raises(LedgerError, match=rf"{table}\.{column} has values of another type"):
        PackageRows(source)


def test_events_keep_their_order_whatever_their_numbers(sqlite_url: str, tmp_path: Path) -> None:
    """A number below 1 would hide an event from questions for those after the last known one."""
    fill(sqlite_url)
    folder = exported(sqlite_url, tmp_path / "export")
    before = [one.message for one in PackageRows(Export(folder)).events(1)]
    changed(folder, "events", lambda rows: rows[0].update(event_id="-5"))
    assert [one.message for one in PackageRows(Export(folder)).events(1)] == before


def test_no_number_is_kept_as_a_database_does(sqlite_url: str, tmp_path: Path) -> None:
    fill(sqlite_url)
    folder = exported(sqlite_url, tmp_path / "export")
    changed(folder, "attempts", lambda rows: rows[0].update(fom_seconds="nan", accuracy="-0.0"))
    found = next(PackageRows(Export(folder)).rows("attempts", ["fom_seconds", "accuracy"]))
    assert repr(found) == "(None, 0.0)"


def test_campaigns_that_the_manifest_doubles_or_lacks(sqlite_url: str, tmp_path: Path) -> None:
    fill(sqlite_url)
    folder = exported(sqlite_url, tmp_path / "export")
    manifest = json.loads((folder / "manifest.json").read_text())
    for listed, problem in (
        (manifest["campaigns"] * 2, "names campaigns of the same number"),
        (
            [*manifest["campaigns"], {"campaign": 2, "name": "b", "uid": "b", "running": False}],
            "is not there",
        ),
        ([], "is not the one that the manifest names"),
    ):
        (folder / "manifest.json").write_text(json.dumps(manifest | {"campaigns": listed}))
        with pytest.raises(LedgerError, match=problem):
            PackageRows(Export(folder))
