"""The runs that a roofline is drawn from, from the ledger."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from db.evidence.runs_of_campaign import accepted_metrics, accepted_observations, accepted_runs
from db.plain import RowReader
from orchestrator.analysis.roofline.achieved import Achieved, Place, achieved
from orchestrator.analysis.roofline.ceilings import ARITHMETIC, RATES, BenchmarkRuns, Roofline, roofline
from orchestrator.analysis.verdict.registered_workloads import registered_workloads
from orchestrator.errors import CampaignError
from orchestrator.protocol.foreign_load import PERCENT
from orchestrator.rulebooks import registry
from workloads.runtime.profiling import PROFILE_SECONDS

if TYPE_CHECKING:
    from db.records import CampaignRow
    from db.rows import BenchmarkRow
    from orchestrator.rulebooks.model import BenchmarkVerdict, Verdict

    _Facts = Mapping[str, Any]


def campaigns_roofline(reader: RowReader, names: Sequence[str]) -> Roofline:
    """Return the roofline of the microbenchmarks and trainings of campaigns.

    Raises
    ------
    LedgerError
        If the ledger or a campaign is not there.
    CampaignError
        If no campaign is named, one is named twice, or none has an accepted run of a microbenchmark.
    """
    if not names or len(set(names)) < len(names):
        raise CampaignError("name one campaign, or several different ones")
    found = roofline(one for name in names for one in benchmark_runs(reader, reader.campaign(name)))
    if not found.ceilings:
        *first, last = RATES
        raise CampaignError(
            f"no accepted run of {', '.join(first)} or {last} in {', '.join(names)}; launch them on the same "
            "site (orchestrator launch microbenchmarks), then name that campaign as well"
        )
    return found


def measured_roofline(reader: RowReader, campaigns: Sequence[CampaignRow]) -> Roofline | None:
    """Return the roofline of campaigns that measured ceilings and ran trainings; None of others.

    The metrics of campaigns without a microbenchmark are not read for it.
    """
    rows = [row for campaign in campaigns for row in reader.benchmarks(campaign.campaign_id)]
    if not any(row.workload in RATES for row in rows):
        return None
    found = roofline(one for campaign in campaigns for one in benchmark_runs(reader, campaign))
    return found if found.ceilings and found.trainings else None


def figure_roofline(reader: RowReader, campaigns: Sequence[CampaignRow]) -> Roofline | None:
    """Return the roofline that belongs to the figure of merit of campaigns, if their rulebook shows one."""
    shows = registry.load(campaigns[0].rulebook).shows_roofline
    return measured_roofline(reader, campaigns) if shows else None


def achieved_ratios(reader: RowReader, campaigns: Sequence[CampaignRow], verdict: Verdict) -> list[Achieved]:
    """Return what the FLOP/s that a rulebook states are of the float32 peak, and of that of their arithmetic.

    Empty for rulebooks without FLOP/s.
    """
    stated = {one.benchmark: one["flops"] for one in verdict.benchmarks if _states_flops(one)}
    runs = [one for campaign in campaigns for one in benchmark_runs(reader, campaign)] if stated else []
    found = []
    for one in runs:
        label = one.name if one.name in stated else one.name.partition("/")[2]
        if label in stated:
            types = ("float32", ARITHMETIC.get(one.precision, one.precision))
            found.append(achieved(label, one.place, one.ranks, stated[label], types))
    return found


def _states_flops(one: BenchmarkVerdict) -> bool:
    return any(figure.name == "flops" for figure in one.figures)


def benchmark_runs(reader: RowReader, campaign: CampaignRow) -> list[BenchmarkRuns]:
    """Return the accepted runs of every benchmark of a campaign."""
    rows = reader.benchmarks(campaign.campaign_id)
    workloads = registered_workloads(reader, campaign.campaign_id, rows)
    runs: dict[str, list[dict[str, float]]] = {}
    by_instance: dict[int, dict[str, float]] = {}
    for run in accepted_runs(reader, campaign.campaign_id):
        by_instance[run.instance_id] = {}
        runs.setdefault(run.benchmark, []).append(by_instance[run.instance_id])
    for instance, name, value, _ in accepted_metrics(reader, campaign.campaign_id):
        if instance in by_instance and math.isfinite(value):
            by_instance[instance][name] = value
    observed = accepted_observations(reader, campaign.campaign_id)
    return [
        _benchmark(
            f"{campaign.name}/{row.benchmark}",
            row,
            workload.name,
            [run for run in runs.get(row.benchmark, []) if PROFILE_SECONDS not in run],
            observed.get(row.benchmark, []),
        )
        for row, (workload, _) in zip(rows, workloads, strict=True)
    ]


def _benchmark(
    name: str,
    row: BenchmarkRow,
    workload: str,
    runs: Sequence[Mapping[str, float]],
    observed: Sequence[_Facts],
) -> BenchmarkRuns:
    slot, parameters = json.loads(row.slot), json.loads(row.parameters)
    asked = str(parameters.get("precision", ""))
    return BenchmarkRuns(
        name=name,
        workload=workload,
        place=Place(int(slot.get("cores", 1)), float(slot.get("gpus", 0)), _machine(observed)),
        ranks=int(slot.get("ranks", 1)),
        nodes=int(slot.get("nodes", 1)),
        precision=_stated(observed, "precision") or asked,
        runs=runs,
        memory=_stated(observed, "memory"),
        foreign_cpu_percent=max(_percents(observed), default=None),
    )


def _percents(observed: Iterable[_Facts]) -> Iterator[int]:
    """Yield the parts of their cores' time that runs lost to other processes."""
    for one in observed:
        percent = one.get(PERCENT)
        if isinstance(percent, int):
            yield percent


def _machine(observed: Iterable[_Facts]) -> str:
    """Return the kinds of GPUs that the runs opened, or the models of the CPUs where they opened none."""
    kinds = set()
    for one in observed:
        gpus = {str(gpu.get("name") or "GPU") for gpu in one.get("gpus") or () if isinstance(gpu, dict)}
        kinds.add(" + ".join(sorted(gpus)) or str(one.get("cpu_model") or ""))
    return " + ".join(sorted(kinds - {""}))


def _stated(observed: Iterable[_Facts], name: str) -> str:
    """Return what the runs observed of themselves, joined where they differ."""
    return "+".join(sorted({str(one[name]) for one in observed if one.get(name)}))
