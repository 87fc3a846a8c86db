from __future__ import annotations

import errno
import fcntl
import multiprocessing
import os
import shutil
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.harness import wait_for
from workloads.data import cache as module
from workloads.data.cache import Parsed, load, through_cache
from workloads.data.synthetic import MARKER
from workloads.description import DataError

STARTERS = 64
MANY = np.arange(300_000, dtype=np.float32).reshape(300, 1000)
processes = multiprocessing.get_context("forkserver")
processes.set_forkserver_preload([__name__])  # so that none of them imports anything


def build(value=1.0):
    return Parsed({"x": np.full((3, 4), value, np.float32), "y": np.arange(3)}, {"rows": 3, "value": value})


def never():
    pytest.fail("built although it was there")


def get(store, source, builder=build, layout_name="f-1"):
    return through_cache(store, source, ("a.csv",), layout_name, builder)


def left(store):
    entries = store.iterdir() if store.exists() else ()
    return sorted(path.name.split("-")[0] for path in entries if path.suffix != ".key")


def test_the_first_builds_and_the_next_maps_the_same(store, source):
    built, state = get(store, source)
    assert state == "built"
    again, state = get(store, source, never)
    assert state == "hit"
    assert again.facts == built.facts == {"rows": 3, "value": 1.0}
    for parsed in (built, again):
        assert parsed.arrays.keys() == {"x", "y"}
        for name, array in build().arrays.items():
            mapped = parsed.arrays[name]
            assert type(mapped) is np.ndarray
            assert mapped.dtype == array.dtype
            np.testing.assert_array_equal(mapped, array)
            assert isinstance(mapped.base, np.memmap)
            with pytest.raises(ValueError, match="read-only"):
                mapped[0] = 1


def test_a_hit_reads_no_source(store, source, settled, monkeypatch):
    get(store, source)
    monkeypatch.setattr(module.hashlib, "file_digest", lambda *_: pytest.fail("hashed"))
    assert get(store, source, never)[1] == "hit"


def test_files_that_changed_a_moment_ago_are_always_hashed(store, source, monkeypatch):
    get(store, source)
    asked = []
    real = module.hashlib.file_digest
    monkeypatch.setattr(module.hashlib, "file_digest", lambda *a: asked.append(a) or real(*a))
    assert get(store, source, never)[1] == "hit"
    assert asked


def test_a_change_of_same_size_and_restored_time_is_noticed(store, source, settled):
    path = source / "a.csv"
    before = path.stat()
    get(store, source)

    def changed():
        path.write_text("1,3\n")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        return path.stat().st_ctime_ns != before.st_ctime_ns

    wait_for(changed, "another tick of the file system's clock")
    after = path.stat()
    assert (after.st_size, after.st_mtime_ns, after.st_ino) == (
        before.st_size,
        before.st_mtime_ns,
        before.st_ino,
    )
    parsed, state = get(store, source, lambda: build(2.0))
    assert (state, parsed.facts["value"]) == ("built", 2.0)
    path.write_text("1,2\n")
    parsed, state = get(store, source, never)
    assert (state, parsed.facts["value"]) == ("hit", 1.0)


def test_a_copy_of_the_files_elsewhere_finds_the_entry(store, source, tmp_path):
    get(store, source)
    assert get(store, shutil.copytree(source, tmp_path / "copy"), never)[1] == "hit"


@pytest.mark.parametrize("settle", [True, False])
def test_the_marker_of_made_data_and_the_form_make_other_entries(store, source, settle, request):
    if settle:
        request.getfixturevalue("settled")
    assert get(store, source)[1] == "built"
    assert get(store, source, layout_name="f-2")[1] == "built"
    (source / MARKER).write_text("{}")
    assert get(store, source)[1] == "built"
    (source / MARKER).unlink()
    assert get(store, source, never)[1] == "hit"
    assert left(store) == ["f", "f", "f"]


