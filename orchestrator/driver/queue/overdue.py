"""Find overdue attempts without scanning all attempts in flight."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Mapping

from orchestrator.driver.queue.in_flight import START_SECONDS, InFlightAttempt


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
        self._stalled = 0
        self._found_early: deque[str] = deque()

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

    def find(
        self, now: float, start_seconds: float = START_SECONDS, stalled: int = 0
    ) -> list[tuple[InFlightAttempt, str]]:
        """Return the attempts that are overdue, each with what is wrong.

        Parameters
        ----------
        now
            Seconds by the driver's clock.
        start_seconds
            Seconds that an overtaken order may wait where a stalled pool may hold it; others wait
            `START_SECONDS`.
        stalled
            Orders that stalled pools hold. No more attempts than these are found before `START_SECONDS`,
            the longest waiting first.
        """
        found = []
        for _ in range(min(self._stalled - stalled, len(self._found_early))):  # those of pools that are gone
            self._found_early.popleft()
        self._stalled = stalled
        for queue, waiting in self._waiting.items():
            for attempt in waiting.values():
                if attempt.place >= self._last_started.get(queue, 0):
                    break
                if attempt.overtaken_at is None:
                    attempt.overtaken_at = now
                early = attempt.token in self._found_early or len(self._found_early) < stalled
                limit = start_seconds if early else START_SECONDS
                if (problem := self._problem(attempt, now, limit)) is None:
                    continue
                found.append((attempt, problem))
                if attempt.token not in self._found_early and len(self._found_early) < stalled:
                    self._found_early.append(attempt.token)
        for running in self._running.values():
            for attempt in running.values():
                if (problem := self._problem(attempt, now, START_SECONDS)) is None:
                    break
                found.append((attempt, problem))
        return found

    def _problem(self, attempt: InFlightAttempt, now: float, start_seconds: float) -> str | None:
        name = attempt.pending.benchmark
        return attempt.overdue(now, self._timeouts[name], self._longest[name], start_seconds)
