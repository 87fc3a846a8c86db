"""What a ledger holds of marks and of their arrival."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from orchestrator.rulebooks import common_rules
from orchestrator.rulebooks.mark_rules import marks
from tests.db.rows import T0
from tests.orchestrator.analysis.verdict.test_fom import SECOND, SEEN, Book, fill


@pytest.fixture
def book(ledger_url: str) -> Iterator[Book]:
    opened = Book(ledger_url, 2)
    yield opened
    opened.ledger.close()


def seen(start: float, stop: float, **changes: Any) -> dict[str, Any]:
    """Return what a supervisor saw of an honest run, with changes in seconds."""
    moments = {
        "process_start_us": start - 9,
        "run_start_arrived_us": start + 0.01,
        "run_stop_arrived_us": stop + 0.02,
        "process_stop_us": stop + 0.2,
    }
    used = {"run_start_cpu_seconds": 6.0, "run_stop_cpu_seconds": 15.5, "cpu_seconds": 15.75}
    times = {name: T0 + round(changes.pop(name, at) * SECOND) for name, at in moments.items()}
    return times | used | changes


def test_what_supervisors_saw(book: Book) -> None:
    book.run(0, 0, 10, **seen(0, 10))
    book.run(1, 0, 10, **seen(0, 10, run_stop_arrived_us=10.25, run_stop_cpu_seconds=17.0, cpu_seconds=17.5))
    found = book.measured.marks
    assert (found.undated, found.disordered, found.without_interval) == (0, 0, 0)
    assert (found.latest_seconds, found.earliest_seconds) == (0.25, 0.01)
    assert (found.stretch_seconds, found.shortest_seconds) == (0.24, 10.0)
    assert found.busiest_share == pytest.approx(11 / 11)
    assert (found.cpu_before_seconds, found.cpu_after_seconds) == (6.0, 0.5)
    assert found.after_seconds == 0.2
    assert marks(book.measured).passed is True


def test_a_mark_that_a_supervisor_read_late_as_it_stood_still(book: Book) -> None:
    late = seen(0, 10, run_stop_arrived_us=14.0, process_stop_us=14.2)
    book.run(0, 0, 10, **late, observed=SEEN | {"unread_seconds": 5})
    found = book.measured
    assert (found.marks.latest_seconds, found.marks.unread_seconds) == (-1.0, 5)
    assert marks(found).passed is True
    assert any("stood still for up to 5 s" in one for one in marks(found).declared)
    stopped = seen(0, 100, run_stop_arrived_us=400.0, process_stop_us=400.2)
    book.run(1, 0, 100, **stopped, observed=SEEN | {"unread_seconds": 301})
    assert marks(book.measured).passed is False


def test_waiting_at_a_start_barrier_is_no_work_before_the_run(book: Book) -> None:
    times = {"process_start_us": T0 - 600 * SECOND, "ready_us": T0 - 590 * SECOND}
    book.run(0, 0, 10, **seen(0, 10) | times)
    assert book.measured.marks.before_seconds == 10.0
    book.run(1, 0, 10, **seen(0, 10) | {"process_start_us": T0 - 600 * SECOND})
    assert book.measured.marks.before_seconds == 600.0


def test_two_ranks_use_twice_the_time_before_their_run(book: Book) -> None:
    two = {"cores": "0,1", "observed": {"cpuset": [0, 1], "ranks": [{"cpuset": [0]}, {"cpuset": [1]}]}}
    book.run(0, 0, 10, **seen(0, 10, run_stop_cpu_seconds=25.0, cpu_seconds=25.5), **two)
    found = book.measured.marks
    assert (found.cpu_before_seconds, found.cpu_after_seconds) == (3.0, 0.25)
    assert found.busiest_share == pytest.approx(19 / 11 / 2)


def test_a_rank_that_was_busy_before_the_run_is_not_hidden_by_others(book: Book) -> None:
    ranks = [{"cpuset": [0]}, {"cpuset": [1], "busy_before_seconds": 63}]
    two = {"cores": "0,1", "observed": {"cpuset": [0, 1], "ranks": ranks}}
    book.run(0, 0, 10, **seen(0, 10, run_stop_cpu_seconds=25.0, cpu_seconds=25.5), **two)
    found = book.measured
    assert found.marks.cpu_before_seconds == 63
    assert marks(found).passed is False


def test_teardown_lines_follow_the_processes(book: Book) -> None:
    ended = {"process_stop_us": T0 + 50 * SECOND, "metrics": (("instance_teardown_seconds", 39.5, "s"),)}
    book.run(0, 0, 10, **seen(0, 10) | ended)
    assert book.measured.marks.teardown_seconds == 0.0  # a training says so
    hooks = SEEN | {"hooks": {"instance_teardown": {"exit_code": 0}}}
    book.run(1, 0, 10, **seen(0, 10) | ended, observed=hooks)
    found = book.measured
    assert (found.marks.after_seconds, found.marks.teardown_seconds) == (40.0, 39.5)
    assert marks(found).passed is True


def test_more_cpu_time_than_the_cores_have(book: Book) -> None:
    book.run(0, 0, 6, **seen(0, 6, run_stop_cpu_seconds=25.0, cpu_seconds=25.2))
    assert "271% of the CPU time" in marks(book.measured).reason


def test_a_stop_before_the_start_is_a_finding(book: Book) -> None:
    book.run(0, 0, 10)
    book.run(1, 10, 9, fom_seconds=1.0)
    found = book.measured
    assert (found.overlap.concurrent, found.marks.disordered) == (1, 1)
    assert marks(found).reason == "1 accepted instance has marks that stop before they start"
    assert book.verdict.reportable in (False, None)


def test_an_accepted_instance_without_an_interval_has_no_time(book: Book) -> None:
    fill(book, 1)
    book.run(1, 0, 10, run_start_us=None, run_stop_us=None)
    rule = common_rules.timed(book.measured)
    assert (rule.passed, rule.reason) == (False, "1 accepted instance has no measured interval")
