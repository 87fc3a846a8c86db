"""Every promise of a ledger, broken once through a database client, is found and named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import text

from db.errors import UnknownCampaignError
from db.ledger import Ledger
from db.plain import Rows
from db.reader import Reader
from db.verification import Finding, check
from tests.db import rows
from tests.db.filled import fill
from tests.db.rows import report

TRIGGERS = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"


def findings(url: str, *names: str) -> list[Finding]:
    with Reader(url) as reader:
        return check(reader, names)


def force(url: str, statements: Sequence[str]) -> None:
    """Run statements past all triggers."""
    with rows.raw(url) as connection:
        sqlite = connection.dialect.name == "sqlite"
        guards = connection.execute(text(TRIGGERS)).all() if sqlite else []
        if not sqlite:
            connection.execute(text("SET session_replication_role = replica"))
        for name, _ in guards:
            connection.execute(text(f"DROP TRIGGER {name}"))
        for statement in statements:
            assert connection.execute(text(statement)).rowcount, statement
        for _, sql in guards:
            connection.exec_driver_sql(sql)
        if not sqlite:
            connection.execute(text("SET session_replication_role = DEFAULT"))


@pytest.fixture
def filled_url(ledger_url: str) -> str:
    fill(ledger_url)
    return ledger_url


def test_a_good_ledger_has_no_findings(filled_url: str) -> None:
    fill(filled_url, "second")
    assert findings(filled_url) == []
    assert findings(filled_url, "second") == []
    with pytest.raises(UnknownCampaignError):
        findings(filled_url, "third")


class Late(Reader):
    """A reader that a driver is faster than: it begins a session before the rows are read."""

    @contextmanager
    def moment(self) -> Iterator[Rows]:
        with Ledger(self.url.render_as_string(hide_password=False)) as ledger:
            rows.begin(ledger, self.campaign("toy").campaign_id, "other")
        with super().moment() as moment:
            yield moment


def test_a_driver_that_begins_meanwhile_is_no_finding(ledger_url: str) -> None:
    with Ledger(ledger_url) as ledger:
        rows.register(ledger)
    with Late(ledger_url) as reader:
        assert list(check(reader)) == []


def test_a_campaign_at_work_has_no_findings(ledger_url: str) -> None:
    with Ledger(ledger_url) as ledger:
        number = rows.started(ledger)
        ledger.record(number, [report("toy-t0.1", "running")])
        assert findings(ledger_url) == []
        ledger.end_session(number, 1, "me", "cancelled")
        found = findings(ledger_url)
        assert [one.message for one in found] == [
            f"toy/{k} attempt 1 is open, and its session 1 has ended" for k in range(3)
        ]
        assert found[0].remedy == "run: orchestrator resume toy"
        rows.begin(ledger, number)  # whoever resumes is about to adopt or to write them off
        assert findings(ledger_url) == []


@pytest.mark.parametrize(
    ("statements", "said"),
    [
        (
            ["UPDATE instances SET accepted_attempt = 9 WHERE instance_id = 1"],
            "toy/1 is accepted by attempt 9, which is not there",
        ),
        (
            ["UPDATE instances SET accepted_attempt = 1, state = 'done' WHERE instance_id = 0"],
            "toy/0 is accepted by attempt 1, which is failed",
        ),
        (
            ["UPDATE instances SET accepted_attempt = NULL, state = 'planned' WHERE instance_id = 1"],
            "toy/1 has a succeeded attempt 1 and accepted none",
        ),
        (
            ["UPDATE instances SET state = 'exhausted' WHERE instance_id = 1"],
            "toy/1 is exhausted, with an accepted attempt",
        ),
        (
            ["UPDATE instances SET state = 'done' WHERE instance_id = 12"],
            "other/0 is done, with no accepted attempt",
        ),
        (
            ["UPDATE instances SET state = 'finished' WHERE instance_id = 12"],
            "other/0 is in an unknown state, finished",
        ),
        (
            ["UPDATE instances SET state = 'in_flight' WHERE instance_id = 12"],
            "other/0 is in flight without an open attempt",
        ),
        (
            [
                "UPDATE attempts SET state = 'running' WHERE instance_id = 0 AND attempt_number = 2",
                "DELETE FROM events WHERE instance_id = 0 AND to_state = 'lost'",
                "UPDATE events SET to_state = 'running' WHERE instance_id = 0 AND attempt_number = 2"
                " AND to_state = 'submitted'",
            ],
            "toy/0 is exhausted, and its attempt 2 is still open",
        ),
        (
            ["UPDATE attempts SET state = 'ended' WHERE instance_id = 0 AND attempt_number = 1"],
            "toy/0 attempt 1 is in an unknown state, ended",
        ),
        (
            ["UPDATE attempts SET received_us = NULL WHERE instance_id = 0 AND attempt_number = 1"],
            "toy/0 attempt 1 is failed and lacks the time when its report came",
        ),
        (
            ["UPDATE attempts SET fom_seconds = NULL WHERE instance_id = 1"],
            "toy/1 attempt 1 is succeeded and lacks its FOM seconds",
        ),
        (
            ["UPDATE attempts SET run_stop_us = NULL WHERE instance_id = 1"],
            "toy/1 attempt 1 is succeeded and lacks the times of its run",
        ),
        (
            ["DELETE FROM instances WHERE instance_id = 12"],
            "other: instances planned: 2, in the ledger: 1",
        ),
        (
            ["UPDATE instances SET benchmark = 'third' WHERE instance_id = 12"],
            "of a benchmark third that was not planned, instances: 1",
        ),
        (
            ["UPDATE events SET to_state = 'failed' WHERE instance_id = 1 AND to_state = 'succeeded'"],
            "toy/1 attempt 1 is succeeded, its events end with failed",
        ),
        (
            ["DELETE FROM events WHERE instance_id = 1"],
            "toy/1 attempt 1 is succeeded, its events end with none",
        ),
        (
            ["DELETE FROM events WHERE instance_id = 1 AND to_state = 'submitted'"],
            "instance 1 attempt 1 has an event from submitted where it was nothing",
        ),
        (
            ["UPDATE events SET instance_id = 13 WHERE kind = 'late_report'"],
            "an event names instance 13 attempt 2, which is not there",
        ),
        (
            ["UPDATE attempts SET session_number = 2 WHERE instance_id = 1"],
            "attempts of session 2, which is not there: 1",
        ),
        (["UPDATE blocks SET session_number = 2"], "blocks of session 2, which is not there: 1"),
        (["UPDATE sessions SET ended_us = NULL"], "session 1 has no end, and no driver holds the campaign"),
        (
            ["UPDATE blocks SET ended_us = NULL"],
            "block 0 of session 1 (job job 7) has no end, and its session has ended",
        ),
        (["UPDATE campaigns SET campaign_yaml = 'x'"], "its campaign file is not what its checksum says"),
        (["UPDATE campaigns SET site_yaml = 'x'"], "its site file is not what its checksum says"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_broken_promise_is_found(statements: list[str], said: str, filled_url: str) -> None:
    fill(filled_url, "other")
    force(
        filled_url, [f"{one}{' AND' if 'WHERE' in one else ' WHERE'} campaign_id = 1" for one in statements]
    )
    found = findings(filled_url)
    assert said in [one.message for one in found]
    assert {one.campaign for one in found} == {"toy"}
    assert all(one.remedy and "\n" not in one.message for one in found)
    assert findings(filled_url, "other") == []


def test_many_findings_of_a_kind_are_counted(filled_url: str) -> None:
    force(filled_url, ["UPDATE attempts SET received_us = NULL WHERE campaign_id = 1"])
    found = [one.message for one in findings(filled_url)]
    assert len(found) == 10
    assert found[-1].endswith(" (the last of 10 shown; 13 are like it)")


def test_a_changed_environment_is_found(filled_url: str) -> None:
    with rows.raw(filled_url) as connection:
        connection.execute(text("UPDATE documents SET content = '{}'"))
    found = findings(filled_url)
    assert len(found) == 8
    assert all("is not what its checksum says" in one.message for one in found)


def test_a_missing_trigger_is_found(filled_url: str) -> None:
    on = "" if filled_url.startswith("sqlite") else " ON attempts"
    with rows.raw(filled_url) as connection:
        connection.execute(text(f"DROP TRIGGER attempts_final{on}"))
    [found] = findings(filled_url)
    assert found.message == "the trigger attempts_final is gone, so rows can be changed"


def test_a_row_without_its_parent_is_found(sqlite_url: str, tmp_path: Path) -> None:
    import sqlite3

    fill(sqlite_url)
    with sqlite3.connect(tmp_path / "ledger.sqlite") as connection:  # which minds no foreign keys
        connection.execute("INSERT INTO metrics VALUES (1, 77, 1, 'm', 0, '')")
    connection.close()
    [found] = findings(sqlite_url)
    assert found.message == "rows of metrics that refer to rows of attempts that are not there: 1"


def test_a_damaged_file_is_found(sqlite_url: str, tmp_path: Path) -> None:
    fill(sqlite_url)
    with rows.raw(sqlite_url) as connection:
        page = connection.exec_driver_sql(
            "SELECT rootpage FROM sqlite_master WHERE name = 'ix_events_campaign_instance'"
        ).scalar_one()
        size = connection.exec_driver_sql("PRAGMA page_size").scalar_one()
    with (tmp_path / "ledger.sqlite").open("r+b") as file:
        file.seek((page - 1) * size + size - 60)
        file.write(b"\xff" * 40)
    found = findings(sqlite_url)
    assert found
    assert all(one.message.startswith("the file is damaged: ") for one in found)


def test_an_open_block_of_a_dead_driver_is_a_note_once_the_campaign_is_through(filled_url: str) -> None:
    force(filled_url, ["UPDATE blocks SET ended_us = NULL"])
    [found] = findings(filled_url)
    assert not found.note
    with Ledger(filled_url) as ledger:
        number = ledger.campaigns()[0].campaign_id
        session = rows.begin(ledger, number, "later")
        ledger.end_session(number, session, "later", "drained")
        assert [one.note for one in findings(filled_url)] == [False]
        session = rows.begin(ledger, number, "last")
        ledger.end_session(number, session, "last", "complete")
    [found] = findings(filled_url)
    assert found.note
    assert found.message == (
        "block 0 of session 1 (job job 7) has no end; later sessions ended what they found of it"
    )
