from __future__ import annotations

import os
import signal
import subprocess
import sys

import numpy as np
import psutil
import pytest

from tests.harness import wait_for
from tests.workloads.orders import send
from workloads.context import Context, SlotView
from workloads.description import WorkloadError
from workloads.microbenchmarks import triad, triad_processes
from workloads.microbenchmarks.triad import WORKLOAD, TriadParameters

SMALL = {"array_bytes": 2**20, "seconds": 0.0, "repetitions": 4}


def test_a_run_counts_three_arrays_for_each_repetition():
    report = send("triad", SMALL, cores=sorted(os.sched_getaffinity(0)))
    assert report.code == 0, report.stderr
    result = report.last["result"]
    metrics = {one["name"]: one["value"] for one in result["metrics"]}
    assert metrics["repetitions"] == 4
    assert 0 < metrics["bytes_per_second_lowest"] <= metrics["bytes_per_second"]
    assert metrics["array_bytes"] == pytest.approx(2**20, rel=0.01)
    assert result["seen"]["processes"] == len(os.sched_getaffinity(0))
    assert result["seen"]["memory"] == "host"
    assert result["seen"]["precision"] == "float64"


def test_time_is_from_the_first_begin_to_the_last_end(monkeypatch):
    monkeypatch.setattr(triad_processes, "_answers", lambda children: [[(1, 4), (10, 20)], [(2, 6), (9, 19)]])
    assert triad_processes._batch([], 2) == pytest.approx([5e-9, 11e-9])


def test_repetitions_fill_the_time(monkeypatch):
    asked = []

    def batch(children, repetitions):
        asked.append(repetitions)
        clock[0] += 0.5 * repetitions
        return [0.5] * repetitions

    clock = [0.0]
    monkeypatch.setattr(triad_processes, "_batch", batch)
    monkeypatch.setattr(triad_processes.time, "monotonic", lambda: clock[0])
    assert len(triad_processes._measure([], 5.0, 3, 2)) == 11
    assert asked == [2, 3, 8]


@pytest.mark.parametrize(
    ("broken", "error", "message"),
    [
        (lambda a, *_: None, ArithmeticError, "wrong on logical CPU"),
        (lambda *_: os.kill(os.getpid(), signal.SIGKILL), RuntimeError, r"exit code -9.*smaller array_bytes"),
    ],
)
def test_a_process_that_fails_ends_the_run(run, monkeypatch, broken, error, message):
    monkeypatch.setattr(triad_processes, "_triad", broken)
    with pytest.raises(error, match=message):
        run("triad", SMALL)


def test_no_process_outlives_a_killed_run():
    ended = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "from workloads.microbenchmarks.triad_processes import run_processes\n"
            "with run_processes([None, None], 1000, 3.0) as run: print(1, flush=True); run(1e3, 1, 1)",
        ],
        stdout=subprocess.PIPE,
    )
    assert ended.stdout.read(1) == b"1"
    children = psutil.Process(ended.pid).children()
    assert len(children) == 2
    ended.kill()
    ended.communicate()
    wait_for(lambda: not any(runs(child) for child in children), "the processes to end")


def runs(process):
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_arrays_that_cannot_be_allocated_are_a_lack_of_memory(run):
    with pytest.raises(MemoryError):
        run("triad", SMALL | {"array_bytes": 2**56})


@pytest.mark.parametrize("elements", [1, 7, 16])
def test_blocks_cover_every_element(elements):
    a, b, c = np.zeros(elements), np.arange(elements, dtype=float), np.ones(elements)
    triad_processes._triad(a, b, c, 3.0, np.empty(min(4, elements)))
    assert a.tolist() == (b + 3 * c).tolist()


@pytest.mark.usefixtures("tensorflow_on_one_thread")
def test_the_compiled_triad_is_the_triad():
    import tensorflow as tf

    b, c = tf.range(5, dtype=tf.float64), tf.ones(5, tf.float64)
    assert triad.compiled_triad()(b, c, tf.constant(3.0, tf.float64)).numpy().tolist() == [3, 4, 5, 6, 7]


def _cache(root, core, index, level, size, shared):
    folder = root / f"cpu{core}/cache/index{index}"
    folder.mkdir(parents=True)
    for name, text in {"level": level, "size": size, "shared_cpu_list": shared}.items():
        (folder / name).write_text(f"{text}\n")


def test_a_cache_that_cores_share_counts_once(tmp_path):
    for core in range(4):
        _cache(tmp_path, core, 0, 1, "32K", str(core))
        _cache(tmp_path, core, 3, 3, "16384K", "0-1" if core < 2 else "2-3")
    assert triad.last_level_cache_bytes([0, 1], tmp_path) == 2**24
    assert triad.last_level_cache_bytes([0, 2, 3], tmp_path) == 2**25
    assert triad.last_level_cache_bytes([7], tmp_path) == 0
    _cache(tmp_path, 8, 0, 3, "unknown", "8")
    assert triad.last_level_cache_bytes([8], tmp_path) == 0


def test_arrays_fit_the_slots_memory():
    assert triad._fitting(100, None, chosen=True) == 100
    assert triad._fitting(100, 600, chosen=False) == 100
    assert triad._fitting(100, 300, chosen=True) == 50
    with pytest.raises(
        WorkloadError, match="half of the slot's memory, 300 bytes: write a smaller array_bytes"
    ):
        triad._fitting(100, 300, chosen=False)


def test_a_gpus_memory_needs_a_gpu():
    with pytest.raises(WorkloadError, match="device is gpu, and the slot has none"):
        triad.run(TriadParameters(device="gpu"), Context(seed=1, slot=SlotView(cores=(0,))))
    assert WORKLOAD.packages(WORKLOAD.resolve({"device": "gpu"}), 1) == ("numpy", "keras", "tensorflow")
    assert WORKLOAD.packages(WORKLOAD.resolve({}), 1) == ("numpy",)
