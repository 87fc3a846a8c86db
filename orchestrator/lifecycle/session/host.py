"""Host of a driver's session: this machine, or a simulated one in its place."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from db.connection.connect import URL_VARIABLE
from db.errors import LedgerError
from db.events import EventKind, now_us
from db.ledger import Ledger
from db.queries.instance_totals import instance_totals
from db.records import CampaignRow
from db.states import RunOutcome
from orchestrator.catalog.registered_site import registered_site
from orchestrator.driver.clock import Clock, WallClock
from orchestrator.driver.loop_watch import loop_watch
from orchestrator.driver.periodic import PeriodicTask
from orchestrator.driver.progress import NoDisplay, ProgressDisplay, Snapshot
from orchestrator.driver.records.ledger_writer import LEASE_SECONDS
from orchestrator.driver.stop_requests import StopRequests
from orchestrator.engines.base import Engine
from orchestrator.host.processes import CAMPAIGN_MARK, CORES_MARK, SESSION_MARK, terminate, with_mark
from orchestrator.host.terminal import surviving_hangup
from orchestrator.lifecycle.checks.containers import build_documents
from orchestrator.lifecycle.data.changes import note_changed_data
from orchestrator.lifecycle.driver_process.detached import leave_starter
from orchestrator.lifecycle.driver_process.identity import is_dead, this_driver
from orchestrator.lifecycle.driver_process.log import driver_log
from orchestrator.lifecycle.driver_process.place import note_driver
from orchestrator.lifecycle.ending.block_energy import WAIT_SECONDS, note_block_energy
from orchestrator.lifecycle.ending.compaction import pack_at_end
from orchestrator.lifecycle.ending.node_hooks import note_earlier_node_hooks, note_node_hooks
from orchestrator.lifecycle.ending.removal import remove_rungs
from orchestrator.lifecycle.ending.timelines import keep_slowest
from orchestrator.lifecycle.recovery.adopt_reports import clean_up
from orchestrator.lifecycle.recovery.driver_loss import wait_for_attempts
from orchestrator.lifecycle.saved_rows import SessionRows, save_rows
from orchestrator.lifecycle.session.code_records import record_code
from orchestrator.lifecycle.session.core_conflicts import DIRECTORY_MARK, CoreConflicts
from orchestrator.lifecycle.session.forecast_updates import ForecastUpdates
from orchestrator.lifecycle.session.ledger_file_watch import LedgerFileWatch
from orchestrator.lifecycle.session.place import note_place
from orchestrator.lifecycle.session.run_directory_watch import RunDirectoryWatch
from orchestrator.planning.plan import Plan
from orchestrator.planning.site_facts import node_facts
from orchestrator.planning.stage import Stage
from orchestrator.rundir.layout import RunDirectory
from orchestrator.rundir.signal_files import CLOCK_PERIOD_SECONDS, write_driver_time
from orchestrator.schedulers.allocation import Allocation
from orchestrator.schedulers.client import job_name
from sites import Site
from sites.schedulers import Batch

_log = logging.getLogger(__name__)
_SHARED_CORES_SECONDS = 60.0
_DIRECTORY_SECONDS = 5.0
_FORECAST_SECONDS = 10.0
_LEDGER_SECONDS = 1.0  # as often as the lease is renewed
_UNWRITABLE = (RunOutcome.TAKEN_OVER, RunOutcome.LEDGER_FAILED)

EngineMaker = Callable[[Site, Stage, Path, int], Engine]


@dataclass(frozen=True, slots=True)
class Session:
    """An open session: the ledger and the campaign in it, what is planned, and the session's number."""

    book: Ledger
    row: CampaignRow
    plan: Plan
    number: int


class SessionHost(Protocol):
    """The machine under a session.

    `run_session` calls `logged` around all else, `recover` once before the driver starts, `running` around
    the driver, `driver_ended` inside of it, and `session_ended` last, with the session closed in the ledger.
    """

    @property
    def owner(self) -> str:
        """Name under which the driver holds the campaign; no two sessions have the same."""

    @property
    def pid(self) -> int:
        """The driver's process id; 0 without one."""

    @property
    def clock(self) -> Clock:
        """The driver's time."""

    def is_dead(self, owner: str) -> bool:
        """Return whether an earlier driver is known to be dead, so that its lease may be taken."""

    def logged(self, session: Session) -> AbstractContextManager[None]:
        """Return a context in which the session's log is written."""

    def recover(self, session: Session) -> None:
        """End what an earlier driver left running, and record what its attempts reported."""

    def make_engine(self, session: Session, stage: Stage, first_block: int) -> Engine:
        """Return the engine of a stage, whose first block has a number."""

    def running(
        self, session: Session
    ) -> AbstractContextManager[tuple[StopRequests, Sequence[PeriodicTask]]]:
        """Return a context for the driver: its stop requests, which take no signals yet, and its tasks."""

    def driver_ended(self, session: Session, outcome: RunOutcome) -> None:
        """Note what is left to say in the ledger once the driver has ended by itself."""

    def session_ended(self, session: Session, outcome: RunOutcome) -> None:
        """Tidy the run directory."""


