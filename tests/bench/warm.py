"""Fresh and warm processes side by side: ``python -m tests.bench.warm``.

From the start of an attempt to its first training step, of one rank, of two over Horovod, of two on two
nodes (which are this one, and ``ssh`` a script), of another interpreter, and in Podman where it is installed;
the processor time of an attempt without work beside a bare Python from ``xargs -P 2``, and the memory of
attempts that wait at their start. An argument is their number, 4 by default; ``--first-steps NAME...`` times
these alone.
"""

from __future__ import annotations

import atexit
import functools
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

import psutil

from orchestrator.catalog.registry import describe
from orchestrator.driver.code import driver_code
from orchestrator.node.worker import run_attempt
from orchestrator.protocol.block_environment import NODES_VARIABLE
from orchestrator.protocol.order import ProcessStart, RankResources, pack_slots
from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir.layout import RunDirectory
from orchestrator.wording import count_of
from tests.containers.test_podman import Podman
from tests.harness import wait_for
from tests.orchestrator.node.forked import fork, forking
from tests.orchestrator.node.supervised import supervised_order
from workloads.provenance.code import OWN

CAMPAIGN = uuid.uuid4().hex
"""Mark of this process's attempts: processes of another campaign end none of them."""
ROUNDS = 3
NO_WORK = 120
WAITING = 4
LSTM = {"batch_size": 4, "hidden_width": 8, "sequence_length": 3, "steps": 2}
ALLREDUCE = {"seconds": 0.1, "tensor_bytes": 4096}
OTHER = str(Path(sys.executable).with_name("python3"))
"""Another name of this interpreter, as which it is another one."""
NODES = {"nodes": 2, "launcher": "ssh", "interface": "lo"}


@dataclass(frozen=True)
class FirstStep:
    """Attempts whose way to the first step is timed.

    Parameters
    ----------
    ranks
        On each node.
    changes
        Fields of the order beside the parameters; called within `places`.
    """

    workload: str
    ranks: int
    parameters: Mapping[str, Any]
    changes: Callable[[], Mapping[str, Any]] = dict


FIRST_STEPS = {
    "lstm": FirstStep("lstm", 1, LSTM),
    "allreduce": FirstStep("allreduce", 2, ALLREDUCE),
    "two nodes": FirstStep("allreduce", 1, ALLREDUCE, lambda: NODES),
    "interpreter": FirstStep("lstm", 1, LSTM, lambda: {"interpreter": OTHER}),
    "podman": FirstStep("lstm", 1, LSTM, lambda: {"container": _podman().order()}),
}
STARTS: tuple[ProcessStart, ...] = ("fresh", "warm")


