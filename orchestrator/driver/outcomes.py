"""How a launch or resume ends."""

from __future__ import annotations

from enum import StrEnum


class RunOutcome(StrEnum):
    """How a launch or resume ended; all but `COMPLETE` leave a campaign that can be resumed."""

    COMPLETE = "complete"
    """Every instance has an accepted attempt, but for those that a user cancelled."""
    EXHAUSTED = "exhausted"
    """Every instance ended, some of them out of retries."""
    DRAINED = "drained"
    """A stop was requested, or benchmarks are paused, and what ran has finished."""
    CANCELLED = "cancelled"
    """A stop was requested, and what ran was ended."""
    HOPELESS = "aborted_after_failures"
    """Only failures came, and going on would only have cost node-hours."""
    ENGINE_FAILED = "engine_failed"
    """The engine could not be restarted."""
    LEDGER_FAILED = "ledger_failed"
    """The ledger could not be written for too long; the journals have what it lacks."""
    TAKEN_OVER = "lease_lost"
    """Another driver runs the campaign now."""
    ABORTED = "aborted"
    """An error ended the driver."""
