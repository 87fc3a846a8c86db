"""Tables and migrations: one truth, and no ledger of another version is touched."""

from __future__ import annotations

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, text

from db.columns import SCHEMA
from db.connection.connect import parse_url, redacted_url
from db.errors import LedgerError, SchemaError
from db.ledger import Ledger
from db.reader import Reader
from db.schema import migrations, upgrade
from db.tables import metadata
from tests.db import rows

NEWER = f"{int(SCHEMA) + 1:04}"


def set_version(url: str, version: str) -> None:
    with rows.raw(url) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :v"), {"v": version})


def test_the_newest_migration_is_what_this_program_needs() -> None:
    script = ScriptDirectory.from_config(migrations())
    assert script.get_heads() == [SCHEMA]
    assert [one.revision for one in script.walk_revisions()] == [
        f"{number:04}" for number in range(int(SCHEMA), 0, -1)
    ]


def test_migrated_tables_are_the_tables_of_the_code(empty_url: str) -> None:
    upgrade(parse_url(empty_url))
    with rows.raw(empty_url) as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "compare_server_default": True}
        )
        assert compare_metadata(context, metadata) == []
        assert set(inspect(connection).get_table_names()) == {*metadata.tables, "alembic_version"}
        for table in metadata.sorted_tables:  # which comparing leaves out
            key = inspect(connection).get_pk_constraint(table.name)
            assert key["constrained_columns"] == [column.name for column in table.primary_key]


def test_upgrading_twice_changes_nothing(empty_url: str) -> None:
    address = redacted_url(parse_url(empty_url))
    assert upgrade(parse_url(empty_url)) == address
    with Ledger(empty_url) as ledger:
        rows.started(ledger)
    before = rows.everything(empty_url)
    assert upgrade(parse_url(empty_url)) == address
    assert rows.everything(empty_url) == before


def test_a_database_without_tables_says_how_to_make_them(empty_url: str) -> None:
    if empty_url.startswith("sqlite"):
        with rows.raw(empty_url) as connection:
            connection.execute(text("CREATE VIEW somebodys AS SELECT 1"))
    for use in (Reader, Ledger, Ledger.open):
        with pytest.raises(SchemaError) as caught:
            use(empty_url)
        address = redacted_url(parse_url(empty_url))
        assert f"run: orchestrator ledger init --ledger {address}" in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("version", "advice"),
    [
        ("0000", f"needs {SCHEMA}; run: orchestrator ledger upgrade --ledger "),
        (
            NEWER,
            f"written by a newer version (schema {NEWER}, this program knows {SCHEMA}); install the newer",
        ),
        ("9999", "written by a newer version"),
    ],
)
def test_other_versions_are_refused_and_left_alone(ledger_url: str, version: str, advice: str) -> None:
    with Ledger(ledger_url) as ledger:
        rows.started(ledger)
    before = rows.everything(ledger_url)
    set_version(ledger_url, version)
    for use in (Reader, Ledger, Ledger.open):
        with pytest.raises(SchemaError) as caught:
            use(ledger_url)
        assert advice in str(caught.value)
        assert redacted_url(parse_url(ledger_url)) in str(caught.value)
        assert "\n" not in str(caught.value)
    assert rows.everything(ledger_url) == before


def test_a_newer_ledger_cannot_be_upgraded_down(ledger_url: str) -> None:
    set_version(ledger_url, NEWER)
    with pytest.raises(LedgerError) as caught:
        upgrade(parse_url(ledger_url))
    assert "newer" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_migration_that_fails_leaves_nothing_behind(empty_url: str) -> None:
    with rows.raw(empty_url) as connection:
        connection.execute(text("CREATE VIEW events AS SELECT 1 AS mine"))  # in the way of the ledger's own
    with pytest.raises(LedgerError, match="events"):
        upgrade(parse_url(empty_url))
    with rows.raw(empty_url) as connection:
        assert inspect(connection).get_table_names() == []
