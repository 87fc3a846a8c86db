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
from db.evidence.accepted import (
    Accepted,
    ObservationGroup,
    Question,
    accepted,
    accepted_single_benchmark,
)
from db.evidence.clocks import Bounds, Clocks, clocks
from db.evidence.ended import EndedGroup, ended_groups, ended_runs
from db.evidence.runs import metric_ranges, run_columns
from db.reader import Reader
from db.records import Campaign as CampaignRow
from orchestrator.analysis.campaign_provenance import CampaignProvenance
from orchestrator.analysis.measured_work import measured_work
from orchestrator.analysis.node_differences import node_differences
from orchestrator.analysis.overlap import MICROSECONDS, beside, guaranteed_overlap, peak_overlap
from orchestrator.catalog.registry import describe
from orchestrator.host.gpus import bare
from orchestrator.protocol.report import Observed
from orchestrator.rulebooks.common_rules import CLOCK_CONTRADICTION_SECONDS
from orchestrator.rulebooks.measured_work import NodeDifferences
from orchestrator.rulebooks.measurements import (
    SUSTAINED_SHARE,
    AcceptedRuns,
    EndedAttempts,
    GuaranteedOverlap,
    Measurements,
    MetricRange,
    RankFacts,
)
from orchestrator.rulebooks.registry import workload_name
from workloads.description import FOM_UNITS, Workload, broken_rules
from workloads.external.command import ExternalWorkload

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
    """One benchmark of a campaign with its attempts.

    Parameters
    ----------
    benchmark, workload, parameters
        Its row, the description of what it runs, and the resolved parameters.
    accepted
        Its accepted attempts.
    clocks
        The clocks that timed them.
    ended, ended_runs
        Its attempts that ended without success, and when they ran.
    """

    benchmark: Benchmark
    workload: Workload
    parameters: Mapping[str, Any]
    accepted: Accepted
    clocks: Clocks
    ended: Sequence[EndedGroup]
    ended_runs: Intervals

    @property
    def timed(self) -> Intervals:
        """The intervals that count: runs, or windows of timed steps."""
        return self.accepted.runs if self.workload.fom_time == "run" else self.accepted.windows


def gather(reader: Reader, row: CampaignRow) -> list[Gathered]:
    """Return the attempts of every benchmark of a campaign."""
    asked = [_question(one) for one in reader.benchmarks(row.campaign_id)]
    if len(asked) == 1 and (single := accepted_single_benchmark(reader, asked[0].question)):
        return [asked[0].answer(reader, *single)]
    known = clocks(reader, row.campaign_id)
    contradictory = known.contradiction_us > CLOCK_CONTRADICTION_SECONDS * MICROSECONDS
    return [
        # A clock that was set spoils the benchmarks during which it was set, and no others.
        one.answer(
            reader,
            accepted(reader, one.question),
            clocks(reader, row.campaign_id, one.question.benchmark) if contradictory else known,
        )
        for one in asked
    ]


@dataclass(frozen=True, slots=True)
class _Asked:
    benchmark: Benchmark
    workload: Workload
    parameters: Mapping[str, Any]
    question: Question

    def answer(self, reader: Reader, found: Accepted, known: Clocks) -> Gathered:
        campaign, name = self.question.campaign, self.question.benchmark
        return Gathered(
            self.benchmark,
            self.workload,
            self.parameters,
            found,
            known,
            ended_groups(reader, campaign, name, window=self.question.window),
            ended_runs(reader, campaign, name),
        )


def _question(benchmark: Benchmark) -> _Asked:
    workload = describe(benchmark.workload)
    parameters = json.loads(benchmark.parameters)
    question = Question(
        benchmark.campaign_id,
        benchmark.benchmark,
        benchmark.quality_target,
        window=workload.fom_time != "run",
        units=_timed_units(workload, parameters),
    )
    return _Asked(benchmark, workload, parameters, question)


def _timed_units(workload: Workload, parameters: Mapping[str, Any]) -> float | None:
    """Return how many batches or samples the timed interval holds; None where it is unknown."""
    if workload.fom_time == "run":
        return 1
    known = [parameters.get(name) for name in workload.timed_units]
    numbers = [one for one in known if isinstance(one, int | float)]
    return math.prod(numbers) if numbers and len(numbers) == len(known) else None


