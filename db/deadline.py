"""A limit on how long a PostgreSQL server may keep the driver waiting.

A server that stalls, or whose packets are dropped, closes no connection: whoever waits for it would
wait for ever. A watch shuts the connections down instead, and so the wait ends in an error.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Any

from sqlalchemy import Engine, event

from db.connect import shown
from db.errors import LeaseError, LedgerError, RefusedError


class Deadline:
    """Watches the connections of one engine; of an SQLite file, which always answers, none.

    Parameters
    ----------
    engine
        One whose connections are used by one thread at a time.
    """

    def __init__(self, engine: Engine) -> None:
        self._url = engine.url
        # Handles of our own: the connection's may be closed, and its number taken, at any moment.
        self._sockets: dict[Any, socket.socket] = {}
        self._watches = engine.dialect.name == "postgresql"
        if self._watches:
            event.listen(engine, "connect", self._opened)
            event.listen(engine, "close", self._closed)

    @contextmanager
    def watch(self, seconds: float) -> Iterator[None]:
        """Raise what waits for the server any longer than `seconds` out of its wait.

        Raises
        ------
        LedgerError
            If the database did not answer in time.
        """
        if not self._watches:
            yield
            return
        done, late = Event(), Event()
        watch = Thread(target=self._wait, args=(seconds, done, late), name="ledger deadline", daemon=True)
        watch.start()
        try:
            yield
        except LedgerError as error:
            if late.is_set() and not isinstance(error, LeaseError | RefusedError):
                raise LedgerError(
                    f"ledger {shown(self._url)}: the database does not answer within {seconds:g} s"
                ) from error
            raise
        finally:
            done.set()
            watch.join()

    def _wait(self, seconds: float, done: Event, late: Event) -> None:
        while not done.wait(seconds):  # again, should it wait on a new connection by then
            late.set()
            for handle in list(self._sockets.values()):
                with suppress(OSError):  # closed by the server meanwhile
                    handle.shutdown(socket.SHUT_RDWR)

    def _opened(self, connection: Any, _record: object) -> None:
        self._sockets[connection] = socket.socket(fileno=os.dup(connection.pgconn.socket))

    def _closed(self, connection: Any, _record: object) -> None:
        if (handle := self._sockets.pop(connection, None)) is not None:
            handle.close()
