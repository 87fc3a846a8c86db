"""The engine ends whatever became of its processes; Parsl has the version that was checked."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import tomllib
from collections import defaultdict
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from pathlib import Path
from pickle import UnpicklingError
from types import SimpleNamespace
from typing import cast

import parsl
import pytest
from parsl.executors.high_throughput.executor import DEFAULT_LAUNCH_CMD

from orchestrator.engines import parsl_internals
from orchestrator.engines.block_executor import ConnectedPool
from orchestrator.engines.block_jobs import BlockJobs
from orchestrator.engines.parsl_engine import ParslEngine, _unpack
from orchestrator.engines.parsl_internals import (
    CHECKED_VERSION,
    BatchProvider,
    MendedExecutor,
    ParslExecutor,
)
from orchestrator.protocol.report import AttemptReport
from orchestrator.schedulers.block_shape import BlockShape
from sites.schedulers import Batch
from tests.harness import ROOT, wait_for
from tests.orchestrator.simulation.simulated import made_plan

# In a process of its own: what a broken engine leaves behind would keep this one from ending.
SCRIPT = """
import sys
from pathlib import Path
from orchestrator.engines.parsl_engine import ParslEngine
from tests.harness import wait_for
from tests.messages import order
from tests.orchestrator.simulation.simulated import made_plan

def one_more_is_stuck():
    engine.submit(order(), lambda *_: None)
    stacks = [frame for frame in sys._current_frames().values() if frame.f_code.co_name == "send"]
    return any(frame.f_back.f_back.f_code.co_name == "put" for frame in stacks)

plan = made_plan({"instances": 2})
engine = ParslEngine(plan.site, plan.stages[0], Path(sys.argv[1]), "test")
engine.start()
interchange = engine._executor.executor.interchange_proc
interchange.kill()
interchange.wait()
wait_for(one_more_is_stuck, "an order that nobody takes")
engine.stop()
print("stopped", flush=True)
"""


def test_parsls_internals_were_checked_with_the_version_that_is_installed_and_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert parsl.__version__ == CHECKED_VERSION
    assert f"parsl=={CHECKED_VERSION}" in project["dependencies"]


@pytest.mark.parametrize(("span", "nodes", "workers"), [(1, 6, 4), (2, 6, 3), (3, 3, 1)])
def test_the_pool_of_a_block_serves_as_many_instances_of_several_nodes_as_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, span: int, nodes: int, workers: int
) -> None:
    slot = {"nodes": span, "ranks": span} if span > 1 else {"cores": 1}
    benchmark = {"workload": "tests.toys.multi_rank", "parameters": {}, "instances": 9, "slot": slot}
    plan = made_plan(benchmark, batch={"nodes_per_block": "1..6"}, rulebook="none")
    batch = plan.site.scheduler
    assert isinstance(batch, Batch)
    jobs = BlockJobs(plan.site, batch, "test", tmp_path, plan.stages[0])
    jobs.shape = BlockShape(nodes, 600.0)
    submitted: list[str] = []
    monkeypatch.setattr(jobs, "submit", lambda command, stem: submitted.append(command))
    given = defaultdict(str, max_workers_per_node="--max_workers_per_node=4")
    BatchProvider(jobs, 1.0, "test").submit(DEFAULT_LAUNCH_CMD.format_map(given), 1, "parsl.block")
    assert f" --max_workers_per_node={workers} " in submitted[0]


# A result is set while the executor fails its tasks, or comes twice: Parsl's thread of results dies of it.
RESULTS = """
import gc
import pickle
import sys
import weakref
from concurrent.futures import Future
from pathlib import Path
from threading import Event
from orchestrator.engines.parsl_engine import ParslEngine
from orchestrator.errors import EngineError
from parsl.serialize import serialize
from tests.harness import wait_for
from tests.orchestrator.simulation.simulated import made_plan

def receive(timeout_ms):
    if not messages:
        return really_receive(timeout_ms)
    if late:
        taken.set()
        wait_for(lambda: executor.bad_state_is_set, "a failed executor")
    return pickle.dumps(messages.pop())

