"""Ensembles that follow no suite: figures by hand, and the rules that matter anywhere."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest

from orchestrator.rulebooks.accepted_facts import GuaranteedOverlap
from orchestrator.rulebooks.measurements import DesignFacts, Measurements, SupersededInstances
from orchestrator.rulebooks.model import RuleResult
from orchestrator.rulebooks.none.rulebook import RULEBOOK, judge
from tests.orchestrator.rulebooks.measured import measured, runs
from workloads.description import QualityTarget

FOUR = [(0.0, 10.0, 0.8), (0.0, 20.0, 0.6), (5.0, 17.0, math.nan), (30.0, 36.0, 0.7)]
TARGET = QualityTarget("score", at_least=0.5)


def ensemble(**changes: Any) -> Measurements:
    return measured(
        "mine",
        FOUR,
        **{"planned": 5, "states": {"done": 4, "exhausted": 1}, "overlap__concurrent": 3} | changes,
    )


def test_four_runs_by_hand() -> None:
    [one] = judge([ensemble()]).benchmarks
    assert (one["planned"], one["accepted"], one["exhausted"]) == (5, 4, 1)
    assert (one["median_seconds"], one["longest_seconds"]) == (11.0, 20.0)  # of 6, 10, 12 and 20
    assert (one["lowest_accuracy"], one["median_accuracy"]) == (0.6, 0.7)  # of 0.6, 0.7 and 0.8
    assert (one["peak_overlap"], one["guaranteed_overlap"]) == (3, 3)
    assert one["makespan_seconds"] == 36.0
    assert one["instances_per_hour"] == 400.0  # 4 ÷ 36 s × 3600
    assert one["flop_per_second"] is None


def test_the_time_of_an_instance_that_was_run_again_counts() -> None:
    [one] = judge([ensemble(superseded=SupersededInstances(number=1, longest_seconds=50.0))]).benchmarks
    assert (one["median_seconds"], one["longest_seconds"]) == (11.0, 50.0)


def test_a_column_stands_where_it_was_measured() -> None:
    found = ensemble(runs=replace(runs(FOUR), metrics={"flop_per_second": [1e9, 3e9, 2e9, 9e9]}))
    verdict = judge([found])
    assert verdict.benchmarks[0]["flop_per_second"] == 2.5e9
    headings = [heading for heading, _ in verdict.columns]
    assert headings[:6] == ["accepted", "peak at once", "median s", "longest s", "accuracy", "FLOP/s"]
    assert "B/s" not in headings


@pytest.mark.parametrize(
    ("seed", "losses", "passed", "words"),
    [
        (0, [0.5, 0.5], None, "share no training_seed"),
        (
            7,
            [0.1 + 0.2, 0.1 + 0.2],
            True,
            "2 instances with training_seed 7: last_loss is 0.30000000000000004 in",
        ),
        (7, [0.1 + 0.2, 0.3], False, "last_loss is 0.3 to 0.30000000000000004"),
        (7, [0.5], None, "no two accepted instances with a last_loss"),
        (7, [0.5, math.nan], None, "or one without"),
        (7, None, None, "no two accepted instances"),
    ],
)
def test_the_same_training_has_the_same_result(
    seed: int, losses: list[float] | None, passed: bool | None, words: str
) -> None:
    metrics = {} if losses is None else {"last_loss": losses}
    found = ensemble(parameters={"training_seed": seed}, runs=replace(runs(FOUR), metrics=metrics))
    [result] = [one for one in judge([found]).benchmarks[0].rules if one.name == "repeats"]
    assert result.passed is passed
    assert words in result.reason


def test_nothing_is_called_not_reportable() -> None:
    verdict = judge([ensemble()])
    assert verdict.reportable is None
    assert verdict.benchmarks[0].reportable is None
    data = json.loads(json.dumps(verdict.to_dict()))
    assert set(data) == {"rulebook", "benchmarks"}
    assert data["benchmarks"][0]["instances_per_hour_arithmetic"] == "4 ÷ 36 s × 3600"
    assert "fom" not in data["benchmarks"][0]


def test_before_anything_ran_there_is_no_number() -> None:
    [one] = judge(
        [measured("mine", [], planned=3, states={"planned": 3}, slots__largest_devices=0)]
    ).benchmarks
    assert (one["planned"], one["accepted"], one["peak_overlap"]) == (3, 0, 0)
    for name in (
        "median_seconds",
        "longest_seconds",
        "lowest_accuracy",
        "median_accuracy",
        "instances_per_hour",
    ):
        assert one[name] is None


def test_benchmarks_that_took_turns_have_no_rate_of_their_own() -> None:
    [one] = judge([ensemble(design=DesignFacts(order="interleaved", takes_turns=True))]).benchmarks
    [rate] = [figure for figure in one.figures if figure.name == "instances_per_hour"]
    assert rate.value is None
    assert rate.absent.startswith("its instances took turns with those of other benchmarks")


def test_the_overlap_that_clocks_guarantee_is_stated() -> None:
    open_clock = GuaranteedOverlap(overlap=2, node="n7", ahead_seconds=(-1.0, 1.0))
    [one] = judge([ensemble(overlap__guaranteed=open_clock)]).benchmarks
    assert (one["peak_overlap"], one["guaranteed_overlap"]) == (3, 2)
    [clocks] = [rule for rule in one.rules if rule.name == "clocks"]
    assert clocks.passed
    assert "2 of 3 overlapped for certain" in clocks.reason


@pytest.mark.parametrize(
    ("name", "changes", "passed", "words"),
    [
        ("complete", {}, False, "4 of 5 planned"),
        ("complete", {"planned": 4}, True, "4 of 4 planned"),
        ("time", {"times__missing": 1}, False, "1 accepted instance has no measured time"),
        ("clocks", {}, True, "no clock contradicts another"),
        ("clocks", {"times__contradiction_seconds": 2.5}, False, "clocks differed by 2.5 s"),
        ("slots", {"slots__cores_shared": True}, False, "another campaign ran on the same cores"),
        ("devices", {"slots__devices_used": False}, False, "did not prove"),
        ("seeds", {"distinct_seeds": False}, False, "share a seed"),
        ("quality", {}, None, "no quality target is set"),
        ("quality", {"own_target": TARGET}, False, "1 accepted instance has no score"),
        ("quality", {"own_target": TARGET, "accuracy__missing": 0}, True, "lowest score is 0.6, target 0.5"),
        (
            "quality",
            {
                "own_target": TARGET,
                "accuracy__missing": 0,
                "accuracy__lowest": 0.4,
                "accuracy__below_target": 2,
            },
            False,
            "lowest score is 0.4, target 0.5; 2 accepted instances miss it",
        ),
        ("parameters", {"broken_parameters": ("flag is x, rules say y",)}, False, "flag is x"),
        ("parameters", {}, True, "no rule of the workload's own"),
    ],
)
def test_each_rule(name: str, changes: dict[str, Any], passed: bool | None, words: str) -> None:
    [found] = [one for one in judge([ensemble(**changes)]).benchmarks[0].rules if one.name == name]
    assert found == RuleResult(passed, found.reason, name=name)
    assert words in found.reason


def test_every_rule_is_listed_and_no_other() -> None:
    assert {one.name for one in judge([ensemble()]).benchmarks[0].rules} == set(RULEBOOK.sentences)
    assert RULEBOOK.workloads() == {}
