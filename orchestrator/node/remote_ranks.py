"""The ranks of an instance on several nodes, placed there by the batch system's own launcher."""

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
from signal import SIGKILL, Signals
from typing import Any

from orchestrator.host.processes import CAMPAIGN_MARK, CORES_MARK, SESSION_MARK, SLOT_MARK
from orchestrator.node.agent import report_file
from orchestrator.node.clock_offsets import Ahead, ahead
from orchestrator.protocol.codec import to_json
from orchestrator.protocol.order import SlotOrder
from orchestrator.protocol.report import TrainingError, TrainingResult
from orchestrator.schedulers.launchers import launcher_words, strictly

MARKS = (CAMPAIGN_MARK, SESSION_MARK, SLOT_MARK, CORES_MARK)

_AGAIN_SECONDS = (0.5, 2.0, 8.0)  # before a file is read again whose file system stumbled


@dataclass(slots=True)
class RemoteRank:
    """What an agent told of one rank."""

    number: int
    node: str = ""
    devices: tuple[str, ...] = ()
    marks: dict[str, int] = field(default_factory=dict)
    result: TrainingResult | None = None
    error: TrainingError | None = None
    exit_code: int | None = None
    ended_us: int = 0
    cpu_seconds: float = 0.0
    peak_bytes: int = 0


class Placement:
    """The launcher's process; it can be watched and ended as a rank can.

    Parameters
    ----------
    order
        The attempt's order, with its hosts and the address where its ranks meet.
    file
        Where to write the order for the agents; every node sees it.
    stdout, stderr
        Descriptors.
    now_us
        The supervisor's clock, UTC microseconds.
    """

    def __init__(
        self, order: SlotOrder, file: Path, stdout: int, stderr: int, now_us: Callable[[], int]
    ) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o600)
        file.write_text(json.dumps(to_json(order)), encoding="utf-8")
        self._file = file
        self._order = order
        self._now_us = now_us
        self._began_us = now_us()
        self.number = 0
        self.exit_code: int | None = None
        self.cpu_seconds = 0.0
        self.peak_bytes = 0
        self.silent = True
        agent = [sys.executable, "-m", "orchestrator.node.agent", str(file)]
        self.reports, writer = os.pipe()  # never written to: agents report to files
        try:
            self._process = subprocess.Popen(
                command(order, agent),
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                env=_without_step(os.environ),
                start_new_session=True,
            )
        finally:
            os.close(writer)

    @property
    def pid(self) -> int:
        """The launcher's process id."""
        return self._process.pid

    @property
    def ended(self) -> bool:
        """Whether the launcher has exited."""
        return self.exit_code is not None

    @property
    def failed(self) -> bool:
        """Whether it has exited with anything but 0."""
        return self.exit_code not in (None, 0)

    def poll(self) -> bool:
        """Take whether it has ended; return whether it ended just now."""
        if self.ended:
            return False
        pid, status, usage = os.wait4(self.pid, os.WNOHANG)
        if not pid:
            return False
        self.exit_code = self._process.returncode = os.waitstatus_to_exitcode(status)
        self.cpu_seconds = usage.ru_utime + usage.ru_stime
        return True

    def signal(self, number: Signals) -> None:
        """Send the launcher a signal; all of them end what they started when they are ended."""
        try:
            os.killpg(self.pid, number)
        except ProcessLookupError:
            return

    def close(self) -> None:
        """Give its descriptor back, and remove the order and the reports."""
        os.close(self.reports)
        for file in (*self._report_files(), self._file):
            with suppress(OSError):  # best effort: the attempt is already recorded
                file.unlink(missing_ok=True)

    def at_gate(self) -> bool:
        """Tell whether the ranks of all nodes are known to wait at the gate."""
        try:
            return all(any("at_gate" in told for told in _lines(file)) for file in self._report_files())
        except OSError:  # a file system that stumbles is asked again
            return False

    def ranks(self) -> tuple[list[RemoteRank], bool]:
        """Return all ranks as their agents told of them, and whether one node's took too much memory.

        Their times are in the supervisor's clock, as far as it is certain that their node's is another.
        A rank that nobody told of died with its node, as if it had been killed.

        Raises
        ------
        OSError
            If what was told cannot be read, not even after some seconds.
        """
        per_node = self._order.order.ranks_per_node
        ranks = [RemoteRank(number) for number in range(per_node * self._order.order.nodes)]
        greedy = False
        for number, file in enumerate(self._report_files()):
            lines = _lines_at_last(file)
            clock = ahead(
                (told["at_us"] for told in lines if "at_us" in told), self._began_us, self._now_us()
            )
            for told in lines:
                greedy = greedy or "memory" in told
                for local, devices in enumerate(told.get("devices", [])):
                    rank = ranks[number * per_node + local]
                    rank.node, rank.devices = told["node"], tuple(devices)
                if "rank" in told:
                    _fill(ranks[told["rank"]], told, clock)
        for rank in ranks:
            if rank.exit_code is None:
                rank.exit_code = -SIGKILL
                rank.ended_us = sys.maxsize
        return ranks, greedy

    def _report_files(self) -> list[Path]:
        return [report_file(self._file, number) for number in range(self._order.order.nodes)]


