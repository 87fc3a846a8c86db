"""Exit codes of the command line."""

from __future__ import annotations

from db.states import RunOutcome

EXIT_CODES = {
    RunOutcome.COMPLETE: 0,
    RunOutcome.EXHAUSTED: 3,
    RunOutcome.DRAINED: 4,
    RunOutcome.CANCELLED: 4,
    RunOutcome.HOPELESS: 4,
    RunOutcome.TAKEN_OVER: 4,
    RunOutcome.ENGINE_FAILED: 1,
    RunOutcome.LEDGER_FAILED: 1,
    RunOutcome.ABORTED: 1,
    RunOutcome.DRIVER_DIED: 1,
}
SLOWER = REFUSED = UNMET = 5
ANSWERS = {
    "analyze compare --fail-if-slower": (SLOWER, "it found a slower campaign"),
    "node screen": (SLOWER, "it names nodes"),
    "plan --ask": (REFUSED, "the batch system would refuse a block"),
    "fom": (UNMET, "a benchmark does not meet its recipe"),
}
"""Exit code of commands whose answer is no, and when they give it."""


def exit_code_of(outcome: str | None) -> int:
    """Return the exit code of a campaign's outcome in the ledger; 1 where its driver died, or none ran it."""
    return EXIT_CODES[RunOutcome(outcome)] if outcome in set(RunOutcome) else 1
