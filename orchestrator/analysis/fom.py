"""From the ledger to the figure of merit: gathers measurements and lets the rulebook judge them."""

from __future__ import annotations

import json
from collections.abc import Sequence

from db.reader import Reader
from db.records import Campaign as CampaignRow
from orchestrator.analysis.evidence import Gathered, gather, measurements, measurements_of, together
from orchestrator.analysis.makespan import MakespanBreakdown, makespan_breakdown
from orchestrator.analysis.overlap import peak_overlap
from orchestrator.rulebooks import registry
from orchestrator.rulebooks.model import Verdict


def fom(name: str, ledger: str | None = None) -> Verdict:
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


def verdict(reader: Reader, row: CampaignRow) -> Verdict:
    """Return what a campaign's rulebook states about it."""
    book = registry.load(row.rulebook)
    return book.judge(measurements(reader, row, every_run=book.NEEDS_RUNS))


def verdict_and_makespans(reader: Reader, row: CampaignRow) -> tuple[Verdict, dict[str, MakespanBreakdown]]:
    """Return `verdict` and `makespans` with one pass over the ledger."""
    book = registry.load(row.rulebook)
    gathered = gather(reader, row)
    judged = book.judge(measurements_of(reader, row, gathered, every_run=book.NEEDS_RUNS))
    return judged, _makespans(gathered)


def makespans(reader: Reader, row: CampaignRow) -> dict[str, MakespanBreakdown]:
    """Return where the time of each benchmark went; benchmarks without an accepted attempt are left out."""
    return _makespans(gather(reader, row))


def _makespans(gathered: Sequence[Gathered]) -> dict[str, MakespanBreakdown]:
    spans = {}
    for one in gathered:
        benchmark = one.benchmark
        starts, stops = together(one.accepted.runs)
        if len(starts) and stops.max() > starts.min():
            slots = max(json.loads(benchmark.slot).get("slots", 1), peak_overlap(starts, stops))
            spans[benchmark.benchmark] = makespan_breakdown(starts, stops, slots)
    return spans
