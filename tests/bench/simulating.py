"""How long the driver, on the simulated engine, takes for a campaign of the suite's size."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from db.ledger import Ledger
from orchestrator.planning.campaign_reading import parse_campaign
from orchestrator.planning.plan import Plan, make_plan
from orchestrator.planning.slots import NodeFacts
from orchestrator.simulation.machine import Machine
from orchestrator.simulation.virtual_clock import VirtualClock
from sites import Site
from tests.db.rows import fast_folder
from tests.orchestrator.simulation import campaign
from tests.orchestrator.simulation.journals import JournalMachine, RepeatedReports

INSTANCES = 14_000
FAULTS = RepeatedReports(
    stragglers=0.02, failures=0.01, node_hours_to_failure=200.0, duplicates=0.02, queue_seconds=120.0
)


def made_plan(start: str) -> Plan:
    """Return a plan of one benchmark on two blocks of 128 nodes."""
    campaign = parse_campaign(
        f"{{campaign: bench, start: {start}, benchmarks: [{{workload: tests.toys.behave, "
        f"instances: {INSTANCES}, timeout: 2 h, expected_runtime: 20 min}}]}}",
        "bench",
    )
    site = Site.model_validate(
        {
            "site": "bench",
            "interface": "lo",
            "scheduler": {"type": "slurm", "walltime": "3 h", "nodes_per_block": 128, "max_blocks": 2},
            "node": {"cores": "0-7", "memory": "64 GiB"},
            "slot": {"cores": 1},
        }
    )
    return make_plan(campaign, site, NodeFacts(tuple(range(8)), 64 << 30, ()), Path("/nowhere"))


def main() -> None:
    """Print seconds, and what became of the campaign."""
    for start in ("independent", "synchronized"):
        plan = made_plan(start)
        folder = fast_folder("simulating-")
        try:
            seconds, machine, outcome = simulate(plan, folder)
        finally:
            shutil.rmtree(folder)
        hours = machine.clock.seconds() / 3600
        print(
            f"simulating {INSTANCES} instances, start {start}: {seconds:.1f} s for {hours:.1f} virtual h, "
            f"{machine.statistics.started} attempts on {plan.stages[0].width} slots, "
            f"{machine.statistics.pools_lost} nodes lost; {outcome}"
        )


def simulate(plan: Plan, folder: Path) -> tuple[float, Machine, str]:
    """Return seconds, the machine afterwards, and the outcome."""
    begin = time.monotonic()
    expected = {one.name: one.expected_seconds or 0.0 for one in plan.benchmarks}
    machine = JournalMachine(
        VirtualClock(grain=2.0, longest=1e7),
        FAULTS,
        FAULTS.sampler(expected),
        plan.campaign.grace_period,
    )
    with Ledger.open(str(folder / "ledger.sqlite")) as book:
        row = campaign.register(book, plan, folder)
        outcome = campaign.run(book, row, plan, machine)
    return time.monotonic() - begin, machine, str(outcome)


if __name__ == "__main__":
    main()
