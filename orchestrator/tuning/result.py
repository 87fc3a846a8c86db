"""Reads the measurements of a campaign that compares slot shapes, from the ledger."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from db.evidence.node_hours import node_hours
from db.evidence.runs_of_campaign import unaccepted
from db.queries import node_descriptions
from db.queries.packed_runs import PackedRun, packed_runs
from orchestrator.analysis.slot_time.cost import campaign_bill
from orchestrator.analysis.verdict.registered_workloads import registered_workloads
from orchestrator.analysis.verdict.shared_cores import shared_times
from orchestrator.catalog.registered_site import registered_site
from orchestrator.errors import CampaignError
from orchestrator.rulebooks import registry
from orchestrator.tuning.certainty import ERROR
from orchestrator.tuning.options import TuneOptions
from orchestrator.tuning.packing import Figure, Packing, Recommendation, measured, recommend
from orchestrator.wording import count_of
from sites import FileError
from sites.cost import Bill
from workloads.description import FOM_UNITS, Workload

if TYPE_CHECKING:
    from db.reader import Reader
    from db.records import CampaignRow
    from db.rows import BenchmarkRow

_SLOT_AXES = {"nodes", "ranks", "cores", "gpus"}


@dataclass(frozen=True, slots=True)
class Tuned:
    """Slot shapes of a campaign and the one to prefer.

    Parameters
    ----------
    pool
        Pool of the site, empty where it has none.
    unit, time_unit
        Of the figure per node, and of the FOM time.
    limit_bytes
        Memory of a node for instances, less the reserve; None where it is not known.
    held_node_hours
        From start to end of all blocks; None while nothing has ended.
    bill
        Money and CO2 of these; None where the site file has no prices.
    """

    campaign: str
    site: str
    workload: str
    pool: str
    unit: str
    time_unit: str
    limit_bytes: int | None
    held_node_hours: float | None
    shapes: tuple[Packing, ...]
    recommendation: Recommendation
    bill: Bill | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        found = self.recommendation
        return {
            **{name: getattr(self, name) for name in ("campaign", "site", "workload", "pool", "unit")},
            "time_unit": self.time_unit,
            "memory_limit_bytes": self.limit_bytes,
            "held_node_hours": self.held_node_hours,
            **({} if self.bill is None else {"cost": self.bill.to_dict()}),
            "points": [one.to_dict() for one in self.shapes],
            "recommended": found.best and found.best.to_dict(),
            "as_good": list(found.as_good),
            "certainty": {"error": ERROR, **found.sentences},
            "dropped": dict(found.dropped),
            "notes": list(found.notes),
        }


def tuned(reader: Reader, row: CampaignRow, options: TuneOptions) -> Tuned:
    """Return what a campaign measured of slot shapes.

    Parameters
    ----------
    options
        With the share of a node's memory that instances leave free, and the difference that matters.

    Raises
    ------
    CampaignError
        If the campaign compares anything but slots of one node for one workload.
    """
    number = row.campaign_id
    rows = reader.benchmarks(number)
    axes: dict[str, set[str]] = {}
    for one in reader.axes(number):
        axes.setdefault(one.benchmark, set()).add(one.axis)
    slots = [json.loads(one.slot) for one in rows]
    if (
        len({one.workload for one in rows}) != 1
        or any(not axes.get(one.benchmark) or axes[one.benchmark] - _SLOT_AXES for one in rows)
        or any(slot.get("nodes", 1) > 1 for slot in slots)
    ):
        raise CampaignError(
            f"campaign {row.name} compares more than slots of one node for one workload; "
            "`orchestrator analyze study` summarizes such sweeps"
        )
    [(workload, _), *_] = registered_workloads(reader, number, rows[:1])
    unit, figure = _figure(row.rulebook, rows[0].workload, workload)
    memory = _node_memory(reader, row, slots[0].get("pool", ""))
    limit = None if memory is None else int(memory * (1 - options.reserve))
    runs, absent = packed_runs(reader, number), unaccepted(reader, number)
    shapes = tuple(
        measured(_shape(one, slot, absent.get(one.benchmark, {})), runs.get(one.benchmark, []), figure)
        for one, slot in zip(rows, slots, strict=True)
    )
    found = recommend(shapes, limit, options.difference, options.at_most)
    if disturbed := _disturbed(runs.values(), shared_times(reader, number)):
        note = (
            f"{count_of(disturbed, 'run')} may have shared their cores with another campaign, which "
            "makes them longer"
        )
        found = replace(found, notes=(*found.notes, note))
    return Tuned(
        campaign=row.name,
        site=row.site_name,
        workload=workload.name,
        pool=slots[0].get("pool", ""),
        unit=unit,
        time_unit=FOM_UNITS[workload.fom_time],
        limit_bytes=limit,
        held_node_hours=node_hours(reader, number),
        shapes=tuple(sorted(shapes, key=lambda one: (one.instances, one.ranks))),
        recommendation=found,
        bill=campaign_bill(reader, row),
    )


def _disturbed(runs: Iterable[Sequence[PackedRun]], times: Sequence[tuple[float, float]]) -> int:
    """Return how many runs overlap a time in which another campaign used the same cores."""
    return sum(
        any(one.begin_us < until and one.end_us > since for since, until in times)
        for members in runs
        for one in members
    )


def _shape(row: BenchmarkRow, slot: dict[str, Any], missing: Any) -> Packing:
    return Packing(
        benchmark=row.benchmark,
        cores=int(slot["cores"]),
        ranks=int(slot.get("ranks", 1)),
        gpus=Fraction(slot.get("gpus", 0)).limit_denominator(1000),
        instances=int(slot["slots"]),
        missing=dict(missing),
        planned=row.instances // int(slot["slots"]),
    )


def _figure(rulebook: str, module: str, workload: Workload) -> tuple[str, Figure]:
    """Return unit and formula of the figure per node: the rulebook's, or else instances by time."""
    name = registry.workload_name(module, workload)
    book = registry.load(rulebook)
    if book.node_fom is not None and name in book.workloads():
        return f"{rulebook} FOM per node", partial(book.node_fom, name)
    if workload.fom_time == "run":
        return "instances/h per node", lambda instances, seconds: 3600 * instances / seconds
    return f"{workload.fom_time}s/s per node", lambda instances, seconds: instances / seconds


def _node_memory(reader: Reader, row: CampaignRow, pool: str) -> int | None:
    """Return the memory of a node in bytes, as the site file says, or as the smallest node was described."""
    try:
        sites = registered_site(row).pooled()
        stated = sites[pool].node.memory if pool in sites else "auto"
    except FileError:  # a simulated campaign has no site file
        stated = "auto"
    if stated != "auto":
        return int(stated)
    _, descriptions = node_descriptions.read(reader, row.campaign_id)
    sizes = [(one.get("memory") or {}).get("gibibytes") for one in descriptions.values()]
    known = [int(size) << 30 for size in sizes if size]
    return min(known, default=None)
