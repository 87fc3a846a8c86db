"""What the driver costs per attempt as campaigns and machines grow, on the simulated engine.

About 100 attempts end a second whatever the width, so that a row does not measure idle turns of the loop.

``python -m tests.bench.growth --sizes 1000,1000000 --slots 2,75000`` takes other sizes. Each row runs in a
process of its own, without a ledger or journals, so that the driver is what is measured.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path
from typing import Any

from orchestrator.driver.driver import Driver
from orchestrator.driver.observers.observer import DriverObserver
from orchestrator.planning.campaign_reading import parse_campaign
from orchestrator.planning.plan import Plan, make_plan
from orchestrator.planning.slots import NodeFacts
from orchestrator.simulation.fault_model import FaultModel
from orchestrator.simulation.machine import Machine
from orchestrator.simulation.unrecorded import CountingLedger, MemoryJournal, unrecorded_driver, waiting
from orchestrator.simulation.virtual_clock import VirtualClock
from sites import Site
from tests.harness import ROOT

SIZES = (1_000, 10_000, 100_000)
SLOTS = (2, 1_000, 75_000)
SLOTS_PER_NODE = 8
ENDS_PER_SECOND = 100.0
CALM = FaultModel(seed=1, stragglers=0.0, ready_seconds=0.1)


def made_plan(instances: int, slots: int, start: str = "independent") -> Plan:
    """Return a plan of one benchmark on one block."""
    cores = tuple(range(min(slots, SLOTS_PER_NODE)))
    campaign = parse_campaign(
        f"{{campaign: bench, start: {start}, benchmarks: [{{workload: tests.toys.behave, "
        f"instances: {instances}, timeout: 2 h, expected_runtime: {max(1.0, slots / ENDS_PER_SECOND)} s}}]}}",
        "bench",
    )
    scheduler = {
        "type": "slurm",
        "walltime": "100000 h",
        "nodes_per_block": -(-slots // SLOTS_PER_NODE),
        "max_blocks": 1,
    }
    site = Site.model_validate(
        {
            "site": "bench",
            "interface": "lo",
            "scheduler": scheduler,
            "node": {"cores": f"0-{cores[-1]}", "memory": "64 GiB"},
            "slot": {"cores": 1},
        }
    )
    return make_plan(campaign, site, NodeFacts(cores, 64 << 30, ()), Path("/nowhere"))


class Peaks(DriverObserver):
    """Notes memory when the most attempts are in flight."""

    def __init__(self) -> None:
        self.flying = 0
        self.bytes = 0
        self.driver: Driver | None = None

    def tick(self, engine: Any) -> None:
        """Note the memory of the fullest moment so far."""
        flying = self.driver.snapshot.queued + self.driver.snapshot.running if self.driver else 0
        if tracemalloc.is_tracing() and flying > self.flying:
            self.flying, self.bytes = flying, tracemalloc.get_traced_memory()[0]


def driver_of(plan: Plan, folder: str, observer: DriverObserver | None = None) -> tuple[Driver, Machine]:
    """Return a driver on a simulated machine that neither a ledger nor files slow down."""
    journal = MemoryJournal()
    clock = VirtualClock(grain=0.2, longest=1e10)
    sampler = CALM.sampler({one.name: one.expected_seconds or 1.0 for one in plan.benchmarks})
    machine = Machine(clock, CALM, sampler, plan.campaign.grace_period, journal.append)
    observers = (observer,) if observer else ()
    return unrecorded_driver(plan, folder, machine, CountingLedger(), journal, observers=observers), machine


def one(instances: int, slots: int, *, traced: bool) -> dict[str, float]:
    """Run a campaign and return what it took."""
    plan = made_plan(instances, slots)
    if traced:
        tracemalloc.start()
    empty = tracemalloc.get_traced_memory()[0] if traced else 0
    pending = waiting(plan)
    kept = tracemalloc.get_traced_memory()[0] - empty if traced else 0
    peaks = Peaks()
    with tempfile.TemporaryDirectory() as folder:
        driver, machine = driver_of(plan, folder, peaks)
        peaks.driver = driver
        begin = time.process_time()
        driver.run(pending)
        seconds = time.process_time() - begin
    return {
        "seconds": seconds,
        "attempts": machine.statistics.started,
        "waiting_bytes": kept / instances,
        "flying": peaks.flying,
        "flying_bytes": (peaks.bytes - empty - kept) / max(peaks.flying, 1),
        "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


class BarrierWatch(DriverObserver):
    """Notes the process time at which all attempts of the first wave were handed over, and its start."""

    def __init__(self, wave: int) -> None:
        self.wave = wave
        self.handed_over: float | None = None
        self.driver: Driver | None = None

    def tick(self, engine: Any) -> None:
        """Note the moment."""
        flying = self.driver.snapshot.queued + self.driver.snapshot.running if self.driver else 0
        if self.handed_over is None and flying >= self.wave:
            self.handed_over = time.process_time()


def at_barrier(slots: int) -> dict[str, float]:
    """Hand out one wave that starts together; return seconds until the last order was out, and to the end."""
    plan = made_plan(slots, slots, "synchronized")
    watch = BarrierWatch(plan.size)
    with tempfile.TemporaryDirectory() as folder:
        driver, _ = driver_of(plan, folder, watch)
        watch.driver = driver
        begin = time.process_time()
        driver.run(waiting(plan))
        ended = time.process_time()
    return {"handed_over": (watch.handed_over or ended) - begin, "seconds": ended - begin}


def alone(*words: str) -> dict[str, float]:
    """Return what a row takes in a process of its own."""
    command = [sys.executable, "-m", "tests.bench.growth", *words]
    found: dict[str, float] = json.loads(subprocess.run(command, cwd=ROOT, stdout=-1, check=True).stdout)
    return found


def main(arguments: list[str] | None = None) -> None:
    """Print CPU time and memory of each size and width, and of one wave."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.growth")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--slots", default=",".join(map(str, SLOTS)))
    parser.add_argument("--row", nargs=3)
    parser.add_argument("--wave", type=int)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args(arguments)
    if given.row:
        print(json.dumps(one(int(given.row[0]), int(given.row[1]), traced=given.row[2] == "traced")))
        return
    if given.wave:
        print(json.dumps(at_barrier(given.wave)))
        return
    widths = sorted(map(int, given.slots.split(",")))
    for slots in widths:
        for size in sorted(map(int, given.sizes.split(","))):
            if size < slots:
                continue
            rows = [alone("--row", str(size), str(slots), "timed") for _ in range(given.rounds)]
            each = [row["seconds"] / row["attempts"] for row in rows]
            memory = alone("--row", str(size), str(slots), "traced") if size <= 100_000 else None
            parts = (
                f"{memory['waiting_bytes']:.0f} bytes each that waits, {memory['flying_bytes']:.0f} each of "
                f"{memory['flying']:.0f} in flight, with the simulated machine"
                if memory
                else f"peak {rows[0]['peak_bytes'] / 2**20:.0f} MiB"
            )
            print(
                f"growth     {size} instances on {slots} slots, median of {given.rounds}: "
                f"{1e6 * statistics.median(each):.0f} µs of CPU an attempt; {parts}",
                flush=True,
            )
    waves = [alone("--wave", str(widths[-1])) for _ in range(given.rounds)]
    print(
        f"growth     a wave of {widths[-1]} that starts together, median of {given.rounds}: handed out in "
        f"{statistics.median(one['handed_over'] for one in waves):.1f} s of CPU, "
        f"{statistics.median(one['seconds'] for one in waves):.1f} s to its end"
    )


if __name__ == "__main__":
    main()
