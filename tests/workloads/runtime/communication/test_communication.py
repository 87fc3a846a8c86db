from __future__ import annotations

import mmap
import os
import re
import signal
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from tests.workloads.orders import call
from tests.workloads.runtime.rank_processes import need_mpi, run_ranks, started
from workloads.context import Context, SlotView
from workloads.runtime.communication import mpi_world, torch_group
from workloads.runtime.communication.host_tensors import HostMeans, call_from_torch
from workloads.runtime.communication.torch_group import TorchGroup
from workloads.runtime.communication.torch_tensors import TorchMeans
from workloads.runtime.framework import configure_framework

HALVES = "tests.workloads.runtime.communication.halves"
PIECES = "tests.workloads.runtime.communication.pieces"
FREEZES = "tests.workloads.runtime.communication.freezes"
AVERAGES = "tests.workloads.runtime.communication.averages"


def at_once(add):
    """Return the start of an exchange that `add` ends at once."""

    def start(vector):
        add(vector)
        return lambda: vector

    return start


def test_tensors_travel_as_one_vector_of_each_type_and_keep_their_shapes():
    configure_framework(Context(seed=1, slot=SlotView(cores=(0,))))
    import tensorflow as tf

    seen = []

    def add(vector):
        seen.append((vector.dtype.name, vector.shape))
        vector *= 4

    means = HostMeans(2, at_once(add))
    exchange = tf.function(means.of_tensors)
    given = [tf.ones((2, 3)), tf.constant(4.0, tf.float16), tf.range(4.0), tf.ones((1,), tf.bfloat16)]
    kept = exchange(given)
    assert seen == [("float32", (32,)), ("float16", (32,)), ("bfloat16", (32,))]  # each at 64 bytes
    exchange([tensor * 0 for tensor in given])  # in the same memory, which no result shares
    for mean, tensor in zip(kept, given, strict=True):
        assert (mean.dtype, mean.shape) == (tensor.dtype, tensor.shape)
        np.testing.assert_array_equal(mean, tensor * 2)


def test_a_step_of_jax_exchanges_arrays_of_numpy_in_order():
    eager = compiled = ["ndarray[6]", "ndarray[1]", "ndarray[2]"]
    assert call(f"{__name__}:exchange_on_jax", framework="jax").split() == [*eager, *compiled]


def exchange_on_jax():
    """Exchange twice in a function, eager and compiled, and print what the exchange gets."""
    import jax
    from jax import numpy as jnp

    class Printing(HostMeans):
        def of_arrays(self, *arrays):
            for array in arrays:
                print(f"{type(array).__name__}[{array.size}]", flush=True)
            return super().of_arrays(*arrays)

    means = Printing(2, at_once(lambda vector: np.multiply(vector, 4, out=vector))).of_tensors
    tensors = [jnp.ones((2, 3)), jnp.full((), 4, jnp.float16), jnp.ones(2, jnp.bfloat16)]

    def step(tensors):
        return [*means(tensors[:2]), *means(tensors[2:])]

    for run in step, jax.jit(step):
        for mean, tensor in zip(run(tensors), tensors, strict=True):
            assert (mean.dtype, mean.shape) == (tensor.dtype, tensor.shape)
            np.testing.assert_array_equal(mean, tensor * 2)


@pytest.mark.parametrize("piece_bytes", [0, 100, 200, 10**6])
@pytest.mark.parametrize("elsewhere", [False, True])
def test_means_in_pieces_are_those_of_the_whole_bit_for_bit(piece_bytes, elsewhere):
    random = np.random.default_rng(1)
    arrays = [random.normal(size=size).astype(np.float32) for size in [(3, 5), (7,), (), (2, 30), (0,), (4,)]]
    begun, ended = [], []

    def start(vector):
        begun.append(len(vector) * 4)
        total = vector * 2
        if not elsewhere:
            vector[:] = total

        def finish():
            ended.append(len(begun))  # no sum is waited for before the last has begun
            return total if elsewhere else vector

        return finish

    means = HostMeans(3, start, piece_bytes).of_arrays(*arrays)
    for mean, array in zip(means, arrays, strict=True):
        np.testing.assert_array_equal(mean, array / np.float32(3) * 2)
        assert mean.shape == array.shape
    expected = {0: [64, 64, 64, 256, 0, 64], 100: [128, 320, 64], 200: [448, 64], 10**6: [512]}
    assert begun == expected[piece_bytes]
    assert ended == [len(begun)] * len(begun)