def measurements_of(
    reader: Reader, row: CampaignRow, gathered: Sequence[Gathered], *, every_run: bool = False
) -> list[Measurements]:
    """Return what gathered attempts prove about each benchmark."""
    shared = _shared_times(reader, row.campaign_id)
    provenance = CampaignProvenance.read(reader, row.campaign_id, [one.accepted for one in gathered])
    states = reader.counts(row.campaign_id) if every_run else {}
    described = node_descriptions.read(reader, row.campaign_id)
    found = []
    for one in gathered:
        name = one.benchmark.benchmark
        epochs = reader.lowest_metric(row.campaign_id, name, "epochs_run")
        details: dict[str, Any] = {}
        if every_run:
            details = {
                "states": states.get(name, {}),
                "runs": _runs(reader, row.campaign_id, name),
                "metrics": _metrics(reader, row.campaign_id, name),
            }
        found.append(
            _measurements(
                one,
                described,
                beside_others=_beside_others(one, [other for other in gathered if other is not one]),
                run_class=row.run_class,
                fewest_epochs_run=None if epochs is None else int(epochs),
                resumed=reader.lowest_metric(row.campaign_id, name, "resumed_from_epoch") is not None,
                cores_shared=_ran_within(one.accepted.runs, shared),
                code=provenance.code(one.accepted.groups),
                variables=provenance.variables(one.accepted.groups),
                **details,
            )
        )
    return found


def _shared_times(reader: Reader, campaign: int) -> list[tuple[float, float]]:
    """Return from when to when another campaign may have used the same cores, UTC microseconds."""
    open_since: dict[str, tuple[float, int]] = {}
    times = []
    for event in reader.events(campaign, kinds=[EventKind.CORES_SHARED, EventKind.CORES_FREE]):
        facts = event.data or {}
        other = str(facts.get("campaign"))
        if event.kind == EventKind.CORES_SHARED:
            # Older versions noted neither since when nor until when.
            open_since[other] = float(facts.get("since_us", -math.inf)), event.at_us
        elif other in open_since:
            times.append((open_since.pop(other)[0], float(facts.get("until_us", math.inf))))
    # A driver that died noted no end; the next session looks anew.
    begun = [one.started_us for one in reader.sessions_of(campaign)]
    for since, noted_us in open_since.values():
        later = [float(one) for one in begun if one > noted_us and since > -math.inf]
        times.append((since, min(later, default=math.inf)))
    return times


def _ran_within(runs: Intervals, times: Iterable[tuple[float, float]]) -> bool:
    """Return whether any run, or where none was measured any attempt, may have been within these times."""
    starts, stops = together(runs)
    return any(not starts.size or bool(((starts < until) & (stops > since)).any()) for since, until in times)


def together(intervals: Intervals) -> NDArray[np.int64]:
    """Return starts and stops of all places, shape (2, n)."""
    both: NDArray[np.int64] = np.concatenate([np.empty((0, 2), np.int64), *intervals.values()])
    return np.ascontiguousarray(both.T)


