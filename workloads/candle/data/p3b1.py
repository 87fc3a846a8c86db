"""P3B1's clinical-report vectors: reading, checking, making.

File names and format are those of ECP-CANDLE/Benchmarks tag v0.0, Pilot3/P3B1, of which the
benchmark reads fold 0: comma-separated numbers without a header; labels are class numbers from 0.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workloads.candle.data.table import Source, TableData, with_seed
from workloads.candle.sizes import P3B1Sizes
from workloads.data.cache_entry import Parsed
from workloads.data.generator_seeds import generator_seed
from workloads.data.synthetic import (
    atomic_write,
    decimal_writer,
    is_marked,
    is_synthetic,
    with_mark_digits,
)
from workloads.description import DataError

TASKS = ("site", "laterality", "grade")
_ARRAYS = ("train_features", "train_labels", "test_features", "test_labels")
# Share of the made reports that say little of their class.
_SEPARATION = 0.3  # of class centres, in units of a report's own scatter, per feature
_SCALE = 0.3  # of the numbers, which sets how fast gradient descent learns
_OVERLAP = {"site": 0.45, "laterality": 0.12, "grade": 0.4}


@dataclass(frozen=True, slots=True)
class Task:
    """One classification task.

    Parameters
    ----------
    name
        ``site``, ``laterality`` or ``grade``.
    classes
        Highest training label + 1.
    train_features, test_features
        Rows × features, float32.
    train_labels, test_labels
        Class numbers, int64.
    """

    name: str
    classes: int
    train_features: NDArray[np.float32]
    train_labels: NDArray[np.int64]
    test_features: NDArray[np.float32]
    test_labels: NDArray[np.int64]


def file_name(task: int, part: str, content: str) -> str:
    """Return a file's name; `part` is train or test, `content` is feature or label."""
    return f"task{task}_0_{part}_{content}.csv"


FILES = tuple(
    file_name(task, part, content)
    for task in range(len(TASKS))
    for part in ("train", "test")
    for content in ("feature", "label")
)


def _prepare(source: Source) -> Parsed:
    tasks, facts = read(source)
    arrays = {f"{task.name}_{array}": getattr(task, array) for task in tasks for array in _ARRAYS}
    return Parsed(arrays, facts)


def _loaded(facts: dict[str, Any], **arrays: NDArray[Any]) -> tuple[tuple[Task, ...], dict[str, Any]]:
    tasks = tuple(
        Task(name, facts[f"{name}_classes"], *(arrays[f"{name}_{array}"] for array in _ARRAYS))
        for name in TASKS
    )
    return tasks, facts


def read(source: Source) -> tuple[tuple[Task, ...], dict[str, Any]]:
    """Read all tasks and check that their files fit together; return them and the facts.

    Raises
    ------
    DataError
        If a file is missing or broken, rows or columns do not match, or a label is no class.
    """
    directory = source.directory
    marked = any(is_marked(directory / name) for name in FILES if name.endswith("_feature.csv"))
    facts: dict[str, Any] = {"synthetic": is_synthetic(directory) or marked}
    tasks = tuple(_read_task(source, number, name) for number, name in enumerate(TASKS))
    width = tasks[0].train_features.shape[1]
    for number, task in enumerate(tasks):
        for part, matrix in (("train", task.train_features), ("test", task.test_features)):
            if matrix.shape[1] != width:
                raise DataError(
                    f"{directory / file_name(number, part, 'feature')}: {matrix.shape[1]} columns, "
                    f"but {width} in {FILES[0]}; the tasks share a layer and need the same width"
                )
        facts[f"{task.name}_train_rows"] = len(task.train_labels)
        facts[f"{task.name}_test_rows"] = len(task.test_labels)
        facts[f"{task.name}_classes"] = task.classes
    facts["features"] = width
    return tasks, facts


def check(directory: Path) -> dict[str, Any]:
    """Return rows and classes per task, features, and whether the data are synthetic; raises as `read`.

    Fact ``generator_seed`` is there where the data are recognised as drawn by `make`.
    """
    tasks, facts = read(DATA.source(directory))
    first = tasks[0]
    centre = first.train_features[first.train_labels == 0].mean(axis=0)
    seed = generator_seed(centre, _first_centre)
    return with_seed(facts, seed)


