"""JAX and PyTorch beside TensorFlow: losses, ranks beside one process, checkpoints, a rank that dies."""

from __future__ import annotations

import json
import signal

import numpy as np
import pytest

from tests.workloads.orders import send
from tests.workloads.runtime.rank_processes import run_ranks, started
from workloads.description import WorkloadError
from workloads.imagenet.generator import make
from workloads.imagenet.resnet50.benchmark import ResNet50Parameters
from workloads.imagenet.resnet50_v15.benchmark import ResNet50V15Parameters

OTHERS = ("torch", "jax")
SMALL = {
    "epochs": 2, "batch_size": 8, "classes": 3, "image_size": 32, "width_divisor": 8, "depth_divisor": 6,
    "warmup_epochs": 1,
}  # fmt: skip
ROUNDING = {"float32": 1e-4, "mixed_float16": 1e-2, "mixed_bfloat16": 5e-2}
"""Relative difference of losses."""


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    directory = tmp_path_factory.mktemp("imagenet")
    make(directory, 7, train_images=80, validation_images=17, classes=3, image_edge=40)
    return str(directory)


def metrics(report):
    assert report.code == 0, report.stderr
    return {metric["name"]: metric["value"] for metric in report.last["result"]["metrics"]}


def state(scratch):
    path = max((scratch / "checkpoints").glob("*.npz"))
    with np.load(path) as arrays:
        return [arrays[name] for name in sorted(arrays.files) if name != "facts"]


@pytest.mark.slow
def test_three_frameworks_lose_alike_by_every_optimizer_in_every_precision():
    expected, *others = (
        metrics(send("tests.workloads.imagenet.losses", {"framework": one}))
        for one in ("tensorflow", *OTHERS)
    )
    for found in others:
        for precision, rounding in ROUNDING.items():
            names = [name for name in expected if name.startswith(precision)]
            assert [found[name] for name in names] == pytest.approx(
                [expected[name] for name in names], rel=rounding
            )


@pytest.mark.slow
@pytest.mark.parametrize("framework", OTHERS)
def test_two_ranks_have_the_gradient_of_one_with_both_batches(framework):
    parameters = {"framework": framework, "communication": framework, "smooth": True}
    for report in run_ranks("tests.workloads.imagenet.halves", parameters, 2):
        error = metrics(report)
        assert error["own"] > 0.1  # each rank's labels are other ones
        assert error["exchanged"] < 1e-4
        assert error["exchanged"] < error["exchanged in float16"] < 1e-2


@pytest.mark.slow
@pytest.mark.parametrize("framework", OTHERS)
def test_going_on_from_a_checkpoint_is_as_if_it_had_never_stopped(framework, data, tmp_path):
    parameters = SMALL | {"framework": framework}
    send("resnet50", parameters, data=data, scratch=str(tmp_path))
    straight = state(tmp_path)
    (tmp_path / "checkpoints" / "checkpoint-000002.npz").unlink()
    report = send("resnet50", parameters, data=data, scratch=str(tmp_path))
    found = metrics(report)
    assert (found["resumed_from_epoch"], found["optimizer_steps"], found["samples_seen"]) == (1, 10, 80)
    assert 2.5 < found["training_flop_per_sample"] / found["forward_flop_per_sample"] <= 3
    assert report.last["result"]["seen"]["framework"] == framework
    for one, other in zip(straight, state(tmp_path), strict=True):
        assert np.array_equal(one, other)


@pytest.mark.slow
def test_a_checkpoint_of_another_framework_is_passed_over_and_one_of_before_there_was_a_choice_is_not(
    data, tmp_path
):
    send("resnet50", SMALL | {"framework": "torch"}, data=data, scratch=str(tmp_path))
    report = send("resnet50", SMALL | {"epochs": 1}, data=data, scratch=str(tmp_path))
    assert "resumed_from_epoch" not in metrics(report)
    assert "it is of a training with other parameters" in report.stderr
    with np.load(tmp_path / "checkpoints" / "checkpoint-000001.npz") as arrays:
        assert "framework" not in json.loads(arrays["facts"].tobytes())["identity"]


@pytest.mark.slow
@pytest.mark.parametrize("framework", OTHERS)
def test_two_ranks_agree_and_tell_of_the_death_of_one(framework, data):
    parameters = SMALL | {"framework": framework, "communication": framework}
    if framework == "torch":  # which compiles nothing
        for report in run_ranks("resnet50", parameters, 2, data=data):
            found = metrics(report)
            assert (found["equal_weights_proven"], found["ranks"], found["optimizer_steps"]) == (3, 2, 10)
            assert found["communicated_bytes_per_step"] == 4 * found["trainable_parameters"]
    with started("resnet50", parameters | {"epochs": 10**4}, 2, data=data) as ranks:
        ranks[0].wait_for("\n1,", "stdout")
        ranks[1].kill()
        left, killed = (rank.finish() for rank in ranks)
    assert (left.code, killed.code) == (1, -signal.SIGKILL)
    assert left.last["error"]["kind"] == "rank lost"
    assert left.last["error"]["message"].startswith("another rank of this instance ended")


def test_what_a_framework_cannot_do_is_refused_before_anything_starts():
    with pytest.raises(WorkloadError, match="communication horovod joins ranks of TensorFlow only"):
        ResNet50Parameters(framework="jax").check_ranks(2)
    with pytest.raises(WorkloadError, match="communication mpi takes no bfloat16 of PyTorch"):
        ResNet50V15Parameters(
            framework="torch", communication="mpi", gradient_precision="bfloat16"
        ).check_ranks(2)
    with pytest.raises(WorkloadError, match="xla: true is of TensorFlow, and the framework is torch"):
        ResNet50V15Parameters(framework="torch", xla=True).check_ranks(1)
    ResNet50V15Parameters(framework="torch").check_ranks(1)
