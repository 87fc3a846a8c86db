"""An attempt in flight: handed to the engine, and not ended."""

from __future__ import annotations

from dataclasses import dataclass

from db.records import Pending

_SPARE_SECONDS = 300.0  # after its supervisor should have ended it


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
    node
        Where it runs.
    """

    pending: Pending
    attempt: int
    since: float | None = None
    node: str | None = None

    @property
    def running(self) -> bool:
        """Whether it was seen to run."""
        return self.since is not None

    def overdue(self, now: float, timeout_seconds: float, pauses_seconds: float) -> str | None:
        """Return what is wrong if nothing was heard of it long after its own timeout: who watches it hangs.

        Parameters
        ----------
        pauses_seconds
            How much longer than its timeout it may take: to wait at the gate, to be ended.
        """
        if self.since is None or now - self.since <= timeout_seconds + pauses_seconds + _SPARE_SECONDS:
            return None
        return (
            f"nothing heard for {now - self.since:.0f} s, with a timeout of {timeout_seconds:.0f} s: "
            f"its supervisor or its node {self.node} hangs"
        )
