"""Virtual time: it moves to the next event whenever the driver waits."""

from __future__ import annotations

import heapq
import itertools
import queue
from collections.abc import Callable

from orchestrator.driver.clock import Item
from orchestrator.errors import CampaignError

START_US = 1_767_225_600_000_000  # the first instant of 2026
_LONGEST_NAP_SECONDS = 30.0


class SimulationTimeoutError(CampaignError):
    """A simulated campaign takes longer than any real one would be left to run."""


class VirtualClock:
    """A clock and what will happen by it.

    Parameters
    ----------
    grain
        Seconds by which the driver may notice an end late. Where many end in a short time, it
        then records them together, as a driver does that is busy.
    longest
        Virtual seconds after which a simulation that does not end is given up.
    nap
        Most seconds that a driver waits at once while nothing happens.
    """

    def __init__(
        self,
        *,
        grain: float = 0.0,
        longest: float = float("inf"),
        nap: float = _LONGEST_NAP_SECONDS,
    ) -> None:
        self._grain = grain
        self._longest = longest
        self._longest_nap = nap
        self._now = 0.0
        self._nap = 0.0
        self._events: list[tuple[float, int, Callable[[], None], bool]] = []
        self._order = itertools.count()

    def seconds(self) -> float:
        """Return virtual seconds since the start."""
        return self._now

    def now_us(self) -> int:
        """Return virtual UTC microseconds."""
        return START_US + round(self._now * 1e6)

    def at_us(self, instant: int, action: Callable[[], None]) -> None:
        """Do something at an instant in UTC microseconds."""
        self.at((instant - START_US) / 1e6, action)

    def at(self, seconds: float, action: Callable[[], None], *, wakes: bool = True) -> None:
        """Do something at a time; at once if that has passed.

        Parameters
        ----------
        wakes
            False for an event that no driver could notice: its waits go on as if nothing had happened.
        """
        heapq.heappush(self._events, (max(seconds, self._now), next(self._order), action, wakes))

    def after(self, seconds: float, action: Callable[[], None], *, wakes: bool = True) -> None:
        """Do something after a while."""
        self.at(self._now + seconds, action, wakes=wakes)

    def pass_time(self, seconds: float) -> None:
        """Let time pass, and what falls into it happen."""
        until = self._now + seconds
        while self._events and self._events[0][0] <= until:
            self._step()
        self._now = until

    def take(self, mailbox: queue.Queue[Item], seconds: float) -> list[Item]:
        """Let time pass until something is in a mailbox, and return all that is.

        While nothing happens at all, the wait grows beyond `seconds`, but never past an event.

        Raises
        ------
        SimulationTimeoutError
            If the simulation has gone on for too long.
        """
        until = self._now + max(seconds, self._nap)
        asleep = True
        while mailbox.empty() and self._events and self._events[0][0] <= until:
            if self._step() and asleep:
                asleep = False
                until = min(until, self._now + seconds)
        self.pass_time(max(0.0, until - self._now) if mailbox.empty() else self._grain)
        self._nap = min(self._longest_nap, max(seconds, 2 * self._nap)) if asleep else 0.0
        if self._now > self._longest:
            raise SimulationTimeoutError(f"nothing ended this campaign in {self._longest / 3600:.0f} hours")
        taken = []
        while not mailbox.empty():
            taken.append(mailbox.get_nowait())
        return taken

    def _step(self) -> bool:
        """Let the next event happen, and return whether it wakes a driver."""
        self._now, _, action, wakes = heapq.heappop(self._events)
        action()
        return wakes
