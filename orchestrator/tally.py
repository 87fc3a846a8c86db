"""What a session's attempts came to, and whether it is worth going on."""

from __future__ import annotations

from db.states import AttemptState, InstanceState
from orchestrator import policy
from orchestrator.planning.campaign_file import Retries


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
        self._tries: dict[int, policy.Tries] = {}

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
        tries = self._tries.setdefault(instance, policy.Tries())
        tries.charge(category)
        becomes = policy.after_attempt(state, tries, self._retries)
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
        if policy.hopeless(self._ended, self.failed, running, self._stop_after):
            return f"the first {self._ended} attempts all failed"
        if self._losses_in_a_row >= max(self._stop_after, 2 * slots):
            return f"the last {self._losses_in_a_row} attempts were all lost to the machine"
        return None
