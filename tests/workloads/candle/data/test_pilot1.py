"""Data of NT3, P1B2 and P1B3: what is made, read by every loader, and refused."""

from __future__ import annotations

import dataclasses
import importlib.util

import numpy as np
import pandas as pd
import pytest

from workloads.candle.data import nt3 as nt3_data
from workloads.candle.data import p1b2 as p1b2_data
from workloads.candle.data import p1b3 as p1b3_data
from workloads.candle.data.p1b3 import RESPONSES, Sampling, sample_and_split
from workloads.candle.data.p1b3_feed import batch_rows
from workloads.data.read_times import ReadTimes
from workloads.data.readers import READERS
from workloads.description import DataError

MODULES = {"nt3": nt3_data, "p1b2": p1b2_data, "p1b3": p1b3_data}
SIZES = {
    "nt3": {"train_rows": 30, "test_rows": 12, "features": 60},
    "p1b2": {"train_rows": 40, "test_rows": 15, "features": 25, "classes": 4},
    "p1b3": {"drugs": 40, "genes": 12, "descriptors": 9, "test_drugs": 10, "cell_lines": 20},
}
DASK = pytest.mark.skipif(importlib.util.find_spec("dask") is None, reason="Dask is not installed")
LOADERS = [pytest.param(name, marks=DASK) if name == "dask" else name for name in (*READERS, "cache")]


@pytest.fixture(params=sorted(MODULES))
def made(request, tmp_path):
    MODULES[request.param].make(tmp_path, 5, **SIZES[request.param])
    return MODULES[request.param], tmp_path


def arrays(data):
    for field in dataclasses.fields(data):
        value = getattr(data, field.name)
        if isinstance(value, np.ndarray):
            yield field.name, value
        elif dataclasses.is_dataclass(value):
            yield from ((f"{field.name}.{name}", array) for name, array in arrays(value))


@pytest.mark.parametrize("loader", LOADERS)
def test_every_loader_gives_the_same_bits(made, tmp_path_factory, loader):
    module, directory = made
    expected = dict(arrays(module.load(directory)))
    found = module.load(directory, loader, tmp_path_factory.mktemp("cache"), chunk_rows=7)
    assert found.facts["loader"] == loader
    for name, array in arrays(found):
        assert array.dtype == expected[name].dtype
        assert array.tobytes() == expected[name].tobytes(), name


def test_the_same_seed_makes_the_same_files(made, tmp_path_factory):
    module, directory = made
    name = next(name for name, one in MODULES.items() if one is module)
    again = tmp_path_factory.mktemp("again")
    for path in module.make(again, 5, **SIZES[name]):
        assert path.read_bytes() == (directory / path.name).read_bytes()
    assert module.check(directory)["synthetic"] is True


def test_a_copy_without_the_marker_is_still_synthetic(made):
    module, directory = made
    (directory / "SYNTHETIC.json").unlink()
    assert module.check(directory)["synthetic"] is True


def test_each_file_is_timed(made):
    module, directory = made
    times = ReadTimes()
    module.load(directory, times=times)
    assert all(read.rows > 0 and read.file_bytes > 0 for read in times.reads.values())
    assert len(times.reads) == (3 if module is p1b3_data else 2)


def test_a_file_that_is_missing_or_empty_is_named(made):
    module, directory = made
    path = directory / module.FILES[0]
    path.write_text("")
    with pytest.raises(
        DataError, match=f"{module.FILES[0]}: the file is empty; run `orchestrator data generate"
    ):
        module.load(directory)
    path.unlink()
    with pytest.raises(DataError, match=f"{module.FILES[0]}: no such file; run `orchestrator data generate"):
        module.load(directory)


def test_nt3_learns_on_scaled_columns(tmp_path):
    nt3_data.make(tmp_path, 5, **SIZES["nt3"])
    data = nt3_data.load(tmp_path)
    assert np.maximum(np.abs(data.train).max(axis=0), np.abs(data.test).max(axis=0)) == pytest.approx(1)
    assert sorted(np.bincount(data.train_classes)) == [15, 15]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["2,1.5,1"], "row 1, column 1: 2 is no class, 0 or 1"),
        (["0,1,2", "0.5,1,2"], "row 2, column 1: 0.5 is no class, 0 or 1"),
        (["0", "1"], "row 1 has one column, a class and features are expected"),
        (["0,1,2", "1,1"], "row 2 has 2 columns, 3 are expected"),
        (["0,1,2", "1,x,2"], "row 2, column 2: 'x' is not a number"),
    ],
)
def test_nt3_names_what_is_wrong(tmp_path, rows, message):
    for name in nt3_data.FILES:
        (tmp_path / name).write_text("\n".join(rows) + "\n")
    with pytest.raises(DataError, match=message):
        nt3_data.load(tmp_path)


def test_nt3_needs_the_same_columns_in_both_files(tmp_path):
    (tmp_path / "nt_train2.csv").write_text("0,1,2\n1,1,2\n")
    (tmp_path / "nt_test2.csv").write_text("0,1\n")
    with pytest.raises(DataError, match=r"nt_test2.csv: 1 feature columns, but 2 in nt_train2.csv"):
        nt3_data.load(tmp_path)


