"""A training process that its supervisor keeps for one attempt after another; see `workloads.reused`."""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from orchestrator.host.processes import child_ids, kill_descendants, reap
from orchestrator.node.child_process import StartedProcess
from orchestrator.node.forked_child import Template
from orchestrator.node.rank_environment import rank_environment, runner_request
from orchestrator.node.rank_process import RankProcess, TrainingCommand
from orchestrator.protocol.block_environment import node_name
from orchestrator.protocol.order import SlotOrder

_PROGRAM = "workloads.reused"
_ANSWER_SECONDS = 10.0
_EXIT_SECONDS = 5.0
_UNKILLABLE_SECONDS = 60.0


@dataclass(slots=True)
class _Training:
    """A process that takes orders.

    Parameters
    ----------
    key
        What all its attempts have in common.
    control
        Socket that it takes its orders from.
    orders
        How many it got.
    idle
        Whether it has ended the last one, and waits.
    cpu_seconds, resets_peak
        What it had used before the last one, and whether its peak of memory is that of this one alone.
    """

    key: tuple[object, ...]
    process: StartedProcess
    control: socket.socket
    orders: int = 0
    idle: bool = True
    cpu_seconds: float = 0.0
    resets_peak: bool = True

    def takes(self, order: Mapping[str, Any], descriptors: Sequence[int]) -> bool:
        """Give it an order; return whether it runs it. The first is answered by its reports alone."""
        self.idle = False
        self.control.settimeout(_ANSWER_SECONDS)
        try:
            socket.send_fds(self.control, [b"o"], descriptors)
            self.control.sendall(json.dumps(order).encode() + b"\n")
            if self.orders:
                answer = self._answer()
                self.cpu_seconds, self.resets_peak = answer["cpu_seconds"], answer["resets_peak"]
        except (OSError, ValueError, KeyError):  # it has ended, hangs, or refuses
            return False
        self.orders += 1
        return True

    def _answer(self) -> dict[str, Any]:
        text = b""
        while not text.endswith(b"\n"):
            if not (chunk := self.control.recv(4096)):
                raise ConnectionResetError("the training has ended")
            text += chunk
        answer: dict[str, Any] = json.loads(text)
        return answer


class TrainingKeeper:
    """Keeps a training process between attempts; one in a supervisor.

    Parameters
    ----------
    pause
        Waits the seconds it is given, or until a child has exited.
    """

    def __init__(self, pause: Callable[[float], object]) -> None:
        self._pause = pause
        self._kept: _Training | None = None

    def rank(
        self, slot: SlotOrder, devices: Sequence[str], streams: tuple[int, int], template: Template | None
    ) -> ReusedRank:
        """Return the rank of an attempt, whose process is the one that is kept, or a new one.

        Parameters
        ----------
        devices
            Names of its GPUs.
        streams
            Its standard output and error.
        template
            With what this process was forked.
        """
        order, [place] = slot.order, slot.places
        variables = rank_environment(order, 0, 1, len(place.cores), devices, node_name(), None)
        shared = None if template is None or template.differs(variables) else template
        key = order.interpreter, order.workload, order.parameters.get("framework"), place, *devices, variables
        words = [order.interpreter, "-m", _PROGRAM]
        command = TrainingCommand(words, variables, shared, _PROGRAM)
        start = partial(self._start, key, command, streams)
        request = runner_request(order, 0, 1, place, devices)
        return ReusedRank(self, request, start, waits_at_barrier=order.wave is not None)

    @property
    def training(self) -> _Training:
        """The process of the attempt that runs."""
        if self._kept is None:
            raise OSError("no training process was started")
        return self._kept

    def pids(self) -> set[int]:
        """Return the kept process, if there is one."""
        return set() if self._kept is None else {self._kept.process.pid}

    def only_child(self) -> bool:
        """Return whether the kept process waits, and nothing else is left of an attempt."""
        kept = self._kept
        if kept is None or not kept.idle or not reap():
            return False
        return child_ids(os.getpid()) == self.pids()

    def end(self) -> None:
        """End the kept process, if there is one, and all others that are left."""
        if self._kept is not None:
            self._kept.control.close()
            deadline = time.monotonic() + (_EXIT_SECONDS if self._kept.idle else 0.0)
            with suppress(ChildProcessError):
                while not os.waitpid(self._kept.process.pid, os.WNOHANG)[0]:
                    if (left := deadline - time.monotonic()) <= 0:
                        break
                    self._pause(left)
        self._kept = None
        kill_descendants(_UNKILLABLE_SECONDS, self._pause)

    def _start(
        self,
        key: tuple[object, ...],
        command: TrainingCommand,
        streams: tuple[int, int],
        order: Mapping[str, Any],
        inherited: Sequence[int],
    ) -> StartedProcess:
        """Give an order to the kept process, or to a new one; return it."""
        descriptors = [*streams, *inherited]
        if self._kept is not None:
            if self._kept.key == key and self._kept.takes(order, descriptors):
                return self._kept.process
            self.end()
        self._kept = _started(key, command, streams, order["cores"])
        self._kept.takes(order, descriptors)  # where it has ended already, its exit code says why
        return self._kept.process


def _started(
    key: tuple[object, ...], command: TrainingCommand, streams: tuple[int, int], cores: Sequence[int]
) -> _Training:
    own, other = socket.socketpair()
    silent = os.open(os.devnull, os.O_RDONLY)
    try:
        with other:
            number = other.fileno()
            command = replace(command, words=[*command.words, str(number)])
            run = lambda: sys.modules[_PROGRAM].main(number)  # noqa: E731  imported by the fork server
            process = command.start_with((silent, *streams), cores, [number], run)
    except BaseException:
        own.close()
        raise
    finally:
        os.close(silent)
    return _Training(key, process, own)


class ReusedRank(RankProcess):
    """The rank of an attempt whose process has run others before, or runs others after it.

    It has ended when its process has exited, or takes another order. What it used is its own.
    """

    def __init__(self, keeper: TrainingKeeper, request: Mapping[str, Any], start: Any, **more: Any) -> None:
        self._done: Mapping[str, Any] | None = None
        super().__init__(0, request, start, **more)
        self._training = keeper.training
        self.number_in_process = self._training.orders

    def poll(self) -> bool:
        """Read its reports; return whether its process has exited, or has ended its order, since then."""
        if self.ended:
            return False
        training = self._training
        if super().poll():
            self.cpu_seconds = max(0.0, self.cpu_seconds - training.cpu_seconds)
            if not training.resets_peak:
                self.peak_bytes = 0
            return True
        if self._done is None:
            return False
        self.pipe_closed = True
        self.exit_code = 0
        self.cpu_seconds = float(self._done["cpu_seconds"]) - training.cpu_seconds
        self.peak_bytes = int(self._done["peak_bytes"]) if training.resets_peak else 0
        training.idle = True
        return True

    def read_message(self, message: Mapping[str, Any]) -> None:
        """Read one report."""
        super().read_message(message)
        if "done" in message:
            self._done = message["done"]
