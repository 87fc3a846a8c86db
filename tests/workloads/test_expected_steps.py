"""The steps that a description expects are those that a training takes."""

from __future__ import annotations

import json

import pytest

from orchestrator.catalog.registry import describe
from tests.requirements import needs
from tests.workloads.orders import send
from workloads import modules
from workloads.candle import p1b1
from workloads.candle.data import p1b1 as p1b1_data
from workloads.candle.data import p3b1 as p3b1_data
from workloads.expected_steps import (
    EpochSteps,
    FixedSteps,
    Rows,
    WholeSetSteps,
    expected_optimizer_steps,
    most_skipped_steps,
)
from workloads.imagenet import generator

P1B1 = {"outer_width": 10, "inner_width": 6, "batch_size": 16, "epochs": 2}
P3B1 = {"shared_width": 8, "first_width": 8, "second_width": 8, "batch_size": 7, "epochs": 2}
RESNET50 = {
    "epochs": 2, "batch_size": 8, "classes": 3, "image_size": 32, "width_divisor": 16, "depth_divisor": 6,
    "warmup_epochs": 1,
}  # fmt: skip
LSTM = {"batch_size": 4, "hidden_width": 8, "sequence_length": 3, "steps": 7}
VGG = {"batch_size": 2, "image_size": 32, "width_divisor": 32, "steps": 3, "burn_in": 2}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    for name in ("p1b1", "p3b1", "resnet50"):
        (folder / name).mkdir()
    p1b1_data.make(folder / "p1b1", 7, train_rows=99, test_rows=20, features=30, cancer_types=3)
    p3b1_data.make(
        folder / "p3b1", 7, features=20, site_train_rows=41, site_test_rows=12, site_classes=3,
        laterality_train_rows=20, laterality_test_rows=8, grade_train_rows=29, grade_test_rows=9,
    )  # fmt: skip
    generator.make(folder / "resnet50", 7, train_images=45, validation_images=9, classes=3, image_edge=40)
    return folder


def trained(workload, parameters, data=None):
    """Return the metrics, observations and data facts of a training in a process of its own."""
    report = send(workload, parameters, data=data and str(data / workload))
    assert "result" in report.last, (report.last, report.stderr)
    result = report.last["result"]
    return {one["name"]: one["value"] for one in result["metrics"]}, result["seen"], result["data"]


def check(workload, parameters, data=None):
    found, _, facts = trained(workload, parameters, data)
    described = describe(workload)
    expected = expected_optimizer_steps(
        described.optimizer_steps,
        described.resolve(parameters),
        facts,
        int(found["epochs_run"]) if described.optimizer_steps.in_epochs else None,
    )
    assert found["optimizer_steps"] == expected
    return found


@pytest.mark.slow
@pytest.mark.parametrize("framework", ["tensorflow", "jax", "torch"])
def test_every_step_of_a_real_training_is_expected_and_counted(data, framework):
    if framework != "tensorflow":
        needs(framework)
    on = {"framework": framework}
    found = check("p1b1", P1B1 | on, data)
    assert (found["optimizer_steps"], found["samples_seen"]) == (2 * 6, 2 * 89)  # 89 of 99 rows in 6 batches
    found = check("p3b1", P3B1 | on, data)
    assert (found["optimizer_steps"], found["samples_seen"]) == (2 * (6 + 3 + 5), 2 * (41 + 20 + 29))
    found = check("lstm", LSTM | on)
    assert (found["optimizer_steps"], found["samples_seen"]) == (8, 32)
    found = check("vgg", VGG | on)
    assert (found["optimizer_steps"], found["samples_seen"]) == (5, 10)


@pytest.mark.slow
def test_resnet50_leaves_out_the_last_incomplete_batch(data):
    found = check("resnet50", RESNET50, data)
    assert (found["optimizer_steps"], found["samples_seen"]) == (2 * 5, 2 * 40)


@pytest.mark.parametrize("name", modules.names())
def test_every_training_states_its_steps_as_plain_data(name):
    workload = describe(name)
    plan = workload.optimizer_steps
    if workload.entry.startswith(("workloads.microbenchmarks.", "workloads.deep500.")):
        assert plan is None
        return
    known = {parameter.name for parameter in workload.parameters}
    named = {
        EpochSteps: lambda: {plan.batch_size},
        FixedSteps: lambda: set(plan.parameters),
        WholeSetSteps: lambda: {"batch_size", "batch_scaling"},
    }
    assert named[type(plan)]() <= known
    assert json.loads(json.dumps(workload.to_dict()))["optimizer_steps"]


def test_the_real_sizes_give_the_steps_of_the_benchmarks():
    def steps(name, ranks=1):
        workload = describe(name)
        parameters = workload.resolve({})
        sizes = {size.name: size.default for size in workload.data.sizes} if workload.data else {}
        return expected_optimizer_steps(
            workload.optimizer_steps, parameters, sizes, parameters.get("epochs"), ranks
        )

    assert steps("p1b1") == 100 * 27
    assert steps("p3b1") == 10 * (390 + 60 + 120)
    assert steps("resnet50", ranks=4) == 90 * (1_281_167 // 128)
    assert (steps("lstm"), steps("alexnet")) == (101, 110)
    assert (steps("nt3"), steps("p1b2"), steps("p1b1_parallel")) == (400 * 56, 45, 384 * 27)


def test_every_rank_passes_over_all_rows_in_batches_that_grow_with_the_ranks():
    plan = describe("p1b3").optimizer_steps
    parameters = {"batch_size": 100, "batch_scaling": "cubic_root"}
    facts = {"train_rows": 900_136}
    assert expected_optimizer_steps(plan, parameters, facts, 1, 1) == 9001
    assert expected_optimizer_steps(plan, parameters, facts, 2, 48) == 2 * (900_136 // 363)


def test_p1b1_expects_the_rows_that_its_loader_leaves_for_training():
    assert p1b1.WORKLOAD.optimizer_steps.rows[0].held_out == p1b1_data.VALIDATION_SHARE


@pytest.mark.parametrize(
    ("facts", "epochs", "steps"),
    [({"rows": 10}, 3, 9), ({"rows": 10}, None, None), ({}, 3, None), ({"rows": "10"}, 3, None)],
)
def test_nothing_is_expected_where_a_fact_is_missing(facts, epochs, steps):
    plan = EpochSteps((Rows("rows"),))
    assert expected_optimizer_steps(plan, {"batch_size": 4}, facts, epochs) == steps
    assert expected_optimizer_steps(plan, {}, facts, epochs) is None
    assert expected_optimizer_steps(FixedSteps(("steps",)), {}, facts, epochs) is None


def test_float16_alone_may_skip_steps():
    assert [most_skipped_steps(one, 4001) for one in ("float32", "mixed_bfloat16")] == [0, 0]
    assert most_skipped_steps("mixed_float16", 4001) == 15 + 3
