"""Agents on other nodes outlive an attempt, fork its ranks, and end what these leave."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import psutil
import pytest

from db.states import AttemptState
from orchestrator.host.processes import descendants
from orchestrator.node.agents import kept_agents
from orchestrator.node.worker import run_attempt
from orchestrator.protocol.block_environment import NODES_VARIABLE
from orchestrator.protocol.order import AttemptOrder
from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir.layout import RunDirectory
from orchestrator.rundir.signal_files import request_cancel
from tests.harness import command_line, wait_for
from tests.orchestrator.node.forked import slot_of
from tests.orchestrator.node.ranks.test_training_server import started_by
from tests.orchestrator.node.warm_worker import WarmWorker, supervisor_of, training_of, warm_worker

NODES = {
    "nodes": 2,
    "launcher": "ssh",
    "interface": "lo",
    "workload": "tests.toys.multi_rank",
    "grace_seconds": 3.0,
}


def nodes_of(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a worker have two nodes, which are this one; ``ssh`` starts what it is given here."""
    ssh = folder / "bin" / "ssh"
    ssh.parent.mkdir()
    ssh.write_text('#!/bin/sh\nexport SLURMD_NODENAME=$3\nshift 3\nexec bash -c "$1"\n')
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", str(ssh.parent), prepend=":")
    monkeypatch.setenv(NODES_VARIABLE, "one two")


@pytest.fixture
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WarmWorker]:
    nodes_of(tmp_path, monkeypatch)
    with warm_worker(tmp_path) as started:
        yield started


BEHAVE: dict[str, Any] = {"workload": "tests.toys.behave", "parameters": {"seconds": 0.0}}


def run(worker: WarmWorker, behaviour: str = "succeed", **changes: Any) -> AttemptReport:
    parameters = {"behaviour": behaviour, **changes.pop("parameters", {})}
    return worker.run(**{**NODES, "parameters": parameters, **changes})


def agents() -> set[int]:
    """Return the processes of the agents that the worker's supervisor keeps."""
    found = descendants(supervisor_of())
    return {one.pid for one in found if "agents.kept_agent" in command_line(one)}


def launcher_of(agent: psutil.Process) -> psutil.Process:
    """Return the child of the supervisor that an agent descends from."""
    supervisor = supervisor_of()
    return next(one for one in (agent, *agent.parents()) if one.ppid() == supervisor)


def test_agents_fork_the_ranks_of_one_attempt_after_another(worker: WarmWorker) -> None:
    reports, kept = [], []
    for _ in range(3):
        reports.append(run(worker))
        kept.append(agents())
    assert len({training_of(report) for report in reports}) == 3
    assert [len(found) for found in kept] == [2, 2, 2]
    assert set.union(*kept) == kept[0]
    for report in reports:
        assert report.result is not None
        assert sorted(report.result.data["messages"]) == ["rank 0", "rank 1"]
        assert len(report.result.observed.ranks or ()) == 2
    assert list((worker.folder / "orders").iterdir()) == []


def test_code_and_variables_are_those_of_new_processes(worker: WarmWorker) -> None:
    results = [run(worker, processes=kind).result for kind in ("fresh", "warm", "warm")]
    keys = {(one.observed.code, one.observed.variables) for one in results if one is not None}
    assert len(keys) == 1
    assert None not in results


@pytest.mark.parametrize(("behaviour", "reason"), [("die", "killed by SIGKILL"), ("raise", "exception")])
def test_a_rank_that_fails_costs_its_attempt_alone(worker: WarmWorker, behaviour: str, reason: str) -> None:
    training_of(run(worker))
    before = agents()
    failed = run(worker, behaviour)
    assert (failed.state, failed.failure_reason) == (AttemptState.FAILED, reason), failed.failure_message
    training_of(run(worker))
    assert agents() == before


def test_what_ranks_print_is_in_the_logs_of_their_attempt(worker: WarmWorker) -> None:
    for number in (1, 2):
        report = run(worker, **BEHAVE, seed=number)
        assert report.stdout_path is not None
        assert Path(report.stdout_path).read_text() == f"hello from {number}\n" * 2


@pytest.mark.parametrize("number", [0, 1])
def test_agents_that_cannot_connect_run_their_attempt(worker: WarmWorker, number: int) -> None:
    ssh = worker.folder / "bin" / "ssh"
    change = 's/("agents": .*"port": )[0-9]+/\\11/'  # nobody listens on port 1
    own = f'[[ "$1" =~ ([^ ]*orders/[a-z0-9]*)(.json).{number} ]]'
    copied = f'sed -E \'{change}\' "$order.json" > "$order-own.json"'
    ssh.write_text(
        f"#!/bin/bash\nshift 3\nif {own}; then\norder=${{BASH_REMATCH[1]}}\n{copied}\n"
        f'set -- "${{1/.json/-own.json}}"\nfor end in reports out err; do\n'
        f'ln -s "$order-{number}.$end" "$order-own-{number}.$end"\ndone\nfi\nexec bash -c "$1"\n'
    )
    training_of(run(worker, **BEHAVE))
    assert agents() == set()
    training_of(run(worker, **BEHAVE))


def test_processes_that_ranks_leave_end_with_their_attempt(worker: WarmWorker) -> None:
    folder = {"folder": str(worker.folder)}
    report = run(worker, "daemon", workload="tests.toys.behave", parameters=folder)
    training_of(report)
    assert not psutil.pid_exists(int((worker.folder / "daemon-7").read_text()))