def _first_centre(seed: int, features: int) -> NDArray[np.float64]:
    """Return the centre that `make` draws for the first task's first class."""
    return np.random.default_rng([seed, 0, 0]).normal(size=features)


def _write(directory: Path, seed: int, sizes: P3B1Sizes) -> None:
    """Write synthetic vectors and labels.

    Every class is a cloud around its own centre and some are much rarer than others; a share of
    the rows lies near no centre, so that no classifier can be perfect.
    """
    plan = _plan(sizes)
    for name, (train_rows, test_rows, classes) in plan.items():
        if min(train_rows, test_rows) < classes:
            raise DataError(f"{name} needs at least {classes} rows to show all of its {classes} classes")
    for number, (name, (train_rows, test_rows, classes)) in enumerate(plan.items()):
        centres = np.random.default_rng([seed, number, 0]).normal(size=(classes, sizes.features))
        for part_number, (part, rows) in enumerate((("train", train_rows), ("test", test_rows)), start=1):
            random = np.random.default_rng([seed, number, part_number])
            _write_part(directory, number, part, *_draw(random, centres, rows, _OVERLAP[name]))


def _plan(sizes: P3B1Sizes) -> dict[str, tuple[int, int, int]]:
    """Return training rows, test rows and classes of each task."""
    given = asdict(sizes)
    return {
        name: (given[f"{name}_train_rows"], given[f"{name}_test_rows"], given[f"{name}_classes"])
        for name in TASKS
    }


def _draw(
    random: np.random.Generator, centres: NDArray[np.float64], rows: int, overlap: float
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    classes = len(centres)
    share = 0.8 ** np.arange(classes)
    labels = random.choice(classes, size=rows, p=share / share.sum())
    labels[:classes] = np.arange(classes)  # every class is present, however few the rows
    labels = random.permutation(labels)
    strength = np.where(random.random(rows) < overlap, 0.1 * _SEPARATION, _SEPARATION)[:, None]
    scatter = random.normal(size=(rows, centres.shape[1]))
    return _SCALE * (strength * centres[labels] + scatter), labels


def _write_part(
    directory: Path, number: int, part: str, vectors: NDArray[np.float64], labels: NDArray[np.int64]
) -> None:
    write = decimal_writer()
    with atomic_write(directory / file_name(number, part, "feature")) as file:
        file.writelines(f"{with_mark_digits(write(row))}\n" for row in vectors)
    with atomic_write(directory / file_name(number, part, "label")) as file:
        file.writelines(f"{label}\n" for label in labels)


def _read_task(source: Source, number: int, name: str) -> Task:
    train_features, train_labels = _read_part(source, number, "train")
    test_features, test_labels = _read_part(source, number, "test")
    classes = int(train_labels.max()) + 1
    unknown = np.flatnonzero(test_labels >= classes)
    if len(unknown):
        raise DataError(
            f"{source.directory / file_name(number, 'test', 'label')}: row {unknown[0] + 1}, column 1: class "
            f"{test_labels[unknown[0]]} is in no training row, whose highest class is {classes - 1}"
        )
    return Task(name, classes, train_features, train_labels, test_features, test_labels)


def _read_part(source: Source, number: int, part: str) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    label_file, feature_file = file_name(number, part, "label"), file_name(number, part, "feature")
    features = source.matrix(f"task{number}_{part}_feature", feature_file)
    column, path = source.matrix(f"task{number}_{part}_label", label_file), source.directory / label_file
    if column.shape[1] != 1:
        raise DataError(f"{path}: row 1 has {column.shape[1]} columns, one class number is expected")
    labels = column[:, 0].astype(np.int64)
    wrong = np.flatnonzero((labels != column[:, 0]) | (labels < 0))
    if len(wrong):
        raise DataError(
            f"{path}: row {wrong[0] + 1}, column 1: {column[wrong[0], 0]:g} is no class number (0, 1, 2 …)"
        )
    if len(labels) != len(features):
        raise DataError(f"{path}: {len(labels)} rows, but {len(features)} in {feature_file}")
    return features, labels


DATA = TableData(
    "p3b1", FILES, "p3b1-1", P3B1Sizes, _prepare, _loaded, _write,
    numbers=lambda sizes: sizes.features * sum(train + test for train, test, _ in _plan(sizes).values()),
)  # fmt: skip
load, fill_cache, make = DATA.load, DATA.fill_cache, DATA.make
