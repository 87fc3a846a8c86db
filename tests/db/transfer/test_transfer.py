"""Exports, imports and copies: every row before is there after, or none is."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from db.columns import SCHEMA
from db.connection.connect import parse_url
from db.errors import LedgerError, SchemaError, UnknownCampaignError
from db.events import EventKind
from db.ledger import Ledger
from db.reader import Reader
from db.schema import upgrade
from db.transfer import formats, snapshot
from db.transfer.export import Export, write
from db.transfer.importer import ImportResult, copy, import_campaigns
from db.transfer.snapshot import Snapshot
from tests.db import rows
from tests.db.filled import ODD, fill
from tests.requirements import needs


def quiet(table: str, done: int, total: int) -> None:
    assert done > 0


def export(url: str, folder: Path, *names: str, kind: str = "csv") -> dict[str, Any]:
    with Reader(url) as reader, Snapshot(reader, names) as source:
        return write(source, folder, kind, quiet)


def bring(folder: Path, url: str) -> ImportResult:
    return import_campaigns(url, Export(folder), quiet)


@pytest.fixture(params=["csv", "parquet"])
def kind(request: pytest.FixtureRequest) -> str:
    if request.param == "parquet":
        needs("pyarrow")
    return str(request.param)


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (snapshot, formats):
        monkeypatch.setattr(module, "CHUNK", 7)


@pytest.fixture(params=["sqlite", "postgresql"])
def other_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Another empty ledger, on each kind of database."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/other.sqlite"
        return
    server = request.getfixturevalue("postgres")
    url = server.database(ledger=True)
    yield url
    server.drop(url)


# -- round trips -----------------------------------------------------------------------------


def test_an_export_and_import_keep_every_row(
    ledger_url: str, other_url: str, kind: str, tmp_path: Path
) -> None:
    fill(ledger_url, "first")
    fill(ledger_url, "second")
    before = rows.everything(ledger_url)
    manifest = export(ledger_url, tmp_path / "export", kind=kind)
    taken = bring(tmp_path / "export", other_url)
    assert rows.everything(other_url) == before
    assert rows.everything(ledger_url) == before
    assert (taken.campaigns, taken.skipped, taken.running) == (["first", "second"], [], [])
    counted = {name: len(content) for name, content in before.items()}
    assert taken.rows == counted
    assert {name: facts["rows"] for name, facts in manifest["tables"].items()} == counted
    assert min(counted.values()) > 0


def test_a_copy_keeps_every_row(ledger_url: str, other_url: str) -> None:
    fill(ledger_url, "first")
    fill(ledger_url, "second")
    before = rows.everything(ledger_url)
    copy(ledger_url, other_url, [], quiet)
    assert rows.everything(other_url) == before


def test_there_and_back_again(sqlite_url: str, postgres_url: str, tmp_path: Path) -> None:
    fill(sqlite_url)
    copy(sqlite_url, postgres_url, [], quiet)
    back = f"sqlite:///{tmp_path}/back.sqlite"
    copy(postgres_url, back, [], quiet)
    assert rows.everything(back) == rows.everything(sqlite_url)


def test_the_new_ledger_goes_on_where_the_old_one_was(ledger_url: str, other_url: str) -> None:
    """Numbers that the database gives itself do not meet those of copied rows."""
    number = fill(ledger_url)
    copy(ledger_url, other_url, [], quiet)
    with Ledger(other_url) as ledger:
        ledger.note(number, "late_report", "new")
        assert rows.register(ledger, "next") == number + 1
        session = rows.begin(ledger, number)
        ledger.submit(number, session, [rows.attempt(12, token="new")])
    with pytest.raises(Exception, match="never changes"), rows.raw(other_url) as connection:
        connection.execute(text("UPDATE attempts SET node = 'x' WHERE state = 'succeeded'"))


def test_one_campaign_of_several(ledger_url: str, other_url: str, tmp_path: Path) -> None:
    for name in ("first", "second", "third"):
        fill(ledger_url, name)
    upgrade(parse_url(other_url))
    fill(other_url, "somebody's")
    there = rows.everything(other_url)
    export(ledger_url, tmp_path / "export", "second")
    taken = bring(tmp_path / "export", other_url)
    assert taken.campaigns == ["second"]
    with Reader(ledger_url) as one, Reader(other_url) as other:
        assert [row.name for row in other.campaigns()] == ["somebody's", "second"]
        assert other.attempts("second").equals(one.attempts("second"))
        assert other.metrics("second").equals(one.metrics("second"))
        assert other.instances("second").equals(one.instances("second"))
        old, new = one.campaign("second").campaign_id, other.campaign("second").campaign_id
        assert (old, new) == (2, 2)
        told = [
            [replace(one, event_id=0) for one in book.events(key, kinds=EventKind)]
            for book, key in ((one, old), (other, new))
        ]
        assert told[0] == told[1]
    after = rows.everything(other_url)
    for name, content in there.items():
        assert set(content) <= set(after[name]), name


def test_what_is_running_is_exported_and_marked(ledger_url: str, other_url: str, tmp_path: Path) -> None:
    with Ledger(ledger_url) as ledger:
        rows.started(ledger)
    export(ledger_url, tmp_path / "export")
    assert bring(tmp_path / "export", other_url).running == ["toy"]
    with pytest.raises(LedgerError, match="first: orchestrator stop toy"):
        copy(ledger_url, other_url, [], quiet)


def test_an_empty_ledger_can_be_moved_too(ledger_url: str, other_url: str, kind: str, tmp_path: Path) -> None:
    export(ledger_url, tmp_path / "export", kind=kind)
    assert bring(tmp_path / "export", other_url).campaigns == []
    assert not any(rows.everything(other_url).values())


def test_an_export_is_one_moment(ledger_url: str, tmp_path: Path) -> None:
    fill(ledger_url)
    with Reader(ledger_url) as reader, Snapshot(reader) as source:
        with Ledger(ledger_url) as ledger:
            rows.register(ledger, "later")
        write(source, tmp_path / "export", "csv", quiet)
    assert [one.name for one in Export(tmp_path / "export").campaigns] == ["toy"]


# -- files -----------------------------------------------------------------------------------


def test_other_tools_read_the_csv(ledger_url: str, tmp_path: Path) -> None:
    import pandas as pd

    fill(ledger_url)
    export(ledger_url, tmp_path / "export")
    frame = pd.read_csv(tmp_path / "export" / "attempts.csv")
    with Reader(ledger_url) as reader:
        known = reader.attempts("toy")
    assert frame["fom_seconds"].dropna().tolist() == known["fom_seconds"].dropna().tolist()
    with (tmp_path / "export" / "attempts.csv").open(newline="") as stream:
        reasons = {line["token"]: line["failure_reason"] for line in csv.DictReader(stream)}
    assert reasons["toy-4.1"] == ODD[4]
    assert reasons["toy-0.2"] == ""  # NULL
    assert reasons["toy-0.1"] == "\\"  # an empty text


def test_other_tools_read_the_parquet(ledger_url: str, tmp_path: Path) -> None:
    needs("pyarrow")
    import pandas as pd

    fill(ledger_url)
    export(ledger_url, tmp_path / "export", kind="parquet")
    frame = pd.read_parquet(tmp_path / "export" / "attempts.parquet")
    with Reader(ledger_url) as reader:
        known = reader.attempts("toy")
    assert frame["run_start_us"].dropna().tolist() == known["run_start"].dropna().tolist()
    assert frame["fom_seconds"].dropna().tolist() == known["fom_seconds"].dropna().tolist()
    assert frame["failure_reason"].dropna().tolist() == known["failure_reason"].dropna().tolist()


def test_without_pyarrow_parquet_is_refused_and_nothing_is_left(
    sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(LedgerError, match="pip install pyarrow, or take --format csv"):
        export(sqlite_url, tmp_path / "export", kind="parquet")
    assert not (tmp_path / "export").exists()


def test_a_folder_in_use_is_refused(sqlite_url: str, tmp_path: Path) -> None:
    (tmp_path / "export").mkdir()
    (tmp_path / "export" / "mine").touch()
    with pytest.raises(LedgerError, match="not empty"):
        export(sqlite_url, tmp_path / "export")
    assert [file.name for file in (tmp_path / "export").iterdir()] == ["mine"]


def test_an_export_that_fails_leaves_nothing(sqlite_url: str, tmp_path: Path) -> None:
    fill(sqlite_url)

    def full(table: str, done: int, total: int) -> None:
        if table == "metrics":
            raise OSError(28, "No space left on device")

    with Reader(sqlite_url) as reader, Snapshot(reader) as source, pytest.raises(OSError, match="space"):
        write(source, tmp_path / "export", "csv", full)
    assert not (tmp_path / "export").exists()


def test_an_unknown_campaign_is_refused(ledger_url: str, tmp_path: Path) -> None:
    fill(ledger_url)
    with pytest.raises(UnknownCampaignError, match="did you mean toy"):
        export(ledger_url, tmp_path / "export", "toyy")


# -- what is refused -------------------------------------------------------------------------


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    origin = f"sqlite:///{tmp_path}/origin.sqlite"
    upgrade(parse_url(origin))
    fill(origin)
    export(origin, tmp_path / "export")
    return tmp_path / "export"


def rewrite(folder: Path, table: str, change: Callable[[str], str]) -> None:
    """Change a file of an export, and its manifest, as a user on purpose could."""

    file = folder / f"{table}.csv"
    before = file.read_bytes().decode()
    content = change(before)
    assert content != before
    file.write_bytes(content.encode())
    manifest = json.loads((folder / "manifest.json").read_text())
    facts = manifest["tables"][table]
    with file.open(newline="") as stream:
        facts["rows"] = sum(1 for _ in csv.reader(stream)) - 1
    facts["bytes"] = len(content.encode())
    facts["sha256"] = hashlib.sha256(content.encode()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest))


def refused(folder: Path, url: str, said: str) -> None:
    """Check that an import is refused in one line, and that the ledger is as it was."""
    before = rows.everything(url)
    with pytest.raises(LedgerError, match=said) as caught:
        bring(folder, url)
    assert "\n" not in str(caught.value)
    assert rows.everything(url) == before


def test_a_changed_file_is_refused(exported: Path, ledger_url: str) -> None:
    file = exported / "metrics.csv"
    content = file.read_bytes()
    file.write_bytes(content.replace(b"loss", b"lost", 1))
    refused(exported, ledger_url, "metrics.csv is not what was exported")
    file.write_bytes(content[:-1])
    refused(exported, ledger_url, "metrics.csv is not what was exported")
    file.unlink()
    refused(exported, ledger_url, "metrics.csv is missing")


def test_a_changed_manifest_is_refused(exported: Path, ledger_url: str) -> None:
    file = exported / "manifest.json"
    content = file.read_text()
    file.write_text(content[:-20])
    refused(exported, ledger_url, "manifest.json is damaged")
    file.write_text(content.replace('"rows"', '"raws"'))
    refused(exported, ledger_url, "manifest.json is damaged")
    manifest = json.loads(content)
    manifest["tables"]["metrics"]["rows"] -= 1
    file.write_text(json.dumps(manifest))
    refused(exported, ledger_url, "has 36 rows, the manifest says 35")
    file.write_text(content.replace('"toy"', '"tox"'))
    refused(exported, ledger_url, "not the one that the manifest names")
    file.write_text("[" * 100_000)
    refused(exported, ledger_url, "manifest.json is damaged: maximum recursion depth exceeded")
    file.unlink()
    os.mkfifo(file)
    refused(exported, ledger_url, "manifest.json is not a regular file")
    file.unlink()
    refused(exported, ledger_url, "has no manifest.json, so it is no export")


def test_another_schema_is_refused(exported: Path, ledger_url: str) -> None:
    file = exported / "manifest.json"
    file.write_text(file.read_text().replace(f'"schema": "{SCHEMA}"', '"schema": "0099"'))
    with pytest.raises(SchemaError, match="import it with the version that wrote it"):
        bring(exported, ledger_url)


@pytest.mark.parametrize(
    ("table", "old", "new", "said"),
    [
        ("instances", ",done,1\r\n", ",done,2\r\n", "toy/1 is accepted by attempt 2, which is not there"),
        ("instances", ",done,1\r\n", ",planned,\r\n", "has a succeeded attempt"),
        ("attempts", ",failed,benchmark", ",succeeded,benchmark", "succeeded"),
        ("attempts", ",failed,benchmark", ",finished,benchmark", "unknown state, finished"),
        ("benchmarks", "toy,tests.toys.behave,12", "toy,tests.toys.behave,13", "instances planned: 13"),
        ("events", ",failed,", ",timed_out,", "event"),
        ("sessions", "1,1,launch", "1,2,launch", "sessions are numbered 1 to 2, and 1 are there"),
        ("documents", "1\"\"}", "2\"\"}", "not the one that its checksum names"),
        ("metrics", "\r\n1,", "\r\n9,", "rows of a campaign 9 that is not there"),
        ("attempts", "1,0,1,", "one,0,1,", r"attempts.csv: line 2: invalid literal"),
        ("attempts", "token", "tokens", "attempts.csv has other columns .*: token, tokens"),
        ("campaigns", "campaign: toy", "campaign: tox", "its campaign file is not what its checksum says"),
        ("instances", "1,0,toy,0,2017,", "1,0,toy,0,2018,", "(?i)unique|there already"),
        ("attempts", "1,0,1,", "1,77,1,", "(?i)foreign key"),
    ],
)  # fmt: skip
def test_rows_that_contradict_each_other_are_refused(
    table: str, old: str, new: str, said: str, exported: Path, ledger_url: str
) -> None:
    rewrite(exported, table, lambda content: content.replace(old, new, 1))
    refused(exported, ledger_url, said)


def test_what_is_there_row_for_row_is_skipped(ledger_url: str, other_url: str, tmp_path: Path) -> None:
    fill(ledger_url, "first")
    with Ledger.open(other_url) as ledger:
        rows.register(ledger, "before")
    copy(ledger_url, other_url, [], quiet)
    fill(ledger_url, "second")
    taken = copy(ledger_url, other_url, [], quiet)
    assert (taken.campaigns, taken.skipped) == (["second"], ["first"])
    before = rows.everything(other_url)
    assert copy(ledger_url, other_url, [], quiet).campaigns == []
    assert rows.everything(other_url) == before


def test_the_same_campaign_with_other_rows_is_refused(
    ledger_url: str, other_url: str, tmp_path: Path
) -> None:
    number = fill(ledger_url, "first")
    fill(ledger_url, "second")
    export(ledger_url, tmp_path / "export")
    copy(ledger_url, other_url, ["first"], quiet)
    with Ledger(other_url) as ledger:
        ledger.note(number, "late_report", "it went on here")
    refused(tmp_path / "export", other_url, "campaign 'first' with other rows")


def test_another_campaign_of_the_name_is_refused(ledger_url: str, exported: Path) -> None:
    with Ledger(ledger_url) as ledger:
        if not ledger.campaigns():
            rows.register(ledger, "toy")
    with rows.raw(ledger_url) as connection:
        connection.execute(text("UPDATE campaigns SET uid = 'another'"))
    refused(exported, ledger_url, "has another campaign 'toy'")
    with rows.raw(ledger_url) as connection:
        connection.execute(text("UPDATE campaigns SET uid = 'uid-toy', name = 'renamed'"))
    refused(exported, ledger_url, "has another campaign 'renamed'")


def test_an_import_that_fails_makes_no_file(exported: Path, tmp_path: Path) -> None:
    rewrite(exported, "sessions", lambda content: content.replace("1,1,launch", "1,2,launch"))
    with pytest.raises(LedgerError, match="sessions are numbered"):
        bring(exported, f"sqlite:///{tmp_path}/new.sqlite")
    assert not list(tmp_path.glob("new.sqlite*"))


def test_a_file_that_a_driver_writes_is_not_held_up(exported: Path, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/busy.sqlite"
    with Ledger.open(url) as ledger:
        rows.started(ledger, name="busy")
    refused(exported, url, "a driver runs campaign busy")


def test_a_driver_on_the_server_does_not_mind(exported: Path, postgres_url: str) -> None:
    with Ledger(postgres_url) as ledger:
        rows.started(ledger, name="busy")
    assert bring(exported, postgres_url).campaigns == ["toy"]


def test_names_that_would_control_a_terminal_are_not_imported(tmp_path: Path, sqlite_url: str) -> None:
    with Ledger.open(sqlite_url) as book:
        rows.register(book)
    with rows.raw(sqlite_url) as connection:
        connection.exec_driver_sql("UPDATE benchmarks SET quality_metric = 'r' || char(10) || 'pass  ledger'")
    with (
        Reader(sqlite_url) as reader,
        Snapshot(reader) as source,
        pytest.raises(LedgerError, match=r"quality_metric 'r\\npass  ledger' has line breaks"),
    ):
        import_campaigns(f"sqlite:///{tmp_path}/other.sqlite", source, quiet)
    assert not (tmp_path / "other.sqlite").exists()
