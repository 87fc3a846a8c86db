"""P1B2's tables: reading, checking, making.

Source: ECP-CANDLE/Benchmarks tag v0.1, Pilot1/P1B2. ``P1B2.train.csv`` and ``P1B2.test.csv`` have a header:
``case_id``, ``cancer_type`` (the class), then one column per feature, counts of mutations.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workloads.candle.p1b2_sizes import VALIDATION_SHARE, P1B2Sizes
from workloads.context import DatasetCache
from workloads.data import cache as dataset_cache
from workloads.data.cache_entry import Parsed
from workloads.data.column_scaling import scale_to_unit_range
from workloads.data.generator_seeds import generator_seed
from workloads.data.read_times import ReadTimes
from workloads.data.readers import CHUNK_ROWS
from workloads.data.synthetic import MARK, atomic_write, is_synthetic, writing_synthetic
from workloads.data.wide_csv import Table, read_table
from workloads.description import DataError

FILES = ("P1B2.train.csv", "P1B2.test.csv")
_LAYOUT_NAME = "p1b2-scaled-1"  # another number with every change of scaling, split or types
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


def load(
    directory: Path,
    loader: str = "numpy",
    cache: DatasetCache | Path | None = None,
    chunk_rows: int = CHUNK_ROWS,
    times: ReadTimes | None = None,
) -> Mutations:
    """Return the tables, scaled to [0, 1] per column over all rows; the first tenth of training validates.

    Parameters
    ----------
    directory
        Where the files are.
    loader
        A choice of `workloads.candle.loader.LOADER`.
    cache
        The dataset cache; its arrays are read-only.
    chunk_rows
        Of loader ``pandas_chunked``.
    times
        Takes the time of reading each file.

    Raises
    ------
    DataError
        As `read`, or if the training rows are too few to be split, or the cache cannot be used.
    """

    def prepare(reader: str) -> Parsed:
        tables, facts = read(directory, reader, chunk_rows, times)
        held_out = int(len(tables["train"]) * VALIDATION_SHARE)
        if not held_out:
            raise DataError(
                f"{directory / FILES[0]}: {len(tables['train'])} rows cannot be split for validation, at "
                f"least {round(1 / VALIDATION_SHARE)} are needed"
            )
        scale_to_unit_range(tables["train"], tables["test"])
        parts = {
            f"{part}{end}": tables[f"train{end}"][rows]
            for end in ("", "_classes")
            for part, rows in (("validation", slice(held_out)), ("train", slice(held_out, None)))
        }
        return Parsed(tables | parts, facts)

    parsed = dataset_cache.load(loader, cache, directory, FILES, _LAYOUT_NAME, prepare)
    return Mutations(**parsed.arrays, facts=dict(parsed.facts))


def read(
    directory: Path, reader: str = "numpy", chunk_rows: int = CHUNK_ROWS, times: ReadTimes | None = None
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Read both files and check that they fit together; return unscaled arrays, and the facts.

    Classes are numbered in the order of their sorted names in the training file. The original numbers them in
    each file apart, which misplaces them where one file lacks a class.

    Raises
    ------
    DataError
        If a file is missing or broken, its columns differ from the other's, it has no column ``cancer_type``,
        or a test row has a class that no training row has.
    """
    times = times or ReadTimes()
    read_tables: list[Table] = []
    for part, name in zip(("train", "test"), FILES, strict=True):
        path = directory / name
        advice = f"run `orchestrator data generate p1b2 --to {directory}`, or put the file there"
        with times.file(part, path) as one:
            table = read_table(path, advice, reader, chunk_rows)
            one.rows = len(table.values)
        if "cancer_type" not in table.texts:
            raise DataError(
                f"{path}: row 1 names no column cancer_type after case_id, the classes are missing"
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
    tables, facts = read(Path(directory))
    frequency = np.maximum(tables["train"].mean(axis=0), 0)
    seed = generator_seed(np.sqrt(frequency), lambda seed, columns: np.sqrt(_common(seed, columns)))
    return facts if seed is None else facts | {"generator_seed": seed}


def _common(seed: int, features: int) -> NDArray[np.float64]:
    """Return how often `make` lets the first features mutate in every class."""
    return np.random.default_rng([seed, 0]).gamma(0.5, 0.1, features)


def fill_cache(directory: Path, cache: Path) -> dict[str, Any]:
    """Put the data set into a dataset cache, unless it is there, and return the facts; raises as `load`."""
    return load(Path(directory), "cache", Path(cache)).facts


def make(directory: Path, seed: int, **given: int) -> tuple[Path, ...]:
    """Write synthetic tables in the true format and return the files' paths.

    Mutations are rare counts. Each class has features that mutate more often in it, and a share of the cases
    follows no class, so that no classifier can be perfect.

    Parameters
    ----------
    directory
        Created where it does not exist.
    seed
        All numbers follow from it.
    given
        Fields of `P1B2Sizes` that differ from the real data set's.

    Raises
    ------
    DataError
        If the directory holds files that were not made here, or there are fewer training rows than classes.
    """
    directory, sizes = Path(directory), P1B2Sizes(**given)
    if sizes.train_rows < sizes.classes:
        raise DataError(f"p1b2 needs at least {sizes.classes} training rows to show all of its classes")
    facts = {"maker": "workloads.candle.p1b2_data:make", "seed": seed, "sizes": asdict(sizes)}
    least_bytes = 2 * sizes.features * (sizes.train_rows + sizes.test_rows)  # a digit and a comma
    with writing_synthetic(directory, FILES, facts, least_bytes):
        random = np.random.default_rng([seed, 0])
        common = random.gamma(0.5, 0.1, sizes.features)
        typical = random.random((sizes.classes, sizes.features)) < 0.05
        for part, (name, rows) in enumerate(
            zip(FILES, (sizes.train_rows, sizes.test_rows), strict=True), start=1
        ):
            _write(directory / name, common, typical, rows, np.random.default_rng([seed, part]), part)
    return tuple(directory / name for name in FILES)


def _write(
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
