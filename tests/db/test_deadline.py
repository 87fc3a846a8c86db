"""A PostgreSQL server that stalls keeps the driver waiting for a while, not for ever."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import Connection

from db import lease, recording
from db import ledger as of_ledger
from db.errors import LedgerError
from db.ledger import Ledger
from db.states import AttemptState
from tests.db import rows

SERVER_PROCESS = "SELECT pg_backend_pid()"
CALLS: dict[str, tuple[Any, Callable[[Ledger, int], object]]] = {
    "renew": (lease, lambda ledger, number: ledger.renew(number, "me", 60)),
    "submit": (recording, lambda ledger, number: ledger.submit(number, 1, [rows.attempt(0, 2, "again")])),
    "record": (recording, lambda ledger, number: ledger.record(number, [rows.report("toy-t0.1", "running")])),
}


@pytest.fixture
def stop() -> Iterator[Callable[[int], None]]:
    """Stop a process of the server, until the test calls `wake` or ends."""
    stopped: list[int] = []

    def stop(pid: int) -> None:
        os.kill(pid, signal.SIGSTOP)
        stopped.append(pid)

    yield stop
    wake(*stopped)


def wake(*pids: int) -> None:
    for pid in pids:
        try:
            os.kill(pid, signal.SIGCONT)
        except ProcessLookupError:  # it went on already, and found nobody there
            continue


@pytest.mark.parametrize("name", CALLS)
def test_a_server_that_stalls_within_a_transaction(
    name: str, postgres_url: str, stop: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    module, call = CALLS[name]
    write = getattr(module, name)
    asleep: list[int] = []

    def stalled(connection: Connection, *arguments: Any) -> Any:
        asleep.append(connection.exec_driver_sql(SERVER_PROCESS).scalar_one())
        stop(asleep[0])
        return write(connection, *arguments)

    with Ledger(postgres_url) as ledger:
        number = rows.started(ledger, 1)
        with monkeypatch.context() as patched:
            patched.setattr(module, name, stalled)
            patched.setattr(of_ledger, "_ANSWER_SECONDS", 0.5)
            with pytest.raises(LedgerError, match=r"the database does not answer within 0\.5 s") as caught:
                call(ledger, number)
        assert "\n" not in str(caught.value)
        wake(*asleep)
        call(ledger, number)
        wanted = {"submit": {"submitted": 2}, "record": {"running": 1}}.get(name, {"submitted": 1})
        assert ledger.attempt_counts(number) == wanted
        assert ledger.events_of(number, kind="evidence") == []


def test_a_connection_that_stalls_between_transactions_is_left_for_another(
    postgres_url: str, stop: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Ledger(postgres_url) as ledger:
        number = rows.started(ledger, 1)
        [(before,)] = ledger.query(SERVER_PROCESS)[1]
        stop(before)
        monkeypatch.setattr(of_ledger, "_ANSWER_SECONDS", 3.0)
        assert ledger.renew(number, "me", 60) is None
        assert ledger.query(SERVER_PROCESS)[1] != [(before,)]
        assert ledger.attempt_states(number) == {"toy-t0.1": AttemptState.SUBMITTED}


def test_a_lock_that_somebody_keeps_is_not_waited_for_for_ever(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Ledger(postgres_url) as ledger:
        number = rows.started(ledger, 1)
        with rows.raw(postgres_url) as connection, monkeypatch.context() as patched:
            connection.exec_driver_sql("SELECT * FROM campaigns FOR UPDATE")
            patched.setattr(of_ledger, "_STATEMENT_SECONDS", 0.5)
            with pytest.raises(LedgerError, match="statement timeout"):
                ledger.renew(number, "me", 60)
        assert ledger.renew(number, "me", 60) is None
        assert ledger.query("SHOW statement_timeout")[1] == [("0",)]  # others take their time
