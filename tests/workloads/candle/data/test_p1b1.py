from __future__ import annotations

import json

import numpy as np
import pytest

from workloads.candle.data import p1b1 as p1b1_data
from workloads.data.column_scaling import scale_to_unit_range
from workloads.data.synthetic import MARKER
from workloads.description import DataError

SIZES = {"train_rows": 70, "test_rows": 30, "features": 40, "cancer_types": 4}


@pytest.fixture
def made(tmp_path):
    p1b1_data.make(tmp_path, 5, **SIZES)
    return tmp_path


def test_made_tables_have_the_asked_sizes_and_the_true_header(made):
    assert p1b1_data.check(made) == {
        "synthetic": True, "train_rows": 70, "test_rows": 30, "features": 40, "cancer_types": 4,
    }  # fmt: skip
    header = (made / "P1B1.dev.train.csv").read_text().splitlines()[0]
    assert header.startswith("case_id,cancer_type,ENSG")
    assert json.loads((made / MARKER).read_text())["sizes"] == SIZES


def test_the_seed_alone_decides(made, tmp_path_factory):
    again, other = tmp_path_factory.mktemp("again"), tmp_path_factory.mktemp("other")
    paths = p1b1_data.make(again, 5, **SIZES)
    p1b1_data.make(other, 6, **SIZES)
    assert [path.name for path in paths] == ["P1B1.dev.train.csv", "P1B1.dev.test.csv"]
    for path in paths:
        assert path.read_bytes() == (made / path.name).read_bytes()
        assert path.read_bytes() != (other / path.name).read_bytes()


def test_profiles_are_positive_partly_silent_and_nearly_low_rank(made):
    train = p1b1_data.read(p1b1_data.DATA.source(made)).train
    assert train.min() == 0
    assert 0.1 < (train == 0).mean() < 0.6
    strengths = np.linalg.svd(train - train.mean(axis=0), compute_uv=False) ** 2
    assert strengths[:6].sum() > 0.7 * strengths.sum()


def test_scaling_spans_train_and_test_together():
    train = np.array([[0, 5], [2, 5]], np.float32)
    test = np.array([[4, 5]], np.float32)
    scale_to_unit_range(train, test)
    assert train.tolist() == [[0, 0], [0.5, 0]]
    assert test.tolist() == [[1, 0]]


@pytest.mark.parametrize("loader", ["pandas", "pandas_low_memory_false", "cache"])
def test_every_loader_gives_the_same_bits(made, tmp_path_factory, loader):
    cache = tmp_path_factory.mktemp("cache")
    expected = p1b1_data.load(made)
    for state in ("built", "hit"):
        found = p1b1_data.load(made, loader, cache)
        told = {"loader": loader, "cache": state} if loader == "cache" else {"loader": loader}
        assert found.facts == expected.facts | told
        for name in ("train", "validation", "test"):
            ours, theirs = getattr(expected, name), getattr(found, name)
            assert theirs.dtype == ours.dtype == np.float32
            assert theirs.flags.c_contiguous
            assert theirs.tobytes() == ours.tobytes()
    assert [len(expected.train), len(expected.validation), len(expected.test)] == [63, 7, 30]


def test_validation_rows_are_the_last_and_all_is_scaled(made):
    whole, split = p1b1_data.read(p1b1_data.DATA.source(made)), p1b1_data.load(made)
    scale_to_unit_range(whole.train, whole.test)
    np.testing.assert_array_equal(np.concatenate([split.train, split.validation]), whole.train)
    np.testing.assert_array_equal(split.test, whole.test)


def test_made_data_never_look_real_through_the_cache(made, tmp_path_factory):
    cache = tmp_path_factory.mktemp("cache")
    marker = (made / MARKER).read_text()
    assert p1b1_data.load(made, "cache", cache).facts["synthetic"] is True
    (made / MARKER).unlink()
    assert p1b1_data.load(made, "cache", cache).facts["synthetic"] is True
    (made / MARKER).write_text(marker)
    assert p1b1_data.load(made, "cache", cache).facts["synthetic"] is True
    (made / MARKER).write_text(marker.replace("true", "false"))
    with pytest.raises(DataError, match="interrupted"):
        p1b1_data.load(made, "cache", cache)


