"""P1B1's gene-expression tables: reading, checking, making.

File names and columns are those of ECP-CANDLE/Benchmarks tag v0.1, Pilot1/P1B1: ``case_id``,
``cancer_type``, then one column per gene with log(1 + FPKM-UQ). The files of tag v0.0, which the
suite names, have other names and no ``cancer_type``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workloads.candle.data.table import Source, TableData, with_seed
from workloads.candle.dead_units import dead_units
from workloads.candle.sizes import P1B1Sizes
from workloads.data.cache_entry import Parsed
from workloads.data.column_scaling import column_bounds, scale_to_unit_range
from workloads.data.generator_seeds import generator_seed
from workloads.data.synthetic import MARK, atomic_write, decimal_writer, is_synthetic
from workloads.data.wide_csv import Table
from workloads.description import DataError

TRAIN_FILE = "P1B1.dev.train.csv"
TEST_FILE = "P1B1.dev.test.csv"
NAMES = ((TRAIN_FILE, TEST_FILE), ("P1B1.train.csv", "P1B1.test.csv"))
VALIDATION_SHARE = 0.1  # the last rows of the training file, in file order
_ROWS_AT_ONCE = 64
_RECOGNISED_ROWS = 256
_CANCER_TYPES = 33


@dataclass(frozen=True, slots=True)
class Expression:
    """Training and test rows × genes, float32, and the facts a run reports."""

    train: NDArray[np.float32]
    test: NDArray[np.float32]
    facts: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Profiles:
    """Scaled training, validation and test rows × genes, float32, and the facts a run reports."""

    train: NDArray[np.float32]
    validation: NDArray[np.float32]
    test: NDArray[np.float32]
    facts: dict[str, Any]


def file_names(directory: Path) -> tuple[str, str]:
    """Return the names of the training and the test file that a directory has, a pair of `NAMES`.

    Raises
    ------
    DataError
        If it has files of both pairs.
    """
    present = [pair for pair in NAMES if any((directory / name).exists() for name in pair)]
    if len(present) > 1:
        raise DataError(
            f"{directory}: holds {', '.join(NAMES[0])} and {', '.join(NAMES[1])}, or some of both; "
            "move one of the two to another directory"
        )
    return present[0] if present else NAMES[0]


def _prepare(source: Source) -> Parsed:
    """Return tables that are scaled, and split for validation."""
    data = read(source)
    split = int(len(data.train) * (1 - VALIDATION_SHARE))
    if not split:
        train_file, _ = file_names(source.directory)
        raise DataError(f"{source.directory / train_file}: one row cannot be split for validation")
    scale_to_unit_range(data.train, data.test)
    parts = {"train": data.train[:split], "validation": data.train[split:], "test": data.test}
    return Parsed(parts, data.facts)


def read(source: Source) -> Expression:
    """Read both files and check that they fit together.

    Raises
    ------
    DataError
        If a file is missing or broken, their feature columns differ, or there are files under both pairs
        of names.
    """
    directory = source.directory
    train_file, test_file = file_names(directory)
    synthetic = is_synthetic(directory)
    train, test = source.table("train", train_file), source.table("test", test_file)
    _same_columns(directory / test_file, train, test, train_file)
    facts: dict[str, Any] = {
        "synthetic": synthetic or _has_mark(train) or _has_mark(test),
        "train_rows": len(train.values),
        "test_rows": len(test.values),
        "features": len(train.features),
    }
    if "cancer_type" in train.texts:
        facts["cancer_types"] = len(set(train.texts["cancer_type"]) | set(test.texts.get("cancer_type", [])))
    return Expression(train.values, test.values, facts)


def check(directory: Path, parameters: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Read everything and return rows, features, cancer types, and whether the data are made.

    Fact ``generator_seed`` is there where the data are recognised as drawn by `make`.

    Parameters
    ----------
    parameters
        Of a training; fact ``warnings`` then says where its initial weights are unfit for the data.

    Raises
    ------
    DataError
        As `read`.
    """
    data = read(DATA.source(directory))
    warnings = [] if parameters is None else _dead_units(data, parameters)
    facts = with_seed(data.facts, _generator_seed(data))
    return facts | ({"warnings": warnings} if warnings else {})


def _generator_seed(data: Expression) -> int | None:
    """Return the seed of `make`, by the genes' mean levels."""
    levels = data.train[:_RECOGNISED_ROWS].mean(axis=0)
    for types in dict.fromkeys((data.facts.get("cancer_types", _CANCER_TYPES), _CANCER_TYPES)):
        seed = generator_seed(levels, partial(_first_levels, types))
        if seed is not None:
            return seed
    return None


