"""The parts of the comparison; each yields its `Result` after every run.

A later result takes the place of an earlier one of the same name.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.bench import growth as driver_growth
from tests.bench import pace as driver_pace
from tests.bench.peers import (
    fom,
    gnu_parallel,
    hyperqueue,
    libensemble,
    loading,
    ours,
    parsl_htex,
    snakemake,
    xargs,
)
from tests.bench.peers.ensemble import ONE_THREAD, Ensemble, Peer, make_data, reported_runs
from tests.bench.peers.environments import PLACE, Missing, python_of
from tests.bench.peers.rounds import Figures, compare, peak_mib
from tests.bench.peers.table import Column, Result

MODULES = (ours, xargs, gnu_parallel, parsl_htex, libensemble, snakemake, hyperqueue)
SLOTS = 2


@dataclass(frozen=True, slots=True)
class Size:
    """How much each part does.

    Parameters
    ----------
    rounds
        Runs of each peer, of which the median is shown.
    trainings, no_ops
        Instances.
    rows
        Training rows of the P1B1 file, which is 60,483 columns wide.
    at_once
        Processes that read it at the same time.
    growth
        Instances of campaigns that show how the driver's cost grows.
    """

    rounds: int
    trainings: int
    no_ops: int
    rows: int
    at_once: int
    growth: tuple[int, ...]


QUICK = Size(rounds=1, trainings=6, no_ops=200, rows=30, at_once=4, growth=(1_000,))
USUAL = Size(rounds=3, trainings=80, no_ops=10_000, rows=300, at_once=8, growth=(1_000, 10_000, 100_000))
FULL = Size(
    rounds=3, trainings=80, no_ops=10_000, rows=3_000, at_once=8, growth=(1_000, 10_000, 100_000, 1_000_000)
)

TRAINING_COLUMNS = {
    "wall_seconds": Column("wall time, s"),
    "cpu_seconds": Column("CPU time, s"),
    "peak_mib": Column("peak memory, MiB", "{:,.0f}"),
    "training_seconds": Column("median training, s", "{:.2f}", more_is_better=None),
    "training_share": Column("cores' time in training", "{:.0%}", more_is_better=True),
    "later_share": Column("after the first began", "{:.0%}", more_is_better=True),
}
NO_OP_COLUMNS = {
    "instances": Column("instances", "{:,.0f}", more_is_better=None),
    "rate": Column("instances/s", "{:,.1f}", more_is_better=True),
    "cpu_ms": Column("CPU time each, ms", "{:,.1f}"),
    "peak_mib": Column("peak memory, MiB", "{:,.0f}"),
}
SLOT_COLUMNS = {
    "skew_seconds": Column("start skew, s", "{:.3f}"),
    "median_seconds": Column("median training, s", "{:.2f}"),
    "slowest_seconds": Column("slowest, s", "{:.2f}"),
    "wave_use": Column("slots' use in the wave", "{:.0%}", more_is_better=True),
}


def runs_of(peer: Peer, ensemble: Ensemble) -> list[tuple[int, int]]:
    """Return start and end of the run of each instance, UTC microseconds.

    Raises
    ------
    Missing
        If one has no result.
    """
    found = ours.accepted_runs(ensemble) if peer.ours else reported_runs(ensemble)
    if len(found) < ensemble.instances:
        raise Missing(f"{len(found)} of {ensemble.instances} instances gave a result")
    return found


def training_figures(runs: Sequence[tuple[int, int]], slots: int, taken: Mapping[str, float]) -> Figures:
    """Return the figures of a run of trainings; the later share is without the tool's own start and end."""
    starts, stops = zip(*runs, strict=True)
    each = [(stop - start) / 1e6 for start, stop in runs]
    between = (max(stops) - min(starts)) / 1e6
    return {
        "wall_seconds": taken["wall_seconds"],
        "cpu_seconds": taken["cpu_seconds"],
        "peak_mib": peak_mib(taken),
        "training_seconds": statistics.median(each),
        "training_share": sum(each) / (slots * taken["wall_seconds"]),
        "later_share": sum(each) / (slots * between),
    }


