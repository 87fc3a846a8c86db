"""Checking a ledger: its rows against each other, and every journal against the rows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from db.column_values import to_column_value
from db.event_chain import EventChain, check_events
from db.events import EventKind
from db.evidence.content_hash import ends_sha256, row_part, row_parts, rows_sha256
from db.evidence.reported import accepted, attempts_by_token, measured_by_attempt
from db.plain import RowReader
from db.records import CampaignRow
from db.rows import COMPARED, Attempt
from db.states import AttemptState
from db.verification import FINISHED, Finding, check
from db.writing.reported_rows import rows_of
from orchestrator.diagnostics.chain_verification import check_chains
from orchestrator.driver.records.attempt_records import to_ledger
from orchestrator.lifecycle.driver_process.identity import may_be_alive
from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir import journal
from orchestrator.rundir.layout import RunDirectory
from orchestrator.rundir.packed_reader import archive_file, lines
from orchestrator.wording import count_of

_BATCH = 500
_REST = ("ready_us", "observed", "data_facts", "environment_sha256", "observation_sha256")
_SHOWN = 10
_KEEP = "run: orchestrator resume {}, which keeps it as evidence"
_LABEL = re.compile(r".+/[0-9]+")  # of earlier versions, some reports have none
_RESTORE = "one of the two was changed from outside: restore the ledger's last backup, or the journal"
_RESTORE_ROWS = "rows were changed from outside: import the last export, or restore the last backup"
_RESTORE_FILE = "restore the file from a backup"


@dataclass(slots=True)
class Audit:
    """Findings in a ledger.

    Parameters
    ----------
    notes
        What is as it may be and worth knowing, such as journals that cannot be seen from here.
    """

    campaigns: list[str]
    findings: list[Finding]
    notes: list[str] = field(default_factory=list)
    reports: int = 0


def audit(ledger: str | None, names: Sequence[str] = ()) -> Audit:
    """Check campaigns of a ledger (without names: all), and their journals where these can be seen.

    Raises
    ------
    LedgerError
        If the ledger or a campaign is not there.
    """
    from db.reader import Reader  # here: packages are verified without a database

    with Reader(ledger) as reader:
        rows = [reader.campaign(name) for name in names] if names else reader.campaigns()
        done = Audit([row.name for row in rows], [])
        for one in check(reader, names):
            if one.note:
                done.notes.append(f"{one.campaign}: {one.message}")
            else:
                done.findings.append(one)
        for row in rows:
            chain = chain_of(reader, row)
            done.findings += [
                Finding(row.name, one, _RESTORE_ROWS) for one in changed_rows(reader, row, chain)
            ]
            folder = RunDirectory(Path(row.run_directory)).journals
            if folder.is_dir():
                JournalAudit(reader, row, done, living=may_be_alive(row)).read(folder)
                _read_chains(reader, row, folder, done)
                if not may_be_alive(row):
                    done.notes += [f"{row.name}: {one}" for one in unproven_rows(reader, row, chain)]
            else:
                done.notes.append(f"{row.name}: its journals, {folder}, cannot be seen from here")
    return done


def _read_chains(reader: RowReader, row: CampaignRow, folder: Path, done: Audit) -> None:
    chains = check_chains(reader, row.campaign_id, folder)
    done.findings += [Finding(row.name, problem, _RESTORE_FILE) for problem in chains.problems[:_SHOWN]]
    if (number := len(chains.problems)) > _SHOWN:
        done.notes.append(f"{row.name}: {number} contradictions of chains; {_SHOWN} are shown")
    if chains.recorded and chains.open_sessions and not may_be_alive(row):
        done.notes.append(f"{row.name}: {without_heads(chains.open_sessions)}")


def without_heads(sessions: Sequence[int]) -> str:
    """Return what it means that sessions have no record of their last heads."""
    named = ", ".join(map(str, sessions))
    return (
        f"session {named} ended without a record of its journals' last heads, so that their ends may be "
        "missing; the next resume records them"
    )


def chain_of(reader: RowReader, row: CampaignRow) -> EventChain:
    """Return what the chain of a campaign's events shows."""
    with reader.moment() as moment:
        return check_events(moment, row.campaign_id)


def unproven_rows(reader: RowReader, row: CampaignRow, chain: EventChain) -> Iterator[str]:
    """Yield why a row or event that was deleted or edited might not be seen, a line each."""
    sessions = reader.sessions_of(row.campaign_id)
    if not any(one.ended_us for one in sessions):
        return
    last = sessions[-1].session_number
    if not chain.links:
        yield (
            "its rows and events are not chained: an earlier version ran it, and one that was deleted or "
            "edited may not be seen"
        )
    elif chain.session != last or chain.rows_sha256 is None:
        yield (
            f"the end of session {last} is not recorded with a hash of the rows, so that edited ones may not "
            "be seen; the next resume records it"
        )
    elif chain.unlinked:
        kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(chain.unlinked.items()))
        yield f"no session has chained the events after the last one's end: {kinds}; the next resume does"


