"""Adopt what an earlier driver's attempts reported, and mark those without a report as lost."""

from __future__ import annotations

import json
import logging
import re
import shutil
from collections.abc import Iterable, Set
from pathlib import Path

from db.column_values import now_us, to_column_value
from db.events import Event, EventKind
from db.ledger import Ledger
from db.queries.attempts import succeeded, written_off
from db.records import CampaignRow, LedgerReport
from db.states import AttemptState, InstanceState, RunOutcome
from orchestrator.driver.records.attempt_records import lost, to_ledger
from orchestrator.driver.records.journal_heads import head_events
from orchestrator.errors import CampaignError
from orchestrator.host.processes import CAMPAIGN_MARK, terminate, with_mark
from orchestrator.lifecycle.recovery.campaign_jobs import campaign_jobs, campaign_systems
from orchestrator.lifecycle.recovery.unseen_ends import unseen_ends
from orchestrator.planning.plan import Plan
from orchestrator.rundir.chain_check import check_chain
from orchestrator.rundir.journal import describe_damage
from orchestrator.rundir.layout import RunDirectory
from orchestrator.rundir.packed_reader import journals, lines
from orchestrator.schedulers.model import SchedulerError
from orchestrator.wording import count_of
from sites import Site

_log = logging.getLogger(__name__)
_BATCH = 5_000
_KEPT = (EventKind.LATE_REPORT, EventKind.JOURNAL_DAMAGED)
_TOKEN = re.compile(r'"token": ("(?:[^"\\]|\\.)*")')


def adopt(book: Ledger, row: CampaignRow) -> None:
    """Record what stands in the journals and not in the ledger; the other open attempts are lost.

    Nothing of the campaign may run any more.
    """
    _record_heads(book, row)
    states = book.attempt_states(row.campaign_id)
    without_report = written_off(book, row.campaign_id)
    reports: list[LedgerReport] = []
    evidence = list(book.events(row.campaign_id, kinds=_KEPT))
    noted = {str(one.message) for one in evidence}
    kept = _kept(evidence)
    journalled: set[str] = set()
    for file, line, report in lines(RunDirectory(Path(row.run_directory)).journals):
        if report is None:
            text = f"damaged journal line in {describe_damage(file, line.rstrip())}"
            if line.endswith(b"\n") and to_column_value(text) not in noted:
                book.note(row.campaign_id, EventKind.JOURNAL_DAMAGED, text)
                _log.warning("%s", text)
            continue
        known = states.get(report.token)
        state = report.state
        if state is AttemptState.SUCCEEDED:
            journalled.add(report.token)
        # The same state in a report of its own says more than the driver's word did.
        own = report.token in without_report and report.process_stop_us is not None
        wanted = known is None or (state.final and (known is not state or own))
        counts = known is not None and not known.final
        if wanted and (counts or (report.token, state.value) not in kept):
            becomes = InstanceState.DONE if state is AttemptState.SUCCEEDED else InstanceState.PLANNED
            reports.append(to_ledger(report, now_us(), becomes))
            states[report.token] = state
    _note_without_journal(book, row, journalled)
    late = _record(book, row.campaign_id, reports)
    adopted = sum(report.state is AttemptState.SUCCEEDED for report in reports) - sum(
        report.state is AttemptState.SUCCEEDED for report in late
    )
    if adopted:
        message = f"adopted {count_of(adopted, 'result')} from the journals"
        book.note(row.campaign_id, EventKind.RESULTS_ADOPTED, message)
        _log.info("%s", message)
    abandoned = [
        to_ledger(
            lost(one.token, now_us(), "driver died", "the driver died and no report was found"),
            now_us(),
            InstanceState.PLANNED,
        )
        for one in book.open_attempts(row.campaign_id)
    ]
    _record(book, row.campaign_id, abandoned)
    if abandoned:
        message = f"{count_of(len(abandoned), 'attempt', 'were')} lost and will be run again"
        book.note(row.campaign_id, EventKind.ATTEMPTS_LOST, message)
        _log.warning("%s", message)


