"""The gate: instances of a wave wait at it, and start their timed part at one announced instant.

Slots fill one after another, and short timed parts that begin whenever an instance is ready hardly
overlap. Where a campaign starts together, each instance stops before its timed part and says so in
its journal; once all of the wave are there, the driver writes the instant into a file that every
node sees. What counts afterwards is the measured overlap, as ever.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path

from orchestrator.rundir.barrier_file import LEAD_SECONDS
from orchestrator.rundir.layout import RunDirectory


class Gate:
    """The driver's side of the gate.

    Parameters
    ----------
    directory, session
        The campaign's directory, and the number of this launch or resume.
    patience_seconds
        How long those that have arrived wait for the others.
    clock, now_us
        Monotonic seconds, and UTC microseconds.
    """

    def __init__(
        self,
        directory: Path,
        session: int,
        patience_seconds: float,
        clock: Callable[[], float],
        now_us: Callable[[], int],
    ) -> None:
        self.wave = 1  # and `width`: how many came to a wave that waited in vain for more, if one did
        self.open = False
        self.width: int | None = None
        self._directory = directory
        self._session = session
        self._patience = patience_seconds
        self._clock = clock
        self._now_us = now_us
        self._waiting: set[str] = set()
        self._since: float | None = None
        self._hindered = False

    def arrived(self, token: str) -> None:
        """Note that an attempt waits at the gate."""
        self._waiting.add(token)
        if self._since is None:
            self._since = self._clock()

    def next_wave(self) -> None:
        """Close the gate behind a wave of which nobody is left, and make ready for the next.

        The file is there, empty, before anybody looks: a network file system may remember for long
        that there was none.
        """
        file = RunDirectory(self._directory).barrier_file(self._session, self.wave)
        if self.open:
            with suppress(OSError):
                file.unlink(missing_ok=True)
            self.wave += 1
            self.open = False
            file = RunDirectory(self._directory).barrier_file(self._session, self.wave)
        self._waiting.clear()
        self._since = None
        with suppress(OSError):  # a full disk; it is opened later than it might be
            file.parent.mkdir(exist_ok=True)
            file.touch()

    def try_open(self, flights: Collection[str], *, complete: bool) -> str | None:
        """Open the gate if all of the wave are there, or those that are have waited long enough.

        Parameters
        ----------
        flights
            Tokens of all attempts of the wave that have not ended.
        complete
            Whether no more attempts will join the wave.

        Returns
        -------
        str or None
            What to tell the user if the gate opened although somebody was missing, or cannot be
            opened; else an empty text if it opened, None while it stays shut.
        """
        there = self._waiting.intersection(flights)
        if self.open or not there or self._since is None:
            return None
        missing = len(flights) - len(there)
        if complete and not missing:
            said = ""
        elif self._clock() - self._since >= self._patience:
            self.width = len(there)  # further waves need not wait for slots that never came
            said = (
                f"wave {self.wave} starts with {len(there)} instances that waited "
                f"{self._patience:.0f} s for others; fewer of them will count as running at once"
            )
        else:
            return None
        file = RunDirectory(self._directory).barrier_file(self._session, self.wave)
        try:
            file.parent.mkdir(exist_ok=True)
            partial = file.with_suffix(".partial")
            partial.write_text(str(self._now_us() + int(LEAD_SECONDS * 1e6)), encoding="ascii")
            partial.replace(file)
        except OSError as error:
            first, self._hindered = not self._hindered, True
            return (
                f"{file}: {error.strerror}; wave {self.wave} waits until it can be written" if first else None
            )
        self._hindered = False
        self.open = True
        return said
