"""Killing every process of a real campaign, and resuming: nothing finished is lost or counted twice."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import psutil
import pytest

from tests.harness import Place, kill, wait_for

pytestmark = pytest.mark.slow

INSTANCES = 40


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def check_whole(place: Place, instances: int = INSTANCES) -> None:
    """Every instance is accepted once, nothing runs on, and the figures are those of the accepted."""
    assert place.rows("SELECT state, count(*) FROM instances GROUP BY state") == [("done", instances)]
    succeeded = place.rows(
        "SELECT instance, count(*) FROM attempts WHERE state = 'succeeded' GROUP BY instance"
    )
    assert sorted(succeeded) == [(k, 1) for k in range(instances)]
    assert place.rows("SELECT count(*) FROM attempts WHERE state IN ('submitted', 'running')") == [(0,)]
    assert place.processes() == []
    facts = json.loads(place.run("fom", "toy", "--json").stdout)["benchmarks"][0]
    times = place.rows("SELECT max(fom_seconds), min(accuracy) FROM attempts WHERE state = 'succeeded'")[0]
    assert (facts["seconds"], facts["accuracy"]) == times
    assert 1 <= facts["instances"] <= 2  # two slots, so never more than two at once


def finished_in_journals(place: Place) -> set[int]:
    """Return the seeds of instances that reported success to a journal."""
    from orchestrator.journal import Tail

    labels = {
        report["label"]
        for report in Tail(place.folder / "runs" / "toy" / "journals").read()
        if report["state"] == "succeeded"
    }
    return {2017 + int(label.partition("/")[2]) for label in labels}


@pytest.mark.parametrize("finished", [0, 12, INSTANCES - 2])
def test_driver_killed_then_resumed(place: Place, finished: int) -> None:
    place.campaign(INSTANCES)
    driver = place.launch()
    wait_for(lambda: place.done() >= finished, f"{finished} instances")
    wait_for(lambda: place.processes("workloads.run"), "a training")
    kill(driver)
    # Results that arrive while nobody drives must not be lost either.
    before = place.done()
    wait_for(
        lambda: len(finished_in_journals(place)) > before or not place.processes("workloads.run"),
        "a result after the driver's death",
    )
    resumed = place.run("resume", "toy")
    assert resumed.returncode == 0, resumed.stderr
    check_whole(place)
    starts = place.starts()
    repeated = {seed for seed, count in starts.items() if count > 1}
    assert len(repeated) <= 4  # only what was in flight may have started twice
    accepted_first = {
        2017 + instance
        for (instance,) in place.rows(
            "SELECT instance FROM attempts WHERE state = 'succeeded' AND session = 1"
        )
    }
    assert len(accepted_first) >= finished
    assert not repeated & accepted_first
    assert place.rows("SELECT outcome FROM sessions ORDER BY session") == [("died",), ("complete",)]


@pytest.mark.parametrize("victim", ["training", "supervisor", "worker", "manager", "interchange"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_process_killed_while_the_driver_lives(place: Place, victim: str, number: signal.Signals) -> None:
    place.campaign(12, parameters={"seconds": 1.0})
    driver = place.launch()
    wait_for(lambda: place.done() >= 2, "two instances")
    process = wait_for(lambda: find(place, victim), victim)
    process.send_signal(number)
    out, err = driver.communicate(timeout=150)
    assert driver.returncode == 0, out + err
    check_whole(place, 12)
    assert all(count <= 3 for count in place.starts().values())


def find(place: Place, victim: str) -> psutil.Process | None:
    """Return a process of the campaign that plays a part and is at work."""
    patterns = {
        "training": "workloads.run",
        "supervisor": "orchestrator.supervisor",
        "manager": "process_worker_pool.py",
        "interchange": "HTEX interchange",
    }
    if victim == "worker":
        supervisors = place.processes("orchestrator.supervisor")
        return supervisors[0].parent() if supervisors else None
    found = place.processes(patterns[victim])
    if victim in ("training", "supervisor"):
        return found[0] if found and place.processes("workloads.run") else None
    leaders = [p for p in found if "multiprocessing" not in " ".join(p.cmdline())]
    return leaders[0] if leaders else None


def test_first_interrupt_drains(place: Place) -> None:
    place.campaign(INSTANCES)
    driver = place.launch()
    wait_for(lambda: place.done() >= 3, "three instances")
    os.killpg(driver.pid, signal.SIGINT)  # as a terminal does: the whole foreground group
    out, err = driver.communicate(timeout=60)
    assert driver.returncode == 4, out + err
    assert "draining" in out
    assert "drained" in out
    assert place.rows("SELECT count(*) FROM attempts WHERE state IN ('failed', 'lost', 'timed_out')") == [
        (0,)
    ]
    assert place.processes() == []
    assert 3 <= place.done() < INSTANCES
    assert place.run("resume", "toy").returncode == 0
    check_whole(place)
    assert set(place.starts().values()) == {1}  # a drain wastes nothing


def test_second_interrupt_cancels(place: Place) -> None:
    place.campaign(6, parameters={"seconds": 30.0})
    driver = place.launch()
    wait_for(lambda: len(place.processes("workloads.run")) == 2, "two trainings")
    os.killpg(driver.pid, signal.SIGINT)
    wait_for(lambda: (place.folder / "runs" / "toy" / "stop-1").exists(), "the drain")
    os.killpg(driver.pid, signal.SIGINT)
    out, err = driver.communicate(timeout=60)
    assert driver.returncode == 4, out + err
    assert "cancelled" in out
    assert place.processes() == []
    assert place.rows("SELECT DISTINCT state FROM attempts") == [("cancelled",)]
    assert place.rows("SELECT DISTINCT state FROM instances") == [("planned",)]


def test_stop_from_another_terminal(place: Place) -> None:
    place.campaign(INSTANCES)
    driver = place.launch()
    wait_for(lambda: place.done() >= 2, "two instances")
    stopped = place.run("stop", "toy")
    assert stopped.returncode == 0
    assert stopped.stdout.splitlines() == ["toy: asked to stop", "toy: drained"]
    driver.communicate(timeout=30)
    assert driver.returncode == 4
    again = place.run("stop", "toy")
    assert "no driver runs toy" in again.stdout


def test_a_running_campaign_has_one_driver(place: Place) -> None:
    place.campaign(INSTANCES)
    driver = place.launch()
    wait_for(lambda: place.done() >= 1, "one instance")
    second = place.run("resume", "toy")
    assert second.returncode == 1
    assert second.stderr.startswith("error: the campaign is being run by")
    assert len(second.stderr.splitlines()) == 1
    os.kill(driver.pid, signal.SIGTERM)  # cancels at once
    driver.communicate(timeout=60)
    assert driver.returncode == 4
    assert place.run("resume", "toy").returncode == 0
    check_whole(place)
