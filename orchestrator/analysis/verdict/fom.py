"""From the ledger to the figure of merit: gathers measurements and lets the rulebook judge them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from db.events import EventKind
from db.plain import RowReader
from db.records import CampaignRow
from orchestrator.analysis.base.makespan import MakespanBreakdown, makespan_breakdown
from orchestrator.analysis.base.overlap import peak_overlap
from orchestrator.analysis.verdict.evidence import measurements_of
from orchestrator.analysis.verdict.gathering import Gathered, gather, together
from orchestrator.analysis.verdict.machines import different_machines
from orchestrator.errors import CampaignError
from orchestrator.rulebooks import registry
from orchestrator.rulebooks.measurements import Measurements
from orchestrator.rulebooks.model import Verdict


@dataclass(frozen=True, slots=True)
class JudgedBenchmark:
    """One benchmark with the campaign that it is of, its attempts, and what these prove."""

    campaign: CampaignRow
    gathered: Gathered
    measurements: Measurements


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict, and what a reader of it wants to know besides.

    Parameters
    ----------
    makespans
        Where the time of each benchmark went; benchmarks without an accepted attempt are left out.
    others
        Other campaigns of the ledger under this rulebook that ran one of these workloads.
    judged
        What was judged, in the order of the verdict.
    """

    verdict: Verdict
    makespans: dict[str, MakespanBreakdown]
    others: tuple[str, ...]
    judged: tuple[JudgedBenchmark, ...]


def campaigns_named(reader: RowReader, names: Sequence[str]) -> list[CampaignRow]:
    """Return campaigns of one rulebook.

    Raises
    ------
    LedgerError
        If one is not there.
    CampaignError
        If they follow different rulebooks, one is named twice, or none is named.
    """
    if not names or len(set(names)) < len(names):
        raise CampaignError("name one campaign, or several different ones")
    rows = [reader.campaign(name) for name in names]
    if len({row.rulebook for row in rows}) > 1:
        followed = ", ".join(f"{row.name} follows {row.rulebook}" for row in rows)
        raise CampaignError(f"campaigns of different rulebooks make no figure together: {followed}")
    return rows


def judge(reader: RowReader, rows: Sequence[CampaignRow]) -> Judged:
    """Return what the rulebook of one or several campaigns states about them, with one pass over the ledger.

    Benchmarks of several campaigns are named ``campaign/benchmark``. The campaigns make one suite, whose
    benchmarks must not run beside each other, unless the rulebook has ``RANKS_CAMPAIGNS``.
    """
    book = registry.load(rows[0].rulebook)
    gathered = [gather(reader, row) for row in rows]
    found: list[JudgedBenchmark] = []
    spans: dict[str, MakespanBreakdown] = {}
    for row, mine in zip(rows, gathered, strict=True):
        others = [one for campaign in gathered if campaign is not mine for one in campaign]
        others = [] if book.ranks_campaigns else others
        prefix = f"{row.name}/" if len(rows) > 1 else ""
        measured = measurements_of(
            reader,
            row,
            mine,
            others,
            every_run=book.needs_runs,
            metrics=book.metrics,
            node_facts=book.node_facts,
        )
        found += [
            JudgedBenchmark(row, one, replace(facts, benchmark=prefix + facts.benchmark))
            for one, facts in zip(mine, measured, strict=True)
        ]
        # The slots of benchmarks that took turns were used by several: they have no slot use of their own.
        own_slots = [one for one, facts in zip(mine, measured, strict=True) if not facts.design.takes_turns]
        spans |= {prefix + name: span for name, span in _makespans(own_slots).items()}
    judged = book.judge([one.measurements for one in found])
    if len({row.site_yaml for row in rows}) > 1 and judged.headline is not None:
        sites = sorted({row.site_name for row in rows})
        different = f"the campaigns ran on different sites, or by different site files: {', '.join(sites)}"
        judged = replace(judged, reasons=(*judged.reasons, different))
    if judged.headline is not None and not book.ranks_campaigns:
        apart = different_machines(
            reader,
            [
                (one.campaign, one.gathered, one.measurements.benchmark, one.measurements.slots.pools)
                for one in found
            ],
        )
        judged = replace(judged, reasons=(*judged.reasons, *filter(None, [apart])))
    others_ran = reader.campaigns_of_workloads(rows[0].rulebook, [row.campaign_id for row in rows])
    return Judged(judged, spans, tuple(others_ran), tuple(found))


def data_read(reader: RowReader, rows: Sequence[CampaignRow]) -> dict[str, dict[str, Any]]:
    """Return path, file system and hashes of the data that each benchmark was launched with.

    Benchmarks are named as by `judge`. Campaigns that were launched before this was kept have none.
    """
    return {
        (f"{row.name}/" if len(rows) > 1 else "") + event.subject: dict(event.data or {})
        for row in rows
        for event in reader.events(row.campaign_id, kinds=(EventKind.DATA_READ,))
    }


def _makespans(gathered: Sequence[Gathered]) -> dict[str, MakespanBreakdown]:
    spans = {}
    for one in gathered:
        benchmark = one.benchmark
        starts, stops = together(one.accepted.runs)
        if starts and max(stops) > min(starts):
            slots = max(json.loads(benchmark.slot).get("slots", 1), peak_overlap(starts, stops))
            spans[benchmark.benchmark] = makespan_breakdown(starts, stops, slots)
    return spans
