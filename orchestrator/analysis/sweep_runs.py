"""The runs of a campaign's sweeps, from the ledger."""

from __future__ import annotations

import json
import math

from db.evidence.runs import run_columns
from db.reader import Reader
from orchestrator.analysis.registered_workloads import registered_workloads
from orchestrator.analysis.sweep_summary import AxisValue, PointRuns
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
    rows = [row for row in reader.benchmarks(campaign) if row.benchmark in chosen]
    workloads = registered_workloads(reader, campaign, rows)
    units = {row.benchmark: FOM_UNITS[one.fom_time] for row, (one, _) in zip(rows, workloads, strict=True)}
    found = []
    for row in rows:
        if row.benchmark in sweeps:
            slot = json.loads(row.slot)
            _, _, seconds, _ = run_columns(reader, campaign, row.benchmark)
            found.append(
                PointRuns(
                    sweep=sweeps[row.benchmark],
                    axes=axes[row.benchmark],
                    ranks=int(slot.get("ranks", 1)),
                    nodes=int(slot.get("nodes", 1)),
                    planned=row.instances,
                    seconds=tuple(float(one) for one in seconds if not math.isnan(one)),
                    unit=units[row.benchmark],
                )
            )
    return found
