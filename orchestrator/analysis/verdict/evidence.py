"""Facts that the ledger proves about each benchmark of a campaign."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from db import node_descriptions
from db.events import Event, EventKind
from db.evidence.accepted import Accepted, ObservationGroup
from db.evidence.ended import EndedGroup
from db.evidence.plan_changes import plan_changes
from db.evidence.runs import NO_RUNS, lowest_metrics, metric_columns, run_columns
from db.evidence.seeds import distinct_seeds
from db.reader import Reader
from db.records import CampaignRow
from db.states import AttemptState
from db.tables import RULE_METRICS
from orchestrator.analysis.base.overlap import MICROSECONDS, peak_overlap
from orchestrator.analysis.verdict.campaign_provenance import CampaignProvenance
from orchestrator.analysis.verdict.concurrency import (
    beside_others,
    guaranteed,
    lasting_us,
    makespan_seconds,
    most_on_a_node,
)
from orchestrator.analysis.verdict.gathering import Gathered, gather, timed_units, together
from orchestrator.analysis.verdict.mark_facts import mark_facts
from orchestrator.analysis.verdict.measured_work import measured_work
from orchestrator.analysis.verdict.node_differences import node_differences, stated_facts
from orchestrator.analysis.verdict.pools_used import pools_used
from orchestrator.analysis.verdict.shared_cores import ran_within, shared_times
from orchestrator.catalog.registered_site import registered_places
from orchestrator.host.gpus import bare
from orchestrator.protocol.report import Observed
from orchestrator.rulebooks.measured_work import NodeDifferences
from orchestrator.rulebooks.measurements import (
    AcceptedRuns,
    DataPlace,
    EndedAttempts,
    Measurements,
    PlanChanges,
    SupersededInstances,
)
from orchestrator.rulebooks.recipe import rulebook as recipe_rulebook
from orchestrator.rulebooks.recipe_file import Recipe, registered
from orchestrator.rulebooks.registry import workload_name
from workloads.description import FOM_UNITS, Workload, broken_rules
from workloads.external.reference import is_file

if TYPE_CHECKING:
    from db.rows import BenchmarkRow

    Described = tuple[list[node_descriptions.NodeDescription], dict[str, Any]]


def measurements(
    reader: Reader,
    row: CampaignRow,
    *,
    every_run: bool = False,
    metrics: Sequence[str] = (),
    node_facts: Sequence[str] = (),
) -> list[Measurements]:
    """Return what the ledger proves about each benchmark of a campaign.

    Parameters
    ----------
    every_run
        Whether to gather counts by state and every run too, for rulebooks with ``NEEDS_RUNS``.
    metrics, node_facts
        What the rulebook names in ``METRICS`` and ``NODE_FACTS``: metrics of every run, and groups of facts
        of nodes.
    """
    gathered = gather(reader, row)
    return measurements_of(reader, row, gathered, every_run=every_run, metrics=metrics, node_facts=node_facts)


def measurements_of(
    reader: Reader,
    row: CampaignRow,
    gathered: Sequence[Gathered],
    beside: Sequence[Gathered] = (),
    *,
    every_run: bool = False,
    metrics: Sequence[str] = (),
    node_facts: Sequence[str] = (),
) -> list[Measurements]:
    """Return what gathered attempts prove about each benchmark.

    Parameters
    ----------
    beside
        Benchmarks of other campaigns that are judged together with these.
    every_run, metrics, node_facts
        As for `measurements`.
    """
    shared = shared_times(reader, row.campaign_id)
    distinct = distinct_seeds(reader, row.campaign_id)
    described = node_descriptions.read(reader, row.campaign_id)
    accepted = [one.accepted for one in gathered]
    provenance = CampaignProvenance.read(reader, row.campaign_id, accepted, described)
    sites = list(reader.events(row.campaign_id, kinds=[EventKind.SITE_CHANGED]))
    places = _data_places(reader, row.campaign_id)
    changes, pools = plan_changes(reader, row.campaign_id), pools_used(reader, row)
    sweeps, found = reader.sweeps(row.campaign_id), []
    names = [one.benchmark.benchmark for one in gathered]
    epochs, resumed = (lowest_metrics(reader, row.campaign_id, names, one) for one in RULE_METRICS)
    runs = _every_run(reader, gathered, metrics, _recipes(row, sweeps, names)) if every_run else {}
    numbers_beside = beside_others(gathered, beside) if gathered else []
    for one, number_beside in zip(gathered, numbers_beside, strict=True):
        name = one.benchmark.benchmark
        facts = stated_facts(*described, one.accepted.runs.keys(), node_facts if every_run else ())
        found.append(
            _measurements(
                reader,
                one,
                described,
                beside_others=number_beside,
                run_class=row.run_class,
                sweep=sweeps.get(name),
                fewest_epochs_run=_whole(epochs.get(name)),
                resumed=name in resumed,
                distinct_seeds=distinct,
                cores_shared=ran_within(one.accepted.runs, shared),
                code=provenance.code(one.accepted.groups),
                variables=provenance.variables(one.accepted.groups),
                site_changes=tuple(event.message for event in sites),
                pools=pools.get(name, {}),
                mixed_slots=_mixed_slots(sites, name),
                data_place=places.get(sweeps.get(name, name)),
                nodes_used=len({node for _, node in one.accepted.runs}),
                superseded=SupersededInstances(**asdict(one.superseded)),
                plan_changes=PlanChanges(**changes.get(name, {})),
                node_facts=facts,
                **runs.get(name, {}),
            )
        )
    return found


def _whole(number: float | None) -> int | None:
    return None if number is None else int(number)


def _recipes(row: CampaignRow, sweeps: Mapping[str, str], names: Iterable[str]) -> dict[str, Recipe | None]:
    """Return the recipe of each benchmark; None outside of campaigns of recipes."""
    known = registered(row.campaign_yaml) if row.rulebook == recipe_rulebook.NAME else {}
    return {name: known.get(sweeps.get(name, name)) for name in names}


def _every_run(
    reader: Reader, gathered: Sequence[Gathered], metrics: Sequence[str], recipes: Mapping[str, Recipe | None]
) -> dict[str, dict[str, Any]]:
    """Return every accepted run of each benchmark, with some metrics and those of its recipe, and states."""
    if not gathered:
        return {}
    campaign = gathered[0].benchmark.campaign_id
    asked = {name: (*metrics, *(recipe.metrics if recipe else ())) for name, recipe in recipes.items()}
    names = sorted({metric for one in asked.values() for metric in one})
    columns, units = metric_columns(reader, campaign, names)
    runs, states, none = run_columns(reader, campaign), reader.counts(campaign), np.empty(0)
    found = {}
    for one in gathered:
        name = one.benchmark.benchmark
        known = columns.get(name, {})
        own = {metric: known.get(metric, none) for metric in asked[name]}
        reported = {metric: unit for metric, unit in units.get(name, {}).items() if metric in own}
        most = most_on_a_node(one.accepted.runs)
        accepted = AcceptedRuns(*runs.get(name, NO_RUNS), own, most, reported)
        found[name] = {"runs": accepted, "recipe": recipes[name], "states": states.get(name, {})}
    return found


def _measurements(reader: Reader, gathered: Gathered, described: Described, **facts: Any) -> Measurements:
    """Return what the attempts of one benchmark prove; `facts` are passed on as they are."""
    benchmark, workload, parameters = gathered.benchmark, gathered.workload, gathered.parameters
    found, known, timed = gathered.accepted, gathered.clocks, gathered.timed
    groups = found.groups
    accepted_instances = sum(one.number for one in groups)
    starts, stops = together(timed)
    lasting = lasting_us(starts, stops)
    sustained = peak_overlap(starts, stops, lasting)
    observed = [Observed.from_json(one.seen) for one in groups]
    data = [json.loads(text) for text in sorted({one.data or "{}" for one in groups})]
    place: DataPlace | None = facts.get("data_place")
    recognised = place is not None and place.generator_seed is not None
    return Measurements(
        benchmark=benchmark.benchmark,
        workload=workload_name(benchmark.workload, workload),
        program=_program(benchmark.workload, workload),
        parameters=parameters,
        broken_parameters=tuple(broken_rules(workload.own_rules, parameters)),
        own_target=workload.own_target,
        description=gathered.description,
        model_sizes=workload.sizes,
        planned=benchmark.instances,
        accepted=accepted_instances,
        concurrent=peak_overlap(starts, stops),
        sustained=sustained,
        sustained_seconds=lasting / MICROSECONDS if starts.size else None,
        guaranteed=guaranteed(timed, known, sustained, lasting),
        ended=_ended(gathered),
        clock_contradiction_seconds=known.contradiction_us / MICROSECONDS,
        fom_unit=FOM_UNITS[workload.fom_time],
        max_seconds=_longest(groups),
        process_seconds=_longest_process(groups),
        time_share=_time_share(groups),
        missing_times=accepted_instances - sum(one.timed for one in groups),
        makespan_seconds=makespan_seconds(found.runs),
        accuracy_metric=workload.accuracy_metric,
        min_accuracy=_lowest(groups),
        max_accuracy=max(
            (one.highest_accuracy for one in groups if one.highest_accuracy is not None), default=None
        ),
        missing_accuracies=accepted_instances - sum(one.with_accuracy for one in groups),
        below_target=sum(one.below_target for one in groups),
        frameworks=frozenset(one.framework or "unknown" for one in observed),
        precisions=frozenset(map(_precision, observed)),
        versions=_versions(observed),
        synthetic_data=recognised or _synthetic(data),
        data_facts=tuple(data) if workload.data else (),
        slot_mismatches=sum(
            group.number for group, one in zip(groups, observed, strict=True) if _off_slot(group, one)
        ),
        devices_used=_devices_used(groups, observed),
        marks=mark_facts(reader, gathered, observed),
        work=measured_work(
            workload, parameters, groups, observed, _node_differences(benchmark, found, described)
        ),
        largest_devices=max(map(_devices_held, groups, observed), default=0),
        ranks=frozenset(map(_ranks, observed)),
        largest_share_of_system=_largest_share(benchmark),
        **facts,
    )


def _mixed_slots(sites: Iterable[Event], benchmark: str) -> str:
    """Return how a benchmark's slot changed after instances of it were accepted; empty if it did not."""
    changes = ((one.data or {}).get("mixed", {}).get(benchmark) for one in sites)
    return "; ".join(change for change in changes if change)


