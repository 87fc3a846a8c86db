"""Faults that are no signal: a full disk, a database that stays away, a torn line, a clock set back."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from db.reader import Reader
from orchestrator.analysis.verdict.evidence import measurements
from orchestrator.lifecycle.driver_process.identity import is_dead, this_driver
from orchestrator.rulebooks.coral2.rules import concurrency
from tests.faults.fault_scenario import FaultScenario
from tests.faults.kill_matrix_cells import JOURNAL, LOAD, START, TRAIN, Cell
from tests.faults.matrix import Matrix
from tests.faults.server import Server
from tests.harness import ROOT, command_line, wait_for

pytestmark = pytest.mark.slow

HOLDS = {START: "start", LOAD: "load", TRAIN: "train"}
AWAY = "nothing new starts until it is back, results wait in the journals"
GONE_SECONDS = 30
NOT_STARTED = (
    "SELECT failure_reason, count(*) FROM attempts WHERE failure_reason IN ('cannot start', 'worker failed') "
    "GROUP BY failure_reason"
)
STEP_SECONDS = 3600
# A clock that steps back when a file appears, for every Python process that finds this on its path.
STEPPING_CLOCK = """
import os, time
def _stepping(real, step):
    return lambda: real() - (step if os.path.exists({file!r}) else 0)
time.time = _stepping(time.time, {seconds})
time.time_ns = _stepping(time.time_ns, {seconds} * 10**9)
"""


def check(scene: FaultScenario, instances: int) -> None:
    """See that the campaign is whole, by its rows and by its journals."""
    scene.check_whole(instances)
    checked = scene.run("ledger", "verify", "toy")
    assert checked.returncode == 0, checked.stdout


@contextmanager
def full(disk: Path) -> Iterator[None]:
    """Leave no room on a disk."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            os.fsync(file.fileno())
    yield
    filler.unlink()


@contextmanager
def noted(matrix: Matrix, row: str, phase: str) -> Iterator[None]:
    assert Cell(row, phase).reason is None
    matrix.begin(row, phase)
    yield
    matrix.passed(row, phase)


def wait_for_driver(scene: FaultScenario) -> None:
    """Wait until the driver has reached the ledger again."""
    before = scene.lease()
    wait_for(lambda: scene.lease() > before, "a driver that reaches its ledger", 300)


def next_phase(scene: FaultScenario, now: str, then: str) -> None:
    """Let what waits in a phase go on; what comes after it waits in another."""
    if then:
        scene.hold(then)
    scene.release(now)


def test_the_journals_disk_is_full(tmp_path: Path, small_disk: Path, matrix: Matrix) -> None:
    """What cannot be journalled does not start; the driver journals what has run once there is room."""
    with FaultScenario(tmp_path, runs=small_disk) as scene:
        # Longer than what a file's last page has left, so that a line is torn as well.
        scene.campaign(
            8,
            parameters={"padding": 20_000},
            retries={"benchmark": 0, "infrastructure": 10_000},
            abort_after_failures=10_000,
        )
        scene.hold("train")
        scene.drive()
        for phase, then in ((TRAIN, "load"), (LOAD, "start"), (START, "")):
            with noted(matrix, "journal disk full", phase):
                scene.wait_at(HOLDS[phase])
                since, done = scene.now(), scene.done()
                with full(small_disk):
                    next_phase(scene, HOLDS[phase], then)
                    wait_for(lambda done=done: scene.done() >= done + 2, "results without a journal", 300)
                    wait_for(
                        lambda since=since: re.search(
                            "OSError: .*No space left on device", scene.told(since)
                        ),
                        "a refusal to start",
                        180,
                    )
                said = "its report could not be written to its journal: [Errno 28] No space left on device"
                assert said in scene.told(since)
        assert scene.ended() == 0, scene.said()
        check(scene, 8)
        [(message,)] = scene.rows("SELECT message FROM events WHERE kind = 'results_journalled'")
        assert "that workers could not write to their journals: the driver's own has them" in message
        reasons = {reason for reason, _ in scene.rows(NOT_STARTED)}
        told = scene.rows("SELECT message FROM events WHERE kind = 'attempt_not_started'")
        assert len(told) == len(reasons) > 0
        assert all(message in scene.said() for (message,) in told)
        assert scene.rows("SELECT count(*) FROM attempts WHERE failure_category = 'benchmark'") == [(0,)]


def test_the_ledgers_disk_is_full(tmp_path: Path, small_disk: Path, matrix: Matrix) -> None:
    with FaultScenario(tmp_path, ledger=f"sqlite:///{small_disk}/ledger.sqlite") as scene:
        scene.campaign(8)
        scene.hold("train")
        scene.drive()
        for phase, then in ((TRAIN, "load"), (LOAD, "start"), (START, "load")):
            with noted(matrix, "ledger disk full", phase):
                scene.wait_at(HOLDS[phase])
                since = len(scene.said())
                with full(small_disk):
                    scene.wait_said(AWAY, since)
                    assert "database or disk is full" in scene.said(since)
                scene.wait_said("the ledger is back", since)
                next_phase(scene, HOLDS[phase], then)
        with noted(matrix, "ledger disk full", JOURNAL):
            scene.wait_at("load")
            since, before = len(scene.said()), scene.journalled()
            with full(small_disk):
                scene.wait_said(AWAY, since)
                scene.release()
                wait_for(lambda: len(scene.journalled() - before) >= 2, "results in the journals", 300)
                assert not (scene.journalled() - before) & scene.accepted()
            assert scene.ended() == 0, scene.said()
            check(scene, 8)