def test_constant_memory_of_a_library_becomes_a_tensor_of_its_own(recwarn):
    import torch

    constant = np.ones(3, np.float32)
    constant.flags.writeable = False
    (mean,) = call_from_torch([torch.zeros(3)], lambda *_: [constant])
    mean.add_(1)
    assert float(constant.max()) == 1
    assert not recwarn.list


def test_memory_is_used_again_once_no_result_is_left_and_never_before():
    means = HostMeans(2, at_once(lambda vector: None))
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

    (mean,) = HostMeans(2, at_once(lambda vector: None)).of_tensors([tf.ones(shape)])
    assert mean.shape == shape
    np.testing.assert_array_equal(mean, np.full(shape, 0.5, np.float32))


def test_what_has_no_mean_is_refused():
    with pytest.raises(TypeError, match="ranks average floating-point numbers, not int64"):
        HostMeans(2, at_once(lambda vector: None)).of_arrays(np.ones(2), np.arange(3))


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


@pytest.mark.parametrize("kind", ["float32", "float16", "bfloat16", "float64"])
def test_tensors_of_pytorch_have_the_means_that_arrays_in_host_memory_have_bit_for_bit(kind):
    import ml_dtypes
    import torch

    random = torch.Generator().manual_seed(1)
    tensors = [
        torch.randn(shape, generator=random).to(getattr(torch, kind))
        for shape in [(3, 5), (7,), (), (2, 3, 4)]
    ]
    tensors[3] = tensors[3].permute(2, 0, 1)  # not contiguous, as gradients of channels_last layers
    numbers = [one.view(torch.int16) if kind == "bfloat16" else one for one in tensors]
    arrays = [one.numpy().view(ml_dtypes.bfloat16) if kind == "bfloat16" else one.numpy() for one in numbers]
    seen = []

    def add(vector):
        seen.append(vector)
        vector *= 3

    means = TorchMeans(3, add).of_tensors([*tensors, torch.ones(2, dtype=torch.float32)])
    expected = HostMeans(3, at_once(add)).of_arrays(*arrays)
    for mean, tensor, array in zip(means, tensors, expected, strict=False):
        assert (mean.dtype, mean.shape) == (tensor.dtype, tensor.shape)
        np.testing.assert_array_equal(mean.double().numpy(), array.astype(np.float64))
    exchanged = [one for one in seen if isinstance(one, torch.Tensor)]
    assert len(exchanged) == (1 if kind == "float32" else 2)  # one vector of each type


def test_memory_of_tensors_is_used_again_once_no_result_is_left_and_never_before():
    import torch

    means = TorchMeans(2, lambda vector: None)
    tensors = [torch.full((3, 5), 2.0), torch.full((7,), 4.0)]
    first = means.of_tensors(tensors)
    second = means.of_tensors([tensor * 10 for tensor in tensors])
    assert [float(one.max()) for one in (*first, *second)] == [1, 2, 10, 20]
    place = second[0].data_ptr()
    part = second[1][2:4]  # holds the memory of all
    del second
    assert means.of_tensors(tensors)[0].data_ptr() != place
    assert float(part.max()) == 20
    del part, first
    assert len({means.of_tensors(tensors)[0].data_ptr() for _ in range(3)}) == 1


def test_tensors_of_whole_numbers_have_no_mean():
    import torch

    with pytest.raises(TypeError, match="ranks average floating-point numbers, not int64"):
        TorchMeans(2, lambda vector: None).of_tensors([torch.ones(2), torch.arange(3)])


def group_of(monkeypatch, gpus, keras="torch"):
    """Return the group of ranks that have these GPUs, over a library that notes what is asked of it."""
    asked = []
    monkeypatch.setenv("HOROVOD_GLOO_IFACE", "ib0")
    monkeypatch.setenv("KERAS_BACKEND", keras)
    monkeypatch.setattr(torch_group, "own_gpu", lambda: gpus[0])
    monkeypatch.setattr(torch_group, "_torch_store", lambda values: None)
    monkeypatch.setattr(
        torch_group.RendezvousStore, "of_environment", lambda _: SimpleNamespace(timeout_seconds=9)
    )
    monkeypatch.setattr(TorchGroup, "gather_objects", lambda self, own: gpus)
    for name in ("init_process_group", "all_reduce", "broadcast", "new_group"):

        def note(*values, name=name, **options):
            asked.append((name, options.get("group"), options.get("backend")))
            return name

        monkeypatch.setattr(f"torch.distributed.{name}", note)
    return TorchGroup(0, len(gpus)), asked


def tensor_on(kind):
    return SimpleNamespace(device=SimpleNamespace(type=kind))


