"""Searches of campaigns on a simulated machine: promotions, pruning, and drivers that die."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from db.states import RunOutcome
from db.writing.requests import Action
from orchestrator.analysis.search.trials import search_results
from orchestrator.planning.plan import Plan
from orchestrator.protocol.order import AttemptOrder
from orchestrator.simulation.fault_model import FaultModel, RunSampler, SimulatedRun
from tests.orchestrator.simulation.simulated import SimulatedCampaign, made_plan
from tests.orchestrator.simulation.test_requests import asks

SEARCH = {
    "method": "asha",
    "trials": 12,
    "space": {"learning_rate": {"log_uniform": [0.001, 1.0]}, "hidden_width": {"choice": [8, 16, 32]}},
    "metric": "time",
    "goal": "minimum",
    "rungs": [1, 3, 9],
}
EVENTS = "SELECT subject FROM events WHERE kind = 'trial_promoted' ORDER BY event_id"
STATES = "SELECT benchmark, state FROM instances ORDER BY instance_id"


def searching(search: dict[str, Any] | None = None, **campaign: Any) -> Plan:
    return made_plan(
        {
            "name": "nets",
            "workload": "perceptron",
            "expected_runtime": "9 min",
            "parameters": {"training_seed": 1},
            "search": SEARCH if search is None else search,
        },
        batch={"nodes_per_block": 2, "max_blocks": 1, "walltime": 360_000.0},
        rulebook="none",
        **campaign,
    )


def timed(model: FaultModel) -> RunSampler:
    """Let an attempt take longer at a higher learning rate, whatever its epochs; some fail."""

    def sample(order: AttemptOrder) -> SimulatedRun:
        random = model.random(order.label, order.attempt)
        seconds = 100.0 + 100.0 * float(order.parameters["learning_rate"])
        if random.random() < model.failures:
            return SimulatedRun(1.0, seconds / 2, exit_code=1)
        return SimulatedRun(1.0, seconds)

    return sample


def started(folder: Path, plan: Plan, **faults: Any) -> SimulatedCampaign:
    model = FaultModel(**{"seed": 3, "pool_seconds": 0.0, **faults})
    return SimulatedCampaign(folder, plan, model, draw=timed(model), longest=3e7)


def states(world: SimulatedCampaign) -> dict[str, str]:
    return dict(world.rows(STATES))


def promoted(world: SimulatedCampaign) -> list[str]:
    return [subject for (subject,) in world.rows(EVENTS)]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, str], set[str], int]:
    """Return states, promotions and writes of the ledger of a campaign that nothing disturbs."""
    world = started(tmp_path_factory.mktemp("undisturbed"), searching())
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    found = states(world), set(promoted(world)), world.book.writes
    world.close()
    return found


def test_the_best_trials_go_on_and_the_rest_is_pruned(tmp_path: Path) -> None:
    world = started(tmp_path, searching())
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    found = states(world)
    assert set(found.values()) == {"done", "pruned"}
    assert all(state == "done" for name, state in found.items() if name.endswith("epochs=1]"))
    [one] = search_results(world.book, world.row.campaign_id)
    rates = {trial.number: float(trial.parameters["learning_rate"]) for trial in one.trials}
    # The trial with the least value of the metric trains to the last rung, and is the best.
    assert min(rates, key=rates.__getitem__) == one.best[0].number
    assert one.best[0].epochs == 9
    assert one.best[0].state == "done"
    assert {trial.state for trial in one.trials} == {"done", "pruned"}
    assert one.not_run == sum(state == "pruned" for state in found.values()) > 12
    assert one.saved_hours is not None
    assert one.saved_hours > 0
    first, second, last = one.rungs
    assert (first.entered, first.ended, second.ended) == (12, 12, second.entered)
    assert (first.promoted, second.promoted) == (second.entered, last.entered)
    assert first.promoted >= 4
    assert world.run() is RunOutcome.COMPLETE  # nothing is left to run
    assert states(world) == found
    world.close()


def test_a_rung_starts_after_the_promotion_is_in_the_ledger(tmp_path: Path) -> None:
    world = started(tmp_path, searching())
    world.run()
    late = world.rows(
        "SELECT i.benchmark FROM attempts a JOIN instances i USING (campaign_id, instance_id) "
        "WHERE i.benchmark NOT LIKE '%epochs=1]' AND NOT EXISTS (SELECT 1 FROM events e WHERE "
        "e.kind = 'trial_promoted' AND e.subject = i.benchmark AND e.at_us <= a.submitted_us)"
    )
    assert late == []
    assert len(set(promoted(world))) == len(promoted(world))
    world.close()


@pytest.mark.parametrize(
    ("write", "after"), [(write, write % 2 == 0) for write in (14, 21, 28, 35, 42, 49, 56, 63, 70)]
)
def test_a_killed_driver_decides_the_same(
    tmp_path: Path, undisturbed: tuple[dict[str, str], set[str], int], write: int, after: bool
) -> None:
    expected, goes_on, writes = undisturbed
    assert writes > 60
    world = started(tmp_path, searching())
    world.book.crash_at = {write: after, write + 25: not after}
    outcomes = [world.run()]
    while outcomes[-1] is RunOutcome.ABORTED:
        world.machine.end_all("orphaned", silent=True)
        world.machine.clock.pass_time(600.0)
        outcomes.append(world.run())
        assert len(outcomes) < 6
    assert outcomes[-1] is RunOutcome.COMPLETE
    world.check()
    assert states(world) == expected
    found = promoted(world)
    assert set(found) == goes_on
    assert len(found) == len(goes_on)
    assert world.rows("SELECT count(*) FROM events WHERE kind = 'search_registered'") == [(1,)]
    world.close()


def test_failures_and_lost_nodes_change_no_decision(
    tmp_path: Path, undisturbed: tuple[dict[str, str], set[str], int]
) -> None:
    plan = searching(retries={"benchmark": 9, "infrastructure": 30})
    world = started(tmp_path, plan, failures=0.2, node_hours_to_failure=1.0)
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    assert world.rows("SELECT 1 FROM attempts WHERE state != 'succeeded'")
    assert states(world) == undisturbed[0]
    world.close()


def test_a_trial_that_gave_up_holds_nothing_up(tmp_path: Path) -> None:
    plan = searching(retries={"benchmark": 0})
    world = started(tmp_path, plan, failures=0.4)
    assert world.run() is RunOutcome.EXHAUSTED
    world.check()
    assert set(states(world).values()) == {"done", "exhausted", "pruned"}
    world.close()


def test_a_cancelled_trial_holds_nothing_up_and_never_goes_on(tmp_path: Path) -> None:
    world = started(tmp_path, searching())
    asks(world, 50.0, Action.CANCEL, range(24, 25))
    assert world.run() is RunOutcome.COMPLETE
    found = states(world)
    assert found["nets[trial=9,epochs=1]"] == "cancelled"
    assert found["nets[trial=9,epochs=3]"] == "pruned"
    world.close()


def test_a_random_search_runs_all_its_trials(tmp_path: Path) -> None:
    search = {name: value for name, value in SEARCH.items() if name != "rungs"} | {"method": "random"}
    world = started(tmp_path, searching(search))
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    assert set(states(world).values()) == {"done"}
    [one] = search_results(world.book, world.row.campaign_id)
    assert [trial.value for trial in one.trials] == sorted(trial.value or 0 for trial in one.trials)
    assert one.not_run == 0
    world.close()


def test_a_spent_budget_ends_a_search(tmp_path: Path) -> None:
    world = started(tmp_path, searching(budget={"node_hours": 0.15}))
    assert world.run() is RunOutcome.COMPLETE
    found = set(states(world).values())
    assert "not_needed" in found
    world.plan = searching(budget={"node_hours": 9})
    assert world.run() is RunOutcome.COMPLETE
    assert set(states(world).values()) == {"done", "pruned"}
    world.close()


def test_a_metric_that_no_run_has_is_said_at_once(tmp_path: Path) -> None:
    world = started(tmp_path, searching(SEARCH | {"metric": "optimizer_steps"}))
    assert world.run() is RunOutcome.COMPLETE
    assert len([one for one in world.messages if "has no optimizer_steps" in one]) == 1
    [one] = search_results(world.book, world.row.campaign_id)
    assert one.headline == "no run has optimizer_steps"
    assert not promoted(world)
    world.close()
