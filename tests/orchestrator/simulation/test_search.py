"""Searches of campaigns on a simulated machine: promotions, pruning, and drivers that die."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from db.states import Action, RunOutcome
from orchestrator.analysis.search.trials import search_results
from orchestrator.analysis.verdict.evidence import measurements
from orchestrator.planning.plan import Plan
from orchestrator.protocol.order import AttemptOrder
from orchestrator.rulebooks.design_rule import design
from orchestrator.rulebooks.measurements import Measurements
from orchestrator.rulebooks.model import CheckResult
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


def searching(
    search: dict[str, Any] | None = None, beside: Sequence[dict[str, Any]] = (), **campaign: Any
) -> Plan:
    return made_plan(
        {
            "name": "nets",
            "workload": "perceptron",
            "expected_runtime": "9 min",
            "parameters": {"training_seed": 1},
            "search": SEARCH if search is None else search,
        },
        *beside,
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


def checked(world: SimulatedCampaign) -> list[tuple[Measurements, CheckResult]]:
    return [(one, design(one)) for one in measurements(world.book, world.row)]


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
        world.machine.end_blocks(world.machine.blocks, "orphaned", silent=True)
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
    found = states(world)
    assert set(found.values()) == {"done", "exhausted", "pruned"}
    [one] = search_results(world.book, world.row.campaign_id)
    failed = {name.partition(",")[0] for name, state in found.items() if state == "exhausted"}
    assert sum(trial.state == "failed" for trial in one.trials) == len(failed) == 11
    assert one.ran == sum(state in ("done", "exhausted") for state in found.values())
    world.close()


def test_a_cancelled_trial_holds_nothing_up_and_never_goes_on(tmp_path: Path) -> None:
    world = started(tmp_path, searching())
    asks(world, 50.0, Action.CANCEL, range(24, 25))
    assert world.run() is RunOutcome.COMPLETE
    found = states(world)
    assert found["nets[trial=9,epochs=1]"] == "cancelled"
    assert found["nets[trial=9,epochs=3]"] == "pruned"
    [result] = search_results(world.book, world.row.campaign_id)
    assert {one.number: one.state for one in result.trials}[9] == "cancelled"
    world.close()


def test_a_cancelled_later_rung_promotes_nothing(tmp_path: Path) -> None:
    world = started(tmp_path, searching())
    for trial in range(12):
        asks(world, 1.0, Action.CANCEL, range(3 * trial + 1, 3 * trial + 2))
    assert world.run() is RunOutcome.COMPLETE
    [one] = search_results(world.book, world.row.campaign_id)
    assert promoted(world) == []
    assert (one.rungs[0].promoted, one.rungs[0].pruned) == (5, 7)  # as if nothing were cancelled
    assert one.ran == 12
    assert one.best[0].epochs == 1  # the last rung with a value
    world.close()


def fails_first(model: FaultModel, label: str) -> RunSampler:
    plain = timed(model)

    def sample(order: AttemptOrder) -> SimulatedRun:
        first = order.label == label and order.attempt == 1
        return SimulatedRun(1.0, 50.0, exit_code=1) if first else plain(order)

    return sample


@pytest.mark.parametrize("write", [0, 1, 2, 3, 4, 5])
def test_a_trial_that_a_user_retries_goes_on_although_it_was_pruned(tmp_path: Path, write: int) -> None:
    plan, model = searching(retries={"benchmark": 0}), FaultModel(seed=3, pool_seconds=0.0)
    rates = {one.name: float(one.parameters["learning_rate"]) for one in plan.benchmarks}
    best = min(rates, key=rates.__getitem__)  # the first rung of the best trial
    draw = fails_first(model, f"{best}/0")
    world = SimulatedCampaign(tmp_path, plan, model, draw=draw, longest=3e7)
    number = list(rates).index(best)
    asks(world, 500.0, Action.RETRY, range(number, number + 1))

    def kill() -> None:
        world.book.crash_at = {world.book.writes + write: write % 2 == 0}

    if write:
        world.machine.clock.at(499.0, kill)
    while world.run() is RunOutcome.ABORTED:
        world.machine.end_blocks(world.machine.blocks, "orphaned", silent=True)
        world.machine.clock.pass_time(600.0)
    assert world.outcomes[-1] is RunOutcome.COMPLETE
    world.check()
    [one] = search_results(world.book, world.row.campaign_id)
    assert (one.best[0].benchmark, one.best[0].epochs) == (best.replace("epochs=1", "epochs=9"), 9)
    assert len(promoted(world)) == len(set(promoted(world)))
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
    found = states(world)
    assert "not_needed" in found.values()
    [one] = search_results(world.book, world.row.campaign_id)
    assert {trial.state for trial in one.trials} == {"pruned", "not needed"}
    results = {(one.benchmark, check.reason) for one, check in checked(world)}
    assert any(reason.endswith("; 1 instance not needed") for _, reason in results)
    world.plan = searching(budget={"node_hours": 9})
    assert world.run() is RunOutcome.COMPLETE
    assert set(states(world).values()) == {"done", "pruned"}
    world.close()


def test_a_larger_budget_lets_all_go_on_that_a_smaller_left_out(tmp_path: Path) -> None:
    plain = {"name": "plain", "workload": "perceptron", "expected_runtime": "9 min", "instances": 30}
    world = started(tmp_path, searching(beside=[plain], budget={"node_hours": 0.15}))
    assert world.run() is RunOutcome.COMPLETE
    assert states(world)["plain"] == "not_needed"
    world.plan = searching(beside=[plain], budget={"node_hours": 90})
    assert world.run() is RunOutcome.COMPLETE
    assert set(states(world).values()) == {"done", "pruned"}
    assert world.rows("SELECT count(*) FROM instances WHERE state = 'not_needed'") == [(0,)]
    world.close()


def test_savings_are_those_of_trials_alone(tmp_path: Path) -> None:
    saved = []
    for beside in ([], [{"name": "plain", "workload": "perceptron", "instances": 9}]):
        world = started(tmp_path / str(len(beside)), searching(beside=beside))
        assert world.run() is RunOutcome.COMPLETE
        [one] = search_results(world.book, world.row.campaign_id)
        saved.append(one.saved_hours)
        # A slot is half of a node; no run takes less than 100 s, none more than 200.
        assert one.not_run * 100 / 7200 < (one.saved_hours or 0.0) < one.not_run * 200 / 7200
        world.close()
    assert saved[0] == pytest.approx(saved[1])


@pytest.mark.parametrize("order", ["shuffled", "interleaved"])
def test_a_drawn_order_leaves_the_search_in_the_verdict(tmp_path: Path, order: str) -> None:
    world = started(tmp_path, searching(order=order))
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    [reason] = {check.reason for _, check in checked(world)}
    words = (
        f"order: {order}, as registered; a trial of a search, asha, as registered; 17 instances were pruned"
    )
    assert reason == words
    world.close()


def test_a_metric_that_no_run_has_is_said_at_once(tmp_path: Path) -> None:
    world = started(tmp_path, searching(SEARCH | {"metric": "optimizer_steps"}))
    assert world.run() is RunOutcome.COMPLETE
    assert len([one for one in world.messages if "has no optimizer_steps" in one]) == 1
    [one] = search_results(world.book, world.row.campaign_id)
    assert one.headline == "no run has optimizer_steps"
    assert not promoted(world)
    world.close()
