"""Read wide tables of decimal numbers as float32, with errors that name file, row and column.

A table of 3,000 × 60,483 numbers is the size this is made for. NumPy's typed reader takes it line by line, so
that memory stays near that of the result, while the cost of the others grows with the number of columns. Of
one core, reading 3,000 × 60,483 synthetic numbers (883 MB of text) into one float32 array took

=============================================  ==========  ===============
reader                                         CPU time    peak memory
=============================================  ==========  ===============
this module: NumPy ``loadtxt`` and its checks  9.0 s       736 MiB
NumPy ``fromstring`` by line                   1.9 times   1.9 times
pandas ``low_memory=False``                    2.1 times   5.4 times
pandas                                         8.9 times   9.0 times
Polars, typed                                  2.7 times   5.6 times
PyArrow, typed                                 4.1 times   8.9 times
=============================================  ==========  ===============

with NumPy 2.0, pandas 3.1, Polars 2.1 and PyArrow 26, on a shared machine of two cores in November 2026;
``python -m tests.bench.peers --only loading --full`` measures again. All arrays were equal, but for the
pandas' ones, see below. Threads of Polars or PyArrow are no gain where every core has an instance of its own.

pandas and Dask are here to be compared with: pandas in the two ways in which the CANDLE benchmarks and a
study of their scaling (Wu et al., ICPP 2019) read these files, and Dask DataFrame, which the study tried.
The values are NumPy's to the last bit, with one exception: pandas reads some numbers of more than 15 digits
one unit of double precision off. Where such a number lies halfway between two of single precision, it may be
rounded to the other one. pandas also skips blank lines between rows, where NumPy's reader refuses the file.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workloads.data.readers import CHUNK_ROWS
from workloads.data.table_files import open_table, read_with_dask
from workloads.description import DataError

TEXT_COLUMNS = ("case_id", "cancer_type")
_ROWS_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class _Layout:
    """A file, the names of its columns, its first row of numbers, and how many leading columns are text."""

    path: Path
    header: list[str]
    first_row: int
    text_columns: int = 0


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a header.

    Parameters
    ----------
    values
        Numbers, rows × features, float32.
    texts
        Texts of each leading text column that the file has, one per row.
    """

    values: NDArray[np.float32]
    features: tuple[str, ...]
    texts: dict[str, list[str]]


def read_table(path: Path, advice: str = "", reader: str = "numpy", chunk_rows: int = CHUNK_ROWS) -> Table:
    """Read a file whose first line names the columns.

    Leading columns named ``case_id`` and ``cancer_type`` are text, all others numbers.

    Parameters
    ----------
    advice
        What to do when the file is missing, appended to that message.
    reader
        One of `workloads.data.readers.READERS`.
    chunk_rows
        Rows that ``pandas_chunked`` reads at once.

    Raises
    ------
    DataError
        If the file is missing, empty, or has a line that is cut short, a cell that is not a
        finite number, or a column name twice; names file, row (line number) and column.
    """
    with open_table(path, advice) as lines:
        header = _cells(lines.readline().rstrip("\r\n"))
        if header == [""]:
            raise DataError(f"{path}: the first line is empty, it must name the columns")
        text_columns = 0
        while text_columns < min(len(TEXT_COLUMNS), len(header)) and header[text_columns] in TEXT_COLUMNS:
            text_columns += 1
        features = tuple(header[text_columns:])
        if not features:
            raise DataError(f"{path}: the header names no feature columns, only {', '.join(header)}")
        if len(set(features)) < len(features):
            twice = next(name for name in features if features.count(name) > 1)
            raise DataError(f"{path}: row 1: column {twice!r} is named twice")
        layout = _Layout(path, header, 2, text_columns)
        values, texts = _read(lines, layout) if reader == "numpy" else _read_frame(layout, reader, chunk_rows)
    return Table(values, features, dict(zip(header, texts, strict=False)))


def read_matrix(
    path: Path, advice: str = "", reader: str = "numpy", chunk_rows: int = CHUNK_ROWS
) -> NDArray[np.float32]:
    """Read a file of numbers without a header, every line with as many columns as the first.

    Raises
    ------
    DataError
        As `read_table`; columns are named by number, from 1.
    """
    with open_table(path, advice) as lines:
        first = lines.readline()
        header = [str(number) for number, _ in enumerate(_cells(first.rstrip("\r\n")), start=1)]
        layout = _Layout(path, header, 1)
        whole = chain([first], lines)
        return (_read(whole, layout) if reader == "numpy" else _read_frame(layout, reader, chunk_rows))[0]


def _read(lines: Iterator[str], layout: _Layout) -> tuple[NDArray[np.float32], list[list[str]]]:
    """Return the numbers of `lines`, and each leading text column."""
    texts: list[list[str]] = []
    numbers = _numeric_part(lines, layout.text_columns, texts)
    try:
        first = next(numbers, None)
        if first is None:
            raise DataError(f"{layout.path}: the file has a header and no rows")
        values = np.loadtxt(
            chain([first], numbers), delimiter=",", dtype=np.float32, ndmin=2, comments=None, quotechar='"'
        )
    except (ValueError, OverflowError, csv.Error) as error:
        if isinstance(error, DataError):
            raise
        raise _first_fault(layout, str(error)) from None
    _check_values(values, layout)
    return values, [[row[column] for row in texts] for column in range(layout.text_columns)]


