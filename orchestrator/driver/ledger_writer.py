"""Carries reports to the ledger in batches, and holds them while the ledger is away."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from db.driver_ledger import DriverLedger
from db.errors import LeaseError, LedgerError
from db.records import AttemptReport, BlockRecord, NewAttempt
from orchestrator.driver.stop_requests import Stop

LEASE_SECONDS = 60.0
"""How long a silent driver keeps its campaign."""
_BATCH = 5_000
_PULSE_SECONDS = 1.0
_RETRY_SECONDS = 2.0


class Recorder:
    """The driver's only way to the ledger.

    While the ledger cannot be written, `failing` says why, nothing is lost (reports wait here and
    stand in the journals), and nothing new may be dispatched.

    Parameters
    ----------
    ledger, campaign, session, owner
        Where to write, for which campaign and session, and this driver's name in the lease.
    clock
        Monotonic seconds.
    """

    def __init__(
        self,
        ledger: DriverLedger,
        campaign: int,
        session: int,
        owner: str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ledger = ledger
        self._campaign = campaign
        self._session = session
        self._owner = owner
        self._clock = clock
        self._reports: list[AttemptReport] = []
        self._blocks: set[BlockRecord] = set()
        self._next_pulse = 0.0
        self._next_try = 0.0
        self._failed: dict[str, str] = {}
        self._lost = False
        self.failing_since: float | None = None
        self.evidence = 0

    @property
    def failing(self) -> str | None:
        """What the ledger last refused, until it takes it; None while all is well."""
        return next(iter(self._failed.values()), None)

    @property
    def waiting(self) -> int:
        """Reports that the ledger does not have yet."""
        return len(self._reports)

    def add(self, report: AttemptReport) -> None:
        """Take a report for the next flush."""
        self._reports.append(report)

    def flush(self) -> None:
        """Write what waits, some thousands a transaction; on failure keep the rest, say so in `failing`."""
        if self._lost or not self._reports or self._clock() < self._next_try:
            return
        with self._guarded("record"):
            while self._reports:
                late = self._ledger.record(self._campaign, self._reports[:_BATCH])
                self._reports = self._reports[_BATCH:]
                self.evidence += len(late)

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
        return not self.failing

    def blocks(self, rows: list[BlockRecord]) -> None:
        """Record blocks that changed since the last call."""
        changed = [row for row in rows if row not in self._blocks]
        if "blocks" in self._failed:  # what the ledger has of them is not known
            changed = rows
        if changed and not self._lost and self._clock() >= self._next_try:
            with self._guarded("blocks"):
                self._ledger.record_blocks(self._campaign, self._session, changed)
                self._blocks = set(rows)

    def pulse(self) -> Stop:
        """Prolong the lease about once a second and return what the ledger asks for.

        Raises
        ------
        LeaseError
            If another driver took the campaign over.
        """
        asked = None
        if self._clock() >= max(self._next_pulse, self._next_try):
            self._next_pulse = self._clock() + _PULSE_SECONDS
            with self._guarded("renew"):
                asked = self._ledger.renew(self._campaign, self._owner, LEASE_SECONDS)
        return {"drain": Stop.DRAIN, "cancel": Stop.CANCEL}.get(asked or "", Stop.NO)

    def prolong(self, seconds: float) -> None:
        """Hold the lease for a while in which nothing else can be done."""
        with self._guarded("renew"):
            self._ledger.renew(self._campaign, self._owner, seconds)

    def insist(self) -> None:
        """Let the next call ask the ledger although it refused something just now."""
        self._next_try = 0.0

    def complete(self) -> bool:
        """Write what waits, and tell whether the ledger has every report and answers.

        What it once refused and was not asked again stands in nobody's way then.

        Raises
        ------
        LeaseError
            If another driver took the campaign over.
        """
        if self._failed:
            self.insist()
            self.flush()
            self.prolong(LEASE_SECONDS)
        return not self._reports and "renew" not in self._failed

    @contextmanager
    def _guarded(self, operation: str) -> Iterator[None]:
        """Note a refusal of the ledger instead of raising it; losing the lease is no such refusal.

        A refusal stands until the same operation succeeds: a ledger that takes the pulse but no
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
