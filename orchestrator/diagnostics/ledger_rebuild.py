"""Makes the lost ledger of a campaign again, from its run directory alone."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from db.column_values import now_us
from db.errors import UnknownCampaignError
from db.events import EventKind
from db.ledger import Ledger
from db.reader import Reader
from db.records import NewAttempt
from db.states import OPEN_STATES, AttemptState, InstanceState
from db.transfer.importer import ImportResult, import_campaigns
from db.transfer.rebuilt import CAMPAIGN, RebuiltLedger
from db.transfer.saved_rows import SavedRows, read_saved
from db.transfer.snapshot import Snapshot
from db.transfer.source import Progress
from orchestrator.analysis.search.suggested import unchosen_trials
from orchestrator.diagnostics.ledger_verification import chain_of, changed_rows
from orchestrator.driver.records.attempt_records import lost, to_ledger
from orchestrator.driver.records.ledger_writer import LEASE_SECONDS
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.driver_process.identity import display_name, is_dead
from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir.layout import RunDirectory
from orchestrator.rundir.packed_reader import lines
from orchestrator.wording import count_of


class _Later(NamedTuple):
    """A report that came after the last save: its session, its slot shape, and the report."""

    session: int
    shape: str
    report: AttemptReport


@dataclass(slots=True)
class Rebuilt:
    """A campaign whose ledger was made again.

    Parameters
    ----------
    attempts
        Attempts in saved rows.
    without_report
        Those of them that succeeded, and whose report is in no journal.
    from_journals
        Attempts that were submitted after the last save, and that journals alone have.
    problems
        Differences from the rows that the last session left.
    message
        The same as a sentence, which the ledger keeps.
    """

    campaign: str
    taken: ImportResult | None = None
    attempts: int = 0
    without_report: int = 0
    from_journals: int = 0
    problems: list[str] = field(default_factory=list)
    message: str = ""


def rebuild(directory: Path, ledger: str | None, progress: Progress) -> Rebuilt:
    """Write the campaign of a run directory into a ledger that has it no more, and note that it is rebuilt.

    Parameters
    ----------
    directory
        Run directory of the campaign, wherever it is now.
    ledger
        A new SQLite file, or a ledger without the campaign.

    Raises
    ------
    CampaignError
        If the campaign's driver may still run.
    LedgerError
        If the directory has no saved rows, they contradict each other, or the ledger has the campaign.
    OSError
        If something cannot be read or written.
    """
    place = RunDirectory(directory.expanduser().absolute())
    saved = read_saved(place.saved_rows)
    [row] = saved.rows["campaigns"].values()
    _refuse_living(place, row["lease_owner"], row["name"])
    done = Rebuilt(row["name"], attempts=len(saved.rows["attempts"]))
    with tempfile.TemporaryDirectory(prefix="ledger-rebuild-") as folder:
        url = f"sqlite:///{folder}/ledger.sqlite"
        later = _fill(url, saved, place, done)
        with Ledger(url) as book:
            _add_later(book, later, done)
            campaign = book.campaign(done.campaign)
            done.problems += changed_rows(book, campaign, chain_of(book, campaign))
            done.message = _message(done, place, ended=campaign.outcome is not None)
            book.note(CAMPAIGN, EventKind.LEDGER_REBUILT, done.message)
        with Reader(url) as reader, Snapshot(reader) as source:
            done.taken = import_campaigns(ledger, source, progress)
    return done


def _refuse_living(place: RunDirectory, owner: str | None, name: str) -> None:
    """Refuse to rebuild the ledger of a driver that lives: it has the newest rows."""
    if owner is None or is_dead(owner):
        return
    for clock in place.clock_files().values():
        if time.time() - clock.stat().st_mtime < LEASE_SECONDS:
            raise CampaignError(
                f"driver {display_name(owner)} may still run campaign {name}, and has its ledger open: stop "
                "it first, so that it saves the ledger, or try again a minute after its end"
            )


def _fill(url: str, saved: SavedRows, place: RunDirectory, done: Rebuilt) -> list[_Later]:
    """Write the saved rows with what journals add; return the reports that came after the last save."""
    book = RebuiltLedger(url, saved, str(place.path))
    later = []
    for file, _, report in lines(place.journals):
        if report is None:
            continue
        state = book.state_of(report.token)
        if state is None or (report.state.final and not state.final):
            session = file.relative_to(place.journals).parts[0]
            shape = file.name.partition(f"-{report.block_id}-{report.node}-")[0]
            later.append(_Later(int(session) if session.isdecimal() else 0, shape, report))
        elif report.state.final:
            book.add(to_ledger(report, 0, None))
    done.without_report = book.finish()
    return sorted(later, key=lambda one: one.report.at_us)


def _add_later(book: Ledger, later: Iterable[_Later], done: Rebuilt) -> None:
    """Record what journals have of attempts whose submission or end was not saved, as a resume would."""
    known, unchosen = set(book.attempt_states(CAMPAIGN)), unchosen_trials(book, CAMPAIGN)
    opened = {one.session_number for one in book.sessions_of(CAMPAIGN) if one.ended_us is None}
    for one in later:
        if one.report.token not in known:
            # The parameters of a trial that were chosen after the last save are lost.
            lost_choice = one.report.label.rpartition("/")[0] in unchosen
            if lost_choice or one.session not in opened or not _submit(book, one):
                continue  # a resume keeps it as evidence
            known.add(one.report.token)
            done.from_journals += 1
        _record(book, one.report)


def _submit(book: Ledger, one: _Later) -> bool:
    """Add an attempt that journals alone have; False if its instance is not there or has been accepted."""
    report = one.report
    try:
        instance = book.find_instance(CAMPAIGN, report.label)
    except UnknownCampaignError:
        return False
    if instance.state == InstanceState.DONE:
        return False
    tried = book.attempts_of(CAMPAIGN, instance.instance_id)
    for former in tried:
        if former.state in OPEN_STATES:  # its instance ran again, so it had ended
            message = "its end was not saved before the ledger was lost, and its instance ran again"
            _record(book, lost(former.token, now_us(), "ledger lost", message))
    first_us = min(report.at_us, report.process_start_us or report.at_us)
    attempt = NewAttempt(instance.instance_id, len(tried) + 1, report.token, one.shape, first_us)
    book.submit(CAMPAIGN, one.session, [attempt])
    return True


def _record(book: Ledger, report: AttemptReport) -> None:
    becomes = None
    if report.state.final:
        becomes = InstanceState.DONE if report.state is AttemptState.SUCCEEDED else InstanceState.PLANNED
    book.record(CAMPAIGN, [to_ledger(report, now_us(), becomes)])


def _message(done: Rebuilt, place: RunDirectory, *, ended: bool) -> str:
    parts = [f"its ledger was rebuilt from {place.path}: {count_of(done.attempts, 'attempt')} as saved"]
    if done.from_journals:
        parts.append(f"{done.from_journals:,} that journals alone have")
    if done.without_report:
        parts.append(f"{done.without_report:,} that succeeded lack their report, and so their metrics")
    if done.problems:
        parts.append("; ".join(done.problems))
    elif ended and not done.without_report:
        parts.append("all rows are those that its last session left")
    return ", ".join(parts)
