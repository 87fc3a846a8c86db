"""Figures of merit of what a campaign has accepted by now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.analysis.live.progress import FigureSoFar, figures_so_far
from orchestrator.diagnostics.stated_verdicts import check_verdict
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.driver_process.identity import may_be_alive

if TYPE_CHECKING:
    from db.reader import Reader
    from db.records import CampaignRow
    from orchestrator.rulebooks.model import Verdict


def live_figures(reader: Reader, row: CampaignRow) -> list[FigureSoFar]:
    """Return the figures of merit that have a value; none while the campaign cannot be judged.

    Raises
    ------
    LedgerError
        If the ledger cannot be read now.
    """

    def check(verdict: Verdict) -> Verdict:
        return check_verdict(reader, [row], verdict).verdict

    ended = row.outcome is not None and not may_be_alive(row)
    try:
        figures = figures_so_far(reader, row, check if ended else None)
    except CampaignError:
        return []
    return [figure for figure in figures if figure.value is not None]
