"""Evidence for a reviewer beside a verdict's rules: libraries, phases, nodes, accuracies, node-hours."""

from __future__ import annotations

import json
import math
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Self

from db.evidence.node_hours import node_hours, planned_node_hours
from db.evidence.runs import NO_RUNS, metric_ranges, run_columns
from db.plain import RowReader
from db.queries import node_descriptions
from orchestrator.analysis.slot_time.cost import campaign_bill
from orchestrator.analysis.verdict.fom import Judged, JudgedBenchmark
from orchestrator.analysis.verdict.nodes_used import declared_nodes
from orchestrator.rulebooks.measurements import Measurements, PlanChanges
from orchestrator.wording import count_of
from sites.cost import Bill

if TYPE_CHECKING:
    from db.records import CampaignRow

_QUANTILES = ("lowest", "first_quartile", "median", "third_quartile", "highest")


@dataclass(frozen=True, slots=True)
class Review:
    """Evidence about one benchmark, from the ledger alone.

    Parameters
    ----------
    libraries
        Libraries with the versions that instances imported; as their nodes have them where none reported any,
        and none of external commands.
    timed
        What the counted time includes, in words.
    metrics
        Lowest and highest value of each metric of the accepted instances, and the number of its values.
    process_seconds
        The longest time of a whole process, imports and start-up included, in seconds.
    cache
        Accepted instances by what the dataset cache did for them.
    at_once, nodes_used, nodes_declared
        Instances at once that count, nodes that ran accepted ones, and nodes of the system as declared.
    accuracies
        Number measured, quantiles, target, and how many reached it; empty where none was measured.
    makespan_seconds
        Last run stop − first run start, also of an attempt that did not count.
    plan_changes
        What users added, cancelled and paused after the launch; None where nothing.
    node_hours, planned_node_hours
        Of the whole campaign: held, and expected when it was registered.
    bill
        Money and CO2 of the held node-hours; None where the site file has no prices.
    """

    libraries: tuple[str, ...]
    timed: str
    metrics: Mapping[str, tuple[float, float, int]]
    process_seconds: float | None
    cache: Mapping[str, int]
    at_once: int
    nodes_used: int
    nodes_declared: int | None
    accuracies: Mapping[str, float | int | None]
    makespan_seconds: float | None
    plan_changes: PlanChanges | None
    node_hours: float | None
    planned_node_hours: float | None
    bill: Bill | None = None

    @property
    def phases(self) -> dict[str, tuple[float, float]]:
        """Lowest and highest seconds of each phase of the accepted instances."""
        return {
            metric.removesuffix("_seconds"): (low, high)
            for metric, (low, high, _) in self.metrics.items()
            if metric.endswith("_seconds") and not metric.startswith(("profile_", "foreign_"))
        }

    def facts(self) -> dict[str, Any]:
        """Return it for programs; without changes after the launch and cost, where there is none."""
        facts = {"libraries": self.libraries, "timed": self.timed, "phases": self.phases} | asdict(self)
        del facts["metrics"]
        if self.plan_changes is None:
            del facts["plan_changes"]
        del facts["bill"]
        return facts if self.bill is None else facts | {"cost": self.bill.to_dict()}

    def lines(self) -> Iterator[str]:
        """Yield the facts for people, a line each."""
        yield f"libraries: {', '.join(self.libraries) or 'none reported'}"
        outside = "" if self.process_seconds is None else f"; longest process {self.process_seconds:.6g} s"
        yield f"time: {self.timed}{outside}"
        if self.phases:
            shown = ", ".join(f"{name} {low:.4g} … {high:.4g} s" for name, (low, high) in self.phases.items())
            yield f"phases: {shown}"
        yield f"dataset cache: {', '.join(f'{number:,} {what}' for what, number in self.cache.items())}"
        share = ""
        if self.nodes_declared:
            share = f" of {self.nodes_declared:,} declared ({self.nodes_used / self.nodes_declared:.2%})"
        yield (
            f"system: {count_of(self.at_once, 'instance', 'count')} as running at once, on "
            f"{count_of(self.nodes_used, 'node')}{share}"
        )
        if found := self.accuracies:
            spread = ", ".join(f"{name.replace('_', ' ')} {found[name]:.6g}" for name in _QUANTILES)
            target = "" if found["target"] is None else f"; {found['reached']:,} reach {found['target']:.6g}"
            yield f"accuracy of {found['number']:,}: {spread}{target}"
        if self.plan_changes is not None:
            yield f"changes after the launch: {self.plan_changes}"
        if self.makespan_seconds is not None:
            yield f"makespan: {self.makespan_seconds:.6g} s"
        if self.node_hours is not None:
            planned = self.planned_node_hours
            against = "" if planned is None else f", {planned:.6g} planned without overheads"
            yield f"node-hours of the campaign: {self.node_hours:.6g} held{against}"
        if self.bill is not None:
            yield from self.bill.lines()


def review(reader: RowReader, judged: Judged) -> dict[str, Review]:
    """Return the evidence about each benchmark; it takes one more pass over attempts and metrics."""
    campaigns = {one.campaign.campaign_id: one.campaign for one in judged.judged}
    shared = {number: _Shared.read(reader, row) for number, row in campaigns.items()}
    return {
        one.measurements.benchmark: _review(one, shared[one.campaign.campaign_id]) for one in judged.judged
    }


