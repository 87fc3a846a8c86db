"""Seeded synthetic jobs of other users for three kinds of machines: ``python -m tests.bench.traces``.

Each model draws jobs first; from their node-seconds and the utilisation follows how long they take to arrive.
Sizes are powers of two, run times lognormal, and a walltime is a round time that most jobs do not use up.
Fewer jobs arrive at night.

A campaign on such a machine::

    clock = VirtualClock(nap=30.0)
    trace = busy(seed=1)
    queue = trace.started(clock)  # the clock is now after the warm-up
    machine = Machine(clock, fault_model, sampler, grace, written, queue)
    # ... run the campaign, then:
    assert clock.seconds() < trace.seconds  # later on, the machine would be empty
"""

from __future__ import annotations

import argparse
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from random import Random
from statistics import fmean, median
from typing import NamedTuple

from orchestrator.schedulers.model import Hole
from orchestrator.simulation.virtual_clock import VirtualClock
from tests.bench import workload_format
from tests.orchestrator.simulation.batch_queue import BackgroundJob, BatchQueue
from tests.orchestrator.simulation.fair_share import Priority, fair_share

HOUR, DAY = 3_600.0, 86_400.0
WALLTIMES = tuple(60.0 * minutes for minutes in (10, 30, 60, 120, 240, 480, 720, 1440))
_KILLED = 0.05
"""Share of jobs that reach their walltime."""
_NIGHT = 0.5
"""Amplitude of the daily cycle of arrivals."""


@dataclass(frozen=True)
class Trace:
    """Jobs of other users on a machine.

    Parameters
    ----------
    seconds
        When the last job arrives.
    warm_up
        Seconds until the machine, which begins empty, is in its usual state.
    priority
        How its queue orders jobs.
    """

    name: str
    nodes: int
    jobs: tuple[BackgroundJob, ...]
    seconds: float
    warm_up: float
    priority: Priority | None = None

    def started(self, clock: VirtualClock, *, pass_seconds: float = 30.0) -> BatchQueue:
        """Return the machine's queue after its warm-up has passed on a new clock.

        Users have used the machine as they do in the trace for ever: half-lives of fair share are longer than
        a warm-up, and without a past the first days would count for more than they do on a real machine.
        """
        queue = BatchQueue(
            clock,
            self.nodes,
            self.jobs,
            pass_seconds=pass_seconds,
            priority=self.priority,
            held=self.mean_nodes(),
        )
        clock.pass_time(self.warm_up)
        return queue

    def mean_nodes(self) -> dict[str, float]:
        """Return the nodes that each user holds on average."""
        held: defaultdict[str, float] = defaultdict(float)
        for job in self.jobs:
            held[job.user] += job.nodes * job.run_seconds / self.seconds
        return held

    def write(self, file: Path) -> None:
        """Write the jobs in the Standard Workload Format."""
        text = "\n".join(workload_format.lines(self.jobs, self.nodes, self.name))
        file.write_text(f"{text}\n", encoding="utf-8")


