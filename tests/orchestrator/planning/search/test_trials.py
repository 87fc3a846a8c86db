from __future__ import annotations

import json
from typing import Any

import pytest

from orchestrator.errors import CampaignError
from orchestrator.planning.campaign_file import CampaignFile
from orchestrator.planning.campaign_reading import parse_campaign
from orchestrator.planning.plan_facts import search_costs
from orchestrator.planning.search.trials import TrialPoint
from tests.orchestrator.simulation.test_search import SEARCH, searching


def campaign(search: dict[str, Any] | None = None, **changes: Any) -> CampaignFile:
    benchmark: dict[str, Any] = {
        "workload": "perceptron",
        "name": "nets",
        "timeout": "1 h",
        "expected_runtime": "9 min",
        "parameters": {"training_seed": 1},
        "search": SEARCH | (search or {}),
    }
    spec: dict[str, Any] = {"campaign": "toy", "rulebook": "none"}
    for name, value in changes.items():
        (benchmark if name in ("workload", "parameters", "matrix", "repeat") else spec)[name] = value
    spec["benchmarks"] = [benchmark]
    return parse_campaign(json.dumps(spec), "test")


def test_a_trial_has_a_point_for_each_rung() -> None:
    made = campaign()
    assert len(made.benchmarks) == 36
    assert [one.name for one in made.benchmarks[:4]] == [
        *(f"nets[trial=1,epochs={epochs}]" for epochs in (1, 3, 9)), "nets[trial=2,epochs=1]",
    ]  # fmt: skip
    first, second, third = made.benchmarks[:3]
    for one, epochs, minutes in ((first, 1, 1), (second, 3, 2), (third, 9, 6)):
        assert isinstance(one.point, TrialPoint)
        assert one.point.axes["epochs"] == one.parameters["epochs"] == epochs
        assert one.parameters["resume"] is True
        assert one.expected_runtime == 60.0 * minutes
        assert one.parameters["learning_rate"] == first.parameters["learning_rate"]
        assert one.instances == 1
        assert one.share


def test_draws_follow_from_the_seed_and_lie_within_the_space() -> None:
    space = {
        "learning_rate": {"log_uniform": [0.001, 1.0]},
        "momentum": {"uniform": [0.5, 0.75]},
        "batch_size": {"uniform": [4, 7]},
        "hidden_width": {"log_uniform": [8, 64]},
        "spirals": {"choice": [3, 5]},
    }
    drawn = [
        [one.parameters for one in campaign({"space": space, "trials": 200}, seed=seed).benchmarks[::3]]
        for seed in (1, 1, 2)
    ]
    assert drawn[0] == drawn[1] != drawn[2]
    values = {name: {one[name] for one in drawn[0]} for name in space}
    assert values["batch_size"] == {4, 5, 6, 7}
    assert values["spirals"] == {3, 5}
    assert all(isinstance(one, int) and 8 <= one <= 64 for one in values["hidden_width"])
    assert all(0.001 <= one <= 1.0 and one == float(f"{one:.4g}") for one in values["learning_rate"])
    assert all(0.5 <= one <= 0.75 for one in values["momentum"])
    assert 80 < sum(one < 0.0316 for one in values["learning_rate"]) < 120  # half of its factors


def test_no_two_trials_are_alike() -> None:
    space = {"hidden_width": {"choice": [8, 16, 32]}, "spirals": {"choice": [2, 3, 4, 5]}}
    made = campaign({"space": space, "trials": 12})
    assert len({json.dumps(one.parameters) for one in made.benchmarks}) == 36


def test_the_cost_is_that_of_the_share_that_goes_on() -> None:
    [one] = search_costs(searching())
    assert (one.expected, one.at_most) == (12 + 4 + 1, 36)
    assert one.expected_hours is not None
    assert one.hours_at_most is not None
    assert one.expected_hours / one.hours_at_most == pytest.approx((12 * 1 + 4 * 2 + 1 * 6) / (12 * 9))


RANDOM = {"method": "random", "rungs": None}
OPTUNA = {name: value for name, value in SEARCH.items() if name != "rungs"} | {"method": "optuna"}


