"""The ranks of an attempt on several nodes, which the batch system's launcher starts through agents."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from signal import SIGKILL
from typing import Any

from orchestrator.host.own_modules import module_command
from orchestrator.host.processes import CAMPAIGN_MARK, CORES_MARK, SESSION_MARK, SLOT_MARK
from orchestrator.node.agents.agent import report_file
from orchestrator.node.agents.clock_offsets import ClockOffset, offset_bounds
from orchestrator.node.ranks.child_process import ChildProcess
from orchestrator.node.ranks.process_start import fresh, start_on_nodes
from orchestrator.node.sampling.foreign_load import ForeignLoad
from orchestrator.protocol.block_environment import without_step
from orchestrator.protocol.codec import MessageError, from_json, to_json
from orchestrator.protocol.order import SlotOrder
from orchestrator.protocol.report import TrainingError, TrainingResult
from orchestrator.protocol.sampling import Sampling, combine
from orchestrator.schedulers.launchers import launcher_words, strictly

_MARKS = (CAMPAIGN_MARK, SESSION_MARK, SLOT_MARK, CORES_MARK)
_RETRY_SECONDS = (0.5, 2.0, 8.0)  # between attempts to read a file, as network file systems fail for a while


@dataclass(slots=True)
class RemoteRank:
    """State of one rank, as an agent reported it."""

    number: int
    node: str = ""
    devices: tuple[str, ...] = ()
    marks: dict[str, int] = field(default_factory=dict)
    arrivals: dict[str, int] = field(default_factory=dict)
    mark_cpu_seconds: dict[str, float] = field(default_factory=dict)
    result: TrainingResult | None = None
    error: TrainingError | None = None
    exit_code: int | None = None
    ended_us: int = 0
    cpu_seconds: float = 0.0
    peak_bytes: int = 0


class LauncherProcess(ChildProcess):
    """The launcher that runs the agents; all launchers end what they started when they get SIGTERM.

    Parameters
    ----------
    file
        Where the order for the agents stands.
    process
        From `start_launcher`.
    now_us
        The supervisor's clock, UTC microseconds.
    """

    def __init__(
        self, slot: SlotOrder, file: Path, process: subprocess.Popen[bytes], now_us: Callable[[], int]
    ) -> None:
        self._file = file
        self._order = slot.order
        self._now_us = now_us
        self._started_us = now_us()
        super().__init__(0, process)

    @property
    def at_barrier(self) -> bool:
        """True once the agents of all nodes have reported that their ranks wait at the start barrier."""
        try:
            return all(any("at_barrier" in line for line in _lines(file)) for file in self._report_files())
        except OSError:  # the monitor asks again
            return False

    def open_barrier(self, start_us: int) -> None:
        """Do nothing: each agent reads the announced start itself."""

    def has_reported_end(self, number: int) -> bool:
        """Return whether the agent of a node has reported that its ranks have ended."""
        try:
            return any("foreign_load" in line for line in _lines(self._report_files()[number]))
        except OSError:  # the monitor asks again
            return False

    def close(self) -> None:
        """Remove the order and the reports."""
        super().close()
        for file in (*self._report_files(), self._file):
            with suppress(OSError):  # best effort: the attempt is already recorded
                file.unlink(missing_ok=True)

    def ranks(self) -> tuple[list[RemoteRank], bool]:
        """Return all ranks as their agents reported them, and whether one node exceeded its memory.

        Times are in the supervisor's clock where a node's clock is certainly wrong. A rank without a
        report died with its node and is returned as if killed by SIGKILL.

        Raises
        ------
        OSError
            If a report cannot be read within about 10 s.
        """
        per_node = self._order.ranks_per_node
        ranks = [RemoteRank(number) for number in range(per_node * self._order.nodes)]
        memory_exceeded = False
        for number, file in enumerate(self._report_files()):
            lines = _lines_with_retries(file)
            times = (line["at_us"] for line in lines if "at_us" in line)
            offset = offset_bounds(times, self._started_us, self._now_us())
            for line in lines:
                memory_exceeded = memory_exceeded or "memory" in line
                for local, devices in enumerate(line.get("devices", [])):
                    rank = ranks[number * per_node + local]
                    rank.node, rank.devices = line["node"], tuple(devices)
                if "rank" in line:
                    _fill(ranks[line["rank"]], line, offset)
        for rank in ranks:
            if rank.exit_code is None:
                rank.exit_code = -SIGKILL
                rank.ended_us = sys.maxsize
        return ranks, memory_exceeded

    def foreign_load(self) -> ForeignLoad:
        """Return the load by other processes on all nodes; call it after `ranks`."""
        total = ForeignLoad(0.0)
        for file in self._report_files():
            found = [line["foreign_load"] for line in _lines_with_retries(file) if "foreign_load" in line]
            unknown = ForeignLoad(unknown="the agent of a node did not report it")
            total += ForeignLoad(**found[-1]) if found else unknown
        return total

    def sampling(self) -> Sampling:
        """Return what was sampled on all nodes; call it after `ranks`."""
        missing = Sampling(absent={"sampling": "the agent of a node did not report it"})
        nodes = []
        for file in self._report_files():
            found = [line["sampling"] for line in _lines_with_retries(file) if "sampling" in line]
            try:
                nodes.append(from_json(Sampling, found[-1]) if found else missing)
            except MessageError as error:
                nodes.append(Sampling(absent={"sampling": str(error)}))
        return combine(nodes)

    def process_start(self) -> dict[str, str]:
        """Return how the ranks were started, as `process_start` of their nodes; call it after `ranks`."""
        found = []
        for file in self._report_files():
            starts = [line["processes"] for line in _lines_with_retries(file) if "processes" in line]
            found.append(starts[-1] if starts else fresh("the agent of a node did not report it"))
        return start_on_nodes(found)

    def _report_files(self) -> list[Path]:
        return [report_file(self._file, number) for number in range(self._order.nodes)]


def write_order(slot: SlotOrder, file: Path) -> None:
    """Write the order for agents, on a shared file system, for this user alone."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch(mode=0o600)
    file.write_text(json.dumps(to_json(slot)), encoding="utf-8")


