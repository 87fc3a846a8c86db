"""A worker's connection to a supervisor that takes one order after another."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from contextlib import suppress

from orchestrator.host._linux import is_closed


class SupervisorConnection:
    """The worker's end.

    Parameters
    ----------
    channel
        Socket for orders to the supervisor and for its reports; it ends when that is closed.
    wait
        Waits some seconds for its end, and returns its exit code; None if that is not known.
    greeting
        What it reads before its first order.
    """

    def __init__(
        self, pid: int, channel: socket.socket, wait: Callable[[], int | None], greeting: bytes = b""
    ) -> None:
        self.pid = pid
        self.channel = channel
        self._wait = wait
        self._greeting = greeting
        self._code: int | None = None

    @property
    def is_open(self) -> bool:
        """Whether the supervisor lives."""
        return self.channel.fileno() >= 0 and not is_closed(self.channel.fileno())

    def exchange(self, order: bytes, seconds: float) -> bytes | None:
        """Return its answer, a line; None if none comes in time. If it dies, the line is cut short."""
        deadline = time.monotonic() + seconds
        answer = bytearray()
        try:
            with suppress(BrokenPipeError, ConnectionResetError):  # it has died, which is read next
                self.channel.settimeout(seconds)
                self.channel.sendall(self._greeting + order + b"\n")
            self._greeting = b""
            while not answer.endswith(b"\n") and (chunk := self._chunk(deadline)):
                answer += chunk
        except TimeoutError:
            return None
        return bytes(answer)

    def close(self) -> None:
        """Let it end, and wait for that."""
        if self.channel.fileno() >= 0:
            self.channel.close()
            self._code = self._wait()

    def exit_code(self) -> int | None:
        """Return how it ended; None if that is not known."""
        self.close()
        return self._code

    def _chunk(self, deadline: float) -> bytes:
        """Return what has arrived; empty if the other end is closed."""
        self.channel.settimeout(max(0.001, deadline - time.monotonic()))
        try:
            return self.channel.recv(1 << 16)
        except ConnectionResetError:
            return b""
