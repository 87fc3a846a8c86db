from __future__ import annotations

import numpy as np
import pytest

from workloads.candle.data import p3b1 as p3b1_data
from workloads.description import DataError

SIZES = {
    "features": 8,
    "site_train_rows": 60,
    "site_test_rows": 20,
    "grade_train_rows": 30,
    "grade_test_rows": 9,
}


@pytest.fixture
def made(tmp_path):
    p3b1_data.make(tmp_path, 5, **SIZES)
    return tmp_path


def test_made_files_have_the_asked_sizes_and_all_classes(made):
    tasks, facts = p3b1_data.read(p3b1_data.DATA.source(made))
    assert facts == {
        "synthetic": True, "features": 8,
        "site_train_rows": 60, "site_test_rows": 20, "site_classes": 13,
        "laterality_train_rows": 600, "laterality_test_rows": 86, "laterality_classes": 2,
        "grade_train_rows": 30, "grade_test_rows": 9, "grade_classes": 4,
    }  # fmt: skip
    for task in tasks:
        assert set(task.train_labels) == set(task.test_labels) == set(range(task.classes))
    assert len(list(made.glob("task*.csv"))) == 12


@pytest.mark.parametrize("loader", ["pandas", "pandas_low_memory_false", "cache"])
def test_every_loader_gives_the_same_bits(made, tmp_path_factory, loader):
    cache = tmp_path_factory.mktemp("cache")
    expected, facts = p3b1_data.load(made)
    for state in ("built", "hit"):
        found, told = p3b1_data.load(made, loader, cache)
        assert told == facts | {"loader": loader} | ({"cache": state} if loader == "cache" else {})
        for ours, theirs in zip(expected, found, strict=True):
            assert (theirs.name, theirs.classes) == (ours.name, ours.classes)
            for name in ("train_features", "train_labels", "test_features", "test_labels"):
                one, other = getattr(ours, name), getattr(theirs, name)
                assert (other.dtype, other.shape) == (one.dtype, one.shape)
                assert other.tobytes() == one.tobytes()


@pytest.mark.parametrize("loader", ["numpy", "pandas", "pandas_low_memory_false"])
def test_every_loader_gives_the_originals_numbers(made, loader):
    for number, task in enumerate(p3b1_data.load(made, loader)[0]):
        for part in ("train", "test"):
            for content, ours in (
                ("feature", getattr(task, f"{part}_features")), ("label", getattr(task, f"{part}_labels")),
            ):  # fmt: skip
                file = made / p3b1_data.file_name(number, part, content)
                assert np.array_equal(ours, np.genfromtxt(file, delimiter=",").astype(ours.dtype))


@pytest.mark.parametrize("loader", ["numpy", "pandas", "pandas_low_memory_false", "cache"])
def test_every_loader_names_the_bad_place(made, tmp_path_factory, loader):
    path = made / "task1_0_train_feature.csv"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines[:-1], lines[-1].rpartition(",")[0]]))
    with pytest.raises(DataError, match=r"task1_0_train_feature.csv: row 600 has 7 columns, 8 are expected"):
        p3b1_data.load(made, loader, tmp_path_factory.mktemp("cache"))


def test_the_seed_alone_decides(made, tmp_path_factory):
    again, other = tmp_path_factory.mktemp("again"), tmp_path_factory.mktemp("other")
    p3b1_data.make(other, 6, **SIZES)
    for path in p3b1_data.make(again, 5, **SIZES):
        assert path.read_bytes() == (made / path.name).read_bytes()
    name = "task0_0_train_feature.csv"
    assert (other / name).read_bytes() != (made / name).read_bytes()


def test_classes_lie_apart_in_train_and_test_alike(tmp_path):
    p3b1_data.make(tmp_path, 5)
    task = p3b1_data.read(p3b1_data.DATA.source(tmp_path))[0][1]
    centres = np.array([task.train_features[task.train_labels == c].mean(axis=0) for c in range(2)])
    distance = ((task.test_features[:, None] - centres) ** 2).sum(axis=2)
    assert 0.85 < (distance.argmin(axis=1) == task.test_labels).mean() < 1


def test_too_few_rows_for_the_classes_are_refused(tmp_path):
    with pytest.raises(DataError, match="site needs at least 13 rows to show all of its 13 classes"):
        p3b1_data.make(tmp_path, 1, site_test_rows=12)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("task2_0_test_feature.csv", None, "no such file; run `orchestrator data generate p3b1 --output "),
        ("task0_0_train_label.csv", "0\n1.5\n", "row 2, column 1: 1.5 is no class number"),
        ("task0_0_train_label.csv", "0\n-1\n", "row 2, column 1: -1 is no class number"),
        ("task0_0_train_label.csv", "0\nlung\n", "row 2, column 1: 'lung' is not a number"),
        ("task0_0_train_label.csv", "0,1\n", "row 1 has 2 columns, one class number is expected"),
        ("task0_0_train_label.csv", "0\n", "1 rows, but 60 in task0_0_train_feature.csv"),
        ("task2_0_test_label.csv", "0\n" * 8 + "4\n", "row 9, column 1: class 4 is in no training row"),
        ("task2_0_test_feature.csv", "1,2\n" * 9, "2 columns, but 8 in task0_0_train_feature.csv"),
    ],
)
def test_what_does_not_fit_is_named(made, name, text, message):
    path = made / name
    if text is None:
        path.unlink()
    else:
        path.write_text(text)
    with pytest.raises(DataError) as caught:
        p3b1_data.check(made)
    assert str(caught.value).startswith(f"{path}: {message}")


@pytest.mark.parametrize("loader", ["numpy", "pandas", "cache"])
def test_a_copy_of_the_files_alone_is_still_synthetic(made, tmp_path_factory, loader):
    copy, cache = tmp_path_factory.mktemp("copy"), tmp_path_factory.mktemp("cache")
    for path in made.glob("*.csv"):
        (copy / path.name).write_bytes(path.read_bytes())
    assert p3b1_data.check(copy)["synthetic"] is True
    assert p3b1_data.load(copy, loader, cache)[1]["synthetic"] is True
    for path in copy.glob("*.csv"):  # as real files are, to three decimals
        rows = np.loadtxt(path, delimiter=",", ndmin=2)
        np.savetxt(path, rows, "%.3f" if path.name.endswith("_feature.csv") else "%d", ",")
    assert p3b1_data.check(copy)["synthetic"] is False
    for ours, theirs in zip(
        p3b1_data.read(p3b1_data.DATA.source(copy))[0],
        p3b1_data.read(p3b1_data.DATA.source(made))[0],
        strict=True,
    ):
        np.testing.assert_allclose(ours.train_features, theirs.train_features, rtol=0, atol=6e-4)
