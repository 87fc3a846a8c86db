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
SLOWER = 5
"""`analyze compare --fail-if-slower` found a slower campaign, or `node screen` names nodes."""
REFUSED = 5
"""`plan --ask`: the batch system would refuse a block."""
UNMET = 5
"""`fom` found a benchmark that does not meet its recipe."""


def exit_code_of(outcome: str | None) -> int:
    """Return the exit code of a campaign's outcome in the ledger; 1 where its driver died, or none ran it."""
    return EXIT_CODES[RunOutcome(outcome)] if outcome in set(RunOutcome) else 1
