"""Messages of signal handlers.

A handler runs between any two instructions of the main thread, such as in the middle of an import or of
another message, where logging itself may fail. A thread logs the handler's message.
"""

from __future__ import annotations

import logging
import threading
from queue import SimpleQueue  # noqa: TID251  nothing here gets with a timeout
from typing import Self


class SignalLog:
    """Logs what signal handlers say, as long as its block runs.

    Parameters
    ----------
    log
        Gets the messages.
    """

    def __init__(self, log: logging.Logger) -> None:
        self._log = log
        # The only queue that a handler may use while the code that it interrupts uses the same queue.
        self._messages: SimpleQueue[str | None] = SimpleQueue()
        self._logged = threading.Event()
        self._thread = threading.Thread(target=self._write, name="signal-log", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._messages.put(None)
        self._thread.join()

    def warning(self, message: str, *, wait_seconds: float = 0.0) -> None:
        """Log a message from a handler.

        Parameters
        ----------
        wait_seconds
            The longest wait until it is logged, for a handler that no other signal interrupts and that ends
            the process.
        """
        self._messages.put(message)
        if wait_seconds:
            self._logged.wait(wait_seconds)  # in vain where the interrupted code holds a lock of the log

    def _write(self) -> None:
        while (message := self._messages.get()) is not None:
            self._log.warning("%s", message)
            self._logged.set()
