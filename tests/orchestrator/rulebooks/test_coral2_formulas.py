"""CORAL-2 formulas against arithmetic done by hand, and properties that hold for any numbers."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from orchestrator.catalog.registry import describe
from orchestrator.rulebooks import coral2
from orchestrator.rulebooks.coral2.formulas import resnet50_fom, resnet50_optimized_factor, throughput_fom
from orchestrator.rulebooks.coral2.reference import Reference, reference
from orchestrator.rulebooks.means import geometric_mean, weighted_mean
from workloads.description import broken_rules

THROUGHPUT = [name for name, known in reference().benchmarks.items() if known.partition is None]

times = st.floats(1e-6, 1e6)
counts = st.integers(1, 1_000_000)
foms = st.floats(1e-9, 1e9)


def test_twice_as_fast_on_half_as_many_instances_is_one() -> None:
    # 1886.4036 s ÷ 943.2018 s = 2; 7,000 ÷ 14,000 = 0.5; 2 × 0.5 = 1
    assert throughput_fom(1886.4036, 943.2018, 7_000, 14_000) == 1.0


def test_a_convnet_by_hand() -> None:
    # 0.2116 s ÷ 0.0529 s = 4; 28,000 ÷ 14,000 = 2; 4 × 2 = 8
    assert throughput_fom(0.2116, 0.0529, 28_000, 14_000) == pytest.approx(8.0, rel=1e-12)


@pytest.mark.parametrize("workload", THROUGHPUT)
def test_titan_against_itself_is_one(workload: str) -> None:
    seconds = reference().benchmarks[workload].seconds
    assert throughput_fom(seconds, seconds, 14_000, 14_000) == 1.0


def test_resnet50_by_hand() -> None:
    # 1500 s ÷ 750 s = 2; 2 × 10 = 20
    assert resnet50_fom(1500.0, 750.0) == 20.0


@pytest.mark.parametrize(
    ("accuracy", "factor"),
    [
        (74.9, 1.0),  # (74.9 − 74.9) ÷ 25.1 = 0; 1 + 0³
        (100.0, 2.0),  # (100 − 74.9) ÷ 25.1 = 1; 1 + 1³
        (87.45, 1.125),  # 12.55 ÷ 25.1 = 0.5; 1 + 0.5³ = 1 + 0.125
        (62.35, 0.875),  # −12.55 ÷ 25.1 = −0.5; 1 − 0.125
        (49.8, 0.0),  # −25.1 ÷ 25.1 = −1; 1 − 1
    ],
)
def test_optimized_resnet50_factor_by_hand(accuracy: float, factor: float) -> None:
    assert resnet50_optimized_factor(accuracy, 74.9) == pytest.approx(factor, abs=1e-12)


@pytest.mark.parametrize("accuracy", [-0.1, 100.1, math.nan, math.inf])
def test_an_accuracy_that_is_no_percentage_is_refused(accuracy: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 100"):
        resnet50_optimized_factor(accuracy, 74.9)


def test_a_target_of_a_hundred_percent_leaves_nothing_to_gain_and_is_refused() -> None:
    with pytest.raises(ValueError, match="below 100"):
        resnet50_optimized_factor(100.0, 100.0)


@pytest.mark.parametrize("seconds", [0.0, -1.0, math.nan, math.inf, 5e-324])
def test_no_time_gives_an_infinite_or_undefined_figure(seconds: float) -> None:
    with pytest.raises(ValueError, match="positive finite"):
        throughput_fom(1886.4036, seconds, 7_000, 14_000)
    with pytest.raises(ValueError, match="positive finite"):
        resnet50_fom(1500.0, seconds)


@pytest.mark.parametrize(("instances", "reference_instances"), [(0, 14_000), (-1, 14_000), (1, 0)])
def test_no_instances_no_figure(instances: int, reference_instances: int) -> None:
    with pytest.raises(ValueError, match="instances"):
        throughput_fom(1.0, 1.0, instances, reference_instances)


def test_means_by_hand() -> None:
    assert geometric_mean([2.0, 8.0]) == pytest.approx(4.0)  # 2 × 8 = 16; its square root is 4
    assert geometric_mean([3.7]) == 3.7
    # (5 × 2 + 1 × 4 + 2 × 3 + 5 × 6) ÷ 13 = (10 + 4 + 6 + 30) ÷ 13 = 50 ÷ 13
    assert weighted_mean([2.0, 4.0, 3.0, 6.0], [5, 1, 2, 5]) == pytest.approx(50 / 13)


@pytest.mark.parametrize("values", [[], [1.0, 0.0], [1.0, -2.0], [math.nan], [math.inf]])
def test_means_refuse_what_is_no_figure(values: list[float]) -> None:
    with pytest.raises(ValueError):
        geometric_mean(values)
    with pytest.raises(ValueError):
        weighted_mean(values, [1.0] * len(values))


def test_weighted_mean_refuses_weights_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="2 values and 1 weights"):
        weighted_mean([1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="weight"):
        weighted_mean([1.0, 2.0], [1.0, 0.0])


@given(times, times, counts, st.integers(2, 1000))
def test_throughput_is_linear_in_instances(
    wanted: float, seconds: float, instances: int, times_more: int
) -> None:
    one = throughput_fom(wanted, seconds, instances, 14_000)
    assert throughput_fom(wanted, seconds, instances * times_more, 14_000) == pytest.approx(one * times_more)


@given(times, times, counts, st.floats(1.001, 1000))
def test_throughput_is_inverse_in_seconds(
    wanted: float, seconds: float, instances: int, slower: float
) -> None:
    one = throughput_fom(wanted, seconds, instances, 14_000)
    assert throughput_fom(wanted, seconds * slower, instances, 14_000) == pytest.approx(one / slower)


@given(times, st.floats(1.001, 1000))
def test_resnet50_is_inverse_in_seconds(seconds: float, slower: float) -> None:
    assert resnet50_fom(1500, seconds * slower) == pytest.approx(resnet50_fom(1500, seconds) / slower)


@given(st.floats(0, 100), st.floats(0, 100))
def test_more_accuracy_never_lowers_the_factor(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert resnet50_optimized_factor(low, 74.9) <= resnet50_optimized_factor(high, 74.9) <= 2.0


@given(st.lists(foms, min_size=1, max_size=8))
def test_geometric_mean_stays_between_its_values_and_below_the_arithmetic(values: list[float]) -> None:
    mean = geometric_mean(values)
    assert min(values) <= mean <= max(values)
    assert mean <= weighted_mean(values, [1.0] * len(values)) * (1 + 1e-12)


@given(st.lists(foms, min_size=1, max_size=8), st.floats(1e-3, 1e3))
def test_geometric_mean_scales(values: list[float], scale: float) -> None:
    assert geometric_mean([value * scale for value in values]) == pytest.approx(
        geometric_mean(values) * scale
    )


def test_reference_values_of_the_suite() -> None:
    known = reference()
    assert known.instances == 14_000
    assert {name: benchmark.seconds for name, benchmark in known.benchmarks.items()} == {
        "p1b1": 1886.4036,
        "p3b1": 52.1051,
        "alexnet": 0.2116,
        "googlenet": 1.1633,
        "overfeat": 0.6434,
        "vgg": 1.6375,
        "lstm": 0.001411,
        "resnet50": 1500.0,
    }
    assert known.groups == {
        "candle": 5,
        "convnet": 1,
        "lstm": 2,
        "resnet50": 5,
    }
    targets = {name: b.accuracy.minimum for name, b in known.benchmarks.items() if b.accuracy is not None}
    assert targets == {"p1b1": 0.7808, "p3b1": 0.5637, "resnet50": 74.9}
    partition = known.benchmarks["resnet50"].partition
    assert partition is not None
    assert (partition.factor, partition.largest_share) == (10, 0.02)
    for benchmark in known.benchmarks.values():
        assert benchmark.forward_seconds is None or benchmark.forward_seconds < benchmark.seconds


@pytest.mark.parametrize("name", reference().benchmarks)
def test_defaults_of_the_workloads_keep_the_rules(name: str) -> None:
    """So that a campaign file without parameters is a base run."""
    workload, known = describe(name), reference().benchmarks[name]
    assert broken_rules(known.parameters, workload.resolve({})) == []
    assert set(known.parameters) <= {one.name for one in workload.parameters}
    sizes = {one.name: one.default for one in workload.data.sizes} if workload.data else {}
    assert broken_rules(known.data, sizes) == []
    assert bool(known.data) == bool(workload.data)
    assert (known.accuracy.metric if known.accuracy else "") == workload.accuracy_metric
    assert known.time == workload.fom_time


@pytest.mark.parametrize("name", ["p1b1", "p3b1", "resnet50"])
def test_trainings_stop_at_the_suites_target_by_default(name: str) -> None:
    accuracy = reference().benchmarks[name].accuracy
    assert accuracy is not None
    assert describe(name).resolve({})["target_accuracy"] == accuracy.minimum


@pytest.mark.parametrize("name", ["p1b1", "p3b1"])
def test_a_base_run_reads_the_files_as_they_are_distributed(name: str) -> None:
    def broken(loader: str) -> list[str]:
        return broken_rules(
            reference().benchmarks[name].parameters, describe(name).resolve({"loader": loader})
        )

    assert broken("numpy") == broken("pandas") == broken("pandas_low_memory_false") == []
    assert broken("cache") == ["loader is cache, rules say one of numpy, pandas, pandas_low_memory_false"]


def test_resnet50_may_change_batch_and_schedule_but_not_lower_epochs() -> None:
    rules, workload = reference().benchmarks["resnet50"].parameters, describe("resnet50")
    assert (
        broken_rules(rules, workload.resolve({"epochs": 100, "batch_size": 64, "learning_rate": 0.2})) == []
    )
    assert broken_rules(rules, workload.resolve({"epochs": 89, "image_size": 64})) == [
        "epochs is 89, rules say at least 90",
        "image_size is 64, rules say 224",
    ]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("benchmarks", "resnet50", "partition", "factor"), 9, "factor must be"),
        (("benchmarks", "vgg", "group"), "convnets", "every group needs"),
        (("benchmarks", "vgg", "parameters", "steps"), {"at_most": 3}, "a rule is a value, a list"),
        (("benchmarks", "vgg", "parameters", "steps"), {"at_least": "3"}, "a rule is a value, a list"),
        (("benchmarks", "vgg", "parameters", "steps"), [[100]], "a rule's values are numbers"),
        (("benchmarks", "vgg", "parameters", "steps"), [], "either values or at_least"),
        (("benchmarks", "vgg", "seconds"), 0.0, "greater than 0"),
        (("benchmarks", "vgg", "second"), 1.0, "Extra inputs"),
    ],
)
def test_reference_values_that_contradict_each_other_are_refused(
    path: tuple[str, ...], value: object, message: str
) -> None:
    data = YAML(typ="safe").load(Path(coral2.__file__).with_name("reference.yaml"))
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(ValueError, match=message):
        Reference.model_validate(data)
