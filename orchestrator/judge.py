"""From the ledger to the figure of merit: gathers evidence and lets the rulebook judge it."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from db.accepted import Accepted, accepted, accepted_alone
from db.clocks import Bounds, Clocks, clocks
from db.reader import Reader
from db.records import Campaign as CampaignRow
from orchestrator.concurrency import MakespanBreakdown, certain_overlap, makespan_breakdown, peak_overlap
from orchestrator.host.gpus import bare
from orchestrator.rulebooks import registry
from orchestrator.rulebooks.model import Certainty, Evidence, RunClass, SuiteFom
from workloads import describe
from workloads.external.file import is_file

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from db.accepted import Intervals

SHARED_CORES = "shared cores"
"""Kind of the event that another campaign used the cores of this one."""


def fom(name: str, ledger: str | None = None) -> SuiteFom:
    """Return the figure of merit of a campaign, with every rule that it keeps or breaks.

    Parameters
    ----------
    name
        Campaign.
    ledger
        Ledger URL; by default the environment's, else the default file.

    Raises
    ------
    LedgerError
        If the ledger or the campaign is not there.
    """
    with Reader(ledger) as reader:
        return verdict(reader, reader.campaign(name))


def verdict(reader: Reader, row: CampaignRow) -> SuiteFom:
    """Return what a campaign's rulebook says of it."""
    return registry.load(row.rulebook).judge(evidence(reader, row))


def verdict_and_makespans(reader: Reader, row: CampaignRow) -> tuple[SuiteFom, dict[str, MakespanBreakdown]]:
    """Return `verdict` and `makespans`; the ledger is asked once for both."""
    gathered = _gather(reader, row)
    judged = registry.load(row.rulebook).judge(_evidence(reader, row, gathered))
    return judged, _makespans(gathered)


def evidence(reader: Reader, row: CampaignRow) -> list[Evidence]:
    """Return what the ledger proves about each benchmark of a campaign."""
    return _evidence(reader, row, _gather(reader, row))


def makespans(reader: Reader, row: CampaignRow) -> dict[str, MakespanBreakdown]:
    """Return where the time of each benchmark went; benchmarks without an accepted attempt are left out."""
    return _makespans(_gather(reader, row))


@dataclass(frozen=True, slots=True)
class _Gathered:
    """Benchmarks of a campaign, each with its accepted attempts, and the clocks that timed them."""

    benchmarks: list[tuple[Any, Accepted]]
    clocks: Clocks


def _gather(reader: Reader, row: CampaignRow) -> _Gathered:
    asked = [(one, one.benchmark, one.quality_minimum) for one in reader.benchmarks(row.campaign)]
    if len(asked) == 1:
        [(one, name, minimum)] = asked
        if alone := accepted_alone(reader, row.campaign, name, minimum):
            return _Gathered([(one, alone[0])], alone[1])
    return _Gathered(
        [(one, accepted(reader, row.campaign, name, minimum)) for one, name, minimum in asked],
        clocks(reader, row.campaign),
    )


def _evidence(reader: Reader, row: CampaignRow, gathered: _Gathered) -> list[Evidence]:
    run_class = cast("RunClass", row.run_class)
    disturbed = reader.noted(row.campaign, SHARED_CORES)
    return [
        _benchmark_evidence(
            benchmark,
            found,
            gathered.clocks,
            run_class,
            reader.lowest_metric(row.campaign, benchmark.benchmark, "epochs_run"),
            disturbed=disturbed,
            resumed=reader.lowest_metric(row.campaign, benchmark.benchmark, "resumed_from_epoch") is not None,
        )
        for benchmark, found in gathered.benchmarks
    ]


def _makespans(gathered: _Gathered) -> dict[str, MakespanBreakdown]:
    spans = {}
    for benchmark, found in gathered.benchmarks:
        starts, stops = _together(found.runs)
        if len(starts) and stops.max() > starts.min():
            slots = max(json.loads(benchmark.slot).get("slots", 1), peak_overlap(starts, stops))
            spans[benchmark.benchmark] = makespan_breakdown(starts, stops, slots)
    return spans


def _together(intervals: Intervals) -> NDArray[np.int64]:
    """Return starts and stops of all places, shape (2, n)."""
    both: NDArray[np.int64] = np.concatenate([np.empty((0, 2), np.int64), *intervals.values()])
    return np.ascontiguousarray(both.T)


