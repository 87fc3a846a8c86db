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

from workloads.candle.p3b1_sizes import P3B1Sizes
from workloads.context import DatasetCache
from workloads.data import cache as dataset_cache
from workloads.data.cache_entry import Parsed
from workloads.data.generator_seeds import generator_seed
from workloads.data.synthetic import (
    atomic_write,
    decimal_writer,
    is_marked,
    is_synthetic,
    with_mark_digits,
    writing_synthetic,
)
from workloads.data.wide_csv import read_matrix
from workloads.description import DataError

TASKS = ("site", "laterality", "grade")
_LAYOUT_NAME = "p3b1-1"  # another number with every change of the arrays
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


def load(
    directory: Path, loader: str = "numpy", cache: DatasetCache | Path | None = None
) -> tuple[tuple[Task, ...], dict[str, Any]]:
    """Return the tasks and the facts, read or from the cache.

    Parameters
    ----------
    directory
        Where the files are.
    loader
        A choice of `workloads.candle.loader.LOADER`.
    cache
        The dataset cache; its arrays are read-only.

    Raises
    ------
    DataError
        As `read`, or if the cache cannot be used.
    """

    def prepare(reader: str) -> Parsed:
        tasks, facts = read(directory, reader)
        return Parsed(
            {f"{task.name}_{array}": getattr(task, array) for task in tasks for array in _ARRAYS}, facts
        )

    parsed = dataset_cache.load(loader, cache, directory, FILES, _LAYOUT_NAME, prepare)
    tasks = tuple(
        Task(name, parsed.facts[f"{name}_classes"], *(parsed.arrays[f"{name}_{array}"] for array in _ARRAYS))
        for name in TASKS
    )
    return tasks, dict(parsed.facts)


def read(directory: Path, reader: str = "numpy") -> tuple[tuple[Task, ...], dict[str, Any]]:
    """Read all tasks and check that their files fit together; return them and the facts.

    Raises
    ------
    DataError
        If a file is missing or broken, rows or columns do not match, or a label is no class.
    """
    marked = any(is_marked(directory / name) for name in FILES if name.endswith("_feature.csv"))
    facts: dict[str, Any] = {"synthetic": is_synthetic(directory) or marked}
    tasks = tuple(_read_task(directory, number, name, reader) for number, name in enumerate(TASKS))
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
    tasks, facts = read(Path(directory))
    first = tasks[0]
    centre = first.train_features[first.train_labels == 0].mean(axis=0)
    seed = generator_seed(centre, _first_centre)
    return facts if seed is None else facts | {"generator_seed": seed}


def _first_centre(seed: int, features: int) -> NDArray[np.float64]:
    """Return the centre that `make` draws for the first task's first class."""
    return np.random.default_rng([seed, 0, 0]).normal(size=features)


def fill_cache(directory: Path, cache: Path) -> dict[str, Any]:
    """Put the data set into a dataset cache, unless it is there, and return the facts; raises as `load`."""
    return load(Path(directory), "cache", Path(cache))[1]


def make(directory: Path, seed: int, **given: int) -> tuple[Path, ...]:
    """Write synthetic vectors and labels in the true format and return the files' paths.

    Every class is a cloud around its own centre and some are much rarer than others; a share of
    the rows lies near no centre, so that no classifier can be perfect.

    Parameters
    ----------
    directory
        Created where it does not exist.
    seed
        All numbers follow from it.
    given
        Fields of `P3B1Sizes` that differ from the real data set's.

    Raises
    ------
    DataError
        If the directory holds files that were not made here, or a part has fewer rows than classes.
    """
    directory, sizes = Path(directory), asdict(P3B1Sizes(**given))
    features = sizes["features"]
    plan = {
        name: tuple(sizes[f"{name}_{of}"] for of in ("train_rows", "test_rows", "classes")) for name in TASKS
    }
    for name, (train_rows, test_rows, classes) in plan.items():
        if min(train_rows, test_rows) < classes:
            raise DataError(f"{name} needs at least {classes} rows to show all of its {classes} classes")
    facts = {"maker": "workloads.candle.p3b1_data:make", "seed": seed, "sizes": sizes}
    least_bytes = 2 * features * sum(train + test for train, test, _ in plan.values())  # a digit and a comma
    with writing_synthetic(directory, FILES, facts, least_bytes):
        for number, (name, (train_rows, test_rows, classes)) in enumerate(plan.items()):
            centres = np.random.default_rng([seed, number, 0]).normal(size=(classes, features))
            for part_number, (part, rows) in enumerate((("train", train_rows), ("test", test_rows)), start=1):
                random = np.random.default_rng([seed, number, part_number])
                _write(directory, number, part, *_draw(random, centres, rows, _OVERLAP[name]))
    return tuple(directory / name for name in FILES)


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


def _write(
    directory: Path, number: int, part: str, vectors: NDArray[np.float64], labels: NDArray[np.int64]
) -> None:
    write = decimal_writer()
    with atomic_write(directory / file_name(number, part, "feature")) as file:
        file.writelines(f"{with_mark_digits(write(row))}\n" for row in vectors)
    with atomic_write(directory / file_name(number, part, "label")) as file:
        file.writelines(f"{label}\n" for label in labels)


def _read_task(directory: Path, number: int, name: str, reader: str) -> Task:
    train_features, train_labels = _read_part(directory, number, "train", reader)
    test_features, test_labels = _read_part(directory, number, "test", reader)
    classes = int(train_labels.max()) + 1
    unknown = np.flatnonzero(test_labels >= classes)
    if len(unknown):
        raise DataError(
            f"{directory / file_name(number, 'test', 'label')}: row {unknown[0] + 1}, column 1: class "
            f"{test_labels[unknown[0]]} is in no training row, whose highest class is {classes - 1}"
        )
    return Task(name, classes, train_features, train_labels, test_features, test_labels)


def _read_part(
    directory: Path, number: int, part: str, reader: str
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    advice = f"run `orchestrator data generate p3b1 --to {directory}`, or put the file there"
    features = read_matrix(directory / file_name(number, part, "feature"), advice, reader)
    path = directory / file_name(number, part, "label")
    column = read_matrix(path, advice, reader)
    if column.shape[1] != 1:
        raise DataError(f"{path}: row 1 has {column.shape[1]} columns, one class number is expected")
    labels = column[:, 0].astype(np.int64)
    wrong = np.flatnonzero((labels != column[:, 0]) | (labels < 0))
    if len(wrong):
        raise DataError(
            f"{path}: row {wrong[0] + 1}, column 1: {column[wrong[0], 0]:g} is no class number (0, 1, 2 …)"
        )
    if len(labels) != len(features):
        raise DataError(
            f"{path}: {len(labels)} rows, but {len(features)} in {file_name(number, part, 'feature')}"
        )
    return features, labels
