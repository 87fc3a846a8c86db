"""P1B3's tables: reading, sampling, joining, checking, making.

Source: ECP-CANDLE/Benchmarks tag v0.1, Pilot1/P1B3, with its default features. Files:

- ``P1B3_dose_response.csv``: columns NSC (drug), CELLNAME, LOG_CONCENTRATION, GROWTH in percent;
- ``P1B3_cellline_expressions.tsv``: column CellLine, then one per gene; dots in the names stand for colons;
- ``P1B3_drug_descriptors.tsv``: column NAME (drug), then one per descriptor;
- ``P1B3_test_drugs.txt``, ``P1B3_test_celllines.txt``: a header, NSC or CELLNAME, and a name a line.

A row is a response: one log concentration, all expressions of its cell line, all descriptors of its drug. The
joined table of a million rows × 29,532 numbers would take 118 GB, so rows are joined batch by batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workloads.candle.data.p1b3_files import read_features, read_names, read_responses
from workloads.candle.data.table import Source, TableData, with_seed
from workloads.candle.sizes import P1B3Sizes
from workloads.context import DatasetCache
from workloads.data.cache_entry import Parsed
from workloads.data.column_scaling import impute_and_standardise
from workloads.data.generator_seeds import generator_seed
from workloads.data.read_times import ReadTimes
from workloads.data.readers import CHUNK_ROWS
from workloads.data.synthetic import (
    MARK,
    atomic_write,
    decimal_writer,
    is_synthetic,
)
from workloads.description import DataError

if TYPE_CHECKING:
    import pandas as pd

RESPONSES, EXPRESSIONS, DESCRIPTORS = (
    "P1B3_dose_response.csv",
    "P1B3_cellline_expressions.tsv",
    "P1B3_drug_descriptors.tsv",
)
TEST_DRUGS, TEST_CELLS = "P1B3_test_drugs.txt", "P1B3_test_celllines.txt"
FILES = (RESPONSES, EXPRESSIONS, DESCRIPTORS, TEST_DRUGS, TEST_CELLS)
PARTS = ("train", "validation", "test")
_LOWEST, _HIGHEST = -5.0, -4.0  # log concentrations that are used
_PERCENT = 100
_TRAITS = 4
_LEAST_CELLS, _LEAST_ALIKE = 40, 0.9  # real tables have few factors: less would be chance now and then


@dataclass(frozen=True, slots=True)
class Sampling:
    """How responses are chosen and split.

    Parameters
    ----------
    seed
        Of all draws.
    validation_share
        Last share of the shuffled rows, not of the test.
    test_cell_share
        Share of the cell lines whose responses to the test drugs are the test.
    """

    seed: int = 2017
    validation_share: float = 0.1
    test_cell_share: float = 0.15


@dataclass(frozen=True, slots=True)
class Responses:
    """Responses of one part: rows of the feature tables, log concentration, and growth ÷ 100."""

    cell: NDArray[np.int32]
    drug: NDArray[np.int32]
    concentration: NDArray[np.float32]
    growth: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.growth)


@dataclass(frozen=True, slots=True)
class DrugResponse:
    """Standardised features, float32, responses of the three parts, and facts of the data.

    Parameters
    ----------
    expressions
        Cell lines × genes.
    descriptors
        Drugs × descriptors.
    """

    expressions: NDArray[np.float32]
    descriptors: NDArray[np.float32]
    train: Responses
    validation: Responses
    test: Responses
    facts: dict[str, Any]

    @property
    def inputs(self) -> int:
        """Numbers of a joined row."""
        return 1 + self.expressions.shape[1] + self.descriptors.shape[1]

    def join(self, part: Responses, rows: NDArray[Any] | slice) -> NDArray[np.float32]:
        """Return joined rows × inputs: log concentration, expressions, descriptors."""
        cell, drug = part.cell[rows], part.drug[rows]
        genes = self.expressions.shape[1]
        joined = np.empty((len(cell), self.inputs), np.float32)
        joined[:, 0] = part.concentration[rows]
        joined[:, 1 : 1 + genes] = self.expressions[cell]
        joined[:, 1 + genes :] = self.descriptors[drug]
        return joined


def data_set(sampling: Sampling = Sampling()) -> TableData[DrugResponse]:
    """Return the data set with a choice and split of the responses."""
    return TableData(
        "p1b3", FILES, f"p1b3-{sampling.seed}-{sampling.validation_share:g}-{sampling.test_cell_share:g}-1",
        P1B3Sizes, partial(_prepare, sampling), _loaded, _write,
        numbers=lambda sizes: sizes.cell_lines * sizes.genes + sizes.drugs * sizes.descriptors,
    )  # fmt: skip


def load(
    directory: Path,
    loader: str = "numpy",
    cache: DatasetCache | Path | None = None,
    chunk_rows: int = CHUNK_ROWS,
    times: ReadTimes | None = None,
    sampling: Sampling = Sampling(),
) -> DrugResponse:
    """Return features and sampled responses; see `TableData.load` and `data_set`.

    Raises
    ------
    DataError
        If a file is missing or broken, a part is left without rows, or the cache cannot be used.
    """
    return data_set(sampling).load(directory, loader, cache, chunk_rows, times)


def _loaded(
    expressions: NDArray[np.float32],
    descriptors: NDArray[np.float32],
    facts: dict[str, Any],
    **arrays: NDArray[Any],
) -> DrugResponse:
    columns = ("cell", "drug", "concentration", "growth")
    parts = {part: Responses(*(arrays[f"{part}_{name}"] for name in columns)) for part in PARTS}
    return DrugResponse(expressions, descriptors, **parts, facts=facts)


def check(directory: Path) -> dict[str, Any]:
    """Return rows of each part, features, and whether the data are synthetic; raises as `load`.

    Fact ``generator_seed`` is there where the data are recognised as drawn by `make`.
    """
    facts = load(Path(directory)).facts
    _, expressions = read_features(Path(directory) / EXPRESSIONS, "CellLine", "", "numpy", CHUNK_ROWS)
    seed = _generator_seed(np.nan_to_num(expressions))
    return with_seed(facts, seed)


def _generator_seed(expressions: NDArray[np.float32]) -> int | None:
    """Return the seed of `make`, by how alike cell lines are: their traits come first."""
    cells = len(expressions)
    if cells < _LEAST_CELLS:
        return None
    pairs = np.triu_indices(cells, 1)

    def alike(seed: int, number: int) -> NDArray[np.float64]:
        traits = np.random.default_rng([seed, 0]).normal(size=(cells, _TRAITS))
        return (traits @ traits.T)[pairs][:number]

    return generator_seed((expressions @ expressions.T)[pairs], alike, _LEAST_ALIKE)


def sample_and_split(
    responses: pd.DataFrame, test_drugs: set[str], test_cells: set[str], sampling: Sampling
) -> dict[str, pd.DataFrame]:
    """Return the rows of each part, chosen, split and shuffled as the original does with the same seed.

    Growth up to 0 is kept whole; of rows above 0 and below 50 the original keeps 0.7, from 50 to 100 0.18,
    above 100 0.01. The test has the test drugs on a share of the cell lines that also train.
    """
    import pandas as pd

    growth = responses["GROWTH"]
    kept = [responses[growth <= 0]]
    for rows, share in (
        ((growth > 0) & (growth < 50), 0.7),
        ((growth >= 50) & (growth <= _PERCENT), 0.18),
        (growth > _PERCENT, 0.01),
    ):
        kept.append(responses[rows].sample(frac=share, random_state=sampling.seed))
    chosen = pd.concat(kept)
    is_test_drug, is_test_cell = chosen["NSC"].isin(test_drugs), chosen["CELLNAME"].isin(test_cells)
    learned = chosen[~is_test_drug & ~is_test_cell]
    cells = learned[["CELLNAME"]].drop_duplicates()
    seen = cells.sample(frac=sampling.test_cell_share, random_state=sampling.seed)["CELLNAME"]
    test = chosen[is_test_drug & chosen["CELLNAME"].isin(set(seen))]
    learned = learned.sample(frac=1.0, random_state=sampling.seed)
    test = test.sample(frac=1.0, random_state=sampling.seed)
    split = len(learned) - int(len(learned) * sampling.validation_share)
    return {"train": learned.iloc[:split], "validation": learned.iloc[split:], "test": test}


def _prepare(sampling: Sampling, source: Source) -> Parsed:
    """Read all files, choose and split the responses, and standardise the features."""
    directory, reader, chunk_rows, times = source.directory, source.reader, source.chunk_rows, source.times
    advice = source.advice
    with times.file("response", directory / RESPONSES) as one:
        responses = read_responses(directory / RESPONSES, advice, reader, chunk_rows)
        one.rows = len(responses)
    features = {}
    for name, file, key in (("expression", EXPRESSIONS, "CellLine"), ("descriptor", DESCRIPTORS, "NAME")):
        with times.file(name, directory / file) as one:
            features[name] = read_features(directory / file, key, advice, reader, chunk_rows)
            one.rows = len(features[name][0])
    test_drugs = read_names(directory / TEST_DRUGS, "NSC", advice)
    test_cells = read_names(directory / TEST_CELLS, "CELLNAME", advice)
    cells = {name.replace(".", ":"): row for row, name in enumerate(features["expression"][0])}
    drugs = {name: row for row, name in enumerate(features["descriptor"][0])}
    dose = responses["LOG_CONCENTRATION"]
    used = responses[
        (dose >= _LOWEST)
        & (dose <= _HIGHEST)
        & responses["CELLNAME"].isin(set(cells))
        & responses["NSC"].isin(set(drugs))
    ]
    parts = sample_and_split(used, set(test_drugs), set(test_cells), sampling)
    arrays: dict[str, NDArray[Any]] = {
        "expressions": impute_and_standardise(features["expression"][1]),
        "descriptors": impute_and_standardise(features["descriptor"][1]),
    }
    marked = any(name.startswith(MARK) for name in cells)
    facts: dict[str, Any] = {"synthetic": is_synthetic(directory) or marked}
    for part, rows in parts.items():
        if rows.empty:
            raise DataError(
                f"{directory / RESPONSES}: no response is left for the {part} part, of {len(used)} with log "
                f"concentration {_LOWEST:g} to {_HIGHEST:g} whose drug and cell line have features"
            )
        facts[f"{part}_rows"] = len(rows)
        arrays |= {
            f"{part}_cell": rows["CELLNAME"].map(cells).to_numpy(np.int32),
            f"{part}_drug": rows["NSC"].map(drugs).to_numpy(np.int32),
            f"{part}_concentration": rows["LOG_CONCENTRATION"].to_numpy(np.float32),
            f"{part}_growth": (rows["GROWTH"] / _PERCENT).to_numpy(np.float32),
        }
    facts["features"] = 1 + arrays["expressions"].shape[1] + arrays["descriptors"].shape[1]
    facts |= {"cell_lines": len(cells), "drugs": len(drugs)}
    return Parsed(arrays, facts)


def _write(directory: Path, seed: int, sizes: P1B3Sizes) -> None:
    """Write synthetic files.

    Growth falls with the concentration, faster where hidden traits of drug and cell line agree; expressions
    and descriptors show these traits under noise, and some of them are missing.
    """
    if sizes.test_drugs >= sizes.drugs:
        raise DataError(f"p1b3: {sizes.test_drugs} test drugs of {sizes.drugs} leave none to train on")
    random = np.random.default_rng([seed, 0])
    cells = [f"{MARK}.CELL{number}" for number in range(sizes.cell_lines)]
    drugs = [str(100000 + number) for number in range(sizes.drugs)]
    cell_traits, drug_traits = (random.normal(size=(len(names), _TRAITS)) for names in (cells, drugs))
    _write_features(directory / EXPRESSIONS, "CellLine", cells, cell_traits, sizes.genes, random)
    _write_features(directory / DESCRIPTORS, "NAME", drugs, drug_traits, sizes.descriptors, random)
    with atomic_write(directory / RESPONSES) as file:
        file.write("NSC,CELLNAME,LOG_CONCENTRATION,GROWTH\n")
        doses = -4.0 - 0.5 * np.arange(sizes.doses)
        for drug, trait in zip(drugs, drug_traits, strict=True):
            effect = 60 + 45 * (cell_traits @ trait)[:, None] * (doses + 6.5) / 2.5
            growth = np.clip(100 - effect + random.normal(0, 15, effect.shape), -100, 200)
            for cell, values in zip(cells, growth, strict=True):
                name = cell.replace(".", ":")
                file.writelines(
                    f"{drug},{name},{dose:g},{value:.2f}\n" for dose, value in zip(doses, values, strict=True)
                )
    test = random.permutation(len(drugs))[: sizes.test_drugs]
    for name, header, lines in (
        (TEST_DRUGS, "NSC", [drugs[number] for number in sorted(test)]),
        (TEST_CELLS, "CELLNAME", []),
    ):
        with atomic_write(directory / name) as file:
            file.writelines(f"{line}\n" for line in [header, *lines])


def _write_features(
    path: Path,
    key: str,
    names: list[str],
    traits: NDArray[np.float64],
    columns: int,
    random: np.random.Generator,
) -> None:
    """Write a feature table; about one number in 500 is missing."""
    write, weights = decimal_writer(), random.normal(size=(traits.shape[1], columns))
    with atomic_write(path) as file:
        file.write("\t".join([key, *(f"F{number}" for number in range(columns))]) + "\n")
        for name, trait in zip(names, traits, strict=True):
            cells = write(trait @ weights + random.normal(size=columns)).split(",")
            for missing in np.flatnonzero(random.random(columns) < 0.002).tolist():
                cells[missing] = "na"
            file.write("\t".join([name, *cells]) + "\n")


DATA = data_set()
fill_cache, make = DATA.fill_cache, DATA.make
