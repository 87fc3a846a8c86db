"""The states of attempts and instances, which of them are final, and how sessions end."""

from __future__ import annotations

from enum import StrEnum

RENAMED = "campaign_renamed"
"""Kind of the event that keeps a campaign's former name, as its subject."""
CANCELLED_BY_USER = "cancelled by user"
"""Failure reason of attempts that a user cancelled."""


class AttemptState(StrEnum):
    """One try at an instance. A final state never changes."""

    SUBMITTED = "submitted"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    LOST = "lost"
    CANCELLED = "cancelled"

    @property
    def final(self) -> bool:
        """True if no other state can follow."""
        return not _FOLLOWERS[self]

    def may_become(self, other: AttemptState) -> bool:
        """Tell whether `other` is a valid next state."""
        return other in _FOLLOWERS[self]


_ENDS = frozenset(
    {
        AttemptState.SUCCEEDED,
        AttemptState.FAILED,
        AttemptState.TIMED_OUT,
        AttemptState.LOST,
        AttemptState.CANCELLED,
    }
)
# A report of the end may overtake the report of the start, so "submitted" may end directly.
_FOLLOWERS: dict[AttemptState, frozenset[AttemptState]] = {
    AttemptState.SUBMITTED: frozenset({AttemptState.RUNNING}) | _ENDS,
    AttemptState.RUNNING: _ENDS,
    **{end: frozenset() for end in _ENDS},
}

OPEN_STATES = tuple(state.value for state in AttemptState if not state.final)
FINAL_STATES = tuple(state.value for state in AttemptState if state.final)


class InstanceState(StrEnum):
    """One planned run.

    ``done`` has an accepted attempt, ``exhausted`` has used up its retries, ``cancelled`` was taken back by a
    user before it was done, ``not_needed`` never ran, as the campaign's questions had their answers, and
    ``pruned`` neither, as its trial of a search was not among the best. Only ``done`` is final.
    """

    PLANNED = "planned"
    IN_FLIGHT = "in_flight"
    DONE = "done"
    EXHAUSTED = "exhausted"
    CANCELLED = "cancelled"
    NOT_NEEDED = "not_needed"
    PRUNED = "pruned"


class Action(StrEnum):
    """Action of a user's request."""

    CANCEL = "cancel"
    RETRY = "retry"
    PAUSE = "pause"
    UNPAUSE = "unpause"
    CHANGE = "change"
    EXCLUDE = "exclude"
    INCLUDE = "include"
    ADD = "add"
    REMOVE = "remove"


class RunOutcome(StrEnum):
    """How a session of a campaign ended; all but `COMPLETE` leave a campaign that can be resumed."""

    COMPLETE = "complete"
    """Every instance has an accepted attempt, but for those that were cancelled, pruned or not needed."""
    EXHAUSTED = "exhausted"
    """Every instance ended, some of them out of retries."""
    DRAINED = "drained"
    """A stop was requested, or benchmarks are paused, and what ran has finished."""
    CANCELLED = "cancelled"
    """A stop was requested, and what ran was ended."""
    HOPELESS = "aborted_after_failures"
    """Only failures came, and going on would only have cost node-hours."""
    ENGINE_FAILED = "engine_failed"
    """The engine could not be restarted."""
    LEDGER_FAILED = "ledger_failed"
    """The ledger could not be written for too long; the journals have what it lacks."""
    TAKEN_OVER = "lease_lost"
    """Another driver runs the campaign now."""
    ABORTED = "aborted"
    """An error ended the driver."""
    DRIVER_DIED = "driver_died"
    """The driver ended without a word; the next session closed its session for it."""


UNSEEN_END = "no driver saw its end: it is put at the block's last sign of life"
"""Message of a block that ended while no driver lived to see it; as it is stored, it never changes."""
