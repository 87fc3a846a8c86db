"""The words for the outcomes of campaigns and sessions, which the ledger keeps as slugs."""

from __future__ import annotations

_WORDS = {
    "exhausted": "some instances exhausted",
    "aborted_after_failures": "stopped after too many failures",
    "engine_failed": "engine failed",
    "ledger_failed": "ledger failed",
    "lease_lost": "taken over by another driver",
    "aborted": "aborted by an error",
    "driver_died": "its driver died",
}


def outcome_words(outcome: str) -> str:
    """Return the words for a campaign's outcome; an outcome without words of its own is one already."""
    return _WORDS.get(outcome, outcome)


def session_words(outcome: str | None) -> str | None:
    """Return the words for a session's outcome; None while it runs."""
    return "died" if outcome == "driver_died" else outcome and outcome_words(outcome)
