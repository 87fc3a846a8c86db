"""A clock that is set by hand, a log of events, and attempts for tests of the driver's parts."""

from __future__ import annotations

import queue
from typing import Any

from db.events import EventKind
from db.records import Pending
from db.states import AttemptState
from orchestrator.driver.queue.in_flight import InFlightAttempt
from orchestrator.protocol.report import AttemptReport

NOW_US = 1_700_000_000_000_000


class ManualClock:
    """A clock that a test moves."""

    def __init__(self, at: float = 100.0) -> None:
        self.at = at

    def seconds(self) -> float:
        return self.at

    def now_us(self) -> int:
        return NOW_US

    def take(self, mailbox: queue.Queue[Any], seconds: float) -> list[Any]:
        self.at += seconds
        return []


class RecordedEvents:
    """Keeps events instead of writing them."""

    def __init__(self) -> None:
        self.found: list[tuple[EventKind, str, str]] = []

    def record(self, kind: EventKind, message: str, *, subject: str = "", level: int = 0) -> None:
        self.found.append((kind, subject, message))


def attempt(token: str = "t", benchmark: str = "a", **changes: Any) -> InFlightAttempt:
    return InFlightAttempt(token, Pending(0, benchmark, 0, 1, 0), 1, **changes)


def succeeded(seconds: float = 1.0, pool: str = "p1") -> AttemptReport:
    start = 1_000_000
    return AttemptReport(
        token="t", state=AttemptState.SUCCEEDED, at_us=1, pool=pool, node="n7",
        process_start_us=start, process_stop_us=start + int(seconds * 1e6),
    )  # fmt: skip


def failed(pool: str | None = "p1", category: Any = "infrastructure") -> AttemptReport:
    return AttemptReport(
        token="t",
        state=AttemptState.FAILED,
        at_us=1,
        failure_category=category,
        pool=pool,
        node="n7",
        failure_message="no GPU",
    )
