"""One node's part of an attempt on several nodes: ``python -m orchestrator.node.agents.agent ORDER.json``.

The batch system's launcher starts one agent on each node. The agent runs the ranks of its node and
writes their reports and exit codes, one JSON line each, to a file beside the order. On a shared file
system that file is complete for every reader that opens it after the agent has ended. Where processes are
warm, the agent becomes a `kept_agent`, which takes further orders.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn, TextIO

from orchestrator.host._linux import adopt_orphans, signal_when_parent_dies
from orchestrator.host.own_modules import module_command
from orchestrator.host.processes import UNKILLABLE_SECONDS, descendants_beside, kill_descendants, terminate
from orchestrator.node.ranks.barrier import node_barrier_of
from orchestrator.node.ranks.child_process import ChildProcess
from orchestrator.node.ranks.environment import find_devices, rank_environment
from orchestrator.node.ranks.local import start_ranks
from orchestrator.node.ranks.monitor import RankLimits, RankMonitor, RankObserver, SignalWakeups, TreeMemory
from orchestrator.node.ranks.node_description import describe_once
from orchestrator.node.ranks.process import RankProcess, memory_roots
from orchestrator.node.ranks.process_start import ForkSource, needs_server, process_start
from orchestrator.node.ranks.results import output_states_time
from orchestrator.node.ranks.training_server import ServerKeeper
from orchestrator.node.sampling.foreign_load import ForeignLoadMeter
from orchestrator.node.sampling.slot_sampling import SlotSampling
from orchestrator.protocol.block_environment import node_name, process_number
from orchestrator.protocol.codec import from_json, to_json
from orchestrator.protocol.order import SlotOrder

_LEFTOVER_GRACE_SECONDS = 3.0


def main() -> int:
    """Run this node's ranks; return 0 if all of them succeeded, else 1."""
    signal_when_parent_dies(signal.SIGTERM)
    adopt_orphans()
    path = Path(sys.argv[1])
    slot = from_json(SlotOrder, json.loads(path.read_text(encoding="utf-8")))
    number = int(sys.argv[2]) if len(sys.argv) > 2 else process_number(os.environ)
    os.chdir(slot.order.working_directory)
    if slot.agents is not None:
        _become_kept(slot, path, number)
    with report_file(path, number).open("w", encoding="utf-8") as reports:
        return Agent(slot, number, reports, SignalWakeups(signal.SIGTERM)).run()


def _become_kept(slot: SlotOrder, file: Path, number: int) -> NoReturn:
    """Go on as a `kept_agent`; where that forks the ranks itself, with the variables that these have."""
    begin = {"order": str(file), "number": number, "environment": dict(os.environ)}
    stdin = os.memfd_create("agent")
    os.write(stdin, json.dumps(begin).encode())
    os.lseek(stdin, 0, os.SEEK_SET)
    os.dup2(stdin, 0)
    variables = dict(os.environ)
    if not needs_server(slot):
        variables = rank_environment(slot.order, 0, 1, len(slot.places[0].cores), [], node_name(), None)
    command = module_command("orchestrator.node.agents.kept_agent")
    os.execve(command[0], command, variables)  # noqa: S606  our own interpreter


def output_files(order: Path, number: int) -> tuple[Path, Path]:
    """Return the files that ranks of a kept agent write their standard output and error to."""
    name = f"{order.stem}-{number}"
    return order.with_name(f"{name}.out"), order.with_name(f"{name}.err")


def report_file(order: Path, number: int) -> Path:
    """Return the file that the agent of a node reports to."""
    return order.with_name(f"{order.stem}-{number}.reports")


