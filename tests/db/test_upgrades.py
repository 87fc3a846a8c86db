"""An upgrade of a ledger that is in use: by a driver, by people, by what they added to it.

The next schema is an example, ``next_schema/``, which the tests put behind the shipped migrations.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from alembic.config import Config
from sqlalchemy import inspect, text
from sqlalchemy.exc import DBAPIError

from db import schema
from db.columns import SCHEMA
from db.connection.connect import parse_url
from db.errors import LedgerError
from db.events import now_us
from db.ledger import Ledger
from db.schema import upgrade
from tests.db import rows
from tests.db.filled import ODD, fill

NEXT = Path(__file__).parent / "next_schema"
HELD = "UPDATE campaigns SET lease_owner = 'host pid 1 started 1.00', lease_expires_us = {expires}"
SHIPPED = schema.migrations()


@pytest.fixture
def filled_url(ledger_url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A filled ledger of this schema, of which the program's is now the next one."""
    fill(ledger_url)
    versions = f"{SHIPPED.get_main_option('script_location')}/versions {NEXT}"

    def with_next() -> Config:
        config = Config()
        config.set_main_option("script_location", str(SHIPPED.get_main_option("script_location")))
        config.set_main_option("path_separator", "space")
        config.set_main_option("version_locations", versions)
        return config

    monkeypatch.setattr(schema, "migrations", with_next)
    monkeypatch.setattr(schema, "SCHEMA", "9999")
    return ledger_url


def version(url: str) -> object:
    return asked(url, "SELECT version_num FROM alembic_version")[0][0]


def asked(url: str, statement: str) -> list[tuple[object, ...]]:
    with rows.raw(url) as connection:
        return [tuple(row) for row in connection.execute(text(statement))]


def test_all_rows_are_there_after_an_upgrade(filled_url: str) -> None:
    before = asked(filled_url, "SELECT token, slot_index, fom_seconds FROM attempts ORDER BY token")
    assert len(before) == len(ODD) + 1
    upgrade(parse_url(filled_url))
    assert version(filled_url) == "9999"
    assert asked(filled_url, "SELECT token, slot_number, fom_seconds FROM attempts ORDER BY token") == before
    assert asked(filled_url, "SELECT DISTINCT tried_us FROM accepted") == [(None,)]
    assert asked(filled_url, "SELECT count(*) FROM counted") == [(len(ODD) - 1,)]


def test_a_ledger_that_a_driver_writes_is_not_upgraded(filled_url: str) -> None:
    """It would go on writing rows of the earlier schema, which the later one does not understand."""
    with rows.raw(filled_url) as connection:
        connection.exec_driver_sql(HELD.format(expires=now_us() + 3_600_000_000))
    with pytest.raises(LedgerError, match="a driver runs campaign toy; stop it first") as caught:
        upgrade(parse_url(filled_url))
    assert "\n" not in str(caught.value)
    assert version(filled_url) == SCHEMA
    with rows.raw(filled_url) as connection:
        connection.exec_driver_sql(HELD.format(expires=1))
    upgrade(parse_url(filled_url))  # the lease of a driver that died has expired
    assert version(filled_url) == "9999"


def test_an_upgrade_that_fails_changes_nothing(filled_url: str) -> None:
    with rows.raw(filled_url) as connection:
        connection.exec_driver_sql("ALTER TABLE attempts ADD COLUMN tried_us TEXT")  # in the way
    before = asked(filled_url, "SELECT * FROM attempts ORDER BY token")
    with pytest.raises(LedgerError, match="tried_us"):
        upgrade(parse_url(filled_url))
    assert version(filled_url) == SCHEMA
    assert asked(filled_url, "SELECT * FROM attempts ORDER BY token") == before


def test_views_of_people_and_their_rights_stay(filled_url: str) -> None:
    server = filled_url.startswith("postgresql")
    with rows.raw(filled_url) as connection:
        connection.exec_driver_sql("CREATE VIEW mine AS SELECT campaign_name, token FROM accepted")
        if server:
            connection.exec_driver_sql("GRANT SELECT ON accepted TO pg_monitor")
    upgrade(parse_url(filled_url))
    assert len(asked(filled_url, "SELECT * FROM mine")) == len(ODD) - 1
    if server:
        may = "SELECT has_table_privilege('pg_monitor', 'accepted', 'SELECT')"
        assert asked(filled_url, may) == [(True,)]


def test_views_that_name_former_columns_stop_no_upgrade(filled_url: str) -> None:
    """PostgreSQL adapts all of them; SQLite those of tables, and keeps the text of those of `accepted`."""
    with rows.raw(filled_url) as connection:
        connection.exec_driver_sql("CREATE VIEW lost AS SELECT campaign_id, slot_index FROM attempts")
        connection.exec_driver_sql("CREATE VIEW labels AS SELECT benchmark, slot_index FROM accepted")
        connection.exec_driver_sql("CREATE VIEW numbers AS SELECT slot_index FROM labels")
    upgrade(parse_url(filled_url))
    assert len(asked(filled_url, "SELECT * FROM lost")) == len(ODD) + 1
    if filled_url.startswith("postgresql"):
        assert len(asked(filled_url, "SELECT slot_index FROM numbers")) == len(ODD) - 1
        return
    with pytest.raises(DBAPIError, match="no such column: slot_index"):
        asked(filled_url, "SELECT * FROM numbers")
    kept = asked(filled_url, "SELECT name FROM sqlite_master WHERE type = 'view' ORDER BY name")
    assert [name for (name,) in kept] == ["accepted", "counted", "labels", "lost", "numbers"]


@pytest.mark.parametrize("view", ["accepted", "labels"])
def test_triggers_on_views_outlive_the_upgrade(filled_url: str, view: str) -> None:
    if filled_url.startswith("postgresql"):
        pytest.skip("PostgreSQL renames the columns of views, and drops none")
    with rows.raw(filled_url) as connection:
        connection.exec_driver_sql("CREATE VIEW labels AS SELECT benchmark, slot_index FROM accepted")
        connection.exec_driver_sql(
            f"CREATE TRIGGER kept INSTEAD OF DELETE ON {view} BEGIN SELECT RAISE(ABORT, 'no'); END"
        )
    upgrade(parse_url(filled_url))
    assert asked(filled_url, "SELECT tbl_name FROM sqlite_master WHERE name = 'kept'") == [(view,)]


def test_what_is_final_stays_final_under_the_new_names(filled_url: str) -> None:
    upgrade(parse_url(filled_url))
    with rows.raw(filled_url) as connection:
        indexes = {str(index["name"]) for index in inspect(connection).get_indexes("attempts")}
        assert {"ix_attempts_judged", "ix_attempts_state_campaign"} <= indexes
        for statement, because in (
            ("UPDATE attempts SET slot_number = 7", "a final attempt never changes"),
            ("UPDATE events SET kind = 'forged'", "events are never changed"),
        ):
            with pytest.raises(DBAPIError, match=because), connection.begin_nested():
                connection.exec_driver_sql(statement)


def test_states_and_kinds_are_rewritten(filled_url: str) -> None:
    with Ledger(filled_url) as ledger:
        ledger.note(1, "driver_died", "me died")
    with rows.raw(filled_url) as connection:
        connection.exec_driver_sql("UPDATE blocks SET state = 'gone'")
    upgrade(parse_url(filled_url))
    assert asked(filled_url, "SELECT DISTINCT state FROM blocks") == [("unknown",)]
    assert asked(filled_url, "SELECT kind FROM events WHERE message = 'me died'") == [("driver_gone",)]