class ThisMachine:
    """The machine this process runs on.

    Parameters
    ----------
    resumed
        Whether an earlier driver may have left something.
    earlier_site
        The site of earlier sessions, where it may be another one.
    display
        Shows that attempts of an earlier driver are waited for; None where they are ended.
    allocation
        Where blocks start; None: the site's scheduler is asked for them.
    """

    clock: Clock = WallClock()

    def __init__(
        self,
        make_engine: EngineMaker | None,
        *,
        resumed: bool,
        earlier_site: Site | None = None,
        display: ProgressDisplay | None = None,
        allocation: Allocation | None = None,
    ) -> None:
        self.owner = this_driver()
        self.pid = os.getpid()
        self._make_engine = make_engine or partial(_parsl_engine, allocation)
        self._allocation = allocation
        self._resumed = resumed
        self._earlier_site = earlier_site
        self._display = display
        self._cores: Sequence[int] = ()
        self._conflicts: CoreConflicts | None = None

    def is_dead(self, owner: str) -> bool:
        """Return whether a driver of this host has ended."""
        return is_dead(owner)

    @contextlib.contextmanager
    def logged(self, session: Session) -> Iterator[None]:
        """Log to the driver log, also when the terminal closes."""
        name = session.row.name
        directory = RunDirectory(Path(session.row.run_directory))
        output = leave_starter(directory)
        note_driver(
            session.book, session.row.campaign_id, session.number, directory.driver_log.absolute(), output
        )
        gone = f"the terminal has closed; the campaign goes on, and `orchestrator status {name}` shows it"
        with driver_log(directory), surviving_hangup(gone):
            yield

    def recover(self, session: Session) -> None:
        """Adopt what the journals of an earlier driver hold, once nothing of it runs any more."""
        if not self._resumed:
            return
        book, row = session.book, session.row
        site = self._earlier_site or session.plan.site
        if site.outlives_driver:
            totals = instance_totals(book, row.campaign_id)
            wait_for_attempts(
                book,
                row,
                site,
                self._display or NoDisplay(),
                end_running=self._display is None,
                renew=lambda: book.renew(row.campaign_id, self.owner, LEASE_SECONDS),
                session=session.number,
                snapshot=Snapshot(totals.total, done=totals.done),
            )
        clean_up(book, row, session.plan, site)
        note_earlier_node_hooks(book, row, site.hook_timeout)
        note_block_energy(book, row, site)

    def make_engine(self, session: Session, stage: Stage, first_block: int) -> Engine:
        """Return the engine of a stage."""
        directory = RunDirectory(Path(session.row.run_directory)).parsl(session.number)
        return self._make_engine(stage.site, stage, directory, first_block)

    @contextlib.contextmanager
    def running(self, session: Session) -> Iterator[tuple[StopRequests, Sequence[PeriodicTask]]]:
        """Mark what is started; in the end nothing of the session runs any more."""
        row, site = session.row, session.plan.site
        if self._allocation is not None:
            _note_allocation(session, self._allocation)
        own = _own_machine(site, self._allocation)
        self._cores = () if own is None else node_facts(own).cores
        self._conflicts = CoreConflicts(session.book, row, self._cores)
        directory = RunDirectory(Path(row.run_directory))
        clock = directory.clock_file(session.number)
        note_place(session.book, row, session.number)
        rows = SessionRows(session.book, row)
        rows.save_first()  # what is planned, and the session, before any attempt
        try:
            record_code(session.book, session.row.campaign_id, session.number)
            session.book.store_documents(session.row.campaign_id, build_documents(session.plan))
            switch = StopRequests(outlived=_outlived(site))
            with (
                contextlib.closing(LedgerFileWatch(session.book, row, session.number)) as ledger_file,
                # Not where it would take processor time of instances; before the ledger's address is hidden.
                contextlib.closing(ForecastUpdates(session.book, row, enabled=own is None)) as forecasts,
                _environment(row, session.number, self._cores),
                loop_watch(directory.driver_log, partial(_note_standstill, session)) as watch,
            ):
                yield (
                    switch,
                    [
                        PeriodicTask(_FORECAST_SECONDS, forecasts.check),
                        PeriodicTask(CLOCK_PERIOD_SECONDS, watch.turned),
                        PeriodicTask(_LEDGER_SECONDS, ledger_file.check),
                        PeriodicTask(_LEDGER_SECONDS, rows.save_some),
                        PeriodicTask(_DIRECTORY_SECONDS, RunDirectoryWatch(directory.path, switch).check),
                        PeriodicTask(_SHARED_CORES_SECONDS, self._conflicts.check),
                        PeriodicTask(CLOCK_PERIOD_SECONDS, lambda: write_driver_time(clock, now_us())),
                    ],
                )
        finally:
            terminate(
                with_mark(SESSION_MARK, f"{row.uid}:{session.number}"), session.plan.campaign.grace_period + 5
            )
            with contextlib.suppress(OSError):
                clock.unlink(missing_ok=True)
            nodes = directory.node_descriptions(session.number)
            shutil.rmtree(nodes, ignore_errors=True)  # the ledger has them
            with contextlib.suppress(OSError):
                nodes.parent.rmdir()

    def driver_ended(self, session: Session, outcome: RunOutcome) -> None:
        """Note other campaigns on the same cores once more, and data that changed.

        No attempt is left that a user could cancel.
        """
        if outcome is RunOutcome.TAKEN_OVER:
            return
        if self._conflicts is not None:
            self._conflicts.check()
        if outcome not in _UNWRITABLE:
            note_changed_data(session.book, session.row)
        shutil.rmtree(RunDirectory(Path(session.row.run_directory)).cancel_files, ignore_errors=True)

    def session_ended(self, session: Session, outcome: RunOutcome) -> None:
        """Note how nodes ended and the energy of blocks; compact the files of a campaign that is through."""
        site = session.plan.site
        if outcome not in _UNWRITABLE and _has_node_teardown(session):
            note_node_hooks(session.book, session.row, session.number, site.hook_timeout)
        if self._allocation is None and outcome not in _UNWRITABLE:
            note_block_energy(session.book, session.row, site, WAIT_SECONDS)
        if outcome in (RunOutcome.COMPLETE, RunOutcome.EXHAUSTED):
            keep_slowest(session.book, session.row)
            totals = instance_totals(session.book, session.row.campaign_id)
            if outcome is RunOutcome.COMPLETE and not (totals.not_needed or totals.cancelled):
                remove_rungs(session.row)
            pack_at_end(session.book, session.row.name)
        if outcome not in _UNWRITABLE:
            save_rows(session.book, session.row)