def test_a_trial_of_optuna_has_no_parameters_before_the_campaign_runs() -> None:
    plan = searching(OPTUNA)
    assert [one.name for one in plan.benchmarks] == [f"nets[trial={number}]" for number in range(1, 13)]
    for number, one in enumerate(plan.benchmarks, start=1):
        assert one.point is not None
        assert one.point.axes == {"trial": number}
        registered = json.loads(one.row().parameters)
        assert registered["training_seed"] == 1
        assert not registered.keys() & OPTUNA["space"].keys()  # type: ignore[attr-defined]
        assert [(row.axis, row.value) for row in one.point_rows()] == [("trial", str(number))]
    [cost] = search_costs(plan)
    assert (cost.expected, cost.at_most) == (12, 12)
    assert cost.expected_hours == pytest.approx(12 * 9 / 60 / 2)
    assert "sampler" not in cost.to_dict()["search"]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"sampler": "tpee"}, "no sampler is called 'tpee'; did you mean tpe?"),
        ({"sampler": "cmaes"}, "no sampler is called 'cmaes'; there are tpe, gp, random"),
        ({"at_once": 0}, "must be at least 1"),
        ({"rungs": [1, 3]}, "rungs is for method: asha; remove it"),
        ({"reduction": 2}, "reduction is for method: asha; remove it"),
        ({"method": "random", "sampler": "tpe"}, "sampler is for method: optuna; remove it"),
        ({"method": "random", "at_once": 2}, "at_once is for method: optuna; remove it"),
    ],
)
def test_what_a_search_by_optuna_cannot_have(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(CampaignError) as caught:
        searching(OPTUNA | changes)
    assert problem in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("search", "changes", "problem"),
    [
        ({"space": {"learning_rat": {"uniform": [0, 1]}}}, {}, "did you mean learning_rate?"),
        ({"space": {"learning_rate": {"uniform": [1, 1]}}}, {}, "holds nothing: 1 is not below 1"),
        ({"space": {"learning_rate": {"log_uniform": [0, 1]}}}, {}, "a least value above 0, not 0"),
        ({"space": {"learning_rate": {"uniform": [-1, 1]}}}, {}, "must be at least 0"),
        ({"space": {"batch_size": {"uniform": [1.5, 3]}}}, {}, "must be a whole number, not 1.5"),
        ({"space": {"resume": {"uniform": [0, 1]}}}, {}, "resume is no number; write choice"),
        ({"space": {"learning_rate": {"choice": []}}}, {}, "at least 1 entry"),
        ({"space": {"learning_rate": {}}}, {}, "must be one of {choice"),
        ({"space": {}}, {}, "at least 1 entry"),
        ({"space": {"spirals": {"choice": [2, 3]}}}, {}, "holds 2 combinations"),
        ({"space": {"spirals": {"choice": ["a"]}}}, {}, "spirals must be a whole number"),
        ({"metric": "last_los"}, {}, "did you mean last_loss?"),
        ({"rungs": [1, 3, 3]}, {}, "must grow, and 3 epochs come after 3"),
        ({"rungs": [1]}, {}, "at least 2 entries"),
        ({"rungs": None}, {}, "needs rungs, such as rungs: [1, 3, 9]"),
        ({"method": "random"}, {}, "rungs is for method: asha; remove it"),
        ({"method": "hyperband"}, {}, "random"),
        ({"trials": 2}, {}, "no trial goes on"),
        ({}, {"parameters": {}}, "write a training_seed that is not 0"),
        ({}, {"parameters": {"training_seed": 1, "epochs": 4}}, "the rungs of the search set epochs"),
        ({}, {"parameters": {"training_seed": 1, "learning_rate": 1.0}}, "learning_rate is among"),
        ({}, {"matrix": {"spirals": [2, 3]}}, "search and matrix exclude each other"),
        ({}, {"repeat": 2}, "search and repeat exclude each other"),
        ({}, {"until": {"width": "2 %"}}, "remove until and decide"),
        ({}, {"start": "synchronized"}, "remove start: synchronized"),
        ({"space": {"batch": {"choice": [1]}}}, {"workload": "lstm", "parameters": {}}, "no parameter"),
        (
            {"space": {"learning_rate": {"uniform": [0, 1]}}, "metric": "accuracy"},
            {"workload": "p3b1", "parameters": {}},
            "workload p3b1 has no checkpoints: it has no parameter resume",
        ),
        (
            {"space": {"seconds": {"uniform": [0, 1]}}},
            {"workload": "tests.toys.behave", "parameters": {}},
            "workload behave has no epochs",
        ),
    ],
)  # fmt: skip
def test_what_has_no_sense_is_refused(search: dict[str, Any], changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(CampaignError) as caught:
        campaign(search, **changes)
    assert problem in str(caught.value)


@pytest.mark.parametrize("rulebook", ["coral2", "hpcai500", "mlperf_hpc"])
def test_suites_that_fix_their_runs_refuse_a_search(rulebook: str) -> None:
    spec: dict[str, Any] = {
        "campaign": "toy",
        "rulebook": rulebook,
        "benchmarks": [
            {
                "workload": "resnet50_v15" if rulebook == "hpcai500" else "p3b1",
                "timeout": "1 h",
                "search": {
                    "method": "random",
                    "trials": 2,
                    "space": {"batch_size": {"choice": [10, 20]}},
                    "metric": "accuracy",
                    "goal": "maximum",
                },
            }
        ],
    }
    with pytest.raises(CampaignError, match=r"search: .* fixes the number of"):
        parse_campaign(json.dumps(spec), "test")
