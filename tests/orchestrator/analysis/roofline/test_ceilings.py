from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.analysis.roofline.ceilings import BenchmarkRuns, Place, roofline

PLACE = Place(4, 1.0, "GPU X")
GPU = {"place": PLACE, "ranks": 1, "nodes": 1, "precision": "float32"}


def gemm(rate: float, name: str = "m/gemm", **changes: object) -> BenchmarkRuns:
    run = {"flop_per_second": rate, "flop_per_second_lowest": rate / 2, "flop_per_second_highest": rate * 2}
    return BenchmarkRuns(**{**GPU, "name": name, "workload": "gemm", "runs": [run], **changes})


def allreduce(rate: float, ranks: int = 2, **changes: object) -> BenchmarkRuns:
    run = {"bus_bytes_per_second": rate}
    return BenchmarkRuns(
        **{**GPU, "name": "m/a", "workload": "allreduce", "ranks": ranks, "runs": [run], **changes}
    )


def training(ranks: int = 1, **changes: object) -> BenchmarkRuns:
    """100 FLOP in each of 8 samples of 2 steps in 4 s: 200 FLOP/s in all."""
    run = {
        "samples_seen": 8.0, "training_flop_per_sample": 100.0, "training_seconds": 4.0,
        "optimizer_steps": 2.0, "communicated_bytes_per_step": 50.0,
    }  # fmt: skip
    given = {**GPU, "name": "f/net", "workload": "net", "ranks": ranks, "runs": [run], **changes}
    return BenchmarkRuns(**given)


def test_one_rank_stands_below_the_best_product_of_its_slot_and_arithmetic():
    [found] = roofline(
        [gemm(300.0), gemm(400.0, "m/large"), gemm(900.0, precision="bfloat16"), training()]
    ).trainings
    assert (found.flop_per_second, found.peak, found.attainable, found.bound) == (200, 400, 400, "compute")
    assert found.share_of_peak == found.share_of_attainable == 0.5
    assert found.intensity is None
    assert found.notes == ()


def test_a_convolution_may_be_the_peak():
    conv = dataclasses.replace(gemm(500.0, "m/conv"), workload="conv")
    assert roofline([gemm(400.0), conv, training()]).trainings[0].peak == 500


@pytest.mark.parametrize(
    ("bus", "attainable", "bound"), [(10.0, 40.0, "communication"), (1000.0, 400.0, "compute")]
)
def test_several_ranks_stand_below_their_all_reduce(bus, attainable, bound):
    """Each of two ranks computes 200 FLOP in a step and moves 50 bytes: 4 FLOP per byte."""
    [found] = roofline([gemm(400.0), allreduce(bus), allreduce(7.0, ranks=4), training(2)]).trainings
    assert found.flop_per_second == 100
    assert found.intensity == 4
    assert (found.attainable, found.bound) == (attainable, bound)
    assert found.share_of_attainable == 100 / attainable


def test_a_ring_of_many_ranks_moves_almost_twice_the_gradients():
    [found] = roofline([gemm(400.0), allreduce(1.0, 4), training(4)]).trainings
    assert found.intensity == pytest.approx(8 * 100 / 2 / 4 / (50 * 1.5))


@given(st.floats(1, 1e18), st.floats(1, 1e12), st.integers(2, 9999))
def test_nothing_attainable_is_above_a_ceiling(peak, bus, ranks):
    [found] = roofline([gemm(peak), allreduce(bus, ranks), training(ranks)]).trainings
    assert found.attainable is not None
    assert found.intensity is not None
    assert found.attainable <= peak
    assert found.attainable <= bus * found.intensity


def test_the_highest_of_a_kind_is_the_ceiling_and_its_runs_have_a_median():
    runs = [{"flop_per_second": rate} for rate in (1.0, 5.0, 3.0)]
    [found] = roofline([gemm(2.0), dataclasses.replace(gemm(0.0, "m/best"), runs=runs)]).ceilings
    assert (found.value, found.lowest, found.highest, found.runs) == (3, 1, 5, 3)
    assert found.measured_by == "m/best"


def test_the_memory_of_a_slot_with_gpus_is_theirs():
    def triad(name, memory, rate, place=PLACE):
        run = [{"bytes_per_second": rate}]
        return dataclasses.replace(
            gemm(0.0, name), workload="triad", memory=memory, runs=run, place=place, precision="float64"
        )

    cores = Place(4, 0.0, "CPU")
    found = roofline([triad("g", "gpu", 5.0), triad("h", "host", 9.0), triad("c", "host", 2.0, cores)])
    assert [(one.measured_by, one.precision) for one in found.ceilings] == [("g", ""), ("c", "")]
    assert found.trainings == ()


