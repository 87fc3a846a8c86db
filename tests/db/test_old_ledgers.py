"""A ledger of every schema there ever was, as it was left, is brought to this one with all its rows."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory

from db.connect import SCHEMA, parse_url
from db.ledger import Ledger
from db.reader import Reader
from db.recording import observation
from db.schema import migrations, upgrade
from db.states import InstanceState
from db.transfer.importer import copy
from db.verification import check
from tests.db import rows
from tests.db.filled import ODD, fill

KEPT = Path(__file__).parent / "schemas"


def versions() -> list[str]:
    return sorted(one.revision for one in ScriptDirectory.from_config(migrations()).walk_revisions())


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
    with Reader(url) as reader:
        assert reader.query("SELECT version_num FROM alembic_version")[1] == [(SCHEMA,)]
        assert check(reader) == []
        number = reader.campaign("toy").campaign_id
        assert reader.instance_counts(number) == {"done": len(ODD) - 1, "exhausted": 1, "planned": 2}
        _, found = reader.query(
            "SELECT DISTINCT failure_reason FROM attempts WHERE failure_reason IS NOT NULL"
        )
        assert {reason for (reason,) in found} == set(ODD)
        told = (
            "SELECT token, observation_sha256 FROM attempts WHERE observation_sha256 IS NOT "
            "NULL ORDER BY token"
        )
        found = dict(reader.query(told)[1])
    fill(sqlite_url)
    with Reader(sqlite_url) as reader:
        assert found == dict(reader.query(told)[1]) != {}
    copy(url, postgres_url, [], lambda *_: None)
    assert rows.everything(postgres_url) == rows.everything(url)
    with Ledger(url) as ledger:  # and it goes on
        session = rows.begin(ledger, number)
        ledger.submit(number, session, [rows.attempt(12, token="new")])
        ledger.record(number, [rows.report("new", "failed", InstanceState.EXHAUSTED, received_us=rows.T0)])
        assert check(ledger) == []


def test_what_old_attempts_saw_is_found_as_it_is_for_new_ones(tmp_path: Path) -> None:
    """The figure of merit of a campaign is the same before and after."""
    url = restored("0001", tmp_path)
    process = {"host": "n1", "pid": 7, "process_threads": 3, "cpuset": [0], "framework": "tensorflow"}
    seen = [process, process | {"ranks": [process, process | {"pid": 8}], "gpus": [{"uuid": "GPU-1"}]}]
    written = [*map(json.dumps, seen), "[]", None]
    with rows.raw(url) as connection:
        for k, one in enumerate(written):
            connection.exec_driver_sql(
                "INSERT INTO attempts "
                "(campaign, instance, attempt, token, session, state, submitted_us, seen, data, cores) "
                "VALUES (1, 12, ?, ?, 1, 'lost', 0, ?, '{}', '0')",
                (k + 1, f"old-{k}", one),
            )
    upgrade(parse_url(url))
    with Reader(url) as reader:
        _, found = reader.query(
            "SELECT content FROM attempts LEFT JOIN documents ON sha256 = observation_sha256 "
            "WHERE token LIKE 'old-%' ORDER BY token"
        )
    contents = [json.loads(content) for (content,) in found]
    assert contents == [observation(one, "{}", "0", None) for one in (*seen, [], None)]
    assert contents[1]["seen"]["ranks"] == [{"cpuset": [0], "framework": "tensorflow"}] * 2