def busy(seed: int, *, nodes: int = 128, utilisation: float = 0.9, jobs: int = 5_000) -> Trace:
    """Return a busy machine with backfill: first come, first served, and jobs up to a quarter of it."""
    random = Random(f"busy/{seed}")
    drawn = [_drawn(random, nodes // 4, HOUR, _user(random, 20)) for _ in range(jobs)]
    seconds = _seconds(drawn, nodes, utilisation)
    arrivals = (_arrival(random, seconds) for _ in drawn)
    return _trace("busy", nodes, zip(arrivals, drawn, strict=True), seconds, None)


def shared(seed: int, *, nodes: int = 128, utilisation: float = 0.9, jobs: int = 5_000) -> Trace:
    """Return a machine with fair share among 60 users, each of whom submits similar jobs in bursts."""
    random = Random(f"shared/{seed}")
    bursts: list[list[_Drawn]] = []
    while (left := jobs - sum(map(len, bursts))) > 0:
        user, largest = _user(random, 60), 2 ** random.randint(0, int(math.log2(nodes // 4)))
        median = HOUR * random.lognormvariate(0.0, 0.5)
        size = min(left, 1 + int(random.expovariate(1 / 5)))
        bursts.append([_drawn(random, largest, median, user) for _ in range(size)])
    seconds = _seconds([job for burst in bursts for job in burst], nodes, utilisation)
    arrivals = []
    for burst in bursts:
        at = _arrival(random, seconds)
        for job in burst:
            arrivals.append((min(at, float(int(seconds))), job))
            at += 1.0 + int(random.expovariate(1 / 120.0))
    return _trace("shared", nodes, arrivals, seconds, fair_share)


def partitions(
    seed: int,
    *,
    number: int = 8,
    nodes: int = 16,
    utilisation: tuple[float, float] = (0.6, 0.95),
    jobs: int = 5_000,
) -> tuple[Trace, ...]:
    """Return small partitions of a machine, from the least to the most used, each with a queue of its own."""
    least, most = utilisation
    traces = []
    for partition in range(number):
        random = Random(f"partition {partition}/{seed}")
        drawn = [_drawn(random, nodes // 2, HOUR, _user(random, 10)) for _ in range(jobs // number)]
        seconds = _seconds(drawn, nodes, least + (most - least) * partition / max(1, number - 1))
        arrivals = ((_arrival(random, seconds), job) for job in drawn)
        traces.append(_trace(f"partition {partition}", nodes, arrivals, seconds, None))
    return tuple(traces)


class _Drawn(NamedTuple):
    nodes: int
    run: float
    walltime: float
    user: str


def _drawn(random: Random, largest: int, median: float, user: str) -> _Drawn:
    """Draw a job: sizes up to `largest` are each half as frequent as the next smaller, or a bit more."""
    sizes = [2**power for power in range(int(math.log2(largest)) + 1)]
    nodes = random.choices(sizes, [size**-0.7 for size in sizes])[0]
    run = min(WALLTIMES[-1], max(30.0, median * random.lognormvariate(-0.5, 1.3)))
    wanted = run / random.uniform(0.1, 1.0)
    walltime = next((limit for limit in WALLTIMES if limit >= wanted), WALLTIMES[-1])
    if random.random() < _KILLED:
        run = walltime
    return _Drawn(nodes, float(round(run)), walltime, user)


def _user(random: Random, users: int) -> str:
    """Draw a user; the second submits half as much as the first, the third a third."""
    return f"user{random.choices(range(1, users + 1), [1 / rank for rank in range(1, users + 1)])[0]}"


def _seconds(drawn: Sequence[_Drawn], nodes: int, utilisation: float) -> float:
    """Return the time in which the jobs fill so much of the machine."""
    return sum(job.nodes * job.run for job in drawn) / nodes / utilisation


def _arrival(random: Random, seconds: float) -> float:
    """Draw a time; noon has three times as many as midnight, at which the trace begins."""
    while True:
        at = float(int(random.uniform(0.0, seconds)))
        if random.random() * (1 + _NIGHT) < 1 - _NIGHT * math.cos(2 * math.pi * at / DAY):
            return at


def _trace(
    name: str,
    nodes: int,
    arrivals: Iterable[tuple[float, _Drawn]],
    seconds: float,
    priority: Priority | None,
) -> Trace:
    jobs = sorted(BackgroundJob(at, *drawn) for at, drawn in arrivals)
    return Trace(name, nodes, tuple(jobs), seconds, min(3 * DAY, seconds / 4), priority)


@dataclass(frozen=True)
class Usage:
    """A machine without a campaign, between the warm-up and the last arrival.

    Parameters
    ----------
    free_nodes, waiting
        Mean numbers of free nodes and waiting jobs at full minutes.
    hole_seconds
        Median length of the largest hole then, 0 without a hole and infinite without an end.
    """

    utilisation: float
    free_nodes: float
    waiting: float
    hole_seconds: float


def usage(trace: Trace) -> Usage:
    """Run the jobs of a trace and return the machine's usage."""
    clock = VirtualClock()
    queue = trace.started(clock)
    begin, used = clock.seconds(), queue.busy_node_seconds()
    free, waiting, lengths = [], [], []
    while clock.seconds() < trace.seconds:
        clock.pass_time(60.0)
        hole = max(queue.holes(), key=attrgetter("nodes"), default=Hole(0, 0.0))
        lengths.append(math.inf if hole.seconds is None else hole.seconds)
        free.append(queue.free)
        waiting.append(len(queue.waiting))
    share = (queue.busy_node_seconds() - used) / (clock.seconds() - begin) / trace.nodes
    return Usage(share, fmean(free), fmean(waiting), median(lengths))


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the usage of each machine, and write the traces if a folder is given."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write the traces there, as *.swf")
    options = parser.parse_args(arguments)
    for trace in (busy(options.seed), shared(options.seed), *partitions(options.seed)):
        found = usage(trace)
        print(
            f"{trace.name}: {len(trace.jobs)} jobs on {trace.nodes} nodes in {trace.seconds / DAY:.1f} days, "
            f"utilisation {found.utilisation:.3f}, on average {found.free_nodes:.1f} nodes free and "
            f"{found.waiting:.1f} jobs waiting, median length of the largest hole "
            f"{found.hole_seconds / 60:.0f} min"
        )
        if options.write is not None:
            options.write.mkdir(parents=True, exist_ok=True)
            trace.write(options.write / f"{trace.name.replace(' ', '-')}-{options.seed}.swf")


if __name__ == "__main__":
    main()
