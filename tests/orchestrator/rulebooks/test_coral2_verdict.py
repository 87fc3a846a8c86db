"""The CORAL-2 verdict: worked campaigns, every rule broken once, missing and doubled members."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.rulebooks.coral2.reference import deviations, originals, reference
from orchestrator.rulebooks.coral2.rulebook import judge, preflight
from orchestrator.rulebooks.measurements import EndedAttempts, GuaranteedOverlap, Measurements
from orchestrator.rulebooks.model import PlannedRun, Rule
from orchestrator.rulebooks.provenance import CodeFacts
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
        "concurrent": count,
        "sustained_seconds": 20.0,
        "fom_unit": FOM_UNITS[known.time] if known else "s",
        "time_share": (1.0, 1.0),
        "max_seconds": known.seconds if known else 1.0,
        "missing_times": 0,
        "min_accuracy": known.accuracy.minimum if known and known.accuracy else None,
        "missing_accuracies": 0,
        "below_target": 0,
        "frameworks": frozenset({"tensorflow"}),
        "precisions": frozenset({"float32"}),
        "synthetic_data": False if known and known.data else None,
        "data_facts": ({name: rule.reference for name, rule in known.data.items()},) if known else (),
        "slot_mismatches": 0,
        "devices_used": True,
        "largest_devices": 1,
        "distinct_seeds": True,
        "largest_share_of_system": 0.02 if resnet else 0.0001,
    }
    values |= changes
    return Measurements(**{"sustained": values["concurrent"]} | values)


def rule(item: Measurements, name: str) -> Rule:
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
        [measured("p1b1", planned=7_000, accepted=7_000, concurrent=7_000, max_seconds=943.2018)]
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
            p1b1={"max_seconds": 471.6009},
            p3b1={"max_seconds": 52.1051},
            # convnet: 0.2116 ÷ 0.1058 = 2; 1.1633 ÷ 0.14541250 = 8; 1; 1.6375 ÷ 1.6375 = 1;
            # (2 × 8 × 1 × 1) ^ ¼ = 16 ^ ¼ = 2
            alexnet={"max_seconds": 0.1058},
            googlenet={"max_seconds": 0.1454125},
            # LSTM: 0.001411 ÷ 0.0002822 = 5; 28,000 ÷ 14,000 = 2; 5 × 2 = 10
            lstm={"max_seconds": 0.0002822, "planned": 28_000, "accepted": 28_000, "concurrent": 28_000},
            # ResNet-50: 1500 ÷ 600 × 10 = 25
            resnet50={"max_seconds": 600.0},
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
    [base] = judge([measured("resnet50", min_accuracy=87.45)]).benchmarks
    assert base["fom"] == 10.0  # 1500 ÷ 1500 × 10; accuracy above the target earns a base run nothing
    assert (base["instances"], base["reference_instances"]) == (50, 5)
    [optimized] = judge([measured("resnet50", min_accuracy=87.45, run_class="optimized")]).benchmarks
    assert optimized["fom"] == pytest.approx(11.25)  # 10 × (1 + (12.55 ÷ 25.1)³) = 10 × 1.125
    assert optimized.headline.arithmetic == "(1500 s ÷ 1500 s) × 10 × (1 + ((87.45 − 74.9) ÷ (100 − 74.9))³)"
    assert optimized.reportable


@pytest.mark.parametrize(
    ("accuracy", "fom"),
    [(62.35, 8.75), (49.0, None), (0.749, None), (101.0, None)],  # 10 × 0.875; factor < 0; not percent
)
def test_optimized_resnet_below_target_or_off_the_scale(accuracy: float, fom: float | None) -> None:
    [found] = judge([measured("resnet50", min_accuracy=accuracy, run_class="optimized")]).benchmarks
    assert found["fom"] == (pytest.approx(fom) if fom is not None else None)
    assert not found.reportable


def test_more_than_fifty_resnets_count_as_fifty_and_fewer_have_no_figure() -> None:
    [more] = judge([measured("resnet50", planned=64, accepted=64, concurrent=64)]).benchmarks
    assert (more["fom"], more["instances"]) == (10.0, 50)
    assert more.reportable
    [fewer] = judge([measured("resnet50", concurrent=49)]).benchmarks
    assert fewer["fom"] is None
    assert not fewer.reportable


def test_only_instances_that_ran_at_once_count() -> None:
    [fom] = judge([measured("p3b1", concurrent=3_500)]).benchmarks
    assert fom["fom"] == 0.25  # 52.1051 ÷ 52.1051 = 1; 3,500 ÷ 14,000 = 0.25
    assert fom["instances"] == 3_500
    assert fom.reportable
    assert rule(measured("p3b1", concurrent=3_500), "concurrency").reason == (
        "3,500 of 14,000 accepted instances at once, for 20 s, 50% of the shortest; only 3,500 count"
    )


def test_only_instances_that_overlapped_for_a_while_count() -> None:
    """Two runs of ten seconds that met for a tenth of a second are no two concurrent instances."""
    short = measured("p3b1", sustained=3_500)
    [fom] = judge([short]).benchmarks
    assert (fom["instances"], fom["peak_instances"]) == (3_500, 14_000)
    assert fom["fom"] == 0.25
    assert fom.reportable
    reason = rule(short, "concurrency").reason
    assert "14,000 at one instant" in reason
    assert "`start: synchronized`" in reason


def test_only_instances_that_overlapped_for_certain_count() -> None:
    open_clock = GuaranteedOverlap(overlap=13_999, node="n7", ahead_seconds=(-0.2, 1.9))
    unsure = measured("p3b1", guaranteed=open_clock)
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
        outcomes={"timed_out: timeout": 14}, timed=14, longest_seconds=104.2102, longest="timed_out: timeout"
    )
    item = measured("p3b1", ended=ended)
    [fom] = judge([item]).benchmarks
    assert (fom["seconds"], fom["fom"]) == (104.2102, 0.5)
    assert not fom.reportable
    assert fom.attempts == {"succeeded": 14_000, "timed_out: timeout": 14}
    assert "had run 104.2102 s when it was ended" in rule(item, "stragglers").reason


def test_attempts_that_ended_sooner_than_the_longest_do_no_harm() -> None:
    ended = EndedAttempts(outcomes={"failed: killed": 2, "lost": 1}, timed=2, unknown=1, longest_seconds=9.5)
    [fom] = judge([measured("p3b1", ended=ended, max_seconds=52.1051)]).benchmarks
    assert (fom["fom"], fom.reportable) == (1.0, True)
    assert rule(measured("p3b1", ended=ended), "stragglers").reason == (
        "2 of 3 ended attempts had begun their timed part, the longest for 9.5 s; "
        "1 were lost, and it is not known how long they ran"
    )


BROKEN: list[tuple[str, str, dict[str, Any], str]] = [
    ("p1b1", "complete", {"planned": 14_002}, "14,000 of 14,002"),
    ("p1b1", "complete", {"planned": 0, "accepted": 0, "concurrent": 0}, "0 of 0"),
    ("p1b1", "time", {"max_seconds": None}, "no time"),
    ("p1b1", "time", {"missing_times": 1}, "1 accepted instances have no measured time"),
    ("p1b1", "time", {"max_seconds": 0.0}, "cannot be a time"),
    ("p1b1", "time", {"max_seconds": math.nan}, "cannot be a time"),
    ("p1b1", "concurrency", {"concurrent": 0}, "no instance was measured"),
    ("alexnet", "time", {"fom_unit": "s/sample"}, "reports s/sample, the suite asks for s/batch"),
    ("p1b1", "time", {"time_share": (0.0001, 1.0)}, "0.01% only of its measured run"),
    ("p1b1", "time", {"time_share": (0.99, 1.0)}, "99.00% only of its measured run"),
    (
        "vgg",
        "time",
        {"time_share": (0.5, 1.0), "fom_unit": "s/batch"},
        "50.00% only of its measured window of timed steps",
    ),
    ("vgg", "time", {"time_share": (1.0, 1.01), "fom_unit": "s/batch"}, "101.00% of its measured window"),
    (
        "p1b1",
        "stragglers",
        {"ended": EndedAttempts(outcomes={"lost: overdue": 1}, unknown=1, longest_unknown_seconds=1e6)},
        "may have run 1000000 s",
    ),
    (
        "resnet50",
        "quality",
        {"accuracy_metric": "top_5_percent"},
        "reports top_5_percent, the suite asks for",
    ),
    ("p1b1", "source", {"program": "external"}, "an external command; a base run executes the suite's own"),
    ("p1b1", "source", {"program": "module"}, "a module of the user's"),
    ("p1b1", "alone", {"beside_others": 2_424}, "2,424 instances were timed while another benchmark"),
    ("resnet50", "concurrency", {"concurrent": 49}, "ask for 50"),
    ("resnet50", "concurrency", {"concurrent": 50, "sustained": 49}, "ask for 50"),
    (
        "resnet50",
        "concurrency",
        {"guaranteed": GuaranteedOverlap(overlap=49, node="n7", ahead_seconds=(None, 1.9))},
        "the clock of node n7 is known to -∞ … +1.900 s only",
    ),
    (
        "p1b1",
        "concurrency",
        {
            "guaranteed": GuaranteedOverlap(overlap=0, node="n7", ahead_seconds=(1.0, None)),
            "clock_contradiction_seconds": 1.0,
        },
        "0 of 14,000 overlapped for certain: the clock of node n7 is known to +1.000 … +∞ s only",
    ),
    (
        "p1b1",
        "concurrency",
        {
            "guaranteed": GuaranteedOverlap(overlap=1, node="n7", ahead_seconds=(0.0, 0.0)),
            "clock_contradiction_seconds": 1.1,
        },
        "clocks differed by 1.1 s, or one was set back",
    ),
    ("p1b1", "quality", {"min_accuracy": 0.78}, "lowest test correlation is 0.78, target 0.7808"),
    ("p1b1", "quality", {"min_accuracy": 0.772, "run_class": "optimized"}, "0.772992"),
    ("p1b1", "quality", {"min_accuracy": None}, "no test correlation"),
    ("p1b1", "quality", {"min_accuracy": math.nan}, "no test correlation"),
    ("p1b1", "quality", {"min_accuracy": 78.08}, "another unit"),
    ("p1b1", "quality", {"missing_accuracies": 3}, "3 accepted instances have no"),
    ("p1b1", "quality", {"below_target": 2}, "2 accepted instances are below"),
    ("resnet50", "quality", {"min_accuracy": 74.8, "run_class": "optimized"}, "target 74.9"),
    ("vgg", "precision", {"precisions": frozenset({"float32", "tf32"})}, "float32, tf32; a base run allows"),
    ("vgg", "precision", {"precisions": frozenset()}, "told its precision"),
    ("vgg", "precision", {"precisions": frozenset(), "run_class": "optimized"}, "told its precision"),
    ("vgg", "framework", {"frameworks": frozenset({"torch"})}, "torch"),
    ("vgg", "framework", {"frameworks": frozenset({"tensorflow", "unknown"})}, "unknown"),
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
    ("lstm", "slots", {"cores_shared": True}, "another campaign ran on the same cores"),
    ("resnet50", "time", {"resumed": True}, "went on from a checkpoint; its time is not the whole"),
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
    ("p1b1", "data", {"synthetic_data": True}, "synthetic"),
    ("p1b1", "data", {"synthetic_data": None}, "told what data"),
    (
        "p1b1",
        "data",
        {"data_facts": ({"train_rows": 30},)},
        "train_rows is 30, the data set has 3000; test_rows is not stated",
    ),
    ("vgg", "slots", {"slot_mismatches": 4}, "4 accepted instances"),
    ("vgg", "devices", {"devices_used": False}, "did not prove that it used its device"),
    ("vgg", "seeds", {"distinct_seeds": False}, "share a seed"),
    ("vgg", "single device", {"largest_devices": 2}, "held 2 devices"),
    ("vgg", "single device", {"largest_devices": 0}, "held 0 devices"),
    (
        "resnet50",
        "share of the system",
        {"largest_share_of_system": 0.0201},
        "2.0100% of the system, allowed 2%",
    ),
    ("resnet50", "share of the system", {"largest_share_of_system": None}, "unknown"),
    ("resnet50", "share of the system", {"largest_share_of_system": math.nan}, "unknown"),
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
    ("p1b1", "quality", {"min_accuracy": 0.773, "run_class": "optimized", "below_target": 9}),
    ("vgg", "quality", {}),
    (
        "p1b1",
        "concurrency",
        {"guaranteed": GuaranteedOverlap(overlap=14_000, node="n7", ahead_seconds=(-0.2, 1.9))},
    ),
    (
        "resnet50",
        "concurrency",
        {
            "planned": 60,
            "accepted": 60,
            "concurrent": 60,
            "guaranteed": GuaranteedOverlap(overlap=50, node="n7", ahead_seconds=(None, None)),
        },
    ),
    ("vgg", "precision", {"precisions": frozenset({"bfloat16"}), "run_class": "optimized"}),
    ("vgg", "framework", {"frameworks": frozenset({"torch"}), "run_class": "optimized"}),
    ("vgg", "framework", {"frameworks": frozenset({"TensorFlow"})}),
    ("vgg", "devices", {"devices_used": None}),
    ("vgg", "data", {"synthetic_data": True}),
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


def test_versions_are_shown_beside_the_framework() -> None:
    found = rule(measured("vgg", versions=frozenset({"tensorflow 2.18.1"})), "framework")
    assert found.reason == "framework: tensorflow (tensorflow 2.18.1)"


@pytest.mark.parametrize(
    "changes",
    [
        {"max_seconds": None},
        {"missing_times": 1},
        {"max_seconds": 5e-324},
        {"max_seconds": -1.0},
        {"concurrent": 0},
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


def test_a_number_that_breaks_a_rule_is_still_shown_all_the_way_up() -> None:
    verdict = judge(suite(p1b1={"min_accuracy": 0.5, "below_target": 1}))
    candle = verdict.groups[0]
    assert candle["fom"] == 1.0
    assert not candle.reportable
    assert candle.reasons == ("p1b1 is not reportable",)
    assert verdict["overall"] == pytest.approx((5 * 1 + 1 * 1 + 2 * 1 + 5 * 10) / 13)
    assert not verdict.reportable


@given(st.sets(st.sampled_from(sorted(reference().benchmarks))))
def test_absent_members_are_listed_and_nothing_is_computed_without_them(absent: set[str]) -> None:
    verdict = judge([item for item in suite() if item.workload not in absent])
    for group in verdict.groups:
        assert group.missing == tuple(name for name in group.members if name in absent)
        assert (group["fom"] is None) == bool(group.missing)
        assert group.reportable == (not group.missing)
    assert (verdict["overall"] is None) == bool(absent)
    assert verdict.reportable == (not absent)


def test_an_empty_campaign_has_no_figure() -> None:
    verdict = judge([])
    assert (verdict.benchmarks, verdict["overall"], verdict.reportable) == ((), None, False)
    assert len(verdict.reasons) == 4


def test_two_benchmarks_of_one_workload_are_listed_and_neither_counts() -> None:
    verdict = judge([*suite(), measured("lstm", benchmark="lstm-again", max_seconds=0.0001)])
    twice = [fom for fom in verdict.benchmarks if fom.workload == "lstm"]
    assert [fom.benchmark for fom in twice] == ["lstm", "lstm-again"]
    assert all(fom["fom"] is not None and not fom.reportable for fom in twice)
    assert "2 benchmarks of the campaign run lstm" in twice[0].reasons[0]
    [group] = [group for group in verdict.groups if group.name == "lstm"]
    assert (group["fom"], group.missing) == (None, ("lstm",))
    assert verdict["overall"] is None


def test_a_workload_outside_the_suite_is_listed_and_spoils_nothing() -> None:
    verdict = judge([*suite(), measured("nt3", max_seconds=math.nan)])
    outsider = verdict.benchmarks[-1]
    assert (outsider["fom"], outsider.group, outsider.reportable, outsider["seconds"]) == (
        None,
        None,
        False,
        None,
    )
    assert outsider.reasons == ("nt3 is not a benchmark of CORAL-2",)
    assert verdict.reportable


def test_base_and_optimized_runs_do_not_mix() -> None:
    verdict = judge(suite(p1b1={"run_class": "optimized"}))
    assert all(fom.reportable for fom in verdict.benchmarks)
    assert verdict.groups[0].reasons == ("base and optimized runs are mixed",)
    assert verdict.reasons == ("base and optimized runs are mixed",)
    assert not verdict.reportable


def test_verdict_is_json_and_says_reportable_at_every_level() -> None:
    data = json.loads(json.dumps(judge(suite()).to_dict(), allow_nan=False))
    assert data["rulebook"] == "coral2"
    assert data["reportable"] is True
    assert all(part["reportable"] is True for part in data["benchmarks"] + data["groups"])
    assert {"name", "passed", "reason"} == set(data["benchmarks"][0]["rules"][0])


@pytest.mark.parametrize(
    "changes",
    [
        {"accepted": 14_001},
        {"concurrent": 14_001},
        {"concurrent": -1},
        {"guaranteed": GuaranteedOverlap(overlap=14_001, node="n7", ahead_seconds=(0.0, 0.0))},
        {"guaranteed": GuaranteedOverlap(overlap=-1, node="n7", ahead_seconds=(0.0, 0.0))},
        {"below_target": 14_001},
        {"missing_times": -1},
        {"largest_devices": -1},
    ],
)
def test_measurements_that_contradicts_itself_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="p1b1: "):
        measured("p1b1", **changes)


numbers = st.one_of(st.none(), st.floats())


@given(
    workload=st.sampled_from([*reference().benchmarks, "nt3"]),
    counts=st.lists(st.integers(0, 100), min_size=3, max_size=3).map(sorted),
    seconds=numbers,
    accuracy=numbers,
    share=numbers,
    run_class=st.sampled_from(["base", "optimized"]),
    flags=st.tuples(st.booleans(), st.booleans(), st.booleans()),
)
def test_any_measurements_get_a_verdict_that_is_sound(
    workload: str,
    counts: list[int],
    seconds: float | None,
    accuracy: float | None,
    share: float | None,
    run_class: str,
    flags: tuple[bool, bool, bool],
) -> None:
    item = measured(
        workload,
        concurrent=counts[0],
        accepted=counts[1],
        planned=counts[2],
        max_seconds=seconds,
        min_accuracy=accuracy,
        largest_share_of_system=share,
        run_class=run_class,
        distinct_seeds=flags[0],
        devices_used=flags[1],
        synthetic_data=flags[2],
    )
    verdict = judge([item])
    json.dumps(verdict.to_dict(), allow_nan=False)
    [fom] = verdict.benchmarks
    assert fom["fom"] is None or 0 < fom["fom"] < math.inf
    kept = all(rule.passed is not False for rule in fom.rules)
    assert fom.reportable == (fom["fom"] is not None and kept)
    assert all(rule.reason for rule in fom.rules)
    if fom["fom"] is None:
        assert fom.reasons


def planned(workload: str, at_once: int, share: float | None, **changes: Any) -> PlannedRun:
    values: dict[str, Any] = {"run_class": "base", "parameters": parameters(workload)} | changes
    return PlannedRun(workload=workload, at_once=at_once, share_of_system=share, **values)


def test_a_plan_says_what_will_keep_resnet50_from_counting() -> None:
    assert preflight(planned("resnet50", 50, 0.02)) == []
    assert preflight(planned("p1b1", 1, None)) == []
    few, wide = preflight(planned("resnet50", 2, 1.0))
    assert few == "2 instances run at once, the rules ask for 50"
    assert wide == "an instance holds 100.0% of the system, allowed 2%"
    assert "is unknown; set nodes in the site file" in preflight(planned("resnet50", 50, None))[0]


def test_a_plan_says_which_parameters_break_rules() -> None:
    small = parameters("p1b1", epochs=3, loader="cache")
    loader = "loader is cache, rules say one of numpy, pandas, pandas_low_memory_false"
    assert preflight(planned("p1b1", 1, None, parameters=small)) == [
        "epochs is 3, rules say at least 100",
        loader,
    ]
    optimized = planned("p1b1", 1, None, parameters=small, run_class="optimized")
    assert preflight(optimized) == []
    wide = planned("p1b1", 1, None, parameters=small | {"latent_width": 3}, run_class="optimized")
    assert preflight(wide) == ["latent_width is 3, rules say 2"]
    own = ("flag is x, rules say y",)
    outside = "nt3 is not a benchmark of CORAL-2"
    assert preflight(planned("nt3", 1, None, broken_parameters=own)) == [outside, *own]
    made = planned("p1b1", 1, None, parameters=parameters("p1b1"), synthetic_data=True)
    assert preflight(made) == ["its data are synthetic; the suite's own are asked for"]


def test_a_plan_warns_of_runs_that_are_known_to_miss_the_target() -> None:
    short = planned("p3b1", 1, None, parameters=parameters("p3b1", max_epochs=0))
    [text] = preflight(short)
    assert "0.5611, the target is 0.5637; set max_epochs" in text
    assert preflight(planned("p3b1", 1, None, parameters=parameters("p3b1", max_epochs=20))) == []
    # An optimized run may miss the target by one percent.
    optimized = planned("p3b1", 1, None, parameters=parameters("p3b1", max_epochs=0), run_class="optimized")
    assert preflight(optimized) == []


def test_differences_of_the_shipped_programs_are_declared() -> None:
    [fom] = judge([measured("p1b1", parameters=parameters("p1b1", loader="numpy"))]).benchmarks
    assert fom.reportable
    assert any("typed NumPy reader" in text for text in fom.declared)
    [other] = judge([measured("p1b1", parameters=parameters("p1b1", loader="pandas"))]).benchmarks
    assert not any("NumPy reader" in text for text in other.declared)
    assert len(other.declared) == len(fom.declared) - 1
    assert other.to_dict()["declared"] == list(other.declared)


def test_every_program_of_the_suite_has_declared_differences_and_an_original() -> None:
    assert deviations().keys() == originals().keys() == reference().benchmarks.keys()
    for name, known in deviations().items():
        for one in known:
            assert one.when.keys() <= reference().benchmarks[name].parameters.keys()
    assert all(len(digest) == 64 for one in originals().values() for digest in one.files.values())


def original(name: str, **changes: str) -> CodeFacts:
    """Return the recorded files of an external command that runs the suite's own program, changed."""
    files = {f"/opt/{file.rpartition('/')[2]}": digest for file, digest in originals()[name].files.items()}
    own = {"workloads/__init__.py": "a" * 64, "/usr/bin/python3": "sampled:b", **files, **changes}
    return CodeFacts(recorded=True, missing=0, listings=(own,))


