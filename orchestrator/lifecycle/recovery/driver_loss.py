"""Wait for attempts that outlived their driver: they go on in its blocks, and report to its journals."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from db.events import EventKind
from db.ledger import Ledger
from db.queries.blocks import pools_with_blocks
from db.reader import Reader
from db.records import CampaignRow
from db.writing.requests import FLAG
from orchestrator.driver.progress import ProgressDisplay, Snapshot
from orchestrator.errors import CampaignError
from orchestrator.host.processes import CAMPAIGN_MARK, SLOT_MARK, with_mark
from orchestrator.lifecycle.recovery.campaign_jobs import campaign_systems
from orchestrator.lifecycle.recovery.earlier_allocations import EarlierAllocation, earlier_allocations
from orchestrator.lifecycle.requests.instances import end_cancelled
from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir.journal import Tail
from orchestrator.rundir.layout import RunDirectory
from orchestrator.rundir.signal_files import request_cancel
from orchestrator.schedulers.client import SchedulerClient, job_name
from orchestrator.schedulers.model import JobState, SchedulerError
from orchestrator.wording import count_of, verb_of
from sites import Site
from sites.schedulers import Batch

_log = logging.getLogger(__name__)
_LOOK_SECONDS = 0.5
_LOCAL_SECONDS = 1.0
_SETTLING_SECONDS = 3.0  # in which an attempt that a worker has just taken writes to its journal


@dataclass(slots=True)
class RunningAttempts:
    """Attempts of dead drivers that began and did not end, as their journals say.

    Parameters
    ----------
    tails
        Journals of each session.
    """

    tails: list[Tail]
    running: dict[str, AttemptReport] = field(default_factory=dict)
    _ended: set[str] = field(default_factory=set)

    def read(self) -> None:
        """Take what was reported since the last call."""
        for tail in self.tails:
            for report in tail.read():
                if report.state.final:
                    self._ended.add(report.token)
                    self.running.pop(report.token, None)
                elif report.token not in self._ended:
                    self.running[report.token] = report


def wait_for_attempts(
    book: Ledger,
    row: CampaignRow,
    site: Site,
    display: ProgressDisplay,
    *,
    renew: Callable[[], str | None],
    session: int,
    snapshot: Snapshot,
    end_running: bool = False,
) -> None:
    """Return when no attempt of a dead driver runs any more, or `renew` returns ``cancel``.

    Parameters
    ----------
    renew
        Renews the lease, and returns the stop that the ledger asks for.
    snapshot
        Counts to show meanwhile.
    end_running
        Wait only for attempts that this host cannot end, and that are asked to end here.

    Raises
    ------
    CampaignError
        If the batch system does not say what runs.
    """
    directory = RunDirectory(Path(row.run_directory))
    open_tokens = {one.token for one in book.open_attempts(row.campaign_id)}
    sessions = [number for number in directory.clock_files() if directory.session_journals(number).is_dir()]
    if not open_tokens or not sessions:
        return
    places = Places(book, row, site)
    if end_running and not places.end_elsewhere():
        return
    for number in sessions:
        directory.stop_file(number).touch()  # what is still queued there starts no more
    attempts = RunningAttempts([Tail(directory.session_journals(number)) for number in sessions])
    settled = time.monotonic() + _SETTLING_SECONDS
    named: set[str] | None = None
    while True:
        asked = renew()
        if asked == "cancel" and not end_running:
            end_running = True
            if not places.end_elsewhere():
                break
        if asked == FLAG:
            _apply_requests(book, row, session)
        attempts.read()
        running = attempts.running.keys() & open_tokens
        if not (running or time.monotonic() < settled) or not (where := places.look()):
            break
        if running and running != named:
            _say(book, row, running, where, first=named is None)
            named = set(running)
        snapshot.running, snapshot.note = len(running), "waiting for attempts of a dead driver"
        display.update(snapshot)
        time.sleep(_LOOK_SECONDS)


def _apply_requests(book: Ledger, row: CampaignRow, session: int) -> None:
    book.apply_requests(row.campaign_id, session)
    with suppress(OSError):  # then they run to their own end
        end_cancelled(book, row)


def _say(book: Ledger, row: CampaignRow, running: set[str], where: str, *, first: bool) -> None:
    text = (
        f"{count_of(len(running), 'attempt')} of a dead driver still {verb_of(len(running), 'run')} in "
        f"{where}; "
        "waiting for results "
        f"(`orchestrator stop {row.name} --now` ends them)"
    )
    _log.info("%s", text)
    if first:
        book.note(row.campaign_id, EventKind.ATTEMPTS_OUTLIVE, text, data={"tokens": sorted(running)})


def end_open_attempts(book: Reader, row: CampaignRow) -> None:
    """Let attempts end that have no end in the ledger, wherever they run; raises `OSError`."""
    tokens = [one.token for one in book.open_attempts(row.campaign_id)]
    request_cancel(RunDirectory(Path(row.run_directory)), tokens)


class Places:
    """Where attempts of earlier drivers may run: processes of this host, blocks, or drivers' allocations."""

    def __init__(self, book: Ledger, row: CampaignRow, site: Site) -> None:
        self._book = book
        self._row = row
        machines = site.by_scheduler(pools_with_blocks(book, row.campaign_id)).values()
        batches = [one.scheduler for one in machines if isinstance(one.scheduler, Batch)]
        self._clients = campaign_systems(book, row, site)
        self._allocations = earlier_allocations(book, row) if batches else []
        self._local = any(one.local and one.outlives_driver for one in machines)
        self._period = _LOCAL_SECONDS if self._local else min(one.poll_interval for one in batches)
        self._next = 0.0
        self._where = ""

    def look(self) -> str:
        """Return where attempts may run, for people; empty where none can run any more."""
        if time.monotonic() >= self._next:
            found = [self._blocks(*one) for one in self._clients.items()]
            found.append(f"allocation {held}" if (held := ", ".join(one.job for one in self._held())) else "")
            found.append(self._processes() if self._local else "")
            self._where = " and ".join(filter(None, found))
            self._next = time.monotonic() + self._period
        return self._where

    def end_elsewhere(self) -> bool:
        """Let attempts end in allocations that this host cannot end; return whether there are any.

        Raises
        ------
        OSError
            If the run directory cannot be written.
        """
        if all(one.here for one in self._held()):
            return False
        end_open_attempts(self._book, self._row)
        return True

    def _held(self) -> list[EarlierAllocation]:
        return [one for one in self._allocations if one.may_hold(self._row.uid, self._clients)]

    def _processes(self) -> str:
        return "this machine" if any(map(_of_an_attempt, with_mark(CAMPAIGN_MARK, self._row.uid))) else ""

    def _blocks(self, kind: str, client: SchedulerClient) -> str:
        """Return the running blocks, and cancel those that wait: no driver would use them."""
        try:
            jobs = client.status(client.find(job_name(self._row.uid)))
            waiting = [job.id for job in jobs if job.state in (JobState.QUEUED, JobState.HELD)]
            client.cancel(waiting)
        except SchedulerError as error:
            raise CampaignError(
                f"attempts of an earlier driver may still run, and where is not known: {kind}: {error}; "
                "resume again when the batch system answers"
            ) from None
        if waiting:
            text = f"cancelled blocks {', '.join(waiting)} of an earlier driver, which had not started"
            self._book.note(self._row.campaign_id, EventKind.LEFTOVERS_ENDED, text)
        running = [job.id for job in jobs if not job.state.ended and job.id not in waiting]
        return f"blocks {', '.join(running)}" if running else ""


def _of_an_attempt(process: psutil.Process) -> bool:
    try:
        return SLOT_MARK in process.environ() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