def test_an_attempt_is_cancelled_alone(worker: WarmWorker) -> None:
    training_of(run(worker, **BEHAVE))
    before = agents()
    report = interrupted(worker, lambda order: request_cancel(RunDirectory(worker.folder), [order.token]))
    assert report.state is AttemptState.CANCELLED, report.failure_message
    training_of(run(worker, **BEHAVE))
    assert agents() == before


@pytest.mark.parametrize("victim", ["agent", "launcher"])
def test_an_agent_that_dies_costs_its_attempt(worker: WarmWorker, victim: str) -> None:
    training_of(run(worker, **BEHAVE))
    before = agents()

    def kill(_: AttemptOrder) -> None:
        agent = psutil.Process(min(before))
        found = agent if victim == "agent" else launcher_of(agent)
        found.send_signal(signal.SIGKILL)

    report = interrupted(worker, kill)
    assert report.state is AttemptState.FAILED, report.failure_message
    training_of(run(worker, **BEHAVE))
    assert not agents() & before


def test_agents_that_died_are_replaced(worker: WarmWorker) -> None:
    training_of(run(worker))
    before = agents()
    psutil.Process(min(before)).kill()
    training_of(run(worker))
    assert not agents() & before


def test_agents_without_an_answer_are_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_agents, "_READY_SECONDS", 0.0)
    started: list[Any] = []

    def start(*_: object) -> Any:
        sleep = subprocess.Popen(["sleep", "600"], start_new_session=True)
        facts = {"are_all_connected": True, "connected": {}, "lost": set(), "printed": BytesIO()}
        agents = MagicMock(launcher=sleep, **facts)
        agents.received.return_value = []
        started.append(agents)
        return agents

    monkeypatch.setattr(kept_agents, "KeptAgents", start)
    keeper = kept_agents.AgentsKeeper()
    keeper.agents = silent = start()
    slot, logs = slot_of(tmp_path, **NODES), (tmp_path / "out", tmp_path / "err")
    process = kept_agents.AgentsProcess(slot, tmp_path / "orders" / "a.json", logs, lambda: 0, keeper)
    wait_for(lambda: process.poll() or len(started) == 2, "the start of other agents")
    assert silent.leave.called
    assert silent.launcher.returncode == -signal.SIGTERM
    process.signal(signal.SIGKILL)
    wait_for(process.poll, "the end of the attempt")
    process.close()


def test_changed_code_is_run_by_other_agents(worker: WarmWorker) -> None:
    module = worker.folder / "mine" / "net.py"
    module.parent.mkdir()
    text = Path("tests/toys/behave.py").read_text().replace("tests.toys.behave", "mine.net")
    module.write_text(text)
    mine: dict[str, Any] = {"workload": "mine.net", "parameters": {"seconds": 0.0}}
    training_of(run(worker, **mine))
    module.write_text(text.replace("(context.seed % 1000) / 1000", "0.125"))
    second = run(worker, **mine)
    training_of(second)
    assert second.result is not None
    assert second.result.accuracy == 0.125


@pytest.mark.parametrize("kind", ["interpreter", "podman"])
def test_servers_on_the_nodes_fork_ranks_of_containers_and_other_interpreters(
    worker: WarmWorker, kind: str
) -> None:
    reports = [run(worker, **started_by(worker, kind)) for _ in range(2)]
    assert len({training_of(report) for report in reports}) == 2
    for report in reports:
        assert report.result is not None
        assert sorted(report.result.data["messages"]) == ["rank 0", "rank 1"]


def test_a_module_that_cannot_be_forked_says_so(worker: WarmWorker) -> None:
    module = worker.folder / "mine" / "net.py"
    module.parent.mkdir()
    text = Path("tests/toys/behave.py").read_text().replace("tests.toys.behave", "mine.net")
    module.write_text(f"{text}\nimport os\nos.environ['SWITCH'] = '1'")
    report = run(worker, workload="mine.net", parameters={"seconds": 0.0})
    training_of(report, "fresh")
    assert report.result is not None
    because = report.result.observed.facts["fresh_because"]
    assert because == "importing mine.net changes the variable SWITCH"


def test_ranks_of_several_nodes_start_with_their_wave(worker: WarmWorker) -> None:
    for wave in (1, 2):
        order = worker.order(**NODES, wave=wave, parameters={})
        opened = RunDirectory(worker.folder).barrier_file(1, wave)
        opened.parent.mkdir(exist_ok=True)
        with ThreadPoolExecutor() as pool:
            answer = pool.submit(run_attempt.run_attempt, order)
            reports = worker.folder / "orders"
            wait_for(
                lambda found=reports: (
                    sum("at_barrier" in one.read_text() for one in found.glob("*.reports")) == 2
                ),
                "the barrier",
            )
            start_us = time.time_ns() // 1000
            opened.write_text(str(start_us))
            report = answer.result()
        training_of(report)
        assert (report.run_start_us or 0) >= start_us


def interrupted(worker: WarmWorker, act: Callable[[AttemptOrder], object]) -> AttemptReport:
    """Return the report of an attempt that is interrupted as soon as its ranks run."""
    parameters = {"behaviour": "hang", "folder": str(worker.folder)}
    order = worker.order(**{**NODES, "workload": "tests.toys.behave"}, parameters=parameters, seed=11)
    started = worker.folder / "started-11"
    with ThreadPoolExecutor() as pool:
        answer = pool.submit(run_attempt.run_attempt, order)
        wait_for(lambda: started.exists() and len(started.read_text().split()) == 2, "the ranks")
        act(order)
        return answer.result()
