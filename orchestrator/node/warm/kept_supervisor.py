"""The forked supervisor that a worker keeps for one attempt after another."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from contextlib import suppress

from orchestrator.host._linux import is_closed
from orchestrator.protocol.order import SlotOrder


class KeptSupervisor:
    """A worker's connection to a supervisor that takes one order after another.

    Parameters
    ----------
    slot, environment
        Its first order, and its variables.
    channel
        Socket for orders to the supervisor and for its reports; it ends when that is closed.
    wait
        Waits some seconds for its end, and returns its exit code; None if that is not known.
    greeting
        What it reads before its first order.
    """

    def __init__(
        self,
        slot: SlotOrder,
        environment: Mapping[str, str],
        pid: int,
        channel: socket.socket,
        wait: Callable[[], int | None],
        greeting: bytes,
    ) -> None:
        self.last_words = ""  # what it writes stands in the worker pool's own log
        self._key = _key(slot, environment)
        self.pid = pid
        self.channel = channel
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
        try:
            with suppress(BrokenPipeError, ConnectionResetError):  # it has died, which is read next
                self.channel.settimeout(max(0.001, left()))
                self.channel.sendall(self._greeting + order + b"\n")
            self._greeting = b""
            while not answer.endswith(b"\n") and (chunk := self._chunk(left)):
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


def _key(slot: SlotOrder, environment: Mapping[str, str]) -> tuple[object, ...]:
    """Return what attempts of one supervisor have in common."""
    order = slot.order
    return (
        order.campaign, order.session, order.slot_shape, order.working_directory, order.interpreter,
        order.environment, order.inherit, order.workload, order.parameters.get("framework"),
        order.parameters.get("communication"), slot.places, environment,
    )  # fmt: skip