def test_a_database_that_is_gone_for_30_seconds(tmp_path: Path, server: Server, matrix: Matrix) -> None:
    with FaultScenario(tmp_path, ledger=server.ledger()) as scene, noted(matrix, "database gone 30 s", TRAIN):
        scene.campaign(6)
        scene.hold("train")
        scene.drive()
        scene.wait_at("train")
        server.kill(signal.SIGINT)
        scene.wait_said(AWAY)
        scene.release("train")
        wait_for(lambda: len(scene.journalled()) >= 4, "results in the journals", 300)
        # By the driver's own clock: it prints its progress every five seconds.
        wait_for(lambda: scene.said().count("ledger away") > GONE_SECONDS / 5, "30 s without a ledger", 300)
        assert len(scene.journalled()) == 4  # what had been handed out; nothing new
        server.start()
        assert scene.ended() == 0, scene.said()
        check(scene, 6)


def test_a_journal_line_torn_in_half(tmp_path: Path, matrix: Matrix) -> None:
    """One line has lost its end, the other is followed by more; neither is guessed at."""
    with FaultScenario(tmp_path) as scene, noted(matrix, "journal line torn", JOURNAL):
        scene.campaign(2)
        scene.hold("train")
        scene.drive()
        scene.wait_at("train")
        scene.signal(signal.SIGSTOP)
        scene.release()
        wait_for(lambda: len(scene.journalled()) == 2, "two results in the journals", 300)
        scene.signal(signal.SIGKILL)
        scene.ended()
        torn, damaged = sorted((scene.directory / "journals").rglob("*.journal"))
        for file in (torn, damaged):
            *lines, last = file.read_bytes().splitlines(keepends=True)
            file.write_bytes(b"".join(lines) + last[: len(last) // 2])
        with damaged.open("ab") as file:
            file.write(b"\n")
        found = scene.run("ledger", "verify", "toy")
        assert found.returncode == 1
        assert f"damaged journal line in {damaged}" in found.stdout
        assert "1 report was cut short" in found.stdout
        scene.resume()
        assert scene.ended() == 0, scene.said()
        assert f"damaged journal line in {damaged}" in scene.said()
        assert "2 attempts were lost and will be run again" in scene.said()
        assert scene.rows("SELECT count(*) FROM attempts WHERE failure_reason = 'driver died'") == [(2,)]
        check(scene, 2)


def test_a_clock_that_is_set_back(tmp_path: Path, matrix: Matrix) -> None:
    """Durations and the lease do not move; what needs clocks that agree is said not to be known."""
    stepped = tmp_path / "stepped"
    clock = tmp_path / "clock"
    clock.mkdir()
    (clock / "sitecustomize.py").write_text(STEPPING_CLOCK.format(file=str(stepped), seconds=STEP_SECONDS))
    with FaultScenario(tmp_path, environment={"PYTHONPATH": f"{clock}{os.pathsep}{ROOT}"}) as scene:
        scene.campaign(6)
        scene.hold("train")
        scene.drive()
        with noted(matrix, "clock 1 h back", TRAIN):
            scene.wait_at("train")
            stepped.touch()
            refused = scene.run("resume", "toy")
            assert refused.returncode == 1
            assert refused.stderr.startswith("error: the campaign is being run by")
            scene.hold("start")
            scene.release("train")
        with noted(matrix, "clock 1 h back", START):
            scene.wait_at("start")
            stepped.unlink()
            wait_for_driver(scene)
            stepped.touch()
            scene.release("start")
            assert scene.ended() == 0, scene.said()
            check(scene, 6)
        seconds = scene.rows("SELECT fom_seconds, run_stop_us - run_start_us FROM attempts")
        assert all(0 < fom < STEP_SECONDS / 2 and 0 < run < STEP_SECONDS * 500_000 for fom, run in seconds)
        with Reader(scene.ledger) as reader:
            [found] = measurements(reader, reader.campaign("toy"))
        assert abs(found.times.contradiction_seconds - STEP_SECONDS) < STEP_SECONDS / 2
        rule = concurrency(found, None)
        assert not rule.passed
        assert "or one was set back; what overlapped is not known" in rule.reason


def test_a_driver_lives_although_the_clock_was_set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """When a machine seems to have begun moves with its clock, and so does when a process seems to have."""
    before = this_driver()
    monkeypatch.setattr(psutil, "boot_time", lambda: time.time() - 10 * STEP_SECONDS)
    monkeypatch.setattr("psutil._pslinux.boot_time", lambda: time.time() - 10 * STEP_SECONDS)
    assert this_driver() == before
    assert not is_dead(before)


def test_a_pool_that_loses_what_its_workers_share_is_replaced(tmp_path: Path) -> None:
    with FaultScenario(tmp_path, heartbeat=6) as scene:
        scene.campaign(4)
        scene.hold("train")
        scene.drive()
        trainings = scene.wait_at("train")
        workers = [scene.worker_of(one) for one in trainings]
        pool = scene.pool_of(trainings[0])
        assert pool is not None
        started = [one for one in pool.children() if "--multiprocessing-fork" in command_line(one)]
        [holder] = [one for one in started if one not in workers]
        holder.kill()
        scene.wait(lambda: not pool.is_running(), "the end of the pool")
        scene.release()
        assert scene.ended() == 0, scene.said()
        scene.check_whole(4)
