"""A limit on the wait for a PostgreSQL server that does not answer.

A server that stalls, or whose packets are dropped, closes no connection, so that a caller would wait for
ever. The watchdog shuts the connections down, and the wait ends in an error.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Lock, Thread
from typing import Any

from sqlalchemy import Engine, event
from sqlalchemy.exc import SQLAlchemyError

from db.connection.connect import redacted_url
from db.errors import LeaseError, LedgerError, RefusedError

SILENT_SECONDS = 60.0
"""Longest silence of a server; the keepalive settings in `db.connection.connect` allow the same."""
_CALLS = 3
"""Number of new connections that are tried in that time."""


class ServerWatchdog:
    """Watches the connections of one engine; of an SQLite file, which always answers, none.

    Parameters
    ----------
    engine
        One whose connections are used by one thread at a time.
    """

    def __init__(self, engine: Engine) -> None:
        self._url = engine.url
        self._dialect = engine.dialect
        # Duplicated handles: a connection may be closed, and its number reused, at any moment.
        self._sockets: dict[Any, socket.socket] = {}
        self._watches = engine.dialect.name == "postgresql"
        if self._watches:
            # Inserted first: the other listeners query the server.
            event.listen(engine, "connect", self._opened, insert=True)
            event.listen(engine, "close", self._closed)

    @contextmanager
    def timeout(self, seconds: float) -> Iterator[None]:
        """End waits for the server that take longer than `seconds`.

        Raises
        ------
        LedgerError
            If the database did not answer in time.
        """
        with self._guarded(lambda done: done.wait(seconds), seconds):
            yield

    @contextmanager
    def liveness(self) -> Iterator[None]:
        """End waits for the server once it accepts no new connection either.

        A server that works on a long query still accepts or refuses new connections.

        Raises
        ------
        LedgerError
            If the database gave no sign of life for `SILENT_SECONDS`.
        """
        seconds = SILENT_SECONDS
        with self._guarded(lambda done: self._lives(seconds, done), seconds):
            yield

    @contextmanager
    def _guarded(self, well: Callable[[Event], bool], seconds: float) -> Iterator[None]:
        """Shut the connections down when `well`, which waits for the end of the block, returns False."""
        if not self._watches:
            yield
            return
        done, late, deciding = Event(), Event(), Lock()

        def guard() -> None:
            while not done.is_set():  # repeated: it may wait on a new connection by then
                if not well(done):
                    with deciding:
                        if not done.is_set():
                            late.set()
                            self._shut_down()

        Thread(target=guard, name="ledger watchdog", daemon=True).start()
        try:
            yield
        except (LedgerError, SQLAlchemyError) as error:
            if late.is_set() and not isinstance(error, LeaseError | RefusedError):
                raise LedgerError(
                    f"ledger {redacted_url(self._url)}: the database does not answer within {seconds:g} s"
                ) from error
            raise
        finally:
            with deciding:  # from here on the guard must not touch the connections
                done.set()

    def _lives(self, seconds: float, done: Event) -> bool:
        """Return whether the block is done or the server answers within `seconds`."""
        pause = seconds / _CALLS / 2
        return any(done.wait(pause) or self._answers(pause) for _ in range(_CALLS))

    def _answers(self, seconds: float) -> bool:
        """Return whether the server accepts or refuses a new connection in time."""
        from psycopg import Error
        from psycopg.errors import ConnectionTimeout

        words, options = self._dialect.create_connect_args(self._url)
        options["connect_timeout"] = max(1, round(seconds))
        try:
            self._dialect.connect(*words, **options).close()
        except Error as error:
            return not isinstance(error, ConnectionTimeout)
        return True

    def _shut_down(self) -> None:
        for handle in list(self._sockets.values()):
            with suppress(OSError):  # closed by the server meanwhile
                handle.shutdown(socket.SHUT_RDWR)

    def _opened(self, connection: Any, _record: object) -> None:
        self._sockets[connection] = socket.socket(fileno=os.dup(connection.pgconn.socket))

    def _closed(self, connection: Any, _record: object) -> None:
        if (handle := self._sockets.pop(connection, None)) is not None:
            handle.close()