def _data_places(reader: Reader, campaign_id: int) -> dict[str, DataPlace]:
    """Return where the data of each benchmark lay at launch, and whether they changed."""
    changed = {event.subject for event in reader.events(campaign_id, kinds=[EventKind.DATA_CHANGED])}
    return {
        event.subject: DataPlace(
            str(event.data.get("path", "")),
            str(event.data.get("file_system", "unknown")),
            event.data.get("generator_seed"),
            event.subject in changed,
            tuple(map(str, event.data.get("linked_file_systems", ()))),
        )
        for event in reader.events(campaign_id, kinds=[EventKind.DATA_READ])
        if event.data
    }


def _largest_share(benchmark: BenchmarkRow) -> float | None:
    """Return the share of the system that an instance takes at most, of all pools that serve it."""
    shares = (one.get("share_of_system") for one in registered_places(benchmark.slot).values())
    return max((one for one in shares if one is not None), default=None)


def _node_differences(
    benchmark: BenchmarkRow, found: Accepted, described: Described
) -> NodeDifferences | None:
    places = registered_places(benchmark.slot).values()
    several_nodes = any(one.get("nodes", 1) > 1 for one in places)
    return node_differences(*described, found.runs.keys(), several_nodes=several_nodes)


def _longest(groups: Iterable[ObservationGroup]) -> float | None:
    """Return the longest FOM time, in seconds; None where no attempt has one."""
    return max((one.longest_seconds for one in groups if one.longest_seconds is not None), default=None)


