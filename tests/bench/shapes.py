"""End-to-end time of campaigns with ranges of block shapes, beside the same campaigns with one shape.

    python -m tests.bench.shapes [--trials 100] [--answer seconds|nodes|none] [--utilisation 0.9]
                                 [--max-blocks 16] [--each]

Each trial submits one campaign twice to a simulated machine that other users keep busy: with blocks of one
shape, a quarter of the machine for twelve hours, and with ranges up to that shape. Jobs of others, instances
and durations are the same. `--answer` is that of the batch system to a question for free nodes: their number,
for how long they are free, and when waiting jobs are expected to start; their number alone; or none. The
bill is in node-hours, those of idle slots included. The floor is the median of the campaigns with one shape,
without the wait for their first block: no choice of shapes takes less, unless it gets more nodes.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from orchestrator.planning.plan import Plan
from orchestrator.schedulers.model import FreeNodes
from orchestrator.simulation.fault_model import FaultModel
from orchestrator.simulation.machine import Machine
from orchestrator.simulation.unrecorded import CountingLedger, MemoryJournal, unrecorded_driver, waiting
from orchestrator.simulation.virtual_clock import VirtualClock
from tests.bench import traces
from tests.bench.traces import Trace
from tests.orchestrator.simulation.simulated import made_plan

_SLOTS = 4
MODELS: dict[str, Callable[[int, float], Trace]] = {
    "busy": lambda seed, utilisation: traces.busy(seed, utilisation=utilisation),
    "shared": lambda seed, utilisation: traces.shared(seed, utilisation=utilisation),
    "partition": lambda seed, utilisation: traces.partitions(
        seed, number=1, nodes=16, utilisation=(utilisation, utilisation), jobs=2000
    )[0],
}


@dataclass(frozen=True)
class Run:
    """A campaign that ended: seconds from its launch, node-hours, and seconds until its first block."""

    seconds: float
    node_hours: float
    waited: float


class Telling(Machine):
    """A machine whose batch system states less of free nodes than it knows."""

    answer = "seconds"

    def free_nodes(self) -> FreeNodes | None:
        """Return the nodes that are free as far as the batch system states them."""
        if self.answer == "seconds":
            return super().free_nodes()
        if self.answer == "none" or self.queue is None:
            return None
        return FreeNodes.counted(self.queue.free)


def campaign(random: Random, nodes: int, max_blocks: int, *, ranges: bool) -> Plan:
    """Return a plan of instances of 5 to 40 minutes, which fill a sixteenth of a machine or more."""
    largest = nodes // 4
    batch: dict[str, Any] = {"nodes_per_block": largest, "walltime": "12 h", "max_blocks": max_blocks}
    if ranges:
        batch |= {"nodes_per_block": f"1..{largest}", "walltime": "20 min..12 h"}
    instances = int(nodes * _SLOTS * 2 ** random.uniform(-4, 1))
    runtime = f"{random.uniform(5, 40):.1f} min"
    return made_plan(
        {"instances": instances, "expected_runtime": runtime}, slots=_SLOTS, batch=batch, rulebook="none"
    )


def run(plan: Plan, seed: int, trace: Trace, answer: str) -> Run:
    """Run a campaign on a machine."""
    faults = FaultModel(seed=seed)
    expected = {one.name: one.expected_seconds or 0.0 for one in plan.benchmarks}
    clock, journal = VirtualClock(grain=1.0, nap=30.0), MemoryJournal()
    queue = trace.started(clock)
    machine = Telling(
        clock, faults, faults.sampler(expected), plan.campaign.grace_period, journal.append, queue
    )
    machine.answer = answer
    begin = clock.seconds()
    with tempfile.TemporaryDirectory(prefix="orchestrator-") as folder:
        outcome = unrecorded_driver(plan, folder, machine, CountingLedger(), journal).run(waiting(plan))
    if str(outcome) != "complete" or clock.seconds() > trace.seconds:
        raise RuntimeError(
            f"seed {seed} ended as {outcome} at {clock.seconds():.0f} s of {trace.seconds:.0f} s"
        )
    started = min(block.window[0] for block in machine.blocks if block.window)
    hours = sum(one.node_seconds for one in machine.stages) / 3600
    return Run(clock.seconds() - begin, hours, started - begin)


def compared(model: str, given: argparse.Namespace) -> list[tuple[Run, Run]]:
    """Return campaigns with one shape and with ranges."""
    pairs = []
    for seed in range(given.trials):
        trace = MODELS[model](seed, given.utilisation)
        plans = (
            campaign(Random(f"{model}/{seed}"), trace.nodes, given.max_blocks, ranges=ranges)
            for ranges in (False, True)
        )
        fixed, ranged = (run(plan, seed, trace, given.answer) for plan in plans)
        pairs.append((fixed, ranged))
        if given.each:
            hours = f"{fixed.seconds / 3600:7.2f} h  {ranged.seconds / 3600:7.2f} h"
            bill = f"{fixed.node_hours:7.1f} {ranged.node_hours:7.1f}"
            print(f"{model} {seed:3}  {hours}  {ranged.seconds / fixed.seconds:5.2f}  {bill}", flush=True)
    return pairs


def row(name: str, pairs: Sequence[tuple[Run, Run]]) -> str:
    """Return a row of the table."""
    ratios = sorted(ranged.seconds / fixed.seconds for fixed, ranged in pairs)
    bills = statistics.median(ranged.node_hours / fixed.node_hours for fixed, ranged in pairs)
    share = sum(one > 1.1 for one in ratios) / len(ratios)
    floor = statistics.median(1 - fixed.waited / fixed.seconds for fixed, _ in pairs)
    tenth = len(ratios) // 10
    figures = (statistics.median(ratios), ratios[tenth], ratios[-1 - tenth], ratios[-1])
    times = "".join(f"{one:7.2f}" for one in figures)
    return f"{name:28} {len(pairs):4} {times} {share:10.0%} {bills:6.2f} {floor:6.2f}"


def main() -> None:
    """Print a row for each model, and one for its campaigns that wait for longer than they run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--answer", choices=("seconds", "nodes", "none"), default="seconds")
    parser.add_argument("--utilisation", type=float, default=0.9)
    parser.add_argument("--max-blocks", type=int, default=16)
    parser.add_argument("--model", choices=MODELS, action="append")
    parser.add_argument("--each", action="store_true", help="print each campaign, too")
    given = parser.parse_args()
    print(
        f"time with ranges ÷ with one shape; answer: {given.answer}; utilisation {given.utilisation:g}; "
        f"blocks at most: {given.max_blocks}"
    )
    print(f"{'machine':28} {'':4}  median   10 %   90 %   most {'above 1.1':>10} {'bill':>6} {'floor':>6}")
    for model in given.model or MODELS:
        pairs = compared(model, given)
        print(row(model, pairs))
        waits = [(fixed, ranged) for fixed, ranged in pairs if fixed.waited > fixed.seconds / 2]
        if waits:
            print(row("  waits longer than it runs", waits), flush=True)


if __name__ == "__main__":
    main()