def _read_frame(layout: _Layout, reader: str, chunk_rows: int) -> tuple[NDArray[np.float32], list[list[str]]]:
    """Return the numbers as pandas or Dask reads them, and each leading text column."""
    import pandas as pd  # only here: importing it takes longer than reading a small file

    header = 0 if layout.first_row > 1 else None
    try:
        if reader == "dask":
            frame = _dask_frame(layout)
        elif reader == "pandas_chunked":
            chunks = pd.read_csv(layout.path, header=header, low_memory=False, chunksize=chunk_rows)
            frame = pd.concat(list(chunks))
        else:
            options: dict[str, Any] = {"low_memory": False} if reader == "pandas_low_memory_false" else {}
            frame = pd.read_csv(layout.path, header=header, **options)
    except ValueError as error:  # pandas' own errors are of this kind
        raise _first_fault(layout, str(error)) from None
    if frame.empty:
        raise DataError(f"{layout.path}: the file has a header and no rows")
    numbers = frame.iloc[:, layout.text_columns :]
    # One cell too many in every row makes the first column an index; a cell that is no number, a text column.
    if not isinstance(frame.index, pd.RangeIndex) or any(dtype.kind not in "iuf" for dtype in numbers.dtypes):
        raise _first_fault(layout, "the columns cannot be read as numbers")
    with np.errstate(over="ignore"):  # found below
        values = numbers.to_numpy(dtype=np.float64).astype(np.float32, order="C")
    _check_values(values, layout)
    return values, [frame.iloc[:, column].astype(str).tolist() for column in range(layout.text_columns)]


def _dask_frame(layout: _Layout) -> Any:
    with open_table(layout.path) as lines:
        lines.readline()
        row = lines.readline()
    if layout.first_row > 1 and row and len(_cells(row.rstrip("\r\n"))) != len(layout.header):
        raise ValueError("the first row does not fit the header")  # Dask has pandas drop the cells beyond it
    return read_with_dask(
        layout.path,
        header=0 if layout.first_row > 1 else None,
        dtype=dict.fromkeys(layout.header[: layout.text_columns], "object"),
    )


def _check_values(values: NDArray[np.float32], layout: _Layout) -> None:
    """Raise `DataError` unless the columns are those of the header and all numbers are finite."""
    if values.shape[1] != len(layout.header) - layout.text_columns or not _finite(values):
        raise _first_fault(layout, "the rows do not fit the header")


def _finite(values: NDArray[np.float32]) -> bool:
    return all(
        np.isfinite(values[row : row + _ROWS_AT_ONCE]).all() for row in range(0, len(values), _ROWS_AT_ONCE)
    )


def _numeric_part(lines: Iterator[str], text_columns: int, texts: list[list[str]]) -> Iterator[str]:
    """Yield each line without its leading text cells; only blank lines at the end are ignored."""
    blank = 0
    for line in lines:
        if not line.strip():
            blank += 1
            continue
        if blank:
            raise ValueError("a blank line between rows")
        if not text_columns:
            yield line
            continue
        cells = _cells(line) if '"' in line else line.split(",", text_columns)
        texts.append(cells[:text_columns])
        rest = ",".join(cells[text_columns:])
        if not rest.strip():  # NumPy would skip the line as a blank one
            raise ValueError("a row without numbers")
        yield rest


def _first_fault(layout: _Layout, otherwise: str) -> DataError:
    """Read the file again, slowly, and return an error that names the first bad place."""
    path, header = layout.path, layout.header
    with path.open(encoding="utf-8", errors="replace", newline="") as lines:
        for row, line in enumerate(lines, start=1):
            if row < layout.first_row:
                continue
            if not line.strip():
                return DataError(f"{path}: row {row} is blank, {len(header)} columns are expected")
            cells = _cells(line.rstrip("\r\n"))
            if len(cells) != len(header):
                end = "" if line.endswith("\n") else "; the file ends there, it was cut short"
                return DataError(
                    f"{path}: row {row} has {len(cells)} columns, {len(header)} are expected{end}"
                )
            for name, cell in zip(header[layout.text_columns :], cells[layout.text_columns :], strict=True):
                fault = _fault(cell)
                if fault:
                    return DataError(f"{path}: row {row}, column {name}: {fault}")
    return DataError(f"{path}: {otherwise}")


def _fault(cell: str) -> str:
    """Say what is wrong with a numeric cell, or return an empty text."""
    text = cell.strip()
    if not text:
        return "the cell is empty, a number is expected"
    try:
        number = float(text.replace("_", "?"))  # Python takes 1_000 for a number, the table reader does not
    except ValueError:
        return f"{text[:40]!r} is not a number"
    finite = abs(number) <= float(np.finfo(np.float32).max)
    return "" if finite else f"{text[:40]} is not a finite number in single precision"


def _cells(line: str) -> list[str]:
    return next(csv.reader([line]), None) or [""]
