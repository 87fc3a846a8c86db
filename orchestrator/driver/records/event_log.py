"""Writes the driver's decisions as log lines and as events in the ledger."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from db.events import EventKind
from orchestrator.driver.records.ledger_writer import LedgerWriter

_log = logging.getLogger(__name__)


class EventLog:
    """Records decisions: at once in the log, and with the next flush in the ledger."""

    def __init__(self, writer: LedgerWriter, now_us: Callable[[], int]) -> None:
        self._writer = writer
        self._now_us = now_us

    def record(
        self,
        kind: EventKind,
        message: str,
        *,
        subject: str = "",
        level: int = logging.INFO,
        data: Mapping[str, Any] | None = None,
    ) -> None:
        """Record a decision.

        Parameters
        ----------
        subject
            The node, block, worker pool, wave or instance that it concerns; empty for the campaign.
        """
        _log.log(level, "%s", message)
        self._writer.note(kind, message, subject=subject, at_us=self._now_us(), data=data)
