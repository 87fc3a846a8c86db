"""Other numbers of instances a node that were measured, and the length of a next campaign with them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from operator import itemgetter
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from db.queries.history import campaigns_of_site, run_times
from db.queries.packed_runs import PackedRun, packed_runs
from orchestrator.errors import CampaignError
from orchestrator.planning.registered import registered_plan, slot_of_facts
from orchestrator.simulation.history import CAMPAIGNS, History, history_of, is_synchronized, run_key
from orchestrator.simulation.prediction import USUAL_RUNS, CombinedProgress, predict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from db.reader import Reader
    from db.records import CampaignRow
    from db.rows import BenchmarkRow
    from orchestrator.driver.progress import ProgressDisplay
    from orchestrator.planning.plan import Plan
    from orchestrator.planning.stage import PlannedBenchmark

_MEBIBYTE = 2**20


class Slots(NamedTuple):
    """A slot of a node of a pool, and how many of them a node has."""

    pool: str
    nodes: int
    ranks: int
    cores: int
    gpus: float
    memory_bytes: int | None
    slots: int

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Slots:
        """Return those of a benchmark's slot as the ledger has it."""
        return cls(
            **{name: facts.get(name, 0 if name == "slots" else None) for name in cls._fields[1:]},
            pool=facts.get("pool", ""),
        )

    @property
    def written(self) -> str:
        """As a campaign file or ``--set`` has it."""
        gpus = slot_of_facts(self._asdict()).gpus
        memory = self.memory_bytes
        keys = {
            "nodes": self.nodes if self.nodes > 1 else None,
            "ranks": self.ranks if self.ranks > 1 else None,
            "cores": self.cores,
            "gpus": gpus or None,
            "memory": memory and (memory if memory % _MEBIBYTE else f"{memory // _MEBIBYTE} MiB"),
        }
        return "{" + ", ".join(f"{key}: {value}" for key, value in keys.items() if value is not None) + "}"


