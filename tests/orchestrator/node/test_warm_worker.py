"""A worker keeps the supervisor of warm attempts, and replaces it when it dies or refuses."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from db.states import AttemptState
from orchestrator.host.processes import descendants
from orchestrator.node.warm import supervisor_loop
from orchestrator.node.warm.fork_client import ForkClient, ForkError
from orchestrator.node.warm.kept_supervisor import KeptSupervisor
from orchestrator.node.warm.supervisor_loop import MOST_ORDERS, _why_not
from orchestrator.node.worker import run_attempt
from orchestrator.protocol.order import AttemptOrder
from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir import journal
from orchestrator.rundir.layout import RunDirectory
from orchestrator.rundir.signal_files import request_cancel
from tests.harness import ROOT, wait_for
from tests.orchestrator.node.warm_worker import WarmWorker, supervisor_of, training_of, waits, warm_worker
from workloads.forking.loaded_files import LoadedFiles

SUCCEEDED, FAILED = AttemptState.SUCCEEDED, AttemptState.FAILED
OLD = b'{"refused": "it is old"}\n'


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[WarmWorker]:
    with warm_worker(tmp_path) as started:
        yield started


@pytest.mark.parametrize("processes", ["fresh", "warm"])
def test_attempts_share_a_supervisor_and_no_training(worker: WarmWorker, processes: str) -> None:
    supervisors, trainings = set(), set()
    for _ in range(2):
        trainings.add(training_of(worker.behave(processes=processes), processes))
        supervisors.add(supervisor_of())
    assert not any(map(psutil.pid_exists, trainings))
    assert (len(supervisors), len(trainings)) == (1, 2)


def test_fresh_attempts_of_several_workloads_share_a_supervisor(worker: WarmWorker) -> None:
    supervisors = set()
    for changes in (
        {"workload": "tests.toys.attributes", "parameters": {}},
        {"parameters": {"seconds": 0.0}},
    ):
        assert worker.run(processes="fresh", **changes).state is SUCCEEDED
        supervisors.add(supervisor_of())
    assert len(supervisors) == 1


def test_a_training_that_cannot_be_forked_has_a_forked_supervisor(worker: WarmWorker) -> None:
    pinned = {"PYTHONPATH": str(ROOT), "OMP_PROC_BIND": "close"}
    report = worker.behave(environment=pinned)
    assert training_of(report, "fresh") not in (None, supervisor_of())
    assert report.result is not None
    assert "OMP_PROC_BIND" in report.result.observed.facts["fresh_because"]


def test_an_attempt_that_fails_costs_no_other_one(worker: WarmWorker) -> None:
    states = [worker.behave(behaviour).state for behaviour in ("succeed", "segfault", "succeed")]
    assert states == [SUCCEEDED, FAILED, SUCCEEDED]


def test_processes_that_an_attempt_leaves_behind_end_with_it(worker: WarmWorker) -> None:
    assert worker.behave("daemon").state is SUCCEEDED
    assert not psutil.pid_exists(int((worker.folder / "daemon-7").read_text()))


def test_a_supervisor_that_dies_while_it_waits_is_replaced(worker: WarmWorker) -> None:
    worker.behave()
    supervisor = psutil.Process(supervisor_of())
    supervisor.kill()
    wait_for(lambda: not _lives(supervisor), "the end of the supervisor")
    training_of(worker.behave())
    assert supervisor_of() != supervisor.pid


def test_an_order_to_a_supervisor_that_was_ended_goes_to_another(
    worker: WarmWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker.behave()
    supervisor = psutil.Process(supervisor_of())
    supervisor.terminate()
    wait_for(lambda: not _lives(supervisor), "the end of the supervisor")
    monkeypatch.setattr(KeptSupervisor, "is_open", True)  # as for a moment, while its server ends
    training_of(worker.behave())
    assert supervisor_of() != supervisor.pid


@pytest.mark.parametrize("victim", ["training", "supervisor"])
def test_who_is_killed_in_an_attempt_costs_that_attempt(worker: WarmWorker, victim: str) -> None:
    worker.behave()

    def kill() -> None:
        training = psutil.Process(int((worker.folder / "started-11").read_text()))
        hit = training if victim == "training" else training.parent()
        assert hit is not None
        hit.send_signal(signal.SIGKILL)

    report = _interrupted(worker, lambda _: kill())
    assert report.state is (FAILED if victim == "training" else AttemptState.LOST), report.failure_message
    assert "SIGKILL" in (report.failure_message or "")
    training = int((worker.folder / "started-11").read_text())
    assert not [left for left in descendants(training) if left.is_running()]
    training_of(worker.behave())
    lines = [line for file in worker.folder.rglob("*.journal") for line in file.read_bytes().splitlines()]
    final = [found.token for line in lines if (found := journal.decode_report(line)) and found.state.final]
    assert len(final) == len(set(final)) == 3


def test_a_worker_that_dies_ends_its_attempt_and_its_processes(worker: WarmWorker) -> None:
    worker.behave()

    def die(_: AttemptOrder) -> None:
        assert run_attempt._kept is not None
        run_attempt._kept.channel.shutdown(2)  # as the kernel does when the worker ends

    report = _interrupted(worker, die)
    wait_for(lambda: not worker.left(), "the end of the processes")
    assert "worker" in f"{report.failure_reason} {report.failure_message}"


def test_an_attempt_is_cancelled_alone(worker: WarmWorker) -> None:
    worker.behave()
    report = _interrupted(worker, lambda order: request_cancel(RunDirectory(worker.folder), [order.token]))
    assert report.state is AttemptState.CANCELLED
    assert worker.behave().state is SUCCEEDED


def test_changed_code_runs_in_another_process(worker: WarmWorker) -> None:
    module = worker.folder / "mine" / "net.py"
    module.parent.mkdir()
    text = Path("tests/toys/behave.py").read_text().replace("tests.toys.behave", "mine.net")
    module.write_text(text)
    training_of(worker.run(workload="mine.net", parameters={"seconds": 0.0}))
    module.write_text(text.replace("(context.seed % 1000) / 1000", "0.125"))
    second = worker.run(workload="mine.net", parameters={"seconds": 0.0})
    assert second.result is not None, second.message
    assert second.result.accuracy == 0.125


def test_a_fresh_attempt_takes_the_slot_of_a_kept_supervisor_at_once(worker: WarmWorker) -> None:
    worker.behave()
    report = worker.behave(processes="fresh", grace_seconds=60.0)
    assert report.state is SUCCEEDED, report.failure_message
    assert worker.behave(grace_seconds=60.0).state is SUCCEEDED


def test_attempts_of_one_supervisor_start_together_with_their_wave(worker: WarmWorker) -> None:
    for wave in (1, 2):
        order = worker.order(wave=wave, parameters={"seconds": 0.0})
        opened = RunDirectory(worker.folder).barrier_file(1, wave)
        opened.parent.mkdir(exist_ok=True)
        with ThreadPoolExecutor() as pool:
            answer = pool.submit(run_attempt.run_attempt, order)
            wait_for(lambda token=order.token: waits(worker.folder, token), "the barrier")
            start_us = time.time_ns() // 1000
            opened.write_text(str(start_us))
            report = answer.result()
        training_of(report)
        assert (report.run_start_us or 0) >= start_us > (report.at_barrier_us or 0)


def test_code_and_variables_are_recorded_as_those_of_a_new_process(worker: WarmWorker) -> None:
    results = [worker.behave(processes=kind).result for kind in ("fresh", "warm", "warm")]
    keys = {(result.observed.code, result.observed.variables) for result in results if result is not None}
    assert len(keys) == 1
    assert None not in results


def test_a_supervisor_takes_so_many_orders_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[str] = []
    monkeypatch.setattr(supervisor_loop, "left_behind", lambda: next(iter(left), None))
    files = LoadedFiles()
    assert _why_not(1, files) is None
    assert "attempts" in (_why_not(MOST_ORDERS, files) or "")
    left.append("open devices: /dev/nvidiactl")
    assert _why_not(1, files) == "earlier attempts left open devices: /dev/nvidiactl"


def test_a_supervisor_that_refuses_is_replaced(worker: WarmWorker, monkeypatch: pytest.MonkeyPatch) -> None:
    worker.behave()
    before = supervisor_of()
    monkeypatch.setattr(run_attempt._kept, "exchange", lambda *_: OLD)
    training_of(worker.behave())
    assert supervisor_of() != before


def test_an_order_that_is_refused_is_fresh_where_nothing_can_be_forked(
    worker: WarmWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_fork(*_: object) -> None:
        raise ForkError("this test forks nothing")

    worker.behave()
    monkeypatch.setattr(run_attempt._kept, "exchange", lambda *_: OLD)
    monkeypatch.setattr(ForkClient, "fork", no_fork)
    report = worker.behave()
    assert report.result is not None, report.failure_message
    facts = report.result.observed.facts
    assert (facts["processes"], facts["fresh_because"]) == ("fresh", "this test forks nothing")


def _interrupted(worker: WarmWorker, act: Callable[[AttemptOrder], object]) -> AttemptReport:
    """Return the report of an attempt that is interrupted as soon as its training runs."""
    order = worker.order(parameters={"behaviour": "hang", "folder": str(worker.folder)}, seed=11)
    started = worker.folder / "started-11"
    with ThreadPoolExecutor() as pool:
        answer = pool.submit(run_attempt.run_attempt, order)
        wait_for(lambda: started.exists() and started.read_text(), "the training")
        act(order)
        return answer.result()


def _lives(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
