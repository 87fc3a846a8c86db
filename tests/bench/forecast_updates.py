"""How often campaigns end in the range that is predicted while they run, and how much narrower it gets.

Each trial invents three earlier campaigns of a machine of `tests.bench.forecasting`, and simulates a further
one with a ledger. It is predicted before its launch, and from its ledger after a quarter, a half, three
quarters and all of the time that was predicted, unless it has ended then.

    python -m tests.bench.forecast_updates [--trials 100]
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from statistics import median

from orchestrator.analysis.projection.forecasts import Range
from orchestrator.planning.plan import Plan
from orchestrator.simulation.fault_model import FaultModel
from orchestrator.simulation.history import history_of
from orchestrator.simulation.prediction import predict
from orchestrator.simulation.rest import begun_of
from orchestrator.simulation.virtual_clock import START_US
from tests.bench.forecasting import MACHINES, Machine, campaign, together
from tests.orchestrator.simulation.simulated import SimulatedCampaign, made_plan

_SHARES = (0.25, 0.5, 0.75, 1.0)
_EARLIER = 3


def trial(machine: Machine, plan: Plan, number: int, folder: Path) -> tuple[float, dict[float, Range]]:
    """Return how long a campaign took, and its range before the launch and after shares of the time."""
    random = Random(f"{machine.name}/{number}")
    earlier = together([campaign(machine, random, f"c{k}") for k in range(_EARLIER)])
    drawn = campaign(machine, random, "came").draw(None)
    model = FaultModel(10_000 + number, node_hours_to_failure=10_000.0, queue_waits=drawn.waits)
    came = SimulatedCampaign(folder, plan, model, draw=model.sampler({}, drawn.runs))
    row, clock = replace(came.row, created_us=START_US), came.machine.clock
    before = predict(plan, seed=number, history=earlier).makespan_seconds
    ranges = {0.0: before}

    def look(share: float) -> None:
        begun = begun_of(came.book, row, plan, clock.now_us())
        history = together([earlier, history_of(came.book, plan)])
        ranges[share] = predict(plan, seed=number, history=history, begun=begun).makespan_seconds

    for share in _SHARES:
        clock.at(share * before.median, partial(look, share))
    came.run()
    took = clock.seconds()
    came.close()
    return took, ranges


def main() -> None:
    """Print a row for each machine and share of the time."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--trials", type=int, default=100)
    number = parser.parse_args().trials
    plan = made_plan({"instances": 32, "expected_runtime": "10 min"}, slots=4, batch={"nodes_per_block": 2})
    print(f"{number} campaigns each; ranges of 90 %")
    print(
        f"{'machine':20} {'predicted':>12} {'campaigns':>9} {'in range':>9} {'width':>7} {'median off':>11}"
    )
    for machine in MACHINES:
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            found = [trial(machine, plan, one, Path(folder) / str(one)) for one in range(number)]
        for share in (0.0, *_SHARES):
            ranges = [(took, one[share]) for took, one in found if share in one]
            inside = sum(one.holds(took) for took, one in ranges) / len(ranges)
            width = median(((one.high or 0.0) - (one.low or 0.0)) / took for took, one in ranges)
            off = median(abs(one.median - took) / took for took, one in ranges)
            when = f"after {share:.0%}" if share else "before"
            print(
                f"{machine.name:20} {when:>12} {len(ranges):9} {inside:9.0%} {width:7.0%} {off:11.1%}",
                flush=True,
            )


if __name__ == "__main__":
    main()
