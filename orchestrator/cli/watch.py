"""`status NAME --watch`: follow a campaign until it ends; who looks changes nothing."""

from __future__ import annotations

import io
import os
import select
import sys
import termios
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from db.errors import LedgerError, SchemaError, UnknownCampaignError
from db.events import now_us
from db.reader import Reader
from orchestrator.analysis.live_progress import FigureSoFar, LiveProgress, figures_so_far, live_progress
from orchestrator.cli.driver_log import log_lines
from orchestrator.cli.tables import utc
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.driver_identity import is_dead, live_driver
from orchestrator.lifecycle.driver_place import DriverPlace, launch_jobs_each_minute
from orchestrator.lifecycle.outlook import Outlook, outlook

if TYPE_CHECKING:
    from db.records import Campaign

SHORTEST_SECONDS = 1.0
"""Between two redraws."""
TERMINAL_SECONDS, PLAIN_SECONDS = 2.0, 10.0
_SILENT_SECONDS = 120.0  # in which a driver whose ledger was away renews its lease
_JUDGED_SECONDS = 30.0
_COST = 10  # times as long as a look took passes until the next


@dataclass(frozen=True, slots=True)
class Seen:
    """A campaign at one moment.

    Parameters
    ----------
    left
        Whether instances of any benchmark wait or run; `progress` may have some of them only.
    figures
        From the last time that the campaign was judged.
    log
        Last lines of the driver's log, if they are shown.
    at_us
        UTC microseconds.
    """

    row: Campaign
    driver: str | None
    now: Outlook
    progress: LiveProgress
    left: bool
    figures: tuple[FigureSoFar, ...]
    log: tuple[str, ...]
    at_us: int

    @property
    def over(self) -> bool:
        """Whether no driver runs it, and no submitted job will, as far as the ledger knows."""
        if self.driver is not None or (self.left and self.now.driver_job is not None):
            return False
        if self.row.lease_owner is None or is_dead(self.row.lease_owner):
            return True
        return self.at_us > (self.row.lease_expires_us or 0) + _SILENT_SECONDS * 1e6

    @property
    def outcome(self) -> str | None:
        """How it ended; None while it runs, and before its first session."""
        return None if self.driver else self.row.outcome or ("driver_died" if self.row.lease_owner else None)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        now = self.now.to_dict()
        return {
            "at": utc(self.at_us),
            "campaign": self.row.name,
            "driver": self.driver,
            "driver_place": now.pop("driver"),
            "outcome": self.outcome,
            "stop_request": self.row.stop_request,
            **now,
            **self.progress.to_dict(),
            **({} if self.driver else {"slots_busy": None}),  # nothing records how runs end
            "figures_so_far": [asdict(one) for one in self.figures],
            **({"log": self.log} if self.log else {}),
        }


class Watched:
    """A campaign that is read again and again.

    Parameters
    ----------
    benchmark
        The only one, or sweep, that is shown; None for all.
    log
        Whether to read the driver's log too.
    """

    def __init__(self, reader: Reader, name: str, benchmark: str | None, *, log: bool) -> None:
        self._reader, self._name, self._log = reader, name, log
        self._benchmark = benchmark
        self._launch_jobs = launch_jobs_each_minute()
        self._figures: tuple[FigureSoFar, ...] = ()
        self._judged_done, self._judge_at = 0, time.monotonic() + SHORTEST_SECONDS
        self.cost_seconds = 0.0

    def look(self) -> Seen:
        """Return where it stands.

        Raises
        ------
        UnknownCampaignError
            If the ledger does not have it, or its benchmark.
        LedgerError
            While the ledger cannot be read.
        """
        begin = time.monotonic()
        row, at_us = self._reader.campaign(self._name), now_us()
        whole = live_progress(self._reader, row, at_us)
        shown = whole
        if self._benchmark is not None:
            names = self._reader.select_benchmarks(row.campaign_id, self._benchmark)
            shown = replace(
                whole, benchmarks=tuple(one for one in whole.benchmarks if one.benchmark in names)
            )
        seen = Seen(
            row,
            live_driver(row),
            outlook(self._reader, row, at_us),
            shown,
            any(one.planned or one.running for one in whole.benchmarks),
            self._figures,
            tuple(log_lines(row.run_directory)) if self._log else (),
            at_us,
        )
        self.cost_seconds = time.monotonic() - begin
        if whole.done != self._judged_done and (seen.over or begin >= self._judge_at):
            self._judge(row)
            self._judged_done = whole.done
        return replace(seen, figures=self._figures)

    def _judge(self, row: Campaign) -> None:
        begin = time.monotonic()
        try:
            self._figures = tuple(figures_so_far(self._reader, row))
        except CampaignError:  # what has ended so far cannot be judged
            self._figures = ()
        cost = time.monotonic() - begin
        self._judge_at = begin + max(_JUDGED_SECONDS, _COST * cost)

    def launch_job(self) -> DriverPlace | None:
        """Return the job that will launch the campaign, if the ledger does not have it yet."""
        return self._launch_jobs(self._reader).get(self._name)

    def refresh(self) -> None:
        """Make `look` see what was written since, where the ledger is read from a copy."""
        self._reader.refresh()


class View(Protocol):
    """Where a campaign is shown."""

    def show(self, seen: Seen) -> None:
        """Show it as it is."""

    def message(self, text: str) -> None:
        """Show why it cannot be read."""

    def resized(self) -> None:
        """Draw again what a terminal of another size shows wrongly."""


def watch(
    ledger: str | None, name: str, benchmark: str | None, interval: float | None, *, log: bool, as_json: bool
) -> Seen | None:
    """Show a campaign until it ends; return it as it was seen last, or None if the user left before.

    Parameters
    ----------
    interval
        Seconds between two looks; None for `TERMINAL_SECONDS`, or `PLAIN_SECONDS` without a terminal.
    """
    from rich.console import Console

    from orchestrator.cli.watch_view import JsonLines, PlainLines, ScreenView

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # names of a campaign may have characters that it has not
    console = Console(force_terminal=sys.stdout.isatty(), highlight=False)
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


def _follow(watched: Watched, view: View, interval: float, wait: Callable[[float], bool]) -> Seen | None:
    """Show a campaign until it ends, or until `wait`, given seconds, returns that the user leaves."""
    while True:
        try:
            seen = watched.look()
        except SchemaError:
            raise
        except UnknownCampaignError:
            if (job := watched.launch_job()) is None:
                raise
            view.message(f"{job.waits()} once it has launched the campaign")
        except LedgerError as error:
            view.message(f"{error}; asked again every {interval:g} s")
        else:
            view.show(seen)
            if seen.over:
                return seen
        due = time.monotonic() + max(interval, _COST * watched.cost_seconds)
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
