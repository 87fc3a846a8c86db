"""How a person or the system asks a running campaign to stop."""

from __future__ import annotations

import logging
import signal
import threading
from contextlib import ExitStack
from enum import IntEnum
from types import FrameType
from typing import Self

from orchestrator.host.signal_log import SignalLog

_log = logging.getLogger(__name__)
_LAST_WORDS_SECONDS = 1.0


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

    The first Ctrl-C drains, the second cancels. SIGTERM cancels at once, as its sender does not wait for an
    instance to end; where attempts outlive their driver, it ends the driver alone.

    Parameters
    ----------
    outlived
        Words for the running attempts that go on when this process ends; empty where none do.

    Attributes
    ----------
    level
        The strongest request so far.
    source
        Where it came from, for people; empty while there is none.
    """

    def __init__(self, *, outlived: str = "") -> None:
        self._outlived = outlived
        self.level = StopLevel.NONE
        self.source = ""
        self._ending = False
        self._entered = ExitStack()
        self._signal_log = SignalLog(_log)

    def request(self, level: StopLevel, source: str = "") -> None:
        """Ask for a stop; a request no stronger than an earlier one changes nothing."""
        if level > self.level:
            self.level, self.source = level, source

    def session_ends(self) -> None:
        """Let signals change nothing from now on: no instance runs, and the session ends in a moment."""
        self._ending = True

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._entered.enter_context(self._signal_log)
            for number in (signal.SIGINT, signal.SIGTERM):
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._entered.callback(signal.signal, number, signal.signal(number, self._on_signal))
        return self

    def __exit__(self, *_: object) -> None:
        self._entered.close()

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        if self._ending:
            name = signal.Signals(number).name
            self._signal_log.warning(f"{name} changes nothing: the session ends in a moment")
            return
        if number == signal.SIGTERM and self._outlived:
            signal.signal(number, signal.SIG_DFL)
            self._signal_log.warning(
                f"the driver got SIGTERM and ends; {self._outlived} go on, `resume` waits for them",
                wait_seconds=_LAST_WORDS_SECONDS,
            )
            signal.raise_signal(number)
        drain = number == signal.SIGINT and self.level is StopLevel.NONE
        self.request(StopLevel.DRAIN if drain else StopLevel.CANCEL, signal.Signals(number).name)