def _measurements(gathered: Gathered, described: Described, **facts: Any) -> Measurements:
    """Return what the attempts of one benchmark prove; `facts` are passed on as they are."""
    benchmark, workload, parameters = gathered.benchmark, gathered.workload, gathered.parameters
    found, known, timed = gathered.accepted, gathered.clocks, gathered.timed
    groups = found.groups
    accepted_instances = sum(one.number for one in groups)
    starts, stops = together(timed)
    lasting_us = int(SUSTAINED_SHARE * (stops - starts).min()) if starts.size else 0
    sustained = peak_overlap(starts, stops, lasting_us)
    observed = [Observed.from_json(one.seen) for one in groups]
    data = [json.loads(text) for text in sorted({one.data or "{}" for one in groups})]
    return Measurements(
        benchmark=benchmark.benchmark,
        workload=workload_name(benchmark.workload, workload),
        program=_program(benchmark.workload, workload),
        parameters=parameters,
        broken_parameters=tuple(broken_rules(workload.own_rules, parameters)),
        own_target=workload.own_target,
        model_sizes=workload.sizes,
        planned=benchmark.instances,
        accepted=accepted_instances,
        concurrent=peak_overlap(starts, stops),
        sustained=sustained,
        sustained_seconds=lasting_us / MICROSECONDS if starts.size else None,
        guaranteed=_guaranteed(timed, known, sustained, lasting_us),
        ended=_ended(gathered),
        clock_contradiction_seconds=known.contradiction_us / MICROSECONDS,
        fom_unit=FOM_UNITS[workload.fom_time],
        max_seconds=_longest(groups),
        process_seconds=_longest_process(groups),
        time_share=_time_share(groups),
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


def _program(reference: str, workload: Workload) -> str:
    """Return where a workload's program comes from."""
    if isinstance(workload, ExternalWorkload):
        return "external"
    return "shipped" if reference == workload.name else "module"


def _longest_process(groups: Iterable[ObservationGroup]) -> float | None:
    """Return the longest time of a whole process, in seconds; None where none was measured."""
    known = [one.longest_process_us for one in groups if one.longest_process_us is not None]
    return max(known) / MICROSECONDS if known else None


def _time_share(groups: Sequence[ObservationGroup]) -> tuple[float, float] | None:
    """Return lowest and highest share that the stated time has in the measured interval."""
    lowest = [one.lowest_share for one in groups if one.lowest_share is not None]
    highest = [one.highest_share for one in groups if one.highest_share is not None]
    return (min(lowest), max(highest)) if lowest and highest else None


def _ended(gathered: Gathered) -> EndedAttempts:
    """Return the attempts that ended without success, their times in the unit of the FOM time."""
    groups = gathered.ended
    units = _timed_units(gathered.workload, gathered.parameters)
    timed = [one for one in groups if one.longest_us is not None]
    longest = max(timed, key=lambda one: one.longest_us or 0, default=None)
    lost = [one.longest_lost_us for one in groups if one.longest_lost_us is not None]
    return EndedAttempts(
        outcomes={_outcome(one): one.number for one in groups},
        timed=sum(one.timed for one in groups),
        unknown=sum(one.lost for one in groups),
        longest_seconds=longest.longest_us / MICROSECONDS / units
        if longest is not None and longest.longest_us is not None and units
        else None,
        longest=_outcome(longest) if longest else "",
        longest_unknown_seconds=max(lost) / MICROSECONDS if lost else None,
    )


def _outcome(group: EndedGroup) -> str:
    return f"{group.state}: {group.reason}" if group.reason else group.state


def _beside_others(one: Gathered, others: Sequence[Gathered]) -> int:
    """Return how many instances were timed while another benchmark of the campaign ran, for certain."""
    running = [
        _shortened(intervals, other.clocks)
        for other in others
        for intervals in (other.accepted.runs, other.ended_runs)
    ]
    nothing = np.empty(0, np.int64)
    begun = np.concatenate([nothing, *(starts for starts, _ in running)])
    ended = np.concatenate([nothing, *(stops for _, stops in running)])
    return beside(*_shortened(one.timed, one.clocks), begun, ended)


def _shortened(intervals: Intervals, known: Clocks) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return starts and stops by the driver's clock, shortened by what its nodes' clocks leave open."""
    starts, stops = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for place, times in intervals.items():
        bounds = known.of(place)
        starts.append(times[:, 0] - (bounds.low_us or 0))
        stops.append(times[:, 1] - (bounds.high_us or 0))
    begun, ended = np.concatenate(starts), np.concatenate(stops)
    certain = ended > begun
    return begun[certain], ended[certain]


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


def _guaranteed(
    intervals: Intervals, known: Clocks, sustained: int, lasting_us: int
) -> GuaranteedOverlap | None:
    """Return the overlap that the bounds of the clocks guarantee; None where one clock timed everything."""
    timed = {place: times for place, times in intervals.items() if len(times)}
    if not known.nodes or not timed:
        return None
    # Attempts of one session end before the next session begins, whose driver may have another clock.
    overlap = max(
        guaranteed_overlap(
            (
                (known.of(place).low_us, known.of(place).high_us, *times.T)
                for place, times in timed.items()
                if place[0] == session and place[1] is not None
            ),
            lasting_us,
        )
        for session in {place[0] for place in timed}
    )
    session, node = max(timed, key=lambda place: _largest_offset_us(known.of(place)))
    bounds = known.of((session, node))
    return GuaranteedOverlap(
        overlap=min(overlap, sustained),
        node=node or "without a name",
        ahead_seconds=(_seconds(bounds.low_us), _seconds(bounds.high_us)),
    )


def _largest_offset_us(bounds: Bounds) -> float:
    """Return how far a clock may be off, in microseconds; infinity where it is unknown."""
    return math.inf if bounds.off_us is None else bounds.off_us


def _seconds(microseconds: int | None) -> float | None:
    return None if microseconds is None else microseconds / MICROSECONDS
