"""MLPerf HPC Throughput: scores worked by hand, pruning, targets of both directions, and every rule."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.rulebooks.measurements import EndedAttempts, Measurements
from orchestrator.rulebooks.mlperf_hpc.reference import reference
from orchestrator.rulebooks.mlperf_hpc.rulebook import RULEBOOK, judge, preflight
from orchestrator.rulebooks.mlperf_hpc.throughput import Score, best_pruned_score, score
from orchestrator.rulebooks.model import PlannedRun, RuleResult
from tests.orchestrator.rulebooks.measured import measured, runs
from workloads.description import QualityTarget

KEPT = {name: rule.reference for name, rule in reference().benchmarks["deepcam"].parameters.items()}
SIX = [
    (0.0, 600.0, 0.83),
    (1.0, 610.0, 0.82),
    (0.5, 590.0, 0.9),
    (0, 605, 0.83),
    (2, 600, 0.83),
    (0, 1200, 0.83),
]


def deepcam(**changes: Any) -> Measurements:
    return measured("deepcam", SIX, **{"parameters": KEPT} | changes)


def rule(item: Measurements, name: str) -> RuleResult:
    [found] = [rule for rule in judge([item]).benchmarks[0].rules if rule.name == name]
    return found


def test_six_models_by_hand() -> None:
    [one] = judge([deepcam()]).benchmarks
    # All six: last stop 1200 s − first start 0 s; 6 models ÷ 20 minutes
    assert (one["models"], one["converged_models"], one["seconds_to_train_all"]) == (6, 6, 1200.0)
    assert one["models_per_minute"] == pytest.approx(0.3)
    assert one.headline is not None
    assert one.headline.arithmetic == "6 ÷ 1200 s × 60"
    # Without the straggler: 610 s for five, which is the least number for DeepCAM; 5 ÷ 610 × 60
    assert (one["pruned_models"], one["pruned_seconds_to_train_all"]) == (5, 610.0)
    assert one["pruned_models_per_minute"] == pytest.approx(0.4918, abs=1e-4)
    assert (one["instance_scale"], one["total_scale"]) == (4, 24)
    assert one.reportable


def test_a_model_that_was_tried_again_counts_from_its_first_attempt() -> None:
    """A straggler that is ended and run again when the others are through does not shorten the time."""
    rows = [(0.0, 600.0, 0.83), (700.0, 1300.0, 0.83)]
    retried = measured(
        "deepcam",
        rows,
        parameters=KEPT,
        runs=runs(rows, {1: -100.0}),
        ended=EndedAttempts(outcomes={"timed_out: timeout": 1}),
    )
    [one] = judge([retried]).benchmarks
    assert one["seconds_to_train_all"] == 1400.0
    assert rule(retried, "time").reason == (
        "2 accepted models have a measured run interval; 1 of them were tried again, and count from the "
        "start of their first attempt; ended attempts: 1 timed_out: timeout"
    )


def test_a_published_score_comes_out_the_same() -> None:
    """Fugaku's 637 CosmoFlow models in 495.66 minutes are 1.285 models a minute."""
    assert Score(637, 495.66 * 60).models_per_minute == pytest.approx(1.285, abs=5e-4)


def test_models_that_did_not_converge_are_pruned() -> None:
    rows = [(0.0, 60.0, 0.1), (0.0, 120.0, 0.124), (0.0, 600.0, 0.1241), (0.0, 90.0, math.nan)]
    [one] = judge([measured("cosmoflow", rows, planned=5)]).benchmarks  # its error must be at most 0.124
    assert (one["models"], one["converged_models"], one["seconds_to_train_all"]) == (5, 2, 120.0)
    assert one["models_per_minute"] == 1.0
    reason = rule(measured("cosmoflow", rows, planned=5), "converged").reason
    assert reason == (
        "2 of 4 accepted models reached mean_absolute_error <= 0.124 in a measured interval; "
        "3 of 5 planned are pruned"
    )
    assert not one.reportable
    assert "2 models count, the rules ask for 10" in one.reasons
    assert one["pruned_models"] is None  # fewer than may be reported


def test_models_that_ran_one_after_another_count_too() -> None:
    """T may be less than M × S; waiting for a slot is within the time to train all."""
    rows = [(start, start + 100.0, 0.9) for start in (0.0, 0.0, 100.0, 100.0, 200.0)]
    [one] = judge(
        [measured("deepcam", rows, parameters=KEPT, overlap__concurrent=2, slots__largest_devices=1)]
    ).benchmarks
    assert (one["seconds_to_train_all"], one["models_per_minute"]) == (300.0, 1.0)
    assert (one["instance_scale"], one["total_scale"]) == (1, 2)
    assert one.reportable


def test_there_is_no_overall_figure() -> None:
    verdict = judge([deepcam(), measured("p1b1", [(0.0, 60.0, 0.9)])])
    assert verdict.reportable is None
    data = json.loads(json.dumps(verdict.to_dict()))
    assert set(data) == {"rulebook", "benchmarks"}
    assert [one["reportable"] for one in data["benchmarks"]] == [True, False]
    assert data["benchmarks"][0]["pruned_models_per_minute_arithmetic"] == "5 ÷ 610 s × 60"


