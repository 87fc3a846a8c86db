from __future__ import annotations

import errno
import multiprocessing
import os
import shutil
import signal

import numpy as np
import pytest

from tests.harness import wait_for
from workloads.context import DatasetCache
from workloads.data import staging
from workloads.data.cache import Parsed, load

NODE_PROCESSES = 12
MANY = np.arange(300_000, dtype=np.float32).reshape(300, 1000)
processes = multiprocessing.get_context("forkserver")
processes.set_forkserver_preload([__name__])


@pytest.fixture
def disk(tmp_path):
    """A node's own disk."""
    return tmp_path / "disk" / "stäge"


def get(store, source, disk, array=MANY):
    """Return the data set by way of a shared cache and a node's disk."""
    build = Parsed({"x": array, "y": np.arange(3)}, {"rows": len(array)})
    return load("cache", DatasetCache(store, disk), source, ("a.csv",), "f-1", lambda _reader: build)


def states(parsed):
    return parsed.facts["cache"], parsed.facts["cache_stage"]


def left(folder):
    return sorted(path.name.split("-")[0] for path in folder.iterdir() if path.suffix != ".lock")


def check(parsed):
    np.testing.assert_array_equal(parsed.arrays["x"], MANY)
    assert parsed.facts["rows"] == len(MANY)


def test_a_node_copies_once_and_then_reads_its_own_disk_alone(store, source, settled, disk):
    first = get(store, source, disk)
    assert states(first) == ("built", "copied")
    check(first)
    assert left(disk) == ["f"]
    [shared] = (path.parent for path in store.glob("f-1-*/x.npy"))
    shutil.rmtree(shared)
    again = get(store, source, disk)
    assert states(again) == ("hit", "hit")
    check(again)
    with pytest.raises(ValueError, match="read-only"):
        again.arrays["x"][0, 0] = 1


def test_each_node_has_its_own_copy(store, source, settled, disk):
    get(store, source, disk)
    other = disk.with_name("other")
    assert states(get(store, source, other)) == ("hit", "copied")
    assert left(other) == left(disk) == ["f"]


def test_a_stage_that_is_the_cache_holds_one_entry(store, source, settled):
    assert states(get(store, source, store)) == ("built", "hit")
    assert sum(path.is_dir() for path in store.iterdir()) == 1


def _instance(store, source, disk, results, barrier):
    barrier.wait()
    parsed = get(store, source, disk)
    results.put((states(parsed)[1], float(parsed.arrays["x"].sum(dtype=np.float64))))


def _start(function, *arguments):
    process = processes.Process(target=function, args=arguments, daemon=True)
    process.start()
    return process


def test_of_many_on_a_node_one_copies(store, source, disk):
    results, barrier = processes.Queue(), processes.Barrier(NODE_PROCESSES)
    started = [_start(_instance, store, source, disk, results, barrier) for _ in range(NODE_PROCESSES)]
    found = [results.get(timeout=120) for _ in started]
    for process in started:
        process.join()
    assert {value for _, value in found} == {float(MANY.sum(dtype=np.float64))}
    assert [state for state, _ in found].count("copied") == 1
    assert {state for state, _ in found} <= {"copied", "waited", "hit"}
    assert left(disk) == ["f"]


def _stuck(store, source, disk, fifo):
    def copy(_source, target):
        target.write_bytes(b"half")
        fifo.open()  # until the process is killed, as no other opens it
        raise AssertionError

    staging.shutil.copyfile = copy
    get(store, source, disk)


def test_a_killed_copier_is_followed_by_one_that_waits(store, source, disk, tmp_path):
    fifo, results = tmp_path / "fifo", processes.Queue()
    os.mkfifo(fifo)
    copier = _start(_stuck, store, source, disk, fifo)
    wait_for(lambda: list(disk.glob(".copying-*/*.npy")), "the copier")
    barrier = processes.Barrier(2)
    waiting = [_start(_instance, store, source, disk, results, barrier) for _ in range(2)]
    wait_for(lambda: barrier.broken or barrier.n_waiting == 0, "both to have started")
    os.kill(copier.pid, signal.SIGKILL)
    copier.join()
    found = sorted(results.get(timeout=60)[0] for _ in waiting)
    assert found in (["copied", "waited"], ["copied", "hit"])
    for process in waiting:
        process.join()
    assert left(disk) == ["f"]


def spoil(monkeypatch, copies):
    """Change a byte of the first copies of the large array."""
    real, made = shutil.copyfile, []

    def copyfile(source, target):
        real(source, target)
        if target.name == "x.npy" and len(made) < copies:
            made.append(target)
            with target.open("r+b") as file:
                file.seek(-1, os.SEEK_END)
                byte = file.read(1)
                file.seek(-1, os.SEEK_END)
                file.write(bytes([byte[0] ^ 1]))

    monkeypatch.setattr(staging.shutil, "copyfile", copyfile)


def test_a_copy_with_a_wrong_hash_is_made_again(store, source, disk, monkeypatch):
    spoil(monkeypatch, 1)
    parsed = get(store, source, disk)
    assert states(parsed)[1] == "copied again, as the first copy had a wrong hash"
    check(parsed)
    assert states(get(store, source, disk))[1] == "hit"


def test_copies_that_are_never_right_are_not_used(store, source, disk, monkeypatch):
    spoil(monkeypatch, 9)
    parsed = get(store, source, disk)
    assert states(parsed)[1] == "not used: 2 copies had a wrong hash"
    check(parsed)
    assert left(disk) == []


def test_a_damaged_copy_is_replaced(store, source, settled, disk):
    get(store, source, disk)
    [copy] = (path.parent for path in disk.glob("f-1-*/x.npy"))
    (copy / "x.npy").chmod(0o644)
    os.truncate(copy / "x.npy", 100)
    parsed = get(store, source, disk)
    assert states(parsed) == ("hit", "copied")
    check(parsed)
    assert left(disk) == ["f"]


def test_on_a_full_disk_the_shared_entry_is_used(store, source, small_disk):
    parsed = get(store, source, small_disk)
    assert states(parsed)[1] == "not used: No space left on device"
    check(parsed)
    assert left(small_disk) == []
    assert states(get(store, source, small_disk))[1] == "not used: No space left on device"


def test_a_disk_that_fills_while_it_is_copied_to_leaves_nothing(store, source, disk, monkeypatch):
    def full(_source, target):
        target.write_bytes(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(staging.shutil, "copyfile", full)
    parsed = get(store, source, disk)
    assert states(parsed)[1] == "not used: No space left on device"
    check(parsed)
    assert left(disk) == []


def test_a_variable_without_a_value_makes_no_folder_of_its_name(store, source, tmp_path):
    parsed = get(store, source, tmp_path / "$UNSET" / "cache")
    assert states(parsed)[1] == f"not used: the node sets no value of a variable in {tmp_path}/$UNSET/cache"
    assert not (tmp_path / "$UNSET").exists()
    check(parsed)


@pytest.mark.parametrize("deeper", [False, True])
def test_a_stage_that_cannot_be_made_is_named(store, source, disk, deeper):
    disk.parent.mkdir()
    disk.write_text("")
    parsed = get(store, source, disk / "x" if deeper else disk)
    assert states(parsed)[1] == ("not used: Not a directory" if deeper else "not used: File exists")
    check(parsed)
