"""Connections of clients: how many there may be, and for how long one may say nothing."""

from __future__ import annotations

import asyncio
import logging
import resource
import time
from collections.abc import Callable
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_SECONDS = 10.0
"""Time that a connection has until the headers of its next request are complete."""
_MOST = 256
_LINES = 20  # of a logger in each of these periods
_PERIOD_SECONDS = 60.0
_LOGGERS = ("asyncio", "uvicorn.error")


def most_connections() -> int:
    """Return how many connections are open at most: half of the files that this process may open."""
    return max(8, min(_MOST, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2))


class _StrictConnection(h11.Connection):
    """Takes no request with two statements of its length: a proxy may read another one out of it."""

    def next_event(self) -> Any:
        """Return the next event; raises `h11.RemoteProtocolError`."""
        event = super().next_event()
        if isinstance(event, h11.Request):
            names = {name.lower() for name, _ in event.headers}
            if {b"content-length", b"transfer-encoding"} <= names:
                raise h11.RemoteProtocolError("Content-Length and Transfer-Encoding in one request")
        return event


class BoundedConnection(H11Protocol):
    """A connection that ends if its client is silent for too long, or if others need its place."""

    _silent: dict[BoundedConnection, None] = {}  # noqa: RUF012  of all connections, the longest silent first

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.conn = _StrictConnection(h11.SERVER, self.conn._max_incomplete_event_size)
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a new connection, in the place of the one that has been silent for longest if need be."""
        super().connection_made(transport)
        self._await_request()
        if len(self.connections) > most_connections():
            longest_silent = next(iter(self._silent))
            del self._silent[longest_silent]
            longest_silent.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Take a part of a request."""
        super().data_received(data)
        if not self._is_silent():
            self._silent.pop(self, None)

    def on_response_complete(self) -> None:
        """Await the next request."""
        super().on_response_complete()
        self._await_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        super().connection_lost(exc)
        self._silent.pop(self, None)
        if self._deadline is not None:
            self._deadline.cancel()

    def _await_request(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        if self.transport.is_closing():
            return
        self._silent[self] = None
        self._deadline = self.loop.call_later(REQUEST_SECONDS, self._end_silent)

    def _is_silent(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _end_silent(self) -> None:
        if self._is_silent():
            self.transport.abort()


class FewLines(logging.Filter):
    """Lets a number of lines of a logger through in each period, and says how many it left out."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._began = clock()
        self._lines = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a line is logged."""
        if self._clock() - self._began >= _PERIOD_SECONDS:
            if self._lines > _LINES:
                record.msg = f"{record.getMessage()} ({self._lines - _LINES:,} lines before were left out)"
                record.args = None
            self._began, self._lines = self._clock(), 0
        self._lines += 1
        return self._lines <= _LINES


def limit_logs() -> None:
    """Limit the lines that clients can cause."""
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(FewLines())
