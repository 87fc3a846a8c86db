"""A server that is started as trainings of another interpreter, or in a container, would be forks these."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest

from db.states import AttemptState
from orchestrator.host.processes import descendants
from orchestrator.node.ranks import training_server
from orchestrator.node.ranks.local import start_ranks
from orchestrator.node.ranks.process_start import ForkSource
from orchestrator.node.ranks.training_server import (
    NotServedError,
    ServerCommand,
    ServerKeeper,
    TrainingServer,
)
from orchestrator.node.worker import run_attempt
from orchestrator.protocol.order import AttemptOrder, RankResources, pack_slots
from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir.layout import RunDirectory
from orchestrator.rundir.signal_files import request_cancel
from tests.containers.test_attempts import container
from tests.harness import command_line, wait_for
from tests.orchestrator.node.forked import slot_of
from tests.orchestrator.node.warm_worker import (
    WarmWorker,
    supervisor_of,
    training_of,
    waits,
    warm_worker,
)

OTHER = str(Path(sys.executable).with_name("python3"))
KINDS = ("interpreter", "apptainer", "podman", "sarus", "shifter")


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[WarmWorker]:
    with warm_worker(tmp_path) as started:
        yield started


def run(
    worker: WarmWorker, kind: str = "interpreter", behaviour: str = "succeed", **changes: Any
) -> AttemptReport:
    """Run an attempt whose training a server forks."""
    return worker.behave(behaviour, **started_by(worker, kind), **changes)


def started_by(worker: WarmWorker, kind: str) -> dict[str, Any]:
    return {"interpreter": OTHER} if kind == "interpreter" else {"container": container(worker.folder, kind)}


def server() -> psutil.Process:
    """Return the server that the worker's supervisor keeps."""
    lines = {one: command_line(one) for one in descendants(supervisor_of())}
    return next(
        one for one, line in lines.items() if line.endswith("forking.server") and "stand_in" not in line
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_server_forks_one_training_after_another(worker: WarmWorker, kind: str) -> None:
    reports, servers = [], set()
    for _ in range(3):
        reports.append(run(worker, kind))
        training_of(reports[-1])
        servers.add(server().pid)
    assert len(servers) == 1
    assert len({training_of(report) for report in reports}) == 3
    for report in reports:
        assert report.result is not None
        assert report.result.observed.cpuset == report.cores
        assert (report.cpu_seconds or 0) > 0
        assert (report.peak_memory_bytes or 0) > 1 << 20


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_recorded_is_that_of_a_new_process(worker: WarmWorker, kind: str) -> None:
    results = [run(worker, kind, processes=one).result for one in ("fresh", "warm", "warm")]
    found = [one.observed for one in results if one is not None]
    assert len(found) == 3
    assert len({(one.code, one.variables) for one in found}) == 1
    facts = [{k: v for k, v in one.facts.items() if k not in ("processes", "pid")} for one in found]
    assert facts[0].keys() == facts[1].keys()
    assert facts[0].get("container") == facts[1].get("container") == facts[2].get("container")


@pytest.mark.parametrize("kind", ["interpreter", "podman"])
def test_a_training_has_the_attributes_of_a_new_process(worker: WarmWorker, kind: str) -> None:
    seen = []
    for processes in ("fresh", "warm", "warm"):
        report = worker.run(
            workload="tests.toys.attributes", processes=processes, parameters={}, **started_by(worker, kind)
        )
        assert report.result is not None, report.failure_message
        seen.append(report.result.observed.facts)
    for one in seen[1:]:
        assert one["processes"] == "warm"
        found, was = ({**facts["attributes"]} for facts in (one, seen[0]))
        for facts in (found, was):
            facts["descriptors"] = [Path(name).suffix or name for name in facts["descriptors"]]
        if kind == "podman":  # a fresh training has named pipes there, and is its container's first process
            was |= {name: found[name] for name in ("descriptors", "session")}
        assert found == was


@pytest.mark.parametrize("kind", ["interpreter", "podman"])
@pytest.mark.parametrize(
    ("behaviour", "limits", "state", "reason"),
    [
        ("exit", {}, AttemptState.FAILED, "exit code 3"),
        ("segfault", {}, AttemptState.FAILED, "SIGSEGV"),
        ("hang", {"timeout_seconds": 2.0}, AttemptState.TIMED_OUT, ""),
        ("stubborn", {"timeout_seconds": 2.0, "grace_seconds": 0.2}, AttemptState.TIMED_OUT, ""),
        ("greedy", {"memory_bytes": 256 << 20}, AttemptState.FAILED, "memory"),
        ("daemon", {}, AttemptState.SUCCEEDED, ""),
    ],
)
def test_what_trainings_do_is_supervised_as_ever(
    worker: WarmWorker, kind: str, behaviour: str, limits: dict[str, Any], state: AttemptState, reason: str
) -> None:
    training_of(run(worker, kind))
    before = server()
    folder = {"folder": str(worker.folder)}
    report = run(worker, kind, behaviour, parameters=folder, **limits)
    assert report.state is state, report.failure_message
    assert reason in f"{report.failure_reason} {report.failure_message}"
    if behaviour == "daemon":
        assert not psutil.pid_exists(int((worker.folder / "daemon-7").read_text()))
    training_of(run(worker, kind))
    assert server() == before


def test_ranks_of_one_attempt_are_forked_by_one_server(worker: WarmWorker) -> None:
    place = RankResources((min(os.sched_getaffinity(0)),))
    for _ in range(2):
        report = worker.run(
            workload="tests.toys.multi_rank", ranks_per_node=3, slots=pack_slots([[place] * 3]),
            parameters={}, interpreter=OTHER,
        )  # fmt: skip
        training_of(report)
        assert report.result is not None
        assert sorted(report.result.data["messages"]) == ["rank 0", "rank 1", "rank 2"]


@pytest.mark.parametrize("kind", ["interpreter", "podman"])
def test_trainings_start_together_with_their_wave(worker: WarmWorker, kind: str) -> None:
    for wave in (1, 2):
        order = worker.order(wave=wave, parameters={"seconds": 0.0}, **started_by(worker, kind))
        with ThreadPoolExecutor() as pool:
            answer = pool.submit(run_attempt.run_attempt, order)
            wait_for(lambda token=order.token: waits(worker.folder, token), "the barrier")
            start_us = time.time_ns() // 1000
            opened = RunDirectory(worker.folder).barrier_file(1, wave)
            opened.parent.mkdir(exist_ok=True)
            opened.write_text(str(start_us))
            report = answer.result()
        training_of(report)
        assert (report.run_start_us or 0) >= start_us > (report.at_barrier_us or 0)


def test_a_training_of_the_same_workload_without_its_container_is_forked_too(worker: WarmWorker) -> None:
    training_of(run(worker, "podman"))
    training_of(worker.behave())


@pytest.mark.parametrize("kind", ["interpreter", "podman"])
def test_an_attempt_is_cancelled_alone(worker: WarmWorker, kind: str) -> None:
    training_of(run(worker, kind))
    before = server()
    report = interrupted(
        worker, kind, lambda order: request_cancel(RunDirectory(worker.folder), [order.token])
    )
    assert report.state is AttemptState.CANCELLED, report.failure_message
    training_of(run(worker, kind))
    assert server() == before


@pytest.mark.parametrize("kind", ["interpreter", "podman"])
def test_a_server_that_dies_costs_its_attempt(worker: WarmWorker, kind: str) -> None:
    training_of(run(worker, kind))
    before = server()
    report = interrupted(worker, kind, lambda _: before.send_signal(signal.SIGKILL))
    assert (report.state, report.failure_reason) == (AttemptState.FAILED, "killed by SIGKILL")
    training_of(run(worker, kind))
    assert server() != before


def test_a_server_that_refuses_at_once_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slot, keeper, checked = slot_of(tmp_path, interpreter=OTHER), ServerKeeper(), []
    check = TrainingServer.check

    def refuse_first(server: TrainingServer) -> None:
        checked.append(server)
        if len(checked) == 1:
            raise NotServedError("a source has changed since it was imported")
        check(server)

    monkeypatch.setattr(TrainingServer, "check", refuse_first)
    assert keeper.server(slot, lambda: False) is checked[1]
    assert keeper.server(slot, lambda: False) is checked[1]
    assert not [pid for pid in checked[0].processes if psutil.pid_exists(pid)]
    keeper.close()


def test_a_server_that_stands_still_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = TrainingServer(ServerCommand.of(slot_of(tmp_path, interpreter=OTHER)), lambda: False)
    found = stopped(kept)
    monkeypatch.setattr(training_server, "_ANSWER_SECONDS", 0.1)
    with pytest.raises(NotServedError, match=r"did not answer within 0\.1 s"):
        kept.check()
    wait_for(lambda: found.status() == psutil.STATUS_ZOMBIE, "the end of the server")
    kept.close()


def test_a_training_whose_server_stands_still_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slot = slot_of(tmp_path, interpreter=OTHER, parameters={"seconds": 0.0})
    kept = TrainingServer(ServerCommand.of(slot), lambda: False)
    with (tmp_path / "out").open("wb") as file:
        (rank,) = start_ranks(slot, 0, [[]], file.fileno(), file.fileno(), ForkSource(server=kept))
    stopped(kept)
    wait_for(lambda: psutil.Process(rank.pid).status() == psutil.STATUS_ZOMBIE, "the end of the training")
    monkeypatch.setattr(training_server, "_ANSWER_SECONDS", 0.0)
    wait_for(rank.poll, "the end of the rank")
    assert rank.exit_code == -signal.SIGKILL
    kept.close()
    rank.close()


def stopped(kept: TrainingServer) -> psutil.Process:
    (found,) = (psutil.Process(pid) for pid in kept.processes)
    found.send_signal(signal.SIGSTOP)
    wait_for(lambda: found.status() == psutil.STATUS_STOPPED, "the stop")
    return found


def test_a_folder_of_a_long_name_fits_into_an_order(worker: WarmWorker) -> None:
    folder = worker.folder
    for _ in range(14):
        folder /= "n" * 250
        folder.mkdir()
    training_of(run(worker, working_directory=str(folder)))


def test_a_server_that_died_is_replaced(worker: WarmWorker) -> None:
    training_of(run(worker))
    server().kill()
    training_of(run(worker))


def test_changed_code_is_run_by_another_server(worker: WarmWorker) -> None:
    module = worker.folder / "mine" / "net.py"
    module.parent.mkdir()
    text = Path("tests/toys/behave.py").read_text().replace("tests.toys.behave", "mine.net")
    module.write_text(text)
    training_of(run(worker, workload="mine.net"))
    module.write_text(text.replace("(context.seed % 1000) / 1000", "0.125"))
    second = run(worker, workload="mine.net")
    training_of(second)
    assert second.result is not None
    assert second.result.accuracy == 0.125


def test_another_image_gets_another_server(worker: WarmWorker) -> None:
    given = started_by(worker, "apptainer")
    digests, servers = [], []
    for content in (b"an image", b"another image"):
        Path(given["container"].image).write_bytes(content)
        report = worker.behave(**given)
        training_of(report)
        assert report.result is not None
        digests.append(report.result.observed.facts["container"]["digest"])
        servers.append(server())
    assert len({*digests}) == len({*servers}) == 2


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import os\nos.environ['SWITCH'] = '1'", "importing mine.net changes the variable SWITCH"),
        ("import os\nos._exit(9)", "its server ended with exit code 9 before it could be asked"),
    ],
)
def test_a_module_that_cannot_be_forked_is_fresh(worker: WarmWorker, source: str, reason: str) -> None:
    module = worker.folder / "mine" / "net.py"
    module.parent.mkdir()
    text = Path("tests/toys/behave.py").read_text().replace("tests.toys.behave", "mine.net")
    module.write_text(
        f"{text}\nif 'server' in __import__('sys').argv[0]:\n    " + source.replace("\n", "\n    ")
    )
    report = run(worker, workload="mine.net")
    training_of(report, "fresh")
    assert report.result is not None
    assert reason in report.result.observed.facts["fresh_because"]


def interrupted(worker: WarmWorker, kind: str, act: Callable[[AttemptOrder], object]) -> AttemptReport:
    """Return the report of an attempt that is interrupted as soon as its training runs."""
    parameters = {"behaviour": "hang", "folder": str(worker.folder)}
    order = worker.order(parameters=parameters, seed=11, **started_by(worker, kind))
    started = worker.folder / "started-11"
    with ThreadPoolExecutor() as pool:
        answer = pool.submit(run_attempt.run_attempt, order)
        wait_for(lambda: started.exists() and started.read_text(), "the training")
        act(order)
        return answer.result()
