"""The agents that a supervisor keeps on the nodes of its slot for one attempt after another."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from io import FileIO
from pathlib import Path
from typing import Any

from orchestrator.host._linux import signal_when_closed
from orchestrator.host.network import interface_address
from orchestrator.node.agents.agent import output_files
from orchestrator.node.agents.agent_lines import KEY_BYTES, SUPERVISOR, AgentLines
from orchestrator.node.agents.remote import LauncherProcess, start_launcher, write_order
from orchestrator.protocol.order import AgentsAddress, SlotOrder

_LEAVE_SECONDS = 30.0
"""Longest time that a launcher without work is waited for."""
_READY_SECONDS = 20.0
"""Longest time for the agents' answers, which look at the files of what they have imported."""


class KeptAgents:
    """Agents that one launcher has started, and the connections to them.

    Parameters
    ----------
    slot, file
        Their first order, and where it is written.

    Attributes
    ----------
    launcher
        Process of the launcher.
    connected
        Their connections by the number of their node.
    """

    def __init__(self, slot: SlotOrder, file: Path) -> None:
        self._key = secrets.token_bytes(KEY_BYTES)
        self._listener = socket.create_server((interface_address(slot.order.interface or ""), 0))
        self._listener.setblocking(False)
        signal_when_closed(self._listener.fileno(), signal.SIGCHLD)
        self._new: list[AgentLines] = []
        self._kind = _kind(slot)
        self._nodes = slot.order.nodes
        self.connected: dict[int, AgentLines] = {}
        address, port = self._listener.getsockname()
        write_order(replace(slot, agents=AgentsAddress(address, port, self._key.hex())), file)
        self.printed = FileIO(os.memfd_create("launcher"), "r+")
        try:
            self.launcher = start_launcher(slot, file, self.printed.fileno(), self.printed.fileno())
        except BaseException:
            self._listener.close()
            self.printed.close()
            raise

    @property
    def are_all_connected(self) -> bool:
        """True while there is a connection to the agent of each node."""
        return len(self.connected) == self._nodes and not self.lost and not self._listener_closed

    @property
    def lost(self) -> set[int]:
        """Numbers of agents whose connection has ended."""
        return {number for number, lines in self.connected.items() if lines.is_closed}

    @property
    def _listener_closed(self) -> bool:
        return self._listener.fileno() < 0

    def take(self, slot: SlotOrder) -> bool:
        """Return whether they can be asked for an attempt."""
        return self._kind == _kind(slot) and self.are_all_connected and self.launcher.poll() is None

    def received(self) -> list[tuple[int, dict[str, Any]]]:
        """Return the lines of all agents that have arrived, with the numbers of their nodes."""
        while not self._listener_closed:
            try:
                connection, _ = self._listener.accept()
            except (BlockingIOError, InterruptedError):
                break
            signal_when_closed(connection.fileno(), signal.SIGCHLD)
            self._new.append(AgentLines(connection, self._key, SUPERVISOR, None))
        found = []
        for lines in (*self._new, *self.connected.values()):
            content = list(lines.received())
            if lines in self._new and (content or lines.is_closed):
                self._new.remove(lines)
                if lines.reader is None or lines.reader in self.connected:
                    lines.close()
                    continue
                self.connected[lines.reader] = lines
            found += [(lines.reader or 0, one) for one in content]
        return found

    def tell(self, **content: Any) -> None:
        """Send a line to all that are connected."""
        for lines in self.connected.values():
            if not lines.is_closed:
                lines.send(**content)

    def leave(self) -> None:
        """Close all connections: agents without work end, others end with their attempt."""
        for lines in (*self._new, *self.connected.values()):
            lines.close()
        self._new.clear()
        self._listener.close()

    def close(self) -> None:
        """Let them end, and wait for that; what hangs is killed."""
        self.leave()
        try:
            self.launcher.wait(_LEAVE_SECONDS)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(self.launcher.pid, signal.SIGKILL)
            self.launcher.wait()
        self.printed.close()


class AgentsKeeper:
    """Holds the agents of a supervisor's last attempt on several nodes, if they are still there."""

    def __init__(self) -> None:
        self.agents: KeptAgents | None = None

    @property
    def processes(self) -> tuple[int, ...]:
        """Children of this process that outlive an attempt."""
        return () if self.agents is None else (self.agents.launcher.pid,)

    def close(self) -> None:
        """End them."""
        if self.agents is not None:
            self.agents.close()
            self.agents = None


