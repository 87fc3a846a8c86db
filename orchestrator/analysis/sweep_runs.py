"""The runs of a campaign's sweeps, from the ledger."""

from __future__ import annotations

import json

from db.reader import Reader
from orchestrator.analysis.sweep_summary import AxisValue, PointRuns
from orchestrator.catalog.registry import describe
from orchestrator.errors import CampaignError
from workloads.description import FOM_UNITS


def sweep_runs(reader: Reader, name: str, benchmark: str | None = None) -> list[PointRuns]:
    """Return the points of a campaign's sweeps with their accepted runs, in the plan's order.

    Parameters
    ----------
    benchmark
        Name of a sweep or of a point; by default all.

    Raises
    ------
    LedgerError
        If the ledger or the campaign is not there, or has no such benchmark.
    CampaignError
        If the campaign has no sweep.
    """
    campaign = reader.campaign(name).campaign_id
    sweeps = reader.sweeps(campaign)
    chosen = set(sweeps) if benchmark is None else set(reader.select_benchmarks(campaign, benchmark))
    if not chosen & set(sweeps):
        what = f"benchmark {benchmark}" if benchmark else f"campaign {name}"
        raise CampaignError(f"{what} has no sweep; a benchmark with a matrix is one")
    axes: dict[str, dict[str, AxisValue]] = {}
    for one in reader.axes(campaign):
        axes.setdefault(one.benchmark, {})[one.axis] = one.value if one.number is None else one.number
    frame = reader.instances(name, "done")
    timed = frame[frame["fom_seconds"].notna()].groupby("benchmark")["fom_seconds"].agg(tuple).to_dict()
    found = []
    for row in reader.benchmarks(campaign):
        if row.benchmark in chosen and row.benchmark in sweeps:
            slot = json.loads(row.slot)
            found.append(
                PointRuns(
                    sweep=sweeps[row.benchmark],
                    axes=axes[row.benchmark],
                    ranks=int(slot.get("ranks", 1)),
                    nodes=int(slot.get("nodes", 1)),
                    planned=row.instances,
                    seconds=tuple(map(float, timed.get(row.benchmark, ()))),
                    unit=FOM_UNITS[describe(row.workload).fom_time],
                )
            )
    return found
