"""Reading P1B1's training file at its real width: by other readers, and by the workload's own ways."""

from __future__ import annotations

import json
import shutil
import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import psutil

from tests.bench.peers.ensemble import Ensemble, Peer
from tests.bench.peers.environments import PLACE, Missing, python_of
from tests.bench.peers.rounds import Figures, compare, peak_mib
from tests.bench.peers.table import Column, Result, Row
from workloads.candle.data import p1b1 as p1b1_data

ENVIRONMENT = "loading"
REQUIREMENTS = ("numpy", "pandas", "polars", "pyarrow")
COLUMNS = 60_483
TEST_ROWS = 2
TEXT_COLUMNS = len(("case_id", "cancer_type"))

SCRIPT = """\
import sys
import time
from pathlib import Path

import numpy as np

begin = time.perf_counter()
file = "{file}"
with open(file) as lines:
    names = lines.readline().rstrip().split(",")[{text_columns}:]
{code}
assert array.shape == ({rows}, len(names)) and array.dtype == np.float32, (array.shape, array.dtype)
array.sum()
Path("reports", sys.argv[1] + ".json").write_text(str(time.perf_counter() - begin))
"""
PANDAS = "import pandas\narray = pandas.read_csv(file{}).iloc[:, 2:].to_numpy().astype(np.float32)"
READERS: Mapping[str, str] = {
    "pandas.read_csv": PANDAS.format(""),
    "pandas, low_memory=False": PANDAS.format(", low_memory=False"),
    "Polars, typed": (
        "import polars\n"
        "frame = polars.read_csv(file, schema_overrides=dict.fromkeys(names, polars.Float32))\n"
        "array = np.ascontiguousarray(frame[:, 2:].to_numpy())"
    ),
    "PyArrow, typed": (
        "import pyarrow\n"
        "from pyarrow import csv\n"
        "types = csv.ConvertOptions(column_types=dict.fromkeys(names, pyarrow.float32()))\n"
        "table = csv.read_csv(file, csv.ReadOptions(block_size=8 << 20), convert_options=types)\n"
        "array = np.column_stack([column.to_numpy() for column in table.columns[2:]])"
    ),
    "NumPy, fromstring by line": (
        "with open(file) as lines:\n"
        "    lines.readline()\n"
        '    rows = [np.fromstring(line.split(",", 2)[2], np.float32, sep=",") for line in lines]\n'
        "array = np.stack(rows)"
    ),
}
THROUGH_CACHE = (
    "from workloads.candle.data import p1b1 as p1b1_data\n"
    'data = p1b1_data.load(Path(file).parent, "cache", {})\n'
    "array = data.train\n"
    "data.validation.sum()"
)
OURS: Mapping[str, str] = {
    "ours, typed reader": (
        "from workloads.data.wide_csv import read_table\narray = read_table(Path(file)).values"
    ),
    "ours, first time through the cache": THROUGH_CACHE.format('Path("cache")'),
    "ours, cached": THROUGH_CACHE.format('Path(file).parent / "cache"'),
}
FIGURES = {
    "seconds": Column("seconds to the array", "{:.2f}"),
    "cpu_seconds": Column("CPU time each, s", "{:.2f}"),
    "peak_mib": Column("peak memory of all, MiB", "{:,.0f}"),
}


def files(code: str, rows: int, ensemble: Ensemble) -> dict[str, str]:
    """Return the script of a reader."""
    assert ensemble.data is not None
    file = ensemble.data / p1b1_data.TRAIN_FILE
    return {"read.py": SCRIPT.format(file=file, code=code, rows=rows, text_columns=TEXT_COLUMNS)}


def command(ensemble: Ensemble) -> list[str]:
    """Return the shell line that reads in several processes at once."""
    count = ensemble.instances
    line = f"seq 0 {count - 1} | xargs -P {count} -I{{}} {ensemble.python} read.py {{}}"
    return ["/bin/sh", "-c", line]


def peers(rows: int) -> list[Peer]:
    """Return the readers; those of the workload run in the project's own environment."""
    # The cache has the rows for validation in an array of their own.
    trained = int(rows * (1 - p1b1_data.VALIDATION_SHARE))
    return [
        *(Peer(name, partial(files, code, rows), command, ENVIRONMENT) for name, code in READERS.items()),
        *(
            Peer(name, partial(files, code, trained if "cache" in name else rows), command, ours=True)
            for name, code in OURS.items()
        ),
    ]


def figures(_peer: Peer, ensemble: Ensemble, taken: Mapping[str, float]) -> Figures:
    """Return the figures of a run.

    Raises
    ------
    Missing
        If a process read nothing.
    """
    seconds = [json.loads(file.read_text()) for file in (ensemble.folder / "reports").glob("*.json")]
    if len(seconds) < ensemble.instances:
        raise Missing(f"{len(seconds)} of {ensemble.instances} processes read the file")
    return {
        "seconds": statistics.median(seconds),
        "cpu_seconds": taken["cpu_seconds"] / ensemble.instances,
        "peak_mib": peak_mib(taken),
    }


def too_large(rows: Sequence[Row], at_once: int, available_bytes: int) -> dict[str, str]:
    """Return the readers of which as many at once would need more memory than there is, with the reason."""
    found = {}
    for row in rows:
        needed = at_once * (row.figures.get("peak_mib") or 0.0) * 2**20
        if needed > available_bytes:
            found[row.name] = f"would need {needed / 2**30:.0f} GiB, {available_bytes / 2**30:.0f} are free"
    return found


def results(rows: int, at_once: int, rounds: int) -> Iterator[Result]:
    """Yield the figures of one process, and of several at once, each anew after every run."""
    data = PLACE / "data" / f"p1b1-{rows}"
    try:
        p1b1_data.make(data, 1, train_rows=rows, test_rows=TEST_ROWS, features=COLUMNS)
        p1b1_data.fill_cache(data, data / "cache")
        left = peers(rows)
        problems: dict[str, str] = {}
        for count in (1, at_once):
            who = "one process" if count == 1 else f"{count} processes at once"
            title = f"Reading {rows:,} × {COLUMNS:,} numbers of P1B1, {who}, median of {rounds}"
            for found in compare(
                [one for one in left if one.name not in problems],
                [sys.modules[__name__]],
                rounds,
                {"OMP_NUM_THREADS": "1"},
                lambda peer, folder, count=count: Ensemble(  # type: ignore[misc]
                    count, count, folder, python_of(peer.environment), data
                ),
                figures,
            ):
                by_name: dict[str, Any] = {row.name: row for row in found}
                shown = [
                    by_name.get(one.name) or Row(one.name, problem=problems[one.name], ours=one.ours)
                    for one in left
                ]
                yield Result(f"loading-{count}", title, FIGURES, shown)
            problems = too_large(found, at_once, psutil.virtual_memory().available)
    finally:
        shutil.rmtree(data, ignore_errors=True)
