"""Run accepted instances again that missed their accuracy: openly, as new instances with new seeds."""

from __future__ import annotations

from collections.abc import Sequence

from db.ledger import Ledger
from db.records import Campaign
from db.rows import Benchmark
from db.superseding import Missed, Replacement, missed_accuracy
from orchestrator.analysis.registered_workloads import registered_workloads
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.driver_identity import live_driver, may_be_alive


def retry_missed_quality(
    name: str, selected: Sequence[str], *, ledger: str | None = None
) -> list[Replacement]:
    """Plan a new instance in place of each accepted one that missed its benchmark's target.

    The old one is kept: the verdict states it, and its time still bounds the longest one. The new ones run
    with the next `orchestrator.lifecycle.resume.resume`.

    Parameters
    ----------
    selected
        Benchmarks, or instances such as ``p1b1/3``.

    Raises
    ------
    CampaignError
        If a driver runs the campaign, nothing of what is selected missed a target, or it has none.
    """
    with Ledger(ledger) as book:
        row = book.campaign(name)
        if may_be_alive(row):
            raise CampaignError(f"{name} is run by {live_driver(row) or 'a driver'}; stop it first")
        rows = book.benchmarks(row.campaign_id)
        chosen: dict[str, list[Missed]] = {}
        for label in dict.fromkeys(selected):
            benchmark, _, number = label.partition("/")
            below = _missed(book, row, rows, benchmark)
            wanted = [one for one in below if not number or one.label == label]
            if not wanted:
                raise CampaignError(
                    f"{label}: nothing to run again; no accepted instance is below its target"
                )
            mine = chosen.setdefault(benchmark, [])
            mine += [one for one in wanted if one not in mine]
        return [
            one
            for benchmark, missed in chosen.items()
            for one in book.supersede(row.campaign_id, benchmark, missed, row.lease_owner)
        ]


def _missed(book: Ledger, row: Campaign, rows: Sequence[Benchmark], benchmark: str) -> list[Missed]:
    found = next((one for one in rows if one.benchmark == benchmark), None)
    if found is None:
        known = ", ".join(one.benchmark for one in rows)
        raise CampaignError(f"{row.name} has no benchmark {benchmark!r}; it has {known}")
    [(workload, _)] = registered_workloads(book, row.campaign_id, [found])
    least = found.quality_target
    most = workload.own_target.at_most if least is None and workload.own_target else None
    if least is None and most is None:
        raise CampaignError(f"{benchmark} has no quality target, so that no instance can miss it")
    return missed_accuracy(book, row.campaign_id, benchmark, at_least=least, at_most=most)