def _note_without_journal(book: Ledger, row: CampaignRow, journalled: Set[str]) -> None:
    """Say of sessions whose driver died which of their accepted results stand in no journal.

    A driver that lives writes them itself once there is room.
    """
    kinds = (EventKind.RESULTS_NOT_JOURNALLED,)
    named = {event.subject for event in book.events(row.campaign_id, kinds=kinds)}
    for session in book.sessions_of(row.campaign_id):
        subject = f"session {session.session_number}"
        if session.outcome != RunOutcome.DRIVER_DIED or subject in named:
            continue
        number = len(succeeded(book, row.campaign_id, session.session_number) - journalled)
        if number:
            message = (
                f"{count_of(number, 'accepted result', 'stand')} in no journal of {subject}, whose driver "
                "died before it could write them: nothing but the ledger has them"
            )
            book.note(row.campaign_id, EventKind.RESULTS_NOT_JOURNALLED, message, subject=subject)
            _log.error("%s", message)


def _record_heads(book: Ledger, row: CampaignRow) -> None:
    """Record the heads of the journals of sessions whose drivers died before they did."""
    noted = book.events(row.campaign_id, kinds=(EventKind.JOURNAL_HEADS,))
    known = {event.data["session"] for event in noted if event.data and event.data["final"]}
    directory = RunDirectory(Path(row.run_directory)).journals
    for session in book.sessions_of(row.campaign_id):
        number = session.session_number
        if number in known or session.ended_us is None:  # the present one has just begun
            continue
        heads = {
            path.partition("/")[2]: check_chain(pieces).head
            for path, pieces in journals(directory, str(number))
        }
        for message, data in head_events(number, heads, final=True):
            subject = f"session {number}"
            book.note(row.campaign_id, EventKind.JOURNAL_HEADS, message, subject=subject, data=data)


def _record(book: Ledger, campaign_id: int, reports: list[LedgerReport]) -> list[LedgerReport]:
    """Record reports some at a time: what is in already need not be recorded again should one fail."""
    late = []
    for start in range(0, len(reports), _BATCH):
        late += book.record(campaign_id, reports[start : start + _BATCH])
    return late


def _kept(evidence: Iterable[Event]) -> set[tuple[str, str]]:
    """Return token and state of the reports that are kept as evidence already."""
    found = ((_TOKEN.search(str(one.message)), one.to_state) for one in evidence if one.to_state)
    return {(json.loads(match[1]), state) for match, state in found if match}


def clean_up(book: Ledger, row: CampaignRow, planned: Plan, earlier_site: Site | None = None) -> None:
    """End what an earlier driver left behind, on its own site, then adopt what its attempts reported.

    Raises
    ------
    CampaignError
        If the batch system does not say what runs.
    """
    alive = set(_cancel_blocks(book, row, earlier_site or planned.site))
    orphans = with_mark(CAMPAIGN_MARK, row.uid)
    alive |= {str(one.pid) for one in orphans}
    if orphans:
        count = terminate(orphans, planned.campaign.grace_period + 5)
        book.note(
            row.campaign_id,
            EventKind.LEFTOVERS_ENDED,
            f"ended {count_of(count, 'process')} of an earlier driver",
        )
        _log.info("ended %d processes that an earlier driver left behind", count)
    adopt(book, row)
    book.end_blocks(row.campaign_id, unseen_ends(book, row, alive))
    for file in RunDirectory(Path(row.run_directory)).clock_files().values():
        file.unlink(missing_ok=True)  # nothing of these sessions runs any more
    shutil.rmtree(RunDirectory(Path(row.run_directory)).cancel_files, ignore_errors=True)


def _cancel_blocks(book: Ledger, row: CampaignRow, site: Site) -> list[str]:
    """Cancel the scheduler jobs of an earlier driver, those included that it did not live to note.

    Returns
    -------
    list
        Their ids.
    """
    left: list[str] = []
    jobs, problems = campaign_jobs(campaign_systems(book, row, site), row)
    for system, job in jobs:
        try:
            system.cancel([job])
            left.append(job)
        except SchedulerError as error:  # the others are to end all the same
            problems.append(str(error))
    if left:
        book.note(
            row.campaign_id,
            EventKind.LEFTOVERS_ENDED,
            f"cancelled blocks {', '.join(left)} of an earlier driver",
        )
        _log.info("cancelled %d blocks that an earlier driver left behind: %s", len(left), ", ".join(left))
    if problems:
        raise CampaignError(
            f"blocks of an earlier driver may still run, and cannot be ended: {'; '.join(problems)}; resume "
            "again when the batch system answers"
        )
    return left
