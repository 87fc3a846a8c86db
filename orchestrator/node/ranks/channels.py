"""The channel between a rank and the process that starts it: its reports, and the start of its timed part.

It is a socket that the rank inherits, of which the kernel says who wrote what. Where a container's runtime
passes no descriptors on, there are named pipes in a folder of the node's temporary files. In either case the
lines of a rank are signed with a key that its order has, and that no file, argument or variable shows.
"""

from __future__ import annotations

import os
import shutil
import socket
import struct
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from workloads.report_lines import KEY_BYTES, content_of_line

REPORT_LIMIT = 1 << 20
"""Longest report, in bytes."""
_CHUNK = 1 << 16
_CREDENTIALS = struct.Struct("iII")  # process, user and group
_OF_A_PIPE = 0


class RankChannels:
    """Open channels.

    Parameters
    ----------
    barrier
        Whether there is a start barrier.
    named
        Whether the channels have names, and are not inherited.

    Attributes
    ----------
    reports
        Descriptor that reports are read from; it does not block.
    request
        What the rank's order says of its ends, and the key of its reports.
    inherited
        Descriptors of the rank's ends, for the process that is started.
    closed
        True once the rank has closed its end.
    writer
        The process that wrote the first line with the key; the lines of all others are refused. None before,
        and 0 with named pipes, which do not tell.
    refused
        What was refused, in words.
    was_too_long
        True once a line was longer than `REPORT_LIMIT`.
    """

    def __init__(self, *, barrier: bool, named: bool) -> None:
        self.inherited: list[int] = []
        self.closed = False
        self.writer: int | None = None
        self.refused: set[str] = set()
        self.was_too_long = False
        self._key = os.urandom(KEY_BYTES)
        self._pending: dict[int, bytes] = {}
        self._socket: socket.socket | None = None
        self._barrier: int | None = None
        self._folder: Path | None = None
        self.request: dict[str, Any] = {"report_key": self._key.hex()}
        if not named:
            self._socket, rank = socket.socketpair()
            self._socket.setblocking(False)
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            self.reports = self._socket.fileno()
            self.inherited.append(end := rank.detach())
            self.request |= {"report_fd": end, "barrier_fd": end if barrier else None}
            return
        self._folder = Path(tempfile.mkdtemp(prefix="orchestrator-"))
        self.reports = _named_pipe(self._folder / "reports")
        self.request |= {"report_path": str(self._folder / "reports"), "barrier_path": None}
        if barrier:
            self._barrier = _named_pipe(self._folder / "barrier")
            self.request["barrier_path"] = str(self._folder / "barrier")

    def started(self) -> None:
        """Close the ends of the rank, which has them now, or was not started."""
        for descriptor in self.inherited:
            os.close(descriptor)
        self.inherited = []

    def lines(self) -> Iterator[bytes]:
        """Yield the contents of the rank's lines that have arrived."""
        while not self.closed:
            try:
                chunk, sender = self._receive()
            except BlockingIOError:
                return
            except ConnectionResetError:  # it has ended without reading the announcement
                chunk = b""
            if not chunk:
                self.closed = True
            elif self.writer in (None, sender):
                yield from self._lines_of(sender, chunk)
            else:
                self.refused.add("a report of another process")

    def announce(self, start_us: int) -> None:
        """Write the start's instant, UTC microseconds, to a rank that waits for it."""
        line = f"{start_us}\n".encode()
        with suppress(BrokenPipeError, ConnectionResetError):
            if self._socket is not None:
                self._socket.send(line)
            elif self._barrier is not None:
                os.write(self._barrier, line)

    def close(self) -> None:
        """Close this process's ends, and remove the names."""
        self.started()
        if self._socket is not None:
            self._socket.close()
            return
        for descriptor in (self.reports, self._barrier):
            if descriptor is not None:
                os.close(descriptor)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _receive(self) -> tuple[bytes, int]:
        """Return bytes that one process has written, and its id."""
        if self._socket is None:
            return os.read(self.reports, _CHUNK), _OF_A_PIPE
        chunk, ancillary, _, _ = self._socket.recvmsg(_CHUNK, socket.CMSG_SPACE(_CREDENTIALS.size))
        for level, kind, content in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS):
                return chunk, _CREDENTIALS.unpack(content)[0]
        return chunk, _OF_A_PIPE

    def _lines_of(self, sender: int, chunk: bytes) -> Iterator[bytes]:
        *lines, rest = (self._pending.get(sender, b"") + chunk).split(b"\n")
        self.was_too_long = self.was_too_long or len(rest) > REPORT_LIMIT
        self._pending[sender] = rest[-REPORT_LIMIT:]
        for line in lines:
            content = content_of_line(line, self._key)
            if content is None:
                self.refused.add("a line without the key of its reports")
                continue
            self.writer = sender
            yield content


def _named_pipe(path: Path) -> int:
    """Make a named pipe and open it, at both ends so that neither this process nor the rank has to wait."""
    os.mkfifo(path, mode=0o600)
    return os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