class AgentsProcess(LauncherProcess):
    """An attempt of kept agents, in the place of the launcher of an attempt.

    Parameters
    ----------
    keeper
        Has the agents of the attempt before, and gets those of this one.
    """

    def __init__(
        self,
        slot: SlotOrder,
        file: Path,
        streams: tuple[Path, Path],
        now_us: Callable[[], int],
        keeper: AgentsKeeper,
    ) -> None:
        self._slot = slot
        self._keeper = keeper
        self._streams = streams
        self._ready: set[int] = set()
        self._done: dict[int, int] = {}
        self._unended = False
        self._asked_to_end = False
        self._left_at: float | None = None
        self._asked_at = time.monotonic()
        agents = keeper.agents
        self._goes = agents is None or not agents.take(slot)
        if agents is None or self._goes:
            keeper.close()
            agents = keeper.agents = KeptAgents(slot, file)
        else:
            write_order(slot, file)
            agents.tell(ask=str(file))
        self._agents = agents
        super().__init__(slot, file, agents.launcher, now_us)

    def poll(self) -> bool:
        """Take what the agents say; return whether the last one has ended since the last call."""
        if self.ended:
            return False
        for number, line in self._agents.received():
            if line.get("done") == str(self._file):
                self._done[number] = int(line["exit_code"])
                self._unended = self._unended or bool(line["unended"])
            elif line.get("ready") == str(self._file):
                self._ready.add(number)
            elif "refused" in line:
                self._leave()
        code = self._agents.launcher.poll()
        if code is not None and not self._goes and not self._asked_to_end:
            self._start_anew()
            return False
        if code is None and not self._goes:
            self._go_when_ready()
        elif code is None and self._agents.lost - self._done.keys():
            self._agents.leave()  # the others would wait for it
        elif code is None and any(self._done.values()) and not self._asked_to_end:
            self.signal(signal.SIGTERM)  # as launchers end all processes when one has failed
        code = self._exit_code(code)
        if code is None:
            return False
        self.exit_code = code
        self._take_output()
        if self._unended or not self._agents.are_all_connected or self._agents.launcher.poll() is not None:
            self._keeper.close()
        return True

    def signal(self, number: signal.Signals) -> None:
        """Have agents end their ranks; kill the launcher, and with it the agents, where that is asked for."""
        connected = self._agents.are_all_connected
        if number == signal.SIGTERM and connected:
            if not self._asked_to_end:
                self._agents.tell(end=str(self._file))
        else:
            super().signal(number)
        self._asked_to_end = True

    def close(self) -> None:
        """Remove the order, the reports and the output; leave agents that did not end their attempt."""
        super().close()
        if not self.ended:
            self._keeper.close()
        for number in range(self._order.nodes):
            for file in output_files(self._file, number):
                with suppress(OSError):  # best effort: the attempt is already recorded
                    file.unlink(missing_ok=True)

    def _exit_code(self, code: int | None) -> int | None:
        """Return the exit code of the attempt once all agents have ended it.

        Parameters
        ----------
        code
            Exit code of the launcher; None while it runs.
        """
        if code is not None:
            return code or max(self._done.values(), default=0)
        if not self._goes:
            return -signal.SIGTERM if self._asked_to_end else None
        if len(self._done) == self._order.nodes:
            return max(self._done.values())
        if self._agents.connected and self._done.keys() >= self._agents.connected.keys():
            missing = set(range(self._order.nodes)) - self._done.keys()
            if any(map(self.has_reported_end, missing)):  # it could not connect
                self._agents.leave()  # so that the others end with this attempt, and with them the launcher
        return None

    def _go_when_ready(self) -> None:
        """Let the agents begin once all can; have others started if one cannot."""
        if self._left_at is not None:
            if time.monotonic() > self._left_at + _LEAVE_SECONDS:
                super().signal(signal.SIGKILL)
        elif not self._agents.are_all_connected:
            self._leave()
        elif len(self._ready) == self._order.nodes and not self._asked_to_end:
            self._goes = True
            self._agents.tell(go=str(self._file))
        elif time.monotonic() > self._asked_at + _READY_SECONDS:  # one stands still, or its node is gone
            self._leave()
            super().signal(signal.SIGTERM)

    def _leave(self) -> None:
        self._agents.leave()
        self._left_at = time.monotonic()

    def _start_anew(self) -> None:
        """Start other agents, as those that were kept have ended."""
        self._keeper.close()
        self._agents = self._keeper.agents = KeptAgents(self._slot, self._file)
        self._process = self._agents.launcher
        self._goes, self._left_at = True, None

    def _take_output(self) -> None:
        """Add the output of the ranks, node by node, and that of a launcher that has ended, to the logs."""
        for stream, log in enumerate(self._streams):
            with log.open("ab") as target:
                for number in range(self._order.nodes):
                    with suppress(FileNotFoundError):  # its agent never started
                        target.write(output_files(self._file, number)[stream].read_bytes())
                if log == self._streams[-1] and self._agents.launcher.returncode is not None:
                    self._agents.printed.seek(0)
                    target.write(self._agents.printed.read())


def _kind(slot: SlotOrder) -> tuple[object, ...]:
    """Return what attempts of the same agents have in common, beside those of the same supervisor."""
    order = slot.order
    return (
        slot.hosts, order.nodes, order.launcher, order.launcher_options, order.prologue, order.interface,
        order.external is None,
    )  # fmt: skip
