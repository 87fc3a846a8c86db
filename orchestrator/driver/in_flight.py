"""An attempt in flight: handed to the engine, and not ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from db.records import Pending
from orchestrator.protocol.time_budget import supervisor_timeout

_SPARE_SECONDS = 300.0  # after its worker should have given it up
_TAKEN_SECONDS = 1800.0  # in which a worker that has taken an order starts it, however slow its disk


def note_passed(flights: Sequence[Flight], now: float) -> None:
    """Note of which one handed over later runs already, given all in the order they were handed over."""
    last = max((number for number, flight in enumerate(flights) if flight.running), default=0)
    for flight in flights[:last]:
        if not flight.running and flight.passed is None:
            flight.passed = now


@dataclass(slots=True)
class Flight:
    """What a driver knows of an attempt in flight.

    Parameters
    ----------
    pending
        Its instance.
    attempt
        Its number.
    since
        When it was seen to run, by the driver's clock; None before.
    passed
        When it was seen that one handed over later runs already; None before.
    node, pool
        Where it runs, and the worker pool that it runs in.
    """

    pending: Pending
    attempt: int
    since: float | None = None
    passed: float | None = None
    node: str | None = None
    pool: str | None = None

    @property
    def running(self) -> bool:
        """Whether it was seen to run."""
        return self.since is not None

    def overdue(self, now: float, timeout_seconds: float, gate: float, grace: float) -> str | None:
        """Return what is wrong if nothing was heard of it for too long: whoever has it hangs.

        Parameters
        ----------
        now
            By the driver's clock.
        timeout_seconds, gate, grace
            Seconds that it may run, wait at the gate, and take to end.
        """
        if self.since is None:
            if self.passed is None or now - self.passed <= _TAKEN_SECONDS:
                return None
            return f"not started for {now - self.passed:.0f} s, though later ones were: its worker hangs"
        if now - self.since <= supervisor_timeout(timeout_seconds, gate, grace) + _SPARE_SECONDS:
            return None
        return (
            f"nothing heard for {now - self.since:.0f} s, with a timeout of {timeout_seconds:.0f} s: "
            f"its supervisor or its node {self.node} hangs"
        )
