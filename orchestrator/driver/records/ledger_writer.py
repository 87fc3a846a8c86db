"""Carries reports to the ledger in batches, and holds them while the ledger is away."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from db.driver_ledger import DriverLedger
from db.errors import LeaseError, LedgerError
from db.events import EventKind
from db.records import BlockRecord, LedgerReport, NewAttempt, Pending, SettledBenchmark, SuggestedTrial
from db.states import Action
from db.writing.requests import FLAG, AppliedRequest
from orchestrator.driver.stop_requests import StopLevel

LEASE_SECONDS = 60.0
"""How long a silent driver keeps its campaign."""
_BATCH = 5_000
_NOTES = 10_000  # kept while the ledger is away
_RENEWAL_SECONDS = 1.0
_RETRY_SECONDS = 2.0

_Note = tuple[EventKind, str, str, int, Mapping[str, Any] | None]


class LedgerWriter:
    """The driver's only way to the ledger.

    While the ledger cannot be written, `last_error` says why, nothing is lost (reports wait here and
    stand in the journals), and nothing new may be dispatched.

    Parameters
    ----------
    ledger, campaign, session, owner
        Where to write, for which campaign and session, and this driver's name in the lease.
    clock
        Monotonic seconds.
    last_request
        Event of the last request of a user that was applied.
    """

    def __init__(
        self,
        ledger: DriverLedger,
        campaign_id: int,
        session: int,
        owner: str,
        clock: Callable[[], float] = time.monotonic,
        last_request: int = 0,
    ) -> None:
        self._ledger = ledger
        self._campaign = campaign_id
        self._session = session
        self._owner = owner
        self._clock = clock
        self._reports: list[LedgerReport] = []
        self._notes: deque[_Note] = deque(maxlen=_NOTES)
        self._nodes: deque[tuple[str, Mapping[str, Any]]] = deque(maxlen=_NOTES)
        self._heads: deque[_Note] = deque(maxlen=_NOTES)
        self._settled: deque[SettledBenchmark] = deque()
        self._blocks: dict[tuple[str, str], BlockRecord] = {}
        self._next_renewal = 0.0
        self._next_try = 0.0
        self._failed: dict[str, str] = {}
        self._lost = False
        self._reopening = 0
        self._requested = False
        self._last_request = last_request
        self.failing_since: float | None = None
        self.evidence = 0

    @property
    def last_error(self) -> str | None:
        """The last error of the ledger, until it takes data again; None while all is well."""
        return next(iter(self._failed.values()), None)

    @property
    def waiting(self) -> int:
        """Reports, and ends of benchmarks and what takes them back, that the ledger does not have yet."""
        return len(self._reports) + len(self._settled) + self._reopening

    @property
    def recorded_blocks(self) -> list[BlockRecord]:
        """Blocks of this session, as the ledger has them."""
        return list(self._blocks.values())

    def add(self, report: LedgerReport) -> None:
        """Take a report for the next flush."""
        self._reports.append(report)

    def note(
        self,
        kind: EventKind,
        message: str,
        *,
        subject: str,
        at_us: int,
        data: Mapping[str, Any] | None = None,
    ) -> None:
        """Take an event for the next flush; heads of journals come after all that waits, which they chain."""
        notes = self._heads if kind is EventKind.JOURNAL_HEADS else self._notes
        notes.append((kind, message, subject, at_us, data))

    def settle(self, settled: SettledBenchmark) -> None:
        """Let no waiting instance of a benchmark run, from the next flush on, after all reports until now."""
        self._settled.append(settled)

    def describe_node(self, node: str, facts: Mapping[str, Any]) -> None:
        """Take a node's description for the next flush."""
        self._nodes.append((node, facts))

    def flush(self) -> None:
        """Write pending reports and events, some thousands a transaction; what fails is kept.

        `last_error` says why it failed.
        """
        waits = self._reports or self._notes or self._nodes or self._settled or self._heads
        if self._lost or not waits or self._clock() < self._next_try:
            return
        with self._guarded("record"):
            self._write_notes(self._notes)
            while self._nodes:
                self._ledger.describe_node(self._campaign, self._session, *self._nodes[0])
                self._nodes.popleft()
            while self._reports:
                late = self._ledger.record(self._campaign, self._reports[:_BATCH])
                self._reports = self._reports[_BATCH:]
                self.evidence += len(late)
            while self._settled:
                self._ledger.settle(self._campaign, self._session, self._settled[0])
                self._settled.popleft()
            self._write_notes(self._heads)

    def _write_notes(self, notes: deque[_Note]) -> None:
        while notes:
            kind, message, subject, at_us, data = notes[0]
            self._ledger.note(self._campaign, kind, message, subject=subject, data=data, at_us=at_us)
            notes.popleft()

    def submit(self, new: list[NewAttempt]) -> bool:
        """Record new attempts; False if the ledger did not take them, so they must not be started.

        What was reported before must stand there first: another attempt of an instance comes after the
        end of the last one.
        """
        self.flush()
        if self._reports or self._failed.keys() - {"submit"} or self._clock() < self._next_try:
            return False
        with self._guarded("submit"):
            self._ledger.submit(self._campaign, self._session, new)
        return not self.last_error

    def suggest(self, chosen: Sequence[SuggestedTrial]) -> bool:
        """Record parameters of trials; False if the ledger did not take them, so that none may start.

        The results that they were chosen by stand there first.
        """
        self.flush()
        if self._reports or self._clock() < self._next_try:
            return False
        with self._guarded("suggest"):
            self._ledger.suggest(self._campaign, self._session, chosen)
            return True
        return False

    def blocks(self, rows: list[BlockRecord]) -> None:
        """Record those blocks of one engine that changed since they were last recorded."""
        changed = [row for row in rows if self._blocks.get((row.slot_shape, row.block_id)) != row]
        if "blocks" in self._failed:  # what the ledger has of them is not known
            changed = rows
        if changed and not self._lost and self._clock() >= self._next_try:
            with self._guarded("blocks"):
                self._ledger.record_blocks(self._campaign, self._session, changed)
                self._blocks |= {(row.slot_shape, row.block_id): row for row in changed}

    def renew_lease(self, *, at_once: bool = False) -> StopLevel:
        """Renew the lease about once a second, or at once; return the stop that the ledger asks for.

        Raises
        ------
        LeaseError
            If another driver took the campaign over.
        """
        asked = None
        if self._clock() >= max(0.0 if at_once else self._next_renewal, self._next_try):
            self._next_renewal = self._clock() + _RENEWAL_SECONDS
            with self._guarded("renew"):
                asked = self._ledger.renew(self._campaign, self._owner, LEASE_SECONDS)
            self._requested |= asked == FLAG
        return {"drain": StopLevel.DRAIN, "cancel": StopLevel.CANCEL}.get(asked or "", StopLevel.NONE)

    def requests(self) -> tuple[list[AppliedRequest], list[Pending]]:
        """Apply what users asked of instances, once the ledger has all reports, which are written first.

        Where short instances end all the time, some report always waits.

        Returns
        -------
        tuple
            The requests that were applied, and the instances that they let run again.
        """
        if self._requested:
            self.flush()
        busy = self._reports or self._failed.keys() - {"requests"}
        if not self._requested or busy or self._clock() < self._next_try:
            return [], []
        with self._guarded("requests"):
            self._ledger.apply_requests(self._campaign, self._session)
            found = self._ledger.applied_requests(self._campaign, self._last_request)
            again = set[int]().union(*(one.changed for one in found if one.action is Action.RETRY))
            pending = self._ledger.pending(self._campaign) if again else []
            self._last_request = max((one.event_id for one in found), default=self._last_request)
            self._requested = False
            return found, [one for one in pending if one.instance_id in again]
        return [], []

    def reopen(self, benchmarks: Collection[str]) -> list[Pending] | None:
        """Plan what was pruned of some benchmarks again, and return it; None if it has to be asked again."""
        self._reopening = len(benchmarks)
        if not benchmarks:
            self._failed.pop("reopen", None)
            return []
        self.flush()
        if self._reports or self._settled or self._clock() < self._next_try:
            return None
        with self._guarded("reopen"):
            self._ledger.reopen_settled(self._campaign, benchmarks, session=self._session)
            found = [one for one in self._ledger.pending(self._campaign) if one.benchmark in benchmarks]
            self._reopening = 0
            return found
        return None

    def extend_lease(self, seconds: float) -> None:
        """Hold the lease for a while in which the driver is busy otherwise."""
        with self._guarded("renew"):
            self._ledger.renew(self._campaign, self._owner, seconds)

    def retry_now(self) -> None:
        """Let the next call ask the ledger, although it refused something just now."""
        self._next_try = 0.0

    def finish(self) -> bool:
        """Flush pending reports; return True if the ledger is reachable and has all of them.

        Errors of operations that were not retried are ignored.

        Raises
        ------
        LeaseError
            If another driver took the campaign over.
        """
        if self._failed:
            self.retry_now()
            self.flush()
            self.extend_lease(LEASE_SECONDS)
        return not self.waiting and "renew" not in self._failed

    @contextmanager
    def _guarded(self, operation: str) -> Iterator[None]:
        """Keep an error of the ledger instead of raising it, but for a lost lease.

        An error stands until the same operation succeeds: a ledger that renews leases but takes no
        report is failing all the while.
        """
        try:
            yield
        except LeaseError:
            self._lost = True  # from here on the ledger is another driver's to write
            raise
        except LedgerError as error:
            self._failed[operation] = str(error)
            self.failing_since = self._clock() if self.failing_since is None else self.failing_since
            self._next_try = self._clock() + _RETRY_SECONDS
        else:
            self._failed.pop(operation, None)
            if not self._failed:
                self.failing_since = None
