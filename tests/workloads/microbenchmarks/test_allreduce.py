from __future__ import annotations

import itertools

import pytest

from orchestrator.catalog.registry import describe
from tests.workloads.runtime.rank_processes import run_ranks
from workloads.description import WorkloadError
from workloads.microbenchmarks import allreduce
from workloads.microbenchmarks.allreduce import AllreduceParameters, bus_factor


def test_a_ring_moves_each_byte_almost_twice():
    assert [bus_factor(ranks) for ranks in (2, 4, 1000)] == pytest.approx([1, 1.5, 1.998])


def test_bandwidths_are_of_the_slowest_rank(monkeypatch):
    class Two:
        size = 2

        def broadcast_object(self, make):
            return make()

        def all_gather_object(self, make):
            return [make(), [0.5, 4.0]]

    times = iter([9.0, 1.0, 2.0])
    monkeypatch.setattr(allreduce, "_timed", lambda call: next(times))
    parameters = AllreduceParameters(tensor_bytes=80, seconds=0.0, repetitions=2, warm_up=1)
    seconds = allreduce._seconds(lambda: None, parameters, Two())
    assert seconds == [1.0, 4.0]
    metrics = {one.name: one.value for one in allreduce._metrics(80, 4, seconds)}
    assert metrics["algorithm_bytes_per_second"] == pytest.approx((80 + 20) / 2)
    assert metrics["bus_bytes_per_second_highest"] == pytest.approx(80 * 1.5)
    assert metrics["allreduce_seconds"] == 2.5
    assert metrics["repetitions"] == 2


def test_a_slow_first_call_does_not_shorten_the_measurement(monkeypatch):
    class Two:
        size = 2

        def broadcast_object(self, make):
            return make()

        def all_gather_object(self, make):
            return [make(), make()]

    times = itertools.chain([1.0], itertools.repeat(0.25))
    monkeypatch.setattr(allreduce, "_timed", lambda call: next(times))
    parameters = AllreduceParameters(tensor_bytes=80, seconds=2.0, repetitions=1, warm_up=1)
    assert sum(allreduce._seconds(lambda: None, parameters, Two())) == 2.0


@pytest.mark.parametrize(
    ("ranks", "changes", "message"),
    [
        (1, {}, "allreduce needs 2 ranks or more: write slot"),
        (2, {"tensor_bytes": 6}, "multiple of 4, the size of a float32, not 6"),
        (2, {"tensor_bytes": 7, "precision": "float16"}, "multiple of 2"),
        (
            2,
            {"precision": "bfloat16"},
            "horovod does not reduce bfloat16; choose float16, or communication: torch",
        ),
    ],
)
def test_what_cannot_be_reduced_is_refused_before_it_runs(ranks, changes, message):
    workload = describe("allreduce")
    with pytest.raises(WorkloadError, match=message):
        workload.check_ranks(workload.resolve(changes), ranks)


@pytest.mark.slow
def test_two_ranks_reduce():
    parameters = {"tensor_bytes": 4096, "seconds": 0.0, "repetitions": 4, "warm_up": 1}
    reports = run_ranks("allreduce", parameters, 2)
    assert [one.code for one in reports] == [0, 0], reports[0].stderr
    result = reports[0].last["result"]
    metrics = {one["name"]: one["value"] for one in result["metrics"]}
    assert metrics["ranks"] == 2
    assert metrics["repetitions"] == 4
    assert metrics["bus_bytes_per_second"] == pytest.approx(metrics["algorithm_bytes_per_second"])
    assert result["seen"]["horovod_gloo"] is True