@pytest.mark.parametrize(
    ("others", "changes", "note"),
    [
        ([], {"runs": []}, "no accepted run"),
        ([], {"runs": [{"samples_seen": 4.0, "training_seconds": 0.0}]},
         "no run has training_flop_per_sample, training_seconds"),
        ([gemm(400.0, place=Place(8, 1.0, "GPU X"))], {},
         "no gemm or conv in float32 on 4 cores, 1 GPU, GPU X (elsewhere: 8 cores, 1 GPU, GPU X)"),
        ([gemm(400.0, place=Place(4, 1.0, "GPU Y"))], {},
         "no gemm or conv in float32 on 4 cores, 1 GPU, GPU X (elsewhere: 4 cores, 1 GPU, GPU Y)"),
        ([gemm(400.0)], {"precision": "mixed_bfloat16"},
         "no gemm or conv in bfloat16 on 4 cores, 1 GPU, GPU X (there: float32)"),
        ([gemm(400.0, runs=[])], {}, "no gemm or conv in float32 on 4 cores, 1 GPU, GPU X (none)"),
        ([gemm(100.0)], {}, "faster than m/gemm: other sizes or an idle node would raise that ceiling"),
        ([gemm(400.0), allreduce(9.0, 4)], {"ranks": 2},
         "no allreduce of 2 ranks on 1 node, each rank with 4 cores, 1 GPU, GPU X"),
        ([gemm(400.0), allreduce(9.0, nodes=1)], {"ranks": 2, "nodes": 2},
         "no allreduce of 2 ranks on 2 nodes, each rank with 4 cores, 1 GPU, GPU X"),
    ],
)  # fmt: skip
def test_what_is_missing_is_named(others, changes, note):
    [found] = roofline([*others, dataclasses.replace(training(), **changes)]).trainings
    assert found.notes == (note,)
    if "faster" not in note:
        assert found.attainable is None
        assert found.share_of_attainable is None


def test_what_cpus_counted_is_a_note_of_trainings_on_cpus():
    cpus = Place(4, 0.0, "CPU X")
    run = {**training().runs[0], "cpu_counted_flop": 1000.0}
    dram = {"cpu_dram_read_bytes": 300.0, "cpu_dram_written_bytes": 100.0}
    [found] = roofline([gemm(400.0, place=cpus), training(place=cpus, runs=[run])]).trainings
    assert found.notes == ("over whole runs the CPUs counted 1.25 times the FLOP of the graph",)
    [found] = roofline([gemm(400.0, place=cpus), training(place=cpus, runs=[run | dram])]).trainings
    assert found.notes[0].endswith("of the graph, 2.5 for each byte of the node's DRAM")
    assert roofline([gemm(400.0), training(runs=[run])]).trainings[0].notes == ()


def test_without_gradients_bytes_there_is_no_intensity():
    run = {"samples_seen": 8.0, "training_flop_per_sample": 100.0, "training_seconds": 4.0}
    found = roofline([gemm(400.0), allreduce(9.0), training(2, runs=[run])]).trainings[0]
    assert found.notes == ("no run has optimizer_steps, communicated_bytes_per_step",)
    assert (found.flop_per_second, found.share_of_peak, found.attainable) == (100, 0.25, None)


def test_mixed_precision_is_that_of_its_products():
    half = gemm(900.0, precision="float16")
    assert roofline([half, training(precision="mixed_float16")]).trainings[0].peak == 900


def test_what_other_processes_slowed_is_named():
    """Up to 5 percent is a quiet node, as for the rule about slots."""
    net = "other processes took up to 71 % of the time of the cores of this training, which is faster alone"
    peak = "other processes took up to 6 % of the time of the cores of m/gemm, which is faster alone"
    link = "other processes took up to 9 % of the time of the cores of m/a, which is faster alone"
    quiet = [gemm(400.0, foreign_cpu_percent=5), allreduce(10.0), training(2, foreign_cpu_percent=0)]
    assert roofline(quiet).trainings[0].notes == ()
    loud = [
        gemm(400.0, foreign_cpu_percent=6),
        allreduce(10.0, foreign_cpu_percent=9),
        training(2, foreign_cpu_percent=71),
    ]
    found = roofline(loud)
    assert found.trainings[0].notes == (net, peak, link)
    assert [one["foreign_cpu_percent"] for one in found.to_dict()["ceilings"]] == [6, 9]
