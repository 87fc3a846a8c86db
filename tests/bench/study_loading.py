"""Ways of reading tables of the CANDLE study's widths, beside the ratios that the study published.

``python -m tests.bench.study_loading WIDE LONG`` takes other numbers of rows of 60,483 and of 1,000 columns;
the study's files have 1,120 and 900,100.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from orchestrator.analysis.publications.documents import documents
from workloads.data.readers import READERS
from workloads.data.wide_csv import read_matrix

WIDE = ("nt3", 1_120, 60_483)
LONG = ("p1b3", 900_100, 1_000)
WIDE_ROWS, LONG_ROWS = 120, 10_000
WIDE_COLUMNS, LONG_COLUMNS = WIDE[2], LONG[2]
ROUNDS = 3
_LINES = 50


def main(wide_rows: int | None = None, long_rows: int | None = None) -> None:
    """Print seconds of each reader on both shapes, and pandas ÷ each."""
    with tempfile.TemporaryDirectory() as name:
        for (workload, whole, _), columns, rows in (
            (WIDE, WIDE_COLUMNS, wide_rows or WIDE_ROWS),
            (LONG, LONG_COLUMNS, long_rows or LONG_ROWS),
        ):
            file = Path(name) / f"{workload}.csv"
            write(file, rows, columns)
            seconds = {
                reader: _median(partial(read_matrix, file, reader=reader))
                for reader in READERS
                if reader != "dask" or find_spec("dask") is not None
            }
            parts = (
                f"{way} {taken:.4g} s, ratio {seconds['pandas'] / taken:.4g}"
                for way, taken in seconds.items()
            )
            print(
                f"study      {rows} of {whole} rows × {columns} ({file.stat().st_size / 1e6:.0f} MB), "
                f"median of {ROUNDS}, ratio pandas ÷ this: {'; '.join(parts)}; the study on Summit: pandas ÷ "
                f"pandas_chunked {published_ratio(workload):.4g}"
            )
            file.unlink()


def published_ratio(workload: str) -> float:
    """Return the study's ratio of original to improved loading of the training file."""
    row = documents()["candle"].tables["Table 3"].rows[f"{workload.upper()}, training"]
    original, improved = (float(value or 0.0) for value in row.values)
    return original / improved


def write(file: Path, rows: int, columns: int) -> None:
    """Write numbers in the format of NT3: a whole number, then decimal ones, without a header."""
    random = np.random.default_rng(2017)
    texts = [
        f"{k % 2}," + ",".join(f"{one:.6f}" for one in random.random(columns - 1))
        for k in range(min(rows, _LINES))
    ]
    with file.open("w") as out:
        out.writelines(f"{texts[k % len(texts)]}\n" for k in range(rows))


def _median(read: partial[object]) -> float:
    taken = []
    for _ in range(ROUNDS):
        begin = time.monotonic()
        read()
        taken.append(time.monotonic() - begin)
    return statistics.median(taken)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
