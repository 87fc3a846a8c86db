from __future__ import annotations

import os
import signal

import numpy as np
import pytest

from tests.workloads.runtime.rank_processes import run_ranks, started
from workloads.context import Context, SlotView
from workloads.runtime.communication.host_tensors import mean_over_host
from workloads.runtime.communication.torch_group import TorchGroup
from workloads.runtime.framework import configure_framework

HALVES = "tests.workloads.runtime.communication.halves"


def test_tensors_travel_as_one_vector_of_each_type_and_keep_their_shapes():
    configure_framework(Context(seed=1, slot=SlotView(cores=(0,))))
    import tensorflow as tf

    seen = []

    def twice(vector):
        seen.append((vector.dtype.name, vector.shape))
        return vector + vector

    @tf.function
    def exchange(tensors):
        return mean_over_host(tensors, twice)

    given = [tf.ones((2, 3)), tf.constant(4.0, tf.float16), tf.range(4.0), tf.ones((1,), tf.bfloat16)]
    means = exchange(given)
    assert seen == [("float32", (10,)), ("float16", (1,)), ("bfloat16", (1,))]
    for mean, tensor in zip(means, given, strict=True):
        assert (mean.dtype, mean.shape) == (tensor.dtype, tensor.shape)
        np.testing.assert_array_equal(mean, tensor * 2)


def test_ranks_that_no_supervisor_started_are_told_so(monkeypatch):
    monkeypatch.delenv("HOROVOD_GLOO_IFACE", raising=False)
    with pytest.raises(RuntimeError, match="HOROVOD_GLOO_IFACE not set: the supervisor sets them"):
        TorchGroup(0, 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("framework", "communication"),
    [("tensorflow", "horovod"), ("tensorflow", "torch"), ("torch", "torch"), ("jax", "torch")],
)
def test_two_ranks_reach_the_weights_of_one_with_both_batches(framework, communication):
    parameters = {"framework": framework, "communication": communication}
    reports = run_ranks(HALVES, parameters, 2)
    assert [report.code for report in reports] == [0, 0], [report.stderr for report in reports]
    for report in reports:
        error = {metric["name"]: metric["value"] for metric in report.last["result"]["metrics"]}
        assert error["own"] > 0.01  # each rank has rows of its own
        assert error["joined"] < 1e-6
        assert report.last["result"]["seen"]["framework"] == framework


@pytest.mark.slow
def test_a_rank_that_dies_is_one_clear_error_over_torch():
    parameters = {
        "communication": "torch",
        "precision": "bfloat16",
        "tensor_bytes": 4096,
        "repetitions": 10**5,
    }
    with started("allreduce", parameters, 2) as ranks:
        seen = b""
        while b"run_start" not in seen:
            more = os.read(ranks[1]._reports, 1 << 16)
            assert more, ranks[1].process.communicate()
            seen += more
        os.kill(ranks[1].process.pid, signal.SIGKILL)
        left = ranks[0].finish()
        ranks[1].finish()
    assert left.code == 1
    [error] = [line["error"] for line in left.lines if "error" in line]
    assert error["kind"] == "rank lost"
    assert error["message"].startswith(
        "another rank of this instance ended or stopped answering, so rank 0 of 2"
    )
