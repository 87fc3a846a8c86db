"""Every process of a campaign is killed in every phase: nothing finished is lost, nothing counts twice.

One campaign for each victim goes through the phases; both signals hit it in each. After all of it,
every instance is accepted once, no process is left, the ledger holds against its journals, and what
happened was said.
"""

from __future__ import annotations

import re
import signal
from pathlib import Path

import psutil
import pytest

from tests.faults.fault_scenario import FaultScenario, Moment
from tests.faults.kill_matrix_cells import JOURNAL, KILLED, LOAD, SIGNALS, START, STOP, TRAIN, Cell
from tests.faults.matrix import Matrix
from tests.faults.server import Server

pytestmark = pytest.mark.slow

INSTANCES = 24
HOLDS = {START: "start", LOAD: "load", TRAIN: "train"}
OF_ONE_SLOT = ("training", "supervisor", "worker")
PADDING = 400_000  # characters; more than a socket holds


class Walk:
    """One victim's way through the phases."""

    def __init__(self, scene: FaultScenario, victim: str, matrix: Matrix, server: Server | None) -> None:
        self.scene = scene
        self.victim = victim
        self.matrix = matrix
        self.server = server
        self.since = scene.now()
        self.unsaid: list[tuple[Cell, str, Moment]] = []

    def play(self, phase: str) -> None:
        """Hit the victim in a phase with every signal, and see that the campaign goes on."""
        cell = Cell(self.victim, phase)
        if cell.reason:
            return
        each = phase != JOURNAL and self.victim in OF_ONE_SLOT  # of two, each is hit with another signal
        for kinds in (SIGNALS,) if each else [(kind,) for kind in SIGNALS]:
            for kind in kinds:
                self.matrix.begin(self.victim, phase, kind)
            self.since = self.scene.now()
            {JOURNAL: self._between, STOP: self._while_stopping}.get(phase, self._held)(phase, kinds)
            self.unsaid += [(cell, kind, self.since) for kind in kinds]

    def finish(self) -> None:
        """Let all go, and see that the campaign is whole and everything was said."""
        scene = self.scene
        scene.release()
        assert scene.ended() == 0, scene.said()
        scene.check_whole(INSTANCES)
        checked = scene.run("ledger", "verify", "toy")
        assert checked.returncode == 0, checked.stdout
        assert scene.rows("SELECT count(*) FROM attempts WHERE failure_category = 'benchmark'") == [(0,)]
        for cell, kind, since in self.unsaid:
            told, words = scene.told(since), cell.words(kind)
            assert re.search(words, told), f"{cell.row} {kind} {cell.phase}: {words!r} is not in:\n{told}"
            self.matrix.passed(cell.row, cell.phase, kind)

    def _held(self, phase: str, kinds: tuple[str, ...]) -> None:
        """Hit it while two trainings stand in the phase, and wait until two others stand there."""
        scene, hold = self.scene, HOLDS[phase]
        there = scene.wait_at(hold)
        for kind, near in zip(kinds, there, strict=False):
            self._hit(kind, self._around(near))
        if self.victim == "database":
            self._come_back()
            return
        if self.victim == "driver":
            scene.ended()
            scene.resume()
        scene.wait_at(hold, there)

    def _between(self, _phase: str, kinds: tuple[str, ...]) -> None:
        """Hit it when results are in the journals and the driver, which stands still, has not seen them."""
        scene = self.scene
        scene.hold("train")
        scene.release("start", "load")
        there = scene.wait_at("train")
        scene.hold("load")
        before = scene.journalled()
        around = self._around(there[0])
        if self.victim == "supervisor":
            worker, supervisor = around["worker"], around["supervisor"]
            worker.suspend()  # it does not read, and a report longer than a socket cannot be handed over
            scene.release("train")
            own = scene.wait(lambda: scene.journalled(f"-{worker.pid}") - before, "its journal line")
            scene.wait(lambda: supervisor.status() == psutil.STATUS_SLEEPING, "a full socket")
            supervisor.send_signal(_number(kinds[0]))
            worker.resume()
        else:
            scene.signal(signal.SIGSTOP)
            scene.release("train")
            scene.wait(lambda: len(scene.journalled() - before) >= 2, "two results in the journals")
            own = scene.journalled() - before
            assert not own & scene.accepted()
            self._hit(kinds[0], around)
            scene.signal(signal.SIGCONT)
        if self.victim == "driver":
            scene.ended()
            scene.resume()
        elif self.victim == "database":
            self._come_back()
        scene.wait(lambda: own <= scene.accepted(), "results that were in the journals")
        if self.victim in ("driver", "interchange", "manager"):
            scene.wait_at("load", [around["manager"]])  # what comes next must not meet those that go with it

    def _while_stopping(self, _phase: str, kinds: tuple[str, ...]) -> None:
        """Hit it while the driver drains, and resume."""
        scene = self.scene
        scene.hold("load")
        scene.release("start", "train")
        there = scene.wait_at("load")
        scene.signal(signal.SIGINT)
        scene.wait_said("draining", self.since.length)
        for kind, near in zip(kinds, there, strict=False):
            self._hit(kind, self._around(near))
        if self.victim == "database":
            scene.wait_said("nothing new starts", self.since.length)
            scene.release("load")
        assert scene.ended() == {"driver": {"KILL": -9, "TERM": 4}[kinds[0]], "database": 1}.get(
            self.victim, 4
        )
        if self.server is not None:
            self.server.start()
        scene.hold("load")
        scene.resume()
        scene.wait_at("load", there)

    def _around(self, training: psutil.Process) -> dict[str, psutil.Process]:
        """Return the processes that run a training."""
        worker, pool = self.scene.worker_of(training), self.scene.pool_of(training)
        assert worker is not None
        assert pool is not None
        return {"training": training, "supervisor": training.parent(), "worker": worker, "manager": pool}

    def _hit(self, kind: str, around: dict[str, psutil.Process]) -> None:
        """Send the victim a signal; of several, the one that is in a slot with others."""
        number = _number(kind)
        if self.server is not None:
            self.server.kill(number)
        elif self.victim == "driver":
            self.scene.signal(number)
        elif self.victim == "interchange":
            self.scene.processes("HTEX interchange")[0].send_signal(number)
        else:
            around[self.victim].send_signal(number)

    def _come_back(self) -> None:
        """Start the server once the driver has missed it; the driver goes on by itself."""
        assert self.server is not None
        self.scene.wait_said("nothing new starts", self.since.length)
        length = len(self.scene.said())
        self.server.start()
        self.scene.wait_said("the ledger is back", length)


def _number(kind: str) -> signal.Signals:
    return signal.Signals[f"SIG{kind}"]


@pytest.mark.parametrize("victim", KILLED)
def test_killed_in_every_phase(
    victim: str, tmp_path: Path, matrix: Matrix, request: pytest.FixtureRequest
) -> None:
    server = request.getfixturevalue("server") if victim == "database" else None
    heartbeat = 6 if victim == "manager" else 20  # its loss is known by nothing else
    with FaultScenario(tmp_path, ledger=server.ledger() if server else None, heartbeat=heartbeat) as scene:
        scene.campaign(INSTANCES, parameters={"padding": PADDING if victim == "supervisor" else 0})
        walk = Walk(scene, victim, matrix, server)
        scene.hold("train")
        scene.drive()
        walk.play(TRAIN)
        scene.hold("load")
        scene.release("train")
        walk.play(LOAD)
        scene.hold("start")
        scene.release("load")
        walk.play(START)
        walk.play(JOURNAL)
        walk.play(STOP)
        walk.finish()
