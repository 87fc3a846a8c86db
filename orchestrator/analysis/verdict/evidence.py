"""Facts that the ledger proves about each benchmark of a campaign."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from db.columns import RULE_METRICS
from db.events import SITE_CHANGES, EventKind
from db.evidence.accepted import Accepted
from db.evidence.ended import EndedGroup
from db.evidence.plan_changes import plan_changes
from db.evidence.runs import NO_RUNS, lowest_metrics, metric_columns, run_columns
from db.evidence.seeds import distinct_seeds
from db.plain import RowReader
from db.queries import node_descriptions
from db.records import CampaignRow
from db.states import AttemptState
from orchestrator.analysis.verdict import fact_groups
from orchestrator.analysis.verdict.campaign_provenance import CampaignProvenance
from orchestrator.analysis.verdict.concurrency import (
    beside_others,
    most_on_a_node,
)
from orchestrator.analysis.verdict.design_facts import design_facts
from orchestrator.analysis.verdict.fact_groups import most_seconds
from orchestrator.analysis.verdict.gathering import Gathered, gather, timed_units
from orchestrator.analysis.verdict.mark_facts import mark_facts
from orchestrator.analysis.verdict.measured_work import measured_work
from orchestrator.analysis.verdict.node_differences import node_differences, stated_facts
from orchestrator.analysis.verdict.pools_used import pools_used
from orchestrator.analysis.verdict.shared_cores import ran_within, shared_times
from orchestrator.catalog.registered_site import registered_places
from orchestrator.rulebooks.accepted_facts import DataPlace, ProvenanceFacts
from orchestrator.rulebooks.measured_work import NodeDifferences
from orchestrator.rulebooks.measurements import (
    AcceptedRuns,
    EndedAttempts,
    Measurements,
    PlanChanges,
    SupersededInstances,
)
from orchestrator.rulebooks.recipe import rulebook as recipe_rulebook
from orchestrator.rulebooks.recipe_file import Recipe, registered
from orchestrator.rulebooks.registry import workload_name
from workloads.description import Workload, broken_rules
from workloads.external.reference import is_file

if TYPE_CHECKING:
    from db.rows import BenchmarkRow

    Described = tuple[list[node_descriptions.NodeDescription], dict[str, Any]]


def measurements(
    reader: RowReader,
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
    reader: RowReader,
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
    sites = list(reader.events(row.campaign_id, kinds=SITE_CHANGES))
    places = _data_places(reader, row.campaign_id)
    changes, pools = plan_changes(reader, row.campaign_id), pools_used(reader, row)
    sweeps, found = reader.sweeps(row.campaign_id), []
    names = [one.benchmark.benchmark for one in gathered]
    designs = design_facts(reader, row.campaign_id, [one.benchmark for one in gathered])
    epochs, resumed = lowest_metrics(reader, row.campaign_id, RULE_METRICS).values()
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
                times=fact_groups.times(one, resumed=name in resumed),
                overlap=fact_groups.overlap(one, number_beside),
                slots=fact_groups.slots(
                    one,
                    cores_shared=ran_within(one.accepted.runs, shared),
                    sites=sites,
                    pools=pools.get(name, {}),
                ),
                data=fact_groups.data(one, places.get(sweeps.get(name, name))),
                provenance=ProvenanceFacts(
                    description=one.description,
                    code=provenance.code(one.accepted.groups),
                    variables=provenance.variables(one.accepted.groups),
                ),
                run_class=row.run_class,
                sweep=sweeps.get(name),
                fewest_epochs_run=_whole(epochs.get(name)),
                distinct_seeds=distinct,
                superseded=SupersededInstances(**asdict(one.superseded)),
                plan_changes=PlanChanges(**changes.get(name, {})),
                design=designs[name],
                planned=one.benchmark.instances - designs[name].not_needed,
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
    reader: RowReader,
    gathered: Sequence[Gathered],
    metrics: Sequence[str],
    recipes: Mapping[str, Recipe | None],
) -> dict[str, dict[str, Any]]:
    """Return every accepted run of each benchmark, with some metrics and those of its recipe, and states."""
    if not gathered:
        return {}
    campaign = gathered[0].benchmark.campaign_id
    asked = {name: (*metrics, *(recipe.metrics if recipe else ())) for name, recipe in recipes.items()}
    names = sorted({metric for one in asked.values() for metric in one})
    columns, units = metric_columns(reader, campaign, names)
    runs, states = run_columns(reader, campaign), reader.counts(campaign)
    found = {}
    for one in gathered:
        name = one.benchmark.benchmark
        known = columns.get(name, {})
        own = {metric: known.get(metric, ()) for metric in asked[name]}
        reported = {metric: unit for metric, unit in units.get(name, {}).items() if metric in own}
        most = most_on_a_node(one.accepted.runs)
        accepted = AcceptedRuns(*runs.get(name, NO_RUNS), own, most, reported)
        found[name] = {"runs": accepted, "recipe": recipes[name], "states": states.get(name, {})}
    return found


def _measurements(reader: RowReader, gathered: Gathered, described: Described, **facts: Any) -> Measurements:
    """Return what the attempts of one benchmark prove; `facts` are passed on as they are."""
    benchmark, workload, parameters = gathered.benchmark, gathered.workload, gathered.parameters
    groups, observed = gathered.accepted.groups, fact_groups.observations(gathered)
    differences = _node_differences(benchmark, gathered.accepted, described)
    return Measurements(
        benchmark=benchmark.benchmark,
        workload=workload_name(benchmark.workload, workload),
        program=_program(benchmark.workload, workload),
        parameters=parameters,
        broken_parameters=tuple(broken_rules(workload.own_rules, parameters)),
        own_target=workload.own_target,
        accepted=fact_groups.number(groups),
        accuracy=fact_groups.accuracy(gathered),
        software=fact_groups.software(observed),
        ended=_ended(gathered),
        marks=mark_facts(reader, gathered, observed),
        work=measured_work(workload, parameters, groups, observed, differences),
        **facts,
    )


def _data_places(reader: RowReader, campaign_id: int) -> dict[str, DataPlace]:
    """Return where the data of each benchmark lay at launch, and whether they changed."""
    changed = {event.subject for event in reader.events(campaign_id, kinds=[EventKind.DATA_CHANGED])}
    return {
        event.subject: DataPlace(
            str(event.data.get("path", "")),
            str(event.data.get("file_system", "unknown")),
            event.data.get("generator_seed"),
            event.subject in changed,
            tuple(map(str, event.data.get("linked_file_systems", ()))),
            event.data.get("published"),
            str(event.data.get("unlike_published", "")),
        )
        for event in reader.events(campaign_id, kinds=[EventKind.DATA_READ])
        if event.data
    }


def _node_differences(
    benchmark: BenchmarkRow, found: Accepted, described: Described
) -> NodeDifferences | None:
    places = registered_places(benchmark.slot).values()
    several_nodes = any(one.get("nodes", 1) > 1 for one in places)
    return node_differences(*described, found.runs.keys(), several_nodes=several_nodes)


def _program(reference: str, workload: Workload) -> str:
    """Return where a workload's program comes from."""
    if is_file(reference):
        return "external"
    return "shipped" if reference == workload.name else "module"


