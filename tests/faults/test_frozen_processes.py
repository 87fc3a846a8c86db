"""Processes that stand still, as by SIGSTOP or on a node that swaps: they are replaced, which is told."""

from __future__ import annotations

import os
import shutil
import signal
import time
from pathlib import Path

import psutil
import pytest

from tests.harness import CampaignSandbox, wait_for

pytestmark = pytest.mark.slow

STALL_SECONDS = 20


@pytest.fixture
def place(tmp_path: Path) -> CampaignSandbox:
    found = CampaignSandbox(tmp_path)
    usable = sorted(os.sched_getaffinity(0))[:2]
    heartbeat = {"period": 1, "threshold": 6, "stall_timeout": STALL_SECONDS}
    found.site(node={"cores": ",".join(map(str, usable))}, heartbeat=heartbeat)
    return found


def events(place: CampaignSandbox, kind: str) -> list[str]:
    return [text for (text,) in place.rows(f"SELECT message FROM events WHERE kind = '{kind}'")]


def trainings(place: CampaignSandbox) -> list[psutil.Process]:
    return wait_for(lambda: len(found := place.processes("workloads.run")) == 2 and found, "two trainings")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("process_worker_pool", "the worker pool of block 0 has not answered for "),
        ("interchange", "Parsl's interchange has not answered for "),
    ],
)
def test_a_part_of_the_engine_that_stands_still_is_replaced(
    name: str, told: str, place: CampaignSandbox
) -> None:
    place.campaign(8, parameters={"seconds": 4.0})
    driver = place.launch()
    trainings(place)
    frozen = place.processes(name)
    assert frozen
    for one in frozen:
        one.suspend()
    out, err = driver.communicate(timeout=400)
    assert driver.returncode == 0, out + err
    (message,) = events(place, "engine_restarted")
    assert message.startswith(told)
    assert told in out
    assert place.processes() == []
    place.check_whole(8)


def test_a_supervisor_that_stands_still_does_not_keep_its_slot(place: CampaignSandbox) -> None:
    place.campaign(4, parameters={"seconds": 4.0}, timeout=10)
    driver = place.launch()
    supervisor = trainings(place)[0].parent()
    assert supervisor is not None
    supervisor.suspend()
    out, err = driver.communicate(timeout=400)
    assert driver.returncode == 0, out + err
    ((reason, message, seconds),) = place.rows(
        "SELECT failure_reason, failure_message, (received_us - submitted_us) / 1e6 FROM attempts "
        "WHERE state = 'lost'"
    )
    assert reason == "supervisor hung"
    assert message.endswith(", with a timeout of 10 s")
    assert seconds < 10 + 2 + 180
    place.check_whole(4)


def test_a_result_that_is_noticed_after_the_timeout_is_not_in_time(place: CampaignSandbox) -> None:
    place.campaign(2, parameters={"seconds": 4.0}, timeout=10, retries={"benchmark": 2})
    driver = place.launch()
    training = max(trainings(place), key=psutil.Process.create_time)  # the other may be about to end
    supervisor = training.parent()
    assert supervisor is not None
    supervisor.suspend()
    assert training.status() != psutil.STATUS_ZOMBIE, "it ended before its supervisor stood still"
    began = training.create_time()
    wait_for(lambda: time.time() > began + 17, "the timeout and more", 60)
    supervisor.resume()
    out, err = driver.communicate(timeout=400)
    assert driver.returncode == 0, out + err
    assert place.rows("SELECT failure_reason FROM attempts WHERE state = 'timed_out'") == [("timeout",)]
    place.check_whole(2)


def test_a_run_directory_that_vanishes_ends_the_session(place: CampaignSandbox) -> None:
    place.campaign(40, parameters={"seconds": 1.0})
    driver = place.launch()
    wait_for(lambda: place.done() >= 2, "two instances")
    pools = place.processes("process_worker_pool")
    (place.folder / "runs" / "toy").rename(
        place.folder / "gone"
    )  # at once: a file that is written keeps a folder
    shutil.rmtree(place.folder / "gone")
    for one in pools:
        one.send_signal(signal.SIGKILL)
    out, err = driver.communicate(timeout=200)
    assert driver.returncode == 4, out + err
    said = " ".join((out + err).split())
    assert "with its journals and logs: nothing more starts" in said
    assert place.processes() == []
    assert place.done() >= 2
