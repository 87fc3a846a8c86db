"""Finding the slot shape that makes the most of a node: a campaign that grows until the best is enclosed."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from db.ledger import Ledger
from db.queries.attempts import longest_seconds
from db.reader import Reader
from db.records import CampaignRow
from db.states import RunOutcome
from orchestrator.catalog.registered_site import registered_site
from orchestrator.catalog.registry import describe
from orchestrator.driver.progress import ProgressDisplay
from orchestrator.errors import CampaignError
from orchestrator.lifecycle import launch
from orchestrator.lifecycle.add import add
from orchestrator.lifecycle.driver_process.identity import live_driver
from orchestrator.lifecycle.options import LaunchOptions, ResumeOptions
from orchestrator.lifecycle.resume import resume
from orchestrator.planning.campaign_file import Benchmark, benchmark_names
from orchestrator.planning.campaign_reading import load_campaign, parse_campaign
from orchestrator.planning.placement import shape_of
from orchestrator.planning.plan import Plan, make_plan
from orchestrator.planning.site_facts import node_facts
from orchestrator.planning.slots import SlotShape
from orchestrator.schedulers.allocation import uses_allocation
from orchestrator.tuning.certainty import more_fills
from orchestrator.tuning.options import TuneOptions
from orchestrator.tuning.request import Ready, campaign_file, first_campaign, with_points
from orchestrator.tuning.result import Tuned, tuned
from orchestrator.tuning.slot_ladder import Tried, first_pass, ladders, next_points
from orchestrator.wording import count_of
from sites import FileError, parse_mapping

_log = logging.getLogger(__name__)
_ENDED = (RunOutcome.COMPLETE, RunOutcome.EXHAUSTED)


@dataclass(frozen=True, slots=True)
class TuneResult:
    """Findings of a tuning so far.

    Parameters
    ----------
    refused
        Why slots were not tried, by their label.
    outcome
        Of the last session; None where none ran now.
    unfinished
        What `workload tune` would still do, for people; empty once the best is enclosed.
    planned_node_hours
        By the expected runtimes of the points; None where none has one.
    """

    tuned: Tuned
    refused: Mapping[str, str]
    outcome: RunOutcome | None
    unfinished: str
    planned_node_hours: float | None


def plan_first_pass(ready: Ready) -> Plan:
    """Return the plan of both ends and the coarse grid between, as if memory refused none of them."""
    with campaign_file(first_campaign(ready, first_pass(ready.ladders))) as file:
        return _checked(launch.plan(file, _launch_options(ready)))


def _pool(ready: Ready) -> str | None:
    """Return the pool that is tuned where blocks start in an allocation, which is of that pool then."""
    used = uses_allocation(ready.site, ready.options.here, ready.pool or None)
    return ready.pool or None if used else None


def _launch_options(ready: Ready) -> LaunchOptions:
    options = ready.options
    return LaunchOptions(
        site=options.site,
        name=ready.name,
        data=options.data,
        overrides=ready.settings,
        here=options.here,
        pool=_pool(ready),
        ledger=options.ledger,
        check_data=options.check_data,
        notify=options.notify,
    )


def _checked(plan: Plan) -> Plan:
    nodes = max(stage.blocks * stage.nodes_per_block for stage in plan.stages)
    if plan.whole_blocks and nodes > 1:
        raise CampaignError(
            f"the allocation has {count_of(nodes, 'node')}, and tune measures on one; get one of one node"
        )
    return plan


def tune(ready: Ready, *, display: ProgressDisplay | None = None) -> TuneResult:
    """Measure slot shapes until the best is enclosed, going on with the campaign where it exists.

    Raises
    ------
    CampaignError, WorkloadError, LedgerError
        As of `launch` and `resume`; also if the campaign of that name is another one.
    """
    options, ledger = ready.options, ready.options.ledger
    again = ResumeOptions(ledger=ledger, notify=options.notify, here=options.here, pool=_pool(ready))
    result = None
    if not _exists(ledger, ready.name):
        shapes, _ = next_points(ready.ladders, {}, None)
        with campaign_file(first_campaign(ready, shapes)) as file:
            first = _launch_options(ready)
            _announce("first", shapes, _checked(launch.plan(file, first)).node_hours)
            result = launch.launch(file, first, display=display)
    else:
        _check_same(ready, ledger)
    while True:
        if result is None and _waits(ledger, ready.name):
            result = resume(ready.name, again, display=display)
        if result is not None and result.outcome not in _ENDED:
            break
        if not _add(ready):
            break
        result = resume(ready.name, again, display=display)
    outcome = None if result is None else result.outcome
    return replace(look(ready.name, options), outcome=outcome)


def _add(ready: Ready) -> bool:
    """Add the slot shapes to measure next, else fills of those that may be the best; False if none is."""
    options, ledger = ready.options, ready.options.ledger
    shapes, fragment, fills = _next_fragment(ready.name, options)
    if shapes:
        with campaign_file({"benchmarks": [fragment]}) as file:
            add(ready.name, file, ledger=ledger, check_data=False)
        _announce("next", shapes, _added_node_hours(ledger, ready.name, fragment["name"]))
    elif fills:
        more = [f"{label}=+{number}" for label, number in fills.items()]
        added = add(ready.name, instances=more, ledger=ledger)
        _log.info("tune: not certain yet, %s more of %s", sum(added.instances.values()), ", ".join(fills))
    return bool(shapes or fills)


def look(name: str, options: TuneOptions) -> TuneResult:
    """Return what a tuning has found so far, from the ledger.

    Raises
    ------
    CampaignError, LedgerError
        If there is no such campaign, or it compares other things than slots of a node.
    """
    with Reader(options.ledger) as reader:
        row = reader.campaign(name)
        found = tuned(reader, row, options)
        waiting = len(reader.pending(row.campaign_id))
    more, refused = _next(row, found)
    unfinished = ""
    if driver := live_driver(row):
        unfinished = f"{driver} runs it"
    elif waiting:
        unfinished = f"{count_of(waiting, 'instance', 'have')} not run"
    elif more:
        unfinished = f"{len(more)} further slot shapes are worth a measurement"
    elif fills := _more_instances(found, options):
        fewest = min(one.planned for one in found.shapes)
        unfinished = (
            f"{', '.join(fills)} may be the best; tune again without --report, or give --at-most {fewest}"
        )
    return TuneResult(found, refused, None, unfinished, _planned_node_hours(row))


def _exists(ledger: str | None, name: str) -> bool:
    if not Ledger.exists(ledger):
        return False
    with Reader(ledger) as reader:
        return any(row.name == name for row in reader.campaigns())


def _waits(ledger: str | None, name: str) -> bool:
    with Reader(ledger) as reader:
        return bool(reader.pending(reader.campaign(name).campaign_id))


def _check_same(ready: Ready, ledger: str | None) -> None:
    """Refuse to go on with a campaign that measures something else than is asked for."""
    with Reader(ledger) as reader:
        row = reader.campaign(ready.name)
        found = tuned(reader, row, ready.options)  # raises for what is no tuning
    advice = "give this tuning another --name"
    asked_workload = describe(ready.data["benchmarks"][0]["workload"]).name
    if found.workload != asked_workload:
        raise CampaignError(f"campaign {row.name} tunes {found.workload}, not {asked_workload}; {advice}")
    if row.site_name != ready.site.site:
        named = "" if ready.options.site else "name its site with --site, or "
        raise CampaignError(
            f"campaign {row.name} is of site {row.site_name}, not of {ready.site.site}; {named}{advice}"
        )
    if not (ready.options.overrides or ready.options.like):
        return
    with campaign_file(first_campaign(ready, first_pass(ready.ladders))) as file:
        asked = load_campaign(file, ready.settings)[0].benchmarks[0]
    registered = _registered(row)[0]
    for what, one, other in (
        ("parameters", _parameters(asked), _parameters(registered)),
        ("data", asked.data, registered.data),
    ):
        if one != other:
            raise CampaignError(f"campaign {row.name} was launched with other {what}; {advice}")


def _parameters(benchmark: Benchmark) -> dict[str, Any]:
    changed = benchmark.point.parameters if benchmark.point else {}
    return describe(benchmark.workload).resolve({**benchmark.parameters, **changed})


def _registered(row: CampaignRow) -> list[Benchmark]:
    return parse_campaign(row.campaign_yaml, f"campaign {row.name} in the ledger").benchmarks


def _next(row: CampaignRow, found: Tuned) -> tuple[tuple[SlotShape, ...], dict[str, str]]:
    """Return the slot shapes to measure next, and why others are refused, by label."""
    try:
        sites = registered_site(row).pooled()
        machine = sites[found.pool]
    except (FileError, KeyError):  # a simulated campaign, or a pool that the site no longer has
        return (), {}
    first = _registered(row)[0]
    workload = describe(first.workload)
    dropped = found.recommendation.dropped
    tried = {
        SlotShape(one.cores, ranks=one.ranks, gpus=one.gpus): Tried(
            one.figure.value if one.figure and one.benchmark not in dropped else None, one.peak_bytes
        )
        for one in found.shapes
    }
    own = shape_of(machine.slots.get(workload.name, machine.slot))
    cores = next((one.cores for one in tried if one.ranks > 1), own.cores)
    slot = SlotShape(cores, gpus=max(one.gpus for one in tried))
    steps = ladders(node_facts(machine), slot, ranks=workload.ranks)
    more, refused = next_points(steps, tried, found.limit_bytes)
    return more, {shape.label: why for shape, why in refused.items()}


def _more_instances(found: Tuned, options: TuneOptions) -> dict[str, int]:
    """Return the further instances of shapes that may be the best."""
    planned = {one.benchmark: one.planned for one in found.shapes}
    fills = more_fills(planned, found.recommendation.open, options.at_most)
    return {
        one.benchmark: fills[one.benchmark] * one.instances for one in found.shapes if one.benchmark in fills
    }


def _next_fragment(
    name: str, options: TuneOptions
) -> tuple[tuple[SlotShape, ...], dict[str, Any], dict[str, int]]:
    """Return the slot shapes to measure next, the benchmark that measures them, and further instances."""
    with Reader(options.ledger) as reader:
        row = reader.campaign(name)
        found = tuned(reader, row, options)
        longest = max(longest_seconds(reader, row.campaign_id).values(), default=None)
    shapes, _ = _next(row, found)
    data = parse_mapping(row.campaign_yaml, f"campaign {name} in the ledger")
    [first, *_] = benchmark_names(data)
    benchmark = dict(data["benchmarks"][0])
    waves = min(one.planned for one in found.shapes)
    if "expected_runtime" not in benchmark and longest is not None:
        benchmark["expected_runtime"] = round(min(longest, _registered(row)[0].timeout), 3)
    number = len(data["benchmarks"]) + 1
    fragment = {**with_points(benchmark, shapes, waves), "name": f"{first}-{number}"}
    return shapes, fragment, _more_instances(found, options)


def _announce(when: str, shapes: Sequence[SlotShape], hours: float | None) -> None:
    cost = "node-hours unknown without an expected runtime" if hours is None else f"{hours:.3g} node-hours"
    _log.info("tune: %s %s, %s", when, ", ".join(one.label for one in shapes), cost)


def _added_node_hours(ledger: str | None, name: str, sweep: str) -> float | None:
    with Reader(ledger) as reader:
        row = reader.campaign(name)
    return _planned_node_hours(row, sweep)


def _planned_node_hours(row: CampaignRow, sweep: str | None = None) -> float | None:
    """Return the node-hours of a campaign's points that have an expected runtime, or of one sweep's."""
    try:
        site = registered_site(row)
    except FileError:  # a simulated campaign
        return None
    spec = parse_campaign(row.campaign_yaml, f"campaign {row.name} in the ledger")
    plan = make_plan(spec, site, node_facts(site), Path(row.data_path), row.name)
    known = [
        hours
        for stage in plan.stages
        for one in stage.benchmarks
        if sweep in (None, one.sweep) and (hours := stage.node_hours_of(one)) is not None
    ]
    return sum(known) if known else None
