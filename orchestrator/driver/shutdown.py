"""Why and how a session ends before its instances do."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from db.events import EventKind
from db.states import RunOutcome
from orchestrator.driver.progress import Snapshot
from orchestrator.driver.queue.retry_policy import SessionOutcomes
from orchestrator.driver.records.attempt_records import cancelled
from orchestrator.driver.records.event_log import EventLog
from orchestrator.driver.records.journal_reader import JournalReader
from orchestrator.driver.settlement import Settlement
from orchestrator.driver.setup import DriverSetup
from orchestrator.driver.stop_requests import StopLevel
from orchestrator.engines.base import Engine
from orchestrator.host.processes import SESSION_MARK, terminate, with_mark
from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir.layout import RunDirectory

_log = logging.getLogger(__name__)
LEDGER_SOURCE = "orchestrator stop"
"""Source of stop requests that come through the ledger."""
_DRAIN_SECONDS = 15.0
_SHUTDOWN_LEASE_SECONDS = 600.0  # for a batch system that is slow to answer
_LEDGER_TIMEOUT_SECONDS = 600.0


class Shutdown:
    """Decides whether a session must end now, and ends its engine.

    Attributes
    ----------
    draining
        Whether running instances finish and no new ones start.
    """

    def __init__(
        self,
        setup: DriverSetup,
        events: EventLog,
        outcomes: SessionOutcomes,
        snapshot: Snapshot,
        settlement: Settlement,
        journals: JournalReader,
    ) -> None:
        self.draining = False
        self._name = setup.row.name
        self._mark = f"{setup.row.uid}:{setup.session}"
        self._stop_file = RunDirectory(Path(setup.row.run_directory)).stop_file(setup.session)
        self._grace_seconds = setup.plan.campaign.grace_period
        self._stops = setup.stops
        self._writer = setup.writer
        self._clock = setup.clock
        self._events = events
        self._outcomes = outcomes
        self._snapshot = snapshot
        self._settlement = settlement
        self._journals = journals
        self._stop_level = StopLevel.NONE
        self._running_at = 0.0
        self._ledger_away = False

    def check(self, engines: Sequence[Engine], slots: int) -> RunOutcome | None:
        """Return why the session must end now, or None; what it must end, it has ended then."""
        self._note_requests()
        if (why := self._outcomes.abort_reason(self._snapshot.running, slots)) is not None:
            self._events.record(
                EventKind.ABORTED_AFTER_FAILURES,
                f"{why}; stopping. `orchestrator status {self._name}` shows why, "
                f"`orchestrator resume {self._name}` tries again",
                level=logging.ERROR,
            )
            self._cancel(engines)
            return RunOutcome.HOPELESS
        if self._stops.level is StopLevel.CANCEL:
            self._events.record(EventKind.CANCEL_STARTED, "cancelling: ending what runs")
            self._cancel(engines)
            return RunOutcome.CANCELLED
        if self._stops.level is StopLevel.DRAIN and (ended := self._drain(engines)) is not None:
            return ended
        return self._check_ledger()

    def drained(self) -> bool:
        """Return whether a drain has nothing left to wait for."""
        done = not self._settlement.in_flight and not self._writer.waiting
        return self._stops.level is StopLevel.DRAIN and done

    def close_down(
        self,
        engines: Sequence[Engine],
        verdict: Callable[[str], AttemptReport],
        of: Collection[str] | None = None,
    ) -> None:
        """End engines and every process of the session on this host, then settle what was in flight.

        Parameters
        ----------
        verdict
            Returns the report of an attempt that left none, by its token.
        of
            The attempts of these engines, where others go on: then nothing else ends; None for all.
        """
        self._settlement.closing = True
        if of is None:
            self.stop_starting(True)
        self._writer.extend_lease(_SHUTDOWN_LEASE_SECONDS + 2 * self._grace_seconds)
        for engine in engines:
            engine.stop()
        if of is None:
            terminate(with_mark(SESSION_MARK, self._mark), self._grace_seconds + 5)
        for report in self._journals.read(now=True):
            self._settlement.apply(report, self._clock.now_us())
        for token in list(self._settlement.in_flight if of is None else of):
            self._settlement.declare_lost(verdict(token))
        if of is None:
            self.stop_starting(False)
        self._settlement.closing = False
        self._writer.flush()

    def stop_starting(self, wanted: bool) -> None:
        """Keep workers from starting what they still have queued, or let them again."""
        try:
            if wanted:
                self._stop_file.touch()
            else:
                self._stop_file.unlink(missing_ok=True)
        except OSError as error:
            _log.warning("%s: %s; queued instances may still start", self._stop_file, error.strerror)

    def hold_lease(self) -> None:
        """Hold the lease while the engine ends."""
        self._writer.extend_lease(_SHUTDOWN_LEASE_SECONDS)

    def _note_requests(self) -> None:
        if self._stops.level is self._stop_level:
            return
        self._stop_level = self._stops.level
        message = f"stop requested: {self._stop_level.name.lower()}, by {self._stops.source}"
        if self._stops.source == LEDGER_SOURCE:
            _log.info("%s", message)  # whoever asked has recorded it
        else:
            self._events.record(EventKind.STOP_REQUESTED, message, subject=self._stops.source)

    def _drain(self, engines: Sequence[Engine]) -> RunOutcome | None:
        if not self.draining:
            self.draining = True
            self._running_at = self._clock.seconds()
            self.stop_starting(True)
            self._events.record(
                EventKind.DRAIN_STARTED,
                "draining: running instances finish, no new ones start; stop again to cancel",
            )
        if self._snapshot.running:
            self._running_at = self._clock.seconds()
        elif self._settlement.in_flight and self._clock.seconds() - self._running_at > _DRAIN_SECONDS:
            self._cancel(engines)  # handed out, and no worker has taken them
        if self.drained():
            left = self._snapshot.done + self._snapshot.exhausted < self._snapshot.total
            return RunOutcome.DRAINED if left else None
        return None

    def _cancel(self, engines: Sequence[Engine]) -> None:
        self.close_down(engines, lambda token: cancelled(token, self._clock.now_us()))

    def _check_ledger(self) -> RunOutcome | None:
        """Return `LEDGER_FAILED` once the ledger was away for too long and nothing runs."""
        since = self._writer.failing_since
        if since is None:
            if self._ledger_away:
                self._events.record(EventKind.LEDGER_BACK, "the ledger is back")
            self._ledger_away, self._snapshot.note = False, ""
            return None
        if not self._ledger_away:
            self._events.record(
                EventKind.LEDGER_AWAY,
                f"{self._writer.last_error}; nothing new starts until it is back, "
                "results wait in the journals",
                level=logging.WARNING,
            )
        self._ledger_away, self._snapshot.note = True, "ledger away"
        stopping = self._stops.level is not StopLevel.NONE
        gone = self._clock.seconds() - since > _LEDGER_TIMEOUT_SECONDS or stopping
        return RunOutcome.LEDGER_FAILED if gone and not self._settlement.in_flight else None
