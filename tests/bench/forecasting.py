"""How often campaigns end in the range that was predicted from the campaigns before them.

Each trial invents a machine's earlier campaigns, predicts a further one from them, and simulates that one
with times of its own. Campaigns differ as wholes by lognormal factors of their runs and of their waits in
the queue; runs have stragglers; nothing tells the prediction how large the factors are.

    python -m tests.bench.forecasting [--trials 100]
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from orchestrator.planning.plan import Plan
from orchestrator.simulation.history import History
from orchestrator.simulation.prediction import forecast, predict
from tests.orchestrator.simulation.simulated import made_plan

_EARLIER = (1, 3, 10)
_RUNS, _WAITS = 40, 4


@dataclass(frozen=True)
class Machine:
    """Standard deviations of the logarithms of a campaign's factors; waits are half an hour in the middle."""

    name: str
    run_factor: float
    wait_factor: float | None


MACHINES = (
    Machine("calm, no queue", 0.02, None),
    Machine("calm, busy queue", 0.02, 0.8),
    Machine("uneven, no queue", 0.15, None),
    Machine("uneven, busy queue", 0.15, 1.2),
)


def campaign(machine: Machine, random: Random, name: str) -> History:
    """Return the times of one campaign on a machine."""
    factor = math.exp(random.gauss(0.0, machine.run_factor))
    runs = [
        (5.0, 600 * factor * math.exp(random.gauss(0.0, 0.03)) * (random.choice((1.5, 3.0)) if slow else 1.0))
        for slow in (random.random() < 0.02 for _ in range(_RUNS))
    ]
    waits = {}
    if machine.wait_factor is not None:
        usual = math.log(1800) + random.gauss(0.0, machine.wait_factor)
        waits = {"": {name: [math.exp(usual + random.gauss(0.0, 0.5)) for _ in range(_WAITS)]}}
    return History(runs={"behave": {name: runs}}, waits=waits)


def together(campaigns: list[History]) -> History:
    """Return one history of several campaigns."""
    runs: dict[str, list[tuple[float, float]]] = {}
    waits: dict[str, list[float]] = {}
    for one in campaigns:
        runs |= one.runs.get("behave", {})
        waits |= one.waits.get("", {})
    return History(runs={"behave": runs}, waits={"": waits} if waits else {})


def trials(machine: Machine, plan: Plan, earlier: int, number: int) -> Iterator[tuple[bool, bool, float]]:
    """Yield whether length and node-hours were in their ranges, and the range's width by its median."""
    for trial in range(number):
        random = Random(f"{machine.name}/{earlier}/{trial}")
        history = together([campaign(machine, random, f"c{k}") for k in range(earlier)])
        found = predict(plan, seed=trial, history=history)
        came = forecast(plan, seed=10_000 + trial, history=campaign(machine, random, "came"))
        length = found.makespan_seconds
        width = ((length.high or 0.0) - (length.low or 0.0)) / length.median
        yield length.holds(came.makespan_seconds), found.node_hours.holds(came.node_hours), width


def main() -> None:
    """Print a row for each machine and number of earlier campaigns."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--trials", type=int, default=100)
    number = parser.parse_args().trials
    plan = made_plan({"instances": 16, "expected_runtime": "10 min"}, slots=4, batch={"nodes_per_block": 2})
    print(f"{number} campaigns each; ranges of 90 %")
    print(f"{'machine':20} {'earlier':>8} {'length in range':>16} {'node-hours in range':>20} {'width':>7}")
    for machine in MACHINES:
        for earlier in _EARLIER:
            found = list(trials(machine, plan, earlier, number))
            length, hours = (sum(one[k] for one in found) / number for k in (0, 1))
            width = sorted(one[2] for one in found)[number // 2]
            print(
                f"{machine.name:20} {earlier:8} {length:16.0%} {hours:20.0%} {width:7.0%}",
                flush=True,
            )


if __name__ == "__main__":
    main()
