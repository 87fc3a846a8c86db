"""Errors of a list."""

from __future__ import annotations

from orchestrator.errors import OrchestratorError


class ListingError(OrchestratorError):
    """A list cannot be built or read."""
