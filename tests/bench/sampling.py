"""What sampling of power and load takes of one core: of one attempt, and of many on one node."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from orchestrator.host._linux import open_perf_event
from orchestrator.host.meters.cpu_counters import CpuCounters, Event
from orchestrator.host.meters.nvml import NvmlGpu
from orchestrator.host.meters.process_load import ProcessLoad
from orchestrator.host.meters.rapl import rapl_zones
from orchestrator.node.sampling.sampler import Sampler
from orchestrator.node.sampling.sampler_thread import OVERHEAD, SamplerThread
from tests.orchestrator.host.meters.trees import Gpu, Nvml, rapl

SECONDS = 10.0
PROCESSES = 4
GPUS = 4
ATTEMPTS = (1, 64)
FLOP = {f"flop_{weight}": Event(4, 0xC7, weight) for weight in (1, 2, 4, 8, 16)}


def main() -> None:
    """Print the CPU time of a sample, and the share of one core that all attempts of a node take."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as running:
        root = Path(name)
        for package in (0, 1):
            rapl(root, f"package-{package}", f"intel-rapl:{package}")
            rapl(root, "dram", f"intel-rapl:{package}:0")
        pids = [running.enter_context(_idle()).pid for _ in range(PROCESSES)]
        sampler = _sampler(root, pids)
        before, count = time.thread_time(), 200
        for _ in range(count):
            sampler.sample()
        each = (time.thread_time() - before) / count
        parts = [f"{attempts}: {share(root, pids, attempts):.2%}" for attempts in ATTEMPTS]
        print(
            f"sampling   {PROCESSES} processes, {GPUS} GPUs and 2 packages with memory an attempt: "
            f"{1e6 * each:.0f} µs of CPU time a sample; of one core over {SECONDS:g} s, by attempts on the "
            f"node: {', '.join(parts)}; the limit is {OVERHEAD:.1%}"
        )
        begun, samples = counting(pids)
        print(
            f"counters   {PROCESSES} processes: {1e6 * begun:.0f} µs of CPU time to open {len(FLOP) + 4} "
            f"events (time in place of what a CPU counts), {1e6 * samples:.0f} µs a sample"
        )


def counting(pids: list[int]) -> tuple[float, float]:
    """Return the CPU seconds in which the events of processes are opened, and in which they are read."""
    begin, count = time.thread_time(), 200
    counters = CpuCounters(pids, FLOP, lambda _kind, _config, task: open_perf_event(1, 1, task))
    opened = time.thread_time()
    for _ in range(count):
        counters.read(0.0)
    return opened - begin, (time.thread_time() - opened) / count


def share(root: Path, pids: list[int], attempts: int) -> float:
    """Return the share of one core that the threads of attempts take, once each has set up."""
    made: list[int] = []

    def make() -> Sampler:
        sampler = _sampler(root, pids)
        sampler.sample()
        made.append(1)
        return sampler

    threads = [SamplerThread(make, 1.0, attempts) for _ in range(attempts)]
    for thread in threads:
        thread.start()
    pause = threading.Event()
    while len(made) < attempts:
        pause.wait(0.01)
    begin, used = time.monotonic(), time.process_time()
    pause.wait(SECONDS)
    found = (time.process_time() - used) / (time.monotonic() - begin)
    for thread in threads:
        thread.finish()
    return found


def _sampler(root: Path, pids: list[int]) -> Sampler:
    library = Nvml(**{f"GPU_{number}": Gpu() for number in range(GPUS)})
    return Sampler(
        [
            ProcessLoad(partial(list, pids)),
            *(NvmlGpu(library, name, 1.0) for name in library.gpus),
            *rapl_zones({0: 0.5, 1: 0.5}, root),
        ],
        {},
        node="n",
        gpus=True,
        cores=4,
        clock=time.monotonic,
        now_us=lambda: time.time_ns() // 1000,
    )


def _idle() -> subprocess.Popen[bytes]:
    """Start a process that waits for the end of its input."""
    return subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE, env=dict(os.environ)
    )


if __name__ == "__main__":
    main()