class Agent(RankObserver):
    """Runs the ranks of one node.

    Parameters
    ----------
    number
        Number of this node among those of the attempt.
    streams
        Descriptors of standard output and error of the ranks; None for those of this process.
    source
        From what ranks are forked.
    servers
        Has the server that forks them, which outlives the attempt.
    must_end
        Tells whether the supervisor has asked to end this attempt.

    Attributes
    ----------
    unended
        Processes that did not end.
    """

    def __init__(
        self,
        slot: SlotOrder,
        number: int,
        reports: TextIO,
        wakeups: SignalWakeups,
        streams: tuple[int, int] | None = None,
        source: ForkSource | None = None,
        servers: ServerKeeper | None = None,
        must_end: Callable[[], bool] = lambda: False,
    ) -> None:
        self.unended: list[int] = []
        self._streams = streams or (sys.stdout.fileno(), sys.stderr.fileno())
        self._source = source or ForkSource(fresh_because=slot.fresh_because)
        self._servers = servers or ServerKeeper()
        self._must_end = must_end
        self._slot = slot
        self._number = number
        self._reports = reports
        self._wakeups = wakeups
        self._ranks: list[RankProcess] = []
        self._load = ForeignLoadMeter([core for place in slot.places for core in place.cores])
        self._sampling = SlotSampling(slot, _now_us)

    def run(self) -> int:
        """Run the ranks to the end of the last one; return 0 if all succeeded, else 1."""
        order = self._slot.order
        if self._number > 0:  # the worker describes the first node
            describe_once(order)
        devices = find_devices(order, self._slot.places)
        self._report(node=node_name(), number=self._number, devices=devices, at_us=_now_us())
        ranks = self._ranks = list(
            start_ranks(self._slot, self._number, devices, *self._streams, self._source)
        )
        if start := process_start(self._slot, ranks, self._source):
            self._report(processes=start)
        limits = RankLimits(grace_seconds=order.grace_seconds, memory_bytes=order.memory_bytes)
        memory = TreeMemory(memory_roots(order, ranks))
        self._sampling.start(devices, memory.pids)
        RankMonitor(ranks, limits, self, barrier=node_barrier_of(order), memory=memory).run(self._wakeups)
        self._report(foreign_load=asdict(self._load.result()))
        if (sampling := self._sampling.finish()) is not None:
            self._report(sampling=to_json(sampling))
        terminate(descendants_beside(self._servers.processes), _LEFTOVER_GRACE_SECONDS)
        self._servers.clean(UNKILLABLE_SECONDS)
        self.unended = kill_descendants(UNKILLABLE_SECONDS, self._wakeups.wait, self._servers.processes)
        for rank in ranks:
            rank.close()
        return int(any(rank.failed for rank in ranks))

    def termination_requested(self) -> str | None:
        """Return a reason once the launcher has sent SIGTERM; the supervisor knows the real one."""
        return "terminated" if self._wakeups.received or self._must_end() else None

    def polled(self) -> None:
        """Measure load by other processes, and energy from mark to mark.

        Where the output of rank 0 states the time, only rank 0's marks are of that time: energy on the other
        nodes is unknown, and load there is that during their whole commands.
        """
        marks = timed = [rank.marks for rank in self._ranks]
        if output_states_time(self._slot.order.external):
            timed = marks[:1] if self._number == 0 else []
        self._load.update(timed or marks)
        self._sampling.update(timed)

    def barrier_reached(self) -> None:
        """Report that all ranks of this node wait at the start barrier."""
        self._report(at_barrier=True)

    def terminating(self, reason: str | None) -> None:
        """Report it if the ranks end because they use too much memory."""
        if reason == "memory":
            self._report(memory=True)

    def rank_ended(self, process: ChildProcess) -> None:
        """Report how a rank ended."""
        if not isinstance(process, RankProcess):
            return
        self._report(
            rank=process.number,
            marks=process.marks,
            arrivals=process.arrivals,
            mark_cpu_seconds=process.mark_cpu_seconds,
            result=process.result and process.result.to_json(),
            error=process.error and asdict(process.error),
            exit_code=process.exit_code,
            at_us=_now_us(),
            cpu_seconds=process.cpu_seconds,
            peak_bytes=process.peak_bytes,
        )

    def _report(self, **facts: Any) -> None:
        self._reports.write(json.dumps(facts) + "\n")
        self._reports.flush()
        os.fsync(self._reports.fileno())


def _now_us() -> int:
    return time.time_ns() // 1000


if __name__ == "__main__":
    sys.exit(main())
