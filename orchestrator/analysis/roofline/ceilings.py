"""Rooflines from microbenchmarks, and where trainings stand below them. Pure.

A roofline (Williams, Waterman and Patterson, 2009) states what can be attained: min(peak, bandwidth ×
intensity). All of it is per rank. The peak is the best matrix product or convolution that a slot of one rank
measured; the bandwidth is that of its memory for a node, and the bus bandwidth of the all-reduce for the
distributed roofline. There the intensity (communication operational intensity, COI) is FLOP divided by the
bytes that a ring all-reduce moves through the rank's link: 2(n − 1)/n of the gradients' bytes, in step with
the bus bandwidth. Few sites count the bytes that a training moves through memory, so that no training has a
place on the node's roofline other than its height; a note states what CPUs counted.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from orchestrator.analysis.roofline.achieved import Achieved, Place, achieved
from orchestrator.protocol.foreign_load import MAX_PERCENT
from workloads.microbenchmarks.allreduce import bus_factor

COMPUTE = ("gemm", "conv")
MEMORY = "triad"
COMMUNICATION = "allreduce"
RATES = {
    "gemm": "flop_per_second",
    "conv": "flop_per_second",
    MEMORY: "bytes_per_second",
    COMMUNICATION: "bus_bytes_per_second",
}
"""Metric of each microbenchmark that is a ceiling."""

MICROBENCHMARKS = (*RATES, "read_bandwidth")
_ATTAINED = ("samples_seen", "training_flop_per_sample", "training_seconds")
_STEPS = "optimizer_steps"
_COMMUNICATED = "communicated_bytes_per_step"
_COUNTED = "cpu_counted_flop"
_DRAM = ("cpu_dram_read_bytes", "cpu_dram_written_bytes")
ARITHMETIC = {"mixed_bfloat16": "bfloat16", "mixed_float16": "float16"}
"""Type of the products of trainings in mixed precision."""


@dataclass(frozen=True, slots=True)
class BenchmarkRuns:
    """The accepted runs of a benchmark: the metrics of each, and what they have in common.

    Parameters
    ----------
    precision
        Type of the products, as it was measured.
    memory
        ``host`` or ``gpu``, where the benchmark states whose memory it measured.
    foreign_cpu_percent
        Most of its cores' time that other processes took in a run; None where it was not measured.
    """

    name: str
    workload: str
    place: Place
    ranks: int
    nodes: int
    precision: str
    runs: Sequence[Mapping[str, float]]
    memory: str = ""
    foreign_cpu_percent: int | None = None


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The highest rate that a kind of microbenchmark sustained on one kind of slot.

    Parameters
    ----------
    value
        Median over the runs, of one rank; FLOP/s or B/s.
    lowest, highest
        Of any repetition of any run.
    foreign_cpu_percent
        As of `BenchmarkRuns`: above 5 the machine may sustain more.
    """

    kind: str
    precision: str
    place: Place
    ranks: int
    nodes: int
    value: float
    lowest: float
    highest: float
    runs: int
    measured_by: str
    foreign_cpu_percent: int | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a training stands.

    Parameters
    ----------
    flop_per_second
        Median over its runs, of one rank: samples × FLOP of a sample ÷ seconds of training ÷ ranks.
    intensity
        FLOP per byte communicated; None for one rank, which communicates nothing.
    peak
        Best matrix product or convolution on its kind of slot in its arithmetic.
    attainable
        min(peak, bus bandwidth × intensity), or the peak of one rank.
    bound
        Which of the two is lower: ``compute`` or ``communication``.
    notes
        Why a figure is absent, or doubtful.
    """

    name: str
    place: Place
    ranks: int
    nodes: int
    precision: str
    runs: int
    flop_per_second: float | None = None
    intensity: float | None = None
    peak: float | None = None
    attainable: float | None = None
    bound: str = ""
    notes: tuple[str, ...] = ()

    @property
    def achieved(self) -> Achieved:
        """Part of the theoretical peak of the devices of all ranks, in the training's arithmetic."""
        rate = None if self.flop_per_second is None else self.flop_per_second * self.ranks
        return achieved(self.name, self.place, self.ranks, rate, (self.precision,))

    @property
    def share_of_peak(self) -> float | None:
        """Part of the compute ceiling."""
        return _ratio(self.flop_per_second, self.peak)

    @property
    def share_of_attainable(self) -> float | None:
        """Part of the roofline at the training's intensity."""
        return _ratio(self.flop_per_second, self.attainable)


