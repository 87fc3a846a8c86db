"""Several drivers on one PostgreSQL ledger: no deadlock by design, and at most a quick retry otherwise."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from db import errors
from db.connection.connect import parse_url, translated
from db.errors import DeadlockError, LedgerError
from db.ledger import Ledger
from db.states import InstanceState
from db.writing import recording
from tests.db import rows

WRITERS = 8
BATCHES = 12
SHARED = 40  # observations and environments that all campaigns have in common


class _Count:
    """Counts deadlocks that a ledger's database reported."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.deadlocks = 0
        real = DeadlockError.__init__

        def counted(error: DeadlockError, *arguments: object) -> None:
            self.deadlocks += 1
            real(error, *arguments)

        monkeypatch.setattr(errors.DeadlockError, "__init__", counted)


@pytest.fixture
def count(monkeypatch: pytest.MonkeyPatch) -> _Count:
    return _Count(monkeypatch)


def _write(url: str, name: str, barrier: Barrier) -> int:
    """Record attempts of a campaign, a batch at the same moment as the other writers."""
    order = random.Random(name)
    with Ledger(url) as ledger:
        instances = BATCHES * SHARED
        number = rows.started(ledger, instances, name)
        for batch in range(BATCHES):
            barrier.wait(300)
            mine = list(range(batch * SHARED, (batch + 1) * SHARED))
            order.shuffle(mine)  # each campaign sees the same environments in another order
            late = ledger.record(
                number,
                [
                    rows.report(
                        f"{name}-t{k}.1",
                        "succeeded",
                        InstanceState.DONE,
                        fom_seconds=1.0,
                        observed={"k": k, "padding": "x" * 2000},
                        environment={"k": k, "padding": "x" * 2000},
                    )
                    for k in mine
                ],
            )
            assert late == []
            ledger.renew(number, "me", 60)
        return len(rows.accepted(ledger, number, "toy"))


def test_writers_of_several_campaigns_never_meet_in_a_deadlock(postgres_url: str, count: _Count) -> None:
    barrier = Barrier(WRITERS)
    with ThreadPoolExecutor(WRITERS) as pool:
        done = [pool.submit(_write, postgres_url, f"writer{k}", barrier) for k in range(WRITERS)]
        assert [one.result(120) for one in done] == [BATCHES * SHARED] * WRITERS
    assert count.deadlocks == 0


def _drive(url: str, number: int, name: str, barrier: Barrier) -> int:
    """Take, write and close one campaign again and again, as drivers do that take it from one another."""
    lost = 0
    with Ledger(url) as ledger:
        barrier.wait(300)
        for k in range(40):
            try:
                session = rows.begin(ledger, number, name, seconds=-1)
                ledger.submit(number, session, [rows.attempt(k % 3, 1 + k, f"{name}-{k}")])
                ledger.end_session(number, session, name, "complete")
                ledger.close_dead_session(number, name)
            except errors.LeaseError:
                lost += 1
    return lost


def test_drivers_of_one_campaign_never_meet_in_a_deadlock(postgres_url: str, count: _Count) -> None:
    with Ledger(postgres_url) as ledger:
        number = rows.register(ledger)
    barrier = Barrier(2)
    with ThreadPoolExecutor(2) as pool:
        done = [pool.submit(_drive, postgres_url, number, name, barrier) for name in ("one", "two")]
        for one in done:
            assert one.exception(120) is None or isinstance(one.exception(), errors.RefusedError)
    assert count.deadlocks == 0


class _Deadlock(Exception):
    sqlstate = "40P01"


def _deadlock() -> OperationalError:
    return OperationalError("INSERT", {}, _Deadlock("deadlock detected\nDETAIL: Process 1 waits for 2"))


def test_a_deadlock_is_named_as_such(sqlite_url: str) -> None:
    with pytest.raises(DeadlockError, match=r"deadlock detected$"), translated(parse_url(sqlite_url)):
        raise _deadlock()


@pytest.mark.parametrize("deadlocks", [1, 4])
def test_what_met_a_deadlock_is_written_at_once(
    deadlocks: int, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Ledger(sqlite_url) as ledger:
        number = rows.started(ledger, 1)
        real, left = recording.record, [None] * deadlocks

        def record(*given: Any) -> Any:
            late = real(*given)
            if left:
                left.pop()
                raise _deadlock()
            return late

        monkeypatch.setattr(recording, "record", record)
        done = rows.report("toy-t0.1", "succeeded", InstanceState.DONE, fom_seconds=1.0)
        assert ledger.record(number, [done]) == []
        assert len(rows.accepted(ledger, number, "toy")) == 1
        assert not left


def test_endless_deadlocks_are_an_error_of_the_ledger(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def record(*_: Any) -> Any:
        raise _deadlock()

    with Ledger(sqlite_url) as ledger:
        number = rows.started(ledger, 1)
        monkeypatch.setattr(recording, "record", record)
        with pytest.raises(LedgerError, match="deadlock detected"):
            ledger.record(number, [rows.report("toy-t0.1", "running")])


def test_a_real_deadlock_is_retried(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch, count: _Count
) -> None:
    """One writer holds the campaign and wants its session, the other one the reverse."""
    with Ledger(postgres_url) as ledger, Ledger(postgres_url) as other:
        number = rows.started(ledger, 1)
        barrier = Barrier(2)
        tried: list[str] = []
        key = f"SELECT 1 FROM campaigns WHERE campaign_id = {number} FOR UPDATE"
        row = f"SELECT 1 FROM sessions WHERE campaign_id = {number} FOR UPDATE"

        def locks(connection: Any, first: str, second: str, who: str) -> None:
            tried.append(who)
            connection.execute(text(first))
            if tried.count(who) == 1:
                barrier.wait(300)
            connection.execute(text(second))

        def record(connection: Any, *_: Any) -> list[Any]:
            locks(connection, key, row, "record")
            return []

        def record_blocks() -> None:
            monkeypatch.setattr(
                recording, "submit", lambda connection, *_: locks(connection, row, key, "submit")
            )
            other.submit(number, 1, [rows.attempt(0, 2)])

        monkeypatch.setattr(recording, "record", record)
        with ThreadPoolExecutor(2) as pool:
            both = [
                pool.submit(ledger.record, number, [rows.report("toy-t0.1", "running")]),
                pool.submit(record_blocks),
            ]
            assert [one.result(60) for one in both] == [[], None]
    assert count.deadlocks >= 1  # the one that tries again may be the first at the campaign, and meet another
    assert len(tried) == 2 + count.deadlocks
