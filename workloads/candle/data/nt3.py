"""NT3's tables: reading, checking, making.

Source: ECP-CANDLE/Benchmarks tag v0.1, Pilot1/NT3. ``nt_train2.csv`` and ``nt_test2.csv`` have no header; the
first column is the class, 0 or 1, and the others are the expression of genes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workloads.candle.data.table import Source, TableData, with_seed
from workloads.candle.sizes import NT3Sizes
from workloads.data.cache_entry import Parsed
from workloads.data.column_scaling import scale_to_largest_magnitude
from workloads.data.generator_seeds import generator_seed
from workloads.data.synthetic import (
    atomic_write,
    decimal_writer,
    is_marked,
    is_synthetic,
    with_mark_digits,
)
from workloads.description import DataError

FILES = ("nt_train2.csv", "nt_test2.csv")
_ROWS_AT_ONCE = 64
_CLASSES = 2


@dataclass(frozen=True, slots=True)
class Tissues:
    """Scaled expression, rows × genes, float32, and classes, int64, of both files; facts of the data."""

    train: NDArray[np.float32]
    train_classes: NDArray[np.int64]
    test: NDArray[np.float32]
    test_classes: NDArray[np.int64]
    facts: dict[str, Any]


def _prepare(source: Source) -> Parsed:
    """Return the tables, each column divided by its largest magnitude over the rows of both."""
    tables, facts = read(source)
    scale_to_largest_magnitude(tables["train"], tables["test"])
    return Parsed(tables, facts)


def read(source: Source) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the arrays of `Tissues` unscaled, and the facts.

    Raises
    ------
    DataError
        If a file is missing or broken, a class is not 0 or 1, or the files have different numbers of columns.
    """
    directory = source.directory
    marked = any(is_marked(directory / name) for name in FILES)
    facts: dict[str, Any] = {"synthetic": is_synthetic(directory) or marked}
    tables: dict[str, NDArray[Any]] = {}
    for part, name in zip(("train", "test"), FILES, strict=True):
        matrix = source.matrix(part, name)
        tables[part], tables[f"{part}_classes"] = _split(directory / name, matrix)
        facts[f"{part}_rows"] = len(matrix)
    genes = tables["train"].shape[1]
    if tables["test"].shape[1] != genes:
        raise DataError(
            f"{directory / FILES[1]}: {tables['test'].shape[1]} feature columns, but {genes} in {FILES[0]}"
        )
    return tables, facts | {"features": genes, "classes": _CLASSES}


def check(directory: Path) -> dict[str, Any]:
    """Return rows, features, classes, and whether the data are synthetic; raises as `load`.

    Fact ``generator_seed`` is there where the data are recognised as drawn by `make`.
    """
    tables, facts = read(DATA.source(directory))
    normal = tables["train"][tables["train_classes"] == 0]
    seed = generator_seed(normal.mean(axis=0), _levels) if len(normal) else None
    return with_seed(facts, seed)


def _levels(seed: int, genes: int) -> NDArray[np.float64]:
    """Return the levels that `make` draws for the first genes."""
    return _level(np.random.default_rng([seed, 0]), genes)


def _level(random: np.random.Generator, genes: int) -> NDArray[np.float64]:
    level: NDArray[np.float64] = np.abs(random.normal(2.0, 1.5, genes)) + 0.5
    return level


def _write(directory: Path, seed: int, sizes: NT3Sizes) -> None:
    """Write synthetic tables.

    Each gene has a level; in tumours a smooth pattern along the genes is added, as the convolutions see
    neighbouring genes together, at a strength of each case's own.
    """
    random = np.random.default_rng([seed, 0])
    level = _level(random, sizes.features)
    pattern = np.convolve(random.normal(size=sizes.features + 14), np.ones(15) / 4, "valid")
    for part, (name, rows) in enumerate(
        zip(FILES, (sizes.train_rows, sizes.test_rows), strict=True), start=1
    ):
        write, draw = decimal_writer(), _rows(level, pattern, rows, np.random.default_rng([seed, part]))
        with atomic_write(directory / name) as file:
            for label, values in draw:
                file.write(f"{label},{with_mark_digits(write(values))}\n")


def _rows(
    level: NDArray[np.float64], pattern: NDArray[np.float64], rows: int, random: np.random.Generator
) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Yield class and expression of each case; half of the cases, in random order, are tumours."""
    labels = random.permutation(np.arange(rows) % _CLASSES)
    for begin in range(0, rows, _ROWS_AT_ONCE):
        chunk = labels[begin : begin + _ROWS_AT_ONCE]
        strength = chunk * random.uniform(0.25, 1.0, len(chunk))
        values = level + strength[:, None] * pattern + random.normal(0, 0.7, (len(chunk), len(level)))
        yield from zip(chunk.tolist(), np.maximum(values, 0), strict=True)


def _split(path: Path, matrix: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return features and classes of a file's numbers."""
    if matrix.shape[1] < 2:
        raise DataError(f"{path}: row 1 has one column, a class and features are expected")
    classes = matrix[:, 0].astype(np.int64)
    wrong = np.flatnonzero((classes != matrix[:, 0]) | (classes < 0) | (classes >= _CLASSES))
    if len(wrong):
        raise DataError(f"{path}: row {wrong[0] + 1}, column 1: {matrix[wrong[0], 0]:g} is no class, 0 or 1")
    return np.ascontiguousarray(matrix[:, 1:]), classes


DATA = TableData(
    "nt3", FILES, "nt3-scaled-1", NT3Sizes, _prepare, Tissues, _write,
    numbers=lambda sizes: sizes.features * (sizes.train_rows + sizes.test_rows),
)  # fmt: skip
load, fill_cache, make = DATA.load, DATA.fill_cache, DATA.make
