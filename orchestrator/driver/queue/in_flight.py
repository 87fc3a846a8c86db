"""Attempts in flight: handed to the engine, and not ended."""

from __future__ import annotations

from dataclasses import dataclass, field

from db.records import Pending
from orchestrator.driver.queue.pending import PendingQueue

_SPARE_SECONDS = 300.0  # after its worker should have declared it lost
START_SECONDS = 1800.0
"""In which a worker that has an order starts it, however slow its disk."""


@dataclass(slots=True)
class InFlightAttempt:
    """Facts that a driver knows of an attempt in flight.

    Parameters
    ----------
    place
        How many attempts were handed over before it.
    started_at
        When its first report was read, in seconds by the driver's clock; None before.
    overtaken_at
        When an attempt that was handed over later was first seen to run; None before.
    node, pool
        Where it runs, and the worker pool that it runs in.
    queue
        Where it was taken from, and waits again if it fails.
    clock_offset_min_us
        By how much the clock of its node is ahead of the driver's at least, by the reports so far.
    """

    token: str
    pending: Pending
    number: int
    place: int = 0
    started_at: float | None = None
    overtaken_at: float | None = None
    node: str | None = None
    pool: str | None = None
    queue: PendingQueue = field(default_factory=PendingQueue)
    clock_offset_min_us: int | None = None

    @property
    def running(self) -> bool:
        """True if it was seen to run."""
        return self.started_at is not None

    def bound_clock(self, written_us: int, arrived_us: int) -> None:
        """Note when a report was written, by the node's clock, and when it arrived, by the driver's."""
        known = self.clock_offset_min_us
        least = written_us - arrived_us
        self.clock_offset_min_us = least if known is None else max(known, least)

    @property
    def label(self) -> str:
        """Name of the instance, for people."""
        return f"{self.pending.benchmark}/{self.pending.benchmark_index}"

    def overdue(
        self, now: float, timeout_seconds: float, longest_seconds: float, start_seconds: float = START_SECONDS
    ) -> str | None:
        """Return what is wrong if no report came for too long, or None.

        Parameters
        ----------
        now
            Seconds by the driver's clock.
        timeout_seconds
            Seconds that it may run.
        longest_seconds
            After which its supervisor has failed, from `supervisor_timeout`.
        start_seconds
            In which it starts once it was overtaken.
        """
        if self.started_at is None:
            if self.overtaken_at is None or now - self.overtaken_at <= start_seconds:
                return None
            waited = now - self.overtaken_at
            return f"not started for {waited:.0f} s, though later ones were: its worker hangs"
        if now - self.started_at <= longest_seconds + _SPARE_SECONDS:
            return None
        return (
            f"no report for {now - self.started_at:.0f} s, with a timeout of {timeout_seconds:.0f} s: "
            f"its supervisor or its node {self.node} hangs"
        )
