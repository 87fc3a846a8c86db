"""Readings for the page of a running campaign and its metrics, and how often each is repeated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from orchestrator.analysis.live.progress import FigureSoFar, figures_so_far
from orchestrator.diagnostics.stated_verdicts import check_verdict
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.driver_process.identity import may_be_alive
from orchestrator.monitoring.campaign_status import CampaignStatus

if TYPE_CHECKING:
    from orchestrator.rulebooks.model import Verdict
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
    """Return the figures of merit of what is accepted by now, those that have a value.

    Raises
    ------
    LedgerError
        If the ledger cannot be read now.
    """
    with source.reader() as reader:
        try:
            row = reader.campaign(name)
            ended = row.outcome is not None and not may_be_alive(row)

            def check(verdict: Verdict) -> Verdict:
                return check_verdict(reader, [row], verdict).verdict

            figures = figures_so_far(reader, row, check if ended else None)
        except CampaignError:  # it cannot be judged yet
            return []
    return [figure for figure in figures if figure.value is not None]


def poll_seconds(status: CampaignStatus, took: float) -> float:
    """Return after how many seconds a campaign is read again."""
    return max(_IDLE_SECONDS if status.driver is None else _POLL_SECONDS, took / _POLL_SHARE)


def figures_seconds(_: Sequence[FigureSoFar], took: float) -> float:
    """Return after how many seconds a campaign is judged again."""
    return max(_FIGURES_SECONDS, took / _FIGURES_SHARE)


def verdict_seconds(_: object, took: float) -> float:
    """Return after how many seconds the API judges a campaign again."""
    return max(_POLL_SECONDS, took / _FIGURES_SHARE)
