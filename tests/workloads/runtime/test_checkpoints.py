from __future__ import annotations

import errno
import gc
import os
import resource
import stat

import numpy as np
import pytest

from workloads.runtime.checkpoints import Checkpoint, Checkpoints

ARRAYS = [np.arange(600, dtype=np.float32).reshape(20, 30), np.zeros(3, np.float32)]
SHAPES = [(20, 30), (3,)]


def write(directory, *epochs, **identity):
    checkpoints = Checkpoints(directory, identity)
    for epoch in epochs:
        checkpoints.write(Checkpoint(epoch, [ARRAYS[0] + epoch, ARRAYS[1]], {"top_1": 0.5 * epoch}))
    return checkpoints


def test_the_last_one_comes_back_and_two_are_kept(tmp_path):
    checkpoints = write(tmp_path / "new" / "folder", 1, 2, 9, 10)
    found = checkpoints.read(SHAPES)
    assert (found.epoch, found.facts) == (10, {"top_1": 5.0})
    assert np.array_equal(found.arrays[0], ARRAYS[0] + 10)
    assert sorted(path.name for path in (tmp_path / "new" / "folder").iterdir()) == [
        "checkpoint-000009.npz", "checkpoint-000010.npz",
    ]  # fmt: skip
    assert checkpoints.written == 4


@pytest.mark.parametrize("damage", ["cut", "flip", "empty", "noise"])
def test_a_broken_one_is_passed_over_and_said_so(tmp_path, capsys, damage):
    checkpoints = write(tmp_path, 4, 5)
    path = tmp_path / "checkpoint-000005.npz"
    whole = bytearray(path.read_bytes())
    if damage == "cut":
        whole = whole[: len(whole) // 2]
    elif damage == "flip":
        whole[len(whole) // 2] ^= 1
    else:
        whole = b"" if damage == "empty" else b"no checkpoint"
    path.write_bytes(whole)
    assert checkpoints.read(SHAPES).epoch == 4
    assert capsys.readouterr().err.startswith(f"checkpoint {path} is passed over: ")


def test_one_of_another_training_or_another_model_is_not_taken(tmp_path, capsys):
    write(tmp_path, 1, seed=1)
    assert Checkpoints(tmp_path, {"seed": 2}).read(SHAPES) is None
    assert "of a training with other parameters, seed, ranks or data" in capsys.readouterr().err
    assert Checkpoints(tmp_path, {"seed": 1}).read([(20, 30), (4,)]) is None
    assert "other shapes than the model" in capsys.readouterr().err
    assert Checkpoints(tmp_path, {"seed": 1}).read(SHAPES) is not None


@pytest.mark.parametrize("room", [4096, 200_000, 300_000])
def test_a_full_disk_costs_no_earlier_checkpoint_and_a_line(tmp_path, capsys, room):
    """A limit to the size of files fails like a full disk: in the middle of a write."""
    checkpoints = write(tmp_path, 1)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    try:
        checkpoints.write(Checkpoint(2, [np.ones((100, 1000), np.float32)] * 2, {}))
        gc.collect()  # nothing of it writes again
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    path = tmp_path / "checkpoint-000002.npz"
    assert capsys.readouterr().err == f"checkpoint {path} not written: [Errno {errno.EFBIG}] File too large\n"
    assert [one.name for one in tmp_path.iterdir()] == ["checkpoint-000001.npz"]
    assert (checkpoints.read(SHAPES).epoch, checkpoints.written) == (1, 1)


def test_none_is_there_at_first(tmp_path):
    assert Checkpoints(tmp_path / "nothing", {}).read(SHAPES) is None


def test_what_cannot_be_written_stops_nothing(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert write(tmp_path / "file", 1).written == 0
    assert "not written" in capsys.readouterr().err


def test_a_write_that_was_cut_off_leaves_no_checkpoint(tmp_path):
    (tmp_path / "checkpoint-000007.partial").write_bytes(b"half")
    assert write(tmp_path, 6).read(SHAPES).epoch == 6


def test_a_file_system_that_cannot_flush_a_folder_keeps_two_all_the_same(tmp_path, monkeypatch, capsys):
    fsync = os.fsync

    def refuse(descriptor):
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "Invalid argument")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", refuse)
    assert write(tmp_path, 1, 2, 3).written == 3
    assert len(list(tmp_path.iterdir())) == 2
    assert capsys.readouterr().err == ""


def test_a_training_goes_on_from_a_shorter_one_with_another_seed(tmp_path, capsys):
    write(tmp_path / "short", 1, 2, seed=1, width=8)
    longer = Checkpoints(tmp_path / "long", {"seed": 2, "width": 8}, tmp_path / "short")
    assert longer.read(SHAPES).epoch == 2
    longer.write(Checkpoint(3, ARRAYS, {}))
    assert longer.read(SHAPES).epoch == 3  # its own comes first
    assert Checkpoints(tmp_path / "none", {"seed": 2, "width": 9}, tmp_path / "short").read(SHAPES) is None
    assert "other parameters" in capsys.readouterr().err
