"""Errors, by who can correct their cause: the user, or a new engine."""

from __future__ import annotations


class OrchestratorError(Exception):
    """Base of this package's errors; the message is one line for the user."""


class CampaignError(OrchestratorError, ValueError):
    """The campaign file, or what was asked of a campaign, is wrong; the user can correct it."""


class EngineError(OrchestratorError, RuntimeError):
    """The execution engine failed; if the failure is transient, a new engine may succeed."""

    def __init__(self, message: str, *, transient: bool = True) -> None:
        super().__init__(message)
        self.transient = transient


class AllocationEndedError(OrchestratorError):
    """The allocation that the driver uses has no time left for what waits; its message names it."""


class BudgetTooSmallError(OrchestratorError):
    """The rest of a campaign's budget pays for no block in which an instance fits."""


class RulebookError(OrchestratorError, ValueError):
    """A rulebook does not exist, or cannot be loaded."""
