"""Predict what a campaign takes by running it on the simulated engine."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random
from statistics import median, median_low
from typing import Any

from db.states import AttemptState, RunOutcome
from orchestrator.analysis.projection.forecasts import Range
from orchestrator.driver.progress import ProgressDisplay, Snapshot
from orchestrator.errors import CampaignError
from orchestrator.planning.plan import Plan
from orchestrator.simulation.begun import Begun, end_wave
from orchestrator.simulation.fault_model import FaultModel
from orchestrator.simulation.history import Drawn, History
from orchestrator.simulation.machine import Machine
from orchestrator.simulation.unrecorded import CountingLedger, MemoryJournal, unrecorded_driver, waiting
from orchestrator.simulation.virtual_clock import VirtualClock

_GRAINS = 100
"""Into how many steps an instance's time is cut at the most: what ends within one is noticed together."""
_FINE_GRAINS = 500
"""The same for what is left of a campaign, as its range is narrow towards the end."""
USUAL_RUNS = 19
"""A further campaign lies between the shortest and the longest of so many alike ones in 18 of 20 cases."""
_NAP_SECONDS = 300.0
"""How long a driver sleeps at the most where nothing happens, as while its blocks wait for days."""
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
        From launch to end; and what its blocks held.
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
        return {"prediction": "simulated from earlier or expected durations", **asdict(self)}


