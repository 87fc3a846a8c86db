"""The runs of a campaign's sweeps, from the ledger."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import TYPE_CHECKING, Any

from db.evidence.runs_of_campaign import accepted_metrics, accepted_runs, unaccepted
from db.plain import RowReader
from db.states import InstanceState
from orchestrator.analysis.study.sweep_summary import AxisValue, PointRuns
from orchestrator.analysis.verdict.registered_workloads import registered_descriptions, registered_workloads
from orchestrator.errors import CampaignError
from workloads.description import FOM_UNITS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from db.reader import Reader
    from db.rows import BenchmarkRow

    _Measured = Mapping[int, Mapping[str, tuple[float, str]]]

_RESUMED = "resumed_from_epoch"  # a metric of runs that are shorter than a whole one
_SLOWEST = "_of_slowest_rank"
_PER_RANK = {
    "power_mean_watts": "power_per_rank_watts",
    "energy_joules": "energy_per_rank_joules",
    "gpu_energy_joules": "gpu_energy_per_rank_joules",
}


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
    return runs_of_points(reader, campaign, chosen & set(sweeps))


def runs_of_points(reader: RowReader, campaign_id: int, chosen: Collection[str]) -> list[PointRuns]:
    """Return benchmarks with their accepted runs, in the plan's order; one without a matrix has no axes."""
    sweeps = reader.sweeps(campaign_id)
    axes: dict[str, dict[str, AxisValue]] = {}
    for one in reader.axes(campaign_id):
        axes.setdefault(one.benchmark, {})[one.axis] = one.value if one.number is None else one.number
    counts = reader.counts(campaign_id)
    rows = [
        row
        for row in reader.benchmarks(campaign_id)
        if row.benchmark in chosen and counts.get(row.benchmark, {}).keys() != {InstanceState.PRUNED}
    ]
    workloads = registered_workloads(reader, campaign_id, rows)
    described = registered_descriptions(reader, campaign_id)
    runs: dict[str, list[Any]] = {}
    for run in accepted_runs(reader, campaign_id):
        runs.setdefault(run.benchmark, []).append(run)
    measured = _metrics_of_instances(accepted_metrics(reader, campaign_id))
    absent = unaccepted(reader, campaign_id)
    return [
        _point(
            row,
            sweeps.get(row.benchmark, row.benchmark),
            axes.get(row.benchmark, {}),
            FOM_UNITS[workload.fom_time],
            described.get(row.benchmark),
            runs.get(row.benchmark, []),
            measured,
            absent.get(row.benchmark, {}),
        )
        for row, (workload, _) in zip(rows, workloads, strict=True)
    ]


def _point(
    row: BenchmarkRow,
    sweep: str,
    axes: dict[str, AxisValue],
    unit: str,
    description: Any,
    runs: list[Any],
    measured: _Measured,
    absent: Mapping[str, int],
) -> PointRuns:
    slot, parameters = json.loads(row.slot), json.loads(row.parameters)
    whole = [run for run in runs if _RESUMED not in measured.get(run.instance_id, ())]
    timed = [run for run in whole if _known(run.fom_seconds)]
    missing = Counter(absent)
    missing["resumed from a checkpoint"] += len(runs) - len(whole)
    missing["without a time"] += len(whole) - len(timed)
    return PointRuns(
        sweep=sweep,
        axes=axes,
        ranks=int(slot.get("ranks", 1)),
        nodes=int(slot.get("nodes", 1)),
        planned=row.instances - missing.pop("cancelled", 0) - missing.pop("not needed", 0),
        seconds=tuple(float(run.fom_seconds) for run in timed),
        unit=unit,
        benchmark=row.benchmark,
        workload=row.workload,
        parameters=parameters,
        changed=_changed(parameters, description),
        data=_data(timed[0].data_facts, description) if timed and timed[0].data_facts else {},
        missing={why: number for why, number in missing.items() if number},
        metrics=_gathered(timed, measured, int(slot.get("ranks", 1))),
    )


def _data(facts: str, description: Any) -> dict[str, Any]:
    """Return facts of the data; those of a workload that reads no files are never called synthetic."""
    found: dict[str, Any] = json.loads(facts)
    if description is not None and not description.get("description", {}).get("data_files"):
        found.pop("synthetic", None)
    return found


def _changed(parameters: dict[str, Any], description: Any) -> dict[str, Any]:
    """Return the parameters that are not the defaults of a registered description."""
    known = (description or {}).get("description", {}).get("parameters", ())
    defaults = {one["name"]: one["default"] for one in known}
    return {name: value for name, value in parameters.items() if value != defaults.get(name, value)}


def _metrics_of_instances(rows: Iterable[Any]) -> _Measured:
    """Return value and unit of each metric by instance.

    A phase has the seconds of its slowest rank, where several ranks were timed, and not those of rank 0.
    """
    found: dict[int, dict[str, tuple[float, str]]] = {}
    for instance, name, value, unit in rows:
        found.setdefault(instance, {})[name] = (value, unit)
    for metrics in found.values():
        for name in [one for one in metrics if one.endswith(_SLOWEST)]:
            metrics[name.removesuffix(_SLOWEST)] = metrics.pop(name)
    return found


def _gathered(
    runs: Iterable[Any], measured: _Measured, ranks: int
) -> dict[str, tuple[str, tuple[float, ...]]]:
    """Return unit and values of each metric over runs, with those that are not kept as metrics.

    They are the accuracy, the time from the start of the process to that of the run, and power and energy of
    one rank, in all and of its GPUs. A metric whose unit differs between runs is left out.
    """
    found: dict[str, tuple[str, list[float]]] = {}
    units: dict[str, set[str]] = {}
    for run in runs:
        metrics = dict(measured.get(run.instance_id, {}))
        if _known(run.accuracy):
            metrics["accuracy"] = run.accuracy, ""
        if run.process_start_us and run.run_start_us:
            metrics["start_up_seconds"] = (run.run_start_us - run.process_start_us) / 1e6, "s"
        for whole, of_rank in _PER_RANK.items():
            if whole in metrics:
                metrics[of_rank] = metrics[whole][0] / ranks, metrics[whole][1]
        energy, power, of_gpus = (
            metrics.get(name, (0.0, ""))[0]
            for name in ("energy_joules", "power_mean_watts", "gpu_energy_joules")
        )
        if energy > 0 and of_gpus:  # energy ÷ power is the time over which both were measured
            metrics["gpu_power_per_rank_watts"] = of_gpus * power / energy / ranks, "W"
        for name, (value, unit) in metrics.items():
            if math.isfinite(value):
                found.setdefault(name, (unit, []))[1].append(value)
                units.setdefault(name, set()).add(unit)
    return {name: (unit, tuple(values)) for name, (unit, values) in found.items() if len(units[name]) == 1}


def _known(value: float | None) -> bool:
    return value is not None and math.isfinite(value)
