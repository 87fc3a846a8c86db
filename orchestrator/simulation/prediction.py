"""Predict what a campaign takes by running it on the simulated engine."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from db.states import AttemptState
from orchestrator.driver.progress import ProgressDisplay
from orchestrator.errors import CampaignError
from orchestrator.planning.plan import Plan
from orchestrator.simulation.fault_model import FaultModel
from orchestrator.simulation.machine import Machine
from orchestrator.simulation.unrecorded import CountingLedger, MemoryJournal, unrecorded_driver, waiting
from orchestrator.simulation.virtual_clock import VirtualClock

_GRAINS = 100
"""Into how many steps an instance's time is cut at the most: what ends within one is noticed together."""
_LONGEST_SECONDS = 10 * 365 * 86_400.0
_MEMORY = Path("/dev/shm")  # noqa: S108  a folder of its own below it


@dataclass(frozen=True, slots=True)
class StageForecast:
    """One stage; `waves` is how often its slots fill up at the least."""

    slot: str
    instances: int
    waves: int
    seconds: float
    node_hours: float
    most_at_once: int
    attempts: int


@dataclass(frozen=True, slots=True)
class Forecast:
    """A campaign that was simulated.

    Parameters
    ----------
    makespan_seconds, node_hours
        From launch to end, without time in the batch system's queue; and what its blocks held.
    attempts
        Number of attempts by final state.
    retried
        Attempts beyond the first of an instance.
    """

    campaign: str
    site: str
    seed: int
    outcome: str
    instances: int
    done: int
    exhausted: int
    makespan_seconds: float
    node_hours: float
    attempts: dict[str, int]
    retried: int
    nodes_lost: int
    assumed: dict[str, Any]
    stages: tuple[StageForecast, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data, which says that it is a prediction."""
        return {"prediction": "simulated from the campaign's expected durations", **asdict(self)}


def forecast(plan: Plan, seed: int = 0, display: ProgressDisplay | None = None) -> Forecast:
    """Simulate a campaign on its site and return what it took.

    Raises
    ------
    CampaignError
        If a benchmark says no expected duration.
    """
    expected = {one.name: one.expected_seconds for one in plan.benchmarks if one.expected_seconds}
    if missing := next((one.name for one in plan.benchmarks if one.name not in expected), None):
        raise CampaignError(
            f"benchmark {missing}: a simulation draws durations around `expected_runtime`, and it has none"
        )
    fault_model = FaultModel(seed=seed, node_hours_to_failure=10_000.0)
    clock = VirtualClock(grain=min(expected.values()) / _GRAINS, longest=_LONGEST_SECONDS)
    journal, ledger = MemoryJournal(), CountingLedger()
    machine = Machine(
        clock, fault_model, fault_model.sampler(expected), plan.campaign.grace_period, journal.append
    )
    memory = _MEMORY if _MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="orchestrator-", dir=memory) as folder:
        driver = unrecorded_driver(plan, folder, machine, ledger, journal, display=display)
        outcome = driver.run(waiting(plan))
    done, exhausted = driver.snapshot.done, driver.snapshot.exhausted
    return _forecast_of(plan, seed, machine, str(outcome), ledger.attempts, done, exhausted)


def _forecast_of(
    plan: Plan,
    seed: int,
    machine: Machine,
    outcome: str,
    attempts: Mapping[AttemptState, int],
    done: int,
    exhausted: int,
) -> Forecast:
    fault_model = machine.fault_model
    ran = {one.stage: one for one in machine.stages}
    stages = tuple(
        StageForecast(
            slot=stage.label,
            instances=stage.instances,
            waves=stage.waves,
            seconds=statistics.seconds,
            node_hours=statistics.node_seconds / 3600,
            most_at_once=statistics.most_at_once,
            attempts=statistics.started,
        )
        for stage in plan.stages
        if (statistics := ran.get(stage.label)) is not None
    )
    return Forecast(
        campaign=plan.name,
        site=plan.site.site,
        seed=seed,
        outcome=outcome,
        instances=plan.size,
        done=done,
        exhausted=exhausted,
        makespan_seconds=_makespan(plan, {stage.slot: stage.seconds for stage in stages}),
        node_hours=sum(stage.node_hours for stage in stages),
        attempts={state.value: attempts[state] for state in AttemptState if attempts[state]},
        retried=max(0, sum(attempts.values()) - done - exhausted),
        nodes_lost=sum(statistics.pools_lost for statistics in machine.stages),
        assumed={
            "spread": fault_model.spread,
            "stragglers": fault_model.stragglers,
            "max_straggler_factor": fault_model.max_straggler_factor,
            "ready_seconds": fault_model.ready_seconds,
            "pool_seconds": fault_model.pool_seconds,
            "node_hours_to_failure": fault_model.node_hours_to_failure,
            "queue_seconds": fault_model.queue_seconds,
        },
        stages=stages,
    )


def _makespan(plan: Plan, seconds: Mapping[str, float]) -> float:
    """Return how long stages take, one after another in each lane."""
    return max(sum(seconds.get(stage.label, 0.0) for stage in lane) for lane in plan.lanes)
