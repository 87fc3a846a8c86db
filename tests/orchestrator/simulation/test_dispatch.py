"""Drawn campaigns end close to the earliest time that any order of their instances allows."""

from __future__ import annotations

import heapq
import statistics
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from db.states import RunOutcome
from orchestrator.planning.plan import Plan
from orchestrator.protocol.order import AttemptOrder
from orchestrator.protocol.time_budget import BLOCK_END_SECONDS
from orchestrator.simulation.fault_model import FaultModel, SimulatedRun
from orchestrator.simulation.machine import Machine
from orchestrator.simulation.unrecorded import CountingLedger, MemoryJournal, unrecorded_driver, waiting
from orchestrator.simulation.virtual_clock import VirtualClock
from tests.orchestrator.simulation.simulated import WALLTIME, made_plan

CALM = FaultModel(seed=1, stragglers=0.0, pool_seconds=0.0)
MARGIN = 1.15  # of what the driver learns, above what an instance takes


@pytest.mark.parametrize("known", [True, False], ids=["expected", "learned"])
@pytest.mark.parametrize("seed", range(8))
def test_a_drawn_campaign_ends_within_5_percent_of_the_lower_bound(
    tmp_path: Path, seed: int, known: bool
) -> None:
    random = Random(seed)
    slots = random.randint(2, 12)
    lengths = {f"b{number}": random.uniform(60.0, 3000.0) for number in range(random.randint(2, 5))}
    benchmarks = [
        {
            "name": name,
            "instances": random.randint(10, 20) * slots,
            "timeout": "4 h",
            # Else the driver learns it from the first that end.
            **({"expected_runtime": f"{seconds:.0f} s"} if known else {}),
        }
        for name, seconds in lengths.items()
    ]
    work = _drawn_work(benchmarks, lengths, random, 0.1)
    plan = made_plan(*benchmarks, slots=slots, rulebook="none")
    machine = _ran(tmp_path, plan, work)
    bound = max(sum(work.values()) / slots, max(work.values()))
    assert machine.statistics.most_at_once == slots
    assert bound <= machine.statistics.seconds <= 1.05 * bound


def test_blocks_are_filled_as_if_the_time_that_each_slot_has_left_were_known(tmp_path: Path) -> None:
    """The driver hands orders to no slot: it learns from those that do not fit what is too long."""
    shares, more_blocks = [], []  # of slot time and of blocks, against what knowing it would take
    for seed in range(10):
        random = Random(seed)
        slots, nodes, blocks = random.choice([2, 4]), random.choice([1, 2]), random.choice([1, 2])
        lengths = {
            f"b{number}": random.uniform(0.05, 0.7) * WALLTIME for number in range(random.randint(2, 5))
        }
        benchmarks = [
            {
                "name": name,
                "instances": random.randint(3, 8) * slots * nodes * blocks,
                "timeout": "4 h",
                "expected_runtime": f"{MARGIN * seconds:.0f} s",
            }
            for name, seconds in lengths.items()
        ]
        work = _drawn_work(benchmarks, lengths, random, 0.03)
        batch = {"nodes_per_block": nodes, "max_blocks": blocks}
        plan = made_plan(*benchmarks, slots=slots, batch=batch, rulebook="none")
        machine = _ran(tmp_path, plan, work)
        held = sum(stage.node_seconds for stage in machine.stages) * slots
        known, number = _held_by_longest_that_fits(work, lengths, slots * nodes, blocks, plan)
        shares.append(known / held)
        more_blocks.append(len(machine.blocks) / number)
    assert statistics.mean(shares) >= 0.97
    assert min(shares) >= 0.85
    assert statistics.mean(more_blocks) <= 1.05


def _drawn_work(
    benchmarks: list[dict[str, Any]], lengths: Mapping[str, float], random: Random, spread: float
) -> dict[str, float]:
    """Return how long each instance takes."""
    labels = [(one["name"], number) for one in benchmarks for number in range(one["instances"])]
    return {f"{name}/{k}": lengths[name] * random.lognormvariate(0.0, spread) for name, k in labels}


def _ran(folder: Path, plan: Plan, work: Mapping[str, float]) -> Machine:
    """Return the machine on which a campaign ran to its end."""

    def run(order: AttemptOrder) -> SimulatedRun:
        return SimulatedRun(0.0, work[order.label])

    journal = MemoryJournal()
    machine = Machine(VirtualClock(grain=0.2), CALM, run, plan.campaign.grace_period, journal.append)
    driver = unrecorded_driver(plan, str(folder), machine, CountingLedger(), journal)
    assert driver.run(waiting(plan)) is RunOutcome.COMPLETE
    return machine


def _held_by_longest_that_fits(
    work: Mapping[str, float], lengths: Mapping[str, float], slots: int, blocks: int, plan: Plan
) -> tuple[float, int]:
    """Return slot-seconds and number of blocks if each free slot gets the longest that it has time for."""
    waiting_work: dict[str, list[float]] = {name: [] for name in lengths}
    for label, seconds in work.items():
        waiting_work[label.rpartition("/")[0]].append(seconds)
    usable = WALLTIME - plan.campaign.grace_period - BLOCK_END_SECONDS
    free = [(0.0, block, slot) for block in range(blocks) for slot in range(slots)]  # with when they are
    began, busy = dict.fromkeys(range(blocks), 0.0), dict.fromkeys(range(blocks), slots)
    held = 0.0
    while free:
        now, block, slot = heapq.heappop(free)
        left = began[block] + usable - now
        fits = [name for name, some in waiting_work.items() if some and MARGIN * lengths[name] <= left]
        if fits:
            longest = max(fits, key=lengths.__getitem__)
            heapq.heappush(free, (now + waiting_work[longest].pop(), block, slot))
            continue
        busy[block] -= 1
        if not busy[block]:
            held += slots * (now - began[block])
            if any(waiting_work.values()):
                following = len(began)
                began[following], busy[following] = now, slots
                for number in range(slots):
                    heapq.heappush(free, (now, following, number))
    return held, len(began)