def start_launcher(slot: SlotOrder, file: Path, stdout: int, stderr: int) -> subprocess.Popen[bytes]:
    """Start the launcher of the agents that read their order from a file."""
    return subprocess.Popen(
        launcher_command(slot, module_command("orchestrator.node.agents.agent", str(file))),
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        env=without_step(os.environ),
        start_new_session=True,
    )


def first_to_fail(ranks: Sequence[RemoteRank]) -> RemoteRank | None:
    """Return the rank that failed before all others, which may have failed because of it."""
    failed = [rank for rank in ranks if rank.exit_code != 0 or rank.result is None]
    return min(failed, key=lambda rank: (rank.ended_us, rank.number), default=None)


def launcher_command(slot: SlotOrder, agent: Sequence[str]) -> list[str]:
    """Return the command that starts an agent on every host of an attempt."""
    attempt = slot.order
    if attempt.launcher is None:
        raise ValueError(f"{attempt.label} spans {attempt.nodes} nodes, and its site has no launcher")
    words = launcher_words(attempt.launcher, attempt.launcher_options, attempt.nodes, slot.hosts)
    if attempt.launcher != "ssh":
        return [*words, *agent]
    # ssh keeps neither directory nor environment, so each node runs the setup of the block's script again.
    prepared = strictly([shlex.join(["cd", attempt.working_directory]), *attempt.prologue])
    marks = [f"{name}={os.environ[name]}" for name in _MARKS if name in os.environ]
    calls = []
    for number, host in enumerate(slot.hosts):
        lines = [*prepared, shlex.join(["exec", "env", *marks, *agent, str(number)])]
        remote = shlex.join(["exec", "bash", "-c", "\n".join(lines)])
        calls.append(f'{shlex.join([*words, host, remote])} & pids="$pids $!"')
    waits = ["status=0", 'for pid in $pids; do wait "$pid" || { status=$?; kill $pids 2>/dev/null; }; done']
    return ["bash", "-c", "\n".join(['trap "kill \\$pids" TERM', *calls, *waits, "exit $status"])]


def _fill(rank: RemoteRank, line: Mapping[str, Any], offset: ClockOffset) -> None:
    rank.marks, rank.result, rank.error = offset.marks(line["marks"]), None, None
    rank.arrivals, rank.mark_cpu_seconds = offset.marks(line["arrivals"]), line["mark_cpu_seconds"]
    if line["result"] is not None:
        rank.result = TrainingResult.from_json(line["result"])
    if line["error"] is not None:
        rank.error = TrainingError.from_json(line["error"])
    rank.exit_code, rank.ended_us = line["exit_code"], offset.instant(line["at_us"])
    rank.cpu_seconds, rank.peak_bytes = line["cpu_seconds"], line["peak_bytes"]


def _lines_with_retries(file: Path) -> list[dict[str, Any]]:
    for seconds in _RETRY_SECONDS:
        try:
            return _lines(file)
        except OSError:
            time.sleep(seconds)
    return _lines(file)


def _lines(file: Path) -> list[dict[str, Any]]:
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:  # its agent never started
        return []
    lines = []
    for line in text.splitlines():
        try:
            lines.append(json.loads(line))
        except ValueError:  # incomplete, as its writer died
            continue
    return lines
