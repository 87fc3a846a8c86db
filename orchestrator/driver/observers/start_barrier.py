"""The start barrier: instances of a wave start their timed part at one announced instant.

Slots fill one after another, and short timed parts that begin whenever an instance is ready hardly
overlap. Where a campaign starts synchronized, each instance stops before its timed part and says so in
its journal; once all of the wave wait, the driver writes the instant into a file that every node reads.
What counts afterwards is the measured overlap, as always.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from pathlib import Path

from db.events import EventKind
from db.states import InstanceState
from orchestrator.driver.clock import Clock
from orchestrator.driver.observers.observer import DriverObserver
from orchestrator.driver.queue.in_flight import InFlightAttempt
from orchestrator.driver.records.event_log import EventLog
from orchestrator.host.atomic_files import atomic_write
from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir.layout import RunDirectory
from orchestrator.wording import count_of

_log = logging.getLogger(__name__)


class StartBarrier(DriverObserver):
    """The driver's side of the barrier.

    Parameters
    ----------
    timeout_seconds
        How long those that wait do so for the others.
    lead_seconds
        How long before a start it is announced; as in the orders of its attempts.

    Attributes
    ----------
    wave
        Number of the wave, from 1.
    open
        Whether the wave was let through.
    width
        How many came to a wave that waited in vain for more; None if none did.
    """

    def __init__(
        self,
        directory: RunDirectory,
        session: int,
        timeout_seconds: float,
        lead_seconds: float,
        clock: Clock,
        events: EventLog,
    ) -> None:
        self.wave = 1
        self.open = False
        self.width: int | None = None
        self._directory = directory
        self._session = session
        self._timeout_seconds = timeout_seconds
        self._lead_seconds = lead_seconds
        self._clock = clock
        self._events = events
        self._waiting: set[str] = set()
        self._since: float | None = None
        self._write_failed = False

    def attempt_at_barrier(self, attempt: InFlightAttempt) -> None:
        """Note that an attempt waits."""
        self._waiting.add(attempt.token)
        if self._since is None:
            self._since = self._clock.seconds()

    def attempt_ended(self, attempt: InFlightAttempt, report: AttemptReport, instance: InstanceState) -> None:  # noqa: ARG002
        """Wait for an attempt no longer."""
        self._waiting.discard(attempt.token)

    def next_wave(self) -> None:
        """Close the barrier behind a wave that has ended, and make ready for the next.

        The file exists, empty, before any node looks for it: a network file system may remember for long
        that a file did not exist.
        """
        file = self._file
        if self.open:
            with suppress(OSError):
                file.unlink(missing_ok=True)
            self.wave += 1
            self.open = False
            file = self._file
        self._waiting.clear()
        self._since = None
        with suppress(OSError):  # a full disk: the barrier opens later than it could
            file.parent.mkdir(exist_ok=True)
            file.touch()

    def try_open(self, in_flight: int, *, complete: bool) -> bool:
        """Open the barrier if all of a wave wait, or some waited long enough; return whether it opened.

        Parameters
        ----------
        in_flight
            How many attempts of the wave have not ended.
        complete
            Whether no more attempts will join the wave.
        """
        waiting = len(self._waiting)
        if self.open or not waiting or self._since is None:
            return False
        short = not complete or waiting < in_flight
        if short and self._clock.seconds() - self._since < self._timeout_seconds:
            return False
        if short:
            self.width = waiting  # further waves need not wait for slots that never came
        if not self._announce():
            return False
        self.open = True
        if short:
            self._events.record(
                EventKind.WAVE_SHORT,
                f"wave {self.wave} starts with {count_of(waiting, 'instance')} that waited "
                f"{self._timeout_seconds:.0f} s for others; fewer of them will count as running at once",
                subject=f"wave {self.wave}",
                level=logging.WARNING,
            )
        return True

    @property
    def _file(self) -> Path:
        return self._directory.barrier_file(self._session, self.wave)

    def _announce(self) -> bool:
        file = self._file
        start_us = self._clock.now_us() + int(self._lead_seconds * 1e6)
        try:
            file.parent.mkdir(exist_ok=True)
            atomic_write(file, str(start_us))
        except OSError as error:
            if not self._write_failed:
                _log.warning("%s: %s; wave %d waits until it can be written", file, error.strerror, self.wave)
            self._write_failed = True
            return False
        self._write_failed = False
        return True