late, taken = sys.argv[2] == "late", Event()
plan = made_plan({"instances": 2})
engine = ParslEngine(plan.site, plan.stages[0], Path(sys.argv[1]), "test")
engine.start()
executor = engine._executor.executor
tasks = [Future(), Future()]
executor.tasks.update(enumerate(tasks))
messages = [{"type": "result", "task_id": 0, "result": serialize("done")}] * (1 if late else 2)
really_receive, executor.incoming_q.get = executor.incoming_q.get, receive
if late:
    taken.wait()
    executor.interchange_proc.kill()
    executor.interchange_proc.wait()
else:
    wait_for(lambda: not executor.takes_results, "the end of the thread of results")
try:
    engine.check()
except EngineError as error:
    print(error)
print(tasks[0].result(30), type(tasks[1].exception(0)).__name__ if tasks[1].done() else "open")
engine.stop()
gone = weakref.ref(executor)
del engine, executor, tasks, really_receive
gc.collect()
print("collected", gone() is None, flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("case", "messages"),
    [
        ("late", ["Parsl's interchange died (exit code -9)", "done BadStateException"]),
        ("twice", ["Parsl's thread that takes results died", "done open"]),
    ],
)
def test_a_result_that_comes_as_the_executor_fails_hangs_nothing(
    case: str, messages: list[str], tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", RESULTS, str(tmp_path / "parsl"), case],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.stdout.splitlines() == [*messages, "collected True"], done.stderr


@pytest.mark.slow
def test_orders_that_a_dead_interchange_never_took_keep_nothing_from_its_end(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "parsl")],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=600)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 0, err
    assert out == "stopped\n"
    assert "left behind" not in err


class HeldInterchange:
    """An interchange that lists its pools once it may."""

    def __init__(self) -> None:
        self.may_answer = threading.Event()
        self.held: list[str] = []
        self.asked = 0

    def connected_managers(self) -> list[dict[str, object]]:
        self.asked += 1
        self.may_answer.wait()
        return [{"manager": "m", "block_id": "0", "tasks": 3}]

    def _hold_manager(self, pool: str) -> None:
        self.held.append(pool)


def test_an_interchange_that_stands_still_does_not_keep_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsl_internals, "_PROMPT_SECONDS", 0.01)
    interchange = HeldInterchange()
    executor = ParslExecutor(cast("MendedExecutor", interchange))
    assert [executor.pools(), executor.pools()] == [None, None]
    executor.hold("m")
    assert executor.silent_seconds() > 0
    assert (interchange.asked, interchange.held) == (1, [])
    interchange.may_answer.set()
    assert wait_for(executor.pools, "the answer") == [ConnectedPool("m", "0", 3)]
    assert executor.silent_seconds() == 0
    wait_for(lambda: interchange.held == ["m"], "what was asked meanwhile")
    executor.ask_no_more()


def test_settings_with_more_nodes_than_may_connect_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = made_plan({"instances": 9}, batch={"nodes_per_block": 1, "max_blocks": 2}, rulebook="none")
    engine = ParslEngine(plan.site, plan.stages[0], tmp_path, "test")
    messages: list[str] = []
    engine._blocks = SimpleNamespace(
        tell=messages.append, change=lambda stage: messages.append(str(stage.blocks))
    )  # type: ignore[assignment]
    monkeypatch.setattr("resource.getrlimit", lambda _: (1024, 1024))
    engine.change(replace(plan.stages[0], blocks=825))
    engine.change(replace(plan.stages[0], blocks=824))
    assert [one.partition(": ")[0] for one in messages] == ["the former settings stay", "824"]


@pytest.mark.parametrize("sent", [b"no pickle", RuntimeError("the worker was lost")])
def test_a_report_that_does_not_come_is_an_error_of_its_order(sent: bytes | RuntimeError) -> None:
    ends: list[tuple[str, AttemptReport | Exception]] = []
    packed: Future[bytes] = Future()
    packed.add_done_callback(partial(_unpack, "t", lambda token, ended: ends.append((token, ended))))
    packed.set_exception(sent) if isinstance(sent, RuntimeError) else packed.set_result(sent)
    [(token, error)] = ends
    assert token == "t"
    assert error is sent or isinstance(error, UnpicklingError)
