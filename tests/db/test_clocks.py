"""Times that contradict each other tell that clocks did not agree."""

from __future__ import annotations

from db.clocks import contradiction_us
from db.ledger import Ledger
from tests.db import rows
from tests.db.rows import T0, attempt, report

SECOND = 1_000_000


def contradiction(url: str, *sessions: tuple[int, int, int, int], started: bool = True) -> int:
    """Return what is found where each session had one attempt: submitted, started, stopped, received."""
    with Ledger(url) as ledger:
        number = rows.register(ledger, instances=len(sessions))
        for k, times in enumerate(sessions):
            submitted, start, stop, received = (T0 + seconds * SECOND for seconds in times)
            session = rows.begin(ledger, number, force=True)
            ledger.submit(number, session, [attempt(k, token=f"t{k}", at_us=submitted)])
            known = {"process_start_us": start, "process_stop_us": stop} if started else {}
            ledger.record(number, [report(f"t{k}", "failed", received_us=received, **known)])
        return contradiction_us(ledger, number)


def test_what_happens_in_order_is_no_contradiction(ledger_url: str) -> None:
    assert contradiction(ledger_url, (0, 1, 5, 6), (10, 11, 15, 16)) == 0


def test_no_attempts_contradict_nothing(ledger_url: str) -> None:
    assert contradiction(ledger_url) == 0


def test_attempts_without_times_contradict_nothing(ledger_url: str) -> None:
    assert contradiction(ledger_url, (0, 9, 9, 1), started=False) == 0


def test_a_process_that_started_before_it_was_submitted(ledger_url: str) -> None:
    assert contradiction(ledger_url, (0, -7, 5, 6)) == 7 * SECOND


def test_a_report_that_came_before_the_process_stopped(ledger_url: str) -> None:
    assert contradiction(ledger_url, (0, 1, 20, 6)) == 14 * SECOND


def test_a_session_that_began_before_the_last_one_ended(ledger_url: str) -> None:
    assert contradiction(ledger_url, (0, 1, 5, 3600), (10, 11, 15, 16)) == 3590 * SECOND
