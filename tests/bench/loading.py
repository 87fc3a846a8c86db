"""What it costs to load P1B1-wide files: pandas both ways, the typed reader, the dataset cache.

``python -m tests.bench.loading ROWS`` takes another number of training rows.
"""

from __future__ import annotations

import multiprocessing
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import psutil

from workloads.candle.data import p1b1 as p1b1_data
from workloads.candle.data.p1b1 import Profiles

ROWS = 300
FEATURES = 60_483
ROUNDS = 3
INSTANCES = 4
MIB = 2**20


def main(rows: int = ROWS) -> None:
    """Print seconds of each way and their ratios, then what several instances hold in memory."""
    with tempfile.TemporaryDirectory() as name:
        folder, cache = Path(name) / "p1b1", Path(name) / "cache"
        others = max(rows // 3, 1)
        p1b1_data.make(folder, 1, train_rows=rows, test_rows=others, features=FEATURES)
        data: dict[str, Profiles] = {}

        def load(loader: str) -> None:
            data[loader] = p1b1_data.load(folder, loader, cache)

        def read_through() -> None:
            for array in _arrays(p1b1_data.load(folder, "cache", cache)):
                array.sum()

        def read_csv() -> None:
            for file in (p1b1_data.TRAIN_FILE, p1b1_data.TEST_FILE):
                pd.read_csv(folder / file)

        seconds = {"pandas.read_csv alone": _median(read_csv)}
        for loader in ("pandas", "pandas_low_memory_false", "numpy"):
            seconds[loader] = _median(partial(load, loader))
        seconds["cache, built"] = _median(lambda: load("cache"), rounds=1)
        seconds["cache, hit"] = _median(lambda: load("cache"))
        seconds["cache, hit and read once"] = _median(read_through)
        same = all(
            np.array_equal(ours, theirs)
            for other in data.values()
            for ours, theirs in zip(_arrays(data["numpy"]), _arrays(other), strict=True)
        )
        size = sum(array.nbytes for array in _arrays(data["numpy"]))
        parts = (
            f"{way} {taken:.4g} s, ratio {seconds['pandas.read_csv alone'] / taken:.4g}"
            for way, taken in seconds.items()
        )
        print(
            f"loading    {rows} + {others} rows × {FEATURES}, median of {ROUNDS}, ratio read_csv ÷ this: "
            f"{'; '.join(parts)}; arrays {'bit-equal' if same else 'DIFFERENT'}"
        )
        data.clear()
        for loader in ("numpy", "cache"):
            private, mapped, shares = memory(folder, cache, loader)
            print(
                f"memory     {INSTANCES} instances of {size / MIB:.0f} MiB, loader {loader}: "
                f"{private / MIB:.1f} MiB more private memory in all, "
                f"{private / (INSTANCES * size):.3f} of {INSTANCES} copies; "
                f"of the mapped files {mapped['private'] / MIB:.1f} MiB private, "
                f"proportional shares add up to {shares / MIB:.0f} MiB, {shares / size:.2f} copies"
            )


def memory(folder: Path, cache: Path, loader: str) -> tuple[int, dict[str, int], int]:
    """Return what instances that hold the data set at the same time add in memory, all together.

    Returns
    -------
    int
        Bytes private to a process that loading added.
    dict of str to int
        Bytes of the mapped files that are in memory (``rss``) and private to one process (``private``).
    int
        Sum of the processes' proportional shares of the mapped files, bytes.
    """
    processes = multiprocessing.get_context("spawn")
    barrier, done, results = processes.Barrier(INSTANCES), processes.Barrier(INSTANCES), processes.Queue()
    started = [
        processes.Process(target=_hold, args=(folder, cache, loader, barrier, done, results))
        for _ in range(INSTANCES)
    ]
    for process in started:
        process.start()
    found = [results.get() for _ in started]
    for process in started:
        process.join()
    mapped = {key: sum(one[1][key] for one in found) for key in ("rss", "private")}
    return sum(one[0] for one in found), mapped, sum(one[1]["pss"] for one in found)


def _hold(folder: Path, cache: Path, loader: str, barrier: Any, done: Any, results: Any) -> None:
    me = psutil.Process()
    before = me.memory_full_info().uss
    data = p1b1_data.load(folder, loader, cache)
    for array in _arrays(data):
        array.sum()
    barrier.wait()  # all hold it now
    after = me.memory_full_info().uss
    maps = [one for one in me.memory_maps(grouped=True) if one.path.endswith(".npy")]
    results.put(
        (
            after - before,
            {
                "rss": sum(one.rss for one in maps),
                "pss": sum(one.pss for one in maps),
                "private": sum(one.private_clean + one.private_dirty for one in maps),
            },
        )
    )
    done.wait()


def _arrays(data: Profiles) -> tuple[Any, ...]:
    return data.train, data.validation, data.test


def _median(work: Callable[[], None], rounds: int = ROUNDS) -> float:
    taken = []
    for _ in range(rounds):
        begin = time.monotonic()
        work()
        taken.append(time.monotonic() - begin)
    return statistics.median(taken)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