def test_gpus_that_are_each_a_rank_s_own_are_joined_by_nccl_and_host_memory_by_gloo(monkeypatch):
    group, asked = group_of(monkeypatch, ["GPU-1", "GPU-2"])
    assert asked == [("init_process_group", None, None), ("new_group", None, "nccl")]
    assert os.environ["NCCL_SOCKET_IFNAME"] == "=ib0"
    group.add(tensor_on("cuda"))
    group.share(tensor_on("cuda"), 1)
    group.add(tensor_on("cpu"))
    assert asked[2:] == [
        ("all_reduce", "new_group", None),
        ("broadcast", "new_group", None),
        ("all_reduce", None, None),
    ]
    assert [group.reaches(tensor_on(kind)) for kind in ("cpu", "cuda", "xpu")] == [True, True, False]
    monkeypatch.setattr("torch.cuda.nccl.version", lambda: (2, 27, 3))
    facts = group.describe()
    assert (facts["collectives_backend"], facts["collectives_backend_version"]) == ("nccl", "2.27.3")


@pytest.mark.parametrize(
    ("gpus", "keras"),
    [(["GPU-1", "GPU-1"], "torch"), ([None, "GPU-1"], "torch"), (["GPU-1", "GPU-2"], "jax")],
)
def test_ranks_that_share_a_gpu_or_have_none_or_train_by_another_framework_use_host_memory(
    monkeypatch, gpus, keras
):
    group, asked = group_of(monkeypatch, gpus, keras)
    assert asked == [("init_process_group", None, None)]
    assert not group.reaches(tensor_on("cuda"))
    assert group.describe()["collectives_backend"] == "gloo"


def test_an_error_of_nccl_is_a_lost_rank_with_the_reason_alone(monkeypatch):
    group, _ = group_of(monkeypatch, ["GPU-1", "GPU-2"])

    def fail(*_, **__):
        raise RuntimeError(
            "NCCL error in: /torch/csrc/NCCL.cpp:3690, remote process exited or there was a network "
            "error, NCCL version 2.27.3\nncclRemoteError: A call failed"
        )

    monkeypatch.setattr("torch.distributed.all_reduce", fail)
    with pytest.raises(torch_group.RankLost, match=r"\(remote process exited .+, NCCL version 2.27.3\)$"):
        group.add(tensor_on("cuda"))


def test_a_gpu_is_a_rank_s_own_unless_it_is_a_part_of_one(monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    monkeypatch.setattr("torch.cuda.get_device_properties", lambda _: SimpleNamespace(uuid="8c7f"))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "GPU-8c7f")
    assert torch_group.own_gpu() == "8c7f"
    monkeypatch.setattr("torch.cuda.get_device_properties", lambda _: SimpleNamespace())
    assert torch_group.own_gpu() is None
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "MIG-41aa")
    assert torch_group.own_gpu() is None


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
@pytest.mark.parametrize("communication", ["torch", "mpi", "jax"])
def test_tensors_that_travel_in_several_pieces_have_the_exact_mean_of_two_ranks(communication):
    if communication == "mpi":
        need_mpi()
    reports = run_ranks(PIECES, {"communication": communication}, 2)
    assert [report.code for report in reports] == [0, 0], [report.stderr for report in reports]


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
@pytest.mark.parametrize(
    ("workload", "communication", "dies"),
    [("allreduce", "torch", 1), (AVERAGES, "torch", 1), ("allreduce", "jax", 1), ("allreduce", "jax", 0)],
)
def test_a_rank_that_dies_is_one_clear_error(workload, communication, dies):
    parameters = {
        "communication": communication,
        "precision": "bfloat16",
        "tensor_bytes": 4096,
        "repetitions": 10**5,
    }
    with started(workload, parameters if workload == "allreduce" else {}, 2) as ranks:
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("frozen", "point"),
    [
        (1, "get_distributed_runtime_client"),
        (1, "make_gloo_tcp_collectives"),
        (0, "make_gloo_tcp_collectives"),
    ],
)
def test_a_rank_that_stops_while_ranks_join_over_jax_is_one_clear_error(frozen, point):
    with started(FREEZES, {"frozen": frozen, "point": point}, 2) as ranks:
        left = ranks[1 - frozen].finish()
    assert left.code in (
        1,
        -signal.SIGABRT,
    )  # JAX's own thread may abort the process that has reported its error
    [error] = [line["error"] for line in left.lines if "error" in line]
    assert error["kind"] == "rank lost"
    assert "another rank stopped answering while the ranks joined over JAX" in error["message"]