def _lowest(groups: Iterable[ObservationGroup]) -> float | None:
    """Return the lowest accuracy; None where no attempt has one."""
    return min((one.lowest_accuracy for one in groups if one.lowest_accuracy is not None), default=None)


def _program(reference: str, workload: Workload) -> str:
    """Return where a workload's program comes from."""
    if is_file(reference):
        return "external"
    return "shipped" if reference == workload.name else "module"


def _longest_process(groups: Iterable[ObservationGroup]) -> float | None:
    """Return the longest time of a whole process, in seconds; None where none was measured."""
    return _most_seconds(one.longest_process_us for one in groups)


def _time_share(groups: Sequence[ObservationGroup]) -> tuple[float, float] | None:
    """Return lowest and highest share that the stated time has in the measured interval."""
    lowest = [one.lowest_share for one in groups if one.lowest_share is not None]
    highest = [one.highest_share for one in groups if one.highest_share is not None]
    return (min(lowest), max(highest)) if lowest and highest else None


def _ended(gathered: Gathered) -> EndedAttempts:
    """Return the attempts that ended without success, their times in the unit of the FOM time."""
    groups = gathered.ended
    units = timed_units(gathered.workload, gathered.parameters)
    timed_out = [one for one in groups if one.state == AttemptState.TIMED_OUT]
    longest, cause = _longest_ended(groups, units)
    killed, cause_killed = _longest_ended([one for one in groups if one not in timed_out], units)
    shortest = [seconds for one in timed_out if (seconds := _most_seconds([one.shortest_us], units))]
    return EndedAttempts(
        outcomes={_outcome(one): one.number for one in groups},
        begun={_outcome(one): one.timed for one in groups if one.timed},
        unknown={_outcome(one): one.unknown for one in groups if one.unknown},
        longest_seconds=longest,
        longest=cause,
        longest_killed_seconds=killed,
        longest_killed=cause_killed,
        longest_process_seconds=_most_seconds(one.longest_process_us for one in groups),
        timed_out=sum(one.timed for one in timed_out),
        shortest_timed_out_seconds=min(shortest, default=None),
        most_unknown_seconds=_most_seconds(one.most_unknown_us for one in groups),
        least_unknown_seconds=_most_seconds(one.least_unknown_us for one in groups),
    )


def _longest_ended(groups: Iterable[EndedGroup], units: float | None) -> tuple[float | None, str]:
    """Return the longest timed part, in the unit of the FOM time, and the outcome of its attempt."""
    timed = [one for one in groups if one.longest_us is not None]
    longest = max(timed, key=lambda one: one.longest_us or 0, default=None)
    return (_most_seconds([longest.longest_us], units), _outcome(longest)) if longest else (None, "")


def _most_seconds(microseconds: Iterable[int | None], units: float | None = 1) -> float | None:
    """Return the longest time, in seconds for each unit; None where none, or the number, is not known."""
    known = [one for one in microseconds if one is not None]
    return max(known) / MICROSECONDS / units if known and units else None


def _outcome(group: EndedGroup) -> str:
    return f"{group.state}: {group.reason}" if group.reason else group.state


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
