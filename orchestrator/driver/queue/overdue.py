"""Find overdue attempts without scanning all attempts in flight."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable

from db.records import Pending
from orchestrator.driver.queue.in_flight import START_SECONDS, InFlightAttempt
from orchestrator.driver.queue.time_limits import TimeLimit


class OverdueAttempts:
    """Keeps attempts in the order in which they become overdue, so that a look ends at the first that is not.

    Workers take the orders of a queue in turn, and attempts of a benchmark may run equally long if their
    instances have had equally many timeouts.

    Parameters
    ----------
    limit_of
        Returns the time limits of an instance's attempt.
    """

    def __init__(self, limit_of: Callable[[Pending], TimeLimit]) -> None:
        self._limit_of = limit_of
        self._waiting: dict[Hashable, dict[str, InFlightAttempt]] = {}
        self._running: dict[tuple[str, int], dict[str, InFlightAttempt]] = {}
        self._last_started: dict[Hashable, int] = {}
        self._stalled = 0
        self._found_early: deque[str] = deque()

    def handed_over(self, attempt: InFlightAttempt, queue: Hashable) -> None:
        """Take an attempt that the engine got after all earlier ones of its queue."""
        self._waiting.setdefault(queue, {})[attempt.token] = attempt

    def started(self, attempt: InFlightAttempt, queue: Hashable) -> None:
        """Take the first report of an attempt that runs."""
        self._waiting.get(queue, {}).pop(attempt.token, None)
        self._running.setdefault(_kind(attempt), {})[attempt.token] = attempt
        self._last_started[queue] = max(attempt.place, self._last_started.get(queue, 0))

    def ended(self, attempt: InFlightAttempt, queue: Hashable) -> None:
        """Forget an attempt."""
        self._waiting.get(queue, {}).pop(attempt.token, None)
        self._running.get(_kind(attempt), {}).pop(attempt.token, None)

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
        limit = self._limit_of(attempt.pending)
        return attempt.overdue(now, limit.timeout_seconds, limit.longest_seconds, start_seconds)


def _kind(attempt: InFlightAttempt) -> tuple[str, int]:
    """Return what attempts that may run equally long have in common."""
    return attempt.pending.benchmark, attempt.pending.timeouts