@dataclass(frozen=True, slots=True)
class _Shared:
    """Facts that a campaign's benchmarks share, and the metrics' ranges and all accuracies of each."""

    frameworks: frozenset[str]
    nodes_declared: int | None
    node_hours: float | None
    planned_node_hours: float | None
    bill: Bill | None
    ranges: Mapping[str, Mapping[str, tuple[float, float, int]]]
    accuracies: Mapping[str, Sequence[float]]

    @classmethod
    def read(cls, reader: RowReader, row: CampaignRow) -> Self:
        """Return it for one campaign."""
        number = row.campaign_id
        return cls(
            frameworks=_node_frameworks(reader, number),
            nodes_declared=declared_nodes(row),
            node_hours=node_hours(reader, number),
            planned_node_hours=planned_node_hours(reader, number),
            bill=campaign_bill(reader, row),
            ranges=metric_ranges(reader, number),
            accuracies={name: columns[-1] for name, columns in run_columns(reader, number).items()},
        )


def _review(one: JudgedBenchmark, shared: _Shared) -> Review:
    found = one.measurements
    name = one.gathered.benchmark.benchmark
    return Review(
        libraries=tuple(sorted(found.software.versions | _libraries(found, shared.frameworks))),
        timed=_timed(found),
        metrics=shared.ranges.get(name, {}),
        process_seconds=found.times.process_seconds,
        cache=_cache(one),
        at_once=found.overlap.counted,
        nodes_used=found.slots.nodes_used,
        nodes_declared=shared.nodes_declared,
        accuracies=_accuracies(one, shared.accuracies.get(name, NO_RUNS[-1])),
        makespan_seconds=found.times.makespan_seconds,
        plan_changes=found.plan_changes if found.plan_changes != PlanChanges() else None,
        node_hours=shared.node_hours,
        planned_node_hours=shared.planned_node_hours,
        bill=shared.bill,
    )


_TIMED = {
    "s": "the whole run, loading and evaluation included; imports and start-up are outside",
    "s/batch": "the timed steps only; imports, loading and warm-up are outside",
    "s/sample": "the timed steps only; imports, loading and warm-up are outside",
}


_TIMED_BY_COMMAND = {
    "run": "from the command's start to its end, imports included",
    "mllog": "from the command's line run_start to its line run_stop, as both arrive",
    "window": "from one line of the command's output to another, as both arrive",
}


def _timed(found: Measurements) -> str:
    """Return what the counted time includes, in words."""
    commands = found.provenance.code.commands if found.provenance.code is not None else ()
    read = {one.reads.get("seconds", "run") for one in commands}
    if found.program == "external" and read:
        texts = {_TIMED_BY_COMMAND.get(one, f"as the command states it: {one}") for one in read}
        return "; ".join(sorted(texts))
    return _TIMED.get(found.times.unit, found.times.unit)


def _libraries(found: Measurements, installed: frozenset[str]) -> frozenset[str]:
    """Return libraries with versions: those that instances imported, else those of their nodes.

    It is not known what an external command imports.
    """
    code = found.provenance.code
    stated = code.libraries if code is not None else {}
    imported = frozenset(f"{name} {version}" for name, versions in stated.items() for version in versions)
    return imported or (frozenset() if found.program == "external" else installed)


def _node_frameworks(reader: RowReader, campaign_id: int) -> frozenset[str]:
    """Return frameworks and versions that descriptions of nodes name."""
    found: set[str] = set()
    for content in node_descriptions.read(reader, campaign_id)[1].values():
        frameworks = content.get("frameworks") if isinstance(content, dict) else None
        if isinstance(frameworks, dict):
            found |= {f"{name} {version}" for name, version in frameworks.items() if version}
    return frozenset(found)


def _cache(one: JudgedBenchmark) -> dict[str, int]:
    """Return accepted instances by what the dataset cache did for them."""
    if one.gathered.workload.data is None:
        return {"read no files": one.measurements.accepted}
    number: Counter[str] = Counter()
    for group in one.gathered.accepted.groups:
        facts: Any = json.loads(group.data or "{}")
        known = facts if isinstance(facts, dict) else {}
        loader = known.get("loader")
        if "cache" in known:
            stage = f", copy of the node: {known['cache_stage']}" if "cache_stage" in known else ""
            number[f"through the cache ({known['cache']}{stage})"] += group.number
        elif loader is not None:
            number[f"without a cache (loader {loader})"] += group.number
        else:
            number["did not say"] += group.number
    return dict(number)


def _accuracies(one: JudgedBenchmark, accuracies: Sequence[float]) -> dict[str, float | int | None]:
    benchmark, workload = one.gathered.benchmark, one.gathered.workload
    known = sorted(value for value in accuracies if not math.isnan(value))
    if not known:
        return {}
    least, own = benchmark.quality_target, workload.own_target
    most = own.at_most if least is None and own is not None else None
    target = least if least is not None else most
    reached = None
    if target is not None:
        reached = sum(value >= target if least is not None else value <= target for value in known)
    quartiles = statistics.quantiles(known, method="inclusive") if len(known) > 1 else 3 * known
    values = zip(_QUANTILES, (known[0], *quartiles, known[-1]), strict=True)
    spread = {name: float(f"{value:.12g}") for name, value in values}
    return {"number": len(known), **spread, "target": target, "reached": reached}
