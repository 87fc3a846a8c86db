"""Progress of a running campaign: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from orchestrator.driver.progress import Snapshot
from orchestrator.wording import count_of, printable
from sites.quantities import shown

_PLAIN_SECONDS = 5.0


class Progress:
    """Shows counts, rate and an estimate.

    Parameters
    ----------
    console
        Where to print.
    clock
        Monotonic seconds.
    estimate
        Returns in words how long a campaign of that name still runs; empty if that is not known.
    first_seconds
        Before the first plain line: what is over by then needs none.
    """

    def __init__(
        self,
        console: Console,
        clock: Callable[[], float] = time.monotonic,
        *,
        estimate: Callable[[str], str] = lambda _: "",
        first_seconds: float = 0.0,
    ) -> None:
        self._console = console
        self._estimate = estimate
        self._clock = clock
        self._begin = clock()
        self._done_at_begin: int | None = None
        self._next_line = self._begin + first_seconds
        self._live = (
            Live(console=console, refresh_per_second=4, transient=True) if console.is_terminal else None
        )

    def __enter__(self) -> Self:
        if self._live:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._print(self._live.stop)

    def update(self, snapshot: Snapshot) -> None:
        """Show where the campaign stands."""
        if self._done_at_begin is None:
            self._done_at_begin = snapshot.done + snapshot.exhausted
        text = self.line(snapshot)
        if self._live:
            self._live.update(Text(text))
        elif self._clock() >= self._next_line:
            self._next_line = self._clock() + _PLAIN_SECONDS
            self.message(text)

    def message(self, message: str) -> None:
        """Print a message above the progress; what the output has not, or what controls it, is escaped."""
        encoding = self._console.encoding
        shown_as = (
            "\n".join(map(printable, message.split("\n")))
            .encode(encoding, "backslashreplace")
            .decode(encoding)
        )
        self._print(lambda: self._console.print(shown_as, markup=False, highlight=False, soft_wrap=True))

    def _print(self, output: Callable[[], None]) -> None:
        """Print; where a terminal, a pipe or a disk takes no more, the campaign goes on without a display."""
        try:
            output()
        except (OSError, SystemExit):  # which is what rich makes of a broken pipe
            self._console.quiet = True

    def line(self, snapshot: Snapshot) -> str:
        """Return the progress as one line."""
        elapsed = self._clock() - self._begin
        ended = snapshot.done + snapshot.exhausted
        here = ended - (self._done_at_begin or 0)
        parts = [
            f"{shown(elapsed):>8}",
            f"{snapshot.done}/{snapshot.total} done",
            f"{snapshot.running} running",
        ]
        if snapshot.exhausted:
            parts.append(f"{snapshot.exhausted} out of retries")
        if snapshot.failures:
            parts.append(count_of(snapshot.failures, "failed attempt"))
        if here and elapsed > 0:
            parts.append(f"{60 * here / elapsed:.1f}/min")
        if snapshot.campaign and ended < snapshot.total and (estimate := self._estimate(snapshot.campaign)):
            parts.append(estimate)
        if snapshot.note:
            parts.append(snapshot.note)
        return "  ".join(parts)


class SimulationProgress(Progress):
    """Shows how far simulated campaigns are, which says nothing of real time."""

    def line(self, snapshot: Snapshot) -> str:
        """Return the progress as one line."""
        return f"simulated {snapshot.done:,} of {snapshot.total:,} instances, of all simulated campaigns"
