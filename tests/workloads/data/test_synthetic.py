from __future__ import annotations

import json
import shutil
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workloads.data.synthetic import (
    MARKER,
    atomic_write,
    decimal_writer,
    holds_mark,
    is_synthetic,
    writing_synthetic,
)
from workloads.description import DataError
from workloads.external import _data
from workloads.modules import load, workload


def test_a_set_is_synthetic_once_it_is_whole(tmp_path):
    with writing_synthetic(tmp_path / "set", ["a.csv"], {"seed": 3}):
        (tmp_path / "set" / "a.csv").write_text("1\n")
        with pytest.raises(DataError, match="interrupted; make the data again"):
            is_synthetic(tmp_path / "set")
    assert is_synthetic(tmp_path / "set")
    assert json.loads((tmp_path / "set" / MARKER).read_text()) == {"seed": 3, "complete": True}


def test_an_interrupted_making_is_never_taken_for_real_data(tmp_path):
    with pytest.raises(KeyboardInterrupt), writing_synthetic(tmp_path, ["a.csv"], {}):
        (tmp_path / "a.csv").write_text("1\n")
        raise KeyboardInterrupt
    with pytest.raises(DataError, match="interrupted"):
        is_synthetic(tmp_path)


def test_a_making_that_fails_before_the_first_file_leaves_nothing(tmp_path):
    with pytest.raises(KeyboardInterrupt), writing_synthetic(tmp_path / "new" / "set", ["a.csv"], {}):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("error", [MemoryError("no room"), ValueError("no room"), OverflowError("no room")])
def test_sizes_that_no_memory_holds_are_refused(tmp_path, error):
    with (
        pytest.raises(DataError, match=r"data of these sizes cannot be made \(no room\); name smaller sizes"),
        writing_synthetic(tmp_path / "set", ["a.csv"], {}),
    ):
        raise error
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("size", [10**21, 10**400])
def test_sizes_that_no_disk_holds_are_refused_before_anything_is_made(tmp_path, size):
    with (
        pytest.raises(
            DataError, match=r"take more than 1,000,000,000 GB, and .* GB are free there; name smaller"
        ),
        writing_synthetic(tmp_path / "new" / "set", ["a.csv"], {}, size),
    ):
        pytest.fail("the making began")
    assert list(tmp_path.iterdir()) == []


def test_a_small_amount_that_is_not_free_is_said_in_figures(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1_000_000))
    with (
        pytest.raises(DataError, match=r"take at least 0\.002 GB, and 0\.001 GB are free there"),
        writing_synthetic(tmp_path / "set", ["a.csv"], {}, 2_000_000),
    ):
        pytest.fail("the making began")


def test_data_without_a_marker_are_real_and_never_overwritten(tmp_path):
    (tmp_path / "a.csv").write_text("real\n")
    assert not is_synthetic(tmp_path)
    with pytest.raises(DataError, match="may be real data"), writing_synthetic(tmp_path, ["a.csv"], {}):
        pytest.fail("the making began")
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


@pytest.mark.parametrize("text", ["", "[]", "{}", "{"])
def test_a_broken_marker_is_an_error(tmp_path, text):
    (tmp_path / MARKER).write_text(text)
    with pytest.raises(DataError, match="make the data again"):
        is_synthetic(tmp_path)


def test_a_file_takes_its_place_only_when_whole(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("old")
    with pytest.raises(OSError, match="full"), atomic_write(path) as file:
        file.write("new")
        raise OSError("disk full")
    assert path.read_text() == "old"
    with atomic_write(path) as file:
        file.write("new")
    assert path.read_text() == "new"
    assert [p.name for p in tmp_path.iterdir()] == ["a.csv"]


@given(st.lists(st.floats(-63, 63), min_size=1, max_size=20))
def test_numbers_keep_three_decimals_or_four_digits(values):
    read = np.array([float(text) for text in decimal_writer()(np.array(values)).split(",")])
    assert np.all(np.abs(read - values) <= np.where(np.abs(values) < 10, 0.00051, 0.0056))


IMAGES = {"train_images": 8, "validation_images": 4, "classes": 2, "image_edge": 40, "images_per_shard": 4}
P1B3 = {"cell_lines": 3, "drugs": 5, "genes": 9000, "descriptors": 20, "test_drugs": 1}
MADE = [
    ("p1b1", {"train_rows": 40, "test_rows": 40, "features": 9000}),
    ("p1b2", {"train_rows": 40, "test_rows": 40, "features": 9000}),
    ("p1b3", P1B3),
    ("nt3", {"train_rows": 40, "test_rows": 40, "features": 9000}),
    ("p3b1", {"features": 20}),
    ("resnet50", {"layout": "folders", **IMAGES}),
    ("resnet50", {"layout": "tfrecords", **IMAGES}),
]


@pytest.mark.parametrize(("name", "sizes"), MADE)
def test_a_copy_without_the_marker_is_known_by_its_content(tmp_path, name, sizes):
    """An external command reads files of its own; no loader of ours sees them."""
    data = workload(name).data
    load(data.maker)(tmp_path / "made", seed=1, **data.resolve_sizes(sizes))
    shutil.copytree(tmp_path / "made", tmp_path / "copy", ignore=shutil.ignore_patterns(MARKER))
    assert not is_synthetic(tmp_path / "copy")
    assert holds_mark(tmp_path / "copy")
    assert _data(tmp_path / "copy", tmp_path, {}) == {"synthetic": True}


def test_each_table_of_p1b3_that_names_cell_lines_is_known_alone(tmp_path):
    data = workload("p1b3").data
    load(data.maker)(tmp_path / "made", seed=1, **data.resolve_sizes(P1B3))
    for name in ("P1B3_dose_response.csv", "P1B3_cellline_expressions.tsv"):
        (tmp_path / name).mkdir()
        shutil.copy(tmp_path / "made" / name, tmp_path / name / name)
        assert _data(tmp_path / name, tmp_path, {}) == {"synthetic": True}


def test_files_without_a_mark_hold_none(tmp_path):
    (tmp_path / "below").mkdir()
    (tmp_path / "a.csv").write_text("case_id,x\nTCGA-1,0.1\nNOTSYNTHETIC,2\n")
    (tmp_path / "below" / "b.bin").write_bytes(bytes(range(256)) * 300)
    (tmp_path / "below" / "again").symlink_to(tmp_path)
    assert not holds_mark(tmp_path)
    assert not holds_mark(tmp_path / "gone")
