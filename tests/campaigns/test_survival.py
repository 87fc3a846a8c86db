"""Stopping a real campaign from its terminal and from another; one driver runs it at a time."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.harness import CampaignSandbox, wait_for

pytestmark = pytest.mark.slow

INSTANCES = 40
SIGNALLED = """
import random, runpy, signal, time

chance = random.Random(7)

def arm():
    signal.setitimer(signal.ITIMER_REAL, chance.uniform(0.01, 0.4))

def handle(*_):
    time.sleep(chance.uniform(0, 0.3))
    arm()

signal.signal(signal.SIGALRM, handle)
signal.signal(signal.SIGWINCH, lambda *_: time.sleep(chance.uniform(0, 0.3)))
arm()
try:
    runpy.run_module("orchestrator", run_name="__main__", alter_sys=True)
finally:
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
"""
"""Runs the command line under signals at random moments, whose handlers take a while."""


@pytest.fixture
def place(tmp_path: Path) -> CampaignSandbox:
    return CampaignSandbox(tmp_path)


def test_first_interrupt_drains(place: CampaignSandbox) -> None:
    place.campaign(INSTANCES)
    driver = place.launch()
    wait_for(lambda: place.done() >= 3, "three instances")
    os.killpg(driver.pid, signal.SIGINT)  # as a terminal does: the whole foreground group
    out, err = driver.communicate(timeout=600)
    assert driver.returncode == 4, out + err
    assert "draining" in out
    assert "drained" in out
    assert place.rows("SELECT count(*) FROM attempts WHERE state IN ('failed', 'lost', 'timed_out')") == [
        (0,)
    ]
    assert place.processes() == []
    assert 3 <= place.done() < INSTANCES
    assert place.run("resume", "toy").returncode == 0
    place.check_whole(INSTANCES)
    assert set(place.starts().values()) == {1}  # a drain wastes nothing


def test_second_interrupt_cancels(place: CampaignSandbox) -> None:
    place.campaign(6, parameters={"seconds": 600.0}, timeout=900)
    driver = place.launch()
    wait_for(lambda: len(place.processes("workloads.run")) == 2, "two trainings")
    os.killpg(driver.pid, signal.SIGINT)
    wait_for(lambda: (place.folder / "runs" / "toy" / "stop-1").exists(), "the drain")
    os.killpg(driver.pid, signal.SIGINT)
    out, err = driver.communicate(timeout=600)
    assert driver.returncode == 4, out + err
    assert "cancelled" in out
    assert place.processes() == []
    assert place.rows("SELECT DISTINCT state FROM attempts") == [("cancelled",)]
    assert place.rows("SELECT DISTINCT state FROM instances") == [("planned",)]


def test_stop_from_another_terminal(place: CampaignSandbox) -> None:
    place.campaign(INSTANCES)
    driver = place.launch()
    wait_for(lambda: place.done() >= 2, "two instances")
    stopped = place.run("stop", "toy")
    assert stopped.returncode == 0
    assert stopped.stdout.splitlines() == ["toy: asked to stop", "toy: drained"]
    driver.communicate(timeout=600)
    assert driver.returncode == 4
    again = place.run("stop", "toy")
    assert "no driver runs toy" in again.stdout


def test_a_running_campaign_has_one_driver(place: CampaignSandbox) -> None:
    place.campaign(INSTANCES)
    driver = place.launch()
    wait_for(lambda: place.done() >= 1, "one instance")
    second = place.run("resume", "toy")
    assert second.returncode == 1
    assert second.stderr.startswith("error: the campaign is being run by")
    assert len(second.stderr.splitlines()) == 1
    os.kill(driver.pid, signal.SIGTERM)  # cancels at once
    driver.communicate(timeout=600)
    assert driver.returncode == 4
    assert place.run("resume", "toy").returncode == 0
    place.check_whole(INSTANCES)


def test_signals_at_random_moments_stop_no_loop(place: CampaignSandbox) -> None:
    place.campaign(2, parameters={"seconds": 600.0}, timeout=900)
    driver = place.start("launch", "toy.yaml", "--site", "site.yaml", program=("-c", SIGNALLED))
    wait_for(lambda: len(place.processes("workloads.run")) == 2, "two trainings")
    (clock,) = (place.folder / "runs" / "toy").glob("clock-*")
    seen = {clock.read_text()}

    def turned() -> bool:
        os.kill(driver.pid, signal.SIGWINCH)
        seen.add(clock.read_text())
        return len(seen) > 10

    wait_for(turned, "ten new times of the driver")
    os.kill(driver.pid, signal.SIGTERM)
    out, err = driver.communicate(timeout=120)
    assert driver.returncode == 4, out + err
    assert place.processes() == []
