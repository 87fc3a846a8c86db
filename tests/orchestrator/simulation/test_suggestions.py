"""Searches whose parameters Optuna chooses, on a simulated machine that fails, and with users' requests."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from db.states import Action, RunOutcome
from orchestrator.analysis.search.trials import search_results
from orchestrator.catalog.registry import describe
from orchestrator.driver.stop_requests import StopLevel
from orchestrator.planning.plan import Plan
from orchestrator.planning.search.optimizer import EarlierTrial, chosen_parameters
from orchestrator.planning.search.trials import TrialPoint
from tests.orchestrator.simulation.simulated import SimulatedCampaign
from tests.orchestrator.simulation.test_requests import asks
from tests.orchestrator.simulation.test_search import checked, fails_first, searching, started, states

SEARCH = {
    "method": "optuna",
    "trials": 14,
    "space": {
        "learning_rate": {"log_uniform": [0.001, 1.0]},
        "batch_size": {"uniform": [8, 64]},
        "hidden_width": {"choice": [8, 16, 32]},
    },
    "metric": "time",
    "goal": "minimum",
}
SUGGESTED = "SELECT subject, data FROM events WHERE kind = 'trial_suggested' ORDER BY event_id"
LATE = (
    "SELECT i.benchmark FROM attempts a JOIN instances i USING (campaign_id, instance_id) WHERE NOT EXISTS "
    "(SELECT 1 FROM events e WHERE e.kind = 'trial_suggested' AND e.subject = i.benchmark "
    "AND e.at_us <= a.submitted_us)"
)


def optimizing(**search: Any) -> Plan:
    return searching(SEARCH | search)


def suggested(world: SimulatedCampaign) -> dict[str, dict[str, Any]]:
    found = [(name, json.loads(data)) for name, data in world.rows(SUGGESTED)]
    assert len(dict(found)) == len(found)  # no trial gets parameters twice
    return dict(found)


def parameters(world: SimulatedCampaign) -> dict[str, dict[str, Any]]:
    rows = world.rows("SELECT benchmark, parameters FROM benchmarks")
    return {name: json.loads(text) for name, text in rows}


def chosen_again(plan: Plan, found: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[Any, Any]]:
    """Yield the recorded parameters of each trial, and those that follow from what it was chosen by."""
    earlier: dict[int, EarlierTrial] = {}
    known = {one.name: one for one in describe("perceptron").parameters}
    points = {one.point.label: one.point for one in plan.benchmarks if isinstance(one.point, TrialPoint)}
    for name, data in found.items():
        for number, value in data["results"]:
            earlier[number] = EarlierTrial(earlier[number].parameters, ended=True, value=value)
        place = points[name].place
        again = chosen_parameters(
            "nets", place.search, known, plan.campaign.seed, place.number, list(earlier.values())
        )
        yield data["parameters"], again
        earlier[place.number] = EarlierTrial(data["parameters"])


def check_choices(world: SimulatedCampaign) -> None:
    """Assert that every trial has the parameters that were recorded before it ran, and that these follow."""
    found, rows = suggested(world), parameters(world)
    assert world.rows(LATE) == []
    assert all(rows[name].items() >= data["parameters"].items() for name, data in found.items())
    for recorded, again in chosen_again(world.plan, found):
        assert recorded == again
    drawn = [tuple(one["parameters"].values()) for one in found.values()]
    assert len(set(drawn)) == len(drawn)


@pytest.fixture(scope="module")
def one_slot(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, dict[str, Any]], int]:
    """Return the choices of a search with one trial at once, and how often it wrote to the ledger."""
    world = started(tmp_path_factory.mktemp("one_slot"), optimizing(at_once=1))
    assert set(suggested(world)) == set()
    assert not any(SEARCH["space"].keys() & one.keys() for one in parameters(world).values())  # type: ignore[attr-defined]
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    check_choices(world)
    found = suggested(world), world.book.writes
    [result] = search_results(world.book, world.row.campaign_id)
    assert {one.state for one in result.trials} == {"done"}
    assert all(one.parameters.keys() == SEARCH["space"].keys() for one in result.trials)  # type: ignore[attr-defined]
    assert result.to_dict()["sampler"] == "tpe"
    world.close()
    return found


def test_later_trials_are_chosen_by_the_results_of_earlier_ones(
    one_slot: tuple[dict[str, dict[str, Any]], int],
) -> None:
    found = list(one_slot[0].values())
    assert [one["trial"] for one in found] == list(range(1, 15))
    assert [[number for number, _ in one["results"]] for one in found] == [[], *([n] for n in range(1, 14))]
    rates = [one["parameters"]["learning_rate"] for one in found]
    # A low rate is fast here: what follows the ten trials that TPE draws at random is below their middle.
    assert max(rates[10:]) < sorted(rates[:10])[5]


def test_two_runs_with_one_trial_at_once_choose_the_same(
    tmp_path: Path, one_slot: tuple[dict[str, dict[str, Any]], int]
) -> None:
    world = started(tmp_path, optimizing(at_once=1))
    assert world.run() is RunOutcome.COMPLETE
    assert {name: one["parameters"] for name, one in suggested(world).items()} == {
        name: one["parameters"] for name, one in one_slot[0].items()
    }
    world.close()


@pytest.mark.parametrize(("write", "after"), [(write, write % 2 == 0) for write in (12, 17, 22, 27, 32, 37)])
def test_a_killed_driver_keeps_what_it_chose(
    tmp_path: Path, one_slot: tuple[dict[str, dict[str, Any]], int], write: int, after: bool
) -> None:
    assert one_slot[1] > 60
    world = started(tmp_path, optimizing(at_once=1))
    world.book.crash_at = {write: after, write + 21: not after}
    outcomes, before = [world.run()], suggested(world)
    while outcomes[-1] is RunOutcome.ABORTED:
        world.machine.end_blocks(world.machine.blocks, "orphaned", silent=True)
        world.machine.clock.pass_time(600.0)
        outcomes.append(world.run())
        now = suggested(world)
        assert now.items() >= before.items()
        before = now
        assert len(outcomes) < 6
    assert outcomes[-1] is RunOutcome.COMPLETE
    world.check()
    check_choices(world)
    assert {name: one["parameters"] for name, one in suggested(world).items()} == {
        name: one["parameters"] for name, one in one_slot[0].items()
    }
    assert world.rows("SELECT count(*) FROM events WHERE kind = 'search_registered'") == [(1,)]
    world.close()


@pytest.mark.parametrize("order", ["shuffled", "interleaved"])
def test_a_drawn_order_changes_no_choice_and_is_kept(
    tmp_path: Path, one_slot: tuple[dict[str, dict[str, Any]], int], order: str
) -> None:
    world = started(tmp_path, searching(SEARCH | {"at_once": 1}, order=order))
    assert world.run() is RunOutcome.COMPLETE
    assert {name: one["parameters"] for name, one in suggested(world).items()} == {
        name: one["parameters"] for name, one in one_slot[0].items()
    }
    [reason] = {check.reason for _, check in checked(world)}
    assert reason.startswith(
        f"order: {order}, as registered; a trial of a search, optuna, as registered, with "
    )
    world.close()


def test_as_many_trials_are_out_as_there_are_slots(tmp_path: Path) -> None:
    world = started(tmp_path, optimizing())
    world.book.away = [(150.0, 300.0)]
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    check_choices(world)
    found = list(suggested(world).values())
    out = told = 0
    for one in found:
        told += len(one["results"])
        out = one["trial"] - told
        assert 1 <= out <= world.plan.width == 4
    assert out == 4
    world.close()


def test_failed_and_cancelled_trials_are_told_as_failures(tmp_path: Path) -> None:
    plan = searching(SEARCH | {"at_once": 1}, retries={"benchmark": 0})
    model_world = started(tmp_path, plan)
    model_world.close()
    draw = fails_first(model_world.machine.fault_model, "nets[trial=2]/0")
    world = SimulatedCampaign(
        tmp_path / "failing", plan, model_world.machine.fault_model, draw=draw, longest=3e7
    )
    asks(world, 50.0, Action.CANCEL, range(4, 5))  # before it has parameters
    asks(world, 700.0, Action.RETRY, range(1, 2))
    assert world.run() is RunOutcome.COMPLETE
    check_choices(world)
    found = suggested(world)
    told = [pair for one in found.values() for pair in one["results"]]
    assert [2, None] in told
    assert any(number == 2 and value is not None for number, value in told)  # the retry has its value
    assert "nets[trial=5]" not in found
    assert states(world)["nets[trial=5]"] == "cancelled"
    world.close()


def test_a_spent_budget_chooses_no_more(tmp_path: Path) -> None:
    plan = searching(SEARCH | {"at_once": 2}, budget={"node_hours": 0.1})
    world = started(tmp_path, plan)
    assert world.run() is RunOutcome.COMPLETE
    found = states(world)
    assert set(found.values()) == {"done", "not_needed"}
    assert len(suggested(world)) < 14
    before = suggested(world)
    version = next(iter(before.values()))["optuna"]
    words = f"a trial of a search, optuna, as registered, with parameters chosen by tpe of Optuna {version}, "
    for one, check in checked(world):
        assert check.passed
        assert check.reason.startswith(words if one.benchmark in before else "a trial of a search, optuna")
    world.plan = searching(SEARCH | {"at_once": 2}, budget={"node_hours": 9})
    assert world.run() is RunOutcome.COMPLETE
    assert set(states(world).values()) == {"done"}
    assert suggested(world).items() >= before.items()
    check_choices(world)
    world.close()


def test_other_parameters_than_were_recorded_break_the_rule(tmp_path: Path) -> None:
    world = started(tmp_path, optimizing(at_once=1, trials=3))
    assert world.run() is RunOutcome.COMPLETE
    assert all(check.passed for _, check in checked(world))
    with world.book._transaction() as connection:
        connection.exec_driver_sql(
            "UPDATE benchmarks SET parameters = '{}' WHERE benchmark = 'nets[trial=2]'"
        )
    [wrong] = [(one.benchmark, check.reason) for one, check in checked(world) if not check.passed]
    assert wrong[0] == "nets[trial=2]"
    assert wrong[1].endswith("its registered parameters are not those that were chosen for it")
    world.close()


def test_a_drained_session_chooses_no_more(tmp_path: Path) -> None:
    world = started(tmp_path, optimizing(at_once=1))
    world.machine.clock.at(350.0, lambda: world.switch.request(StopLevel.DRAIN, "test"))
    assert world.run() is RunOutcome.DRAINED
    done = sum(state == "done" for state in states(world).values())
    assert len(suggested(world)) == done
    assert world.run() is RunOutcome.COMPLETE
    check_choices(world)
    world.close()
