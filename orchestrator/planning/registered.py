"""Plan a registered campaign as it was registered, whatever today's code would make of its file."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any

from db.records import CampaignRow
from db.rows import BenchmarkRow
from orchestrator.catalog.registered_site import registered_site
from orchestrator.catalog.registry import describe
from orchestrator.errors import CampaignError
from orchestrator.planning.campaign_file import Benchmark, CampaignFile
from orchestrator.planning.campaign_reading import parse_campaign
from orchestrator.planning.left_out import left_out
from orchestrator.planning.placement import shape_of, site_shape, slot_of
from orchestrator.planning.plan import Plan, make_plan, without
from orchestrator.planning.site_facts import node_facts
from orchestrator.planning.slots import SlotShape, shape_facts
from orchestrator.wording import count_of
from sites import Site, SiteSlot
from workloads.description import Workload


def registered_plan(
    row: CampaignRow,
    rows: Sequence[BenchmarkRow],
    site: Site | None = None,
    *,
    slots: Mapping[str, SiteSlot] = MappingProxyType({}),
) -> Plan:
    """Return the plan of a registered campaign, on its own site or on another one.

    Parameters
    ----------
    row, rows
        The campaign and its benchmarks as the ledger has them.
    site
        Another site; slots are then those of the campaign's file or of that site.
    slots
        Other slots of benchmarks, by name.

    Raises
    ------
    CampaignError
        If the campaign cannot be planned there, such as a slot that is bigger than a node.
    FileError
        If a stored file cannot be read.
    """
    spec = parse_campaign(row.campaign_yaml, f"campaign {row.name} in the ledger")
    own = registered_site(row)
    registered, _ = as_registered(spec, own, rows)
    if site is not None:
        registered = _in_slots(registered, {one.name: one.slot for one in spec.benchmarks})
    registered = _in_slots(registered, slots)
    machine = site or own
    planned = make_plan(
        registered,
        machine,
        node_facts(machine),
        Path(row.data_path),
        row.name,
        kept_pools=registered_pools(rows),
    )
    absent = left_out(row.campaign_yaml, [one.benchmark for one in rows])
    return without(planned, dict.fromkeys(absent, "left out at launch"))


def _in_slots(campaign: CampaignFile, slots: Mapping[str, SiteSlot | None]) -> CampaignFile:
    """Return a campaign with other slots of some benchmarks."""
    moved = [
        one.model_copy(update={"slot": slots[one.name]}) if one.name in slots else one
        for one in campaign.benchmarks
    ]
    return campaign.model_copy(update={"benchmarks": moved})


def registered_pools(rows: Sequence[BenchmarkRow]) -> dict[str, str]:
    """Return the pool that each benchmark is registered for; empty names where the site had none."""
    return {row.benchmark: json.loads(row.slot).get("pool", "") for row in rows}


def slots_of_system(
    row: CampaignRow, rows: Sequence[BenchmarkRow], site: Site, nodes: int | None
) -> tuple[int, dict[str, int]]:
    """Return the nodes of a whole system, and how many instances of each benchmark run at once on it.

    Parameters
    ----------
    nodes
        Nodes in use; None for all that the site file declares.

    Raises
    ------
    CampaignError
        If no number of nodes is known, or an instance has another slot there than it ran in.
    """
    if len(site.pooled()) > 1:
        raise CampaignError(
            f"site {site.site} has pools {', '.join(site.pools)}, and a projection is to nodes of one kind: "
            "write `pool:` with the name of one into a copy of its file"
        )
    (site,) = site.pooled().values()
    number = nodes or site.nodes
    if number is None:
        raise CampaignError(
            f"site {site.site} declares no number of nodes: write `nodes` in its file, or give --nodes"
        )
    planned = registered_plan(row, rows, site)
    registered = {one.benchmark: json.loads(one.slot) for one in rows}
    if spread := next((name for name, slot in registered.items() if slot.get("others")), None):
        raise CampaignError(
            f"benchmark {spread} ran on nodes of several pools, and a projection is from nodes of one kind: "
            "launch a campaign without spread for it"
        )
    found = {}
    for stage in planned.stages:
        facts = shape_facts(stage.shape)
        for benchmark in stage.benchmarks:
            ran = {name: registered[benchmark.name].get(name, value) for name, value in facts.items()}
            if ran != facts:
                moved = ", ".join(
                    f"{name} was {ran[name]}, and is {value} there"
                    for name, value in facts.items()
                    if ran[name] != value
                )
                raise CampaignError(
                    f"benchmark {benchmark.name} has another slot on site {site.site} than it ran in "
                    f"({moved}): run times of one say nothing about the other; write the same slot there"
                )
            found[benchmark.name] = len(stage.slots) * (number // stage.shape.nodes)
    if small := next((name for name, number in found.items() if not number), None):
        raise CampaignError(
            f"benchmark {small}: {count_of(number, 'node', 'hold')} no instance of it; give more --nodes"
        )
    return number, found


def as_registered(
    campaign: CampaignFile, site: Site, rows: Sequence[BenchmarkRow]
) -> tuple[CampaignFile, dict[str, str]]:
    """Return a campaign with the parameters, slots, timeouts and instances that the ledger has of it.

    Parameters
    ----------
    campaign
        As today's code reads the registered text.

    Returns
    -------
    CampaignFile
        A parameter that today's workload does not know is left out, and one that the ledger lacks keeps
        today's default.
    dict
        For each benchmark that today's code resolves otherwise, what differs.
    """
    registered = {row.benchmark: row for row in rows}
    benchmarks: list[Benchmark] = []
    differences: dict[str, str] = {}
    pools = site.pooled()
    for benchmark in campaign.benchmarks:
        row = registered.get(benchmark.name)
        if row is None:  # left out at launch
            benchmarks.append(benchmark)
            continue
        workload = describe(benchmark.workload)
        parameters = json.loads(row.parameters)
        today = workload.resolve(benchmark.parameters)
        late = benchmark.point.chosen_late if benchmark.point else frozenset()
        found = _differences(*(_without(one, late) for one in (parameters, today)))
        changes: dict[str, Any] = {
            "parameters": {name: value for name, value in parameters.items() if name in today},
            "instances": row.instances,
        }
        if row.timeout_seconds is not None and row.timeout_seconds != benchmark.timeout:
            changes["timeout"] = row.timeout_seconds
            found.append(_changed("timeout", f"{row.timeout_seconds:g} s", f"{benchmark.timeout:g} s"))
        slot = json.loads(row.slot)
        pool = pools.get(slot.get("pool", ""), site)
        shape = shape_facts(_shape(benchmark, workload, pool))
        known = {name: slot[name] for name in shape if name in slot}
        if moved := _differences(known, {name: shape[name] for name in known}):
            changes["slot"] = slot_of_facts(shape | known)
            found += [f"slot.{one}" for one in moved]
        benchmarks.append(benchmark.model_copy(update=changes))
        if found:
            differences[benchmark.name] = ", ".join(found)
    return campaign.model_copy(update={"benchmarks": benchmarks}), differences


def _without(parameters: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if name not in names}


def _differences(registered: dict[str, Any], today: dict[str, Any]) -> list[str]:
    found = []
    for name in dict.fromkeys((*registered, *today)):
        if name not in today:
            found.append(f"{name} was {registered[name]!r}, and today's code does not know it")
        elif name not in registered:
            found.append(f"{name} was not known, and is {today[name]!r} today")
        elif registered[name] != today[name]:
            found.append(_changed(name, registered[name], today[name]))
    return found


def _changed(name: str, registered: object, today: object) -> str:
    return f"{name} was {registered}, and is {today} today"


def _shape(benchmark: Benchmark, workload: Workload, site: Site) -> SlotShape:
    slot = slot_of(benchmark, workload, site)
    return shape_of(slot) if site.local else site_shape(slot, node_facts(site), site)


def slot_of_facts(facts: Mapping[str, Any]) -> SiteSlot:
    """Return the slot of a file that has the shape of some facts; see `shape_facts`."""
    return SiteSlot(
        nodes=facts["nodes"],
        ranks=facts["ranks"],
        cores=facts["cores"],
        gpus=Fraction(facts["gpus"]).limit_denominator(1000),
        memory=facts["memory_bytes"],
    )