def main(waiting: int = WAITING) -> None:
    """Print the figures of all, and their ratios."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print_first_steps(folder, FIRST_STEPS)
        fresh, warm = (work(folder / start, start) for start in STARTS)
        bare = _cpu_ms(_xargs) / NO_WORK
        print(
            f"no work      processor time of an attempt without driver, and of a bare python of xargs -P 2: "
            f"fresh {fresh:.0f} ms, warm {warm:.0f} ms, python {bare:.0f} ms"
        )
        sizes = {start: memory(folder / f"{start}-memory", start, waiting) for start in STARTS}
        print(
            f"memory       {waiting} lstm that wait at their start, proportional set size: "
            f"fresh {sizes['fresh'] / 2**20:.0f} MiB, "
            f"warm {sizes['warm'] / 2**20:.0f} MiB, with the fork server"
        )


def print_first_steps(folder: Path, names: Iterable[str]) -> None:
    """Print the time to the first step, fresh and warm; leave out Podman where it starts no container."""
    with places(folder):
        for name in names:
            if name == "podman" and shutil.which("podman") is None:
                print("first step   podman: it is not installed here")
                continue
            step = FIRST_STEPS[name]
            steps = {
                start: statistics.median(first_steps(folder / name.replace(" ", "-") / start, start, step))
                for start in STARTS
            }
            run_attempt.close_kept()
            print(
                f"first step   {name}: {step.workload}, {count_of(step.ranks, 'rank')} a node, from the "
                f"slot's assignment to the first step, median of {ROUNDS}: fresh {steps['fresh']:.2f} s, "
                f"warm {steps['warm']:.2f} s, fresh ÷ warm {steps['fresh'] / steps['warm']:.1f}",
                flush=True,
            )


@contextmanager
def places(folder: Path) -> Iterator[None]:
    """Have ``ssh`` run commands on this node, under the names of two nodes."""
    ssh = folder / "bin" / "ssh"
    ssh.parent.mkdir(parents=True)
    ssh.write_text('#!/bin/sh\nexport SLURMD_NODENAME=$3\nshift 3\nexec bash -c "$1"\n')
    ssh.chmod(0o755)
    before = dict(os.environ)
    os.environ |= {"PATH": f"{ssh.parent}:{os.environ['PATH']}", NODES_VARIABLE: "one two"}
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@functools.cache
def _podman() -> Podman:
    folder = tempfile.mkdtemp(prefix="podman-", dir="/tmp")  # its path must be short
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Podman(Path(folder))


def attempt(own: Path, start: ProcessStart, ranks: int = 1, **changes: Any) -> AttemptReport:
    """Run an attempt as a worker does, and return its report."""
    own.mkdir(parents=True, exist_ok=True)
    core = min(os.sched_getaffinity(0))
    order = supervised_order(
        own,
        campaign=CAMPAIGN,
        processes=start,
        ranks_per_node=ranks,
        slots=pack_slots([[RankResources((core,))] * ranks]),
        parameters=describe(changes["workload"]).resolve(changes.pop("parameters", {})),
        known_documents=(driver_code().packages[OWN],),  # as a driver says in each order
        **changes,
    )
    return run_attempt.run_attempt(order)


def first_steps(folder: Path, start: ProcessStart, step: FirstStep) -> list[float]:
    """Return seconds from the start of attempts to their first step, without the first attempt."""
    found = []
    changes = {
        "workload": step.workload,
        "timeout_seconds": 600.0,
        "longest_seconds": 3600.0,
        **step.changes(),
    }
    for _ in range(ROUNDS + 1):
        begin = time.time()
        report = attempt(folder, start, step.ranks, parameters=dict(step.parameters), **changes)
        first = report.timed_window_start_us or report.run_start_us
        if first is None:
            raise RuntimeError(report.failure_message)
        if start == "warm" and report.result is not None:
            facts = report.result.observed.facts
            if facts["processes"] != "warm":
                raise RuntimeError(facts["fresh_because"])
        found.append(first / 1e6 - begin)
    return found[1:]


def work(folder: Path, start: ProcessStart) -> float:
    """Return milliseconds of both cores for an attempt that does nothing, without what the first one adds."""
    costs = []
    for number in (1, NO_WORK + 1):
        command = [sys.executable, "-m", "tests.bench.warm", "--no-work", str(folder), start, str(number)]
        costs.append(_cpu_ms(partial(subprocess.run, command, check=True)))
    return (costs[1] - costs[0]) / NO_WORK


def no_work(folder: Path, start: ProcessStart, number: int) -> None:
    """Run attempts that do nothing, and wait for their fork server, whose processor time counts."""
    for _ in range(number):
        report = attempt(folder, start, workload="tests.toys.behave", parameters={"seconds": 0.0})
        if report.result is None:
            raise RuntimeError(report.failure_message)
    run_attempt.close_kept()
    if run_attempt._forks is not None:
        run_attempt._forks.close()


def memory(folder: Path, start: ProcessStart, number: int) -> int:
    """Return the bytes of proportional set size of all processes of attempts that wait at the start."""
    folders = [folder / str(one) for one in range(number)]
    changes = {
        "processes": start,
        "workload": "lstm",
        "parameters": describe("lstm").resolve(LSTM),
        "wave": 1,
        "timeout_seconds": 600.0,
        "working_directory": str(folder),  # which attempts of a campaign share
    }
    for one in folders:
        one.mkdir(parents=True)
    with ExitStack() as stack, ThreadPoolExecutor(number) as pool:
        attempts = [fork(stack.enter_context(forking()), one, **changes) for one in folders]
        ended = [pool.submit(one.report) for one in attempts]
        wait_for(lambda: all(map(waits, folders)), "all at the barrier", 600)
        size = sum(_pss(one.pid) for one in psutil.Process().children(recursive=True))
        for one in folders:
            opened = RunDirectory(one).barrier_file(1, 1)
            opened.parent.mkdir(exist_ok=True)
            opened.write_text(str(time.time_ns() // 1000))
        for one in ended:
            one.result()
    return size


def waits(folder: Path) -> bool:
    """Tell whether the attempt in a folder has come to the start barrier."""
    file = folder / "a.journal"
    return file.exists() and '"at_barrier":true' in file.read_text().replace(" ", "")


def _pss(pid: int) -> int:
    with suppress(OSError):  # ended meanwhile
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) << 10
    return 0


def _cpu_ms(call: Callable[[], object]) -> float:
    """Return milliseconds of processor time of the processes that a call starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    call()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def _xargs() -> None:
    subprocess.run(
        ["xargs", "-P", "2", "-I", "{}", sys.executable, "-c", "pass"],
        input="\n".join(map(str, range(NO_WORK))).encode(),
        check=True,
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--no-work"]:
        no_work(Path(sys.argv[2]), cast("ProcessStart", sys.argv[3]), int(sys.argv[4]))
    elif sys.argv[1:2] == ["--first-steps"]:
        with tempfile.TemporaryDirectory() as folder:
            print_first_steps(Path(folder), sys.argv[2:] or FIRST_STEPS)
    else:
        main(*map(int, sys.argv[1:2]))
