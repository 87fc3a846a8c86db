"""A fork server that is killed costs no attempt: the supervisors that it forked go on."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.faults.fault_scenario import FaultScenario
from tests.faults.kill_matrix_cells import FORK_SERVER, LOAD, TRAIN
from tests.faults.matrix import Matrix
from tests.harness import command_line

pytestmark = pytest.mark.slow

INSTANCES = 4


@pytest.mark.parametrize(
    ("processes", "site", "kind", "phase", "hold"),
    [
        ("warm", {"interpreter": sys.executable}, "KILL", TRAIN, "train"),
        ("fresh", {}, "TERM", LOAD, "load"),
    ],
)
def test_a_fork_server_is_killed(
    tmp_path: Path, matrix: Matrix, processes: str, site: dict[str, Any], kind: str, phase: str, hold: str
) -> None:
    with FaultScenario(tmp_path, **site) as scene:
        scene.campaign(INSTANCES, processes=processes)
        scene.hold(hold)
        scene.drive()
        matrix.begin(FORK_SERVER, phase, kind)
        supervisors = [training.parent() for training in scene.wait_at(hold)]
        [server] = {one.parent() for one in supervisors}
        assert "fork_server" in command_line(server)
        server.send_signal(signal.Signals[f"SIG{kind}"])
        scene.wait(lambda: all(one.parent() != server for one in supervisors), "the end of the server")
        scene.release()
        assert scene.ended() == 0, scene.said()
        scene.check_whole(INSTANCES)
        assert scene.rows("SELECT state, count(*) FROM attempts GROUP BY state") == [("succeeded", INSTANCES)]
        seen = [json.loads(text) for (text,) in scene.rows("SELECT content FROM documents")]
        assert {one.get("processes", "fresh") for one in seen if "framework" in one} == {processes}
        matrix.passed(FORK_SERVER, phase, kind)
