"""The forked supervisor of one attempt after another.

It talks to its worker through a socket: it reads a line of JSON for each order, and answers it with one, the
report, or ``{"refused": reason}`` where another supervisor must take the order. It ends when the worker has
closed the socket or has died.
"""

from __future__ import annotations

import json
import os
import select
import socket
from collections.abc import Callable
from contextlib import suppress

from orchestrator.host._linux import adopt_orphans, is_closed, signal_when_closed, signal_when_closed_no_more
from orchestrator.host.processes import child_ids
from orchestrator.node.agents.keeper import Keeper
from orchestrator.node.attempt.supervisor import Supervisor
from orchestrator.node.attempt.worker_death import ENDING_SIGNALS, WORKER_DIED, without_false_death
from orchestrator.node.ranks.monitor import SignalWakeups
from orchestrator.node.ranks.process_start import forks_trainings
from orchestrator.protocol.codec import from_json
from orchestrator.protocol.order import SlotOrder
from workloads.forking.forked_child import Template, left_behind
from workloads.forking.loaded_files import LoadedFiles

MOST_ORDERS = 1000
"""Attempts that one process supervises at most."""


def serve(worker: socket.socket, template: Template, begun: bytes) -> int:
    """Supervise attempts until the worker has closed its socket; return the exit code.

    Parameters
    ----------
    begun
        What was read of the first order.
    """
    wakeups = SignalWakeups(*ENDING_SIGNALS)
    adopt_orphans()
    descriptor = worker.fileno()

    def worker_lives() -> bool:
        return not is_closed(descriptor)

    number, holds_slot, keeper = 0, False, Keeper()
    while (line := _next_order(worker, wakeups, worker_lives, begun)) is not None:
        begun = b""
        if number and (why := _why_not(number, template.files)) is not None:
            _answer(worker, {"refused": why})
            break
        slot = from_json(SlotOrder, json.loads(line))
        signal_when_closed(descriptor, WORKER_DIED)
        if not worker_lives():
            break
        number += 1
        os.chdir(slot.order.working_directory)  # by now it may be another folder, or none
        supervisor = Supervisor(
            slot,
            wakeups,
            worker_lives,
            template if forks_trainings(slot) else None,
            holds_slot=holds_slot,
            keeper=keeper,
        )
        report = supervisor.run()
        escapes = slot.order.container is not None or slot.order.nodes > 1  # from being a descendant
        escapes = escapes and not keeper.processes  # what is kept has found and ended what its ranks left
        left = child_ids(os.getpid()).difference(keeper.processes)
        holds_slot = supervisor.holds_slot and not escapes and not left
        signal_when_closed_no_more(descriptor)  # the next order is no reason to end
        _answer(worker, report.to_json())
    keeper.close()
    worker.detach()  # the end of this process closes it, when its memory and with it its mark are gone
    return 0


def _next_order(
    worker: socket.socket, wakeups: SignalWakeups, worker_lives: Callable[[], bool], begun: bytes
) -> bytes | None:
    """Return the next order; None if there is none because the worker has gone or this process must end."""
    text = bytearray(begun)
    while not text.endswith(b"\n"):
        if without_false_death(wakeups, worker_lives):
            return None
        ready, _, _ = select.select([worker.fileno(), wakeups.reader], [], [])
        if wakeups.reader in ready:
            wakeups.clear()
        if worker.fileno() in ready:
            try:
                chunk = worker.recv(1 << 16)
            except ConnectionError:
                return None
            if not chunk:
                return None
            text += chunk
    return None if without_false_death(wakeups, worker_lives) else bytes(text)


def _why_not(number: int, files: LoadedFiles) -> str | None:
    """Return why this process takes no further order after some; None if it does."""
    if number >= MOST_ORDERS:
        return f"it has supervised {number} attempts"
    if (left := left_behind()) is not None:
        return f"earlier attempts left {left}"
    file = files.changed()
    return None if file is None else f"{file} has changed since it was imported"


def _answer(worker: socket.socket, content: object) -> None:
    with suppress(OSError):  # the worker has died, and the journal has the report
        worker.sendall(json.dumps(content).encode() + b"\n")
