"""When to try again and when to give up. Pure: no clock, no I/O."""

from __future__ import annotations

from dataclasses import dataclass

from db.states import AttemptState, InstanceState
from orchestrator.driver import retry_policy
from orchestrator.planning.campaign_file import Retries


@dataclass(slots=True)
class Tries:
    """What an instance's attempts cost since this launch or resume began."""

    benchmark_failures: int = 0
    infrastructure_failures: int = 0

    def charge(self, category: str | None) -> None:
        """Count one more failure of a category; ``neutral`` ones are free."""
        if category == "benchmark":
            self.benchmark_failures += 1
        elif category == "infrastructure":
            self.infrastructure_failures += 1


def after_attempt(state: AttemptState, tries: Tries, retries: Retries) -> InstanceState:
    """Return what becomes of an instance after an attempt ended.

    Parameters
    ----------
    state
        Final state of the attempt.
    tries
        Failures of the instance, this attempt's included.
    retries
        The campaign's limits.
    """
    if state is AttemptState.SUCCEEDED:
        return InstanceState.DONE
    if tries.benchmark_failures > retries.benchmark or tries.infrastructure_failures > retries.infrastructure:
        return InstanceState.EXHAUSTED
    return InstanceState.PLANNED


def hopeless(ended: int, failed: int, running: int, stop_after: int) -> bool:
    """Tell whether a campaign should end early: its first `stop_after` attempts ended and all failed.

    Of thousands that run at once, those that fail end first: they prove nothing while many more run on.

    Parameters
    ----------
    ended, failed
        Attempts that ended, and that ended in a failure, since this launch or resume began;
        cancelled ones count in neither.
    running
        Attempts that run now.
    """
    return ended == failed and ended >= max(stop_after, running // 2)


def window(slots: int) -> int:
    """Return how many attempts may be handed to the engine and unfinished at once.

    Enough that no slot waits for the driver, few enough that memory does not grow with the
    campaign and that a drain is short.
    """
    return slots + max(2, slots // 2)


class Tally:
    """Counts how attempts ended since a launch or resume began.

    Parameters
    ----------
    retries
        The campaign's limits.
    stop_after
        How many attempts may fail, and no other end, before the campaign stops.
    """

    def __init__(self, retries: Retries, stop_after: int) -> None:
        self.failed = 0
        self._ended = 0
        self._losses_in_a_row = 0
        self._retries = retries
        self._stop_after = stop_after
        self._tries: dict[int, retry_policy.Tries] = {}

    def take(self, instance: int, state: AttemptState, category: str | None) -> InstanceState:
        """Count an attempt that ended, and return what becomes of its instance.

        Parameters
        ----------
        category
            Who bears a failure: ``benchmark``, ``infrastructure``, or ``neutral`` for nobody.
        """
        if state is AttemptState.SUCCEEDED:
            self._ended += 1
        elif state is not AttemptState.CANCELLED:
            self._ended += 1
            self.failed += 1
        lost = state is not AttemptState.SUCCEEDED and category == "infrastructure"
        self._losses_in_a_row = self._losses_in_a_row + 1 if lost else 0
        tries = self._tries.setdefault(instance, retry_policy.Tries())
        tries.charge(category)
        becomes = retry_policy.after_attempt(state, tries, self._retries)
        if becomes is not InstanceState.PLANNED:
            del self._tries[instance]
        return becomes

    def hopeless(self, running: int, slots: int) -> str | None:
        """Return why going on would only burn node-hours, or None.

        Parameters
        ----------
        running, slots
            Attempts that run now, and slots that the campaign has.
        """
        if retry_policy.hopeless(self._ended, self.failed, running, self._stop_after):
            return f"the first {self._ended} attempts all failed"
        if self._losses_in_a_row >= max(self._stop_after, 2 * slots):
            return f"the last {self._losses_in_a_row} attempts were all lost to the machine"
        return None
