"""Tell from the time that a driver writes about once a second whether it is gone."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from orchestrator.rundir.signal_files import CLOCK_PERIOD_SECONDS

SILENCE_SECONDS = 10 * CLOCK_PERIOD_SECONDS
"""Without a new time of the driver, after which it counts as gone."""


class DriverWatch:
    """Watches the clock file of a session from when this is made; clocks of nodes are not compared.

    Parameters
    ----------
    file
        Where the driver writes its time; a driver that ends by itself removes it.
    clock
        Monotonic seconds.
    """

    def __init__(self, file: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._file = file
        self._clock = clock
        self._since = clock()
        self._last = self._read()
        self._lost: bool | None = None

    def is_lost(self) -> bool | None:
        """Return whether the driver is gone without having ended its session; None while not known."""
        text = self._read()
        if text == "":
            self._lost = False
        elif text is not None and text != self._last:
            # The first text read is no change.
            self._lost = None if self._last is None else False
            self._last, self._since = text, self._clock()
        elif self._clock() - self._since >= SILENCE_SECONDS:
            self._lost = True
        return self._lost

    def _read(self) -> str | None:
        """Return the time in the file; empty without a file, None if it cannot be read now."""
        try:
            return self._file.read_text(encoding="ascii", errors="replace")
        except FileNotFoundError:
            return ""
        except OSError:
            return None
