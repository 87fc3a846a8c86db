"""JAX and PyTorch beside TensorFlow: losses, ranks beside one process, checkpoints."""

from __future__ import annotations

import numpy as np
import pytest

from tests.workloads.extreme_weather.losses import IMAGES, SMALL, STEPS
from tests.workloads.orders import send
from tests.workloads.runtime.rank_processes import run_ranks
from workloads.description import WorkloadError
from workloads.extreme_weather.benchmark import WORKLOAD, ExtremeWeatherParameters
from workloads.extreme_weather.generator import make

OTHERS = ("torch", "jax")
LOSSES = "tests.workloads.extreme_weather.losses"
ROUNDING = 1e-4
"""Relative difference of losses in float32."""


def metrics(report):
    assert report.code == 0, report.stderr
    return {metric["name"]: metric["value"] for metric in report.last["result"]["metrics"]}


@pytest.fixture(scope="module")
def expected():
    found = metrics(send(LOSSES, SMALL | {"batch_size": IMAGES}))
    assert found["detections"] > 100
    assert found["right"] == 3 * IMAGES * STEPS  # every storm once
    return found | {"imports_tensorflow": 0}


@pytest.mark.slow
@pytest.mark.parametrize("framework", OTHERS)
def test_three_frameworks_lose_and_detect_alike(framework, expected):
    parameters = SMALL | {"batch_size": IMAGES, "framework": framework}
    found = metrics(send(LOSSES, parameters, fresh=True))
    assert found == pytest.approx(expected, rel=ROUNDING)


@pytest.mark.slow
@pytest.mark.parametrize("framework", OTHERS)
def test_two_ranks_lose_and_detect_as_one_process_with_both_images(framework, expected):
    parameters = SMALL | {"framework": framework, "communication": framework}
    for report in run_ranks(LOSSES, parameters, IMAGES):
        found = metrics(report) | {"imports_tensorflow": 0}  # a process that is forked may have before
        assert found == pytest.approx(expected, rel=ROUNDING)


@pytest.mark.slow
@pytest.mark.parametrize("framework", OTHERS)
def test_going_on_from_a_checkpoint_is_as_if_it_had_never_stopped(framework, tmp_path):
    data, scratch = tmp_path / "data", tmp_path / "scratch"
    make(data, 7, years=2, images_per_year=3, image_height=48, image_width=72)
    parameters = SMALL | {"framework": framework, "epochs": 2, "warmup_steps": 0}

    def run():
        report = send("extreme_weather", parameters, data=str(data), scratch=str(scratch))
        with np.load(scratch / "checkpoints" / "checkpoint-000002.npz") as arrays:
            return report, [arrays[name] for name in sorted(arrays.files) if name != "facts"]

    _, straight = run()
    (scratch / "checkpoints" / "checkpoint-000002.npz").unlink()
    report, again = run()
    found = metrics(report)
    assert (found["resumed_from_epoch"], found["optimizer_steps"], found["samples_seen"]) == (1, 3, 3)
    assert 2.5 < found["training_flop_per_sample"] / found["forward_flop_per_sample"] <= 3
    assert report.last["result"]["seen"]["framework"] == framework
    for one, other in zip(straight, again, strict=True):
        assert np.array_equal(one, other)


def test_what_a_framework_cannot_do_is_refused_before_anything_starts():
    with pytest.raises(WorkloadError, match="communication horovod joins ranks of TensorFlow only"):
        ExtremeWeatherParameters(framework="jax").check_ranks(2)
    with pytest.raises(WorkloadError, match="communication mpi takes no bfloat16 of PyTorch"):
        ExtremeWeatherParameters(
            framework="torch", communication="mpi", gradient_precision="bfloat16"
        ).check_ranks(2)
    ExtremeWeatherParameters(framework="torch").check_ranks(1)


def test_tensorflow_is_needed_where_it_trains_alone():
    for framework in ("tensorflow", *OTHERS):
        packages = WORKLOAD.packages(WORKLOAD.resolve({"framework": framework}), 1)
        assert packages == ("keras", framework, "h5py")
