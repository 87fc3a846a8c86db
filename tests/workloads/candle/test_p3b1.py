from __future__ import annotations

import pytest

from tests.workloads.orders import send
from workloads.candle.data.p3b1 import TASKS, make
from workloads.candle.metrics import geometric_mean
from workloads.candle.p3b1 import WORKLOAD, build
from workloads.context import Context, SlotView
from workloads.runtime.framework import configure_framework, trainable_parameters

SMALL = {"shared_width": 60, "first_width": 40, "second_width": 40, "learning_rate": 0.05}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    directory = tmp_path_factory.mktemp("p3b1")
    make(
        directory, 7, features=200, site_train_rows=400, site_test_rows=60, site_classes=4,
        laterality_train_rows=150, laterality_test_rows=40, grade_train_rows=300, grade_test_rows=50,
    )  # fmt: skip
    return directory


@pytest.fixture(scope="module")
def trained(data, run):
    """Return a training of two epochs by the usual loader."""
    return run("p3b1", SMALL | {"epochs": 2}, data)


@pytest.mark.slow
def test_same_seed_same_accuracy_in_any_process_and_another_seed_differs(data, run, trained):
    parameters = SMALL | {"epochs": 2}
    here = trained
    other = run("p3b1", parameters, data, seed=2)
    there = send("p3b1", parameters, data=str(data))
    assert there.marks == [*here.marks, "run_stop"] == ["ready", "run_start", "run_stop"]
    sent = {metric["name"]: metric["value"] for metric in there.last["result"]["metrics"]}
    assert sent == {metric.name: metric.value for metric in here.result.metrics}
    assert there.last["result"]["accuracy"] == here.result.accuracy
    assert other.metric("site_train_loss") != here.metric("site_train_loss")


@pytest.mark.slow
def test_more_epochs_are_better_and_the_accuracy_is_the_mean_of_six(data, run):
    short, long = run("p3b1", SMALL | {"epochs": 1}, data), run("p3b1", SMALL | {"epochs": 8}, data)
    assert long.result.accuracy > short.result.accuracy + 0.1
    six = [long.metric(f"{task}_{kind}_f1") for task in TASKS for kind in ("macro", "micro")]
    assert long.result.accuracy == pytest.approx(geometric_mean(six))
    assert long.metric("epochs_run") == 8
    assert long.metric("site_val_loss") < short.metric("site_val_loss")
    assert long.result.data["site_classes"] == 4


@pytest.mark.slow
@pytest.mark.parametrize(("loader", "states"), [("pandas", [None]), ("cache", ["built", "hit"])])
def test_every_loader_gives_the_same_training(data, run, trained, tmp_path, loader, states):
    parameters = SMALL | {"epochs": 2}
    expected = trained.result
    for state in states:
        found = run("p3b1", parameters | {"loader": loader}, data, cache=tmp_path / "cache").result
        assert found.metrics == expected.metrics
        assert found.accuracy == expected.accuracy
        assert found.data["loader"] == loader
        assert found.data.get("cache") == state


def test_training_stops_after_the_epoch_that_passes_the_time_limit(data, run):
    assert run("p3b1", SMALL | {"epochs": 50, "time_limit": 0}, data).metric("epochs_run") == 1


@pytest.mark.usefixtures("shapes_only")
def test_the_full_models_have_the_published_shape_and_share_one_layer():
    configure_framework(Context(seed=1, slot=SlotView(cores=(0,))))
    models = build(400, (13, 2, 4), WORKLOAD.typed(WORKLOAD.resolve({})))
    assert [model.count_params() for model in models] == [3_379_213, 3_366_002, 3_368_404]
    assert trainable_parameters(*models) == WORKLOAD.sizes["trainable_parameters"]
    assert len({id(model.get_layer("shared")) for model in models}) == 1
    for task, model in zip(TASKS, models, strict=True):
        kernels = [w for w in model.trainable_variables if len(w.shape) == 2]
        flop = 2 * sum(w.shape[0] * w.shape[1] for w in kernels)
        assert flop == WORKLOAD.sizes[f"forward_flop_per_sample_{task}"]


@pytest.mark.slow
def test_training_goes_on_until_the_target_or_the_last_epoch_allowed(data, run):
    parameters = SMALL | {"epochs": 1, "max_epochs": 30}
    done = run("p3b1", parameters, data)
    assert done.metric("epochs_run") > 1 or done.result.accuracy >= WORKLOAD.resolve({})["target_accuracy"]
    assert done.result.accuracy >= WORKLOAD.resolve({})["target_accuracy"] or done.metric("epochs_run") == 30
