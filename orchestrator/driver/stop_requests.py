"""How a person or the system asks a running campaign to stop."""

from __future__ import annotations

import signal
import threading
from enum import IntEnum
from types import FrameType
from typing import Any, Self


class Stop(IntEnum):
    """How much of a campaign should stop; it only ever grows."""

    NO = 0
    DRAIN = 1
    CANCEL = 2


class StopSwitch:
    """Collects stop requests; as a context manager also those that come as signals.

    The first Ctrl-C drains (running instances finish), the second cancels. SIGTERM and SIGHUP
    cancel at once: whoever sends them will not wait for an instance to end.
    """

    def __init__(self) -> None:
        self.level = Stop.NO
        self._previous: dict[int, Any] = {}

    def request(self, level: Stop) -> None:
        """Ask for a stop; a weaker request than an earlier one changes nothing."""
        self.level = max(self.level, level)

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                if signal.getsignal(number) is not signal.SIG_IGN:  # nohup means what it says
                    self._previous[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        if number == signal.SIGINT and self.level is Stop.NO:
            self.request(Stop.DRAIN)
        else:
            self.request(Stop.CANCEL)