@pytest.mark.parametrize("loader", ["numpy", "pandas", "pandas_low_memory_false", "cache"])
def test_every_loader_names_the_bad_place(made, tmp_path_factory, loader):
    path = made / "P1B1.dev.test.csv"
    lines = path.read_text().splitlines(keepends=True)
    lines[3] = ",".join(["c", "t", "oops", *lines[3].split(",")[3:]])
    path.write_text("".join(lines))
    with pytest.raises(DataError, match=r"test.csv: row 4, column ENSG0+: 'oops' is not a number"):
        p1b1_data.load(made, loader, tmp_path_factory.mktemp("cache"))


def test_a_missing_file_says_how_to_get_one(tmp_path):
    with pytest.raises(DataError) as caught:
        p1b1_data.check(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}/P1B1.dev.train.csv: no such file; "
        f"run `orchestrator data generate p1b1 --output {tmp_path}`, or put the file there"
    )


@pytest.mark.parametrize("loader", ["numpy", "pandas", "cache"])
def test_the_files_may_have_the_names_that_the_suite_documents(made, tmp_path_factory, loader):
    other, cache = tmp_path_factory.mktemp("other"), tmp_path_factory.mktemp("cache")
    for part in ("train", "test"):  # these have no cancer types
        rows = (made / f"P1B1.dev.{part}.csv").read_text().splitlines()
        cells = [row.split(",") for row in rows]
        (other / f"P1B1.{part}.csv").write_text("".join(f"{a},{','.join(rest)}\n" for a, _, *rest in cells))
    expected, found = p1b1_data.load(made, loader, cache), p1b1_data.load(other, loader, cache)
    np.testing.assert_array_equal(found.train, expected.train)
    np.testing.assert_array_equal(found.test, expected.test)
    assert "cancer_types" not in p1b1_data.check(other)
    (other / "P1B1.test.csv").unlink()
    with pytest.raises(DataError, match=r"P1B1\.test\.csv: no such file"):
        p1b1_data.check(other)


def test_files_under_both_names_are_refused(made):
    (made / "P1B1.train.csv").write_bytes((made / "P1B1.dev.train.csv").read_bytes())
    for read in (p1b1_data.check, p1b1_data.load):
        with pytest.raises(DataError, match="move one of the two to another directory"):
            read(made)


def test_real_files_under_either_name_are_kept(tmp_path):
    (tmp_path / "P1B1.train.csv").write_text("case_id,g1\na,1\n")
    with pytest.raises(DataError, match="may be real data"):
        p1b1_data.make(tmp_path, 1, **SIZES)


def test_a_cut_file_names_the_row(made):
    path = made / "P1B1.dev.test.csv"
    path.write_bytes(path.read_bytes()[:-60])
    with pytest.raises(
        DataError, match=r"P1B1.dev.test.csv: row 31 has \d+ columns, 42 are expected; .*cut short"
    ):
        p1b1_data.check(made)


@pytest.mark.parametrize("loader", ["numpy", "pandas", "cache"])
def test_a_copy_of_the_files_alone_is_still_synthetic(made, tmp_path_factory, loader):
    copy, cache = tmp_path_factory.mktemp("copy"), tmp_path_factory.mktemp("cache")
    for path in made.glob("*.csv"):
        (copy / path.name).write_bytes(path.read_bytes())
    assert p1b1_data.check(copy)["synthetic"] is True
    assert p1b1_data.load(copy, loader, cache).facts["synthetic"] is True


@pytest.mark.parametrize(
    ("header", "row", "message"),
    [
        ("case_id,g1,g3", "a,1,2", "feature column 2 is 'g3', but 'g2' in P1B1.dev.train.csv"),
        ("case_id,g1", "a,1", "1 feature columns, but 2 in P1B1.dev.train.csv"),
    ],
)
def test_columns_that_differ_are_named(tmp_path, header, row, message):
    (tmp_path / "P1B1.dev.train.csv").write_text("case_id,g1,g2\na,1,2\n")
    (tmp_path / "P1B1.dev.test.csv").write_text(f"{header}\n{row}\n")
    with pytest.raises(DataError) as caught:
        p1b1_data.check(tmp_path)
    assert str(caught.value) == f"{tmp_path}/P1B1.dev.test.csv: {message}"


def test_real_files_are_read_as_real_and_kept(tmp_path):
    for name in ("P1B1.dev.train.csv", "P1B1.dev.test.csv"):
        (tmp_path / name).write_text("case_id,g1\na,1\n")
    assert p1b1_data.check(tmp_path) == {"synthetic": False, "train_rows": 1, "test_rows": 1, "features": 1}
    with pytest.raises(DataError, match="may be real data"):
        p1b1_data.make(tmp_path, 1, **SIZES)