def _outlived(site: Site) -> str:
    """Return which attempts go on when the driver ends, for people; empty where none do."""
    if not site.outlives_driver:
        return ""
    ends = site.local_pools and site.on_driver_loss is None
    return f"running instances outside of pool {site.local_pools[0]}" if ends else "running instances"


def _own_machine(site: Site, allocation: Allocation | None) -> Site | None:
    """Return the site as the pool has it whose instances run on the driver's host; None where none do."""
    if allocation is not None:
        return site if allocation.holds_driver else None
    return site.pooled()[site.local_pools[0]] if site.local_pools else None


def _has_node_teardown(session: Session) -> bool:
    """Return whether nodes of any pool, those of pools that were added or removed meanwhile too, have one."""
    site = registered_site(session.book.campaign(session.row.name))
    pools = [one.scheduler for one in site.all_pools().values()]
    return any(isinstance(one, Batch) and one.node_teardown for one in pools)


def _parsl_engine(
    allocation: Allocation | None, site: Site, stage: Stage, directory: Path, first_block: int
) -> Engine:
    from orchestrator.engines.parsl_engine import ParslEngine

    session = int(os.environ[SESSION_MARK].rpartition(":")[2])
    clock = RunDirectory(Path(os.environ[DIRECTORY_MARK])).clock_file(session)
    name = job_name(os.environ[CAMPAIGN_MARK])
    clock_file = clock if site.outlives_driver else None
    return ParslEngine(site, stage, directory, name, first_block, clock_file, allocation)


def _note_standstill(session: Session, message: str) -> None:
    """Say that the loop stood still, in the ledger too where it can be written."""
    _log.warning("%s", message)
    with contextlib.suppress(LedgerError):
        session.book.note(session.row.campaign_id, EventKind.DRIVER_STOOD_STILL, message)


def _note_allocation(session: Session, allocation: Allocation) -> None:
    """Record which nodes a session has, and warn if the driver takes processor time of instances there."""
    message = f"no jobs are submitted: session {session.number} has {allocation}"
    data = {
        "scheduler": session.plan.site.scheduler.type,
        "job": allocation.job,
        "nodes": list(allocation.nodes),
        "ends": allocation.ends,
    }
    subject = f"session {session.number}"
    session.book.note(session.row.campaign_id, EventKind.ALLOCATION_USED, message, subject=subject, data=data)
    _log.info("%s", message)
    if not allocation.limited:
        _log.warning("the batch system states no end of the allocation: the site's walltime counts from now")
    if allocation.holds_driver and set(node_facts(session.plan.site).cores) >= os.sched_getaffinity(0):
        _log.warning(
            "the driver shares the cores of node %s with instances; leave one core out of the site's "
            "node.cores, so that they do not slow each other down",
            socket.gethostname(),
        )


@contextlib.contextmanager
def _environment(row: CampaignRow, session: int, cores: Iterable[int]) -> Iterator[None]:
    """Mark what the engine starts as this campaign's, and keep the ledger's address from it."""
    before = dict(os.environ)
    os.environ[CAMPAIGN_MARK] = row.uid
    os.environ[SESSION_MARK] = f"{row.uid}:{session}"
    os.environ[DIRECTORY_MARK] = row.run_directory
    os.environ[CORES_MARK] = ",".join(map(str, cores))
    os.environ["SPT_NOENV"] = "1"  # or else Parsl's processes write their titles over the mark
    for secret in (URL_VARIABLE, "PGPASSWORD"):
        os.environ.pop(secret, None)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
