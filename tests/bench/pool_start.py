"""Cost of a worker pool until its workers wait: ``python -m tests.bench.pool_start --slots 2,64``.

Parsl's pool as it comes, and as the orchestrator starts it, on this machine, in an order that alternates.
CPU time and proportional memory are those of the pool and of all processes below it, when each worker has run
a first task.
"""

from __future__ import annotations

import argparse
import statistics
import sysconfig
import tempfile
import time
from concurrent.futures import wait
from pathlib import Path

import psutil

from orchestrator.engines.parsl_imports import DEFAULT_LAUNCH_CMD, Config, DataFlowKernel
from orchestrator.engines.parsl_internals import local_provider, make_executor

WAYS = ("parsl", "ours")
PATIENCE_SECONDS = 240.0
POOL = "process_worker_pool.py"


def measure(way: str, slots: int) -> tuple[float, float, float]:
    """Return seconds until all workers have run a task, CPU seconds, and MiB, of one pool."""
    executor = make_executor("bench", "127.0.0.1", slots, (30, 120), local_provider())
    if way == "parsl":
        executor.launch_cmd = f"{Path(sysconfig.get_path('scripts'))}/{DEFAULT_LAUNCH_CMD}"
    with tempfile.TemporaryDirectory(prefix="pool-") as place:
        settings = Config(
            executors=[executor], run_dir=place, strategy="none", initialize_logging=False, usage_tracking=0
        )
        kernel = DataFlowKernel(settings)
        try:
            begin = time.monotonic()
            executor.scale_out_facade(1)
            futures = [executor.submit(time.sleep, {}, 1.0) for _ in range(slots)]
            done, _ = wait(futures, PATIENCE_SECONDS)
            assert len(done) == slots, f"{len(done)} of {slots} tasks ended"
            seconds = time.monotonic() - begin - 1.0
            found = list(pool_processes(Path(place)))
            cpu = sum(sum(one.cpu_times()[:4]) for one in found)
            return seconds, cpu, sum(one.memory_full_info().pss for one in found) / 2**20
        finally:
            kernel.cleanup()


def pool_processes(place: Path) -> list[psutil.Process]:
    """Return the processes of the pool whose files are below a folder."""
    for one in psutil.process_iter(["cmdline"]):
        words = one.info["cmdline"] or []
        if any(word.endswith(POOL) for word in words) and any(str(place) in word for word in words):
            return [one, *one.children(recursive=True)]
    raise LookupError(f"no pool writes to {place}")


def main(arguments: list[str] | None = None) -> None:
    """Print the medians of each number of slots."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.pool_start")
    parser.add_argument("--slots", default="2,16,64")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args(arguments)
    for slots in map(int, given.slots.split(",")):
        found: dict[str, list[tuple[float, float, float]]] = {way: [] for way in WAYS}
        for number in range(given.rounds):
            for way in WAYS if number % 2 else reversed(WAYS):
                found[way].append(measure(way, slots))
        for way, rows in found.items():
            seconds, cpu, memory = (statistics.median(column) for column in zip(*rows, strict=True))
            figures = f"{seconds:.1f} s, {cpu:.2f} s of CPU, {memory:.0f} MiB"
            print(f"pool of {slots} slots, {way}: {figures}", flush=True)


if __name__ == "__main__":
    main()