def _certainty(intervals: Intervals, known: Clocks, concurrent: int) -> Certainty | None:
    """Return what overlapped for certain; None where one clock told it all."""
    timed = {place: times for place, times in intervals.items() if len(times)}
    if not known.nodes or not timed:
        return None
    # What a session left behind is ended before the next one begins, whose driver may have another clock.
    overlap = max(
        certain_overlap(
            (known.of(place).low_us, known.of(place).high_us, *times.T)
            for place, times in timed.items()
            if place[0] == session and place[1] is not None
        )
        for session in {place[0] for place in timed}
    )
    session, node = max(timed, key=lambda place: _off(known.of(place)))
    bounds = known.of((session, node))
    return Certainty(
        overlap=min(overlap, concurrent),
        node=node or "without a name",
        ahead_seconds=(_seconds(bounds.low_us), _seconds(bounds.high_us)),
    )


def _off(bounds: Bounds) -> float:
    return math.inf if bounds.off_us is None else bounds.off_us


def _seconds(microseconds: int | None) -> float | None:
    return None if microseconds is None else microseconds / 1e6


def _benchmark_evidence(
    benchmark: Any,
    found: Accepted,
    known: Clocks,
    run_class: RunClass,
    fewest_epochs: float | None,
    *,
    disturbed: bool,
    resumed: bool,
) -> Evidence:
    workload = describe(benchmark.workload)
    # What is timed is what must have run at once: the run, or the window of timed steps.
    timed = found.runs if workload.fom_time == "run" else found.windows
    concurrent = peak_overlap(*_together(timed))
    parameters = json.loads(benchmark.parameters)
    alike = found.alike
    total = sum(one.number for one in alike)
    longest = [one.longest_seconds for one in alike if one.longest_seconds is not None]
    lowest = [one.lowest_accuracy for one in alike if one.lowest_accuracy is not None]
    seen = [one.seen if isinstance(one.seen, dict) else {} for one in alike]
    data = [json.loads(text) for text in sorted({one.data or "{}" for one in alike})]
    told = [one.get("synthetic") for one in data]
    devices = [one.devices.split(",") if one.devices else [] for one in alike]
    opened = [[str(gpu.get("uuid")) for gpu in one.get("gpus", [])] for one in seen]
    cores = [sorted(map(int, one.cores.split(","))) if one.cores else None for one in alike]
    return Evidence(
        benchmark=benchmark.benchmark,
        # A module of the user's is no benchmark of the suite, whatever it calls itself.
        workload=workload.name if is_file(benchmark.workload) else benchmark.workload,
        run_class=run_class,
        parameters=parameters,
        broken_parameters=tuple(workload.broken_rules(parameters)),
        planned=benchmark.instances,
        accepted=total,
        concurrent=concurrent,
        certain=_certainty(timed, known, concurrent),
        max_seconds=max(longest, default=None),
        without_seconds=total - sum(one.timed for one in alike),
        min_accuracy=min(lowest, default=None),
        without_accuracy=total - sum(one.rated for one in alike),
        below_target=sum(one.below for one in alike),
        frameworks=frozenset(str(one.get("framework", "unknown")) for one in seen),
        precisions=frozenset(
            "tensor_float32"
            if one.get("tensor_float32") and one.get("precision") == "float32"
            else str(one.get("precision", "unknown"))
            for one in seen
        ),
        versions=frozenset(
            f"{one['framework']} {one['framework_version']}" for one in seen if "framework_version" in one
        ),
        # One instance that did not say where its data came from leaves the question open.
        synthetic_data=True if any(told) else None if None in told or not told else False,
        other_data_sizes=tuple(
            dict.fromkeys(text for one in data for text in workload.data.other_sizes(one))
            if workload.data
            else ()
        ),
        slot_mismatches=sum(
            group.number
            for group, own, one, given, used in zip(alike, cores, seen, devices, opened, strict=True)
            if own is None or one.get("cpuset") != own or sorted(map(bare, used)) != sorted(map(bare, given))
        ),
        devices_used=all(
            one.get("gpus") and all(gpu.get("proven", True) for gpu in one["gpus"]) for one in seen
        )
        if any(devices)
        else None,
        largest_devices=max(
            (len(given) or len(one.get("ranks", "1")) for given, one in zip(devices, seen, strict=True)),
            default=0,
        ),
        distinct_seeds=True,  # the ledger takes no seed twice in a campaign
        largest_share_of_system=json.loads(benchmark.slot).get("share_of_system"),
        fewest_epochs_run=None if fewest_epochs is None else int(fewest_epochs),
        resumed=resumed,
        disturbed=disturbed,
        clocks_apart_seconds=known.contradiction_us / 1e6,
    )
