"""The words for states and outcomes, which the ledger keeps as slugs."""

from __future__ import annotations

from db.states import InstanceState, RunOutcome

_WORDS: dict[str, str] = {
    RunOutcome.EXHAUSTED: "some instances exhausted",
    RunOutcome.HOPELESS: "stopped after too many failures",
    RunOutcome.ENGINE_FAILED: "engine failed",
    RunOutcome.LEDGER_FAILED: "ledger failed",
    RunOutcome.TAKEN_OVER: "taken over by another driver",
    RunOutcome.ABORTED: "aborted by an error",
    RunOutcome.DRIVER_DIED: "its driver died",
}


def outcome_words(outcome: str) -> str:
    """Return the words for a campaign's outcome; an outcome without words of its own is one already."""
    return _WORDS.get(outcome, outcome)


def session_words(outcome: str | None) -> str | None:
    """Return the words for a session's outcome; None while it runs."""
    return "died" if outcome == RunOutcome.DRIVER_DIED else outcome and outcome_words(outcome)


def state_words(state: str) -> str:
    """Return the words for a state of an instance or an attempt."""
    return "out of retries" if state == InstanceState.EXHAUSTED else state.replace("_", " ")
