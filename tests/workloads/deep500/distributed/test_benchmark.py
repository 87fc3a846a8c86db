from __future__ import annotations

import importlib.util
import os
import signal
import socket
import threading

import numpy as np
import pytest

from orchestrator.catalog.registry import describe
from orchestrator.node.ranks.rendezvous import Rendezvous
from tests.workloads.runtime.rank_processes import need_mpi, run_ranks, started
from workloads.deep500.distributed import socket_bytes
from workloads.deep500.distributed.collectives import expected_bytes
from workloads.deep500.distributed.definition import DistributedParameters
from workloads.deep500.distributed.figures import (
    METRICS,
    Measured,
    byte_figures,
    distance_figures,
    largest_distance,
    staleness_figures,
    step_figures,
)
from workloads.deep500.distributed.schemes import Trained
from workloads.description import WorkloadError
from workloads.runtime.communication import RankLost
from workloads.runtime.communication.rendezvous_store import RendezvousStore
from workloads.runtime.communication.torch_group import library_reason

WORKLOAD = describe("deep500_distributed")
SMALL = {
    "features": 20, "hidden": 16, "classes": 4, "train_rows": 2000, "test_rows": 500, "steps": 40,
    "validated_steps": 10, "batch_size": 16,
}  # fmt: skip
SOCKETS = {name for name in METRICS if name.startswith("socket_")}
VECTOR = 4 * (20 * 16 + 16 + 16 * 4 + 4)


@pytest.mark.parametrize(
    ("ranks", "changes", "message"),
    [
        (1, {"scheme": "neighbour_exchange"}, "needs 2 ranks or more: write slot"),
        (
            3,
            {"scaling": "strong", "batch_size": 64},
            "64 rows cannot be divided among 3 ranks; choose a multiple",
        ),
        (
            2,
            {"scheme": "model_averaging", "local_steps": 21},
            "none of the 20 validated steps would average parameters; choose 20 or less",
        ),
        (4, {"train_rows": 100}, "100 are fewer than the 256 of a step on 4 ranks"),
    ],
)
def test_what_cannot_be_trained_is_refused_before_it_runs(ranks, changes, message):
    with pytest.raises(WorkloadError, match=message):
        WORKLOAD.check_ranks(WORKLOAD.resolve(changes), ranks)
    assert "\n" not in message


def test_a_rank_has_its_batch_or_its_part_of_it():
    assert DistributedParameters(batch_size=64).rows_of_rank(4) == 64
    assert DistributedParameters(batch_size=64, scaling="strong").rows_of_rank(4) == 16


def test_packages_are_those_of_the_framework():
    torch, tensorflow = (WORKLOAD.resolve({"framework": one}) for one in ("torch", "tensorflow"))
    assert WORKLOAD.packages(torch, 4) == ("keras", "torch")
    assert WORKLOAD.packages(tensorflow, 1) == ("keras", "tensorflow")
    assert WORKLOAD.packages(tensorflow, 2) == ("keras", "tensorflow", "horovod")
    assert WORKLOAD.packages(tensorflow | {"communication": "mpi"}, 2) == ("keras", "tensorflow", "mpi4py")


def test_data_that_do_not_fit_the_slot_are_refused():
    with pytest.raises(WorkloadError, match=r"needs about 0\.6 GiB of memory, and its slot has 0\.0 GiB"):
        WORKLOAD.check_memory(WORKLOAD.resolve({}), 2**22)


def test_bytes_of_this_process_are_counted_by_socket():
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as one,
    ):
        other, _ = server.accept()
        with other:
            before = socket_bytes.read()
            one.sendall(bytes(100_000))
            left = 100_000
            while left:
                left -= len(other.recv(left))
            other.sendall(bytes(7))
            one.recv(7, socket.MSG_WAITALL)
            found = socket_bytes.since(before)
    assert found == socket_bytes.Traffic(sent_bytes=100_007, received_bytes=100_007, connections=2)


def test_no_socket_is_no_measurement():
    assert socket_bytes.since({}) is None


