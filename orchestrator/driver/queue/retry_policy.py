"""When to try an instance again, and when to give up a campaign. No clock, no I/O."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from db.states import AttemptState, InstanceState
from orchestrator.planning.instances.retries import Retries
from orchestrator.wording import count_of

_AHEAD_SECONDS = 0.5  # of work that waits in the engine while the driver writes to the ledger
_MOST_AHEAD = 2000
_DEATHS = 3  # of supervisors with the same words, after which further ones would end alike


@dataclass(slots=True)
class FailureCounts:
    """Failures of an instance since this launch or resume began."""

    benchmark: int = 0
    infrastructure: int = 0

    def add(self, category: str | None) -> None:
        """Count one more failure of a category; ``neutral`` ones are free."""
        if category == "benchmark":
            self.benchmark += 1
        elif category == "infrastructure":
            self.infrastructure += 1


class EndedAttempt(NamedTuple):
    """How an attempt of an instance ended; `category` as of `SessionOutcomes.record_outcome`."""

    instance: int
    state: AttemptState
    category: str | None


def after_attempt(state: AttemptState, failures: FailureCounts, retries: Retries) -> InstanceState:
    """Return the state of an instance after an attempt ended.

    Parameters
    ----------
    failures
        Failures of the instance, this attempt's included.
    """
    if state is AttemptState.SUCCEEDED:
        return InstanceState.DONE
    if failures.benchmark > retries.benchmark or failures.infrastructure > retries.infrastructure:
        return InstanceState.EXHAUSTED
    return InstanceState.PLANNED


def should_abort(ended: int, failed: int, running: int, stop_after: int) -> bool:
    """Return whether a campaign should end early: its first `stop_after` attempts all failed.

    Of thousands that run at once, those that fail end first, which proves nothing while many more run.

    Parameters
    ----------
    ended, failed
        Attempts that ended, and that ended in a failure, since this launch or resume began;
        cancelled ones count in neither.
    running
        Attempts that run now.
    """
    return ended == failed and ended >= max(stop_after, running // 2)


def max_in_flight(slots: int, seconds: float | None = None) -> int:
    """Return how many attempts may be handed to the engine and unfinished at once.

    Enough that no slot waits for the driver, few enough that memory does not grow with the
    campaign and that a drain is short.

    Parameters
    ----------
    seconds
        Expected runtime of the next; None if unknown.
    """
    soon = min(_MOST_AHEAD, int(slots * _AHEAD_SECONDS / max(seconds, 1e-3))) if seconds is not None else 0
    return slots + max(2, slots // 2, soon)


class SessionOutcomes:
    """Counts how attempts ended since a launch or resume began.

    Parameters
    ----------
    stop_after
        How many attempts may fail, and no other end, before the campaign stops.
    ended
        Attempts that have ended already.
    """

    def __init__(self, retries: Retries, stop_after: int, ended: Iterable[EndedAttempt] = ()) -> None:
        self.failed = 0
        self._ended = 0
        self._losses_in_a_row = 0
        self._death: str | None = None
        self._deaths = 0  # in a row with the same words
        self._retries = retries
        self._stop_after = stop_after
        self._failures: dict[int, FailureCounts] = {}
        for one in ended:
            self.record_outcome(*one)

    def record_outcome(
        self, instance: int, state: AttemptState, category: str | None, death: str | None = None
    ) -> InstanceState:
        """Count an attempt that ended, and return the state of its instance.

        Parameters
        ----------
        category
            Who bears a failure: ``benchmark``, ``infrastructure``, or ``neutral`` for nothing at all.
        death
            Message of an attempt whose supervisor failed by itself; None in all other cases.
        """
        if state is AttemptState.SUCCEEDED:
            self._ended += 1
        elif state is not AttemptState.CANCELLED:
            self._ended += 1
            self.failed += 1
        if state is not AttemptState.CANCELLED:
            self._deaths = self._deaths + 1 if death is not None and death == self._death else 1
            self._death = death
        lost = state is not AttemptState.SUCCEEDED and category == "infrastructure"
        self._losses_in_a_row = self._losses_in_a_row + 1 if lost else 0
        failures = self._failures.setdefault(instance, FailureCounts())
        failures.add(category)
        after = after_attempt(state, failures, self._retries)
        if after is not InstanceState.PLANNED:
            del self._failures[instance]
        return after

    def abort_reason(self, running: int, slots: int) -> str | None:
        """Return why going on would only cost node-hours, or None."""
        if self._death is not None and self._deaths >= _DEATHS and self._deaths == self._ended:
            return f"the first {count_of(self._deaths, 'attempt')} all ended so: {self._death}"
        if should_abort(self._ended, self.failed, running, self._stop_after):
            return f"the first {count_of(self._ended, 'attempt')} all failed"
        if self._losses_in_a_row >= max(self._stop_after, 2 * slots):
            return f"the last {count_of(self._losses_in_a_row, 'attempt', 'were')} all lost to the machine"
        return None
