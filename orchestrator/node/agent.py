"""One node's part of an instance of several nodes: ``python -m orchestrator.node.agent ORDER.json``.

The launcher of the batch system starts one agent on each node. The agent starts its ranks on their
places, and writes what they report, and how each ended, line by line to a file beside the order; on
a shared file system such a file is whole for whoever opens it after the agent has ended.
"""

from __future__ import annotations

import ctypes
import json
import os
import selectors
import signal
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

import psutil

from orchestrator.host.processes import descendants, end, memory_of
from orchestrator.node.rank_environment import find_devices, rank_environment, runner_request
from orchestrator.node.rank_process import Rank
from orchestrator.protocol.block_environment import node_name, process_number
from orchestrator.protocol.codec import from_json
from orchestrator.protocol.order import SlotOrder
from orchestrator.rundir.barrier_file import announced_start, barrier_of

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_LET_DOWN_SECONDS = 3.0
_SAMPLE_SECONDS = 1.0
_GATE_SECONDS = 0.5


def main() -> int:
    """Run this node's ranks; return 0 when all of them ended well."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1)
    path = Path(sys.argv[1])
    order = from_json(SlotOrder, json.loads(path.read_text(encoding="utf-8")))
    number = int(sys.argv[2]) if len(sys.argv) > 2 else process_number(os.environ)
    os.chdir(order.order.working_directory)
    with report_file(path, number).open("w", encoding="utf-8") as reports:
        return Agent(order, number, reports).run()


def report_file(order: Path, number: int) -> Path:
    """Return the file that the agent of a node reports to."""
    return order.with_name(f"{order.stem}-{number}.reports")


class Agent:
    """Starts and watches the ranks of one node.

    Parameters
    ----------
    order
        The attempt's order, with the address where its ranks meet.
    number
        Which of the instance's nodes this is.
    reports
        Where to write.
    """

    def __init__(self, order: SlotOrder, number: int, reports: TextIO) -> None:
        self._order = order.order
        self._places = order.places
        self._rendezvous = order.rendezvous
        self._number = number
        self._reports = reports
        self._ranks: list[Rank] = []
        self._told: dict[int, int] = {}
        self._asked = False
        self._kill_at: float | None = None
        self._gate = barrier_of(order.order)
        self._at_gate = False

    def run(self) -> int:
        """Run the ranks to the end of the last one."""
        wakeups, writer = os.pipe()
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, self._ask_to_end)
        self._start()
        with selectors.DefaultSelector() as selector:
            selector.register(wakeups, selectors.EVENT_READ)
            for rank in self._ranks:
                selector.register(rank.reports, selectors.EVENT_READ)
            while not all(rank.ended for rank in self._ranks):
                for rank in self._ranks:
                    ended = rank.poll()
                    if rank.silent and rank.reports in selector.get_map():
                        selector.unregister(rank.reports)
                    if ended:
                        self._tell_end(rank)
                self._pass_gate()
                self._end_when_due()
                for key, _ in selector.select(_GATE_SECONDS if self._at_gate else _SAMPLE_SECONDS):
                    if key.fd == wakeups:
                        os.read(wakeups, 4096)
        end(descendants(os.getpid()), _LET_DOWN_SECONDS)  # whatever the ranks left behind
        return int(any(rank.failed for rank in self._ranks))

    def _start(self) -> None:
        order, places = self._order, self._places
        size = len(places) * order.nodes
        devices = find_devices(order, places)
        self._tell(node=node_name(), number=self._number, devices=devices, at_us=time.time_ns() // 1000)
        for local, place in enumerate(places):
            rank = self._number * len(places) + local
            variables = rank_environment(
                order, rank, size, len(place.cores), devices[local], node_name(), self._rendezvous
            )
            given = runner_request(order, rank, size, place, devices[local])
            streams = sys.stdout.fileno(), sys.stderr.fileno()
            gated = self._gate is not None
            self._ranks.append(Rank(rank, order.interpreter, given, variables, *streams, gated=gated))

    def _pass_gate(self) -> None:
        """Tell when all ranks of this node wait at the gate, and let them through when it opens."""
        if self._gate is None or any("at_gate" not in rank.marks for rank in self._ranks):
            return
        if not self._at_gate:
            self._at_gate = True
            self._tell(at_gate=True)
        if (start_us := announced_start(self._gate)) is not None:
            for rank in self._ranks:
                rank.release(start_us)
            self._gate, self._at_gate = None, False

    def _tell_end(self, rank: Rank) -> None:
        self._tell(
            rank=rank.number,
            marks=rank.marks,
            result=rank.result and rank.result.to_json(),
            error=rank.error and asdict(rank.error),
            exit_code=rank.exit_code,
            at_us=time.time_ns() // 1000,
            cpu_seconds=rank.cpu_seconds,
            peak_bytes=rank.peak_bytes,
        )

    def _tell(self, **facts: Any) -> None:
        self._reports.write(json.dumps(facts) + "\n")
        self._reports.flush()
        os.fsync(self._reports.fileno())

    def _end_when_due(self) -> None:
        """End the ranks when somebody asked, when one of them failed, or when they take too much memory."""
        now = time.monotonic()
        running = [rank for rank in self._ranks if not rank.ended]
        if self._kill_at is not None:
            if now >= self._kill_at:
                _signal(running, signal.SIGKILL)
            return
        limit = self._order.memory_bytes
        greedy = limit is not None and _private_bytes(running) > limit
        if greedy:
            self._tell(memory=True)
        if self._asked or greedy or any(rank.failed for rank in self._ranks):
            self._kill_at = now + (self._order.grace_seconds if self._asked else _LET_DOWN_SECONDS)
            _signal(running, signal.SIGTERM)

    def _ask_to_end(self, *_: object) -> None:
        self._asked = True


def _private_bytes(ranks: list[Rank]) -> int:
    processes = []
    for rank in ranks:
        try:
            leader = psutil.Process(rank.pid)
            processes += [leader, *leader.children(recursive=True)]
        except psutil.Error:
            continue
    return memory_of(processes)[1]


def _signal(ranks: list[Rank], number: signal.Signals) -> None:
    for rank in ranks:
        rank.signal(number)


if __name__ == "__main__":
    sys.exit(main())
