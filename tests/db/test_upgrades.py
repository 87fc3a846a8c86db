"""An upgrade of a ledger that is in use: by a driver, by people, by what they added to it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from alembic import command
from sqlalchemy import Connection, inspect
from sqlalchemy.exc import DBAPIError

from db.connect import SCHEMA, parse_url
from db.errors import LedgerError
from db.events import now_us
from db.reader import Reader
from db.recording import observation
from db.schema import migrations, upgrade
from db.tables import metadata
from tests.db import rows

HELD = "UPDATE campaigns SET lease_owner = {owner}, lease_expires_us = {expires}"
SEEN: tuple[Any, ...] = (
    {"cpuset": [0], "external": {"command": "train --seed 1"}},
    {"cpuset": [0], "external": {"command": "train --seed 2"}},
    "{no json",
)


@pytest.fixture
def first_url(empty_url: str) -> str:
    """A ledger of the first schema, with a campaign whose three attempts are lost."""
    with rows.raw(empty_url) as connection:
        config = migrations()
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        _fill(connection)
    return empty_url


def _fill(connection: Connection) -> None:
    texts = "'', '', '', '', '', '', '', '', ''"
    for statement in (
        "INSERT INTO campaigns (campaign, name, uid, spec_text, spec_sha256, site_name, site_text, "
        "site_sha256, rulebook, run_class, directory, data, created_us) "
        f"VALUES (1, 'toy', 'u', {texts}, 1)",
        *(
            "INSERT INTO instances (campaign, instance, benchmark, number, seed, state) "
            f"VALUES (1, {k}, 'toy', {k}, {k}, 'planned')"
            for k in range(len(SEEN))
        ),
        *(
            "INSERT INTO attempts (campaign, instance, attempt, token, session, state, submitted_us, seen) "
            f"VALUES (1, {k}, 1, 't{k}', 1, 'lost', 1, '{one if isinstance(one, str) else json.dumps(one)}')"
            for k, one in enumerate(SEEN)
        ),
    ):
        connection.exec_driver_sql(statement)


def test_a_ledger_that_a_driver_writes_is_not_upgraded(first_url: str) -> None:
    """It would go on writing rows of the earlier schema, which the later one does not understand."""
    with rows.raw(first_url) as connection:
        later = now_us() + 3_600_000_000
        connection.exec_driver_sql(HELD.format(owner="'host pid 1 started 1.00'", expires=later))
    with pytest.raises(LedgerError, match="a driver runs campaign toy; stop it first") as caught:
        upgrade(parse_url(first_url))
    assert "\n" not in str(caught.value)
    with rows.raw(first_url) as connection:
        assert connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar() == "0001"
        connection.exec_driver_sql(HELD.format(owner="'host pid 1 started 1.00'", expires=1))
    upgrade(parse_url(first_url))  # what died holds nothing up
    with Reader(first_url) as reader:
        assert reader.query("SELECT version_num FROM alembic_version")[1] == [(SCHEMA,)]


def test_what_processes_saw_is_stored_once_and_no_text_stops_it(first_url: str) -> None:
    upgrade(parse_url(first_url))
    with Reader(first_url) as reader:
        _, found = reader.query(
            "SELECT content FROM attempts JOIN documents ON sha256 = observation_sha256 ORDER BY instance_id"
        )
        assert reader.query("SELECT count(*) FROM documents")[1] == [(2,)]
    assert [json.loads(content) for (content,) in found] == [
        observation(one, None, None, None) for one in SEEN
    ]


def test_views_of_people_and_their_rights_stay(first_url: str) -> None:
    server = first_url.startswith("postgresql")
    with rows.raw(first_url) as connection:
        connection.exec_driver_sql("CREATE VIEW mine AS SELECT campaign_name, token FROM accepted")
        if server:
            connection.exec_driver_sql("GRANT SELECT ON accepted TO pg_monitor")
    upgrade(parse_url(first_url))
    with Reader(first_url) as reader:
        names, found = reader.query("SELECT * FROM accepted")
        assert (names[:4], names[-2:]) == (
            ["campaign_name", "benchmark", "benchmark_index", "seed"],
            ["observation_sha256", "clock_offset_max_us"],
        )
        assert found == reader.query("SELECT * FROM mine")[1] == []
        if server:
            may = "SELECT has_table_privilege('pg_monitor', 'accepted', 'SELECT')"
            assert reader.query(may)[1] == [(True,)]
            analyzed = "SELECT reltuples FROM pg_class WHERE relname = 'attempts'"
            assert reader.query(analyzed)[1] == [(len(SEEN),)]


def test_views_that_name_former_columns_stop_no_upgrade(first_url: str) -> None:
    """PostgreSQL adapts all of them; SQLite those of tables, and keeps the text of those of `accepted`."""
    server = first_url.startswith("postgresql")
    with rows.raw(first_url) as connection:
        connection.exec_driver_sql("CREATE VIEW lost AS SELECT campaign, reason, seen FROM attempts")
        connection.exec_driver_sql("CREATE VIEW labels AS SELECT benchmark, number FROM accepted")
        connection.exec_driver_sql("CREATE VIEW numbers AS SELECT number FROM labels")
    upgrade(parse_url(first_url))
    with Reader(first_url) as reader:
        assert len(reader.query("SELECT * FROM lost")[1]) == len(SEEN)
        if server:
            assert reader.query("SELECT number FROM numbers")[1] == []
            return
        with pytest.raises(LedgerError, match="number was renamed to benchmark_index in schema 0004"):
            reader.query("SELECT number FROM numbers")
        _, kept = reader.query("SELECT name FROM sqlite_master WHERE type = 'view' ORDER BY name")
        assert kept == [("accepted",), ("labels",), ("lost",), ("numbers",)]


@pytest.mark.parametrize("view", ["accepted", "labels"])
def test_triggers_on_views_outlive_the_upgrade(first_url: str, view: str) -> None:
    if first_url.startswith("postgresql"):
        pytest.skip("PostgreSQL renames the columns of views, and drops none")
    with rows.raw(first_url) as connection:
        connection.exec_driver_sql("CREATE VIEW labels AS SELECT benchmark, number FROM accepted")
        connection.exec_driver_sql(
            f"CREATE TRIGGER kept INSTEAD OF DELETE ON {view} BEGIN SELECT RAISE(ABORT, 'no'); END"
        )
    upgrade(parse_url(first_url))
    with Reader(first_url) as reader:
        assert reader.query("SELECT tbl_name FROM sqlite_master WHERE name = 'kept'")[1] == [(view,)]


def test_keys_indexes_and_triggers_follow_the_names_of_columns(first_url: str) -> None:
    upgrade(parse_url(first_url))
    with rows.raw(first_url) as connection:
        found = {
            table: {str(one["name"]): one["column_names"] for one in inspect(connection).get_indexes(table)}
            for table in ("attempts", "metrics", "events", "instances")
        }
        for table, indexes in found.items():
            wanted = {
                str(index.name): [column.name for column in index.columns]
                for index in metadata.tables[table].indexes
            }
            assert {name: indexes[name] for name in wanted} == wanted
        with pytest.raises(DBAPIError, match="a final attempt never changes"), connection.begin_nested():
            connection.exec_driver_sql("UPDATE attempts SET failure_reason = 'forged'")


OLD_EVENTS = (
    ("campaign", "registered", "campaign_registered"),
    ("campaign", "stop requested: drain", "stop_requested"),
    ("campaign", "2 exhausted instances planned again", "exhausted_reopened"),
    ("session", "launch 1 by me", "session_started"),
    ("session", "session 1 ended: drained", "session_ended"),
    ("session", "me died; its lease was taken from it", "driver_died"),
    ("evidence", '{"token": "t"}', "late_report"),
    ("evidence", "damaged journal line in a.journal", "journal_damaged"),
    ("refused", "{}", "rejected_values"),
    ("orphans", "ended 3 processes", "leftovers_ended"),
    ("shared cores", "both will be slower", "cores_shared"),
)


def test_kinds_of_events_and_outcomes_get_their_slugs(first_url: str) -> None:
    with rows.raw(first_url) as connection:
        for k, (kind, detail, _) in enumerate(OLD_EVENTS):
            connection.exec_driver_sql(
                "INSERT INTO events (event, campaign, at_us, kind, detail) "
                f"VALUES ({k}, 1, {k}, '{kind}', '{detail}')"
            )
        connection.exec_driver_sql("UPDATE campaigns SET outcome = 'some instances exhausted'")
        connection.exec_driver_sql(
            "INSERT INTO sessions (campaign, session, kind, host, pid, version, started_us, outcome) "
            "VALUES (1, 1, 'launch', 'h', 1, '0', 1, 'died')"
        )
    upgrade(parse_url(first_url))
    with Reader(first_url) as reader:
        assert [(one.kind, one.message) for one in reader.events(1, after=-1)] == [
            (kind, detail) for _, detail, kind in OLD_EVENTS
        ]
        assert reader.campaign("toy").outcome == "exhausted"
        assert [one.outcome for one in reader.sessions_of(1)] == ["driver_died"]
    with rows.raw(first_url) as connection, pytest.raises(DBAPIError, match="events are never changed"):
        connection.exec_driver_sql("UPDATE events SET kind = 'forged'")


@pytest.mark.parametrize(
    ("old", "new"),
    [("walltime", "timeout"), ("node lost", "node_failure"), ("gone", "unknown"), ("held", "held")],
)
def test_states_of_blocks_get_their_slugs(first_url: str, old: str, new: str) -> None:
    with rows.raw(first_url) as connection:
        connection.exec_driver_sql(
            "INSERT INTO blocks (campaign, session, executor, block, job_id, state, requested_us, nodes) "
            f"VALUES (1, 1, 'c1', '0', 'job 7', '{old}', 1, 2)"
        )
    upgrade(parse_url(first_url))
    with Reader(first_url) as reader:
        assert reader.query("SELECT state FROM blocks")[1] == [(new,)]
