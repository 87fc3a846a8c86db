"""How a launch or resume ends."""

from __future__ import annotations

from enum import StrEnum


class RunOutcome(StrEnum):
    """How a launch or resume ended; all but `COMPLETE` leave a campaign that can be resumed."""

    COMPLETE = "complete"
    EXHAUSTED = "some instances exhausted"
    DRAINED = "drained"
    CANCELLED = "cancelled"
    HOPELESS = "stopped as hopeless"
    ENGINE_FAILED = "engine failed"
    LEDGER_FAILED = "ledger failed"
    TAKEN_OVER = "taken over by another driver"
    ABORTED = "aborted by an error"
