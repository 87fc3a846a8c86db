"""The CORAL-2 verdict: worked campaigns, every rule broken once, missing and doubled members."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from orchestrator.rulebooks.accepted_facts import GuaranteedOverlap
from orchestrator.rulebooks.coral2.reference import reference
from orchestrator.rulebooks.coral2.rulebook import judge
from orchestrator.rulebooks.measurements import EndedAttempts, Measurements
from orchestrator.rulebooks.model import RuleResult
from tests.orchestrator.rulebooks.measured import changed, made
from workloads.description import FOM_UNITS


def parameters(workload: str, **changes: Any) -> dict[str, Any]:
    """Return the parameters of a base run, changed."""
    known = reference().benchmarks.get(workload)
    return {name: rule.reference for name, rule in known.parameters.items()} | changes if known else changes


def measured(workload: str, **changes: Any) -> Measurements:
    """Return measurements that break no rule: Titan's own times on Titan's own count."""
    known = reference().benchmarks.get(workload)
    resnet = workload == "resnet50"
    count = 50 if resnet else 14_000
    values: dict[str, Any] = {
        "benchmark": workload,
        "workload": workload,
        "run_class": "base",
        "parameters": parameters(workload),
        "broken_parameters": (),
        "planned": count,
        "accepted": count,
        "overlap__concurrent": count,
        "overlap__sustained_seconds": 20.0,
        "times__unit": FOM_UNITS[known.time] if known else "s",
        "times__share": (1.0, 1.0),
        "times__max_seconds": known.seconds if known else 1.0,
        "times__missing": 0,
        "accuracy__lowest": known.accuracy.minimum if known and known.accuracy else None,
        "accuracy__missing": 0,
        "accuracy__below_target": 0,
        "software__frameworks": frozenset({"tensorflow"}),
        "software__precisions": frozenset({"float32"}),
        "data__synthetic": False if known and known.data else None,
        "data__facts": ({name: rule.reference for name, rule in known.data.items()},) if known else (),
        "slots__mismatches": 0,
        "slots__devices_used": True,
        "slots__largest_devices": 1,
        "distinct_seeds": True,
        "slots__largest_share_of_system": 0.02 if resnet else 0.0001,
    }
    values |= changes
    return made(values)


def rule(item: Measurements, name: str) -> RuleResult:
    [found] = [rule for rule in judge([item]).benchmarks[0].rules if rule.name == name]
    return found


def suite(**changes: dict[str, Any]) -> list[Measurements]:
    return [measured(workload, **changes.get(workload, {})) for workload in reference().benchmarks]


@pytest.mark.parametrize("workload", [n for n, b in reference().benchmarks.items() if b.partition is None])
def test_titan_judged_by_itself_is_one(workload: str) -> None:
    [fom] = judge([measured(workload)]).benchmarks
    assert fom["fom"] == 1.0
    assert fom.reportable
    assert fom.reasons == ()
    assert (fom["instances"], fom["reference_instances"]) == (14_000, 14_000)


def test_one_benchmark_by_hand() -> None:
    # 1886.4036 s ÷ 943.2018 s = 2; 7,000 ÷ 14,000 = 0.5; 2 × 0.5 = 1
    [fom] = judge(
        [
            measured(
                "p1b1", planned=7_000, accepted=7_000, overlap__concurrent=7_000, times__max_seconds=943.2018
            )
        ]
    ).benchmarks
    assert fom["fom"] == 1.0
    assert fom.headline.arithmetic == "(1886.4036 s ÷ 943.2018 s) × (7,000 ÷ 14,000)"
    assert (fom["seconds"], fom["reference_seconds"], fom["accuracy"], fom["target"]) == (
        943.2018,
        1886.4036,
        0.7808,
        0.7808,
    )


def test_whole_suite_by_hand() -> None:
    verdict = judge(
        suite(
            # CANDLE: 1886.4036 ÷ 471.6009 = 4 and 52.1051 ÷ 52.1051 = 1; √(4 × 1) = 2
            p1b1={"times__max_seconds": 471.6009},
            p3b1={"times__max_seconds": 52.1051},
            # convnet: 0.2116 ÷ 0.1058 = 2; 1.1633 ÷ 0.14541250 = 8; 1; 1.6375 ÷ 1.6375 = 1;
            # (2 × 8 × 1 × 1) ^ ¼ = 16 ^ ¼ = 2
            alexnet={"times__max_seconds": 0.1058},
            googlenet={"times__max_seconds": 0.1454125},
            # LSTM: 0.001411 ÷ 0.0002822 = 5; 28,000 ÷ 14,000 = 2; 5 × 2 = 10
            lstm={
                "times__max_seconds": 0.0002822,
                "planned": 28_000,
                "accepted": 28_000,
                "overlap__concurrent": 28_000,
            },
            # ResNet-50: 1500 ÷ 600 × 10 = 25
            resnet50={"times__max_seconds": 600.0},
        )
    )
    assert {group.name: group["fom"] for group in verdict.groups} == pytest.approx(
        {"candle": 2.0, "convnet": 2.0, "lstm": 10.0, "resnet50": 25.0}
    )
    # (5 × 2 + 1 × 2 + 2 × 10 + 5 × 25) ÷ 13 = (10 + 2 + 20 + 125) ÷ 13 = 157 ÷ 13
    assert verdict["overall"] == pytest.approx(157 / 13)
    assert verdict.headline.arithmetic == "(5 × 2 + 1 × 2 + 2 × 10 + 5 × 25) ÷ 13"
    assert verdict.reportable
    assert verdict.reasons == ()


def test_resnet_base_and_optimized_by_hand() -> None:
    [base] = judge([measured("resnet50", accuracy__lowest=87.45)]).benchmarks
    assert base["fom"] == 10.0  # 1500 ÷ 1500 × 10; accuracy above the target earns a base run nothing
    assert (base["instances"], base["reference_instances"]) == (50, 5)
    [optimized] = judge([measured("resnet50", accuracy__lowest=87.45, run_class="optimized")]).benchmarks
    assert optimized["fom"] == pytest.approx(11.25)  # 10 × (1 + (12.55 ÷ 25.1)³) = 10 × 1.125
    assert optimized.headline.arithmetic == "(1500 s ÷ 1500 s) × 10 × (1 + ((87.45 − 74.9) ÷ (100 − 74.9))³)"
    assert optimized.reportable


@pytest.mark.parametrize(
    ("accuracy", "fom"),
    [(62.35, 8.75), (49.0, None), (0.749, None), (101.0, None)],  # 10 × 0.875; factor < 0; not percent
)
def test_optimized_resnet_below_target_or_off_the_scale(accuracy: float, fom: float | None) -> None:
    [found] = judge([measured("resnet50", accuracy__lowest=accuracy, run_class="optimized")]).benchmarks
    assert found["fom"] == (pytest.approx(fom) if fom is not None else None)
    assert not found.reportable


def test_more_than_fifty_resnets_count_as_fifty_and_fewer_have_no_figure() -> None:
    [more] = judge([measured("resnet50", planned=64, accepted=64, overlap__concurrent=64)]).benchmarks
    assert (more["fom"], more["instances"]) == (10.0, 50)
    assert more.reportable
    [fewer] = judge([measured("resnet50", overlap__concurrent=49)]).benchmarks
    assert fewer["fom"] is None
    assert not fewer.reportable


def test_only_instances_that_ran_at_once_count() -> None:
    [fom] = judge([measured("p3b1", overlap__concurrent=3_500)]).benchmarks
    assert fom["fom"] == 0.25  # 52.1051 ÷ 52.1051 = 1; 3,500 ÷ 14,000 = 0.25
    assert fom["instances"] == 3_500
    assert fom.reportable
    assert rule(measured("p3b1", overlap__concurrent=3_500), "concurrency").reason == (
        "3,500 of 14,000 accepted instances at once, for 20 s, 50% of the shortest; only 3,500 count"
    )


def test_only_instances_that_overlapped_for_a_while_count() -> None:
    """Two runs of ten seconds that met for a tenth of a second are no two concurrent instances."""
    short = measured("p3b1", overlap__sustained=3_500)
    [fom] = judge([short]).benchmarks
    assert (fom["instances"], fom["peak_instances"]) == (3_500, 14_000)
    assert fom["fom"] == 0.25
    assert fom.reportable
    reason = rule(short, "concurrency").reason
    assert "14,000 at one instant" in reason
    assert "`start: synchronized`" in reason


def test_only_instances_that_overlapped_for_certain_count() -> None:
    open_clock = GuaranteedOverlap(overlap=13_999, node="n7", ahead_seconds=(-0.2, 1.9))
    unsure = measured("p3b1", overlap__guaranteed=open_clock)
    [fom] = judge([unsure]).benchmarks
    assert (fom["instances"], fom["fom"]) == (13_999, 13_999 / 14_000)
    assert fom.reportable
    assert (
        "13,999 of 14,000 overlapped for certain: the clock of node n7 is known to -0.200 … +1.900 s only"
        in rule(unsure, "concurrency").reason
    )


def test_an_attempt_that_was_ended_bounds_the_longest_time() -> None:
    """Ending stragglers and running them again elsewhere makes no machine faster."""
    ended = EndedAttempts(
        outcomes={"timed_out: timeout": 14},
        begun={"timed_out: timeout": 14},
        longest_seconds=104.2102,
        longest="timed_out: timeout",
        timed_out=14,
        shortest_timed_out_seconds=104.0,
    )
    item = measured("p3b1", ended=ended)
    [fom] = judge([item]).benchmarks
    assert (fom["seconds"], fom["fom"]) == (104.2102, 0.5)
    assert not fom.reportable
    assert fom.attempts == {"succeeded": 14_000, "timed_out: timeout": 14}
    assert "had run 104.2102 s when it was ended" in rule(item, "stragglers").reason


def test_attempts_that_ended_sooner_than_the_longest_do_no_harm() -> None:
    ended = EndedAttempts(
        outcomes={"failed: killed": 2, "lost": 1},
        begun={"failed: killed": 2},
        unknown={"lost": 1},
        longest_seconds=9.5,
        longest="failed: killed",
        most_unknown_seconds=12.0,
    )
    [fom] = judge([measured("p3b1", ended=ended, times__max_seconds=52.1051)]).benchmarks
    assert (fom["fom"], fom.reportable) == (1.0, True)
    found = rule(measured("p3b1", ended=ended), "stragglers")
    declared = (
        "attempts ended after their timed part had begun: 2 failed: killed",
        "attempts lost, with an unknown length of their run: 1 lost; at most 12 s",
    )
    assert (found.passed, found.declared) == (True, declared)
    assert found.reason == "; ".join(
        ["2 of 3 ended attempts had begun their timed part, the longest for 9.5 s", *declared]
    )


@pytest.mark.parametrize(
    ("number", "shortest", "passed"),
    [(1, 208.4204, True), (14, 105.0, True), (15, 105.0, False), (1, 104.0, False)],
)
def test_a_process_that_hangs_until_a_late_timeout_is_declared_and_counts(
    number: int, shortest: float, passed: bool
) -> None:
    outcomes = {"timed_out: timeout": number}
    ended = EndedAttempts(
        outcomes=outcomes,
        begun=outcomes,
        longest_seconds=208.4204,
        longest="timed_out: timeout",
        timed_out=number,
        shortest_timed_out_seconds=shortest,
    )
    item = measured("p3b1", ended=ended, times__max_seconds=52.1051)
    [fom] = judge([item]).benchmarks
    found = rule(item, "stragglers")
    assert (fom["seconds"], fom["fom"], fom.reportable) == (208.4204, 0.25, passed)
    assert found.passed is passed
    if passed:
        assert found.declared[0].startswith("failed instances: ")
        assert "ran 208.4204 s at least, which counts as the longest time" in found.declared[0]


def test_a_stated_time_of_an_optimized_run_is_declared() -> None:
    item = measured("vgg", run_class="optimized", times__share=None, times__unit="s/batch")
    assert rule(item, "time").passed is None
    [declared] = rule(item, "time").declared
    assert declared.endswith("s/batch, as stated; no measured interval confirms it")


def test_a_hanging_process_hides_no_killed_one() -> None:
    ended = EndedAttempts(
        outcomes={"timed_out: timeout": 1, "failed: killed": 1},
        begun={"timed_out: timeout": 1, "failed: killed": 1},
        longest_seconds=208.4204,
        longest="timed_out: timeout",
        longest_killed_seconds=60.0,
        longest_killed="failed: killed",
        timed_out=1,
        shortest_timed_out_seconds=208.4204,
    )
    found = rule(measured("p3b1", ended=ended, times__max_seconds=52.1051), "stragglers")
    assert found.passed is False
    assert "(failed: killed) had run 60 s" in found.reason


@pytest.mark.parametrize(("ran", "passed"), [(90.0, False), (79.0, True)])
def test_a_lost_attempt_of_timed_batches_is_decided_by_its_process(ran: float, passed: bool) -> None:
    lost = {"lost: worker died": 1}
    ended = EndedAttempts(outcomes=lost, unknown=lost, most_unknown_seconds=ran)
    item = measured("vgg", ended=ended, times__unit="s/batch", times__process_seconds=80.0)
    assert rule(item, "stragglers").passed is passed


def test_without_the_number_of_steps_processes_are_compared() -> None:
    ended = EndedAttempts(
        outcomes={"failed: killed": 1}, begun={"failed: killed": 1}, longest_process_seconds=90.0
    )
    item = measured("vgg", ended=ended, times__unit="s/batch", times__process_seconds=80.0)
    assert rule(item, "stragglers").passed is False
    assert rule(changed(item, times__process_seconds=95.0), "stragglers").passed is True


BROKEN: list[tuple[str, str, dict[str, Any], str]] = [
    ("p1b1", "complete", {"planned": 14_002}, "14,000 of 14,002"),
    ("p1b1", "complete", {"planned": 0, "accepted": 0, "overlap__concurrent": 0}, "0 of 0"),
    ("p1b1", "time", {"times__max_seconds": None}, "no time"),
    ("p1b1", "time", {"times__missing": 1}, "1 accepted instance has no measured time"),
    ("p1b1", "time", {"times__max_seconds": 0.0}, "cannot be a time"),
    ("p1b1", "time", {"times__max_seconds": math.nan}, "cannot be a time"),
    ("p1b1", "concurrency", {"overlap__concurrent": 0}, "no instance was measured"),
    ("alexnet", "time", {"times__unit": "s/sample"}, "reports s/sample, the suite asks for s/batch"),
    (
        "vgg",
        "time",
        {"times__share": None, "times__unit": "s/batch"},
        "as stated; no measured interval confirms it",
    ),
    ("p1b1", "time", {"times__share": (0.0001, 1.0)}, "0.01% only of its measured run"),
    ("p1b1", "time", {"times__share": (0.99, 1.0)}, "99.00% only of its measured run"),
    (
        "vgg",
        "time",
        {"times__share": (0.5, 1.0), "times__unit": "s/batch"},
        "50.00% only of its measured window of timed steps",
    ),
    (
        "vgg",
        "time",
        {"times__share": (1.0, 1.01), "times__unit": "s/batch"},
        "101.00% of its measured window",
    ),
    (
        "p1b1",
        "stragglers",
        {
            "ended": EndedAttempts(
                outcomes={"lost: overdue": 1}, unknown={"lost: overdue": 1}, most_unknown_seconds=1e6
            )
        },
        "may have run 1000000 s",
    ),
    (
        "resnet50",
        "quality",
        {"accuracy__metric": "top_5_percent"},
        "reports top_5_percent, the suite asks for",
    ),
    ("p1b1", "source", {"program": "external"}, "an external command; a base run executes the suite's own"),
    ("p1b1", "source", {"program": "module"}, "a module of the user's"),
    (
        "p1b1",
        "alone",
        {"overlap__beside_others": 2_424},
        "2,424 instances were timed while another benchmark",
    ),
    ("resnet50", "concurrency", {"overlap__concurrent": 49}, "ask for 50"),
    ("resnet50", "concurrency", {"overlap__concurrent": 50, "overlap__sustained": 49}, "ask for 50"),
    (
        "resnet50",
        "concurrency",
        {"overlap__guaranteed": GuaranteedOverlap(overlap=49, node="n7", ahead_seconds=(None, 1.9))},
        "the clock of node n7 is known to -∞ … +1.900 s only",
    ),
    (
        "p1b1",
        "concurrency",
        {
            "overlap__guaranteed": GuaranteedOverlap(overlap=0, node="n7", ahead_seconds=(1.0, None)),
            "times__contradiction_seconds": 1.0,
        },
        "0 of 14,000 overlapped for certain: the clock of node n7 is known to +1.000 … +∞ s only",
    ),
    (
        "p1b1",
        "concurrency",
        {
            "overlap__guaranteed": GuaranteedOverlap(overlap=1, node="n7", ahead_seconds=(0.0, 0.0)),
            "times__contradiction_seconds": 1.1,
        },
        "clocks differed by 1.1 s, or one was set back",
    ),
    ("p1b1", "quality", {"accuracy__lowest": 0.78}, "lowest test correlation is 0.78, target 0.7808"),
    ("p1b1", "quality", {"accuracy__lowest": 0.772, "run_class": "optimized"}, "0.772992"),
    ("p1b1", "quality", {"accuracy__lowest": None}, "no test correlation"),
    ("p1b1", "quality", {"accuracy__lowest": math.nan}, "no test correlation"),
    ("p1b1", "quality", {"accuracy__lowest": 78.08}, "another unit"),
    ("p1b1", "quality", {"accuracy__missing": 3}, "3 accepted instances have no"),
    ("p1b1", "quality", {"accuracy__below_target": 2}, "2 accepted instances are below"),
    ("resnet50", "quality", {"accuracy__lowest": 74.8, "run_class": "optimized"}, "target 74.9"),
    (
        "vgg",
        "precision",
        {"software__precisions": frozenset({"float32", "tf32"})},
        "float32, tf32; a base run allows",
    ),
    ("vgg", "precision", {"software__precisions": frozenset()}, "told its precision"),
    (
        "vgg",
        "precision",
        {"software__precisions": frozenset(), "run_class": "optimized"},
        "told its precision",
    ),
    ("vgg", "framework", {"software__frameworks": frozenset({"torch"})}, "torch"),
    ("vgg", "framework", {"software__frameworks": frozenset({"tensorflow", "unknown"})}, "unknown"),
    ("vgg", "parameters", {"parameters": parameters("vgg", steps=99)}, "steps is 99, rules say 100"),
    ("vgg", "parameters", {"parameters": parameters("vgg", steps=True)}, "steps is True"),
    ("lstm", "parameters", {"parameters": {}}, "steps is not stated"),
    (
        "resnet50",
        "parameters",
        {"parameters": parameters("resnet50", epochs=89)},
        "epochs is 89, rules say at least 90",
    ),
    ("p1b1", "parameters", {"fewest_epochs_run": 61}, "stopped after 61 epochs, rules say at least 100"),
    ("lstm", "slots", {"slots__cores_shared": True}, "another campaign ran on the same cores"),
    ("resnet50", "time", {"times__resumed": True}, "went on from a checkpoint; its time is not the whole"),
    ("resnet50", "parameters", {"fewest_epochs_run": 61}, "stopped after 61 epochs, rules say at least 90"),
    ("p1b1", "parameters", {"broken_parameters": ("epochs is 5, rules say at least 100",)}, "epochs is 5"),
    (
        "p1b1",
        "parameters",
        {"broken_parameters": ("latent is 100, rules say 2",), "run_class": "optimized"},
        "latent is 100",
    ),
    (
        "p1b1",
        "parameters",
        {"broken_parameters": ("loader is cache, rules say one of numpy, pandas",)},
        "loader is cache",
    ),
    ("p1b1", "data", {"data__synthetic": True}, "synthetic"),
    ("p1b1", "data", {"data__synthetic": None}, "told what data"),
    (
        "p1b1",
        "data",
        {"data__facts": ({"train_rows": 30},)},
        "train_rows is 30, the data set has 3000; test_rows is not stated",
    ),
    ("vgg", "slots", {"slots__mismatches": 4}, "4 accepted instances"),
    ("vgg", "devices", {"slots__devices_used": False}, "did not prove that it used its device"),
    ("vgg", "seeds", {"distinct_seeds": False}, "share a seed"),
    ("vgg", "single device", {"slots__largest_devices": 2}, "held 2 devices"),
    ("vgg", "single device", {"slots__largest_devices": 0}, "held 0 devices"),
    (
        "resnet50",
        "share of the system",
        {"slots__largest_share_of_system": 0.0201},
        "2.0100% of the system, allowed 2%",
    ),
    ("resnet50", "share of the system", {"slots__largest_share_of_system": None}, "unknown"),
    ("resnet50", "share of the system", {"slots__largest_share_of_system": math.nan}, "unknown"),
]


@pytest.mark.parametrize(("workload", "name", "changes", "words"), BROKEN)
def test_each_broken_rule_says_so(workload: str, name: str, changes: dict[str, Any], words: str) -> None:
    item = measured(workload, **changes)
    found = rule(item, name)
    assert not found.passed
    assert words in found.reason
    [fom] = judge([item]).benchmarks
    assert not fom.reportable
    assert found.reason in fom.reasons
    verdict = judge(suite(**{workload: changes}))
    assert not verdict.reportable
    assert f"{workload}: {found.reason}" in verdict.reasons
    json.dumps(verdict.to_dict(), allow_nan=False)


KEPT: list[tuple[str, str, dict[str, Any]]] = [
    (
        "p3b1",
        "parameters",
        {
            "broken_parameters": ("loader is cache, rules say one of numpy, pandas",),
            "run_class": "optimized",
        },
    ),
    ("p1b1", "quality", {"accuracy__lowest": 0.773, "run_class": "optimized", "accuracy__below_target": 9}),
    ("vgg", "quality", {}),
    (
        "p1b1",
        "concurrency",
        {"overlap__guaranteed": GuaranteedOverlap(overlap=14_000, node="n7", ahead_seconds=(-0.2, 1.9))},
    ),
    (
        "resnet50",
        "concurrency",
        {
            "planned": 60,
            "accepted": 60,
            "overlap__concurrent": 60,
            "overlap__guaranteed": GuaranteedOverlap(overlap=50, node="n7", ahead_seconds=(None, None)),
        },
    ),
    ("vgg", "precision", {"software__precisions": frozenset({"bfloat16"}), "run_class": "optimized"}),
    ("vgg", "framework", {"software__frameworks": frozenset({"torch"}), "run_class": "optimized"}),
    ("vgg", "framework", {"software__frameworks": frozenset({"TensorFlow"})}),
    ("vgg", "devices", {"slots__devices_used": None}),
    ("vgg", "data", {"data__synthetic": True}),
    ("resnet50", "parameters", {"parameters": parameters("resnet50", epochs=120), "fewest_epochs_run": 120}),
    ("p1b1", "parameters", {"fewest_epochs_run": 100}),
    ("p3b1", "parameters", {"fewest_epochs_run": 61}),
    (
        "vgg",
        "parameters",
        {"broken_parameters": ("precision is float16, rules say float32",), "run_class": "optimized"},
    ),
]


@pytest.mark.parametrize(("workload", "name", "changes"), KEPT)
def test_what_the_rules_allow_passes(workload: str, name: str, changes: dict[str, Any]) -> None:
    item = measured(workload, **changes)
    assert rule(item, name).passed
    assert judge([item]).benchmarks[0].reportable


def test_a_broken_parameter_is_told_once() -> None:
    told = "epochs is 5, rules say at least 90"
    found = rule(
        measured("resnet50", parameters=parameters("resnet50", epochs=5), broken_parameters=(told,)),
        "parameters",
    )
    assert found.reason == told


def test_ranks_of_a_base_run_communicate_over_horovod() -> None:
    joined = {"parameters": parameters("resnet50", communication="torch")}
    base = rule(measured("resnet50", **joined), "framework")
    assert (base.passed, base.reason) == (False, "communication is torch, a base run allows horovod only")
    optimized = measured("resnet50", **joined, run_class="optimized")
    assert rule(optimized, "framework").passed
    assert "communication is torch" in str(judge([optimized]).benchmarks[0])


def test_versions_are_shown_beside_the_framework() -> None:
    found = rule(measured("vgg", software__versions=frozenset({"tensorflow 2.18.1"})), "framework")
    assert found.reason == "framework: tensorflow (tensorflow 2.18.1)"


@pytest.mark.parametrize(
    "changes",
    [
        {"times__max_seconds": None},
        {"times__missing": 1},
        {"times__max_seconds": 5e-324},
        {"times__max_seconds": -1.0},
        {"overlap__concurrent": 0},
    ],
)
def test_a_figure_that_was_not_measured_is_absent_and_never_zero(changes: dict[str, Any]) -> None:
    verdict = judge(suite(vgg=changes))
    [fom] = [found for found in verdict.benchmarks if found.workload == "vgg"]
    assert fom["fom"] is None
    assert fom.headline.arithmetic == ""
    assert any(reason.startswith("no FOM can be stated") for reason in fom.reasons)
    [convnet] = [group for group in verdict.groups if group.name == "convnet"]
    assert (convnet["fom"], convnet.missing) == (None, ("vgg",))
    assert verdict["overall"] is None
    assert "group convnet has no FOM" in verdict.reasons


@pytest.mark.parametrize(
    ("workload", "lowest", "declared"),
    [("p3b1", 0.5637, False), ("p3b1", 0.75, False), ("p3b1", 1.0, True), ("p1b1", 0.9, True)],
)
def test_an_accuracy_far_above_the_documented_one_is_declared(
    workload: str, lowest: float, declared: bool
) -> None:
    [found] = judge([measured(workload, accuracy__lowest=lowest)]).benchmarks
    [rule] = [one for one in found.rules if one.name == "quality"]
    assert rule.passed
    assert ["the data may be other than the suite's" in text for text in rule.declared] == [True] * declared