def changed_rows(
    reader: RowReader, row: CampaignRow, chain: EventChain, parts: Sequence[int] | None = None
) -> Iterator[str]:
    """Yield whether rows are not those that the last session left.

    Parameters
    ----------
    parts
        Compare these parts of the rows only, see `db.evidence.content_hash.row_part`; None: all.
    """
    sessions = reader.sessions_of(row.campaign_id)
    last = sessions[-1].session_number if sessions else 0
    if chain.unlinked or chain.session != last or chain.rows_sha256 is None:
        return
    if {chain.outcome} != {sessions[-1].outcome, row.outcome}:
        yield f"session {last} ended as {chain.outcome}, and its rows say otherwise"
    with reader.moment() as moment:
        if parts is None:
            same = chain.rows_sha256 == rows_sha256(row_parts(moment, row.campaign_id))
        else:
            same = all(
                chain.row_parts[one : one + 1] == [row_part(moment, row.campaign_id, one)] for one in parts
            )
        ends = ends_sha256(moment, row.campaign_id, chain.open_blocks)
    if not same:
        yield (
            f"its rows are not those that session {last} left, whose hash its end keeps: "
            "some were changed, removed or added"
        )
    if chain.ends_sha256 not in (None, ends):  # former versions kept none
        yield (
            f"the ends of its blocks are not those that session {last} left, whose hash its end keeps: "
            "some were changed, removed or added"
        )


