"""The hooks by which parts of the driver learn of attempts and time."""

from __future__ import annotations

from db.states import InstanceState
from orchestrator.driver.queue.in_flight import InFlightAttempt
from orchestrator.engines.base import WorkerPools
from orchestrator.protocol.report import AttemptReport


class DriverObserver:
    """Hears of every attempt of a session; each subclass implements the hooks that it needs."""

    def attempt_started(self, attempt: InFlightAttempt, report: AttemptReport) -> None:
        """Take the first report of an attempt; its only one where it was not started."""

    def attempt_at_barrier(self, attempt: InFlightAttempt) -> None:
        """Note that an attempt waits for the start of its wave."""

    def attempt_ended(self, attempt: InFlightAttempt, report: AttemptReport, instance: InstanceState) -> None:
        """Take the final report of an attempt, and the state of its instance afterwards."""

    def tick(self, engine: WorkerPools) -> None:
        """Act on what was learned; called several times a second while a stage runs.

        Raises
        ------
        EngineError
            If only a new engine can go on.
        """
