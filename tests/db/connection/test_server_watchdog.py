"""A PostgreSQL server that stalls keeps the driver waiting for a while, not for ever."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

import psutil
import pytest
from sqlalchemy import Connection

from db import ledger as of_ledger
from db.columns import TABLES
from db.connection import locks, server_watchdog
from db.connection.connect import make_engine, parse_url
from db.connection.server_watchdog import ServerWatchdog
from db.errors import LedgerError
from db.ledger import Ledger
from db.reader import Reader
from db.states import AttemptState
from db.transfer import snapshot
from db.transfer.snapshot import Snapshot
from db.writing import lease, recording
from tests.db import rows
from tests.harness import ROOT, wait_for

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


@contextmanager
def stalled(ledger: Reader) -> Iterator[None]:
    """Stop all processes of a ledger's server."""
    server = psutil.Process(ledger.query(SERVER_PROCESS)[1][0][0]).parent()
    assert server is not None
    pids = [server.pid]
    try:
        server.suspend()  # it starts no other from here on
        for child in server.children():
            pids.append(child.pid)
            child.suspend()
        yield
    finally:
        wake(*pids)


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
        assert [*ledger.events(number, kinds=["late_report"])] == []


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


def test_a_lock_that_another_session_keeps_is_not_waited_for_for_ever(
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


def test_a_writer_that_is_suspended_within_a_transaction_loses_its_locks(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Ledger(postgres_url) as first, Ledger(postgres_url) as second:
        number = rows.started(first, 1)
        renew = lease.renew

        def suspended(connection: Connection, *arguments: Any) -> Any:
            connection.exec_driver_sql("SELECT * FROM campaigns FOR UPDATE")
            with monkeypatch.context() as patched:
                patched.setattr(lease, "renew", renew)
                assert second.renew(number, "me", 60) is None
            return renew(connection, *arguments)

        monkeypatch.setattr(locks, "_IDLE_SECONDS", 0.5)
        monkeypatch.setattr(lease, "renew", suspended)
        with pytest.raises(LedgerError, match="idle-in-transaction timeout"):
            first.renew(number, "me", 60)
        monkeypatch.setattr(lease, "renew", renew)
        assert first.renew(number, "me", 60) is None


# -- reading ---------------------------------------------------------------------------------

SILENT = "the database does not answer within 1 s"
READING = """
import sys
from db.connection import server_watchdog
from orchestrator.cli import main
server_watchdog.SILENT_SECONDS = 1.0
sys.argv[0] = "orchestrator"
main()
"""
WAITERS = "SELECT count(*) FROM pg_locks WHERE NOT granted"


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_watchdog, "SILENT_SECONDS", 1.0)


@pytest.mark.parametrize("words", [["status", "toy"], ["fom", "toy"], ["stop", "toy"]], ids=" ".join)
def test_a_command_ends_when_the_server_stalls_under_it(words: list[str], postgres_url: str) -> None:
    with Ledger(postgres_url) as ledger, rows.raw(postgres_url) as connection:
        rows.started(ledger, 1)
        for table in ("attempts", "events"):  # so that the command waits when the server stalls
            connection.exec_driver_sql(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
        with subprocess.Popen(
            [sys.executable, "-c", READING, *words, "--ledger", postgres_url],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as command:
            try:
                wait_for(lambda: ledger.query(WAITERS)[1] != [(0,)], f"{words} at a lock", 300)
                with stalled(ledger):
                    out, err = command.communicate(timeout=600)
            finally:
                command.kill()
    assert (command.returncode, out) == (1, "")
    assert err.startswith("error: ledger postgresql://")
    assert err.endswith(f": {SILENT}\n")
    assert err.count("\n") == 1


@pytest.mark.usefixtures("impatient")
def test_an_export_ends_when_the_server_stalls_between_its_rows(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "CHUNK", 1)
    with Ledger(postgres_url) as ledger, Reader(postgres_url) as reader:
        rows.started(ledger, 3)
        with pytest.raises(LedgerError, match=SILENT), Snapshot(reader) as taken:
            chunks = taken.chunks(TABLES["instances"])
            assert len(next(chunks)) == 1
            with stalled(ledger):
                next(chunks)
        assert ledger.counts(1) == reader.counts(1)


@pytest.mark.usefixtures("impatient")
def test_an_answer_that_takes_long_is_waited_for(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[bool] = []
    answers = ServerWatchdog._answers

    def noted(self: ServerWatchdog, seconds: float) -> bool:
        calls.append(answers(self, seconds))
        return calls[-1]

    monkeypatch.setattr(ServerWatchdog, "_answers", noted)
    with Ledger(postgres_url) as ledger, Reader(postgres_url) as reader:
        number = rows.started(ledger, 1)
        found: list[Any] = []
        asking = Thread(target=lambda: found.append(reader.attempt_counts(number)))
        with rows.raw(postgres_url) as connection:
            connection.exec_driver_sql("LOCK TABLE attempts IN ACCESS EXCLUSIVE MODE")
            asking.start()
            wait_for(lambda: len(calls) >= 7, "twice as many calls as a silent server gets", 300)
            assert found == []
        asking.join(120)
        assert found == [{"submitted": 1}]
    assert all(calls)


@pytest.mark.parametrize(
    ("of", "to"), [("/test_", "/nowhere_"), ("postgres:@", "nobody:wrong@")], ids=["database", "user"]
)
def test_a_refusal_is_a_sign_of_life(of: str, to: str, postgres_url: str) -> None:
    assert of in postgres_url
    watch = ServerWatchdog(make_engine(parse_url(postgres_url.replace(of, to)), read_only=True))
    assert watch._answers(30)
