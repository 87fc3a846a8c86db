"""How a person or the system asks a running campaign to stop."""

from __future__ import annotations

import signal
import threading
from enum import IntEnum
from types import FrameType
from typing import Any, Self


class StopLevel(IntEnum):
    """How much of a campaign should stop; it only ever grows."""

    NONE = 0
    """Nothing."""
    DRAIN = 1
    """Running instances finish, no new ones start."""
    CANCEL = 2
    """Running instances are ended."""


class StopRequests:
    """Collects stop requests; as a context manager also those that come as signals.

    The first Ctrl-C drains, the second cancels. SIGTERM and SIGHUP cancel at once, as their sender does
    not wait for an instance to end.

    Attributes
    ----------
    level
        The strongest request so far.
    source
        Where it came from, for people; empty while there is none.
    """

    def __init__(self) -> None:
        self.level = StopLevel.NONE
        self.source = ""
        self._previous: dict[int, Any] = {}

    def request(self, level: StopLevel, source: str = "") -> None:
        """Ask for a stop; a request no stronger than an earlier one changes nothing."""
        if level > self.level:
            self.level, self.source = level, source

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup asks
                    self._previous[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        drain = number == signal.SIGINT and self.level is StopLevel.NONE
        self.request(StopLevel.DRAIN if drain else StopLevel.CANCEL, signal.Signals(number).name)
