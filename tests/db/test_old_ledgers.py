"""A ledger of every schema there was, as it was left, is brought to this one with all its rows."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory

from db.columns import SCHEMA
from db.connection.connect import parse_url
from db.ledger import Ledger
from db.reader import Reader
from db.schema import migrations, upgrade
from db.states import InstanceState
from db.transfer.importer import copy
from db.verification import check
from tests.db import rows
from tests.db.filled import ODD, fill

KEPT = Path(__file__).parent / "schemas"


def versions() -> list[str]:
    return sorted(script.revision for script in ScriptDirectory.from_config(migrations()).walk_revisions())


def restored(version: str, folder: Path) -> str:
    """Return the URL of a ledger as a program of that schema left it."""
    file = folder / f"{version}.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript((KEPT / f"{version}.sql").read_bytes().decode())
    return f"sqlite:///{file}"


def test_every_schema_has_a_ledger_that_is_kept() -> None:
    assert sorted(file.stem for file in KEPT.iterdir()) == versions()


@pytest.mark.parametrize("version", versions())
def test_an_old_ledger_is_upgraded_with_all_its_rows(
    version: str, tmp_path: Path, sqlite_url: str, postgres_url: str
) -> None:
    url = restored(version, tmp_path)
    upgrade(parse_url(url))
    told = "SELECT token, observation_sha256 FROM attempts WHERE observation_sha256 IS NOT NULL"
    reasons = "SELECT DISTINCT failure_reason FROM attempts WHERE failure_reason IS NOT NULL"
    with Reader(url) as reader:
        assert reader.query("SELECT version_num FROM alembic_version")[1] == [(SCHEMA,)]
        assert check(reader) == []
        number = reader.campaign("toy").campaign_id
        assert reader.instance_counts(number) == {"done": len(ODD) - 1, "exhausted": 1, "planned": 2}
        assert {reason for (reason,) in reader.query(reasons)[1]} == set(ODD)
        kept = dict(reader.query(told)[1])
    fill(sqlite_url)
    with Reader(sqlite_url) as reader:
        assert kept == dict(reader.query(told)[1]) != {}
    copy(url, postgres_url, [], lambda *_: None)
    assert rows.everything(postgres_url) == rows.everything(url)
    with Ledger(url) as ledger:  # and it goes on
        session = rows.begin(ledger, number)
        ledger.submit(number, session, [rows.attempt(12, token="new")])
        ledger.record(number, [rows.report("new", "failed", InstanceState.EXHAUSTED, received_us=rows.T0)])
        assert check(ledger) == []


def test_a_new_ledger_is_as_an_upgraded_one(tmp_path: Path, sqlite_url: str) -> None:
    """Upgrades add columns at the end, new ledgers have them in the order of `db.tables`."""

    def objects(url: str) -> set[tuple[str, str]]:
        with Reader(url) as reader:
            return set(reader.query("SELECT type, name FROM sqlite_master")[1])

    def columns(url: str) -> set[tuple[str, str, str]]:
        with Reader(url) as reader:
            statement = (
                "SELECT t.name, c.name, c.type FROM sqlite_master t JOIN pragma_table_info(t.name) c "
                "WHERE t.type IN ('table', 'view')"
            )
            return set(reader.query(statement)[1])

    url = restored(versions()[0], tmp_path)
    upgrade(parse_url(url))
    assert objects(url) == objects(sqlite_url)
    assert columns(url) == columns(sqlite_url)
