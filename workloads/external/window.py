"""The timed window of a command, from one line of its output to another."""

from __future__ import annotations

import re
import time
from contextlib import AbstractContextManager, suppress

from workloads.context import Context
from workloads.description import CommandError
from workloads.external.command import Window

_SHORTEST_SECONDS = 0.001
_SHOWN = 100


class WindowMarks:
    """Marks the window's start and stop as the lines arrive.

    Attributes
    ----------
    seconds
        From the arrival of one line to that of the other; None before the second one.
    """

    def __init__(self, window: Window, context: Context) -> None:
        self.seconds: float | None = None
        self._window = window
        self._after = re.compile(window.after) if window.after else None
        self._start, self._stop = re.compile(window.start), re.compile(window.stop)
        self._context = context
        self._open: AbstractContextManager[None] | None = None
        self._begun = 0.0
        self._again = ""

    def see(self, line: str) -> None:
        """Mark what a line of the output starts or stops."""
        now = time.monotonic()
        if self._after is not None:
            if self._after.search(line):
                self._after = None
            return
        if self._start.search(line):
            if self._open is not None:
                self._again = self._again or f"window.start matches a second line: {line[:_SHOWN]!r}"
                return
            self._open = self._context.window()
            self._open.__enter__()
            self._begun = time.monotonic()  # within the marks, which the stated time must not exceed
        elif self._open is not None and self._stop.search(line):
            if self.seconds is not None:
                self._again = self._again or f"window.stop matches a second line: {line[:_SHOWN]!r}"
                return
            self.seconds = now - self._begun
            with suppress(StopIteration):
                self._open.__exit__(None, None, None)

    def check(self) -> float:
        """Return the window's seconds.

        Raises
        ------
        CommandError
            If a line is missing or not the only one of its kind, or if both arrived at once.
        """
        if self._again:
            raise CommandError(f"{self._again}; make the expression match one line")
        for name, pattern, is_missing in (
            ("after", self._window.after, self._after is not None),
            ("start", self._window.start, self._open is None),
            ("stop", self._window.stop, self.seconds is None),
        ):
            if is_missing:
                raise CommandError(f"window.{name}: no line of the output matches {pattern!r} in its turn")
        if self.seconds is None or self.seconds < _SHORTEST_SECONDS:
            raise CommandError(
                "the lines of window.start and window.stop arrived at once: the command buffers its output, "
                "and must write it line by line, as with stdbuf -oL"
            )
        return self.seconds
