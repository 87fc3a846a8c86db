from __future__ import annotations

import mmap
import os
import re
import subprocess
import sys

import numpy as np
import pytest

from tests.workloads.runtime.rank_processes import need_mpi, run_ranks, started
from workloads.context import Context, SlotView
from workloads.runtime.communication import mpi_world
from workloads.runtime.communication.host_tensors import HostMeans
from workloads.runtime.communication.torch_group import TorchGroup
from workloads.runtime.framework import configure_framework

HALVES = "tests.workloads.runtime.communication.halves"


def test_tensors_travel_as_one_vector_of_each_type_and_keep_their_shapes():
    configure_framework(Context(seed=1, slot=SlotView(cores=(0,))))
    import tensorflow as tf

    seen = []

    def add(vector):
        seen.append((vector.dtype.name, vector.shape))
        vector *= 4

    means = HostMeans(2, add)
    exchange = tf.function(means.of_tensors)
    given = [tf.ones((2, 3)), tf.constant(4.0, tf.float16), tf.range(4.0), tf.ones((1,), tf.bfloat16)]
    kept = exchange(given)
    assert seen == [("float32", (32,)), ("float16", (32,)), ("bfloat16", (32,))]  # each at 64 bytes
    exchange([tensor * 0 for tensor in given])  # in the same memory, which no result shares
    for mean, tensor in zip(kept, given, strict=True):
        assert (mean.dtype, mean.shape) == (tensor.dtype, tensor.shape)
        np.testing.assert_array_equal(mean, tensor * 2)


def test_memory_is_used_again_once_no_result_is_left_and_never_before():
    means = HostMeans(2, lambda vector: None)
    arrays = [np.full((3, 5), 2.0, np.float32), np.full(7, 4.0, np.float32)]
    first = means.of_arrays(*arrays)
    second = means.of_arrays(*[array * 10 for array in arrays])
    assert [one.max() for one in (*first, *second)] == [1, 2, 10, 20]
    place = second[0].ctypes.data
    assert place % 64 == second[1].ctypes.data % 64 == 0
    part = second[1][2:4]  # holds the memory of all
    del second
    assert means.of_arrays(*arrays)[0].ctypes.data != place
    assert part.max() == 20
    del part
    again = {means.of_arrays(*arrays)[0].ctypes.data for _ in range(3)}
    assert len(again) == 1


@pytest.mark.parametrize("shape", [(), (1,), (5,), (0,)])
def test_a_single_tensor_is_averaged_also_outside_of_a_compiled_function(shape):
    configure_framework(Context(seed=1, slot=SlotView(cores=(0,))))
    import tensorflow as tf

    (mean,) = HostMeans(2, lambda vector: None).of_tensors([tf.ones(shape)])
    assert mean.shape == shape
    np.testing.assert_array_equal(mean, np.full(shape, 0.5, np.float32))


def test_what_has_no_mean_is_refused():
    with pytest.raises(TypeError, match="ranks average floating-point numbers, not int64"):
        HostMeans(2, lambda vector: None).of_arrays(np.ones(2), np.arange(3))


def test_shared_memory_that_killed_ranks_left_is_removed_and_no_other(monkeypatch, tmp_path):
    monkeypatch.setattr(mpi_world, "_SHARED_MEMORY", f"{tmp_path}/mpich_shm_")
    left, young, used = (tmp_path / f"mpich_shm_{name}" for name in ("left", "young", "used"))
    for file in (left, young, used, tmp_path / "other"):
        file.write_bytes(bytes(4096))
        if file != young:
            os.utime(file, (1, 1))
    with used.open("r+b") as file, mmap.mmap(file.fileno(), 0):
        mpi_world.remove_left_shared_memory()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["mpich_shm_used", "mpich_shm_young", "other"]


def test_ranks_that_no_supervisor_started_are_told_so(monkeypatch):
    monkeypatch.delenv("HOROVOD_GLOO_IFACE", raising=False)
    with pytest.raises(RuntimeError, match="HOROVOD_GLOO_IFACE not set: the supervisor sets them"):
        TorchGroup(0, 2)


@pytest.mark.parametrize(
    ("before", "message"),
    [
        (
            "import sys; sys.modules['mpi4py'] = None",
            "needs mpi4py and an MPI library, which cannot be loaded",
        ),
        ("", "but .+ [0-9.]+ started as rank 0 of 1; it must speak PMI 1.1, as MPICH and Intel MPI do"),
    ],
)
def test_mpi_that_joins_no_ranks_is_one_error(before, message):
    need_mpi()
    program = f"{before}\nfrom workloads.runtime.communication.mpi_world import MpiWorld\nMpiWorld(1, 2)"
    own = {name: value for name, value in os.environ.items() if not name.startswith("PMI_")}
    ended = subprocess.run(
        [sys.executable, "-c", program], env=own, capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 1
    assert re.search(message, ended.stderr.splitlines()[-1])


@pytest.mark.slow
@pytest.mark.parametrize("communication", ["mpi", "jax"])
@pytest.mark.parametrize("precision", ["float32", "float16", "bfloat16"])
def test_three_ranks_average_in_every_precision(communication, precision):
    need_mpi()
    parameters = {
        "communication": communication, "precision": precision, "tensor_bytes": 40, "seconds": 0.0,
        "repetitions": 3,
    }  # fmt: skip
    reports = run_ranks("allreduce", parameters, 3)
    assert [report.code for report in reports] == [0] * 3, [report.stderr for report in reports]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("framework", "communication"),
    [
        ("tensorflow", "horovod"),
        ("tensorflow", "torch"),
        ("torch", "torch"),
        ("jax", "torch"),
        ("tensorflow", "mpi"),
        ("torch", "mpi"),
        ("jax", "mpi"),
        ("tensorflow", "jax"),
        ("torch", "jax"),
        ("jax", "jax"),
    ],
)
def test_two_ranks_reach_the_weights_of_one_with_both_batches(framework, communication):
    if communication == "mpi":
        need_mpi()
    parameters = {"framework": framework, "communication": communication}
    reports = run_ranks(HALVES, parameters, 2)
    assert [report.code for report in reports] == [0, 0], [report.stderr for report in reports]
    for report in reports:
        error = {metric["name"]: metric["value"] for metric in report.last["result"]["metrics"]}
        assert error["own"] > 0.01  # each rank has rows of its own
        assert error["joined"] < 1e-6
        assert report.last["result"]["seen"]["framework"] == framework


@pytest.mark.slow
@pytest.mark.parametrize(("communication", "dies"), [("torch", 1), ("jax", 1), ("jax", 0)])
def test_a_rank_that_dies_is_one_clear_error(communication, dies):
    parameters = {
        "communication": communication,
        "precision": "bfloat16",
        "tensor_bytes": 4096,
        "repetitions": 10**5,
    }
    with started("allreduce", parameters, 2) as ranks:
        ranks[dies].wait_for("run_start")
        ranks[dies].kill()
        left = ranks[1 - dies].finish()
        ranks[dies].finish()
    assert left.code == 1
    [error] = [line["error"] for line in left.lines if "error" in line]
    assert error["kind"] == "rank lost"
    assert error["message"].startswith(
        f"another rank of this instance ended or stopped answering, so rank {1 - dies} of 2"
    )