class JournalAudit:
    """The journals of one campaign, held against its rows, some hundred reports at a time.

    Parameters
    ----------
    done
        Gets what is found.
    living
        Whether a driver may write the campaign now.
    complete
        Whether missing evidence is a finding in any case, and every column and metric is compared.
    """

    def __init__(
        self, reader: RowReader, row: CampaignRow, done: Audit, *, living: bool, complete: bool = False
    ) -> None:
        self._reader = reader
        self._row = row
        self._done = done
        self._living = living
        self._complete = complete
        self._finished = not self._living and row.outcome in FINISHED
        self._counts: dict[str, int] = {}
        self._seen = bytearray()
        kinds = (EventKind.LATE_REPORT, EventKind.JOURNAL_DAMAGED)
        evidence = list(reader.events(row.campaign_id, kinds=kinds))
        self._kept = {
            (one.instance_id, one.attempt_number, one.to_state) for one in evidence if one.attempt_number
        }
        self._details = {str(one.message) for one in evidence if not one.attempt_number}

    def read(self, folder: Path) -> None:
        """Compare all journals below a folder."""
        any_report = False
        for batch in _batches(self._finals(folder)):
            any_report = True
            self._compare(batch)
        if (
            any_report or self._complete
        ) and not self._living:  # of a living campaign, more was accepted since
            self._look_for_missing(folder)
        for kind, number in self._counts.items():
            if number > _SHOWN:
                self._done.notes.append(f"{self._row.name}: {number} times: {kind}; {_SHOWN} are shown")

    def _finals(self, folder: Path) -> Iterator[AttemptReport]:
        torn = 0
        for file, line, report in lines(folder):
            if report is None and line.endswith(b"\n") and file == archive_file(file.with_suffix("")):
                why = line.rstrip().decode(errors="replace")
                self._add("damaged archive", f"archive {file} is damaged: {why}", _RESTORE_FILE)
            elif report is None and line.endswith(b"\n"):
                text = f"damaged journal line in {journal.describe_damage(file, line.rstrip())}"
                if to_column_value(text) not in self._details:
                    if not file.exists():
                        packed = archive_file(folder / file.relative_to(folder).parts[0])
                        text += f" (packed in {packed})"
                    self._evidence(
                        "damaged journal line", text, "run: orchestrator resume {}, which notes it"
                    )
            elif report is None:
                torn += not self._living  # of a living one the rest may be on its way
            elif report.state.final:
                self._done.reports += 1
                yield report
        if torn:
            reports = count_of(torn, "report", "were")
            self._done.notes.append(f"{self._row.name}: {reports} cut short as a process died; none counts")

    def _compare(self, reports: list[AttemptReport]) -> None:
        rows = attempts_by_token(self._reader, self._row.campaign_id, [one.token for one in reports])
        measured: dict[tuple[int, int], dict[str, tuple[Any, ...]]] = {}
        if self._complete:
            numbers = sorted({found.attempt.instance_id for found in rows.values()})
            measured = measured_by_attempt(self._reader, self._row.campaign_id, numbers)
        for report in reports:
            found = rows.get(report.token)
            if found is None:
                self._unknown(report)
                continue
            row = found.attempt
            label = f"{found.label} attempt {row.attempt_number}"
            if _LABEL.fullmatch(report.label) and report.label != found.label:
                text = f"{label} has in its journal the report of an attempt of {report.label}"
                self._add("contradiction", text, _RESTORE)
            state = AttemptState(row.state)
            both = state is AttemptState.SUCCEEDED and report.state is state
            if both or (state is AttemptState.SUCCEEDED and not self._complete):
                self._mark(row.instance_id)
            if not state.final:
                if not self._living:
                    text = f"{label} is {state}, its journal has a final report, {report.state}"
                    self._add("not adopted", text, "run: orchestrator resume {}, which adopts it")
            elif both or (row.instance_id, row.attempt_number, report.state) not in self._kept:
                self._judge(label, row, report)
                if both and self._complete:
                    given = measured.get((row.instance_id, row.attempt_number), {})
                    self._compare_rest(label, row, given, report)

    def _judge(self, label: str, row: Attempt, report: AttemptReport) -> None:
        if report.state != row.state:
            text = f"{label} is {row.state}, its journal says {report.state}"
            if self._finished and row.state == AttemptState.SUCCEEDED:
                self._add("contradiction", text, _RESTORE)
            elif not self._living:
                self._evidence("other state", text, _KEEP, needed=self._complete)
            return
        written_off = row.process_stop_us is None and row.state != AttemptState.SUCCEEDED
        if written_off and report.process_stop_us is not None:
            return  # the row is its driver's word, which came first
        values = to_ledger(report, 0, None).values
        for name in COMPARED:
            reported = to_column_value(values.get(name))
            if reported is not None and reported != getattr(row, name):
                self._add(
                    "contradiction",
                    f"{label}: the ledger has {name} {getattr(row, name)}, its journal {reported}",
                    _RESTORE,
                )
                return

    def _compare_rest(
        self, label: str, row: Attempt, given: Mapping[str, tuple[Any, ...]], report: AttemptReport
    ) -> None:
        """Compare what rules read beside the columns that every check compares."""
        columns, measured = rows_of(to_ledger(report, 0, None), row.cores, row.devices)
        different = [name for name in _REST if columns.get(name) != getattr(row, name)]
        different += [name for name in sorted({*measured, *given}) if measured.get(name) != given.get(name)]
        if different:
            text = f"{label}: the ledger has another {', '.join(different[:_SHOWN])} than its journal"
            self._add("contradiction", text, _RESTORE)

    def _unknown(self, report: AttemptReport) -> None:
        token = json.dumps(report.token)
        excused = not self._complete and any(token in detail for detail in self._details)
        if not self._living and not excused:
            text = f"a journal has a report of {report.label or 'an attempt'} that the ledger does not know"
            self._evidence("unknown", text, _KEEP, needed=self._complete)

    def _mark(self, instance: int) -> None:
        if len(self._seen) <= instance:
            self._seen.extend(bytes(instance + 1000 - len(self._seen)))
        self._seen[instance] = 1

    def _look_for_missing(self, folder: Path) -> None:
        for row in accepted(self._reader, self._row.campaign_id):
            if row.instance_id >= len(self._seen) or not self._seen[row.instance_id]:
                self._add(
                    "no journal",
                    f"{row.benchmark}/{row.benchmark_index} is accepted, "
                    f"and no journal in {folder} has its report",
                    "nothing is lost while the ledger is whole: keep a backup of it",
                )

    def _evidence(self, kind: str, text: str, remedy: str, *, needed: bool = False) -> None:
        """Add what changes no row: a finding if it is needed, or else a note if the campaign is through."""
        if needed or not self._finished:
            self._add(kind, text, remedy)
        elif self._counted(kind):
            self._done.notes.append(f"{self._row.name}: {text}; it changes nothing")

    def _counted(self, kind: str) -> bool:
        """Count one more of a kind, and return whether it is shown."""
        self._counts[kind] = self._counts.get(kind, 0) + 1
        return self._counts[kind] <= _SHOWN

    def _add(self, kind: str, text: str, remedy: str) -> None:
        if self._counted(kind):
            self._done.findings.append(Finding(self._row.name, text, remedy.format(self._row.name)))


def _batches(reports: Iterable[AttemptReport]) -> Iterator[list[AttemptReport]]:
    batch: list[AttemptReport] = []
    for report in reports:
        batch.append(report)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
