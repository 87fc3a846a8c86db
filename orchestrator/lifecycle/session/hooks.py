"""Commands of the user at the end of a session, and at its first failed attempt."""

from __future__ import annotations

import contextlib
import logging
import threading
from dataclasses import asdict
from typing import Any

from db.errors import LedgerError
from db.events import EventKind
from db.queries.instance_totals import instance_totals
from db.states import AttemptState, InstanceState, RunOutcome
from orchestrator.driver.observers.observer import DriverObserver
from orchestrator.driver.queue.in_flight import InFlightAttempt
from orchestrator.host.shell_hook import HookOutcome, run_hook
from orchestrator.lifecycle.session.host import Session
from orchestrator.protocol.report import AttemptReport

_log = logging.getLogger(__name__)
_FAILED = (AttemptState.FAILED, AttemptState.TIMED_OUT, AttemptState.LOST)
_UNWRITABLE = (RunOutcome.TAKEN_OVER, RunOutcome.LEDGER_FAILED)


class SessionHooks(DriverObserver):
    """Runs what the user gave with ``--notify``, and the site's ``campaign_end``.

    Parameters
    ----------
    notify
        Shell command that is run at the first failed attempt, and at the end of the session; None for none.
    simulated
        Whether nothing really runs, the site's commands neither.
    """

    def __init__(self, session: Session, total: int, notify: str | None, *, simulated: bool = False) -> None:
        self._session = session
        self._notify = notify
        self._at_end = [] if simulated else session.plan.site.campaign_end
        self._timeout = session.plan.site.hook_timeout
        self._total = total
        self._ran: list[tuple[str, HookOutcome]] = []
        self._first: threading.Thread | None = None

    def attempt_ended(self, attempt: InFlightAttempt, report: AttemptReport, instance: InstanceState) -> None:
        """Notify of the first failure, beside the driver's own work."""
        if self._notify is None or self._first is not None or report.state not in _FAILED:
            return
        facts = {
            "instance": attempt.label,
            "attempt": attempt.number,
            "state": report.state.value,
            "instance_state": instance.value,
            "reason": report.failure_reason,
            "message": report.failure_message,
            "node": attempt.node,
        }
        arguments = ("notify", self._notify, {**self._facts("first_failure"), **facts})
        self._first = threading.Thread(target=self._run, args=arguments, daemon=True)
        self._first.start()

    def ended(self, outcome: RunOutcome, counts: dict[str, int] | None) -> None:
        """Run the commands of a session's end, and note in the ledger how all commands ended.

        Parameters
        ----------
        counts
            Instances by state; None where the ledger cannot be asked.
        """
        event = "hopeless" if outcome is RunOutcome.HOPELESS else "ended"
        if counts is not None:
            with contextlib.suppress(LedgerError):  # the one of the session's begin stays
                self._total = instance_totals(self._session.book, self._session.row.campaign_id).total
        facts = {**self._facts(event), "outcome": outcome.value, "instances": counts}
        if self._at_end and outcome in (RunOutcome.COMPLETE, RunOutcome.EXHAUSTED):
            self._run("campaign_end", "\n".join(["set -e", *self._at_end]), facts)
        if self._notify is not None:
            self._run("notify", self._notify, facts)
        if self._first is not None:
            self._first.join(self._timeout)
        if outcome not in _UNWRITABLE:
            self._note()

    def _facts(self, event: str) -> dict[str, Any]:
        session = self._session
        return {
            "event": event,
            "campaign": session.row.name,
            "session": session.number,
            "total": self._total,
            "directory": session.row.run_directory,
            "ledger": str(session.book),
        }

    def _run(self, name: str, command: str, facts: dict[str, Any]) -> None:
        outcome = run_hook(command, facts, self._timeout)
        if outcome.problem:
            _log.warning("%s: %s", name, _words(outcome))
        self._ran.append((name, outcome))

    def _note(self) -> None:
        try:
            for name, outcome in self._ran:
                kind = EventKind.HOOK_FAILED if outcome.problem else EventKind.HOOK_RAN
                message = f"{name}: {_words(outcome)}"
                campaign = self._session.row.campaign_id
                self._session.book.note(campaign, kind, message, subject=name, data=asdict(outcome))
        except LedgerError as error:
            _log.warning("what became of the user's commands is not in the ledger: %s", error)


def _words(outcome: HookOutcome) -> str:
    text = outcome.problem or f"it ended after {outcome.seconds:.1f} s"
    return f"{text}; it printed: {outcome.output}" if outcome.output else text
