from __future__ import annotations

import json
import math
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from tests.workloads.orders import send
from workloads.context import Context, Paths, SlotView
from workloads.metrics import node_counters, series, timing
from workloads.metrics.definitions import METRICS, definition
from workloads.metrics.measure import recorded_metrics


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return Context(seed=1, slot=SlotView(cores=(0,)), paths=Paths(scratch=tmp_path / "scratch"))


def figures(context: Context) -> dict[str, float]:
    return {one.name: one.value for one in (*context.metrics, *recorded_metrics(context))}


class Clock:
    """A clock that only calls move."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
        self.now, self.calls, self.waits, self.seconds = 0.0, 0, 0, seconds
        monkeypatch.setattr(timing.time, "monotonic", lambda: self.now)
        monkeypatch.setattr(timing.time, "monotonic_ns", lambda: round(self.now * 1e9))

    def call(self) -> int:
        self.calls += 1
        self.now += self.seconds
        return self.calls

    def wait(self) -> None:
        self.waits += 1


def test_the_value_is_that_of_the_ordinary_run_and_the_warm_up_is_counted(monkeypatch, context):
    clock = Clock(monkeypatch, 0.5)
    value = context.measure(
        clock.call, metrics=("wallclock_seconds", "flop_per_second"),
        flop=1e6, warm_up=2, budget_seconds=100, synchronise=clock.wait,
    )  # fmt: skip
    assert value == 3
    assert figures(context) == pytest.approx(
        {
            "wallclock_seconds": 0.5, "wallclock_seconds_low": 0.5, "wallclock_seconds_high": 0.5,
            "wallclock_seconds_reruns": 8, "wallclock_seconds_warmup_reruns": 2, "wallclock_seconds_calls": 1,
            "flop_per_second": 2e6, "flop_per_second_low": 2e6, "flop_per_second_high": 2e6,
            "flop_per_second_reruns": 8,
        }
    )  # fmt: skip
    assert (clock.calls, clock.waits) == (10, 16)  # equal times: the first look suffices


def test_a_budget_ends_the_reruns_and_too_few_have_no_interval(monkeypatch, context):
    clock = Clock(monkeypatch, 2.0)
    context.measure(clock.call, budget_seconds=9, relative_width=0)
    assert figures(context)["wallclock_seconds_reruns"] == 5
    assert not any(name.endswith(("_low", "_high")) for name in figures(context))


def test_without_a_budget_a_function_runs_once(monkeypatch, context):
    clock = Clock(monkeypatch, 2.0)
    assert context.measure(clock.call, budget_seconds=0, warm_up=0) == 1
    assert (clock.calls, figures(context)["wallclock_seconds"]) == (1, 2.0)


def test_short_functions_are_timed_several_at_once(monkeypatch, context):
    clock = Clock(monkeypatch, 1e-4)
    context.measure(clock.call, warm_up=1)
    found = figures(context)
    assert found["wallclock_seconds"] == pytest.approx(1e-4)
    assert found["wallclock_seconds_calls"] == 100
    assert clock.calls == 2 + 100 * found["wallclock_seconds_reruns"]


def test_a_number_of_reruns_can_be_fixed_and_must_be_where_ranks_have_to_agree(monkeypatch, context):
    clock = Clock(monkeypatch, 1e-4)
    context.measure(clock.call, reruns=7, warm_up=0)
    assert (clock.calls, figures(context)["wallclock_seconds_reruns"]) == (7, 7)
    ranks = Context(seed=1, slot=SlotView(rank=0, size=2))
    with pytest.raises(ValueError, match="2 ranks would not stop after the same number of reruns"):
        ranks.measure(clock.call)
    ranks.measure(clock.call, reruns=2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metrics": ("wallclock_second",)}, "no metric 'wallclock_second'; did you mean wallclock_seconds"),
        ({"metrics": "wallclock"}, "no metric 'wallclock'"),
        ({"metrics": ("flop_per_second",)}, "flop_per_second needs the argument flop"),
        ({"metrics": ("error_over_bound",)}, "needs the argument reference and tolerance"),
        ({"metrics": ("flop_per_second",), "flop": math.inf}, "flop must be a number above 0"),
        ({"budget_seconds": math.nan}, "budget_seconds must be a number from 0, not nan"),
        ({"relative_width": -1}, "relative_width must be a number from 0"),
        ({"warm_up": -1}, "warm_up must be at least 0"),
        ({"reruns": 0}, "reruns at least 1"),
    ],
)
def test_bad_options_are_refused_before_the_function_runs(context, options, message):
    def function() -> None:
        raise AssertionError("ran")

    with pytest.raises(ValueError, match=message):
        context.measure(function, **options)


def test_a_second_measurement_needs_a_label(context):
    context.measure(lambda: 1, reruns=1)
    with pytest.raises(ValueError, match="wallclock_seconds was measured before in this run: give"):
        context.measure(lambda: 1, reruns=1)
    context.measure(lambda: 1, reruns=1, label="gradient_")
    assert {"wallclock_seconds", "gradient_wallclock_seconds"} <= set(figures(context))


def test_errors_are_over_all_outputs(context):
    context.measure(
        lambda: {"y": np.array([1.0, 2.0]), "gradients": (np.array([[3.0]]),)},
        metrics=("l1_error", "l2_error", "max_error", "error_over_bound"),
        reference={"y": [1.0, 5.0], "gradients": ([[-1.0]],)},
        tolerance={"y": 6.0, "gradients": ([[2.0]],)},
    )  # fmt: skip
    assert figures(context) == {"l1_error": 7, "l2_error": 5, "max_error": 4, "error_over_bound": 2}


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_squares_of_errors_are_neither_too_small_nor_too_large(context, scale):
    context.measure(lambda: np.array([3.0, 4.0]) * scale, metrics=("l2_error",), reference=np.zeros(2))
    assert figures(context) == {"l2_error": pytest.approx(5 * scale)}


def test_outputs_that_are_not_finite_are_counted_and_never_valid(context):
    context.measure(
        lambda: np.array([math.nan, math.inf, -math.inf, 1.0]),
        metrics=("l1_error", "l2_error", "max_error", "error_over_bound", "difference_heatmap"),
        reference=np.array([0.0, 0.0, -math.inf, 1.0]), tolerance=1.0,
    )  # fmt: skip
    assert figures(context) == {"error_over_bound": 1e300, "nonfinite_outputs": 2}


def test_an_error_that_is_no_number_in_one_of_several_outputs_is_absent(context):
    for label, outputs in (("first_", (math.nan, 3.0)), ("last_", (3.0, math.nan))):
        context.measure(
            lambda given=outputs: given, metrics=("max_error",), reference=(0.0, 0.0), label=label
        )
    assert figures(context) == {"first_nonfinite_outputs": 1, "last_nonfinite_outputs": 1}


@pytest.mark.parametrize(
    ("output", "reference", "message"),
    [
        (np.zeros((2, 3)), np.zeros((3, 2)), r"the output has shape \(2, 3\), and its reference \(3, 2\)"),
        ((1.0, 2.0), (1.0,), "the reference has 0, and the output 0, 1"),
        (np.zeros(2), (), "the reference has nothing, and the output one array"),
    ],
)
def test_outputs_of_another_form_than_the_reference_are_an_error(context, output, reference, message):
    with pytest.raises(ValueError, match=message):
        context.measure(lambda: output, metrics=("max_error",), reference=reference)


@pytest.mark.parametrize("tolerance", [-1.0, math.nan, math.inf, np.zeros(3)])
def test_a_tolerance_must_be_usable(context, tolerance):
    with pytest.raises(ValueError, match="tolerance"):
        context.measure(
            lambda: np.zeros(2), metrics=("error_over_bound",), reference=np.zeros(2), tolerance=tolerance
        )


def test_a_tolerance_of_nothing_allows_equality_alone(context):
    options = {"metrics": ("error_over_bound",), "reference": np.ones(2), "tolerance": 0.0}
    context.measure(lambda: np.ones(2), label="same_", **options)
    context.measure(lambda: np.array([1.0, 2.0]), label="other_", **options)
    assert figures(context) == {"same_error_over_bound": 0, "other_error_over_bound": 1e300}


def test_empty_outputs_and_texts(context):
    context.measure(lambda: np.zeros((0, 3)), metrics=("max_error",), reference=np.zeros((0, 3)))
    assert figures(context) == {"max_error": 0}
    with pytest.raises(TypeError, match="output 1 is no array of numbers but str"):
        context.measure(lambda: (1, "x"), metrics=("l1_error",), reference=(1, 2))


def test_a_difference_heatmap_is_an_array_and_a_picture(context):
    output = np.arange(12.0).reshape(2, 2, 3)
    reference = output.copy()
    reference[1, 1, 2] = 22.0
    context.measure(lambda: {"../y": output}, metrics=("difference_heatmap",), reference={"../y": reference})
    assert figures(context)["difference_heatmap"] == pytest.approx(2 * 11 / 33)
    files = context.observed["measured_files"]
    assert files == ["measured/difference_heatmap.0.npy", "measured/difference_heatmap.0.png"]
    array = np.load(context.scratch / files[0])
    assert (array.dtype, array.shape, np.count_nonzero(array)) == (np.float32, (2, 2, 3), 1)
    with Image.open(context.scratch / files[1]) as picture:
        assert picture.size == (3, 4)
        assert float(picture.text["scale"]) == pytest.approx(2 * 11 / 33)
        pixels = np.asarray(picture)
    assert pixels[3, 2].tolist() == [0, 0, 255]  # lowest: the output is below its reference
    assert (pixels.reshape(-1, 3)[:-1] == 255).all()


def test_a_large_picture_keeps_the_largest_error(context):
    output = np.zeros((3000, 5))
    output[1777, 3] = math.nan
    output[2777, 1] = 1.0
    context.measure(lambda: output, metrics=("difference_heatmap",), reference=np.zeros((3000, 5)))
    with Image.open(context.scratch / "measured/difference_heatmap.png") as picture:
        assert picture.size == (5, 1000)
        pixels = np.asarray(picture)
    assert pixels[925, 1].tolist() == [255, 0, 0]
    assert pixels[592, 3].tolist() == [0, 0, 0]
    assert (pixels == 255).all(axis=-1).sum() == 5000 - 2


def test_the_variance_is_really_over_the_reruns(context):
    outputs = iter(np.random.default_rng(1).normal(size=(12, 4, 4)))
    kept = []

    def function():
        kept.append(next(outputs))
        return kept[-1]

    context.measure(function, metrics=("variance_heatmap",), warm_up=1)
    assert len(kept) == 12
    expected = np.var(kept[2:], axis=0, ddof=1)
    assert figures(context) == {
        "variance_heatmap": pytest.approx(expected.max()), "variance_heatmap_reruns": 10,
    }  # fmt: skip
    assert np.load(context.scratch / "measured/variance_heatmap.npy") == pytest.approx(expected, rel=1e-6)


def test_without_a_scratch_directory_there_are_figures_alone():
    context = Context(seed=1, slot=SlotView())
    context.measure(lambda: 2.0, metrics=("difference_heatmap",), reference=1.0)
    assert figures(context)["difference_heatmap"] == pytest.approx(2 / 3)
    assert context.observed == {}


def test_peak_memory_is_that_of_the_measured_part(context):
    held = np.ones(2**23)
    del held

    def function() -> int:
        return int(np.ones(2**21).sum())

    context.measure(function, metrics=("peak_memory_bytes",), warm_up=0)
    found = figures(context)
    assert found["peak_memory_bytes"] > 2**24
    if not found["peak_memory_is_of_process"]:
        assert found["peak_memory_bytes"] < node_counters.earlier_peak_bytes()


def test_where_the_kernel_resets_no_peak_it_is_that_of_the_process(monkeypatch, context):
    monkeypatch.setattr(Path, "write_text", lambda *_: (_ for _ in ()).throw(PermissionError()))
    context.measure(lambda: 1, metrics=("peak_memory_bytes",))
    assert figures(context)["peak_memory_is_of_process"] == 1


def test_bytes_through_interfaces_are_those_of_the_ordinary_run(monkeypatch, tmp_path, context):
    (tmp_path / "net").mkdir()
    counts = {"lo": 100, "eth0": 5, "ib0": 7}

    def write() -> None:
        rows = [f"  {name}: {count} 0 0 0 0 0 0 0 {2 * count} 0 0" for name, count in counts.items()]
        (tmp_path / "net/dev").write_text("\n".join(["Inter-|", " face |", *rows]) + "\n")

    def function() -> None:
        counts["lo"] += 10
        counts["eth0"] += 1
        write()

    write()
    monkeypatch.setattr(node_counters, "_PROC", tmp_path)
    context.measure(function, metrics=("interface_sent_bytes",), warm_up=3)
    assert figures(context) == {
        "interface_received_bytes": 11, "interface_received_bytes_lo": 10, "interface_received_bytes_eth0": 1,
        "interface_sent_bytes": 22, "interface_sent_bytes_lo": 20, "interface_sent_bytes_eth0": 2,
    }  # fmt: skip


def test_recorded_values_are_summarised_and_those_of_reruns_do_not_count(context):
    def train() -> None:
        for accuracy in (0.5, 0.9, 0.7):
            context.record("test_accuracy", accuracy)
            context.record("training_accuracy", accuracy)
        context.record("dataset_bias", np.array([3, 1, 0, 0]))
        context.record("dataset_bias", [1, 3, 0, 0])
        context.record("communicated_bytes", 10)
        assert list(context.timed("sampling_seconds", range(8))) == list(range(8))

    context.measure(train, warm_up=1, reruns=3)
    found = figures(context)
    assert (found["test_accuracy"], found["training_accuracy"]) == (0.9, 0.7)
    assert (found["dataset_bias"], found["dataset_bias_samples"]) == (0.5, 8)
    assert found["dataset_bias_by_chance"] == pytest.approx(math.sqrt(3 / (16 * math.pi)))
    assert (found["communicated_bytes"], found["sampling_seconds_reruns"]) == (10, 8)
    assert found["sampling_seconds_low"] <= found["sampling_seconds"] <= found["sampling_seconds_high"]


@given(values=st.lists(st.floats(0, 1e3), min_size=1, max_size=400))
def test_a_percentile_is_the_lowest_value_that_so_many_do_not_exceed(values):
    found = {name: value for name, value, _ in series.percentiles("t", "s", values)}
    assert found["t_samples"] == len(values)
    assert ("t_p99" in found) == (len(values) >= 100)
    for percent in (50, 99):
        if (value := found.get(f"t_p{percent}")) is not None:
            assert sum(one <= value for one in values) >= percent / 100 * len(values)
            assert sum(one < value for one in values) < percent / 100 * len(values)


@pytest.mark.parametrize(
    ("number", "p50", "p99"), [(1, 1, None), (99, 50, None), (100, 50, 99), (1000, 500, 990)]
)
def test_percentiles_of_the_first_numbers(context, number, p50, p99):
    for value in range(number, 0, -1):
        context.record("latency_seconds", value)
    found = figures(context)
    assert found.pop("latency_seconds_p99", None) == p99
    assert found == {"latency_seconds_p50": p50, "latency_seconds_samples": number}


def test_only_metrics_of_a_run_can_be_recorded(context):
    with pytest.raises(ValueError, match="wallclock_seconds is measured, not recorded"):
        context.record("wallclock_seconds", 1.0)
    with pytest.raises(ValueError, match="no metric 'test_acuracy'; did you mean test_accuracy"):
        context.record("test_acuracy", 1.0)


def test_energy_is_that_of_the_window_with_all_timed_runs():
    marks: list[str] = []
    context = Context(seed=1, slot=SlotView(), send=lambda message: marks.append(message["mark"]))
    runs = []
    context.measure(lambda: runs.append(1), metrics=("energy_joules",), reruns=5, warm_up=1)
    assert marks == ["timed_window_start", "timed_window_stop"]
    assert figures(context) == {"runs_in_window": 5}
    assert len(runs) == 6
    with pytest.raises(ValueError, match="this run has had one already"):
        context.measure(lambda: 1, metrics=("energy_joules",), reruns=5, label="again_")


def test_every_metric_has_one_complete_definition():
    assert {one.better for one in METRICS.values()} <= {"lower", "higher", "none"}
    for name, one in METRICS.items():
        assert definition(name) is one
        assert one.description
        assert (one.summary is None) is (one.of_series is not None)
        assert (one.begin is None) is (one.end is None)


def test_the_runner_reports_what_a_workload_measured(tmp_path):
    report = send("tests.workloads.metrics.measured_toy", {}, scratch=str(tmp_path / "s"))
    result = next(line["result"] for line in report.lines if "result" in line)
    found = {one["name"]: one["value"] for one in result["metrics"]}
    assert found["wallclock_seconds_reruns"] == 9
    assert (found["error_over_bound"], found["test_accuracy"], found["own"]) == (0.5, 0.75, 1.0)
    assert result["seen"]["measured_files"] == [
        "measured/difference_heatmap.npy", "measured/difference_heatmap.png"
    ]  # fmt: skip
    assert os.listdir(tmp_path / "s") == ["measured"]
    if not found["peak_memory_is_of_process"]:
        assert report.last["usage"]["peak_bytes"] > 0
    json.dumps(result, allow_nan=False)


def test_what_cannot_be_recorded_is_refused_at_once(context):
    for name, value in (
        ("sampling_seconds", math.nan),
        ("dataset_bias", [1, -1]),
        ("dataset_bias", [math.nan]),
    ):
        with pytest.raises(ValueError, match="recorded"):
            context.record(name, value)
    with pytest.raises(TypeError):
        context.record("test_accuracy", None)
    context.record("test_accuracy", math.nan)  # of a training that diverged
    context.record("dataset_bias", [2])
    context.record("dataset_bias", [1, 1])
    context.record("communicated_bytes", np.int64(3))
    found = figures(context)
    assert math.isnan(found["test_accuracy"])
    assert (found["dataset_bias"], found["communicated_bytes"]) == (0.25, 3.0)


def test_labels_of_no_sample_are_no_bias(context):
    context.record("dataset_bias", [0, 0])
    assert figures(context) == {}


@pytest.mark.parametrize("label", ["../", "a b", "x" * 101, "\x1b", "ö"])
def test_a_label_is_a_part_of_a_name(context, label):
    with pytest.raises(ValueError, match="label must have letters"):
        context.measure(lambda: 1, reruns=1, label=label)


def test_a_disk_that_takes_no_file_costs_no_figure(tmp_path):
    (tmp_path / "scratch").write_text("a file")
    context = Context(seed=1, slot=SlotView(), paths=Paths(scratch=tmp_path / "scratch"))
    context.measure(lambda: 2.0, metrics=("difference_heatmap",), reference=1.0)
    assert figures(context)["difference_heatmap"] == pytest.approx(2 / 3)
    assert context.observed == {"measured_files_absent": f"Not a directory: {tmp_path}/scratch/measured"}
