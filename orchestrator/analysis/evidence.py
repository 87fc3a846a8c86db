"""What the ledger proves about each benchmark of a campaign."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from db import node_descriptions
from db.events import EventKind
from db.evidence.accepted import Accepted, ObservationGroup, accepted, accepted_single_benchmark
from db.evidence.clocks import Bounds, Clocks, clocks
from db.evidence.runs import metric_ranges, run_columns
from db.reader import Reader
from db.records import Campaign as CampaignRow
from orchestrator.analysis.measured_work import measured_work
from orchestrator.analysis.node_differences import node_differences
from orchestrator.analysis.overlap import MICROSECONDS, guaranteed_overlap, peak_overlap
from orchestrator.catalog.registry import describe
from orchestrator.host.gpus import bare
from orchestrator.protocol.report import Observed
from orchestrator.rulebooks.measured_work import NodeDifferences
from orchestrator.rulebooks.measurements import (
    AcceptedRuns,
    GuaranteedOverlap,
    Measurements,
    MetricRange,
    RankFacts,
)
from orchestrator.rulebooks.registry import workload_name
from workloads.description import FOM_UNITS, broken_rules

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from db.evidence.accepted import Intervals
    from db.rows import Benchmark

    Described = tuple[list[node_descriptions.NodeDescription], dict[str, Any]]


def measurements(reader: Reader, row: CampaignRow, *, every_run: bool = False) -> list[Measurements]:
    """Return what the ledger proves about each benchmark of a campaign.

    Parameters
    ----------
    every_run
        Whether to gather counts by state, metrics and every run too, for rulebooks with ``NEEDS_RUNS``.
    """
    return measurements_of(reader, row, gather(reader, row), every_run=every_run)


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


def measurements_of(
    reader: Reader, row: CampaignRow, gathered: Gathered, *, every_run: bool = False
) -> list[Measurements]:
    """Return what gathered attempts prove about each benchmark."""
    cores_shared = reader.noted(row.campaign, EventKind.CORES_SHARED)
    states = reader.counts(row.campaign) if every_run else {}
    described = node_descriptions.read(reader, row.campaign)
    found = []
    for benchmark, attempts in gathered.benchmarks:
        name = benchmark.benchmark
        epochs = reader.lowest_metric(row.campaign, name, "epochs_run")
        details: dict[str, Any] = {}
        if every_run:
            details = {
                "states": states.get(name, {}),
                "runs": _runs(reader, row.campaign, name),
                "metrics": _metrics(reader, row.campaign, name),
            }
        found.append(
            _measurements(
                benchmark,
                attempts,
                gathered.clocks,
                described,
                run_class=row.run_class,
                fewest_epochs_run=None if epochs is None else int(epochs),
                resumed=reader.lowest_metric(row.campaign, name, "resumed_from_epoch") is not None,
                cores_shared=cores_shared,
                **details,
            )
        )
    return found


def together(intervals: Intervals) -> NDArray[np.int64]:
    """Return starts and stops of all places, shape (2, n)."""
    both: NDArray[np.int64] = np.concatenate([np.empty((0, 2), np.int64), *intervals.values()])
    return np.ascontiguousarray(both.T)


def _measurements(
    benchmark: Benchmark, found: Accepted, known: Clocks, described: Described, **facts: Any
) -> Measurements:
    """Return what the accepted attempts of one benchmark prove; `facts` are passed on as they are."""
    workload = describe(benchmark.workload)
    parameters = json.loads(benchmark.parameters)
    # The intervals that count are those that are timed: runs, or windows of timed steps.
    timed = found.runs if workload.fom_time == "run" else found.windows
    groups = found.groups
    accepted_instances = sum(one.number for one in groups)
    concurrent = peak_overlap(*together(timed))
    observed = [Observed.from_json(one.seen) for one in groups]
    data = [json.loads(text) for text in sorted({one.data or "{}" for one in groups})]
    return Measurements(
        benchmark=benchmark.benchmark,
        workload=workload_name(benchmark.workload, workload),
        parameters=parameters,
        broken_parameters=tuple(broken_rules(workload.own_rules, parameters)),
        own_target=workload.own_target,
        model_sizes=workload.sizes,
        planned=benchmark.instances,
        accepted=accepted_instances,
        concurrent=concurrent,
        guaranteed=_guaranteed(timed, known, concurrent),
        clock_contradiction_seconds=known.contradiction_us / MICROSECONDS,
        fom_unit=FOM_UNITS[workload.fom_time],
        max_seconds=_longest(groups),
        missing_times=accepted_instances - sum(one.timed for one in groups),
        makespan_seconds=_makespan_seconds(found.runs),
        min_accuracy=_lowest(groups),
        missing_accuracies=accepted_instances - sum(one.with_accuracy for one in groups),
        below_target=sum(one.below_target for one in groups),
        frameworks=frozenset(one.framework or "unknown" for one in observed),
        precisions=frozenset(map(_precision, observed)),
        versions=_versions(observed),
        synthetic_data=_synthetic(data),
        data_facts=tuple(data) if workload.data else (),
        slot_mismatches=sum(
            group.number for group, one in zip(groups, observed, strict=True) if _off_slot(group, one)
        ),
        devices_used=_devices_used(groups, observed),
        work=measured_work(
            workload, parameters, groups, observed, _node_differences(benchmark, found, described)
        ),
        largest_devices=max(map(_devices_held, groups, observed), default=0),
        by_ranks=_by_ranks(groups, observed),
        distinct_seeds=True,  # the ledger refuses a seed that another instance of the campaign has
        largest_share_of_system=json.loads(benchmark.slot).get("share_of_system"),
        **facts,
    )


def _node_differences(benchmark: Benchmark, found: Accepted, described: Described) -> NodeDifferences | None:
    several_nodes = json.loads(benchmark.slot).get("nodes", 1) > 1
    return node_differences(*described, found.runs.keys(), several_nodes=several_nodes)


def _longest(groups: Iterable[ObservationGroup]) -> float | None:
    """Return the longest FOM time, in seconds; None where no attempt has one."""
    return max((one.longest_seconds for one in groups if one.longest_seconds is not None), default=None)


def _lowest(groups: Iterable[ObservationGroup]) -> float | None:
    """Return the lowest accuracy; None where no attempt has one."""
    return min((one.lowest_accuracy for one in groups if one.lowest_accuracy is not None), default=None)


def _makespan_seconds(runs: Intervals) -> float | None:
    """Return last stop − first start of all runs, in seconds; None where no run was measured."""
    starts, stops = together(runs)
    return float(stops.max() - starts.min()) / MICROSECONDS if starts.size else None


def _precision(observed: Observed) -> str:
    """Return the arithmetic that attempts reported."""
    if observed.tensor_float32 and observed.precision == "float32":
        return "tensor_float32"
    return observed.precision or "unknown"


def _versions(observed: Iterable[Observed]) -> frozenset[str]:
    """Return the frameworks that attempts reported, with their versions."""
    return frozenset(
        f"{one.framework} {one.framework_version}" for one in observed if one.framework_version is not None
    )


def _synthetic(data: Iterable[Mapping[str, Any]]) -> bool | None:
    """Return whether any attempt read synthetic data; None where one that read none did not say."""
    reported = [one.get("synthetic") for one in data]
    if any(reported):
        return True
    return None if None in reported or not reported else False


def _given_devices(group: ObservationGroup) -> list[str]:
    """Return the devices that attempts were assigned."""
    return group.devices.split(",") if group.devices else []


def _off_slot(group: ObservationGroup, observed: Observed) -> bool:
    """Return whether attempts saw other cores or devices than those assigned, or reported none."""
    cores = tuple(sorted(map(int, group.cores.split(",")))) if group.cores else None
    return (
        cores is None
        or observed.cpuset != cores
        or sorted(map(bare, observed.gpu_names)) != sorted(map(bare, _given_devices(group)))
    )


def _devices_used(groups: Sequence[ObservationGroup], observed: Sequence[Observed]) -> bool | None:
    """Return whether all attempts proved that they computed on GPUs; None where none was assigned one."""
    if not any(map(_given_devices, groups)):
        return None
    return all(one.gpus_proven for one in observed)


def _devices_held(group: ObservationGroup, observed: Observed) -> int:
    """Return how many devices an attempt held: GPUs, or ranks where it has none."""
    return len(_given_devices(group)) or _ranks(observed)


def _ranks(observed: Observed) -> int:
    return len(observed.ranks or ()) or 1


def _by_ranks(groups: Sequence[ObservationGroup], observed: Sequence[Observed]) -> dict[int, RankFacts]:
    """Return the accepted attempts by their number of ranks."""
    sorted_out: dict[int, list[ObservationGroup]] = {}
    for group, one in zip(groups, observed, strict=True):
        sorted_out.setdefault(_ranks(one), []).append(group)
    return {
        ranks: RankFacts(sum(one.number for one in mine), _longest(mine), _lowest(mine))
        for ranks, mine in sorted(sorted_out.items())
    }


def _runs(reader: Reader, campaign: int, benchmark: str) -> AcceptedRuns:
    found = run_columns(reader, campaign, benchmark)
    return AcceptedRuns(found.start_us, found.stop_us, found.fom_seconds, found.accuracy)


def _metrics(reader: Reader, campaign: int, benchmark: str) -> dict[str, MetricRange]:
    return {name: MetricRange(*found) for name, found in metric_ranges(reader, campaign, benchmark).items()}


def _guaranteed(intervals: Intervals, known: Clocks, concurrent: int) -> GuaranteedOverlap | None:
    """Return the overlap that the bounds of the clocks guarantee; None where one clock timed everything."""
    timed = {place: times for place, times in intervals.items() if len(times)}
    if not known.nodes or not timed:
        return None
    # Attempts of one session end before the next session begins, whose driver may have another clock.
    overlap = max(
        guaranteed_overlap(
            (known.of(place).low_us, known.of(place).high_us, *times.T)
            for place, times in timed.items()
            if place[0] == session and place[1] is not None
        )
        for session in {place[0] for place in timed}
    )
    session, node = max(timed, key=lambda place: _largest_offset_us(known.of(place)))
    bounds = known.of((session, node))
    return GuaranteedOverlap(
        overlap=min(overlap, concurrent),
        node=node or "without a name",
        ahead_seconds=(_seconds(bounds.low_us), _seconds(bounds.high_us)),
    )


def _largest_offset_us(bounds: Bounds) -> float:
    """Return how far a clock may be off, in microseconds; infinity where it is unknown."""
    return math.inf if bounds.off_us is None else bounds.off_us


def _seconds(microseconds: int | None) -> float | None:
    return None if microseconds is None else microseconds / MICROSECONDS
