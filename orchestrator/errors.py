"""What can go wrong, said so that the reader knows who can mend it."""

from __future__ import annotations


class OrchestratorError(Exception):
    """Base of this package's errors; the message is one line for the user."""


class CampaignError(OrchestratorError, ValueError):
    """The campaign file, or what was asked of a campaign, is wrong; the user can mend it."""


class EngineError(OrchestratorError, RuntimeError):
    """The execution engine failed; running again may help, unless it is final."""

    def __init__(self, message: str, *, final: bool = False) -> None:
        super().__init__(message)
        self.final = final