def test_a_workload_outside_the_suite_has_figures_from_its_own_target() -> None:
    target = QualityTarget("score", at_least=0.5)
    rows = [(0.0, 30.0, 0.6), (0.0, 60.0, 0.4)]
    [one] = judge([measured("mine", rows, own_target=target)]).benchmarks
    assert (one["converged_models"], one["models_per_minute"]) == (1, 2.0)
    assert one.reasons == ("mine is not a benchmark of MLPerf HPC",)
    [none] = judge([measured("mine", rows)]).benchmarks
    assert (none["converged_models"], none["models_per_minute"]) == (0, None)
    assert "no quality target" in " ".join(none.reasons)


@pytest.mark.parametrize(
    ("name", "changes", "passed", "words"),
    [
        ("time", {"times__resumed": True}, False, "continued from a checkpoint"),
        ("time", {"runs": runs([*SIX[:5], (-1, 0, 0.9)])}, False, "1 accepted model has no measured"),
        ("clocks", {"times__contradiction_seconds": 3.0}, False, "clocks differed by 3.0 s"),
        (
            "parameters",
            {"parameters": KEPT | {"opt_name": "sgd"}},
            False,
            "opt_name is sgd, rules say one of",
        ),
        ("parameters", {"parameters": {}}, False, "opt_eps is not stated, rules say 1e-06"),
        ("parameters", {"parameters": {}, "run_class": "open"}, None, "free in the open division"),
        ("parameters", {"broken_parameters": ("x is 1, rules say 2",)}, False, "x is 1"),
        ("data", {"data__synthetic": True}, False, "synthetic data"),
        ("data", {"data__synthetic": False}, True, "no synthetic data"),
        ("data", {}, None, "no model reported"),
        ("slots", {"slots__mismatches": 1}, False, "1 accepted instance"),
        ("devices", {"slots__devices_used": False}, False, "did not prove"),
        ("seeds", {"distinct_seeds": False}, False, "share a seed"),
        ("time to solution", {}, None, "beside a time-to-solution score"),
        ("suite", {}, True, "deepcam is a benchmark"),
    ],
)
def test_each_rule(name: str, changes: dict[str, Any], passed: bool | None, words: str) -> None:
    item = deepcam(**changes)
    found = rule(item, name)
    assert found.passed is passed
    assert words in found.reason
    assert judge([item]).benchmarks[0].reportable is (passed is not False)


@pytest.mark.parametrize(
    ("parameters", "facts", "reasons"),
    [
        ({}, {}, ()),  # the reference program, which has no such parameters and states no sizes
        (
            {"image_edge": 128, "conv_layers": 5, "width_divisor": 1},
            {"train_images": 524_288, "validation_images": 65_536},
            (),
        ),
        (
            {"image_edge": 16, "conv_layers": 4, "width_divisor": 1},
            {"train_images": 512, "validation_images": 65_536},
            (
                "image_edge is 16, rules say 128; conv_layers is 4, rules say 5",
                "train_images is 512, rules say 524288",
            ),
        ),
    ],
)
def test_a_training_of_this_project_keeps_network_and_data_of_the_reference(
    parameters: dict[str, Any], facts: dict[str, Any], reasons: tuple[str, ...]
) -> None:
    hyperparameters = {"opt_name": "sgd", "sgd_opt_momentum": 0.9}
    item = measured(
        "cosmoflow",
        [(0.0, 60.0, 0.12)] * 10,
        parameters=hyperparameters | parameters,
        data__synthetic=False,
        data__facts=(facts,),
    )
    assert judge([item]).benchmarks[0].reasons == reasons


def test_every_rule_is_listed_and_no_other() -> None:
    assert [one.name for one in judge([deepcam()]).benchmarks[0].rules] == list(RULEBOOK.sentences)


intervals = st.lists(
    st.tuples(st.integers(0, 10**9), st.integers(1, 10**9)).map(lambda one: (one[0], sum(one))), max_size=30
)


@given(intervals, st.integers(1, 12))
def test_pruning_never_lowers_the_score_and_keeps_the_least_number(
    found: list[tuple[int, int]], minimum: int
) -> None:
    whole, pruned = score(found), best_pruned_score(found, minimum)
    if len(found) < minimum:
        assert pruned is None
        return
    assert whole is not None
    assert pruned is not None
    assert minimum <= pruned.models <= whole.models
    assert pruned.models_per_minute >= whole.models_per_minute
    kept = sorted(found, key=lambda one: one[1])[: pruned.models]
    assert pruned == score(kept)


def test_a_plan_says_what_breaks_the_rules() -> None:
    values: dict[str, Any] = {"run_class": "closed", "at_once": 1, "share_of_system": None}
    sgd = PlannedRun(workload="deepcam", parameters=KEPT | {"opt_name": "sgd"}, **values)
    assert preflight(sgd) == ["opt_name is sgd, rules say one of Adam, AdamW, LAMB"]
    assert preflight(PlannedRun(workload="p1b1", parameters={}, **values)) == [
        "p1b1 is not a benchmark of MLPerf HPC"
    ]
