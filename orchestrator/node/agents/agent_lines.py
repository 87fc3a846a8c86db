"""Lines between a supervisor and the agents that it keeps on other nodes.

A line is a JSON object over TCP, signed as reports of trainings are. The key stands in the order that the
agents are started with, a file that only its user can read. A line names its writer and has a number, so that
it counts once. Orders and reports themselves are files of the run directory.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from workloads.report_lines import content_of_line, signature

KEY_BYTES = 32
SUPERVISOR = -1
"""Number of the supervisor as a writer; agents have the numbers of their nodes."""
_LONGEST_BYTES = 1 << 16
_CHUNK = 1 << 12


class AgentLines:
    """One end of a connection; neither sending nor reading waits.

    Parameters
    ----------
    writer
        Number of this end.
    reader
        Number of the other end; None for an agent whose first line has not come yet.

    Attributes
    ----------
    is_closed
        True once the other end has gone, or has sent what it cannot have signed.
    """

    def __init__(self, connection: socket.socket, key: bytes, writer: int, reader: int | None) -> None:
        connection.setblocking(False)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.is_closed = False
        self.reader = reader
        self._connection = connection
        self._key = key
        self._writer = writer
        self._sent = self._read = 0
        self._pending = b""

    def fileno(self) -> int:
        """Return the descriptor of the connection."""
        return self._connection.fileno()

    def send(self, **content: Any) -> None:
        """Send an object; if the other end does not read, the connection counts as closed."""
        line = json.dumps({"writer": self._writer, "number": self._sent, **content}).encode()
        self._sent += 1
        try:
            self._connection.sendall(signature(line, self._key) + b" " + line + b"\n")
        except OSError:
            self.is_closed = True

    def received(self) -> Iterator[dict[str, Any]]:
        """Yield the objects that have arrived."""
        while not self.is_closed:
            try:
                chunk = self._connection.recv(_CHUNK)
            except BlockingIOError:
                return
            except OSError:
                chunk = b""
            *lines, self._pending = (self._pending + chunk).split(b"\n")
            for line in lines:
                content = self._content(line)
                if content is None:
                    self.is_closed = True
                    return
                yield content
            self.is_closed = not chunk or len(self._pending) > _LONGEST_BYTES

    def close(self) -> None:
        """Close the connection."""
        self.is_closed = True
        self._connection.close()

    def _content(self, line: bytes) -> dict[str, Any] | None:
        """Return what a line says; None where its writer has not the key, or it is not the next."""
        with suppress(ValueError, KeyError, TypeError):
            content: dict[str, Any] = json.loads(content_of_line(line, self._key) or b"")
            if self.reader is None and content["writer"] != self._writer:
                self.reader = int(content["writer"])
            if (content["writer"], content["number"]) == (self.reader, self._read):
                self._read += 1
                return content
        return None
