from __future__ import annotations

import errno
import mmap
import os

import pytest

from workloads.context import Context, Paths, SlotView
from workloads.description import DataError, WorkloadError
from workloads.microbenchmarks import read_bandwidth
from workloads.microbenchmarks.read_bandwidth import BYPASSED, DROPPED, ReadParameters, find_files

SMALL = {"seconds": 0.0, "repetitions": 3, "block_bytes": mmap.PAGESIZE}


def measured(**parameters):
    """Run with a scratch directory named by ``scratch``."""
    scratch = parameters.pop("scratch", None)
    context = Context(seed=1, slot=SlotView(cores=(0,)), paths=Paths(scratch=scratch))
    result = read_bandwidth.run(ReadParameters(**{**SMALL, **parameters}), context)
    return result, {one.name: one.value for one in result.metrics}


@pytest.mark.parametrize("page_cache", ["bypass", "drop"])
def test_a_file_of_its_own_is_written_read_and_removed(tmp_path, page_cache):
    result, metrics = measured(scratch=tmp_path / "new", file_bytes=10_001, page_cache=page_cache)
    assert metrics["bytes_per_pass"] == 10_001
    assert metrics["repetitions"] == 3
    assert metrics["bytes_per_second_lowest"] <= metrics["bytes_per_second"]
    assert result.observed["page_cache"] in ((DROPPED,) if page_cache == "drop" else (BYPASSED, DROPPED))
    assert result.data == {"synthetic": True}
    assert list((tmp_path / "new").iterdir()) == []


def test_a_file_system_without_direct_reads_drops_its_pages(tmp_path, monkeypatch):
    opened = os.open

    def refuse(path, flags, *more, **names):
        if flags & os.O_DIRECT:
            raise OSError(errno.EINVAL, "Invalid argument", str(path))
        return opened(path, flags, *more, **names)

    monkeypatch.setattr(os, "open", refuse)
    result, _ = measured(scratch=tmp_path, file_bytes=5000)
    assert result.observed["page_cache"] == DROPPED


def test_files_of_a_directory_are_read_until_they_have_enough(tmp_path):
    for name, size in {"b/2": 400, "a": 300, "b/1": 500, "empty": 0, "c/3": 10}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(bytes(size))
    assert [one.name for one in find_files(tmp_path, 10**6)] == ["a", "1", "2", "3"]
    assert [one.name for one in find_files(tmp_path, 800)] == ["a", "1"]
    result, metrics = measured(path=str(tmp_path), file_bytes=801)
    assert (metrics["files"], metrics["bytes_per_pass"]) == (3, 1200)
    assert result.data == {"synthetic": False}


def test_a_file_is_read_whole(tmp_path):
    (tmp_path / "ä file").write_bytes(bytes(3 * mmap.PAGESIZE + 5))
    assert measured(path=str(tmp_path / "ä file"), file_bytes=1)[1]["bytes_per_pass"] == 3 * mmap.PAGESIZE + 5


def test_nothing_to_read_is_an_error(tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    for path, message in ((tmp_path / "none", "no such file or directory"), (tmp_path, "no bytes to read")):
        with pytest.raises(DataError, match=message):
            measured(path=str(path))


def test_a_file_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DataError, match="read-bandwidth-0: No space left on device"):
        measured(scratch=tmp_path, file_bytes=5000)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_gets_shorter_is_an_error(tmp_path, monkeypatch):
    (tmp_path / "file").write_bytes(bytes(100))
    monkeypatch.setattr(os, "readv", lambda *_: 0)
    with pytest.raises(DataError, match="became shorter"):
        measured(path=str(tmp_path / "file"), page_cache="drop")


@pytest.mark.parametrize("pages", [2**38, 2**51 - 1])  # more than memory, more than an address
def test_a_block_larger_than_memory_is_refused(tmp_path, pages):
    with pytest.raises(WorkloadError, match=r"block_bytes is \d+, which this process cannot have in memory"):
        measured(scratch=tmp_path, file_bytes=5000, block_bytes=pages * mmap.PAGESIZE)
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_work_is_refused(tmp_path):
    with pytest.raises(WorkloadError, match="multiple of"):
        measured(scratch=tmp_path, block_bytes=mmap.PAGESIZE + 1)
    with pytest.raises(WorkloadError, match="no scratch directory to write a file to: give path"):
        measured()