@dataclass(slots=True)
class _Measured:
    """Seconds of runs in some slots, by benchmark of the plan, and the campaigns that had them."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    campaigns: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Packing:
    """Slots that were measured, and the plan of a campaign with them.

    Parameters
    ----------
    benchmark
        The benchmark, or sweep, that has these slots in the plan.
    before
        Slots that it has now.
    history
        Of the plan.
    """

    benchmark: str
    slots: Slots
    before: Slots
    campaigns: tuple[str, ...]
    plan: Plan
    history: History


@dataclass(frozen=True, slots=True)
class PackingGain:
    """Another number of instances a node, and what a next campaign of the same instances would take with it.

    Parameters
    ----------
    benchmark
        The benchmark, or sweep, whose instances share nodes so.
    slot
        As ``--set BENCHMARK.slot=`` takes it.
    campaigns
        Those that measured it.
    seconds, before_seconds
        Length of the next campaign, and with the slots that the campaign has; medians.
    node_hours
        By how many node-hours more it takes; below 0 if it takes less.
    sooner_seconds
        By how much it ends sooner than what is left of this campaign, if it begins now; below 0 if later.
    """

    benchmark: str
    slot: str
    instances_per_node: int
    before_per_node: int
    campaigns: tuple[str, ...]
    seconds: float
    before_seconds: float
    node_hours: float
    sooner_seconds: float


@dataclass(frozen=True, slots=True)
class Packings:
    """The measured packings that are better by node and time.

    Parameters
    ----------
    better
        The best of each benchmark or sweep.
    are_measured
        Whether any number of instances a node was measured that the campaign does not have.
    """

    better: list[Packing]
    are_measured: bool


def best_packings(
    reader: Reader, row: CampaignRow, rows: Sequence[BenchmarkRow], plan: Plan, history: History
) -> Packings:
    """Return, for each benchmark, the measured slots with most runs by node and time, if they beat its own.

    They are of runs on nodes of the same pool with the same workload, parameters, ranks and nodes of an
    instance, in campaigns that filled a node.
    """
    groups: dict[str, list[PlannedBenchmark]] = {}
    for one in plan.benchmarks:
        if not (one.others or (one.point and one.point.slot)):
            groups.setdefault(one.sweep or one.name, []).append(one)
    measured = _measured(reader, plan, [one for members in groups.values() for one in members])
    better = []
    for name, members in groups.items():
        known = {
            slots: found
            for slots, found in measured.items()
            if all(one.name in found.seconds for one in members)
        }
        if not known:
            continue
        best = max(known, key=lambda slots: _per_node(slots.slots, known[slots].seconds, members))
        before = Slots.of(members[0].slot_facts())
        usual = {one.name: times for one in members if (times := _usual_seconds(one, history))}
        if len(usual) == len(members) and _per_node(before.slots, usual, members) >= _per_node(
            best.slots, known[best].seconds, members
        ):
            continue
        slot = slot_of_facts(best._asdict())
        with suppress(CampaignError):  # such as a slot that no node of the present site has
            other = registered_plan(row, rows, slots={one.name: slot for one in members})
            if (
                Slots.of(next(one for one in other.benchmarks if one.name == members[0].name).slot_facts())
                == best
            ):
                campaigns = tuple(dict.fromkeys(known[best].campaigns))
                better.append(Packing(name, best, before, campaigns, other, history_of(reader, other)))
    return Packings(better, bool(measured))


def packing_gains(
    plan: Plan,
    history: History,
    packings: Sequence[Packing],
    left_seconds: float,
    display: ProgressDisplay | None,
) -> list[PackingGain]:
    """Simulate a next campaign with each of some packings, and as the plan has it.

    Parameters
    ----------
    left_seconds
        Until the campaign that runs ends.
    """
    if not packings:
        return []
    shown = display and CombinedProgress(display, 1 + len(packings), USUAL_RUNS * plan.size)
    usual = predict(plan, display=shown, history=history)
    found = []
    for one in packings:
        made = predict(one.plan, display=shown, history=one.history)
        found.append(
            PackingGain(
                one.benchmark,
                one.slots.written,
                one.slots.slots,
                one.before.slots,
                one.campaigns,
                made.makespan_seconds.median,
                usual.makespan_seconds.median,
                made.node_hours.median - usual.node_hours.median,
                left_seconds - made.makespan_seconds.median,
            )
        )
    return sorted(found, key=lambda one: one.seconds)


def _measured(reader: Reader, plan: Plan, benchmarks: Sequence[PlannedBenchmark]) -> dict[Slots, _Measured]:
    """Return the runs of benchmarks in other slots than they have."""
    mine: dict[tuple[str, str], list[PlannedBenchmark]] = {}
    for one in benchmarks:
        mine.setdefault(run_key(one.row())[:2], []).append(one)
    found: dict[Slots, _Measured] = {}
    workloads = {workload for workload, _ in mine}
    for campaign in campaigns_of_site(reader, plan.site.site, CAMPAIGNS, workloads):
        others = dict(_in_other_slots(reader.benchmarks(campaign.campaign_id), mine))
        packed = packed_runs(reader, campaign.campaign_id) if others else {}
        times = run_times(reader, campaign.campaign_id, list(others), at_barrier=is_synchronized(campaign))
        for name, runs in times.items():
            slots, alike = others[name]
            if not _filled_a_node(packed.get(name, ()), slots.slots):
                continue
            place = found.setdefault(slots, _Measured())
            place.campaigns.append(campaign.name)
            for one in alike:
                place.seconds.setdefault(one.name, []).extend(map(sum, runs))
    return found


def _in_other_slots(
    rows: Sequence[BenchmarkRow], mine: Mapping[tuple[str, str], Sequence[PlannedBenchmark]]
) -> Iterator[tuple[str, tuple[Slots, list[PlannedBenchmark]]]]:
    """Yield benchmarks of a campaign with their slots and the planned ones that have others on a node."""
    for row in rows:
        workload, parameters, _ = run_key(row)
        facts = json.loads(row.slot)
        if not isinstance(facts, dict) or facts.get("others"):
            continue
        slots = Slots.of(facts)
        alike = [
            one for one in mine.get((workload, parameters), ()) if _differs(Slots.of(one.slot_facts()), slots)
        ]
        if slots.slots and alike:
            yield row.benchmark, (slots, alike)


def _differs(one: Slots, other: Slots) -> bool:
    """Return whether a node has another number of slots, which hold instances of the same ranks."""
    same = (one.pool, one.nodes, one.ranks) == (other.pool, other.nodes, other.ranks)
    return same and one.slots != other.slots


def _filled_a_node(runs: Sequence[PackedRun], slots: int) -> bool:
    """Return whether so many runs were on a node at once."""
    at_once: Counter[tuple[int, str]] = Counter()
    moments = [(moment, step, one) for one in runs for moment, step in ((one.begin_us, 1), (one.end_us, -1))]
    for _, step, one in sorted(moments, key=itemgetter(0, 1)):
        at_once[one.session, one.node] += step
        if at_once[one.session, one.node] >= slots:
            return True
    return False


def _usual_seconds(one: PlannedBenchmark, history: History) -> list[float]:
    """Return the seconds of a benchmark's runs in its own slots; those that it expects where none ran."""
    runs = [sum(run) for found in history.runs.get(one.name, {}).values() for run in found]
    return runs or ([one.expected_seconds] if one.expected_seconds else [])


def _per_node(
    slots: int, seconds: Mapping[str, Sequence[float]], members: Sequence[PlannedBenchmark]
) -> float:
    """Return how many instances of benchmarks a node runs in a second, in the numbers that these have."""
    work = sum(one.instances * median(seconds[one.name]) for one in members)
    return slots * sum(one.instances for one in members) / work
