"""Errors of a ledger."""

from __future__ import annotations


class LedgerError(RuntimeError):
    """The ledger cannot be used as asked; the message says what to do."""


class RefusedError(LedgerError):
    """The database is there and does not take a row; another try would end in the same way."""


class DeadlockError(LedgerError):
    """PostgreSQL undid a transaction to end a deadlock; the same transaction can be repeated at once."""


class UnknownCampaignError(LedgerError, LookupError):
    """The ledger has no campaign, or no instance, of that name."""


class CampaignExistsError(LedgerError):
    """The ledger already has a campaign of that name."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"campaign {name!r} is already in the ledger; continue it with `orchestrator resume {name}`, "
            "or start another with --name NEW"
        )


class LeaseError(LedgerError):
    """Another driver holds the campaign, or took it over."""


class SchemaError(LedgerError):
    """The ledger's tables are missing, older or newer than this program's."""
