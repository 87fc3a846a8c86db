from __future__ import annotations

import numpy as np
import pytest

from orchestrator.catalog import registry
from tests.workloads.orders import send
from workloads.candle.data.p1b1 import DATA, make, read
from workloads.candle.p1b1 import WORKLOAD, batch_correlation, build
from workloads.context import Context, SlotView
from workloads.data.column_scaling import scale_to_unit_range
from workloads.description import DataError
from workloads.runtime.framework import configure_framework, trainable_parameters

SMALL = {"outer_width": 100, "inner_width": 30, "batch_size": 20}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    directory = tmp_path_factory.mktemp("p1b1")
    make(directory, 7, train_rows=200, test_rows=60, features=200, cancer_types=6)
    return directory


@pytest.fixture(scope="module")
def trained(data, run):
    """Return a training of two epochs by the usual loader."""
    return run("p1b1", SMALL | {"epochs": 2}, data)


@pytest.mark.slow
def test_same_seed_same_accuracy_in_any_process_and_another_seed_differs(data, run, trained):
    parameters = SMALL | {"epochs": 2}
    here = trained
    again = run("p1b1", parameters, data)
    other = run("p1b1", parameters, data, seed=2)
    there = send("p1b1", parameters, data=str(data))
    assert there.marks == [*here.marks, "run_stop"] == ["ready", "run_start", "run_stop"]
    assert there.last["result"]["accuracy"] == here.result.accuracy == again.result.accuracy
    assert other.result.accuracy != here.result.accuracy
    assert there.last["result"]["phases"].keys() == {"load", "build", "train", "evaluate"}


@pytest.mark.slow
def test_more_epochs_are_better(data, run):
    short, long = run("p1b1", SMALL | {"epochs": 1}, data), run("p1b1", SMALL | {"epochs": 40}, data)
    assert long.result.accuracy > short.result.accuracy + 0.1
    assert long.metric("val_loss") < long.metric("first_epoch_val_loss")
    assert long.result.accuracy > long.metric("floor_pearson_correlation")
    assert long.metric("epochs_run") == 40


def test_the_result_says_what_was_read_and_built(data, run):
    done = run("p1b1", SMALL | {"epochs": 1}, data)
    assert done.result.data["synthetic"] is True
    assert (done.result.data["train_rows"], done.result.data["features"]) == (200, 200)
    width = 200 * 100 + 100 + 100 * 30 + 30 + 30 * 2 + 2
    assert done.metric("trainable_parameters") == width + 2 * 30 + 30 + 30 * 100 + 100 + 100 * 200 + 200
    assert done.result.accuracy == done.metric("pearson_correlation")
    assert done.metric("live_bottleneck_share_at_start") in (0, 0.5, 1)


def untimed(metrics):
    return [metric for metric in metrics if "_file_" not in metric.name]


@pytest.mark.slow
@pytest.mark.parametrize(("loader", "states"), [("pandas", [None]), ("cache", ["built", "hit"])])
def test_every_loader_gives_the_same_training(data, run, trained, tmp_path, loader, states):
    parameters = SMALL | {"epochs": 2}
    expected = trained.result
    for state in states:
        found = run("p1b1", parameters | {"loader": loader}, data, cache=tmp_path / "cache").result
        assert untimed(found.metrics) == untimed(expected.metrics)
        assert found.accuracy == expected.accuracy
        assert found.data["loader"] == loader
        assert found.data.get("cache") == state


def test_training_stops_after_the_epoch_that_passes_the_time_limit(data, run):
    assert run("p1b1", SMALL | {"epochs": 50, "time_limit": 0}, data).metric("epochs_run") == 1


def test_one_row_cannot_be_split(tmp_path, run):
    for name in ("P1B1.dev.train.csv", "P1B1.dev.test.csv"):
        (tmp_path / name).write_text("case_id,g1\na,1\n")
    with pytest.raises(DataError, match=r"train.csv: one row cannot be split for validation"):
        run("p1b1", SMALL, tmp_path)


@pytest.mark.usefixtures("tensorflow_on_one_thread")
def test_the_batch_correlation_is_the_correlation(data):
    tables = read(DATA.source(data))
    scale_to_unit_range(tables.train, tables.test)
    truth, prediction = tables.train[:50], tables.train[50:100]
    expected = np.corrcoef(truth.ravel(), prediction.ravel())[0, 1]
    assert float(batch_correlation(truth, prediction)) == pytest.approx(expected, rel=1e-4)


def test_instances_can_start_from_the_same_weights():
    import keras

    def start(instance_seed, weights_seed):
        configure_framework(Context(seed=instance_seed, slot=SlotView(cores=(0,))))
        model = build(
            10, WORKLOAD.typed(WORKLOAD.resolve(SMALL | {"weights_seed": weights_seed})), instance_seed
        )
        return [keras.ops.convert_to_numpy(weight) for weight in model.trainable_variables]

    same = [np.array_equal(a, b) for a, b in zip(start(1, 2017), start(2, 2017), strict=True)]
    assert all(same)
    own = [np.array_equal(a, b) for a, b in zip(start(1, 0), start(2, 0), strict=True)]
    assert own == [False, True] * 6  # kernels differ, biases start at zero


@pytest.mark.slow
@pytest.mark.usefixtures("shapes_only")
def test_the_full_model_has_the_published_shape():
    configure_framework(Context(seed=1, slot=SlotView(cores=(0,))))
    model = build(60483, WORKLOAD.typed(WORKLOAD.resolve({})), 1)
    assert trainable_parameters(model) == registry.describe("p1b1").sizes["trainable_parameters"]
    kernels = [w for w in model.trainable_variables if len(w.shape) == 2]
    flop = 2 * sum(w.shape[0] * w.shape[1] for w in kernels)
    assert flop == registry.describe("p1b1").sizes["forward_flop_per_sample"]


@pytest.mark.slow
def test_training_goes_on_until_the_target_or_the_last_epoch_allowed(data, run):
    most = run("p1b1", SMALL | {"epochs": 3, "max_epochs": 40}, data)
    assert 3 <= most.metric("epochs_run") <= 40
    least = run("p1b1", SMALL | {"epochs": 3}, data)
    if most.metric("epochs_run") < 40:
        assert most.result.accuracy >= WORKLOAD.resolve({})["target_accuracy"]
    assert most.metric("epochs_run") > 3 or least.result.accuracy >= WORKLOAD.resolve({})["target_accuracy"]
    assert run("p1b1", SMALL | {"epochs": 2, "max_epochs": 3}, data).metric("epochs_run") in (2, 3)
