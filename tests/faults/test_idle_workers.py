"""Workers that are killed while they wait for an order may take the lock of their queue with them."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.faults.fault_scenario import SLOTS, FaultScenario
from tests.harness import wait_for

pytestmark = pytest.mark.slow

INSTANCES = 12
LOOKS = 20
"""At workers without a training, for longer than they take from one order to the next."""


def test_a_campaign_goes_on_when_all_idle_workers_were_killed(tmp_path: Path) -> None:
    with FaultScenario(tmp_path) as scene:
        scene.campaign(INSTANCES)
        scene.hold("train")
        scene.drive()
        there = scene.wait_at("train")
        workers = [worker for worker in map(scene.worker_of, there) if worker is not None]
        supervisors = [training.parent() for training in there]
        assert len(workers) == SLOTS
        handed = {token for (token,) in scene.rows("SELECT token FROM attempts")}
        assert SLOTS < len(handed) < INSTANCES
        renewed = scene.lease()
        scene.wait(lambda: scene.lease() > renewed, "a driver that has handed them over")
        scene.signal(signal.SIGSTOP)
        scene.release()
        scene.wait(lambda: scene.journalled() >= handed, "workers that have done all they had")
        looks = iter(range(LOOKS))
        wait_for(
            lambda: not any(one.children() for one in supervisors) and next(looks, None) is None,
            "idle workers",
        )
        for worker in workers:
            worker.kill()
        scene.signal(signal.SIGCONT)
        assert scene.ended() == 0, scene.said()
        scene.check_whole(INSTANCES)
        checked = scene.run("ledger", "verify", "toy")
        assert checked.returncode == 0, checked.stdout