def test_a_value_of_the_rendezvous_is_waited_for():
    rendezvous = Rendezvous(1, 1)
    rendezvous.start()
    try:
        store = RendezvousStore("127.0.0.1", rendezvous.port, 30, "/ours")
        key, value = "0//cpu//ä b?#/1", b"\x00address"
        later = threading.Timer(0.05, store.put, (key, value))
        later.start()
        assert store.get(key) == value
        later.join()
        with pytest.raises(RankLost, match="did not come to the rendezvous within 0 s"):
            RendezvousStore("127.0.0.1", rendezvous.port, 0, "/ours").get("never")
    finally:
        rendezvous.stop()


def test_an_error_of_gloo_says_what_happened_alone():
    error = "[/src/gloo/transport/tcp/pair.cc:537] Read error [127.0.0.1]:28057: Connection reset by peer"
    reason = "Read error [127.0.0.1]:28057: Connection reset by peer"
    assert library_reason(f"{error}. This is typically caused by a remote worker hanging.\nMore") == reason
    assert library_reason("Timed out waiting 3000ms for recv") == "Timed out waiting 3000ms for recv"
    assert library_reason("") == "no reason given"


def measured(traffic):
    return Measured(
        Trained(None, [0.1] * 8), [], [1.0, 2.0], [[0.1] * 8, [0.2] * 7 + [0.05]], [800, 400], traffic
    )


def test_a_step_takes_as_long_as_on_its_slowest_rank():
    found = {one.name: one.value for one in step_figures(measured([None, None]), rows=32, warm_up=5)}
    assert found["wallclock_seconds"] == 0.2
    assert found["wallclock_seconds_low"] == 0.1
    assert found["wallclock_seconds_reruns"] == 8
    assert found["wallclock_seconds_warmup_reruns"] == 5
    assert found["samples_per_second"] == 32 * 8 / 2.0


def test_bytes_are_means_over_the_ranks():
    traffic = [
        {"sent_bytes": 160, "received_bytes": 80, "connections": 1},
        {"sent_bytes": 80, "received_bytes": 160, "connections": 1},
    ]
    found = {one.name: one.value for one in byte_figures(measured(traffic), expected=12.0)}
    assert found["handed_bytes_per_step"] == 75
    assert found["expected_sent_bytes_per_step"] == 12
    assert (found["socket_sent_bytes"], found["socket_sent_bytes_highest"]) == (120, 160)
    assert found["socket_received_bytes_per_step"] == 15


def test_bytes_that_the_kernel_does_not_count_are_no_figure():
    names = {one.name for one in byte_figures(measured([None, None]), expected=12.0)}
    assert names == {"handed_bytes_per_step", "expected_sent_bytes_per_step"}


def test_staleness_has_its_mean_and_its_highest():
    found = {one.name: one.value for one in staleness_figures([(0, 0), (0, 1), (1, 0), (1, 3)], 2)}
    assert found == {"staleness_mean": 0.5, "staleness_highest": 2, "lead_highest": 2}


def test_a_distance_that_is_not_finite_is_no_figure():
    known = largest_distance(np.array([1.0, 2.0]), np.array([1.5, 0.0]))
    assert [one.value for one in distance_figures([known, 1.0])] == [2]
    unknown = largest_distance(np.array([np.inf]), np.array([np.inf]))
    assert distance_figures([known, unknown]) == ()


def need(framework):
    if importlib.util.find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed")


def trained(framework, scheme, ranks=2, **changes):
    need(framework)
    parameters = SMALL | {"framework": framework, "scheme": scheme} | changes
    reports = run_ranks("deep500_distributed", parameters, ranks)
    assert [one.code for one in reports] == [0] * ranks, reports[0].stderr + reports[1].stderr
    results = [next(line["result"] for line in one.lines if "result" in line) for one in reports]
    metrics = {one["name"]: one["value"] for one in results[0]["metrics"]}
    assert results[0]["accuracy"] == results[1]["accuracy"] > 0.8
    assert metrics["error_over_bound"] <= 1
    assert metrics["wallclock_seconds_reruns"] == 40
    unseen = SOCKETS if "communication" in changes else set()
    assert set(METRICS) - set(metrics) <= unseen | {
        "nonfinite_outputs", "staleness_mean", "staleness_highest", "lead_highest",
        "uncompressed_test_accuracy", "uncompressed_test_loss",
    }  # fmt: skip
    # The ranks exchange the vectors, and little beside them, over TCP on the loopback interface.
    expected = metrics["expected_sent_bytes_per_step"]
    assert expected == expected_bytes(scheme, VECTOR, ranks, 40, 4)
    if unseen:
        assert not unseen & set(metrics)
        return metrics
    assert metrics["socket_sent_bytes_per_step"] >= expected
    assert metrics["interface_sent_bytes_lo"] >= metrics["socket_sent_bytes"]
    return metrics


