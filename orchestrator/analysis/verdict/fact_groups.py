"""Facts about the accepted instances of a benchmark, in the groups that `Measurements` has."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from db.events import Event
from db.evidence.accepted import ObservationGroup
from db.rows import BenchmarkRow
from orchestrator.analysis.base.overlap import MICROSECONDS, peak_overlap
from orchestrator.analysis.verdict.concurrency import guaranteed, lasting_us, makespan_seconds
from orchestrator.analysis.verdict.gathering import Gathered, together
from orchestrator.catalog.registered_site import registered_places
from orchestrator.host.gpus import bare
from orchestrator.protocol.report import Observed
from orchestrator.rulebooks.accepted_facts import (
    AccuracyFacts,
    DataFacts,
    DataPlace,
    OverlapFacts,
    SlotFacts,
    SoftwareFacts,
    TimeFacts,
)
from workloads.description import FOM_UNITS


def number(groups: Iterable[ObservationGroup]) -> int:
    """Return how many accepted instances there are."""
    return sum(group.number for group in groups)


def observations(gathered: Gathered) -> list[Observed]:
    """Return what each group of accepted instances observed."""
    return [Observed.from_json(group.observed) for group in gathered.accepted.groups]


def times(gathered: Gathered, *, resumed: bool) -> TimeFacts:
    """Return the times of accepted instances; `resumed` says whether one went on from a checkpoint."""
    groups = gathered.accepted.groups
    return TimeFacts(
        unit=FOM_UNITS[gathered.workload.fom_time],
        max_seconds=_longest(groups),
        process_seconds=most_seconds(group.longest_process_us for group in groups),
        share=_time_share(groups),
        missing=number(groups) - sum(group.timed for group in groups),
        makespan_seconds=makespan_seconds(
            gathered.accepted.runs, gathered.tried.first_us if gathered.tried else None
        ),
        resumed=resumed,
        contradiction_seconds=gathered.clocks.contradiction_us / MICROSECONDS,
    )


def accuracy(gathered: Gathered) -> AccuracyFacts:
    """Return the accuracies of accepted instances."""
    groups = gathered.accepted.groups
    highest = [group.highest_accuracy for group in groups if group.highest_accuracy is not None]
    return AccuracyFacts(
        metric=gathered.workload.accuracy_metric,
        lowest=_lowest(groups),
        highest=max(highest, default=None),
        missing=number(groups) - sum(group.with_accuracy for group in groups),
        below_target=sum(group.below_target for group in groups),
    )


def overlap(gathered: Gathered, beside_others: int) -> OverlapFacts:
    """Return how many accepted instances ran at once, and how many of them beside other benchmarks."""
    starts, stops = together(gathered.timed)
    lasting = lasting_us(starts, stops)
    sustained = peak_overlap(starts, stops, lasting)
    return OverlapFacts(
        concurrent=peak_overlap(starts, stops),
        sustained=sustained,
        sustained_seconds=lasting / MICROSECONDS if starts else None,
        guaranteed=guaranteed(gathered.timed, gathered.clocks, sustained, lasting),
        beside_others=beside_others,
    )


def slots(
    gathered: Gathered, *, cores_shared: bool, sites: Sequence[Event], pools: Mapping[str, int]
) -> SlotFacts:
    """Return slots, nodes and devices of accepted instances.

    Parameters
    ----------
    cores_shared
        Whether another campaign was on their cores.
    sites
        Events about changed texts of the site file.
    pools
        How many of them ran on each pool.
    """
    groups, observed = gathered.accepted.groups, observations(gathered)
    pairs = list(zip(groups, observed, strict=True))
    return SlotFacts(
        mismatches=sum(group.number for group, one in pairs if _off_slot(group, one)),
        devices_used=_devices_used(groups, observed),
        largest_devices=max((_devices_held(group, one) for group, one in pairs), default=0),
        ranks=frozenset(map(_ranks, observed)),
        nodes_used=len({node for _, node in gathered.accepted.runs}),
        largest_share_of_system=_largest_share(gathered.benchmark),
        cores_shared=cores_shared,
        site_changes=tuple(event.message for event in sites),
        pools=pools,
        mixed=_mixed_slots(sites, gathered.benchmark.benchmark),
    )


def data(gathered: Gathered, place: DataPlace | None) -> DataFacts:
    """Return what data accepted instances read, and where they lay at launch."""
    texts = sorted({group.data or "{}" for group in gathered.accepted.groups})
    facts = [json.loads(text) for text in texts]
    recognised = place is not None and place.generator_seed is not None
    return DataFacts(
        synthetic=recognised or _synthetic(facts),
        facts=tuple(facts) if gathered.workload.data else (),
        place=place,
    )


def software(observed: Sequence[Observed]) -> SoftwareFacts:
    """Return the frameworks and the arithmetic that accepted instances reported."""
    return SoftwareFacts(
        frameworks=frozenset(one.framework or "unknown" for one in observed),
        precisions=frozenset(map(_precision, observed)),
        versions=_versions(observed),
    )


def most_seconds(microseconds: Iterable[int | None], units: float | None = 1) -> float | None:
    """Return the longest time, in seconds for each unit; None where none, or the number, is not known."""
    known = [one for one in microseconds if one is not None]
    return max(known) / MICROSECONDS / units if known and units else None


def _longest(groups: Iterable[ObservationGroup]) -> float | None:
    """Return the longest FOM time, in seconds; None where no attempt has one."""
    return max((one.longest_seconds for one in groups if one.longest_seconds is not None), default=None)


def _lowest(groups: Iterable[ObservationGroup]) -> float | None:
    """Return the lowest accuracy; None where no attempt has one."""
    return min((one.lowest_accuracy for one in groups if one.lowest_accuracy is not None), default=None)


def _time_share(groups: Sequence[ObservationGroup]) -> tuple[float, float] | None:
    """Return lowest and highest share that the stated time has in the measured interval."""
    lowest = [one.lowest_share for one in groups if one.lowest_share is not None]
    highest = [one.highest_share for one in groups if one.highest_share is not None]
    return (min(lowest), max(highest)) if lowest and highest else None


def _mixed_slots(sites: Iterable[Event], benchmark: str) -> str:
    """Return how a benchmark's slot changed after instances of it were accepted; empty if it did not."""
    changes = ((one.data or {}).get("mixed", {}).get(benchmark) for one in sites)
    return "; ".join(change for change in changes if change)


def _largest_share(benchmark: BenchmarkRow) -> float | None:
    """Return the share of the system that an instance takes at most, of all pools that serve it."""
    shares = (one.get("share_of_system") for one in registered_places(benchmark.slot).values())
    return max((one for one in shares if one is not None), default=None)


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