def write_p1b2(directory, train, test):
    for name, rows in zip(p1b2_data.FILES, (train, test), strict=True):
        lines = [f"c{number},{label},1,{number}" for number, label in enumerate(rows)]
        (directory / name).write_text("\n".join(["case_id,cancer_type,a,b", *lines]) + "\n")


def test_p1b2_classes_are_in_sorted_order_and_the_first_tenth_validates(tmp_path):
    write_p1b2(tmp_path, [10, 9] * 10, [9, 10, 9])
    data = p1b2_data.load(tmp_path)
    assert data.validation_classes.tolist() == [1, 0]
    assert data.train_classes.tolist() == [1, 0] * 9
    assert data.test_classes.tolist() == [0, 1, 0]
    assert data.facts["classes"] == 2


def test_p1b2_names_a_class_that_no_training_row_has(tmp_path):
    write_p1b2(tmp_path, ["a", "b"] * 5, ["a", "c"])
    with pytest.raises(
        DataError, match=r"P1B2.test.csv: row 3, column cancer_type: no training row has class 'c'"
    ):
        p1b2_data.load(tmp_path)


def test_p1b2_needs_classes_and_rows_to_validate(tmp_path):
    write_p1b2(tmp_path, ["a"] * 9, ["a"])
    with pytest.raises(DataError, match="9 rows cannot be split for validation, at least 10 are needed"):
        p1b2_data.load(tmp_path)
    (tmp_path / "P1B2.train.csv").write_text("case_id,a\nc,1\n")
    with pytest.raises(DataError, match="row 1 names no column cancer_type"):
        p1b2_data.load(tmp_path)


def responses(rows=4000):
    random = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "NSC": random.integers(0, 30, rows).astype(str),
            "CELLNAME": "cell:" + pd.Series(random.integers(0, 20, rows)).astype(str),
            "LOG_CONCENTRATION": -4.5,
            "GROWTH": random.uniform(-100, 200, rows),
        }
    )


def test_p1b3_keeps_the_published_shares_and_splits_by_drug_and_cell_line():
    table, drugs = responses(), {"1", "2", "3"}
    parts = sample_and_split(table, drugs, {"cell:7"}, Sampling())
    learned = pd.concat([parts["train"], parts["validation"]])
    assert not set(learned["NSC"]) & drugs
    assert "cell:7" not in set(learned["CELLNAME"])
    assert set(parts["test"]["NSC"]) <= drugs
    assert len(set(parts["test"]["CELLNAME"])) == 3  # 15 % of the 19 cell lines that train
    assert len(parts["validation"]) == int(len(learned) * 0.1)
    possible = table[~table["NSC"].isin(drugs) & (table["CELLNAME"] != "cell:7")]
    growth = possible["GROWTH"]
    for rows, share in (
        (growth <= 0, 1), ((growth > 0) & (growth < 50), 0.7), ((growth >= 50) & (growth <= 100), 0.18),
        (growth > 100, 0.01),
    ):  # fmt: skip
        kept = learned.index.isin(possible[rows].index).sum()
        assert kept == pytest.approx(share * rows.sum(), rel=0.1, abs=8)


def test_p1b3_joins_a_response_with_its_features(tmp_path):
    p1b3_data.make(tmp_path, 5, **SIZES["p1b3"])
    data = p1b3_data.load(tmp_path)
    joined = data.join(data.train, np.array([3, 0]))
    row = 3
    expected = np.concatenate(
        [
            [data.train.concentration[row]],
            data.expressions[data.train.cell[row]],
            data.descriptors[data.train.drug[row]],
        ]
    )
    np.testing.assert_array_equal(joined[0], expected)
    assert joined.shape == (2, data.inputs) == (2, data.facts["features"])


def test_p1b3_batches_go_on_where_the_epoch_before_ended():
    assert [rows.tolist() for rows in batch_rows(7, 3, 0, None)] == [[0, 1, 2], [3, 4, 5]]
    assert [rows.tolist() for rows in batch_rows(7, 3, 1, None)] == [[6, 0, 1], [2, 3, 4]]
    order = np.array([6, 5, 4, 3, 2, 1, 0])
    assert [rows.tolist() for rows in batch_rows(7, 3, 1, order)] == [[0, 6, 5], [4, 3, 2]]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("NSC,CELLNAME", "DRUG,CELLNAME", "row 1 names no column NSC"),
        ("LOG_CONCENTRATION", "DOSE", "row 1 names no column LOG_CONCENTRATION"),
        (",-4,", ",na,", "row 2, column LOG_CONCENTRATION: a value is missing, or not finite"),
        (",-4,", ",x,", "cannot be read: .*'x'"),
    ],
)
def test_p1b3_names_a_bad_response(tmp_path, old, new, message):
    p1b3_data.make(tmp_path, 5, **SIZES["p1b3"])
    path = tmp_path / RESPONSES
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(DataError, match=f"{RESPONSES}: {message}"):
        p1b3_data.load(tmp_path)


def test_p1b3_says_when_no_response_is_left(tmp_path):
    p1b3_data.make(tmp_path, 5, **SIZES["p1b3"])
    path = tmp_path / "P1B3_test_drugs.txt"
    path.write_text("NSC\n")
    with pytest.raises(DataError, match="no response is left for the test part"):
        p1b3_data.load(tmp_path)
