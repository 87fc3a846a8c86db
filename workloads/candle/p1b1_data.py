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

from workloads.candle.dead_units import dead_units
from workloads.context import DatasetCache
from workloads.data import cache as dataset_cache
from workloads.data.cache_entry import Parsed
from workloads.data.column_scaling import column_bounds, scale_to_unit_range
from workloads.data.generator_seeds import generator_seed
from workloads.data.read_times import ReadTimes
from workloads.data.readers import CHUNK_ROWS
from workloads.data.synthetic import MARK, atomic_write, decimal_writer, is_synthetic, writing_synthetic
from workloads.data.wide_csv import Table, read_table
from workloads.description import DataError

TRAIN_FILE = "P1B1.dev.train.csv"
TEST_FILE = "P1B1.dev.test.csv"
NAMES = ((TRAIN_FILE, TEST_FILE), ("P1B1.train.csv", "P1B1.test.csv"))
VALIDATION_SHARE = 0.1  # the last rows of the training file, in file order
_LAYOUT_NAME = "p1b1-scaled-1"  # another number with every change of scaling, split or types
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


def load(
    directory: Path,
    loader: str = "numpy",
    cache: DatasetCache | Path | None = None,
    chunk_rows: int = CHUNK_ROWS,
    times: ReadTimes | None = None,
) -> Profiles:
    """Return what is trained on: scaled, and split for validation.

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
        As `read`, if there is one training row only, or the cache cannot be used.
    """
    names = file_names(directory)

    def prepare(reader: str) -> Parsed:
        data = read(directory, reader, chunk_rows, times)
        split = int(len(data.train) * (1 - VALIDATION_SHARE))
        if not split:
            raise DataError(f"{directory / names[0]}: one row cannot be split for validation")
        scale_to_unit_range(data.train, data.test)
        return Parsed(
            {"train": data.train[:split], "validation": data.train[split:], "test": data.test}, data.facts
        )

    parsed = dataset_cache.load(loader, cache, directory, names, _LAYOUT_NAME, prepare)
    return Profiles(**parsed.arrays, facts=dict(parsed.facts))


def read(
    directory: Path,
    reader: str = "numpy",
    chunk_rows: int = CHUNK_ROWS,
    times: ReadTimes | None = None,
) -> Expression:
    """Read both files and check that they fit together.

    Raises
    ------
    DataError
        If a file is missing or broken, their feature columns differ, or there are files under both pairs
        of names.
    """
    train_file, test_file = file_names(directory)
    synthetic = is_synthetic(directory)
    advice = f"run `orchestrator data generate p1b1 --to {directory}`, or put the file there"
    times, tables = times or ReadTimes(), []
    for part, name in (("train", train_file), ("test", test_file)):
        with times.file(part, directory / name) as one:
            tables.append(read_table(directory / name, advice, reader, chunk_rows))
            one.rows = len(tables[-1].values)
    train, test = tables
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
    data = read(Path(directory))
    warnings = [] if parameters is None else _dead_units(data, parameters)
    seed = _generator_seed(data)
    recognised = {} if seed is None else {"generator_seed": seed}
    return data.facts | recognised | ({"warnings": warnings} if warnings else {})


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


def fill_cache(directory: Path, cache: Path) -> dict[str, Any]:
    """Put the data set into a dataset cache, unless it is there; return the facts.

    Raises
    ------
    DataError
        As `load`.
    """
    return load(Path(directory), "cache", Path(cache)).facts


def make(
    directory: Path,
    seed: int,
    *,
    train_rows: int = 3000,
    test_rows: int = 1000,
    features: int = 60483,
    cancer_types: int = _CANCER_TYPES,
) -> tuple[Path, ...]:
    """Write made tables in the true format and return their paths.

    Each row is a cancer type's place in a low-dimensional space plus the case's own scatter,
    seen through genes that differ in mean level and in how they respond; about two in five
    genes are silent in most cases, as in the real tables.

    Raises
    ------
    DataError
        If the directory holds files that were not made here.
    """
    directory = Path(directory)
    sizes = {
        "train_rows": train_rows,
        "test_rows": test_rows,
        "features": features,
        "cancer_types": cancer_types,
    }
    facts = {"maker": "workloads.candle.p1b1_data:make", "seed": seed, "sizes": sizes}
    least_bytes = 2 * features * (train_rows + test_rows)  # a digit and a comma
    with writing_synthetic(directory, [name for pair in NAMES for name in pair], facts, least_bytes):
        genes = _Genes(np.random.default_rng([seed, 0]), features, cancer_types)
        paths = (directory / TRAIN_FILE, directory / TEST_FILE)
        for part, (path, rows) in enumerate(zip(paths, (train_rows, test_rows), strict=True), start=1):
            _write(path, genes, rows, np.random.default_rng([seed, part]), part)
    return paths


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


def _write(path: Path, genes: _Genes, rows: int, random: np.random.Generator, part: int) -> None:
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
