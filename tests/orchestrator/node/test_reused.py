"""Attempts of one process have their own results, limits and files; a process that fails costs one."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec.structs
import psutil
import pytest

from db.states import AttemptState
from orchestrator.host.processes import descendants
from orchestrator.node import worker
from orchestrator.node.fork_client import ForkClient, ForkError
from orchestrator.node.kept_supervisor import must_be_new
from orchestrator.node.loaded_files import LoadedFiles
from orchestrator.node.reused_supervisor import MOST_ORDERS, _why_not
from orchestrator.protocol.order import ContainerOrder, Gpus, RankResources
from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir import journal
from orchestrator.rundir.layout import RunDirectory
from orchestrator.rundir.signal_files import request_cancel
from tests.harness import ROOT, wait_for
from tests.messages import slot_order
from tests.orchestrator.node.reusing import Reusing, place_of, reusing
from tests.orchestrator.node.test_instance_hooks import hooks
from workloads.reused import ProcessState

SUCCEEDED, FAILED = AttemptState.SUCCEEDED, AttemptState.FAILED


def no_fork(*_: object, **__: object) -> None:
    raise ForkError("this test forks nothing")


@pytest.fixture(params=["forked", "new"])
def one(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reusing]:
    if request.param == "new":
        monkeypatch.setattr(ForkClient, "fork", no_fork)
    with reusing(tmp_path) as found:
        yield found


@pytest.fixture
def forked(tmp_path: Path) -> Iterator[Reusing]:
    with reusing(tmp_path) as found:
        yield found


def test_attempts_of_one_process_have_their_own_results_files_and_figures(one: Reusing) -> None:
    reports = [
        one.behave(seed=7),
        one.behave(seed=8, parameters={"megabytes": 300}),
        one.behave(seed=9),
    ]
    assert [report.state for report in reports] == [SUCCEEDED] * 3, [one.message for one in reports]
    places = [place_of(report) for report in reports]
    assert len({pid for pid, _ in places}) == 1
    assert [number for _, number in places] == [1, 2, 3]
    assert [report.result and report.result.accuracy for report in reports] == [0.007, 0.008, 0.009]
    outputs = [Path(report.stdout_path or "").read_text() for report in reports]
    assert outputs == ["hello from 7\n", "hello from 8\n", "hello from 9\n"]
    assert all(Path(report.stderr_path or "").read_text() == "trouble ahead\n" for report in reports)
    peaks = [report.peak_memory_bytes or 0 for report in reports]
    assert peaks[1] > 300 << 20
    assert peaks[2] < 300 << 20
    whole = psutil.Process(places[0][0]).cpu_times()
    assert sum(report.cpu_seconds or 0.0 for report in reports) <= whole.user + whole.system + 0.03
    assert all((report.run_stop_us or 0) >= (report.run_start_us or 0) > 0 for report in reports)


def test_what_a_run_changes_of_its_process_is_as_before_in_the_next_one(one: Reusing) -> None:
    results = [one.run(workload="tests.toys.leaky", parameters={}).result for _ in range(3)]
    facts = [result.observed.facts for result in results if result is not None]
    assert [found["found"] for found in facts] == [facts[0]["found"]] * 3
    assert facts[0]["found"]["variable"] is None
    assert len({tuple(found["drawn"]) for found in facts}) == 3  # unseeded random numbers differ
    assert len({result.observed.pid for result in results if result is not None}) == 1


@pytest.mark.parametrize(
    ("behaviour", "limits", "state", "reason"),
    [
        ("exception", {}, FAILED, "RuntimeError"),
        ("exit", {}, FAILED, "exit code 3"),
        ("exit_quietly", {}, FAILED, "reported no result"),
        ("nan", {}, FAILED, "NaN"),
        ("segfault", {}, FAILED, "SIGSEGV"),
        ("kill_self", {}, FAILED, "SIGKILL"),
        ("hang", {"timeout_seconds": 0.5}, AttemptState.TIMED_OUT, "timeout"),
        ("stubborn", {"timeout_seconds": 0.5, "grace_seconds": 0.2}, AttemptState.TIMED_OUT, "timeout"),
        ("greedy", {"memory_bytes": 256 << 20}, FAILED, "memory"),
    ],
)
def test_an_attempt_that_fails_ends_its_process_and_no_other_attempt(
    forked: Reusing, behaviour: str, limits: dict[str, Any], state: AttemptState, reason: str
) -> None:
    before = forked.behave(**limits)
    bad = forked.behave(behaviour, **limits)
    after = forked.behave(**limits)
    assert bad.state is state, bad.message
    assert reason in f"{bad.reason} {bad.message}"
    assert [report.state for report in (before, after)] == [SUCCEEDED, SUCCEEDED], after.message
    assert (place_of(before)[1], place_of(after)[1]) == (1, 1)
    assert place_of(before)[0] != place_of(after)[0]
    assert bad.cpu_seconds is not None


def test_processes_that_a_run_leaves_behind_end_with_it(one: Reusing) -> None:
    first = one.behave("daemon")
    assert first.state is SUCCEEDED, first.message
    assert not psutil.pid_exists(int((one.folder / "daemon-7").read_text()))
    assert place_of(one.behave())[1] == 1


@pytest.mark.parametrize("behaviour", ["thread", "descriptors"])
def test_what_cannot_be_undone_ends_the_process_and_the_attempt_counts(
    forked: Reusing, behaviour: str
) -> None:
    reports = [forked.behave(), forked.behave(behaviour), forked.behave()]
    assert [report.state for report in reports] == [SUCCEEDED] * 3, [one.message for one in reports]
    assert [place_of(report)[1] for report in reports] == [1, 2, 1]


def test_a_lower_priority_cannot_be_undone(monkeypatch: pytest.MonkeyPatch) -> None:
    state = ProcessState()
    assert state.can_be_restored()
    monkeypatch.setattr("os.nice", lambda _: 20)
    assert not state.can_be_restored()


def test_a_training_that_dies_while_it_waits_is_replaced(one: Reusing) -> None:
    pid, _ = place_of(one.behave())
    psutil.Process(pid).kill()
    assert place_of(one.behave())[1] == 1
    assert place_of(one.behave())[1] == 2


def test_a_supervisor_that_dies_while_it_waits_is_replaced(one: Reusing) -> None:
    pid, _ = place_of(one.behave())
    supervisor = psutil.Process(pid).parent()
    assert supervisor is not None
    supervisor.kill()
    wait_for(lambda: worker._kept is not None and not _lives(supervisor), "the end of the supervisor")
    assert place_of(one.behave())[1] == 1


@pytest.mark.parametrize("victim", ["training", "supervisor"])
def test_who_is_killed_in_an_attempt_costs_that_attempt(one: Reusing, victim: str) -> None:
    first = place_of(one.behave())
    report, training = _interrupted(one, victim)
    assert report.state is (FAILED if victim == "training" else AttemptState.LOST), report.message
    assert "SIGKILL" in (report.message or "")
    assert training == first[0]
    assert place_of(one.behave())[1] == 1
    lines = [line for file in one.folder.rglob("*.journal") for line in file.read_bytes().splitlines()]
    final = [found.token for line in lines if (found := journal.decode_report(line)) and found.state.final]
    assert len(final) == len(set(final)) == 3


def test_a_worker_that_dies_ends_its_attempt_and_its_processes(one: Reusing) -> None:
    one.behave()
    order = one.order(parameters={"behaviour": "hang"}, seed=11)
    with ThreadPoolExecutor() as pool:
        answer = pool.submit(worker.run_attempt, order)
        wait_for((one.folder / "started-11").exists, "the training")
        assert worker._kept is not None
        worker._kept._connection.channel.shutdown(2)  # as the kernel does when it ends
        report = answer.result()
    wait_for(lambda: not one.left(), "the end of the processes")
    assert "worker" in f"{report.reason} {report.message}"


def test_an_attempt_is_cancelled_alone(one: Reusing) -> None:
    one.behave()
    order = one.order(parameters={"behaviour": "hang"}, seed=11)
    with ThreadPoolExecutor() as pool:
        answer = pool.submit(worker.run_attempt, order)
        wait_for((one.folder / "started-11").exists, "the training")
        request_cancel(RunDirectory(one.folder), [order.token])
        report = answer.result()
    assert report.state is AttemptState.CANCELLED
    assert one.behave().state is SUCCEEDED


def test_changed_code_runs_in_another_process(one: Reusing) -> None:
    module = one.folder / "mine" / "net.py"
    module.parent.mkdir()
    text = Path("tests/toys/behave.py").read_text().replace("tests.toys.behave", "mine.net")
    module.write_text(text)
    first = one.run(workload="mine.net", parameters={"seconds": 0.0})
    assert place_of(first)[1] == 1
    module.write_text(text.replace("(context.seed % 1000) / 1000", "0.125"))
    second = one.run(workload="mine.net", parameters={"seconds": 0.0})
    assert second.result is not None, second.message
    assert second.result.accuracy == 0.125
    assert place_of(second)[1] == 1


def test_another_framework_cores_or_variables_run_in_another_process(forked: Reusing) -> None:
    changes: list[dict[str, Any]] = [
        {},
        {},
        {"environment": {"PYTHONPATH": str(ROOT), "SWITCH": "1"}},
        {"workload": "tests.toys.leaky"},
    ]
    numbers = [place_of(forked.run(**{"parameters": {}, **change}))[1] for change in changes]
    assert numbers == [1, 2, 1, 1]


@pytest.mark.parametrize("processes", ["fresh", "warm"])
def test_other_processes_take_the_slot_of_kept_ones_at_once(forked: Reusing, processes: str) -> None:
    forked.behave()
    report = forked.behave(processes=processes, grace_seconds=60.0)
    assert report.state is SUCCEEDED, report.message
    assert forked.behave(grace_seconds=60.0).state is SUCCEEDED


def test_warm_attempts_share_a_supervisor_and_no_training(forked: Reusing) -> None:
    supervisors, trainings = set(), []
    for _ in range(2):
        result = forked.behave(processes="warm").result
        assert result is not None
        assert result.observed.facts["processes"] == "warm"
        assert worker._kept is not None
        supervisors.add(worker._kept._connection.pid)
        trainings.append(result.observed.pid)
        assert not psutil.pid_exists(result.observed.pid or 0)
    assert len(supervisors) == 1
    assert len(set(trainings)) == 2


def test_attempts_of_one_process_start_together_with_their_wave(forked: Reusing) -> None:
    for wave in (1, 2):
        order = forked.order(wave=wave, parameters={"seconds": 0.0})
        opened = RunDirectory(forked.folder).barrier_file(1, wave)
        opened.parent.mkdir(exist_ok=True)
        with ThreadPoolExecutor() as pool:
            answer = pool.submit(worker.run_attempt, order)
            wait_for(lambda token=order.token: _waits(forked.folder, token), "the barrier")
            start_us = time.time_ns() // 1000
            opened.write_text(str(start_us))
            report = answer.result()
        assert place_of(report)[1] == wave
        assert (report.run_start_us or 0) >= start_us > (report.at_gate_us or 0)


def test_code_and_variables_are_recorded_as_those_of_a_new_process(forked: Reusing) -> None:
    results = [forked.behave(processes=kind).result for kind in ("fresh", "reused", "reused")]
    keys = {(result.observed.code, result.observed.variables) for result in results if result is not None}
    assert len(keys) == 1
    assert None not in results


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, None),
        ({"nodes": 2}, "several ranks"),
        ({"container": ContainerOrder("podman", "i", "podman")}, "container"),
        ({"hooks": hooks("true")}, "shell lines"),
        ({"external": {"command": "run"}}, "external command"),
        ({"gpus": Gpus("nvidia", 1), "gpu_share": "1"}, None),
        ({"gpus": Gpus("nvidia", 1, "mps", 80 << 30), "gpu_share": "1/2"}, "share of a GPU"),
    ],
)
def test_what_must_be_new(changes: dict[str, Any], reason: str | None) -> None:
    slot = slot_order()
    found = must_be_new(replace(slot, order=msgspec.structs.replace(slot.order, **changes)))
    assert (reason in (found or "")) if reason else found is None


def test_several_ranks_must_be_new() -> None:
    assert must_be_new(slot_order(places=(RankResources((0,)),) * 2)) == "it has several ranks"


def test_what_cannot_be_reused_is_warm_and_says_why(forked: Reusing) -> None:
    report = forked.behave(hooks=hooks("true"))
    assert report.result is not None, report.message
    facts = report.result.observed.facts
    assert (facts["processes"], facts["fresh_because"]) == ("warm", "shell lines run around it")


def _interrupted(one: Reusing, victim: str) -> tuple[AttemptReport, int]:
    """Return the report of an attempt of which a process is killed, and its training process."""
    order = one.order(parameters={"behaviour": "hang"}, seed=11)
    with ThreadPoolExecutor() as pool:
        answer = pool.submit(worker.run_attempt, order)
        file = one.folder / "started-11"
        training = psutil.Process(int(wait_for(lambda: file.exists() and file.read_text(), "the training")))
        hit = training if victim == "training" else training.parent()
        assert hit is not None
        hit.send_signal(signal.SIGKILL)
        report = answer.result()
    assert not [left for left in descendants(training.pid) if left.is_running()]
    return report, training.pid


def _waits(folder: Path, token: str) -> bool:
    lines = [line for file in folder.rglob("*.journal") for line in file.read_bytes().splitlines()]
    return any(
        found.token == token and found.at_gate for line in lines if (found := journal.decode_report(line))
    )


def _lives(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_a_supervisor_takes_so_many_orders_and_no_more() -> None:
    files = LoadedFiles()
    assert _why_not(1, files) is None
    assert "attempts" in (_why_not(MOST_ORDERS, files) or "")
    ends = threading.Event()
    thread = threading.Thread(target=ends.wait)
    thread.start()
    assert "thread" in (_why_not(1, files) or "")
    ends.set()
    thread.join()


def test_a_supervisor_that_refuses_is_replaced(one: Reusing, monkeypatch: pytest.MonkeyPatch) -> None:
    first = place_of(one.behave())
    assert worker._kept is not None
    before = worker._kept._connection.pid
    monkeypatch.setattr(worker._kept._connection, "exchange", lambda *_: b'{"refused": "it is old"}\n')
    again = place_of(one.behave())
    assert again[1] == 1
    assert again[0] != first[0]
    assert worker._kept._connection.pid != before
