"""The states of attempts and instances, their order, and which of them are final."""

from __future__ import annotations

from enum import StrEnum


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
        """Whether no other state can follow."""
        return not _FOLLOWERS[self]

    def may_become(self, other: AttemptState) -> bool:
        """Whether `other` is a valid next state."""
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

    ``done`` has an accepted attempt, ``exhausted`` has used up its retries, and ``cancelled`` was taken back
    by a user before it was done. Only ``done`` is final.
    """

    PLANNED = "planned"
    IN_FLIGHT = "in_flight"
    DONE = "done"
    EXHAUSTED = "exhausted"
    CANCELLED = "cancelled"
