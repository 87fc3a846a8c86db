"""Attempts of which no report came for too long, found without a look at all that are in flight."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from orchestrator.driver.in_flight import InFlightAttempt


class OverdueAttempts:
    """Keeps attempts in the order in which they become overdue, so that a look ends at the first that is not.

    Workers take the orders of a queue in turn, and all attempts of a benchmark may run equally long.

    Parameters
    ----------
    timeouts
        Seconds that an attempt of each benchmark may run.
    longest
        Seconds after which its supervisor has failed, from `supervisor_timeout`.
    """

    def __init__(self, timeouts: Mapping[str, float], longest: Mapping[str, float]) -> None:
        self._timeouts = timeouts
        self._longest = longest
        self._waiting: dict[Hashable, dict[str, InFlightAttempt]] = {}
        self._running: dict[str, dict[str, InFlightAttempt]] = {name: {} for name in timeouts}
        self._last_started: dict[Hashable, int] = {}

    def handed_over(self, attempt: InFlightAttempt, queue: Hashable) -> None:
        """Take an attempt that the engine got after all earlier ones of its queue."""
        self._waiting.setdefault(queue, {})[attempt.token] = attempt

    def started(self, attempt: InFlightAttempt, queue: Hashable) -> None:
        """Take the first report of an attempt that runs."""
        self._waiting.get(queue, {}).pop(attempt.token, None)
        self._running[attempt.pending.benchmark][attempt.token] = attempt
        self._last_started[queue] = max(attempt.place, self._last_started.get(queue, 0))

    def ended(self, attempt: InFlightAttempt, queue: Hashable) -> None:
        """Forget an attempt."""
        self._waiting.get(queue, {}).pop(attempt.token, None)
        self._running[attempt.pending.benchmark].pop(attempt.token, None)

    def find(self, now: float, start_seconds: float) -> list[tuple[InFlightAttempt, str]]:
        """Return the attempts that are overdue, each with what is wrong.

        Parameters
        ----------
        now
            Seconds by the driver's clock.
        start_seconds
            In which an attempt starts once one that was handed over later runs.
        """
        found = []
        for queue, waiting in self._waiting.items():
            for attempt in waiting.values():
                if attempt.place >= self._last_started.get(queue, 0):
                    break
                if attempt.overtaken_at is None:
                    attempt.overtaken_at = now
                if problem := self._problem(attempt, now, start_seconds):
                    found.append((attempt, problem))
        for running in self._running.values():
            for attempt in running.values():
                if (problem := self._problem(attempt, now, start_seconds)) is None:
                    break
                found.append((attempt, problem))
        return found

    def _problem(self, attempt: InFlightAttempt, now: float, start_seconds: float) -> str | None:
        name = attempt.pending.benchmark
        return attempt.overdue(now, self._timeouts[name], self._longest[name], start_seconds)
