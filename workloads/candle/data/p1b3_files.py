"""Read the files of P1B3, which have missing numbers and names of drugs and cell lines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workloads.data.table_files import open_table, read_with_dask
from workloads.description import DataError

if TYPE_CHECKING:
    import pandas as pd

_MISSING = ["na", "-", ""]
_RESPONSE_COLUMNS = ("NSC", "CELLNAME", "LOG_CONCENTRATION", "GROWTH")


def read_responses(path: Path, advice: str, reader: str, chunk_rows: int) -> pd.DataFrame:
    """Return the responses, columns `_RESPONSE_COLUMNS`.

    Raises
    ------
    DataError
        If the file is missing or broken, lacks a column, or holds a response without numbers.
    """
    texts = {"NSC": "object", "CELLNAME": "object"}
    numbers = dict.fromkeys(_RESPONSE_COLUMNS[2:], "float32")
    frame = _frame(path, ",", advice, reader, chunk_rows, texts | numbers)
    absent = [name for name in _RESPONSE_COLUMNS if name not in frame]
    if absent:
        raise DataError(f"{path}: row 1 names no column {', '.join(absent)}")
    frame = frame[list(_RESPONSE_COLUMNS)]
    bad = frame.isna().any(axis=1).to_numpy() | ~np.isfinite(
        frame[["LOG_CONCENTRATION", "GROWTH"]].to_numpy(np.float64)
    ).all(axis=1)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        column = next(
            name
            for name in _RESPONSE_COLUMNS
            if frame[name].isna().iloc[row] or (name in numbers and not np.isfinite(frame[name].iloc[row]))
        )
        raise DataError(f"{path}: row {row + 2}, column {column}: a value is missing, or not finite")
    return frame


def read_features(
    path: Path, key: str, advice: str, reader: str, chunk_rows: int
) -> tuple[list[str], NDArray[np.float32]]:
    """Return the names in column `key`, and the other columns, rows × features, NaN where missing.

    Raises
    ------
    DataError
        If the file is missing or broken, lacks the column, names a row twice, or holds no features.
    """
    frame = _frame(path, "\t", advice, reader, chunk_rows, {key: "object"}, others="float32")
    if key not in frame:
        raise DataError(f"{path}: row 1 names no column {key}")
    if frame[key].isna().any():
        row = int(np.flatnonzero(frame[key].isna().to_numpy())[0])
        raise DataError(f"{path}: row {row + 2}, column {key}: the name is missing")
    names = frame[key].astype(str).tolist()
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"{path}: {key} {twice[:40]!r} has two rows")
    values = frame.drop(columns=key)
    wrong = [
        str(name)
        for name, dtype in zip(values.columns, values.dtypes, strict=True)
        if dtype.kind not in "iuf"
    ]
    if wrong:
        raise DataError(f"{path}: column {wrong[0]} holds something that is not a number")
    matrix = values.to_numpy(np.float32)
    if np.isinf(matrix).any():
        row, column = (int(one[0]) for one in np.nonzero(np.isinf(matrix)))
        raise DataError(f"{path}: row {row + 2}, column {values.columns[column]}: not a finite number")
    if not matrix.size or np.isnan(matrix).all():
        raise DataError(f"{path}: the file has no features, only {key}")
    return names, matrix


def read_names(path: Path, column: str, advice: str) -> list[str]:
    """Return the names of a list whose first line is `column`.

    Raises
    ------
    DataError
        If the file is missing, or begins otherwise.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise DataError(f"{path}: no such file; {advice}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: cannot be read ({error})") from error
    if not lines or lines[0].strip() != column:
        raise DataError(f"{path}: row 1 must be {column}")
    return [name for line in lines[1:] if (name := line.strip())]


def _frame(
    path: Path,
    separator: str,
    advice: str,
    reader: str,
    chunk_rows: int,
    types: dict[str, str],
    others: str | None = None,
) -> pd.DataFrame:
    """Return a table; ``numpy`` stands for pandas with every column's type given.

    Parameters
    ----------
    types
        Of columns by name.
    others
        Type of all other columns; the original states it for the typed reader only.
    """
    import pandas as pd

    if reader == "numpy" and others is not None:
        with open_table(path, advice) as lines:
            header = lines.readline().rstrip("\r\n").split(separator)
        types = dict.fromkeys(header, others) | types
    settings: dict[str, Any] = {"sep": separator, "na_values": _MISSING, "dtype": types}
    open_table(path, advice).close()
    try:
        if reader == "dask":
            return read_with_dask(path, **settings)
        if reader == "pandas_chunked":
            chunks = pd.read_csv(path, engine="c", low_memory=False, chunksize=chunk_rows, **settings)
            return pd.concat(list(chunks), ignore_index=True)
        if reader == "pandas_low_memory_false":
            settings["low_memory"] = False
        frame: pd.DataFrame = pd.read_csv(path, engine="c", **settings)
    except (ValueError, OSError) as error:  # pandas' own errors are of the first kind
        raise DataError(f"{path}: cannot be read: {' '.join(str(error).split())}") from None
    return frame
