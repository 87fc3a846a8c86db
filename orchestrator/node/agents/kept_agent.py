"""An agent that takes one order after another, and forks the ranks of its node.

An agent of warm processes starts ``python -m orchestrator.node.agents.kept_agent`` in its place, with the
environment of a training. It reads ``{"order", "number", "environment"}`` (JSON) from standard input,
imports what ranks need, connects to the supervisor, and runs that order. From then on the supervisor's lines
decide: ``ask`` for the order in a file, which the agent answers by ``ready`` or ``refused``; ``go``; and
``end``, which ends that attempt alone. The agent says ``done`` when the ranks have ended, nothing that they
have started is left, and reports and output are in their files. It ends when the connection does. If there is
none, it runs its first order alone, as an agent of one attempt does.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import sys
import time
from collections import deque
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from orchestrator.host._linux import adopt_orphans, signal_when_closed, signal_when_parent_dies
from orchestrator.node.agents.agent import Agent, output_files, report_file
from orchestrator.node.agents.agent_lines import SUPERVISOR, AgentLines
from orchestrator.node.ranks.monitor import SignalWakeups
from orchestrator.node.ranks.process_start import fork_source, needs_server
from orchestrator.node.ranks.training_server import ServerKeeper
from orchestrator.protocol.codec import from_json
from orchestrator.protocol.order import AgentsAddress, SlotOrder
from workloads.forking.forked_child import Template, left_behind, open_descriptors
from workloads.forking.imports import import_training, imported, package_of, pinned_threads
from workloads.forking.loaded_files import LoadedFiles

_CONNECT_SECONDS = 30.0
_MOST_ORDERS = 1000


def main() -> int:
    """Run orders until the supervisor has gone; return 0 if all ranks of the last one succeeded, else 1."""
    started_ns = time.time_ns()
    signal_when_parent_dies(signal.SIGTERM)
    adopt_orphans()
    with os.fdopen(os.dup(0)) as stdin:
        begin = json.load(stdin)
    file, number = Path(begin["order"]), int(begin["number"])
    slot = _read(file)
    environment, before = dict(os.environ), open_descriptors()
    reason = None if needs_server(slot) else _imported(slot)
    files = LoadedFiles(started_ns=started_ns, package=package_of(slot.order.workload))
    template = Template(environment, open_descriptors() - before, files)
    os.environ.clear()
    os.environ.update(begin["environment"])
    wakeups = SignalWakeups(signal.SIGTERM)
    lines = None if slot.agents is None else _connected(slot.agents, number)
    return _KeptAgent(number, template, reason, wakeups, lines).run(file, slot)


class _KeptAgent:
    """Runs orders; see the module's description.

    Parameters
    ----------
    reason
        Why no rank can be forked; None if it can.
    lines
        The supervisor's; None if it could not be reached.
    """

    def __init__(
        self,
        number: int,
        template: Template,
        reason: str | None,
        wakeups: SignalWakeups,
        lines: AgentLines | None,
    ) -> None:
        self._number = number
        self._template = template
        self._reason = reason
        self._wakeups = wakeups
        self._lines = lines
        self._unread: deque[dict[str, Any]] = deque()
        self._servers = ServerKeeper()
        self._orders = 0
        if lines is not None:
            signal_when_closed(lines.fileno(), signal.SIGCHLD)  # wakes, and does nothing else
            lines.send(hello=True)

    def run(self, file: Path, slot: SlotOrder) -> int:
        """Run an order, and then those that the supervisor asks for; return the last exit code."""
        code = self._run_order(file, slot)
        while (line := self._next_line()) is not None:
            if "ask" in line:
                if (why := self._why_not()) is not None:
                    self._say(refused=why)
                    continue
                file = Path(line["ask"])
                slot = _read(file)
                self._say(ready=str(file))
            elif line.get("go") == str(file):
                code = self._run_order(file, slot)
        self._servers.close()
        return code

    def _next_line(self) -> dict[str, Any] | None:
        """Return the supervisor's next line; None once it has gone, or this process must end."""
        while self._lines is not None and not self._wakeups.received:
            self._unread += self._lines.received()
            if self._unread:
                return self._unread.popleft()
            if self._lines.is_closed:
                return None
            select.select([self._lines.fileno(), self._wakeups.reader], [], [])
            self._wakeups.clear()
        return None

    def _say(self, **content: Any) -> None:
        if self._lines is not None:
            self._lines.send(**content)

    def _run_order(self, file: Path, slot: SlotOrder) -> int:
        self._orders += 1
        os.chdir(slot.order.working_directory)  # by now it may be another folder, or none
        if self._reason is not None:
            slot = replace(slot, fresh_because=self._reason)
        source = fork_source(slot, self._template, self._servers, lambda: self._must_end(file))
        out, err = output_files(file, self._number)
        with (
            report_file(file, self._number).open("w", encoding="utf-8") as reports,
            out.open("ab") as stdout,
            err.open("ab") as stderr,
        ):
            agent = Agent(
                slot,
                self._number,
                reports,
                self._wakeups,
                (stdout.fileno(), stderr.fileno()),
                source,
                self._servers,
                lambda: self._must_end(file),
            )
            code = agent.run()
        self._say(done=str(file), exit_code=code, unended=agent.unended)
        return code

    def _must_end(self, file: Path) -> bool:
        """Tell whether the supervisor or a signal has asked for the end of an attempt, or it has gone."""
        if self._lines is None or self._wakeups.received:
            return bool(self._wakeups.received)
        self._unread += self._lines.received()
        return self._lines.is_closed or any(line.get("end") == str(file) for line in self._unread)

    def _why_not(self) -> str | None:
        """Return why another agent must take the next order; None if this one can."""
        if self._orders >= _MOST_ORDERS:
            return f"it has run {self._orders} orders"
        if (left := left_behind()) is not None:
            return f"earlier attempts left {left}"
        return self._template.out_of_date()


def _imported(slot: SlotOrder) -> str | None:
    """Import what ranks need; return why none can be forked, or None."""
    order = slot.order
    place = slot.places[0]
    workload = order.workload if order.external is None else None

    def load() -> None:
        import_training(
            workload,
            order.parameters,
            len(place.cores),
            ranks=len(slot.places) * order.nodes,
            gpus=bool(place.gpus),
        )

    return pinned_threads(os.environ) or imported(load, place.cores)


def _connected(address: AgentsAddress, number: int) -> AgentLines | None:
    """Return the connection to the supervisor; None if it cannot be reached."""
    with suppress(OSError):
        connection = socket.create_connection((address.address, address.port), _CONNECT_SECONDS)
        return AgentLines(connection, bytes.fromhex(address.key), number, SUPERVISOR)
    return None


def _read(file: Path) -> SlotOrder:
    content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return from_json(SlotOrder, content)


if __name__ == "__main__":
    sys.exit(main())
