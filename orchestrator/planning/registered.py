"""Plan a registered campaign as it was registered, whatever today's code would make of its file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from db.rows import Benchmark as BenchmarkRow
from orchestrator.catalog.registry import describe
from orchestrator.planning.campaign_file import Benchmark, Campaign
from orchestrator.planning.plan import shape_facts, shape_of, site_shape, slot_of
from orchestrator.planning.site_facts import node_facts
from orchestrator.planning.slots import SlotShape
from sites import Site
from sites import Slot as SiteSlot
from workloads.description import Workload


def as_registered(
    campaign: Campaign, site: Site, rows: Iterable[BenchmarkRow]
) -> tuple[Campaign, dict[str, str]]:
    """Return a campaign with the parameters, slots, timeouts and instances that the ledger has of it.

    Parameters
    ----------
    campaign
        As today's code reads the registered text.
    rows
        The ledger's benchmarks.

    Returns
    -------
    Campaign
        A parameter that today's workload does not know is left out, and one that the ledger lacks keeps
        today's default.
    dict
        For each benchmark that today's code resolves otherwise, what differs.
    """
    registered = {row.benchmark: row for row in rows}
    benchmarks: list[Benchmark] = []
    differences: dict[str, str] = {}
    for benchmark in campaign.benchmarks:
        row = registered.get(benchmark.name)
        if row is None:  # left out at launch
            benchmarks.append(benchmark)
            continue
        workload = describe(benchmark.workload)
        parameters = json.loads(row.parameters)
        today = workload.resolve(benchmark.parameters)
        found = _differences(parameters, today)
        changes: dict[str, Any] = {
            "parameters": {name: value for name, value in parameters.items() if name in today},
            "instances": row.instances,
        }
        if row.timeout_seconds is not None and row.timeout_seconds != benchmark.timeout:
            changes["timeout"] = row.timeout_seconds
            found.append(_changed("timeout", f"{row.timeout_seconds:g} s", f"{benchmark.timeout:g} s"))
        slot = json.loads(row.slot)
        shape = shape_facts(_shape(benchmark, workload, site))
        known = {name: slot[name] for name in shape if name in slot}
        if moved := _differences(known, {name: shape[name] for name in known}):
            changes["slot"] = _slot(shape | known)
            found += [f"slot.{one}" for one in moved]
        benchmarks.append(benchmark.model_copy(update=changes))
        if found:
            differences[benchmark.name] = ", ".join(found)
    return campaign.model_copy(update={"benchmarks": benchmarks}), differences


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


def _slot(facts: dict[str, Any]) -> SiteSlot:
    return SiteSlot(
        nodes=facts["nodes"],
        ranks=facts["ranks"],
        cores=facts["cores"],
        gpus=Fraction(facts["gpus"]).limit_denominator(1000),
        memory=facts["memory_bytes"],
    )