def _first_levels(types: int, seed: int, genes: int) -> NDArray[np.float64]:
    """Return the levels that `_Genes` draws for the first genes."""
    random = np.random.default_rng([seed, 0])
    random.normal(size=types * len(_Genes.SPREADS))
    return random.normal(2.0, 2.5, genes)


def _dead_units(data: Expression, parameters: Mapping[str, Any]) -> list[str]:
    """Return a warning where weights that all instances start from leave bottleneck units dead."""
    seed, latent = parameters["weights_seed"], parameters["latent_width"]
    if not seed or parameters["framework"] != "tensorflow":  # other frameworks draw other numbers
        return []
    lowest, width = column_bounds(data.train, data.test)
    rows = (data.train[:_ROWS_AT_ONCE] - lowest) / width
    widths = (parameters["outer_width"], parameters["inner_width"], latent)
    dead = dead_units(rows, widths, parameters["weights_stream"], seed)
    if not dead:
        return []
    return [
        f"with weights_seed {seed} and weights_stream {parameters['weights_stream']}, {dead} of {latent} "
        "bottleneck units are 0 for all of the first training rows at the start, in every instance, and such "
        "a unit does not learn; if the accuracy stays low, try the other weights_stream, or weights_seed 0"
    ]


def _write(directory: Path, seed: int, sizes: P1B1Sizes) -> None:
    """Write made tables.

    Each row is a cancer type's place in a low-dimensional space plus the case's own scatter,
    seen through genes that differ in mean level and in how they respond; about two in five
    genes are silent in most cases, as in the real tables.
    """
    genes = _Genes(np.random.default_rng([seed, 0]), sizes.features, sizes.cancer_types)
    rows_of = ((TRAIN_FILE, sizes.train_rows), (TEST_FILE, sizes.test_rows))
    for part, (name, rows) in enumerate(rows_of, start=1):
        _write_table(directory / name, genes, rows, np.random.default_rng([seed, part]), part)


class _Genes:
    """How every gene behaves, and where every cancer type lies."""

    SPREADS = (1.6, 1.3, 0.35, 0.25, 0.2, 0.15)  # a two-unit bottleneck can carry the first two
    SCATTER = 0.35

    def __init__(self, random: np.random.Generator, features: int, cancer_types: int) -> None:
        rank = len(self.SPREADS)
        self.features = features
        self.types = random.normal(size=(cancer_types, rank))
        self.level = random.normal(2.0, 2.5, features).astype(np.float32)
        response = random.normal(size=(rank, features)) * np.array(self.SPREADS)[:, None]
        self.response = response.astype(np.float32)

    def rows(self, types: NDArray[np.int64], random: np.random.Generator) -> NDArray[np.float32]:
        """Return log-expression, cases × genes."""
        place = self.types[types] + random.normal(size=(len(types), len(self.SPREADS))) * self.SCATTER
        noise = random.standard_normal((len(types), self.features), dtype=np.float32)
        expression: NDArray[np.float32] = place.astype(np.float32) @ self.response + self.level + 0.5 * noise
        return np.maximum(expression, np.float32(0))


def _write_table(path: Path, genes: _Genes, rows: int, random: np.random.Generator, part: int) -> None:
    write = decimal_writer()
    types = random.integers(len(genes.types), size=rows)
    with atomic_write(path) as file:
        names = ",".join(f"ENSG{gene:011d}" for gene in range(genes.features))
        file.write(f"case_id,cancer_type,{names}\n")
        for begin in range(0, rows, _ROWS_AT_ONCE):
            chunk = types[begin : begin + _ROWS_AT_ONCE]
            for offset, values in enumerate(genes.rows(chunk, random)):
                file.write(f"{MARK}-{part}-{begin + offset:05d},TYPE-{chunk[offset]:02d},{write(values)}\n")


def _has_mark(table: Table) -> bool:
    return any(case.startswith(MARK) for case in table.texts.get("case_id", ()))


def _same_columns(path: Path, train: Table, test: Table, train_file: str) -> None:
    if train.features == test.features:
        return
    for number, (ours, theirs) in enumerate(zip(test.features, train.features, strict=False), start=1):
        if ours != theirs:
            raise DataError(f"{path}: feature column {number} is {ours!r}, but {theirs!r} in {train_file}")
    raise DataError(
        f"{path}: {len(test.features)} feature columns, but {len(train.features)} in {train_file}"
    )


DATA = TableData(
    "p1b1", NAMES[0], "p1b1-scaled-1", P1B1Sizes, _prepare, Profiles, _write,
    numbers=lambda sizes: sizes.features * (sizes.train_rows + sizes.test_rows),
    present=file_names, other_files=NAMES[1],
)  # fmt: skip
load, fill_cache, make = DATA.load, DATA.fill_cache, DATA.make
