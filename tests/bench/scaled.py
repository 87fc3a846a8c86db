"""Steps of ``tests.bench.scaling``: each runs in a process of its own and prints its figures as JSON."""

from __future__ import annotations

import gc
import json
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from db.connection.connect import make_engine, parse_url
from db.ledger import Ledger
from db.queries.attempts import longest_seconds
from db.reader import Reader
from db.records import LedgerReport, NewAttempt, NewBenchmark, NewCampaign, NewInstance
from db.states import AttemptState, InstanceState
from orchestrator.analysis.base.overlap import peak_overlap
from orchestrator.catalog.registry import describe
from orchestrator.driver.queue.pending import PendingQueue, by_benchmark
from orchestrator.driver.records.ledger_writer import LedgerWriter
from orchestrator.lifecycle.recovery.adopt_reports import adopt
from orchestrator.rulebooks import registry as rulebooks

SMALL, BIG = "small", "big"
BATCH = 1_000
"""Reports in one transaction: what comes in while the driver's loop turns once at this rate."""
SLOTS = 14_000
T0 = 1_790_000_000_000_000
RUN_US = 600_000_000
THREADS = {"MKL_NUM_THREADS": "1", "NUMEXPR_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
DATA = {"cancer_types": 33, "features": 60483, "synthetic": False, "test_rows": 1000, "train_rows": 3000}
Facts = dict[str, Any]


# -- the campaign ----------------------------------------------------------------------------


def instances(size: int, first: int = 0) -> Iterator[NewInstance]:
    """Yield the planned instances of one benchmark."""
    return (NewInstance(k, "p1b1", k, 2017 + first + k) for k in range(size))


def _campaign(name: str, size: int, folder: str) -> tuple[NewCampaign, NewBenchmark]:
    workload = describe("p1b1")
    campaign = NewCampaign(name, f"uid-{name}", "", "local", "", "coral2", "base", folder, "/data")
    parameters = json.dumps(workload.resolve({}))
    slot = json.dumps({"slots": SLOTS})
    target = rulebooks.load("coral2").workloads()["p1b1"].target
    assert target is not None
    return campaign, NewBenchmark(
        "p1b1", "p1b1", size, parameters, slot, 7200.0, target.metric, target.at_least
    )


def token(k: int) -> str:
    """Return an attempt's token, as scattered as those that a driver draws."""
    return f"{(k * 0x9E3779B97F4A7C15 + 1) % 2**64:016x}"


def start_of(k: int) -> tuple[LedgerReport, int]:
    """Return the report that an attempt runs, and when its run began, UTC microseconds."""
    begin = T0 + 60_000_000 + k // SLOTS * (RUN_US + 20_000_000) + k * 7919 % 5_000_000
    values = {
        "node": f"node{k % SLOTS // 64:04d}",
        "block_id": "0",
        "slot_index": k % 64,
        "cores": str(k % 64),
        "process_start_us": begin - 4_000_000,
        "stdout_path": f"/scratch/project/runs/big/logs/{k // 1000:04d}/p1b1-{k}.1.out",
        "stderr_path": f"/scratch/project/runs/big/logs/{k // 1000:04d}/p1b1-{k}.1.err",
    }
    return LedgerReport(token(k), AttemptState.RUNNING, begin, values), begin


def end_of(k: int) -> LedgerReport:
    """Return the report that an attempt succeeded, with five metrics and all that its process saw."""
    started, begin = start_of(k)
    stop = begin + RUN_US + k * 104_729 % 9_000_000
    seen = {
        "cpuset": [k % 64],
        "devices": ["/device:CPU:0"],
        "framework": "tensorflow",
        "framework_version": "2.18.1",
        "gpus": [],
        "host": started.values["node"],
        "inter_op_threads": 1,
        "intra_op_threads": 1,
        "pid": 2000 + k % 30_000,
        "precision": "float32",
        "process_threads": 3,
        "thread_variables": THREADS,
    }
    seconds = (stop - begin) / 1e6
    values = {
        **started.values,
        "ready_us": begin - 1_000,
        "run_start_us": begin,
        "run_stop_us": stop,
        "process_stop_us": stop + 1_000_000,
        "received_us": stop + 1_100_000,
        "fom_seconds": seconds,
        "accuracy": 0.79 + k % 1000 / 1e5,
        "exit_code": 0,
        "peak_memory_bytes": 2**30 + k,
        "cpu_seconds": seconds * 0.98,
        "observed": seen,
        "data_facts": DATA,
    }
    metrics = (
        ("load_seconds", 5.5 + k % 7, "s"),
        ("train_seconds", seconds - 10, "s"),
        ("evaluate_seconds", 1.5, "s"),
        ("epochs_run", 100.0, ""),
        ("val_loss", 0.01 + k % 100 / 1e4, ""),
    )
    environment = {"framework": "tensorflow", "framework_version": "2.18.1", "thread_variables": THREADS}
    return LedgerReport(
        token(k), AttemptState.SUCCEEDED, stop, values, metrics, environment, InstanceState.DONE
    )


def _record(book: Ledger, name: str, size: int, first_token: int = 0) -> float:
    number = book.campaign(name).campaign_id
    session = book.begin_session(
        number, "bench", 3600.0, kind="launch", host="here", pid=1, version="0", slots=SLOTS
    )
    recorder = LedgerWriter(book, number, session, "bench")
    seconds = 0.0
    for start in range(0, size, BATCH):
        keys = range(start, min(start + BATCH, size))
        new = [NewAttempt(k, 1, token(first_token + k), "c1", T0 + k) for k in keys]
        starts = [start_of(first_token + k)[0] for k in keys]
        ends = [end_of(first_token + k) for k in keys]
        begin = time.monotonic()
        recorder.submit(new)
        for batch in (starts, ends):
            for one in batch:
                recorder.add(one)
            recorder.flush()
        seconds += time.monotonic() - begin
        if recorder.last_error or recorder.evidence:
            raise RuntimeError(recorder.last_error or "a report was late")
    book.end_session(number, session, "bench", "complete")
    return seconds


# -- steps -----------------------------------------------------------------------------------


def register(url: str, size: int, folder: Path) -> Facts:
    """Register the campaign; and a small one beside it, run to its end."""
    with Ledger(url) as book:
        campaign, benchmark = _campaign(SMALL, 1, str(folder))
        book.register(campaign, [benchmark], instances(1))
        _record(book, SMALL, 1, first_token=size)
        campaign, benchmark = _campaign(BIG, size, str(folder))
        begin = time.monotonic()
        book.register(campaign, [benchmark], instances(size))
        return {"seconds": time.monotonic() - begin}


def register_other(url: str, size: int, folder: Path) -> Facts:
    """Insert as many rows of the same columns into a table without a promise."""
    with _plain(url, folder) as (cursor, mark):
        cursor.execute(
            "CREATE TABLE plain_instances (campaign int, instance int, benchmark text, number int, "
            "seed bigint, state text)"
        )
        begin = time.monotonic()
        cursor.executemany(
            f"INSERT INTO plain_instances VALUES ({', '.join([mark] * 6)})",
            (
                (1, one.instance_id, one.benchmark, one.benchmark_index, one.seed, "planned")
                for one in instances(size)
            ),
        )
        cursor.connection.commit()
        return {"seconds": time.monotonic() - begin}


def waiting(url: str, size: int, folder: Path) -> Facts:
    """Make the list of work of a resume, and tell what it keeps in memory."""
    (folder / "journals").mkdir(exist_ok=True)
    process = psutil.Process()
    with Ledger(url) as book:
        row = book.campaign(BIG)
        book.pending(book.campaign(SMALL).campaign_id)  # so that what any question loads is there
        gc.collect()
        before = process.memory_info().rss
        begin = time.monotonic()
        adopt(book, row)
        pending = book.pending(row.campaign_id)
        backlog = PendingQueue(by_benchmark(["p1b1"], pending))
        book.instance_counts(row.campaign_id)
        longest_seconds(book, row.campaign_id)
        seconds = time.monotonic() - begin
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        gc.collect()
        kept = process.memory_info().rss
        if len(backlog) != len(pending):
            raise RuntimeError("the backlog lost an instance")
    return {"seconds": seconds, "bytes_each": [(kept - before) / size, (most - before) / size]}


def adopting(url: str, size: int, folder: Path) -> Facts:
    """Make the list of work of a campaign that is done."""
    return {"seconds": waiting(url, size, folder)["seconds"]}


def record(url: str, size: int, folder: Path) -> Facts:
    """Submit every instance, then record its start, its end and five metrics, as the driver does."""
    with Ledger(url) as book:
        return {"seconds": _record(book, BIG, size)}


def record_other(url: str, size: int, folder: Path) -> Facts:
    """Insert and update the same facts in tables without a promise, a commit for a batch."""
    with _plain(url, folder) as (cursor, mark):
        columns = sorted({*end_of(0).values})
        cursor.execute(
            "CREATE TABLE plain_attempts (instance int PRIMARY KEY, state text, "
            f"{', '.join(f'{name} text' for name in columns)})"
        )
        cursor.execute("CREATE TABLE plain_metrics (instance int, name text, value float, unit text)")
        assign = ", ".join(f"{name} = {mark}" for name in columns)
        seconds = 0.0
        for start in range(0, size, BATCH):
            keys = range(start, min(start + BATCH, size))
            reports = [end_of(k) for k in keys]
            begin = time.monotonic()
            cursor.executemany(
                f"INSERT INTO plain_attempts (instance, state) VALUES ({mark}, 'submitted')",
                [(k,) for k in keys],
            )
            cursor.executemany(
                f"UPDATE plain_attempts SET state = 'running' WHERE instance = {mark}", [(k,) for k in keys]
            )
            cursor.executemany(
                f"UPDATE plain_attempts SET state = 'succeeded', {assign} WHERE instance = {mark}",
                [
                    (*(_cell(report.values[name]) for name in columns), k)
                    for k, report in zip(keys, reports, strict=True)
                ],
            )
            cursor.executemany(
                f"INSERT INTO plain_metrics VALUES ({', '.join([mark] * 4)})",
                [(k, *metric) for k, report in zip(keys, reports, strict=True) for metric in report.metrics],
            )
            cursor.connection.commit()
            seconds += time.monotonic() - begin
    return {"seconds": seconds}


def fom_other(url: str, size: int, folder: Path) -> Facts:
    """Find the same evidence with pandas: longest time, lowest accuracy, overlap, what was seen."""
    import pandas as pd

    begin = time.monotonic()
    with _connected(url) as connection:
        frame = pd.read_sql(
            "SELECT fom_seconds, accuracy, run_start_us, run_stop_us, cores, devices, observed, "
            "data_facts, seed "
            "FROM accepted WHERE campaign_name = 'big'",
            connection,
        )
    seen = frame["observed"].map(json.loads)
    found = {
        "seconds": frame["fom_seconds"].max(),
        "accuracy": frame["accuracy"].min(),
        "frameworks": seen.map(lambda one: one.get("framework")).unique(),
        "precisions": seen.map(lambda one: one.get("precision")).unique(),
        "synthetic": frame["data_facts"].map(json.loads).map(lambda one: one.get("synthetic")).any(),
        "mismatches": (frame["cores"] != seen.map(lambda one: ",".join(map(str, one["cpuset"])))).sum(),
        "at once": _pandas_overlap(frame["run_start_us"], frame["run_stop_us"]),
        "seeds": frame["seed"].is_unique,
    }
    if found["at once"] > size:
        raise RuntimeError("more at once than there are")
    return {"seconds": time.monotonic() - begin}


def overlap(url: str, size: int, folder: Path) -> Facts:
    """Find the peak overlap of intervals that are in memory."""
    starts, stops = (times.tolist() for times in _intervals(size))
    begin = time.monotonic()
    peak_overlap(starts, stops)
    return {"seconds": time.monotonic() - begin}


def overlap_other(url: str, size: int, folder: Path) -> Facts:
    """Find the same with pandas: a running sum over sorted starts and stops."""
    import pandas as pd

    starts, stops = _intervals(size)
    begin = time.monotonic()
    found = _pandas_overlap(pd.Series(starts), pd.Series(stops))
    seconds = time.monotonic() - begin
    if found != peak_overlap(starts.tolist(), stops.tolist()):
        raise RuntimeError("the two ways differ")
    return {"seconds": seconds}


def export_csv_other(url: str, size: int, folder: Path) -> Facts:
    """Write the same tables with pandas."""
    import pandas as pd

    begin = time.monotonic()
    with _connected(url) as connection:
        for table in ("instances", "attempts", "metrics", "events"):
            pd.read_sql(f"SELECT * FROM {table}", connection).to_csv(
                folder / f"pandas-{table}.csv", index=False
            )
    return {"seconds": time.monotonic() - begin}


# -- what they share -------------------------------------------------------------------------


def database_bytes(url: str) -> int:
    """Return how much of a disk the database holds."""
    if url.startswith("sqlite"):
        file = Path(str(parse_url(url).database))
        return sum(one.stat().st_size for one in file.parent.glob(f"{file.name}*"))
    with Reader(url) as reader:
        return int(reader.query("SELECT pg_database_size(current_database())")[1][0][0])


def has_arrow() -> bool:
    """Tell whether Parquet files can be written."""
    return find_spec("pyarrow") is not None


def _intervals(size: int) -> tuple[Any, Any]:
    times = np.array([start_of(k)[1] for k in range(size)], dtype=np.int64)
    return times, times + RUN_US + np.arange(size) * 104_729 % 9_000_000


def _pandas_overlap(starts: Any, stops: Any) -> int:
    import pandas as pd

    steps = pd.concat([pd.Series(1, index=starts), pd.Series(-1, index=stops)])
    return int(steps.groupby(level=0).sum().sort_index().cumsum().max())


def _cell(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, dict) else value


@contextmanager
def _connected(url: str) -> Iterator[Any]:
    """Yield a connection that pandas takes without a warning."""
    engine = make_engine(parse_url(url), read_only=True)
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


@contextmanager
def _plain(url: str, folder: Path) -> Iterator[tuple[Any, str]]:
    """Yield a cursor of the database's own driver, and how it marks parameters."""
    if url.startswith("sqlite"):
        import sqlite3

        with closing(sqlite3.connect(folder / "plain.sqlite")) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            yield connection.cursor(), "?"
        return
    import psycopg

    with psycopg.connect(url) as connection:
        yield connection.cursor(), "%s"
        for table in ("plain_instances", "plain_attempts", "plain_metrics"):
            connection.execute(f"DROP TABLE IF EXISTS {table}".encode())


STEPS: dict[str, Callable[[str, int, Path], Facts]] = {
    step.__name__: step
    for step in (
        register,
        register_other,
        waiting,
        adopting,
        record,
        record_other,
        fom_other,
        overlap,
        overlap_other,
        export_csv_other,
    )
}

if __name__ == "__main__":
    print(json.dumps(STEPS[sys.argv[1]](sys.argv[2], int(sys.argv[3]), Path(sys.argv[4]))))
