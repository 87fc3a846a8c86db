"""HPC AI500 V2.0: figures worked by hand, the rules of each class and layer, and attacks on both."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator.cli.look.fom import show_fom
from orchestrator.rulebooks.accepted_facts import DataPlace
from orchestrator.rulebooks.hpcai500.reference import reference
from orchestrator.rulebooks.hpcai500.rulebook import RULEBOOK, judge, preflight, workloads
from orchestrator.rulebooks.measured_work import MeasuredWork
from orchestrator.rulebooks.measurements import Measurements, PlanChanges, SupersededInstances
from orchestrator.rulebooks.model import PlannedRun
from orchestrator.rulebooks.provenance import VariableFacts
from orchestrator.wording import count_of
from tests.orchestrator.rulebooks.hpcai500_runs import (
    IMAGES,
    SECONDS,
    image_classification,
    parameters,
    rule,
    verdict,
)
from tests.orchestrator.rulebooks.measured import measured
from workloads import modules


def test_ten_repeats_by_hand() -> None:
    one = verdict(image_classification())
    rate = 90 * IMAGES / 4350  # the fastest and the slowest are dropped
    assert (one["repeats"], one["kept_repeats"], one["ranks"]) == (10, 8, 8)
    assert one["time_to_quality_seconds"] == pytest.approx(4350)
    assert one["flops"] == pytest.approx(rate * 23e9)
    assert one["penalty"] == pytest.approx((77 / 76.3) ** 5)
    assert one["vflops"] == pytest.approx(rate * 23e9 * (77 / 76.3) ** 5)
    assert one["flops_per_watt"] == pytest.approx(rate * 23e9 / 2000)
    assert one["vflops_per_watt"] == pytest.approx(rate * 23e9 / 2000 * (77 / 76.3) ** 5)
    assert one["flops_counted"] == pytest.approx(rate * 24e9)
    assert one["variation"] == pytest.approx((2_616_000 / 9) ** 0.5 / 4280)  # of all ten
    assert one["penalty_exponent"] == 5
    arithmetic = {figure.name: figure.arithmetic for figure in one.figures}
    assert arithmetic["flops"] == "115305030 ÷ 4350 s × 2.3e+10 (flop: suite), means of 8 of 10 repeats"
    assert "× 2.4e+10 (flop: counted)" in arithmetic["flops_counted"]
    assert one.reasons == ()
    assert one.reportable


def test_extreme_weather_has_its_own_exponent_and_count() -> None:
    samples = 50 * 11_680.0
    found = image_classification(
        top_1=0.315,
        benchmark="extreme_weather",
        workload="extreme_weather",
        accuracy__metric="map_50",
        parameters=parameters("extreme_weather"),
        data__facts=({"train_images": 11_680},),
        metrics={"epochs_run": 50.0, "samples_seen": samples, "trainable_parameters": 41_408_424.0},
    )
    one = verdict(found)
    assert one["penalty"] == pytest.approx(0.9**10)
    assert one["flops"] == pytest.approx(samples / 4350 * 691e9)
    assert one["time_to_quality_seconds"] is None
    assert one.reportable  # quality below the target lowers Valid FLOPS, and is stated


def test_a_missed_target_lowers_valid_flops_and_leaves_no_time_to_quality() -> None:
    found = image_classification(top_1=[68.67] * 10)
    one = verdict(found)
    assert one["penalty"] == pytest.approx(0.59049)
    assert one["vflops"] == pytest.approx(0.59049 * (one["flops"] or 0))
    assert one["time_to_quality_seconds"] is None
    data = json.loads(json.dumps(one.to_dict()))
    assert data["time_to_quality_seconds_absent"] == (
        "not every repeat reached top_1_percent >= 76.3: of 10, kept or not, the lowest has 68.67"
    )
    assert "Valid FLOPS are less" in rule(found, "quality").reason


def demo_weather(**changes: Any) -> Measurements:
    """Return three repeats of which the middle one, which alone is kept, is far above the target."""
    values: dict[str, Any] = {
        "top_1": [0.2, 0.606, 0.7],
        "benchmark": "extreme_weather",
        "workload": "extreme_weather",
        "accuracy__metric": "map_50",
        "parameters": parameters("extreme_weather") | {"image_height": 96, "epochs": 7},
        "metrics": {"power_mean_watts": None, "trainable_parameters": 650_000.0},
        "work": MeasuredWork(not_sampled=("cpu: root only",)),
    }
    return image_classification([20.0, 25.0, 30.0], **values | changes)


def test_a_repeat_that_is_dropped_and_missed_the_target_leaves_no_time_to_quality(
    capsys: pytest.CaptureFixture[str],
) -> None:
    one = verdict(demo_weather())
    assert (one["repeats"], one["kept_repeats"], one["quality"]) == (3, 1, 0.606)
    assert one["flops"] == pytest.approx(90 * IMAGES / 25 * 24e9)  # counted: the network is another one
    assert one["penalty"] == pytest.approx((0.606 / 0.35) ** 10)  # 242: the suite's formula has no bound
    assert one["variation"] == pytest.approx(0.2)  # deviations -5, 0 and 5 of 25: √(50 ÷ 2) ÷ 25
    reason = "not every repeat reached map_50 >= 0.35: of 3, kept or not, the lowest has 0.2"
    assert one["time_to_quality_seconds"] is None
    assert one.to_dict()["time_to_quality_seconds_absent"] == reason
    show_fom(judge([demo_weather(), measured("gemm", [(0.0, 10.0, math.nan)], run_class="hardware")]))
    shown = capsys.readouterr().out.partition("\nabsent:\n")[2].partition("\n\n")[0].splitlines()
    assert shown == [
        f"  time to quality s of extreme_weather: {reason}",
        "  VFLOPS/W of extreme_weather: not every repeat that counts has a measured power (cpu: root only)",
    ]
    two = verdict(image_classification([20.0, 25.0], top_1=[76.0, 77.0]))
    assert two.to_dict()["time_to_quality_seconds_absent"] == (
        "not every repeat reached top_1_percent >= 76.3: the lowest has 76"
    )
    reached = verdict(demo_weather(top_1=[0.36, 0.606, 0.7]))
    assert reached["time_to_quality_seconds"] == 25


@pytest.mark.parametrize(
    ("top_1", "declared"), [(77.0, False), (88.0, False), ([77.0] * 9 + [88.2], True), (100.0, True)]
)
def test_a_quality_far_above_the_target_is_declared(top_1: float | list[float], declared: bool) -> None:
    found = rule(image_classification(top_1=top_1), "quality")
    assert found.passed
    assert ["leaves less than half of the error of the documented 76.3" in one for one in found.declared] == (
        [True] * declared
    )


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (
            {"accuracy__metric": "top_5_percent", "top_1": 90.0},
            "the program reports top_5_percent, rules say",
        ),
        ({"top_1": [77.0] * 9 + [763.0]}, "a value outside of 0 to 100 has another unit"),
        ({"top_1": [77.0] * 9 + [-1.0]}, "a value outside of 0 to 100 has another unit"),
    ],
)
def test_another_quality_than_the_suites_makes_no_valid_flops(changes: dict[str, Any], reason: str) -> None:
    one = verdict(image_classification(**changes))
    assert one["flops"] == pytest.approx(90 * IMAGES / 4350 * 23e9)
    data = one.to_dict()
    for name in ("penalty", "vflops", "vflops_counted", "vflops_per_watt", "time_to_quality_seconds"):
        assert one[name] is None
    assert reason in data["penalty_absent"]
    assert reason in data["time_to_quality_seconds_absent"]
    assert not one.reportable


def test_without_power_no_figure_is_per_watt_and_the_reason_is_stated() -> None:
    work = MeasuredWork(not_sampled=("cpu: /sys/class/powercap can be read by root only",))
    found = image_classification(metrics={"power_mean_watts": None}, work=work)
    one = verdict(found)
    assert (one["flops_per_watt"], one["vflops_per_watt"], one["mean_watts"]) == (None, None, None)
    assert one["vflops"] is not None
    assert "root only" in one.to_dict()["vflops_per_watt_absent"]
    assert rule(found, "power").passed is None
    assert one.reportable


def test_one_repeat_without_power_leaves_no_figure_per_watt() -> None:
    watts = [2000.0] * 9 + [float("nan")]
    dropped = verdict(image_classification(metrics={"power_mean_watts": watts}))
    assert dropped["vflops_per_watt"] is not None  # the fastest does not count
    counts = verdict(image_classification(metrics={"power_mean_watts": watts[::-1][:1] * 2 + watts[:8]}))
    assert counts["vflops_per_watt"] is None


def test_a_power_that_only_the_program_states_is_not_confirmed() -> None:
    found = rule(image_classification(work=MeasuredWork()), "power")
    assert found.passed is None
    assert "no reading of a node confirms it" in found.reason
    assert found.declared == (found.reason,)


@pytest.mark.parametrize("repeats", [1, 2, 3, 9])
def test_too_few_repeats_have_figures_and_are_not_reportable(repeats: int) -> None:
    found = image_classification(SECONDS[:repeats])
    one = verdict(found)
    assert one["kept_repeats"] == (repeats if repeats < 3 else repeats - 2)
    assert one["vflops"] is not None
    assert (one["variation"] is None) == (repeats == 1)
    assert not one.reportable
    reason = rule(found, "repeats").reason
    assert reason.startswith(f"{count_of(repeats, 'repeat')}; the suite's text asks for 10 ")
    assert "of image classification, its table 2 for 5" in reason
    assert "the stricter, 10, decides" in reason


def test_both_readings_ask_for_ten_of_each_training() -> None:
    assert {name: one.repeats.stricter for name, one in reference().benchmarks.items()} == {
        "resnet50_v15": 10,
        "extreme_weather": 10,
    }


@pytest.mark.parametrize("name", ["training_seconds", "samples_seen"])
@pytest.mark.parametrize("values", [None, [float("nan"), *[1e6] * 9], 0.0, -1.0])
def test_a_missing_metric_leaves_no_figure_and_is_named(name: str, values: Any) -> None:
    one = verdict(image_classification(metrics={name: values}))
    assert (one["flops"], one["vflops"], one["flops_per_watt"]) == (None, None, None)
    assert not one.reportable
    [formula] = [rule for rule in one.rules if rule.name == "formula"]
    assert formula.passed is False
    if values is None:
        assert formula.reason == f"10 of 10 repeats report no {name}"
    elif isinstance(values, list):
        assert formula.reason == f"1 of 10 repeats report no {name}"


def test_no_accepted_repeat_leaves_every_figure_absent() -> None:
    found = image_classification(
        [],
        planned=10,
        accuracy__lowest=None,
        accuracy__highest=None,
        overlap__sustained=0,
        overlap__concurrent=0,
    )
    one = verdict(found)
    assert one["vflops"] is None
    assert not one.reportable
    assert "no repeat was accepted" in one.reasons


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (4000.0 * 1.1, "cannot take longer than the run"),  # the runs take 4200 s
        (10.0, "below 50%"),
        (2200.0, "are accounted for"),  # 2200 + 200 of 4200 s
    ],
)
def test_a_faked_training_time_contradicts_the_measured_run(seconds: float, words: str) -> None:
    found = image_classification([4000.0] * 10, metrics={"training_seconds": seconds})
    assert rule(found, "time").passed is False
    assert words in rule(found, "time").reason
    assert not verdict(found).reportable


def test_a_training_time_of_an_unmeasured_run_is_not_confirmed() -> None:
    found = image_classification()
    assert found.runs is not None
    unmeasured = replace(found, runs=replace(found.runs, stop_us=found.runs.start_us))
    assert rule(unmeasured, "time").passed is False
    free = rule(replace(unmeasured, run_class="free"), "time")
    assert free.passed is None
    [declared] = free.declared
    assert "as stated; not every repeat has a measured run" in declared


def test_a_smaller_network_is_not_credited_with_the_suites_flop() -> None:
    """A net of a thousandth of the work does not get 23 GFLOP per image, whatever the class."""
    small = {"metrics": {"training_flop_per_sample": 24e6, "trainable_parameters": 26_000.0}}
    for run_class in ("hardware", "system", "free"):
        found = image_classification(**small, run_class=run_class)
        one = verdict(found)
        assert one["flops"] == pytest.approx(90 * IMAGES / 4350 * 24e6)
        assert one.reportable is (run_class == "free")
    uncounted = {"training_flop_per_sample": None, "trainable_parameters": None}
    one = verdict(image_classification(run_class="free", metrics=uncounted))
    assert one["flops"] is None
    assert "the suite's FLOP per sample are of its own model" in one.reasons[0]


@pytest.mark.parametrize(
    ("name", "changes", "passed", "words"),
    [
        ("complete", {"planned": 11}, False, "10 of 11 planned"),
        ("time", {"times__resumed": True}, False, "went on from a checkpoint"),
        ("epochs", {"metrics": {"epochs_run": 89.0}}, False, "trained 89 epochs, rules say 90"),
        ("epochs", {"metrics": {"epochs_run": [90.0] * 9 + [91.0]}}, False, "trained 91 epochs"),
        ("epochs", {"metrics": {"epochs_run": None}}, False, "not every accepted repeat reported epochs_run"),
        ("epochs", {"metrics": {"samples_seen": 91.0 * IMAGES}}, False, "so many or so few"),
        ("epochs", {"metrics": {"samples_seen": 45.0 * IMAGES}}, False, "so many or so few"),
        ("epochs", {"parameters": parameters() | {"epochs": 45}}, False, "epochs is 45, rules say 90"),
        ("quality", {"accuracy__metric": "top_5_percent"}, False, "reports top_5_percent, rules say"),
        ("quality", {"top_1": 763.0}, False, "has another unit"),
        ("quality", {"accuracy__missing": 1}, False, "1 accepted repeat has no top-1"),
        ("precision", {"software__precisions": frozenset({"float64"})}, False, "not one of the suite's"),
        ("precision", {"software__precisions": frozenset({"mixed_float16"})}, True, "mixed_float16"),
        ("precision", {"software__precisions": frozenset({"unknown"})}, None, "not every accepted repeat"),
        ("alone", {"overlap__beside_others": 2}, False, "2 repeats ran while another benchmark did"),
        ("alone", {"most_on_a_node": 2}, False, "2 repeats ran on one node at the same time"),
        ("alone", {"overlap__concurrent": 3}, True, "on different nodes"),
        ("repeats", {"superseded": SupersededInstances(number=1)}, False, "which chooses"),
        ("repeats", {"plan_changes": PlanChanges(cancelled=1, cancelled_started=1)}, False, "which chooses"),
        ("repeats", {"plan_changes": PlanChanges(rerun=1)}, False, "which chooses"),
        ("repeats", {"plan_changes": PlanChanges(stopped=1, cancelled=2)}, True, "the stricter, 10"),
        ("synchronous", {}, True, "after every step"),
        ("framework", {"software__frameworks": frozenset({"torch"})}, False, "allows tensorflow only"),
        ("framework", {"software__frameworks": frozenset({"external"})}, False, "what it says of itself"),
        ("framework", {"software__frameworks": frozenset({"torch"}), "run_class": "system"}, True, "may"),
        ("programming model", {"program": "external"}, False, "is not known"),
        ("programming model", {"program": "module"}, False, "a module of the user's; whether"),
        ("programming model", {"program": "module", "run_class": "system"}, True, "class system may"),
        ("programming model", {}, True, "data parallel"),
        ("model", {"parameters": parameters() | {"image_size": 64}}, False, "image_size is 64"),
        ("model", {"metrics": {"trainable_parameters": 25_557_032.0}}, False, "the suite's has 25,559,081"),
        ("model", {"run_class": "free", "metrics": {"trainable_parameters": 9.0}}, True, "may change it"),
        ("hyper-parameters", {"parameters": parameters() | {"momentum": 0.9}}, False, "momentum is 0.9"),
        ("hyper-parameters", {"parameters": {"epochs": 90}}, False, "weight_decay is not stated"),
        (
            "hyper-parameters",
            {"parameters": parameters() | {"decay": "kernels"}, "run_class": "system"},
            False,
            "decay is kernels, rules say all",
        ),
        (
            "hyper-parameters",
            {"parameters": parameters() | {"decay": "kernels"}, "run_class": "free"},
            True,
            "decay is kernels, rules say all",
        ),
        (
            "hyper-parameters",
            {"parameters": parameters() | {"momentum": 0.9}, "run_class": "free"},
            True,
            "momentum is 0.9, rules say 0.875",
        ),
        ("data", {"data__synthetic": True, "run_class": "free"}, False, "read synthetic data"),
        ("data", {"data__place": DataPlace("/d", "lustre", changed=True)}, False, "were changed"),
        ("hardware", {}, None, "not recorded"),
        ("hardware", {"node_facts": {"cpu.model": ("A", "B"), "os.kernel": ("5",)}}, True, "model A or B"),
        ("operating system", {"node_facts": {"os.kernel": ("5.14",)}}, True, "os.kernel 5.14"),
        ("communication libraries", {"node_facts": {"frameworks.horovod": ("0.28",)}}, True, "horovod 0.28"),
        ("accelerator libraries", {"node_facts": {"gpu.nvidia_driver": ("550",)}}, True, "nvidia_driver 550"),
        ("slots", {"slots__mismatches": 1}, False, "did not prove their slot"),
        ("devices", {"slots__devices_used": False}, False, "did not prove that it used its device"),
        ("seeds", {"distinct_seeds": False}, False, "share a seed"),
    ],
)  # fmt: skip
def test_each_rule(name: str, changes: dict[str, Any], passed: bool | None, words: str) -> None:
    found = image_classification(**changes)
    assert words in rule(found, name).reason
    assert rule(found, name).passed is passed
    if passed is False:
        assert not verdict(found).reportable


@pytest.mark.parametrize(
    ("stated", "ranks", "passed", "words"),
    [
        ({"synchronous": True}, 8, True, "synchronous is true"),
        ({"synchronous": False}, 8, False, "synchronous is false"),
        ({"synchronous": "no"}, 8, False, "synchronous is no"),
        ({}, 8, None, "give it the parameter `synchronous: true`"),
        ({}, 1, None, "one process as far as the ledger knows"),
    ],
)
def test_an_external_program_states_that_it_is_synchronous(
    stated: dict[str, Any], ranks: int, passed: bool | None, words: str
) -> None:
    found = image_classification(
        program="external",
        run_class="system",
        software__frameworks=frozenset({"external"}),
        software__precisions=frozenset({"unknown"}),
        slots__ranks=frozenset({ranks}),
        parameters=parameters() | stated,
    )
    assert rule(found, "synchronous").passed is passed
    assert words in rule(found, "synchronous").reason
    assert verdict(found).reportable is (passed is not False)
    assert "program: external" in verdict(found).modifications
    assert any("as the program states them" in text for text in verdict(found).declared)


@pytest.mark.parametrize("program", ["external", "module"])
def test_the_suites_flop_are_not_credited_to_a_network_that_states_no_size(program: str) -> None:
    found = image_classification(program=program, run_class="system", metrics={"trainable_parameters": None})
    assert rule(found, "model").passed is False
    assert not verdict(found).reportable
    assert verdict(image_classification(metrics={"trainable_parameters": None})).reportable


def test_a_repeat_from_a_checkpoint_leaves_no_time_to_quality() -> None:
    assert verdict(image_classification())["time_to_quality_seconds"] == 4350
    assert verdict(image_classification(times__resumed=True))["time_to_quality_seconds"] is None


def test_changes_of_the_learning_rate_policy_are_declared() -> None:
    found = image_classification(parameters=parameters() | {"learning_rate": 0.5, "batch_size": 64})
    one = verdict(found)
    assert one.reportable
    assert one.declared == ("learning-rate policy: learning_rate is 0.5, rules say 0.256",)
    assert one.modifications == ("batch_size is 64, rules say one of 128, 256",)


def test_repeats_that_were_added_with_results_known_are_declared() -> None:
    changes = PlanChanges(added=5, added_knowing=5)
    assert "5 instances were added" in verdict(image_classification(plan_changes=changes)).declared[0]


def test_a_variable_that_changes_trainings_fails_in_class_hardware_only() -> None:
    variables = VariableFacts(recorded=True, missing=0, sets=({"KERAS_MAX_STEPS_PER_EPOCH": "4"},))
    for run_class, passed in (("hardware", False), ("system", True), ("free", True)):
        found = image_classification(run_class=run_class, provenance__variables=variables)
        assert rule(found, "environment").passed is passed
        named = [text for text in verdict(found).modifications if "KERAS_MAX_STEPS_PER_EPOCH" in text]
        assert len(named) == passed


NAMES = ("training_seconds", "samples_seen", "power_mean_watts", "trainable_parameters", "epochs_run")
numbers = st.one_of(st.just(float("nan")), st.floats(allow_infinity=False))


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(*[numbers] * 6), max_size=12), st.sets(st.sampled_from(NAMES)))
def test_whatever_repeats_report_is_judged(rows: list[tuple[float, ...]], absent: set[str]) -> None:
    """No metric raises; what is stated is finite, and what is absent says why and is not reportable."""
    number = len(rows)
    accuracies, *columns = zip(*rows, strict=True) if rows else ((),) * 6
    metrics = {
        name: None if name in absent else list(column) for name, column in zip(NAMES, columns, strict=True)
    }
    known = [one for one in accuracies if one == one]
    found = image_classification(
        [4000.0] * number,
        top_1=accuracies,
        metrics=metrics,
        overlap__concurrent=min(number, 1),
        accuracy__lowest=min(known, default=None),
        accuracy__highest=max(known, default=None),
    )
    one = verdict(found)
    for figure in (one.headline, *one.figures):
        assert figure is not None
        assert figure.value is None or math.isfinite(figure.value)
        assert (figure.value is None) >= bool(figure.absent)
    if one["vflops"] is None:
        assert not one.reportable
        assert one.headline is not None
        assert one.headline.absent
    json.dumps(one.to_dict(), allow_nan=False)


def test_every_rule_is_listed_and_no_other() -> None:
    assert [one.name for one in verdict(image_classification()).rules] == list(RULEBOOK.sentences)


def test_other_workloads_and_micro_benchmarks_have_no_figure() -> None:
    rows = [(0.0, 10.0, float("nan"))]
    [toy, gemm] = judge(
        [measured("toy", rows, run_class="free"), measured("gemm", rows, run_class="free")]
    ).benchmarks
    assert (toy["vflops"], toy.reportable) == (None, False)
    assert toy.reasons == ("toy is no training of HPC AI500",)
    assert (gemm["vflops"], gemm.reportable, gemm.reasons) == (None, None, ())


def test_several_are_ranked_by_valid_flops_and_those_that_break_rules_have_no_place() -> None:
    slow = image_classification([2 * one for one in SECONDS], benchmark="slow/resnet50_v15")
    fast = image_classification(benchmark="fast/resnet50_v15")
    faked = image_classification([100.0] * 10, benchmark="faked/resnet50_v15", planned=11)
    system = image_classification(benchmark="other/resnet50_v15", run_class="system")
    nothing = image_classification(benchmark="none/resnet50_v15", metrics={"training_seconds": None})
    found = judge([slow, faked, nothing, fast, system])
    [ranking] = found.rankings
    assert ranking.title == "image classification, class hardware, by VFLOPS"
    names = [f"{one}/resnet50_v15" for one in ("fast", "slow", "faked", "none")]
    assert list(ranking.benchmarks) == names
    rows = found.ranked(ranking)
    assert [(row[0], row[1], row[-1]) for row in rows] == [
        (1, names[0], True),
        (2, names[1], True),
        (None, names[2], False),
        (None, names[3], False),
    ]
    assert json.loads(json.dumps(found.to_dict()))["rankings"][0]["benchmarks"] == names


@pytest.mark.parametrize("name", ["train_years", "validation_years"])
@pytest.mark.parametrize("run_class", ["hardware", "system"])
def test_years_are_not_chosen(name: str, run_class: str) -> None:
    found = demo_weather(run_class=run_class, parameters=parameters("extreme_weather") | {name: "1980"})
    [benchmark] = judge([found]).benchmarks
    assert any(f"{name} is 1980, rules say ''" in reason for reason in benchmark.reasons)


@pytest.mark.parametrize("name", list(reference().benchmarks))
def test_every_parameter_of_a_shipped_training_stands_in_the_rules(name: str) -> None:
    """One that no rule frees keeps its default in classes hardware and system."""
    known, workload = reference().benchmarks[name], modules.workload(name)
    defaults = workload.resolve({})
    assert known.unknown(defaults) == []
    assert known.broken(known.fixed | known.policy | known.reported, defaults) == []


def test_a_program_without_a_kept_parameter_breaks_nothing_and_its_own_are_named() -> None:
    own = {key: value for key, value in parameters().items() if key != "decay"} | {"fused": True}
    [benchmark] = judge(
        [image_classification(run_class="system", parameters=own, program="module")]
    ).benchmarks
    assert not any("decay" in reason for reason in benchmark.reasons)
    assert "fused is True, a parameter that the suite's programs do not have" in benchmark.modifications


def test_a_plan_says_what_breaks_the_rules() -> None:
    values: dict[str, Any] = {"at_once": 1, "share_of_system": None}
    run = PlannedRun(
        workload="resnet50_v15",
        run_class="hardware",
        parameters=parameters() | {"epochs": 2, "momentum": 0.5},
        instances=3,
        synthetic_data=True,
        **values,
    )
    assert preflight(run) == [
        "epochs is 2, rules say 90",
        "momentum is 0.5, rules say 0.875",
        "its data are synthetic; the suite's own are asked for",
        "3 repeats are planned, the rules ask for 10",
    ]
    assert "momentum is 0.5, rules say 0.875" not in preflight(replace(run, run_class="free"))
    other = PlannedRun(workload="p1b1", run_class="free", parameters={}, **values)
    assert preflight(other) == ["p1b1 is no training of HPC AI500"]
    assert preflight(replace(other, workload="triad")) == []


def test_targets_are_the_suites() -> None:
    assert {name: str(one.target) for name, one in workloads().items()} == {
        "resnet50_v15": "top_1_percent >= 76.3",
        "extreme_weather": "map_50 >= 0.35",
    }
