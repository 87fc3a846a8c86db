"""Processes that run one attempt after another: when one is killed, its attempt runs again, and no other."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest

from tests.faults.fault_scenario import FaultScenario

pytestmark = pytest.mark.slow

INSTANCES = 12


def test_training_supervisor_and_worker_are_killed_in_a_sequence(tmp_path: Path) -> None:
    with FaultScenario(tmp_path) as scene:
        scene.campaign(INSTANCES, processes="reused")
        scene.hold("train")
        scene.drive()
        gone: list[psutil.Process] = []
        for above in range(3):  # the training, its supervisor, its worker
            training = scene.wait_at("train", gone)[0]
            victim = [training, *training.parents()][above]
            gone += [training, victim]
            victim.kill()
            scene.wait(lambda one=training: _has_ended(one), "the end of the training")
        scene.release()
        assert scene.ended() == 0, scene.said()
        scene.check_whole(INSTANCES)
        numbers = [
            number for (number,) in scene.rows("SELECT value FROM metrics WHERE name = 'attempt_of_process'")
        ]
        assert len(numbers) == INSTANCES
        assert max(numbers) > 1


def _has_ended(process: psutil.Process) -> bool:
    return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
