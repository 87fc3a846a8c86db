"""Data sets of tables: read by a choice of reader or mapped from the cache, and made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from workloads.context import DatasetCache
from workloads.data import cache as dataset_cache
from workloads.data.cache_entry import Parsed
from workloads.data.read_times import ReadTimes
from workloads.data.readers import CHUNK_ROWS
from workloads.data.synthetic import writing_synthetic
from workloads.data.wide_csv import Table, read_matrix, read_table

Loaded = TypeVar("Loaded")


@dataclass(frozen=True, slots=True)
class Source:
    """Files of a data set, and how they are read.

    Parameters
    ----------
    directory
        Where the files are.
    reader
        One of `workloads.data.readers.READERS`.
    chunk_rows
        Of reader ``pandas_chunked``.
    times
        Takes the time of reading each file.
    """

    name: str
    directory: Path
    reader: str
    chunk_rows: int
    times: ReadTimes

    @property
    def advice(self) -> str:
        """Advice about a missing file."""
        return (
            f"run `orchestrator data generate {self.name} --output {self.directory}`, or put the file there"
        )

    def matrix(self, part: str, file: str) -> NDArray[np.float32]:
        """Return the numbers of a file without a header; raises `DataError` if it is missing or broken."""
        path = self.directory / file
        with self.times.file(part, path) as read:
            matrix = read_matrix(path, self.advice, self.reader, self.chunk_rows)
            read.rows = len(matrix)
        return matrix

    def table(self, part: str, file: str) -> Table:
        """Return a file with a header; raises `DataError` if it is missing or broken."""
        path = self.directory / file
        with self.times.file(part, path) as read:
            table = read_table(path, self.advice, self.reader, self.chunk_rows)
            read.rows = len(table.values)
        return table


@dataclass(frozen=True, slots=True)
class TableData(Generic[Loaded]):
    """The data set of a workload.

    Parameters
    ----------
    name
        Name of the workload, whose module is ``workloads.candle.NAME_data``.
    files
        Names of the files that `make` writes.
    layout
        Name of the prepared arrays in the cache; another number with every change of scaling, split or types.
    sizes
        Dataclass of the sizes of made data; the defaults are the real ones.
    prepare
        Reads the files, and returns the arrays that are trained on, and facts.
    loaded
        Returns a training's data from the arrays and the facts.
    write
        Writes made files into a directory by a seed and sizes.
    numbers
        Returns how many numbers made files have at least.
    present
        Returns the names that a directory's files have, where they may have others than `files`.
    other_files
        These other names.
    """

    name: str
    files: tuple[str, ...]
    layout: str
    sizes: Callable[..., Any]
    prepare: Callable[[Source], Parsed]
    loaded: Callable[..., Loaded]
    write: Callable[[Path, int, Any], None]
    numbers: Callable[[Any], int]
    present: Callable[[Path], Sequence[str]] | None = None
    other_files: tuple[str, ...] = ()

    def source(
        self,
        directory: Path,
        reader: str = "numpy",
        chunk_rows: int = CHUNK_ROWS,
        times: ReadTimes | None = None,
    ) -> Source:
        """Return the files in a directory, to be read."""
        return Source(self.name, Path(directory), reader, chunk_rows, times or ReadTimes())

    def load(
        self,
        directory: Path,
        loader: str = "numpy",
        cache: DatasetCache | Path | None = None,
        chunk_rows: int = CHUNK_ROWS,
        times: ReadTimes | None = None,
    ) -> Loaded:
        """Return the data that are trained on, read from files or mapped from the cache.

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
            If a file is missing or broken, files do not fit together, there are too few rows to be split, or
            the cache cannot be used.
        """
        parsed = self._parsed(Path(directory), loader, cache, chunk_rows, times)
        return self.loaded(**parsed.arrays, facts=dict(parsed.facts))

    def fill_cache(self, directory: Path, cache: Path) -> dict[str, Any]:
        """Put the data set into a cache, unless it is there, and return the facts; raises as `load`."""
        return dict(self._parsed(Path(directory), "cache", Path(cache)).facts)

    def _parsed(
        self,
        directory: Path,
        loader: str,
        cache: DatasetCache | Path | None,
        chunk_rows: int = CHUNK_ROWS,
        times: ReadTimes | None = None,
    ) -> Parsed:
        def prepare(reader: str) -> Parsed:
            return self.prepare(self.source(directory, reader, chunk_rows, times))

        files = self.present(directory) if self.present else self.files
        return dataset_cache.load(loader, cache, directory, files, self.layout, prepare)

    def make(self, directory: Path, seed: int, **given: int) -> tuple[Path, ...]:
        """Write made tables in the true format and return the files' paths.

        Parameters
        ----------
        directory
            Created where it does not exist.
        seed
            All numbers follow from it.
        given
            Fields of `sizes` that differ from the defaults.

        Raises
        ------
        DataError
            If the directory holds files that were not made here, or the sizes contradict each other.
        """
        directory, sizes = Path(directory), self.sizes(**given)
        facts = {"maker": f"workloads.candle.{self.name}_data:make", "seed": seed, "sizes": asdict(sizes)}
        least_bytes = 2 * self.numbers(sizes)  # a digit and a comma
        with writing_synthetic(directory, [*self.files, *self.other_files], facts, least_bytes):
            self.write(directory, seed, sizes)
        return tuple(directory / name for name in self.files)


def with_seed(facts: dict[str, Any], seed: int | None) -> dict[str, Any]:
    """Return facts with ``generator_seed`` where made data were recognised."""
    return facts if seed is None else facts | {"generator_seed": seed}