@dataclass(frozen=True, slots=True)
class Prediction:
    """A campaign that was simulated several times.

    Parameters
    ----------
    seed
        Random seed of all of them.
    middle
        The simulated campaign of median length.
    complete
        How many of the simulated campaigns ended complete.
    drawn_from
        Facts of the history that times were drawn from.
    stated
        Benchmarks of which durations were drawn around what the campaign expects.
    """

    seed: int
    middle: Forecast
    runs: int
    complete: int
    makespan_seconds: Range
    node_hours: Range
    drawn_from: dict[str, Any]
    stated: list[str]

    def registered(self) -> dict[str, Any]:
        """Return JSON-ready data that an event keeps until the campaign has ended."""
        return {
            "seed": self.seed,
            "runs": self.runs,
            "makespan_seconds": asdict(self.makespan_seconds),
            "node_hours": asdict(self.node_hours),
            "drawn_from": self.drawn_from,
            "stated": self.stated,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data: the campaign of median length, and how far others are from it."""
        return self.middle.to_dict() | {
            "seed": self.seed,
            "runs": self.runs,
            "complete_runs": self.complete,
            "makespan_range_seconds": asdict(self.makespan_seconds),
            "node_hours_range": asdict(self.node_hours),
            "drawn_from": self.drawn_from,
        }


class CombinedProgress:
    """Shows the progress of all simulated campaigns as the progress of a single campaign.

    Parameters
    ----------
    runs, size
        Number of simulated campaigns, and of the instances of each.
    """

    def __init__(self, display: ProgressDisplay, runs: int, size: int) -> None:
        self._display, self._runs, self._size = display, runs, size
        self._before = self._last = 0

    def update(self, snapshot: Snapshot) -> None:
        """Show how many instances of all campaigns have ended."""
        ended = snapshot.done + snapshot.exhausted
        if ended < self._last:
            self._before += self._size
        self._last = ended
        whole = replace(snapshot, total=snapshot.total * self._runs, done=snapshot.done + self._before)
        self._display.update(whole)


def predict(
    plan: Plan,
    seed: int = 0,
    display: ProgressDisplay | None = None,
    *,
    runs: int = USUAL_RUNS,
    history: History | None = None,
    queue_seconds: float = 0.0,
    begun: Begun | None = None,
) -> Prediction:
    """Simulate a campaign on its site several times and return how long it took.

    Parameters
    ----------
    runs
        Number of simulated campaigns; a single one is as fast as usual.
    history
        Earlier campaigns, from which durations, waits and failures are drawn.
    queue_seconds
        Median wait of a block where the history has none.
    begun
        Where the campaign stands; what is left is simulated, and what it took so far is added to the ranges.

    Raises
    ------
    CampaignError
        If a benchmark says no expected duration and has no earlier runs.
    """
    earlier, start = history or History(), begun or Begun(None, waiting(plan))
    seeds = [seed, *(Random(f"{seed}/{number}").getrandbits(32) for number in range(1, runs))]  # noqa: S311
    shown = display and CombinedProgress(display, runs, len(start.pending))
    found = [
        forecast(
            plan, one, shown, history=earlier, queue_seconds=queue_seconds, differs=runs > 1, begun=begun
        )
        for one in seeds
    ]
    lengths = [start.seconds + one.makespan_seconds for one in found]
    makespan = _range_of(lengths)
    return Prediction(
        seed=seed,
        middle=found[lengths.index(makespan.median)],
        runs=runs,
        complete=sum(one.outcome == RunOutcome.COMPLETE for one in found),
        makespan_seconds=makespan,
        node_hours=_range_of([start.node_hours + one.node_hours for one in found]),
        drawn_from=earlier.facts(),
        stated=[one.name for one in plan.benchmarks if one.name not in earlier.runs],
    )


def forecast(
    plan: Plan,
    seed: int = 0,
    display: ProgressDisplay | None = None,
    *,
    history: History | None = None,
    queue_seconds: float = 0.0,
    differs: bool = False,
    begun: Begun | None = None,
) -> Forecast:
    """Simulate a campaign on its site once and return what it took.

    Parameters
    ----------
    history, queue_seconds, begun
        As for `predict`; the forecast is of what is left alone.
    differs
        Whether the campaign is faster or slower than usual as a whole, by chance.

    Raises
    ------
    CampaignError
        If a benchmark says no expected duration and has no earlier runs.
    """
    earlier, start = history or History(), begun or Begun(None, waiting(plan))
    stated = {one.name: one.expected_seconds for one in plan.benchmarks if one.expected_seconds}
    ages: dict[str, list[float]] = {}
    for (label, _), age in start.ages.items():
        ages.setdefault(label.rpartition("/")[0], []).append(age)
    for one, age in start.wave:
        ages.setdefault(one.benchmark, []).append(age)
    chance = FaultModel(seed).random("campaign") if differs else None
    drawn = earlier.draw(chance, start.name, ages, stated)
    known = drawn.expected | drawn.medians
    left = {one.benchmark for one in start.pending} | set(ages)
    if missing := next((name for name in sorted(left) if name not in known), None):
        raise CampaignError(
            f"benchmark {missing}: a simulation draws durations from earlier runs on the site or around "
            "`expected_runtime`, and it has neither; give the benchmark an "
            f"`expected_runtime` in the campaign file, or now: --set {missing}.expected_runtime=10min"
        )
    fault_model = _fault_model(seed, earlier, drawn, queue_seconds or start.wait_seconds)
    running = {(f"{one.benchmark}/{one.benchmark_index}", one.attempts): age for one, age in start.wave}
    wave = end_wave(
        start,
        fault_model.runs(drawn.expected, drawn.runs, running),
        fault_model,
        timeouts={one.name: one.timeout_seconds for one in plan.benchmarks},
        pools={stage.label: stage.site.pool or "" for stage in plan.all_stages},
    )
    start = wave.begun
    grains = _GRAINS if start.name is None else _FINE_GRAINS
    clock = VirtualClock(grain=min(known.values()) / grains, longest=_LONGEST_SECONDS, nap=_NAP_SECONDS)
    journal, ledger = MemoryJournal(), CountingLedger()
    machine = Machine(
        clock,
        fault_model,
        fault_model.sampler(drawn.expected, drawn.runs, start.ages),
        plan.campaign.grace_period,
        journal.append,
        present=start.blocks,
    )
    memory = _MEMORY if _MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="orchestrator-", dir=memory) as folder:
        driver = unrecorded_driver(
            plan, folder, machine, ledger, journal, pending=start.pending, ended=start.ended, display=display
        )
        outcome = driver.run(list(start.pending))
    done, exhausted = driver.snapshot.done, driver.snapshot.exhausted
    found = _forecast_of(
        plan, seed, machine, str(outcome), ledger.attempts, len(start.pending), done, exhausted
    )
    return replace(
        found,
        makespan_seconds=found.makespan_seconds + wave.seconds,
        node_hours=found.node_hours + wave.node_hours,
    )


def _fault_model(seed: int, earlier: History, drawn: Drawn, queue_seconds: float) -> FaultModel:
    """Return the distributions of a simulated campaign; what was not drawn is as usual."""
    model = FaultModel(
        seed=seed,
        failures=earlier.failures,
        failures_of=earlier.failures_of,
        node_hours_to_failure=earlier.node_hours_to_failure,
        queue_seconds=queue_seconds,
        queue_waits=drawn.waits,
        pool_seconds=earlier.longest_node_start,
    )
    if drawn.spread is not None:
        model = replace(model, spread=drawn.spread)
    return model if drawn.ready_seconds is None else replace(model, ready_seconds=drawn.ready_seconds)


def _range_of(values: Sequence[float]) -> Range:
    """Return the range of a figure; each value is that of one simulated campaign."""
    ordered = sorted(values)
    cut = (len(ordered) + 1) // (USUAL_RUNS + 1)
    low, high = (ordered[cut - 1], ordered[-cut]) if cut else (None, None)
    return Range(low, median_low(ordered), high)


def _forecast_of(
    plan: Plan,
    seed: int,
    machine: Machine,
    outcome: str,
    attempts: Mapping[AttemptState, int],
    instances: int,
    done: int,
    exhausted: int,
) -> Forecast:
    fault_model = machine.fault_model
    ran = {one.stage: one for one in machine.stages}
    waits = [seconds for pool in fault_model.queue_waits.values() for seconds in pool]
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
        for stage in plan.all_stages
        if (statistics := ran.get(stage.label)) is not None
    )
    return Forecast(
        campaign=plan.name,
        site=plan.site.site,
        seed=seed,
        outcome=outcome,
        instances=instances,
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
            "queue_seconds": median(waits or [fault_model.queue_seconds]),
            "failures": fault_model.failures,
        },
        stages=stages,
    )


def _makespan(plan: Plan, seconds: Mapping[str, float]) -> float:
    """Return how long stages take, one after another in each lane."""
    return max(sum(seconds.get(stage.label, 0.0) for stage in lane) for lane in plan.lanes)
