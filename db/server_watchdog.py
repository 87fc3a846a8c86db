"""A limit on how long a PostgreSQL server may keep whoever asks it waiting.

A server that stalls, or whose packets are dropped, closes no connection: whoever waits for it would
wait for ever. A watch shuts the connections down instead, and so the wait ends in an error.
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

from db.connect import shown
from db.errors import LeaseError, LedgerError, RefusedError

SILENT_SECONDS = 60.0
"""How long a server may give no sign of life; as long as one whose network is gone has, see `db.connect`."""
_CALLS = 3
"""How often it is called meanwhile."""


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
        # Handles of our own: the connection's may be closed, and its number taken, at any moment.
        self._sockets: dict[Any, socket.socket] = {}
        self._watches = engine.dialect.name == "postgresql"
        if self._watches:
            # First of all: what else listens asks the server.
            event.listen(engine, "connect", self._opened, insert=True)
            event.listen(engine, "close", self._closed)

    @contextmanager
    def timeout(self, seconds: float) -> Iterator[None]:
        """Raise what waits for the server any longer than `seconds` out of its wait.

        Raises
        ------
        LedgerError
            If the database did not answer in time.
        """
        with self._guarded(lambda done: done.wait(seconds), seconds):
            yield

    @contextmanager
    def liveness(self) -> Iterator[None]:
        """Raise what waits for the server out of its wait once it has answered nobody for a while.

        However long a server works on an answer, it takes a new connection meanwhile, or refuses it.

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
        """Shut the connections down when `well`, which waits for the event of being done, says no."""
        if not self._watches:
            yield
            return
        done, late, deciding = Event(), Event(), Lock()

        def guard() -> None:
            while not done.is_set():  # again, should it wait on a new connection by then
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
                    f"ledger {shown(self._url)}: the database does not answer within {seconds:g} s"
                ) from error
            raise
        finally:
            with deciding:  # from here on the connections are not this guard's any more
                done.set()

    def _lives(self, seconds: float, done: Event) -> bool:
        """Return whether all is done or the server answers; that it does not is known after `seconds`."""
        pause = seconds / _CALLS / 2
        return any(done.wait(pause) or self._answers(pause) for _ in range(_CALLS))

    def _answers(self, seconds: float) -> bool:
        """Tell whether the server does anything at all with a new connection."""
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
