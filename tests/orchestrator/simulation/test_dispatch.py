"""Drawn campaigns end close to the earliest time that any order of their instances allows."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from orchestrator.driver.outcomes import RunOutcome
from orchestrator.protocol.order import AttemptOrder
from orchestrator.simulation.fault_model import FaultModel, SimulatedRun
from orchestrator.simulation.machine import Machine
from orchestrator.simulation.unrecorded import CountingLedger, MemoryJournal, unrecorded_driver, waiting
from orchestrator.simulation.virtual_clock import VirtualClock
from tests.orchestrator.simulation.simulated import made_plan

CALM = FaultModel(seed=1, stragglers=0.0, pool_seconds=0.0)


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
    spread = {label: random.lognormvariate(0.0, 0.1) for label in _labels(benchmarks)}
    plan = made_plan(*benchmarks, slots=slots, rulebook="none")
    work = {label: lengths[label.rpartition("/")[0]] * factor for label, factor in spread.items()}

    def run(order: AttemptOrder) -> SimulatedRun:
        return SimulatedRun(0.0, work[order.label])

    journal = MemoryJournal()
    machine = Machine(VirtualClock(grain=0.2), CALM, run, plan.campaign.grace_period, journal.append)
    driver = unrecorded_driver(plan, str(tmp_path), machine, CountingLedger(), journal)
    assert driver.run(waiting(plan)) is RunOutcome.COMPLETE
    bound = max(sum(work.values()) / slots, max(work.values()))
    assert machine.statistics.most_at_once == slots
    assert bound <= machine.statistics.seconds <= 1.05 * bound


def _labels(benchmarks: list[dict[str, object]]) -> list[str]:
    return [f"{one['name']}/{number}" for one in benchmarks for number in range(int(str(one["instances"])))]
