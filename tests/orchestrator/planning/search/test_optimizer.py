from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import orchestrator
from orchestrator.catalog.registry import describe
from orchestrator.cli.errors import fail
from orchestrator.lifecycle.options import LaunchOptions
from orchestrator.planning.search.optimizer import EarlierTrial, check_installed, chosen_parameters
from orchestrator.planning.search.settings import Search
from workloads.description import Value

KNOWN = {one.name: one for one in describe("perceptron").parameters}
SPACE: dict[str, Any] = {
    "learning_rate": {"log_uniform": [0.001, 1.0]},
    "momentum": {"uniform": [0.5, 0.75]},
    "batch_size": {"log_uniform": [8, 256]},
    "hidden_width": {"choice": [8, 16, 32]},
}
EARLIER = [
    EarlierTrial(
        {"learning_rate": 0.01 * n, "momentum": 0.5 + 0.01 * n, "batch_size": 7 + n, "hidden_width": 8},
        ended=True,
        value=float(n),
    )
    for n in range(1, 14)
]


def search(**changes: Any) -> Search:
    given = {"method": "optuna", "trials": 20, "space": SPACE, "metric": "time", "goal": "minimum", **changes}
    return Search.model_validate(given)


def chosen(number: int, earlier: list[EarlierTrial], seed: int = 1, **changes: Any) -> dict[str, Value]:
    return chosen_parameters("nets", search(**changes), KNOWN, seed, number, earlier)


@pytest.mark.parametrize("sampler", ["tpe", "random"])
def test_a_choice_follows_from_seed_number_and_results_alone(sampler: str) -> None:
    first = chosen(14, EARLIER, sampler=sampler)
    assert first == chosen(14, EARLIER, sampler=sampler)
    assert first != chosen(15, EARLIER, sampler=sampler)
    assert first != chosen(14, EARLIER, seed=2, sampler=sampler)
    other = [replace(one, value=-(one.value or 0.0)) for one in EARLIER]
    assert (first != chosen(14, other, sampler=sampler)) == (sampler == "tpe")


def test_choices_lie_within_the_space_and_have_four_digits() -> None:
    found = [chosen(number, []) for number in range(1, 30)]
    assert all(list(one) == list(SPACE) for one in found)
    for one in found:
        rate, momentum, size = float(one["learning_rate"]), float(one["momentum"]), one["batch_size"]
        assert 0.001 <= rate <= 1.0
        assert rate == float(f"{rate:.4g}")
        assert 0.5 <= momentum <= 0.75
        assert isinstance(size, int)
        assert 8 <= size <= 256
    assert {one["hidden_width"] for one in found} == {8, 16, 32}


def test_trials_without_a_value_or_an_end_are_no_results() -> None:
    drawn = chosen(14, [])  # as without results, as there are fewer than TPE needs
    for value in (None, float("inf"), float("nan")):
        assert chosen(14, [replace(one, value=value) for one in EARLIER]) == drawn
    assert chosen(14, [replace(one, ended=False, value=None) for one in EARLIER]) == drawn
    assert chosen(14, EARLIER, goal="maximum") != chosen(14, EARLIER)


def test_no_two_trials_are_alike_however_few_values_there_are() -> None:
    space = {"hidden_width": {"choice": [8, 16, 32]}, "spirals": {"choice": [2, 3]}}
    earlier: list[EarlierTrial] = []
    for number in range(1, 7):
        one = chosen(number, earlier, space=space, trials=6)
        earlier.append(EarlierTrial(one, ended=True, value=1.0))
    assert len({tuple(one.parameters.values()) for one in earlier}) == 6


@pytest.mark.parametrize(("sampler", "missing"), [("tpe", "optuna"), ("gp", "torch"), ("gp", "scipy")])
def test_a_missing_module_is_found_before_the_launch(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    sampler: str,
    missing: str,
) -> None:
    for name in ("optuna", "torch", "scipy"):
        monkeypatch.setitem(sys.modules, name, sys if name != missing else None)  # type: ignore[arg-type]
    check_installed(search(method="random"))
    check_installed(None)
    file = tmp_path / "toy.yaml"
    file.write_text(
        "campaign: toy\nrulebook: none\nbenchmarks:\n  - {workload: perceptron, timeout: 60, search: {"
        f"method: optuna, sampler: {sampler}, trials: 2, space: {{learning_rate: {{uniform: [0.1, 1]}}}}, "
        "metric: accuracy, goal: maximum}}\n"
    )
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModuleNotFoundError) as caught:
        orchestrator.launch(file, LaunchOptions(ledger=f"sqlite:///{tmp_path}/l.sqlite"))
    assert not (tmp_path / "l.sqlite").exists()
    assert fail(caught.value) == 1
    [line] = capsys.readouterr().err.splitlines()
    assert "not installed here: pip install '.[" in line
