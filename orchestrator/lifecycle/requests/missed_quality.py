"""Run accepted instances again that missed their accuracy: openly, as new instances with new seeds."""

from __future__ import annotations

from collections.abc import Sequence

from db.ledger import Ledger
from db.records import CampaignRow
from db.rows import BenchmarkRow
from db.writing.superseding import Missed, Replacement, missed_accuracy
from orchestrator.analysis.verdict.registered_workloads import registered_workloads
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.driver_process.identity import live_driver, may_be_alive
from orchestrator.lifecycle.requests.selection import select
from orchestrator.lifecycle.saved_rows import save_rows


def retry_missed_quality(
    name: str, selected: Sequence[str] = (), where: Sequence[str] = (), *, ledger: str | None = None
) -> list[Replacement]:
    """Plan a new instance in place of each accepted one that missed its benchmark's target.

    The old one is kept: the verdict states it, and its time still bounds the longest one. The new ones run
    with the next `orchestrator.lifecycle.resume.resume`.

    Parameters
    ----------
    selected, where
        Which instances, as of `orchestrator.lifecycle.requests.selection.select`; all by default.

    Raises
    ------
    CampaignError
        If a driver runs the campaign, a selection is wrong, or nothing of what it names missed a target.
    """
    with Ledger(ledger) as book:
        row = book.campaign(name)
        if may_be_alive(row):
            raise CampaignError(f"{name} is run by {live_driver(row) or 'a driver'}; stop it first")
        chosen = set(select(book, name, selected, where))
        missed = {
            benchmark.benchmark: below
            for benchmark in book.benchmarks(row.campaign_id)
            if (below := [one for one in _missed(book, row, benchmark) if one.instance_id in chosen])
        }
        if not missed:
            named = " ".join([*selected, *where]) or name
            raise CampaignError(
                f"{named}: nothing to run again; no accepted instance is below a quality target"
            )
        replaced = [
            one
            for benchmark, below in missed.items()
            for one in book.supersede(row.campaign_id, benchmark, below, row.lease_owner)
        ]
        save_rows(book, row)
        return replaced


def _missed(book: Ledger, row: CampaignRow, benchmark: BenchmarkRow) -> list[Missed]:
    """Return the accepted instances of a benchmark below its target; none where it has no target."""
    [(workload, _)] = registered_workloads(book, row.campaign_id, [benchmark])
    least = benchmark.quality_target
    most = workload.own_target.at_most if least is None and workload.own_target else None
    if least is None and most is None:
        return []
    return missed_accuracy(book, row.campaign_id, benchmark.benchmark, at_least=least, at_most=most)