def _ended(gathered: Gathered) -> EndedAttempts:
    """Return the attempts that ended without success, their times in the unit of the FOM time."""
    groups = gathered.ended
    units = timed_units(gathered.workload, gathered.parameters)
    timed_out = [one for one in groups if one.state == AttemptState.TIMED_OUT]
    longest, cause = _longest_ended(groups, units)
    killed, cause_killed = _longest_ended([one for one in groups if one not in timed_out], units)
    shortest = [seconds for one in timed_out if (seconds := most_seconds([one.shortest_us], units))]
    return EndedAttempts(
        outcomes={_outcome(one): one.number for one in groups},
        begun={_outcome(one): one.timed for one in groups if one.timed},
        unknown={_outcome(one): one.unknown for one in groups if one.unknown},
        longest_seconds=longest,
        longest=cause,
        longest_killed_seconds=killed,
        longest_killed=cause_killed,
        longest_process_seconds=most_seconds(one.longest_process_us for one in groups),
        timed_out=sum(one.timed for one in timed_out),
        shortest_timed_out_seconds=min(shortest, default=None),
        most_unknown_seconds=most_seconds(one.most_unknown_us for one in groups),
        least_unknown_seconds=most_seconds(one.least_unknown_us for one in groups),
    )


def _longest_ended(groups: Iterable[EndedGroup], units: float | None) -> tuple[float | None, str]:
    """Return the longest timed part, in the unit of the FOM time, and the outcome of its attempt."""
    timed = [one for one in groups if one.longest_us is not None]
    longest = max(timed, key=lambda one: one.longest_us or 0, default=None)
    return (most_seconds([longest.longest_us], units), _outcome(longest)) if longest else (None, "")


def _outcome(group: EndedGroup) -> str:
    return f"{group.state}: {group.reason}" if group.reason else group.state