def test_the_suites_own_program_needs_no_declaration() -> None:
    external: dict[str, Any] = {"program": "external", "frameworks": frozenset({"external"})}
    item = measured("alexnet", **external, precisions=frozenset({"unknown"}), code=original("alexnet"))
    for name in ("source", "framework", "precision"):
        assert rule(item, name).passed
        assert rule(item, name).declared == ()
    assert "soumith/convnet-benchmarks b458aab, unmodified" in rule(item, "source").reason
    edited = measured("p1b1", **external, code=original("p1b1", **{"/opt/p1b1.py": "c" * 64}))
    assert rule(edited, "source").passed is False
    other = measured("p3b1", **external, code=original("p1b1"))
    assert rule(other, "source").passed is False


def test_an_optimized_run_lists_what_it_modified() -> None:
    changed = parameters("p1b1", epochs=60, batch_size=200, precision="mixed_bfloat16")
    item = measured(
        "p1b1",
        run_class="optimized",
        parameters=changed,
        fewest_epochs_run=60,
        precisions=frozenset({"mixed_bfloat16"}),
    )
    [fom] = judge([item]).benchmarks
    assert fom.reportable
    assert fom.modifications == (
        "epochs is 60, rules say at least 100",
        "batch_size is 200, rules say 100",
        "precision is mixed_bfloat16, rules say float32",
    )
    [other] = judge([measured("p1b1", run_class="optimized", program="external")]).benchmarks
    assert other.modifications == ("program: an external command",)
    assert rule(measured("p1b1", run_class="optimized", program="external"), "source").passed


def test_an_unknown_class_is_a_defect_of_the_ledger() -> None:
    with pytest.raises(ValueError, match="p1b1: run class is base or optimized, not 'fast'"):
        judge([measured("p1b1", run_class="fast")])


def test_a_plan_says_when_gpus_cannot_be_proven() -> None:
    run = planned("p1b1", 1, None, gpus_unprovable="the kernel states no unique_id")
    assert "no instance can prove its GPUs: the kernel states no unique_id" in preflight(run)
