"""A ledger of every schema there ever was, as it was left, is brought to this one with all its rows."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory

from db.check import check
from db.connect import SCHEMA, parse_url
from db.intake import copy
from db.ledger import Ledger
from db.reader import Reader
from db.schema import migrations, upgrade
from db.states import InstanceState
from tests.db import rows
from tests.db.filled import ODD

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
def test_an_old_ledger_is_upgraded_with_all_its_rows(version: str, tmp_path: Path, postgres_url: str) -> None:
    url = restored(version, tmp_path)
    upgrade(parse_url(url))
    with Reader(url) as reader:
        assert reader.query("SELECT version_num FROM alembic_version")[1] == [(SCHEMA,)]
        assert check(reader) == []
        number = reader.campaign("toy").campaign
        assert reader.instance_counts(number) == {"done": len(ODD) - 1, "exhausted": 1, "planned": 2}
        _, found = reader.query("SELECT DISTINCT reason FROM attempts WHERE reason IS NOT NULL")
        assert {reason for (reason,) in found} == set(ODD)
    copy(url, postgres_url, [], lambda *_: None)
    assert rows.everything(postgres_url) == rows.everything(url)
    with Ledger(url) as ledger:  # and it goes on
        session = rows.begin(ledger, number)
        ledger.submit(number, session, [rows.attempt(12, token="new")])
        ledger.record(number, [rows.report("new", "failed", InstanceState.EXHAUSTED, received_us=rows.T0)])
        assert check(ledger) == []
