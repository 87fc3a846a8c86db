"""End-to-end time of campaigns with ranges of block shapes, beside the same campaigns with one shape.

    python -m tests.bench.shapes [--trials 100] [--model busy] [--told seconds|nodes|nothing]

Each trial submits one campaign to a simulated machine that other users keep busy, twice: with blocks of one
shape, and with ranges up to that shape. The background, the instances and their durations are the same.
`--told` is what the batch system says of free nodes: their number and how long they are free, their number,
or nothing.
"""

from __future__ import annotations

import argparse
import math
import queue
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from random import Random

from orchestrator.planning.plan import Plan
from orchestrator.schedulers.model import Hole
from orchestrator.simulation.batch_queue import BackgroundJob, BatchQueue
from orchestrator.simulation.fault_model import FaultModel
from orchestrator.simulation.machine import Machine
from orchestrator.simulation.unrecorded import CountingLedger, MemoryJournal, unrecorded_driver, waiting
from orchestrator.simulation.virtual_clock import VirtualClock
from tests.orchestrator.simulation.simulated import made_plan

_NODES = 128
_WARM_UP_SECONDS = 2 * 86_400.0
_BACKGROUND_SECONDS = 12 * 86_400.0
_SLOTS = 4
FIXED = {"nodes_per_block": 32, "walltime": "12 h", "max_blocks": 4}
RANGES = {"nodes_per_block": "1..32", "walltime": "20 min..12 h", "max_blocks": 4}


def background(random: Random, load: float = 0.9) -> Iterator[BackgroundJob]:
    """Yield jobs of others: sizes of powers of two, lognormal run times, walltimes that are too long."""
    at, mean_nodes, mean_seconds = 0.0, 12.0, 5400.0
    gap = mean_nodes * mean_seconds / (load * _NODES)
    while at < _BACKGROUND_SECONDS:
        at += random.expovariate(1 / gap)
        nodes = 2 ** random.choices(range(7), (20, 20, 20, 16, 12, 8, 4))[0]
        run = min(12 * 3600.0, random.lognormvariate(math.log(3000.0), 1.1))
        walltime = min(12 * 3600.0, 900.0 * math.ceil(run * random.uniform(1.2, 4.0) / 900.0))
        yield BackgroundJob(at, nodes, run, walltime)


def campaign(random: Random, batch: dict[str, object]) -> Plan:
    """Return a plan of 64 to 1,024 instances of 5 to 40 minutes."""
    instances = int(2 ** random.uniform(6, 10))
    minutes = random.uniform(5, 40)
    return made_plan(
        {"instances": instances, "expected_runtime": f"{minutes:.1f} min"},
        slots=_SLOTS,
        batch=batch,
        rulebook="none",
    )


def run(
    plan: Plan, trial: int, told: str, jobs: Callable[[], Iterator[BackgroundJob]]
) -> tuple[float, float]:
    """Return hours from the launch to the end of a campaign, and its node-hours."""
    faults = FaultModel(seed=trial, stragglers=0.0)
    expected = {one.name: one.expected_seconds or 0.0 for one in plan.benchmarks}
    clock = VirtualClock(grain=1.0, longest=_BACKGROUND_SECONDS, nap=30.0)
    journal = MemoryJournal()
    machine = Machine(
        clock,
        faults,
        faults.sampler(expected),
        plan.campaign.grace_period,
        journal.append,
        Telling(told, clock, _NODES, jobs()),
    )
    silent: queue.Queue[object] = queue.Queue()
    while clock.seconds() < _WARM_UP_SECONDS:
        clock.take(silent, 3600.0)
    begin = clock.seconds()
    with tempfile.TemporaryDirectory(prefix="orchestrator-") as folder:
        driver = unrecorded_driver(plan, folder, machine, CountingLedger(), journal)
        outcome = driver.run(waiting(plan))
    if str(outcome) != "complete":
        raise RuntimeError(f"trial {trial} ended as {outcome}")
    hours = sum(one.node_seconds for one in machine.stages) / 3600
    return (clock.seconds() - begin) / 3600, hours


class Telling(BatchQueue):
    """A queue that tells less than it knows of free nodes."""

    def __init__(self, told: str, *given: object) -> None:
        super().__init__(*given)  # type: ignore[arg-type]
        self._told = told

    def holes(self) -> tuple[Hole, ...]:
        """Return the holes as far as they are told."""
        if self._told == "nothing":
            return ()
        if self._told == "nodes":
            return (Hole(self.free),) if self.free else ()
        return super().holes()


def main() -> None:
    """Print ratios of ranges to one shape."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--told", choices=("seconds", "nodes", "nothing"), default="seconds")
    parser.add_argument("--load", type=float, default=0.9)
    given = parser.parse_args()
    ratios, hours = [], []
    began = time.perf_counter()
    for trial in range(given.trials):
        jobs = partial(background, Random(f"background {trial}"), given.load)
        found = []
        for batch in (FIXED, RANGES):
            plan = campaign(Random(f"campaign {trial}"), batch)
            jobs = partial(background, Random(f"background {trial}"), given.load)
            found.append(run(plan, trial, given.told, jobs))
        (fixed, fixed_hours), (ranged, ranged_hours) = found
        ratios.append(ranged / fixed)
        hours.append(ranged_hours / fixed_hours)
        print(
            f"{trial:4} {plan.size:5} x {(plan.benchmarks[0].expected_seconds or 0) / 60:4.0f} min  fixed {fixed:7.2f} h"
            f"  ranges {ranged:7.2f} h  ratio {ratios[-1]:5.2f}  node-hours {fixed_hours:6.1f} {ranged_hours:6.1f}",
            flush=True,
        )
    quantiles = statistics.quantiles(ratios, n=10)
    print(
        f"{len(ratios)} campaigns, told {given.told}: time by that of one shape: median "
        f"{statistics.median(ratios):.2f}, 10 to 90 % {quantiles[0]:.2f} to {quantiles[-1]:.2f}, most "
        f"{max(ratios):.2f}; node-hours, median {statistics.median(hours):.2f}; {time.perf_counter() - began:.0f} s"
    )


if __name__ == "__main__":
    main()
