"""Attempts of toy workloads by forked supervisors, with a test in the place of the worker."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from orchestrator.host.processes import SLOT_MARK, with_mark
from orchestrator.node.warm.fork_client import ForkClient
from orchestrator.node.warm.fork_server_order import peer_of
from orchestrator.node.warm.kept_supervisor import KeptSupervisor
from orchestrator.protocol.codec import to_json
from orchestrator.protocol.order import RankResources, SlotOrder
from orchestrator.protocol.report import AttemptReport
from tests.harness import command_line, wait_for
from tests.orchestrator.node.supervised import supervised_order


def slot_of(folder: Path, ranks: int = 1, **changes: Any) -> SlotOrder:
    """Return the order of an attempt, with warm processes by default, all ranks on the first core."""
    order = supervised_order(folder, **{"processes": "warm", "ranks_per_node": ranks, **changes})
    place = RankResources((min(os.sched_getaffinity(0)),))
    file, places = folder / "a.journal", (place,) * ranks
    return SlotOrder(order=order, worker_pid=os.getpid(), slot=0, places=places, journal=str(file))


@dataclass
class Forked:
    """An attempt whose supervisor waits for its order."""

    slot: SlotOrder
    mark: str
    supervisor: KeptSupervisor

    def report(self) -> AttemptReport:
        """Order the attempt, and return its final report; none of its processes may stay."""
        answer = self.answer()
        assert answer.endswith(b"\n"), self.supervisor.exit_code()
        wait_for(lambda: not self.left(), "the end of the processes")
        return AttemptReport.from_json(json.loads(answer))

    def answer(self) -> bytes:
        """Order the attempt, let its supervisor end, and return what it answers."""
        answer = self.supervisor.exchange(self.order(), lambda: 120.0)
        assert answer is not None
        self.supervisor.close()
        return answer

    def order(self) -> bytes:
        """Return what the supervisor reads."""
        return json.dumps(to_json(self.slot)).encode()

    def left(self) -> list[psutil.Process]:
        """Return the living processes of the attempt."""
        return with_mark(SLOT_MARK, self.mark)


def fork(client: ForkClient, folder: Path, ranks: int = 1, **changes: Any) -> Forked:
    """Have a supervisor forked for an attempt in a folder."""
    folder.mkdir(exist_ok=True)
    slot, mark = slot_of(folder, ranks, **changes), f"test:{uuid.uuid4().hex}"
    return Forked(slot, mark, client.fork(slot, {**os.environ, SLOT_MARK: mark}))


def server_of(client: ForkClient) -> psutil.Process:
    """Return the fork server that a client used last."""
    return psutil.Process(peer_of(next(reversed(client._connections.values())))[0])


@contextmanager
def forking() -> Iterator[ForkClient]:
    """Yield a client, and see that no server outlives it."""
    before = _servers()
    client = ForkClient()
    try:
        yield client
    finally:
        client.close()
    assert _servers() <= before


def _servers() -> set[psutil.Process]:
    return {one for one in psutil.Process().children() if "fork_server" in command_line(one)}