@pytest.mark.slow
def test_two_ranks_exchange_gradients_over_torch_distributed():
    metrics = trained("torch", "neighbour_exchange")
    assert metrics["distance_of_ranks"] > 0  # (own + 2 of the other) ÷ 3 differs from rank to rank
    assert metrics["handed_bytes_per_step"] == 2 * VECTOR


@pytest.mark.slow
@pytest.mark.parametrize(
    ("framework", "compression"), [("torch", "sparse_all_reduce"), ("tensorflow", "stochastic_rounding")]
)
def test_two_ranks_exchange_compressed_gradients(framework, compression):
    need(framework)
    changes = {"framework": framework, "compression": compression, "steps": 10}
    reports = run_ranks("deep500_distributed", SMALL | changes, 2)
    assert [one.code for one in reports] == [0, 0], reports[0].stderr + reports[1].stderr
    result = next(line["result"] for line in reports[0].lines if "result" in line)
    metrics = {one["name"]: one["value"] for one in result["metrics"]}
    assert metrics["error_over_bound"] <= 1
    assert metrics["distance_of_ranks"] == 0
    assert metrics["uncompressed_test_loss"] < 1.5  # 1.39 of a network that guesses
    if compression == "stochastic_rounding":
        assert metrics["handed_bytes_per_step"] == metrics["expected_sent_bytes_per_step"] == VECTOR / 4 + 4
    else:
        assert 0 < metrics["handed_bytes_per_step"] < VECTOR / 10


@pytest.mark.slow
def test_two_ranks_train_with_a_server_over_horovod():
    metrics = trained("tensorflow", "inconsistent_centralised")
    assert metrics["distance_of_ranks"] == 0
    assert metrics["lead_highest"] <= 3  # the bound of 2, and the update that then waits


@pytest.mark.slow
@pytest.mark.parametrize(
    ("framework", "scheme", "ranks"),
    [
        ("torch", "consistent_centralised", 2),
        ("tensorflow", "neighbour_exchange", 2),
        ("torch", "inconsistent_centralised", 3),
        ("tensorflow", "model_averaging", 2),
    ],
)
def test_ranks_train_over_mpi(framework, scheme, ranks):
    need_mpi()
    metrics = trained(framework, scheme, ranks, communication="mpi")
    # Equal vectors of three ranks have a mean that may differ from them in the last bit.
    assert (metrics["distance_of_ranks"] > 1e-6) == (scheme == "neighbour_exchange")


@pytest.mark.slow
def test_ranks_exchange_compressed_gradients_over_mpi():
    need_mpi()
    need("torch")
    changes = {"framework": "torch", "compression": "sparse_all_reduce", "steps": 10, "communication": "mpi"}
    reports = run_ranks("deep500_distributed", SMALL | changes, 3)
    assert [one.code for one in reports] == [0] * 3, reports[0].stderr + reports[1].stderr
    result = next(line["result"] for line in reports[0].lines if "result" in line)
    metrics = {one["name"]: one["value"] for one in result["metrics"]}
    assert metrics["error_over_bound"] <= 1
    assert metrics["distance_of_ranks"] < 1e-6


@pytest.mark.slow
def test_a_rank_that_hangs_and_dies_leaves_no_result_behind():
    need("torch")
    parameters = {**SMALL, "framework": "torch", "scheme": "consistent_centralised", "steps": 10**7}
    with started("deep500_distributed", parameters, 2) as ranks:
        ranks[1].wait_for("window_start")
        os.kill(ranks[1].pid, signal.SIGSTOP)
        assert ranks[0].runs()  # it waits
        ranks[1].kill()
        left, killed = (rank.finish() for rank in ranks)
    assert killed.code == -signal.SIGKILL
    assert left.code == 1
    assert [line["error"]["kind"] for line in left.lines if "error" in line] == ["rank lost"]
    assert not [line for line in left.lines if "result" in line]
