"""Readings for the page of a running campaign and its metrics, and how often each is repeated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from orchestrator.diagnostics.live_figures import live_figures
from orchestrator.monitoring.campaign_status import CampaignStatus

if TYPE_CHECKING:
    from orchestrator.analysis.live.progress import FigureSoFar
    from orchestrator.serve.ledger_source import LedgerSource

_POLL_SECONDS, _IDLE_SECONDS, _FIGURES_SECONDS = 2.0, 10.0, 60.0
_POLL_SHARE, _FIGURES_SHARE = 0.2, 0.05
"""Largest parts of the time that readings of one campaign take."""


def read_live(source: LedgerSource, name: str) -> CampaignStatus:
    """Return where a campaign stands.

    Raises
    ------
    UnknownCampaignError
        If there is none of that name.
    LedgerError
        If the ledger cannot be read now.
    """
    with source.reader() as reader:
        return CampaignStatus.read(reader, reader.campaign(name))


def read_figures(source: LedgerSource, name: str) -> list[FigureSoFar]:
    """Return the figures of merit that have a value, as of `live_figures`."""
    with source.reader() as reader:
        return live_figures(reader, reader.campaign(name))


def poll_seconds(status: CampaignStatus, took: float) -> float:
    """Return after how many seconds a campaign is read again."""
    return max(_IDLE_SECONDS if status.driver is None else _POLL_SECONDS, took / _POLL_SHARE)


def figures_seconds(_: Sequence[FigureSoFar], took: float) -> float:
    """Return after how many seconds a campaign is judged again."""
    return max(_FIGURES_SECONDS, took / _FIGURES_SHARE)


def verdict_seconds(_: object, took: float) -> float:
    """Return after how many seconds the API judges a campaign again."""
    return max(_POLL_SECONDS, took / _FIGURES_SHARE)
