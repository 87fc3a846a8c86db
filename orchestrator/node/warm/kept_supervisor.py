"""The forked supervisor that a worker keeps for one attempt after another."""

from __future__ import annotations

import fcntl
import os
import socket
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from io import FileIO

from orchestrator.host._linux import is_closed
from orchestrator.host.file_end import last_lines
from orchestrator.protocol.order import SlotOrder


class KeptSupervisor:
    """A worker's connection to a supervisor that takes one order after another.

    Parameters
    ----------
    slot, environment
        Its first order, and its variables.
    channel
        Socket for orders to the supervisor and for its reports; it ends when that is closed.
    errors
        Its standard error; see `memory_file`.
    wait
        Waits some seconds for its end, and returns its exit code; None if that is not known.
    greeting
        What it reads before its first order.

    Attributes
    ----------
    last_words
        The last lines that it wrote to standard error during the last exchange, or at its end.
    """

    def __init__(
        self,
        slot: SlotOrder,
        environment: Mapping[str, str],
        pid: int,
        channel: socket.socket,
        errors: FileIO,
        wait: Callable[[], int | None],
        greeting: bytes,
    ) -> None:
        self.last_words = ""
        self._key = _key(slot, environment)
        self.pid = pid
        self.channel = channel
        self._errors = errors
        self._wait = wait
        self._greeting = greeting
        self._code: int | None = None

    @property
    def is_open(self) -> bool:
        """True while the supervisor lives."""
        return self.channel.fileno() >= 0 and not is_closed(self.channel.fileno())

    def takes(self, slot: SlotOrder, environment: Mapping[str, str]) -> bool:
        """Return whether it lives, and its processes are those that an order asks for."""
        return self._key == _key(slot, environment) and self.is_open

    def exchange(self, order: bytes, left: Callable[[], float]) -> bytes | None:
        """Return its answer, a line; None if none comes in time. If it dies, the line is cut short.

        Parameters
        ----------
        left
            Returns for how many more seconds it may be waited for.
        """
        answer = bytearray()
        self.last_words = ""
        try:
            with suppress(BrokenPipeError, ConnectionResetError):  # it has died, which is read next
                self.channel.settimeout(max(0.001, left()))
                self.channel.sendall(self._greeting + order + b"\n")
            self._greeting = b""
            while not answer.endswith(b"\n") and (chunk := self._chunk(left)):
                answer += chunk
        except TimeoutError:
            return None
        finally:
            self._note_words()
        return bytes(answer)

    def close(self) -> None:
        """Let it end, and wait for that."""
        if self.channel.fileno() >= 0:
            self.channel.close()
            self._code = self._wait()
            self._note_words()
            self._errors.close()

    def exit_code(self) -> int | None:
        """Return how it ended; None if that is not known."""
        self.close()
        return self._code

    def _note_words(self) -> None:
        """Take what it has written since the last look, and print it into the worker pool's own log."""
        if not os.fstat(self._errors.fileno()).st_size:
            return
        self.last_words = last_lines(self._errors)
        with suppress(OSError, ValueError):
            self._errors.truncate(0)
            print(self.last_words, file=sys.stderr, flush=True)

    def _chunk(self, left: Callable[[], float]) -> bytes:
        """Return what has arrived; empty if the other end is closed."""
        while True:
            self.channel.settimeout(max(0.001, left()))
            try:
                return self.channel.recv(1 << 16)
            except ConnectionResetError:
                return b""
            except TimeoutError:
                if left() <= 0:
                    raise


def memory_file() -> FileIO:
    """Return a file in memory that several processes append to: it must be there on a full disk, too."""
    descriptor = os.memfd_create("supervisor-stderr")
    fcntl.fcntl(descriptor, fcntl.F_SETFL, os.O_APPEND)
    return FileIO(descriptor, "r+")


def _key(slot: SlotOrder, environment: Mapping[str, str]) -> tuple[object, ...]:
    """Return what attempts of one supervisor have in common."""
    order = slot.order
    shared = (
        slot.is_warm,
        order.campaign,
        order.session,
        order.slot_shape,
        order.working_directory,
        environment,
    )
    if not slot.is_warm:
        return shared
    return (
        *shared, order.container, order.interpreter, order.environment, order.inherit, order.workload,
        order.parameters.get("framework"), order.parameters.get("communication"), slot.places,
    )  # fmt: skip
