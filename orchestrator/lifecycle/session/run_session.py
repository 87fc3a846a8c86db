"""One driver's session with a campaign, from its lease to its end."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from db.errors import LedgerError
from db.events import EventKind
from db.ledger import Ledger
from db.queries.attempts import longest_seconds
from db.queries.instance_totals import instance_totals
from db.records import CampaignRow
from db.states import RunOutcome
from db.writing.requests import StandingRequests
from orchestrator.catalog.registered_site import registered_site
from orchestrator.driver.driver import Driver
from orchestrator.driver.periodic import PeriodicTask
from orchestrator.driver.progress import ProgressDisplay
from orchestrator.driver.queue.pending import pool_entry
from orchestrator.driver.records.ledger_writer import LEASE_SECONDS, LedgerWriter
from orchestrator.driver.setup import DriverSetup
from orchestrator.driver.stop_requests import StopRequests
from orchestrator.lifecycle.checks.containers import build_documents
from orchestrator.lifecycle.checks.excluded_nodes import with_exclude_list
from orchestrator.lifecycle.session.hooks import SessionHooks
from orchestrator.lifecycle.session.host import Session, SessionHost
from orchestrator.lifecycle.session.registered_order import register_order
from orchestrator.lifecycle.session.registered_questions import (
    answer_watch,
    budget_of,
    node_watch,
    questions_of,
    register_questions,
    reopen_needed,
)
from orchestrator.lifecycle.session.registered_search import suggestion_watch, trial_watch
from orchestrator.planning.plan import Plan
from orchestrator.planning.registered import registered_plan
from orchestrator.version import __version__

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a launch or resume ended.

    Parameters
    ----------
    total, done, exhausted
        Instances planned and not cancelled, with an accepted attempt, and out of retries.
    ledger
        URL without password.
    moved
        True if the session ended with a copy of the ledger, whose file was removed or replaced meanwhile.
    """

    campaign: str
    outcome: RunOutcome
    total: int
    done: int
    exhausted: int
    directory: Path
    ledger: str
    moved: bool = False


def run_session(
    book: Ledger,
    row: CampaignRow,
    planned: Plan,
    kind: str,
    display: ProgressDisplay,
    host: SessionHost,
    *,
    record: Callable[[int], None] | None = None,
    retry_exhausted: bool = False,
    changed_code: Mapping[str, str] | None = None,
    notify: str | None = None,
) -> RunResult:
    """Run one driver with a registered campaign and return how its session ended.

    Parameters
    ----------
    kind
        What the ledger calls the session: ``launch``, ``resume`` or ``simulation``.
    record
        Writes what the session changes of the campaign; gets the session's number.
    changed_code
        For each benchmark that today's code resolves otherwise than it is registered, what differs.
    notify
        Shell command to run at the first failure and at the end; None for none.
    """
    owner, earlier, ledger = host.owner, row.lease_owner, str(book)
    total = instance_totals(book, row.campaign_id).total
    number = book.begin_session(
        row.campaign_id,
        owner,
        LEASE_SECONDS,
        dead=earlier if earlier is not None and host.is_dead(earlier) else None,
        kind=kind,
        host=socket.gethostname(),
        pid=host.pid,
        version=__version__,
        slots=planned.width,
    )
    session, outcome = Session(book, row, planned, number), RunOutcome.ABORTED
    hooks = SessionHooks(session, total, notify, simulated=kind == "simulation")
    with host.logged(session):
        try:
            with ExitStack() as taking_signals:
                try:
                    host.recover(session)
                    if record is not None:
                        record(number)
                    standing = book.begin_requests(row.campaign_id, number)
                    _note_changed_code(session, changed_code or {})
                    if retry_exhausted:
                        book.reopen_exhausted(row.campaign_id)
                    with host.running(session) as (stops, tasks):
                        taking_signals.enter_context(stops)  # until the session has ended in the ledger
                        driver = _driver(session, host, display, stops, tasks, standing, hooks)
                        outcome = driver.run(book.pending(row.campaign_id))
                        stops.session_ends()
                        host.driver_ended(session, outcome)
                finally:
                    if outcome not in (RunOutcome.TAKEN_OVER, RunOutcome.LEDGER_FAILED):
                        book.end_session(row.campaign_id, number, owner, outcome)
        finally:
            hooks.ended(outcome, _counts(session, outcome))
        host.session_ended(session, outcome)
    result = _result(session, outcome, driver)
    return replace(result, moved=result.ledger != ledger)


