"""From the ledger to the figure of merit: gathers evidence and lets the rulebook judge it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from db.reader import Reader
from db.records import Campaign as CampaignRow
from orchestrator.analysis.evidence import Gathered, benchmark_evidence_of, evidence, gather, together
from orchestrator.analysis.makespan import MakespanBreakdown, makespan_breakdown
from orchestrator.analysis.overlap import peak_overlap
from orchestrator.rulebooks import registry
from orchestrator.rulebooks.model import SuiteFom

if TYPE_CHECKING:
    pass


def fom(name: str, ledger: str | None = None) -> SuiteFom:
    """Return the figure of merit of a campaign, with every rule that it keeps or breaks.

    Parameters
    ----------
    name
        Campaign.
    ledger
        Ledger URL; by default the environment's, else the default file.

    Raises
    ------
    LedgerError
        If the ledger or the campaign is not there.
    """
    with Reader(ledger) as reader:
        return verdict(reader, reader.campaign(name))


def verdict(reader: Reader, row: CampaignRow) -> SuiteFom:
    """Return what a campaign's rulebook says of it."""
    return registry.load(row.rulebook).judge(evidence(reader, row))


def verdict_and_makespans(reader: Reader, row: CampaignRow) -> tuple[SuiteFom, dict[str, MakespanBreakdown]]:
    """Return `verdict` and `makespans`; the ledger is asked once for both."""
    gathered = gather(reader, row)
    judged = registry.load(row.rulebook).judge(benchmark_evidence_of(reader, row, gathered))
    return judged, _makespans(gathered)


def makespans(reader: Reader, row: CampaignRow) -> dict[str, MakespanBreakdown]:
    """Return where the time of each benchmark went; benchmarks without an accepted attempt are left out."""
    return _makespans(gather(reader, row))


def _makespans(gathered: Gathered) -> dict[str, MakespanBreakdown]:
    spans = {}
    for benchmark, found in gathered.benchmarks:
        starts, stops = together(found.runs)
        if len(starts) and stops.max() > starts.min():
            slots = max(json.loads(benchmark.slot).get("slots", 1), peak_overlap(starts, stops))
            spans[benchmark.benchmark] = makespan_breakdown(starts, stops, slots)
    return spans
