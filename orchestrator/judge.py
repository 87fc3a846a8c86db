"""From the ledger to the figure of merit: gathers evidence and lets the rulebook judge it."""

from __future__ import annotations

import json
import math
from typing import Any, cast

import numpy as np

from db.reader import Reader
from db.records import Campaign as CampaignRow
from orchestrator import rulebooks
from orchestrator.concurrency import MakespanBreakdown, makespan_breakdown, peak_overlap
from orchestrator.gpus import bare
from orchestrator.rulebooks import Evidence, RunClass, SuiteFom
from workloads import describe
from workloads.external.file import is_file

SHARED_CORES = "shared cores"
"""Kind of the event that another campaign used the cores of this one."""


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
    return rulebooks.load(row.rulebook).judge(evidence(reader, row))


def evidence(reader: Reader, row: CampaignRow) -> list[Evidence]:
    """Return what the ledger proves about each benchmark of a campaign."""
    run_class = cast("RunClass", row.run_class)
    disturbed = reader.noted(row.campaign, SHARED_CORES)
    return [
        _benchmark_evidence(
            benchmark,
            reader.accepted(row.campaign, benchmark.benchmark),
            run_class,
            reader.lowest_metric(row.campaign, benchmark.benchmark, "epochs_run"),
            disturbed=disturbed,
            resumed=reader.lowest_metric(row.campaign, benchmark.benchmark, "resumed_from_epoch") is not None,
        )
        for benchmark in reader.benchmarks(row.campaign)
    ]


def makespans(reader: Reader, row: CampaignRow) -> dict[str, MakespanBreakdown]:
    """Return where the time of each benchmark went; benchmarks without an accepted attempt are left out."""
    found = {}
    for benchmark in reader.benchmarks(row.campaign):
        starts, stops = _intervals(reader.accepted(row.campaign, benchmark.benchmark))
        if len(starts) and stops.max() > starts.min():
            slots = max(json.loads(benchmark.slot).get("slots", 1), peak_overlap(starts, stops))
            found[benchmark.benchmark] = makespan_breakdown(starts, stops, slots)
    return found


def _benchmark_evidence(
    benchmark: Any,
    accepted: list[Any],
    run_class: RunClass,
    fewest_epochs: float | None,
    *,
    disturbed: bool,
    resumed: bool,
) -> Evidence:
    workload = describe(benchmark.workload)
    parameters = json.loads(benchmark.parameters)
    seconds = [row.fom_seconds for row in accepted if _finite(row.fom_seconds)]
    accuracies = [row.accuracy for row in accepted if _finite(row.accuracy)]
    seen = [json.loads(row.seen or "{}") for row in accepted]
    data = [json.loads(row.data or "{}") for row in accepted]
    told = [one.get("synthetic") for one in data]
    devices = [row.devices.split(",") if row.devices else [] for row in accepted]
    opened = [[str(gpu.get("uuid")) for gpu in one.get("gpus", [])] for one in seen]
    cores = [sorted(map(int, row.cores.split(","))) if row.cores else None for row in accepted]
    quality = benchmark.quality_minimum
    return Evidence(
        benchmark=benchmark.benchmark,
        # A module of the user's is no benchmark of the suite, whatever it calls itself.
        workload=workload.name if is_file(benchmark.workload) else benchmark.workload,
        run_class=run_class,
        parameters=parameters,
        broken_parameters=tuple(workload.broken_rules(parameters)),
        planned=benchmark.instances,
        accepted=len(accepted),
        # What is timed is what must have run at once: the run, or the window of timed steps.
        concurrent=peak_overlap(*_intervals(accepted, "run" if workload.fom_time == "run" else "window")),
        max_seconds=max(seconds, default=None),
        without_seconds=len(accepted) - len(seconds),
        min_accuracy=min(accuracies, default=None),
        without_accuracy=len(accepted) - len(accuracies),
        below_target=0 if quality is None else sum(value < quality for value in accuracies),
        frameworks=frozenset(str(one.get("framework", "unknown")) for one in seen),
        precisions=frozenset(
            "tensor_float32"
            if one.get("tensor_float32") and one.get("precision") == "float32"
            else str(one.get("precision", "unknown"))
            for one in seen
        ),
        versions=frozenset(
            f"{one['framework']} {one['framework_version']}" for one in seen if "framework_version" in one
        ),
        # One instance that did not say where its data came from leaves the question open.
        synthetic_data=True if any(told) else None if None in told or not told else False,
        other_data_sizes=tuple(
            dict.fromkeys(text for one in data for text in workload.data.other_sizes(one))
            if workload.data
            else ()
        ),
        slot_mismatches=sum(
            own is None or one.get("cpuset") != own or sorted(map(bare, found)) != sorted(map(bare, given))
            for own, one, given, found in zip(cores, seen, devices, opened, strict=True)
        ),
        devices_used=all(
            one.get("gpus") and all(gpu.get("proven", True) for gpu in one["gpus"]) for one in seen
        )
        if any(devices)
        else None,
        largest_devices=max(
            (len(given) or len(one.get("ranks", "1")) for given, one in zip(devices, seen, strict=True)),
            default=0,
        ),
        distinct_seeds=len({row.seed for row in accepted}) == len(accepted),
        largest_share_of_system=json.loads(benchmark.slot).get("share_of_system"),
        fewest_epochs_run=None if fewest_epochs is None else int(fewest_epochs),
        resumed=resumed,
        disturbed=disturbed,
    )


def _intervals(accepted: list[Any], what: str = "run") -> tuple[Any, Any]:
    """Return starts and stops of runs or windows, microseconds, as two int64 arrays of shape (n,)."""
    pairs = [(getattr(row, f"{what}_start_us"), getattr(row, f"{what}_stop_us")) for row in accepted]
    times = np.array([pair for pair in pairs if all(pair)], dtype=np.int64).reshape(-1, 2)
    return times[:, 0], times[:, 1]


def _finite(value: float | None) -> bool:
    return value is not None and math.isfinite(value)
