"""When to try again and when to give up. Pure: no clock, no I/O."""

from __future__ import annotations

from dataclasses import dataclass

from db.states import AttemptState, InstanceState
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
