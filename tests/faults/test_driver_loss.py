"""Attempts go on when their driver dies, and no result of theirs is lost or made twice."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from db.events import EventKind
from tests.faults.fault_scenario import FaultScenario

pytestmark = pytest.mark.slow

INSTANCES = 4


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[FaultScenario]:
    """A local campaign whose attempts outlive their driver; its first two stand in training."""
    with FaultScenario(tmp_path, heartbeat=3, on_driver_loss="finish") as scene:
        scene.campaign(INSTANCES)
        scene.hold("train")
        scene.drive()
        yield scene


def lose_driver(scene: FaultScenario) -> list[psutil.Process]:
    """Kill the driver; return the trainings, which go on when their worker pool has ended."""
    there = scene.wait_at("train")
    pool = scene.pool_of(there[0])
    assert pool is not None
    scene.signal(signal.SIGKILL)
    scene.ended()
    scene.wait(lambda: not pool.is_running(), "the end of the pool")
    scene.wait(lambda: not scene.processes("HTEX"), "the end of the engine")
    assert all(training.is_running() for training in there)
    return there


def kinds(scene: FaultScenario) -> set[str]:
    return {kind for (kind,) in scene.rows("SELECT DISTINCT kind FROM events")}


def test_results_of_attempts_that_ended_without_a_driver_are_adopted(scene: FaultScenario) -> None:
    lose_driver(scene)
    scene.release()
    scene.wait(lambda: len(scene.journalled()) == 2, "two results in the journals")
    scene.wait(lambda: not scene.processes(), "the end of all processes")
    scene.resume()
    assert scene.ended() == 0, scene.said()
    assert "adopted 2 results from the journals" in scene.said()
    assert EventKind.ATTEMPTS_LOST not in kinds(scene) or scene.rows(
        "SELECT count(*) FROM attempts WHERE state = 'lost' AND process_start_us IS NOT NULL"
    ) == [(0,)]
    scene.check_whole(INSTANCES)


def test_resume_waits_for_what_still_runs(scene: FaultScenario) -> None:
    there = lose_driver(scene)
    scene.resume()
    scene.wait_said("2 attempts of a dead driver still run in this machine")
    assert all(training.is_running() for training in there)
    scene.release()
    assert scene.ended() == 0, scene.said()
    assert EventKind.ATTEMPTS_OUTLIVE in kinds(scene)
    ran = "SELECT count(*) FROM attempts WHERE process_start_us IS NOT NULL"
    assert scene.rows(ran) == [(INSTANCES,)]
    scene.check_whole(INSTANCES)


def test_what_still_runs_can_be_ended(scene: FaultScenario) -> None:
    there = lose_driver(scene)
    stopped = scene.run("stop", "toy", "--now")
    assert stopped.returncode == 0, stopped.stderr
    assert "ended" in stopped.stdout
    assert not any(training.is_running() for training in there)
    scene.resume("--end-running")
    scene.wait_at("train", there)
    scene.release()
    assert scene.ended() == 0, scene.said()
    scene.check_whole(INSTANCES)


def test_a_driver_that_was_only_cut_off_runs_nothing_twice_at_once(scene: FaultScenario) -> None:
    there = scene.wait_at("train")
    pool = scene.pool_of(there[0])
    assert pool is not None
    (interchange,) = scene.processes("HTEX interchange")
    interchange.suspend()  # as a network that carries nothing: the driver lives, and its pools do not hear it
    scene.wait(lambda: not pool.is_running(), "the end of the pool")
    interchange.resume()  # before the driver replaces it
    scene.wait(lambda: not any(one.is_running() for one in there), "the end of what the driver gives up")
    scene.wait_at("train", there)
    scene.release()
    assert scene.ended() == 0, scene.said()
    scene.check_whole(INSTANCES)


def test_a_running_attempt_is_cancelled_and_counts_as_ended_early(scene: FaultScenario) -> None:
    there = scene.wait_at("train")
    asked = scene.run("instance", "cancel", "toy", "paced/0")
    assert asked.stdout == "toy: asked its driver to cancel paced/0\n"
    scene.wait(lambda: len([one for one in there if one.is_running()]) == 1, "the end of one training")
    scene.wait_at("train")  # another instance has its slot
    scene.release()
    assert scene.ended() == 0, scene.said()
    assert "1 in flight is ended and not tried again" in scene.said()
    assert scene.rows("SELECT state, count(*) FROM instances GROUP BY 1 ORDER BY 1") == [
        ("cancelled", 1),
        ("done", INSTANCES - 1),
    ]
    cancelled = "SELECT failure_reason, run_start_us > 0 FROM attempts WHERE state = 'cancelled'"
    assert scene.rows(cancelled) == [("cancelled by user", 1)]
    assert not list(scene.directory.glob("cancelled/*"))


def test_an_attempt_that_outlived_its_driver_is_cancelled_and_the_others_go_on(scene: FaultScenario) -> None:
    lose_driver(scene)
    asked = scene.run("instance", "cancel", "toy", "paced/1")
    assert "no driver runs it: what still runs ends within seconds" in asked.stdout, asked.stderr
    scene.wait(lambda: len(scene.processes("workloads.run")) == 1, "the end of one training")
    scene.resume()
    scene.wait_said("1 attempt of a dead driver still runs in this machine")
    asked = scene.run("instance", "cancel", "toy", "paced/0")  # of a driver that waits
    scene.wait(lambda: not scene.processes("workloads.run"), "the end of the other training")
    scene.release()
    assert scene.ended() == 0, scene.said()
    assert scene.rows("SELECT state, count(*) FROM instances GROUP BY 1 ORDER BY 1") == [
        ("cancelled", 2),
        ("done", INSTANCES - 2),
    ]
    assert scene.rows("SELECT DISTINCT failure_reason FROM attempts WHERE state = 'cancelled'") == [
        ("cancelled by user",)
    ]