def _start(function, *arguments):
    process = processes.Process(target=function, args=arguments, daemon=True)
    process.start()
    return process


def _starter(store, source, log, results, barrier):
    def builder():
        with log.open("a") as file:
            file.write("built\n")
        wait_for(lambda: barrier.n_waiting == 0, "all to have started")
        return Parsed({"x": MANY}, {})

    barrier.wait()
    parsed, state = through_cache(store, source, ("a.csv",), "f-1", builder)
    results.put((state, float(parsed.arrays["x"].sum(dtype=np.float64))))


def test_of_many_that_start_at_once_one_builds(store, source, tmp_path):
    log, results, barrier = tmp_path / "log", processes.Queue(), processes.Barrier(STARTERS)
    started = [_start(_starter, store, source, log, results, barrier) for _ in range(STARTERS)]
    found = [results.get(timeout=300) for _ in started]
    for process in started:
        process.join()
    assert {value for _, value in found} == {float(MANY.sum(dtype=np.float64))}
    states = [state for state, _ in found]
    assert states.count("built") == 1
    assert set(states) <= {"built", "waited", "hit"}
    assert log.read_text() == "built\n"
    assert left(store) == ["f"]


def _stuck(store, source, fifo):
    def builder():
        [folder] = store.glob(".building-*")
        (folder / "half.npy").write_bytes(b"half")
        fifo.open()  # until someone writes, which nobody does
        raise AssertionError

    get(store, source, builder)


def _waiter(store, source, results):
    results.put(get(store, source)[1])


def _waits_for_a_lock(process):
    locks = Path("/proc/locks").read_text().splitlines()
    return any("->" in line and str(process.pid) in line.split() for line in locks)


def test_when_the_builder_is_killed_one_that_waits_takes_over(store, source, tmp_path):
    fifo, results = tmp_path / "fifo", processes.Queue()
    os.mkfifo(fifo)
    builder = _start(_stuck, store, source, fifo)
    wait_for(lambda: list(store.glob(".building-*/half.npy")), "the builder")
    waiting = [_start(_waiter, store, source, results) for _ in range(3)]
    wait_for(lambda: all(map(_waits_for_a_lock, waiting)), "the others to wait")
    os.kill(builder.pid, signal.SIGKILL)
    assert sorted(results.get(timeout=300) for _ in waiting) == ["built", "waited", "waited"]
    builder.join()
    assert builder.exitcode == -signal.SIGKILL
    assert left(store) == ["f"]


def _cut(entry):
    os.truncate(entry / "x.npy", 100)


def _zero(entry):
    with (entry / "x.npy").open("r+b") as file:
        file.seek(128)
        file.write(bytes(16))


def _mix_up(entry):
    (entry / "x.npy").replace(entry / "y.npy")


def _lose(entry):
    (entry / "y.npy").unlink()


def _lose_manifest(entry):
    (entry / "entry.json").unlink()


def _break_manifest(entry):
    (entry / "entry.json").write_text('{"arrays": []}')


@pytest.mark.parametrize("damage", [_cut, _zero, _mix_up, _lose, _lose_manifest, _break_manifest])
def test_a_damaged_entry_is_built_again(store, source, settled, damage):
    get(store, source)
    [entry] = store.glob("f-1-*")
    for path in entry.iterdir():
        path.chmod(0o644)
    damage(entry)
    parsed, state = get(store, source, lambda: build(2.0))
    assert (state, parsed.facts["value"], parsed.arrays["x"].max()) == ("built", 2.0, 2.0)
    assert get(store, source, never)[1] == "hit"
    assert left(store) == ["f"]


def test_a_key_that_was_cut_is_written_again(store, source, settled):
    get(store, source)
    [key] = store.glob("*.key")
    name = key.read_text()
    for text in ("", name[:-1], "../" + name, "\0"):
        key.write_text(text)
        assert get(store, source, never)[1] == "hit"
        assert key.read_text() == name