@dataclass(frozen=True, slots=True)
class Roofline:
    """Ceilings, the highest of each kind first, and trainings."""

    ceilings: tuple[Ceiling, ...]
    trainings: tuple[Standing, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data; rates are of one rank."""
        return {
            "ceilings": [asdict(one) for one in self.ceilings],
            "trainings": [
                asdict(one)
                | {
                    "share_of_peak": one.share_of_peak,
                    "share_of_attainable": one.share_of_attainable,
                    "achieved": one.achieved.to_dict(),
                }
                for one in self.trainings
            ],
        }


def roofline(benchmarks: Iterable[BenchmarkRuns]) -> Roofline:
    """Return the ceilings of microbenchmarks and the standing of all other benchmarks."""
    listed = list(benchmarks)
    ceilings = _ceilings(one for one in listed if one.workload in RATES)
    trainings = [_standing(one, ceilings) for one in listed if one.workload not in MICROBENCHMARKS]
    return Roofline(tuple(ceilings), tuple(trainings))


def peak_of(place: Place, precision: str, ceilings: Iterable[Ceiling]) -> Ceiling | None:
    """Return the highest compute ceiling of a kind of slot in some arithmetic."""
    fit = [c for c in ceilings if c.kind in COMPUTE and (c.place, c.precision) == (place, precision)]
    return max(fit, key=lambda one: one.value, default=None)


def _ceilings(benchmarks: Iterable[BenchmarkRuns]) -> list[Ceiling]:
    best: dict[tuple[Any, ...], Ceiling] = {}
    for one in benchmarks:
        rate = RATES[one.workload]
        runs = [run for run in one.runs if run.get(rate, 0) > 0]
        if not runs or (one.memory == "host" and one.place.gpus):
            continue  # the memory of a slot with GPUs is theirs
        found = Ceiling(
            kind=one.workload,
            precision=one.precision if one.workload in COMPUTE else "",
            place=one.place,
            ranks=one.ranks,
            nodes=one.nodes,
            value=statistics.median(run[rate] for run in runs),
            lowest=min(run.get(f"{rate}_lowest", run[rate]) for run in runs),
            highest=max(run.get(f"{rate}_highest", run[rate]) for run in runs),
            runs=len(runs),
            measured_by=one.name,
            foreign_cpu_percent=one.foreign_cpu_percent,
        )
        key = (found.kind, found.precision, found.place, found.ranks, found.nodes)
        if key not in best or best[key].value < found.value:
            best[key] = found
    order = list(RATES)
    return sorted(
        best.values(),
        key=lambda one: (str(one.place), order.index(one.kind), one.ranks, one.nodes, -one.value),
    )


def _standing(one: BenchmarkRuns, ceilings: Sequence[Ceiling]) -> Standing:
    precision = ARITHMETIC.get(one.precision, one.precision)
    found = Standing(one.name, one.place, one.ranks, one.nodes, precision, len(one.runs))
    runs, lack = _with(one.runs, _ATTAINED)
    if not runs:
        return replace(found, notes=lack)
    attained = statistics.median(_flop(run) / run["training_seconds"] / one.ranks for run in runs)
    peak = peak_of(one.place, precision, ceilings)
    notes = _disturbed("this training", one) + _counted(one.place, runs)
    if peak is None:
        notes += (_no_peak(one.place, precision, ceilings),)
    else:
        if attained > peak.value:
            text = "other sizes or an idle node would raise that ceiling"
            notes += (f"faster than {peak.measured_by}: {text}",)
        notes += _disturbed(peak.measured_by, peak)
    found = replace(found, flop_per_second=attained, peak=peak.value if peak else None, notes=notes)
    if one.ranks > 1:
        return _distributed(found, runs, ceilings)
    return replace(found, attainable=found.peak, bound="compute" if peak else "")


def _distributed(one: Standing, runs: Sequence[Mapping[str, float]], ceilings: Iterable[Ceiling]) -> Standing:
    """Return the standing of a training of several ranks below their all-reduce as well."""
    counted, lack = _with(runs, (_STEPS, _COMMUNICATED))
    moved = one.ranks * bus_factor(one.ranks)
    found = [_flop(run) / run[_STEPS] / (run[_COMMUNICATED] * moved) for run in counted]
    same = (COMMUNICATION, one.place, one.ranks, one.nodes)
    link = next((c for c in ceilings if (c.kind, c.place, c.ranks, c.nodes) == same), None)
    if link is None:
        nodes = f"{one.nodes} node" + ("" if one.nodes == 1 else "s")
        lack = (*lack, f"no allreduce of {one.ranks} ranks on {nodes}, each rank with {one.place}")
    else:
        lack = (*lack, *_disturbed(link.measured_by, link))
    intensity = statistics.median(found) if found else None
    one = replace(one, intensity=intensity, notes=(*one.notes, *lack))
    if intensity is None or link is None or one.peak is None:
        return one
    communicated = link.value * intensity
    bound = "communication" if communicated < one.peak else "compute"
    return replace(one, attainable=min(communicated, one.peak), bound=bound)


def _with(
    runs: Sequence[Mapping[str, float]], names: Sequence[str]
) -> tuple[list[Mapping[str, float]], tuple[str, ...]]:
    """Return the runs that have some metrics, all above 0; and where none has, why."""
    found = [run for run in runs if all(run.get(name, 0) > 0 for name in names)]
    if found or not runs:
        return found, () if found else ("no accepted run",)
    absent = [name for name in names if not any(run.get(name, 0) > 0 for run in runs)]
    return [], (f"no run has {', '.join(absent or names)}",)


def _disturbed(name: str, one: BenchmarkRuns | Ceiling) -> tuple[str, ...]:
    """Return that other processes slowed a measurement, where they took more than a quiet node has."""
    percent = one.foreign_cpu_percent
    if percent is None or percent <= MAX_PERCENT:
        return ()
    return (
        f"other processes took up to {percent} % of the time of the cores of {name}, which is faster alone",
    )


def _counted(place: Place, runs: Iterable[Mapping[str, float]]) -> tuple[str, ...]:
    """Return what the CPUs' own counters say of trainings on CPUs, over their whole runs."""
    counted = [run for run in runs if _COUNTED in run and not place.gpus]
    if not counted:
        return ()
    ratio = statistics.median(run[_COUNTED] / _flop(run) for run in counted)
    moved = [(run[_COUNTED], sum(run[name] for name in _DRAM)) for run in counted if run.keys() >= set(_DRAM)]
    intensities = [flop / moved_bytes for flop, moved_bytes in moved if moved_bytes > 0]
    per_byte = (
        f", {statistics.median(intensities):.3g} for each byte of the node's DRAM" if intensities else ""
    )
    return (f"over whole runs the CPUs counted {ratio:.3g} times the FLOP of the graph{per_byte}",)


def _flop(run: Mapping[str, float]) -> float:
    """Return the FLOP of all samples of a run, on all its ranks."""
    return run["samples_seen"] * run["training_flop_per_sample"]


def _no_peak(place: Place, precision: str, ceilings: Iterable[Ceiling]) -> str:
    compute = [one for one in ceilings if one.kind in COMPUTE]
    here = sorted({one.precision for one in compute if one.place == place})
    there = sorted({str(one.place) for one in compute if one.precision == precision})
    known = f"there: {', '.join(here)}" if here else f"elsewhere: {'; '.join(there)}" if there else "none"
    return f"no gemm or conv in {precision or 'unknown precision'} on {place} ({known})"


def _ratio(part: float | None, whole: float | None) -> float | None:
    return None if part is None or not whole else part / whole
