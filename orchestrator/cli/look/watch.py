"""`status NAME --watch`: follow a campaign until it ends; who looks changes nothing."""

from __future__ import annotations

import os
import select
import sys
import termios
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Protocol

from db.errors import LedgerError, SchemaError, UnknownCampaignError
from db.reader import Reader
from orchestrator.cli.terminal.plain_output import console_of
from orchestrator.monitoring.watched import COST, SHORTEST_SECONDS, Look, Watched

TERMINAL_SECONDS, PLAIN_SECONDS = 2.0, 10.0
"""Between two redraws."""


class View(Protocol):
    """Where a campaign is shown."""

    def show(self, look: Look) -> None:
        """Show it as it is."""

    def message(self, text: str) -> None:
        """Show why it cannot be read."""

    def resized(self) -> None:
        """Draw again what a terminal of another size shows wrongly."""


def watch(
    ledger: str | None, name: str, benchmark: str | None, interval: float | None, *, log: bool, as_json: bool
) -> Look | None:
    """Show a campaign until it ends; return the last look, or None if the user left before.

    Parameters
    ----------
    interval
        Seconds between two looks; None for `TERMINAL_SECONDS`, or `PLAIN_SECONDS` without a terminal.
    """
    from orchestrator.cli.look.watch_view import JsonLines, PlainLines, ScreenView

    console = console_of()
    on_screen = console.is_terminal and not console.is_dumb_terminal and not as_json
    seconds = max(interval or (TERMINAL_SECONDS if on_screen else PLAIN_SECONDS), SHORTEST_SECONDS)
    with Reader(ledger) as reader:
        watched = Watched(reader, name, benchmark, log=log)
        try:
            if on_screen:
                with _keys() as wait, ScreenView(console, seconds) as screen:
                    return _follow(watched, screen, seconds, wait)
            return _follow(watched, JsonLines() if as_json else PlainLines(), seconds, _wait)
        except KeyboardInterrupt:
            return None


def _follow(watched: Watched, view: View, interval: float, wait: Callable[[float], bool]) -> Look | None:
    """Show a campaign until it ends, or until `wait`, given seconds, returns that the user leaves."""
    while True:
        try:
            look = watched.look()
        except SchemaError:
            raise
        except UnknownCampaignError:
            if (job := watched.launch_job()) is None:
                raise
            view.message(f"{job.waits()} once it has launched the campaign")
        except LedgerError as error:
            view.message(f"{error}; asked again every {interval:g} s")
        else:
            view.show(look)
            if look.status.over:
                return look
        due = time.monotonic() + max(interval, COST * watched.cost_seconds)
        while (left := due - time.monotonic()) > 0:
            if wait(min(left, SHORTEST_SECONDS)):
                return None
            view.resized()
        with suppress(LedgerError):  # `look` meets it again
            watched.refresh()


def _wait(seconds: float) -> bool:
    time.sleep(seconds)
    return False


@contextmanager
def _keys() -> Iterator[Callable[[float], bool]]:
    """Yield a function that waits some seconds, less when ``q`` is typed, and returns whether it was."""
    number = sys.stdin.fileno() if sys.stdin is not None and sys.stdin.isatty() else None
    if number is None or os.tcgetpgrp(number) != os.getpgrp():  # a job in the background may not read
        yield _wait
        return
    before = termios.tcgetattr(number)
    tty.setcbreak(number)
    try:
        yield lambda seconds: _typed(number, seconds)
    finally:
        termios.tcsetattr(number, termios.TCSADRAIN, before)


def _typed(terminal: int, seconds: float) -> bool:
    due = time.monotonic() + seconds
    while select.select([terminal], [], [], max(0.0, due - time.monotonic()))[0]:
        keys = os.read(terminal, 1024)
        if not keys or b"q" in keys.lower():  # nothing to read: the terminal is closed
            return True
    return False
