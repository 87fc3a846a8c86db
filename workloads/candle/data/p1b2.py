"""P1B2's tables: reading, checking, making.

Source: ECP-CANDLE/Benchmarks tag v0.1, Pilot1/P1B2. ``P1B2.train.csv`` and ``P1B2.test.csv`` have a header:
``case_id``, ``cancer_type`` (the class), then one column per feature, counts of mutations.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workloads.candle.data.table import Source, TableData, with_seed
from workloads.candle.sizes import P1B2_VALIDATION_SHARE as VALIDATION_SHARE
from workloads.candle.sizes import P1B2Sizes
from workloads.data.cache_entry import Parsed
from workloads.data.column_scaling import scale_to_unit_range
from workloads.data.generator_seeds import generator_seed
from workloads.data.synthetic import MARK, atomic_write, is_synthetic
from workloads.data.wide_csv import Table
from workloads.description import DataError

FILES = ("P1B2.train.csv", "P1B2.test.csv")
_ROWS_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class Mutations:
    """Scaled features, rows × features, float32, and classes, int64, of three parts; facts of the data."""

    train: NDArray[np.float32]
    train_classes: NDArray[np.int64]
    validation: NDArray[np.float32]
    validation_classes: NDArray[np.int64]
    test: NDArray[np.float32]
    test_classes: NDArray[np.int64]
    facts: dict[str, Any]


def _prepare(source: Source) -> Parsed:
    """Return the tables, scaled to [0, 1] per column over all rows; the first tenth of training validates."""
    tables, facts = read(source)
    held_out = int(len(tables["train"]) * VALIDATION_SHARE)
    if not held_out:
        raise DataError(
            f"{source.directory / FILES[0]}: {len(tables['train'])} rows cannot be split for validation, at "
            f"least {round(1 / VALIDATION_SHARE)} are needed"
        )
    scale_to_unit_range(tables["train"], tables["test"])
    parts = {
        f"{part}{end}": tables[f"train{end}"][rows]
        for end in ("", "_classes")
        for part, rows in (("validation", slice(held_out)), ("train", slice(held_out, None)))
    }
    return Parsed(tables | parts, facts)


def read(source: Source) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Read both files and check that they fit together; return unscaled arrays, and the facts.

    Classes are numbered in the order of their sorted names in the training file. The original numbers them in
    each file apart, which misplaces them where one file lacks a class.

    Raises
    ------
    DataError
        If a file is missing or broken, its columns differ from the other's, it has no column ``cancer_type``,
        or a test row has a class that no training row has.
    """
    directory = source.directory
    read_tables: list[Table] = []
    for part, name in zip(("train", "test"), FILES, strict=True):
        table = source.table(part, name)
        if "cancer_type" not in table.texts:
            raise DataError(
                f"{directory / name}: row 1 names no column cancer_type after case_id, the classes are "
                "missing"
            )
        read_tables.append(table)
    train, test = read_tables
    if train.features != test.features:
        raise DataError(f"{directory / FILES[1]}: the feature columns are not those of {FILES[0]}")
    names = sorted(set(train.texts["cancer_type"]), key=_class_order)
    numbers = {name: number for number, name in enumerate(names)}
    for row, name in enumerate(test.texts["cancer_type"], start=2):
        if name not in numbers:
            raise DataError(
                f"{directory / FILES[1]}: row {row}, column cancer_type: no training row has class "
                f"{name[:40]!r}"
            )
    tables: dict[str, NDArray[Any]] = {"train": train.values, "test": test.values}
    for part, table in (("train", train), ("test", test)):
        tables[f"{part}_classes"] = np.array([numbers[name] for name in table.texts["cancer_type"]], np.int64)
    marked = any(case.startswith(MARK) for one in read_tables for case in one.texts.get("case_id", ()))
    return tables, {
        "synthetic": is_synthetic(directory) or marked,
        "train_rows": len(train.values),
        "test_rows": len(test.values),
        "features": len(train.features),
        "classes": len(names),
    }


def check(directory: Path) -> dict[str, Any]:
    """Return rows, features, classes, and whether the data are synthetic; raises as `read`.

    Fact ``generator_seed`` is there where the data are recognised as drawn by `make`.
    """
    tables, facts = read(DATA.source(directory))
    frequency = np.maximum(tables["train"].mean(axis=0), 0)
    seed = generator_seed(np.sqrt(frequency), lambda seed, columns: np.sqrt(_common(seed, columns)))
    return with_seed(facts, seed)


def _common(seed: int, features: int) -> NDArray[np.float64]:
    """Return how often `make` lets the first features mutate in every class."""
    return np.random.default_rng([seed, 0]).gamma(0.5, 0.1, features)


def _write(directory: Path, seed: int, sizes: P1B2Sizes) -> None:
    """Write synthetic tables.

    Mutations are rare counts. Each class has features that mutate more often in it, and a share of the cases
    follows no class, so that no classifier can be perfect.
    """
    if sizes.train_rows < sizes.classes:
        raise DataError(f"p1b2 needs at least {sizes.classes} training rows to show all of its classes")
    random = np.random.default_rng([seed, 0])
    common = random.gamma(0.5, 0.1, sizes.features)
    typical = random.random((sizes.classes, sizes.features)) < 0.05
    for part, (name, rows) in enumerate(
        zip(FILES, (sizes.train_rows, sizes.test_rows), strict=True), start=1
    ):
        _write_table(directory / name, common, typical, rows, np.random.default_rng([seed, part]), part)


def _write_table(
    path: Path,
    common: NDArray[np.float64],
    typical: NDArray[np.bool_],
    rows: int,
    random: np.random.Generator,
    part: int,
) -> None:
    classes = random.permutation(np.arange(rows) % len(typical))
    with atomic_write(path) as file:
        names = ",".join(f"SNP{number}" for number in range(len(common)))
        file.write(f"case_id,cancer_type,{names}\n")
        for begin in range(0, rows, _ROWS_AT_ONCE):
            chunk = classes[begin : begin + _ROWS_AT_ONCE]
            follows = random.random(len(chunk)) < 0.7
            rate = common + (typical[chunk] & follows[:, None]) * 0.6
            for offset, counts in enumerate(random.poisson(rate)):
                values = ",".join(map(str, counts.tolist()))
                file.write(f"{MARK}-{part}-{begin + offset:05d},{chunk[offset]},{values}\n")


def _class_order(name: str) -> tuple[int, float, str]:
    """Return what sorts class names as pandas does: numbers by value, texts after them."""
    try:
        return 0, float(name), name
    except ValueError:
        return 1, 0.0, name


DATA = TableData(
    "p1b2", FILES, "p1b2-scaled-1", P1B2Sizes, _prepare, Mutations, _write,
    numbers=lambda sizes: sizes.features * (sizes.train_rows + sizes.test_rows),
)  # fmt: skip
load, fill_cache, make = DATA.load, DATA.fill_cache, DATA.make