def _note_changed_code(session: Session, differences: Mapping[str, str]) -> None:
    campaign, subject = session.row.campaign_id, f"session {session.number}"
    for benchmark, what in differences.items():
        message = (
            f"benchmark {benchmark} goes on as registered, under code that resolves it otherwise: {what}"
        )
        data = {"benchmark": benchmark, "differences": what}
        session.book.note(campaign, EventKind.CODE_CHANGED, message, subject=subject, data=data)
        _log.warning("%s", message)


def _driver(
    session: Session,
    host: SessionHost,
    display: ProgressDisplay,
    stops: StopRequests,
    tasks: Sequence[PeriodicTask],
    standing: StandingRequests,
    hooks: SessionHooks,
) -> Driver:
    book, row = session.book, session.row
    design = register_order(book, row.campaign_id, session.plan)
    questions = questions_of(session.plan, design)
    register_questions(book, row.campaign_id, session.plan, questions)
    watch, now_us = answer_watch(book, row.campaign_id, questions), host.clock.now_us()
    budget = budget_of(book, row.campaign_id, session.plan, now_us)
    nodes = node_watch(book, row.campaign_id, session.plan)
    reopen_needed(book, row.campaign_id, watch or nodes, budget, now_us)
    trials = trial_watch(book, row.campaign_id, session.plan, budget, now_us)
    return Driver(
        DriverSetup(
            plan=_with_present_pools(session),
            row=row,
            session=session.number,
            writer=LedgerWriter(
                book, row.campaign_id, session.number, host.owner, host.clock.seconds, standing.last
            ),
            make_engine=lambda stage, first_block: host.make_engine(session, stage, first_block),
            stops=stops,
            display=display,
            replan=lambda: _replanned(session),
            totals=instance_totals(book, row.campaign_id),
            paused=standing.paused | set(map(pool_entry, standing.paused_pools)),
            longest_seconds=longest_seconds(book, row.campaign_id),
            design=design,
            answers=watch,
            nodes=nodes,
            trials=trials,
            suggestions=suggestion_watch(book, row.campaign_id, session.plan, trials),
            budget=budget,
            tasks=tasks,
            observers=(hooks,),
            clock=host.clock,
        )
    )


def _with_present_pools(session: Session) -> Plan:
    """Return the session's plan, made anew where a user changed the pools since it was made."""
    row, planned = session.book.campaign(session.row.name), session.plan
    fixed = planned.whole_blocks or not row.site_yaml  # a simulated campaign has no site file
    if not fixed and registered_site(row).pooled() != planned.site.pooled():
        return _replanned(session)
    return with_exclude_list(session.book, row, planned, session.number)


def _replanned(session: Session) -> Plan:
    """Return the plan of a campaign by the pools that the ledger has now."""
    book, row = session.book, session.book.campaign(session.row.name)
    planned = registered_plan(row, book.benchmarks(row.campaign_id))
    book.store_documents(row.campaign_id, build_documents(planned))
    return with_exclude_list(book, row, planned, session.number)


def _counts(session: Session, outcome: RunOutcome) -> dict[str, int] | None:
    if outcome is RunOutcome.LEDGER_FAILED:
        return None
    try:
        return session.book.instance_counts(session.row.campaign_id)
    except LedgerError:
        return None


def _result(session: Session, outcome: RunOutcome, driver: Driver) -> RunResult:
    if outcome is RunOutcome.LEDGER_FAILED:  # what the driver knows; the journals have it too
        total, done, exhausted = driver.snapshot.total, driver.snapshot.done, driver.snapshot.exhausted
    else:
        found = instance_totals(session.book, session.row.campaign_id)
        total, done, exhausted = found.total, found.done, found.exhausted
    return RunResult(
        campaign=session.row.name,
        outcome=outcome,
        total=total,
        done=done,
        exhausted=exhausted,
        directory=Path(session.row.run_directory),
        ledger=str(session.book),
    )
