"""What the ledger proves about each benchmark of a campaign."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from db.events import EventKind
from db.evidence.accepted import Accepted, accepted, accepted_single_benchmark
from db.evidence.clocks import Bounds, Clocks, clocks
from db.reader import Reader
from db.records import Campaign as CampaignRow
from orchestrator.analysis.overlap import certain_overlap, peak_overlap
from orchestrator.catalog.registry import describe
from orchestrator.host.gpus import bare
from orchestrator.rulebooks.model import Certainty, Evidence, RunClass
from workloads.external.reference import is_file

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from db.evidence.accepted import Intervals
    from db.rows import Benchmark


def evidence(reader: Reader, row: CampaignRow) -> list[Evidence]:
    """Return what the ledger proves about each benchmark of a campaign."""
    return benchmark_evidence_of(reader, row, gather(reader, row))


@dataclass(frozen=True, slots=True)
class Gathered:
    """Benchmarks of a campaign, each with its accepted attempts, and the clocks that timed them."""

    benchmarks: list[tuple[Benchmark, Accepted]]
    clocks: Clocks


def gather(reader: Reader, row: CampaignRow) -> Gathered:
    """Return the accepted attempts of every benchmark of a campaign."""
    asked = [(one, one.benchmark, one.quality_minimum) for one in reader.benchmarks(row.campaign)]
    if len(asked) == 1:
        [(one, name, minimum)] = asked
        if alone := accepted_single_benchmark(reader, row.campaign, name, minimum):
            return Gathered([(one, alone[0])], alone[1])
    return Gathered(
        [(one, accepted(reader, row.campaign, name, minimum)) for one, name, minimum in asked],
        clocks(reader, row.campaign),
    )


def benchmark_evidence_of(reader: Reader, row: CampaignRow, gathered: Gathered) -> list[Evidence]:
    """Return what gathered attempts prove about each benchmark."""
    run_class = cast("RunClass", row.run_class)
    disturbed = reader.noted(row.campaign, EventKind.CORES_SHARED)
    return [
        _benchmark_evidence(
            benchmark,
            found,
            gathered.clocks,
            run_class,
            reader.lowest_metric(row.campaign, benchmark.benchmark, "epochs_run"),
            disturbed=disturbed,
            resumed=reader.lowest_metric(row.campaign, benchmark.benchmark, "resumed_from_epoch") is not None,
        )
        for benchmark, found in gathered.benchmarks
    ]


def together(intervals: Intervals) -> NDArray[np.int64]:
    """Return starts and stops of all places, shape (2, n)."""
    both: NDArray[np.int64] = np.concatenate([np.empty((0, 2), np.int64), *intervals.values()])
    return np.ascontiguousarray(both.T)


def _certainty(intervals: Intervals, known: Clocks, concurrent: int) -> Certainty | None:
    """Return what overlapped for certain; None where one clock told it all."""
    timed = {place: times for place, times in intervals.items() if len(times)}
    if not known.nodes or not timed:
        return None
    # What a session left behind is ended before the next one begins, whose driver may have another clock.
    overlap = max(
        certain_overlap(
            (known.of(place).low_us, known.of(place).high_us, *times.T)
            for place, times in timed.items()
            if place[0] == session and place[1] is not None
        )
        for session in {place[0] for place in timed}
    )
    session, node = max(timed, key=lambda place: _off(known.of(place)))
    bounds = known.of((session, node))
    return Certainty(
        overlap=min(overlap, concurrent),
        node=node or "without a name",
        ahead_seconds=(_seconds(bounds.low_us), _seconds(bounds.high_us)),
    )


def _off(bounds: Bounds) -> float:
    """Return the accepted attempts of every benchmark of a campaign."""
    return math.inf if bounds.off_us is None else bounds.off_us


def _seconds(microseconds: int | None) -> float | None:
    """Return what gathered attempts prove about each benchmark."""
    return None if microseconds is None else microseconds / 1e6


def _benchmark_evidence(
    benchmark: Benchmark,
    found: Accepted,
    known: Clocks,
    run_class: RunClass,
    fewest_epochs: float | None,
    *,
    disturbed: bool,
    resumed: bool,
) -> Evidence:
    """Return the accepted attempts of every benchmark of a campaign."""
    workload = describe(benchmark.workload)
    # What is timed is what must have run at once: the run, or the window of timed steps.
    timed = found.runs if workload.fom_time == "run" else found.windows
    concurrent = peak_overlap(*together(timed))
    parameters = json.loads(benchmark.parameters)
    alike = found.groups
    total = sum(one.number for one in alike)
    longest = [one.longest_seconds for one in alike if one.longest_seconds is not None]
    lowest = [one.lowest_accuracy for one in alike if one.lowest_accuracy is not None]
    seen = [one.seen if isinstance(one.seen, dict) else {} for one in alike]
    data = [json.loads(text) for text in sorted({one.data or "{}" for one in alike})]
    told = [one.get("synthetic") for one in data]
    devices = [one.devices.split(",") if one.devices else [] for one in alike]
    opened = [[str(gpu.get("uuid")) for gpu in one.get("gpus", [])] for one in seen]
    cores = [sorted(map(int, one.cores.split(","))) if one.cores else None for one in alike]
    return Evidence(
        benchmark=benchmark.benchmark,
        # A module of the user's is no benchmark of the suite, whatever it calls itself.
        workload=workload.name if is_file(benchmark.workload) else benchmark.workload,
        run_class=run_class,
        parameters=parameters,
        broken_parameters=tuple(workload.broken_rules(parameters)),
        planned=benchmark.instances,
        accepted=total,
        concurrent=concurrent,
        certain=_certainty(timed, known, concurrent),
        max_seconds=max(longest, default=None),
        without_seconds=total - sum(one.timed for one in alike),
        min_accuracy=min(lowest, default=None),
        without_accuracy=total - sum(one.with_accuracy for one in alike),
        below_target=sum(one.below_target for one in alike),
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
            group.number
            for group, own, one, given, used in zip(alike, cores, seen, devices, opened, strict=True)
            if own is None or one.get("cpuset") != own or sorted(map(bare, used)) != sorted(map(bare, given))
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
        distinct_seeds=True,  # the ledger takes no seed twice in a campaign
        largest_share_of_system=json.loads(benchmark.slot).get("share_of_system"),
        fewest_epochs_run=None if fewest_epochs is None else int(fewest_epochs),
        resumed=resumed,
        disturbed=disturbed,
        clocks_apart_seconds=known.contradiction_us / 1e6,
    )