def test_a_full_disk_is_named_and_leaves_nothing_half_made(small_disk, source):
    with pytest.raises(DataError) as caught:
        get(small_disk, source, lambda: Parsed({"x": MANY}, {}))
    assert str(caught.value) == (
        f"{small_disk}: the dataset cache cannot be written: No space left on device; "
        "make room, or name another folder as the site's paths.cache"
    )
    assert left(small_disk) == []
    assert get(small_disk, source)[1] == "built"


def test_a_disk_that_fills_at_the_last_moment_leaves_nothing_half_made(store, source, monkeypatch):
    def full(_descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(module.os, "fsync", full)
        with pytest.raises(DataError, match="cannot be written: No space left on device"):
            get(store, source)
    assert left(store) == []
    assert get(store, source)[1] == "built"


def test_a_cache_that_cannot_be_written_serves_what_it_holds(small_disk, source, settled, monkeypatch):
    get(small_disk, source)
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    assert get(small_disk, source, never)[1] == "hit"
    monkeypatch.setattr(module, "_SETTLED_NS", 10**18)
    (source / "a.csv").touch()
    assert get(small_disk, source, never)[1] == "hit"
    with pytest.raises(DataError, match=rf"{small_disk}: .* Read-only file system"):
        get(small_disk, source, layout_name="f-2")


def test_a_cache_path_that_is_a_file_is_named(store, source):
    store.parent.mkdir()
    store.write_text("")
    with pytest.raises(DataError, match=rf"{store}: the dataset cache cannot be written: "):
        get(store, source)


def test_without_locks_a_second_build_is_harmless(store, source, monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)

    def slow():
        assert get(store, source, lambda: build(2.0))[1] == "built"  # another one, begun later
        return build(1.0)

    parsed, state = get(store, source, slow)
    assert state == "built"
    assert parsed.facts["value"] == parsed.arrays["x"].max() == 2.0  # all use the one that was first
    assert left(store) == ["f"]


def test_leftovers_of_other_hosts_are_removed_after_a_day(store, source):
    store.mkdir(parents=True)
    old, young = store / ".building-1-elsewhere-1", store / ".building-2-elsewhere-1"
    for folder in (old, young):
        folder.mkdir()
        (folder / "x.npy").write_bytes(b"half")
    os.utime(old, (0, 0))
    get(store, source)
    assert not old.exists()
    assert young.exists()


def test_a_source_that_changes_while_it_is_read_makes_no_entry(store, source):
    def changing():
        (source / "a.csv").write_text("9,9\n")
        return build()

    with pytest.raises(DataError, match=rf"{source}: a file changed while it was read"):
        get(store, source, changing)
    assert left(store) == []


def test_what_the_reader_finds_wrong_is_passed_on_and_leaves_nothing(store, source):
    (source / "a.csv").unlink()

    def missing():
        raise DataError("a.csv: no such file")

    with pytest.raises(DataError, match="no such file"):
        get(store, source, missing)
    assert left(store) == []


def test_a_source_that_cannot_be_read_is_named(store, source):
    (source / "a.csv").unlink()
    (source / "a.csv").mkdir()
    with pytest.raises(DataError, match=rf"{source}/a.csv: cannot be read: Is a directory"):
        get(store, source)


def test_loaders_say_what_they_did(store, source):
    asked = []

    def read(reader):
        asked.append(reader)
        return build()

    def facts(loader):
        return load(loader, store, source, ("a.csv",), "f-1", read).facts

    assert facts("pandas") == {"rows": 3, "value": 1.0, "loader": "pandas"}
    assert facts("cache") == {"rows": 3, "value": 1.0, "loader": "cache", "cache": "built"}
    assert facts("cache")["cache"] == "hit"
    assert asked == ["pandas", "numpy"]
    with pytest.raises(DataError, match="loader is cache, but there is no dataset cache"):
        load("cache", None, source, ("a.csv",), "f-1", read)