def no_op_figures(instances: int, taken: Mapping[str, float]) -> Figures:
    """Return the figures of a run of instances that only report."""
    return {
        "instances": float(instances),
        "rate": instances / taken["wall_seconds"],
        "cpu_ms": 1000 * taken["cpu_seconds"] / instances,
        "peak_mib": peak_mib(taken),
    }


def slot_figures(runs: Sequence[tuple[int, int]]) -> Figures:
    """Return what the instances of one wave took; the wave lasts from the first start to the last end."""
    starts, stops = zip(*runs, strict=True)
    seconds = [(stop - start) / 1e6 for start, stop in runs]
    wave = (max(stops) - min(starts)) / 1e6
    return {
        "skew_seconds": (max(starts) - min(starts)) / 1e6,
        "median_seconds": statistics.median(seconds),
        "slowest_seconds": max(seconds),
        "wave_use": sum(seconds) / (len(runs) * wave),
    }


def training(size: Size) -> Iterator[Result]:
    """Train P3B1 and LSTM at demo size, half of the instances each."""
    data = make_data(PLACE / "data")
    half = size.trainings // 2
    numbers = f"{half} P3B1 and {size.trainings - half} LSTM trainings"
    title = f"{numbers} on {SLOTS} cores, median of {size.rounds}"
    for rows in compare(
        [peer for module in MODULES for peer in module.TRAINING],
        MODULES,
        size.rounds,
        ONE_THREAD,
        lambda peer, folder: Ensemble(size.trainings, SLOTS, folder, python_of(peer.environment), data),
        lambda peer, one, taken: training_figures(runs_of(peer, one), one.slots, taken),
    ):
        yield Result("training", title, TRAINING_COLUMNS, rows)


def no_ops(size: Size) -> Iterator[Result]:
    """Run instances that only report."""
    title = f"Instances that only report, on {SLOTS} slots, median of {size.rounds}"
    for rows in compare(
        [peer for module in MODULES for peer in module.NO_OPS],
        MODULES,
        size.rounds,
        {},
        lambda peer, folder: Ensemble(
            min(size.no_ops, peer.most or size.no_ops), SLOTS, folder, python_of(peer.environment)
        ),
        lambda _peer, one, taken: no_op_figures(one.instances, taken),
    ):
        yield Result("no-ops", title, NO_OP_COLUMNS, rows)


def slots(size: Size) -> Iterator[Result]:
    """Train one P3B1 on each core at the same time."""
    data = make_data(PLACE / "data")
    title = f"One wave of {SLOTS} P3B1 trainings on {SLOTS} cores, median of {size.rounds}"
    for rows in compare(
        [*ours.SLOTS, *xargs.SLOTS],
        MODULES,
        size.rounds,
        {},
        lambda _peer, folder: Ensemble(SLOTS, SLOTS, folder, data=data, workloads=("p3b1",), together=True),
        lambda peer, one, _taken: slot_figures(runs_of(peer, one)),
    ):
        yield Result("slots", title, SLOT_COLUMNS, rows)


def growth(size: Size) -> Iterator[Result]:
    """Let campaigns grow; `tests.bench.growth` prints its own lines."""
    driver_growth.main(["--sizes", ",".join(map(str, size.growth)), "--rounds", str(size.rounds)])
    yield from ()


def pace(size: Size) -> Iterator[Result]:
    """Run workers that report at once; `tests.bench.pace` prints its own lines."""
    driver_pace.main(["--tasks", str(size.no_ops), "--rounds", str(size.rounds)])
    yield from ()


PARTS: Mapping[str, Callable[[Size], Iterable[Result]]] = {
    "training": training,
    "no-ops": no_ops,
    "pace": pace,
    "loading": lambda size: loading.results(size.rows, size.at_once, size.rounds),
    "slots": slots,
    "fom": lambda size: fom.results(size.rounds),
    "growth": growth,
}