def first_fallen(ranks: Sequence[RemoteRank]) -> RemoteRank | None:
    """Return the rank that ended badly before all others; what came after may be its doing."""
    failed = [rank for rank in ranks if rank.exit_code != 0]
    return min(failed, key=lambda rank: (rank.ended_us, rank.number), default=None)


def command(order: SlotOrder, agent: Sequence[str]) -> list[str]:
    """Return the command that starts an agent on every host of an order."""
    attempt = order.order
    if attempt.launcher is None:
        raise ValueError(f"{attempt.label} spans {attempt.nodes} nodes, and its site has no launcher")
    words = launcher_words(attempt.launcher, attempt.launcher_options, attempt.nodes, order.hosts)
    if attempt.launcher != "ssh":
        return [*words, *agent]
    # ssh brings neither directory nor environment; what the block's script prepared is prepared again.
    prepared = strictly([shlex.join(["cd", attempt.working_directory]), *attempt.setup])
    marks = [f"{name}={os.environ[name]}" for name in MARKS if name in os.environ]
    calls = []
    for number, host in enumerate(order.hosts):
        lines = [*prepared, shlex.join(["exec", "env", *marks, *agent, str(number)])]
        there = shlex.join(["exec", "bash", "-c", "\n".join(lines)])
        calls.append(f'{shlex.join([*words, host, there])} & pids="$pids $!"')
    waits = ["status=0", 'for pid in $pids; do wait "$pid" || { status=$?; kill $pids 2>/dev/null; }; done']
    return ["bash", "-c", "\n".join(['trap "kill \\$pids" TERM', *calls, *waits, "exit $status"])]


def _fill(rank: RemoteRank, told: Mapping[str, Any], clock: Ahead) -> None:
    rank.marks, rank.result, rank.error = clock.marks(told["marks"]), None, None
    if told["result"] is not None:
        rank.result = TrainingResult.from_json(told["result"])
    if told["error"] is not None:
        rank.error = TrainingError.from_json(told["error"])
    rank.exit_code, rank.ended_us = told["exit_code"], clock.instant(told["at_us"])
    rank.cpu_seconds, rank.peak_bytes = told["cpu_seconds"], told["peak_bytes"]


def _lines_at_last(file: Path) -> list[dict[str, Any]]:
    for seconds in _AGAIN_SECONDS:
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
    told = []
    for line in text.splitlines():
        try:
            told.append(json.loads(line))
        except ValueError:  # cut short by its writer's death
            continue
    return told


def _without_step(environment: Mapping[str, str]) -> dict[str, str]:
    """Leave out what says that this process is a step of its own; a nested srun would take it for its own."""
    steps = ("SLURM_STEP", "SLURM_PROCID", "SLURM_LOCALID", "SLURM_NODEID", "SLURM_CPU_BIND", "PARSL_")
    return {name: value for name, value in environment.items() if not name.startswith(steps)}
