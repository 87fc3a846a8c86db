"""One driver's session with a campaign, from its lease to its end."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from db.connect import URL_VARIABLE
from db.events import now_us
from db.ledger import Ledger
from db.records import Campaign as CampaignRow
from db.states import InstanceState
from orchestrator.driver.driver import Driver, RunOutcome
from orchestrator.driver.ledger_writer import LEASE_SECONDS, Recorder
from orchestrator.driver.periodic import Chore
from orchestrator.driver.progress import Watcher
from orchestrator.driver.stop_requests import StopSwitch
from orchestrator.engines.base import Engine
from orchestrator.host.processes import CAMPAIGN_MARK, CORES_MARK, SESSION_MARK, carrying, end
from orchestrator.lifecycle.compaction import pack_at_end
from orchestrator.lifecycle.core_conflicts import DIRECTORY_MARK, note_neighbours
from orchestrator.lifecycle.driver_identity import dead, own_name
from orchestrator.lifecycle.recovery import clean_up
from orchestrator.planning.plan import Plan, Stage
from orchestrator.planning.site_facts import node_facts
from orchestrator.rundir import clock_file
from orchestrator.rundir.layout import RunDirectory
from orchestrator.schedulers.client import job_name
from orchestrator.version import __version__
from sites import Site

_NEIGHBOUR_SECONDS = 60.0

EngineMaker = Callable[[Site, Stage, Path, int], Engine]


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a launch or resume ended.

    Parameters
    ----------
    campaign
        Its name.
    outcome
        How it ended.
    total, done, exhausted
        Instances planned, with an accepted attempt, and out of retries.
    directory
        Journals and logs.
    ledger
        URL without password.
    """

    campaign: str
    outcome: RunOutcome
    total: int
    done: int
    exhausted: int
    directory: Path
    ledger: str


def run_session(
    book: Ledger,
    row: CampaignRow,
    planned: Plan,
    kind: str,
    watcher: Watcher,
    make_engine: EngineMaker | None,
    *,
    retry_exhausted: bool = False,
) -> RunResult:
    """Run one driver with a registered campaign and return how its session ended."""
    owner = own_name()
    session = book.begin_session(
        row.campaign,
        owner,
        LEASE_SECONDS,
        dead=row.lease_owner if row.lease_owner is not None and dead(row.lease_owner) else None,
        kind=kind,
        host=socket.gethostname(),
        pid=os.getpid(),
        version=__version__,
        slots=max(stage.width for stage in planned.stages),
    )
    outcome = RunOutcome.ABORTED
    try:
        if kind == "resume":
            clean_up(book, row, planned, watcher)
            if retry_exhausted:
                book.reopen_exhausted(row.campaign)
        pending = book.pending(row.campaign)
        counts = book.instance_counts(row.campaign)
        directory = Path(row.directory)
        cores = node_facts(planned.site).cores if planned.site.local else ()
        known: set[str] = set()
        clock = RunDirectory(directory).clock_file(session)
        with StopSwitch() as switch, _environment(row, session, cores):
            driver = Driver(
                planned,
                row,
                session,
                Recorder(book, row.campaign, session, owner),
                lambda stage, first_block: (make_engine or _parsl_engine)(
                    planned.site, stage, RunDirectory(directory).parsl(session), first_block
                ),
                switch,
                watcher,
                already_done=counts.get(InstanceState.DONE, 0),
                already_exhausted=counts.get(InstanceState.EXHAUSTED, 0),
                longest_seconds=book.longest_seconds(row.campaign),
                chores=[
                    Chore(_NEIGHBOUR_SECONDS, lambda: note_neighbours(book, row, cores, watcher, known)),
                    Chore(clock_file.PERIOD_SECONDS, lambda: clock_file.write_driver_time(clock, now_us())),
                ],
            )
            outcome = driver.run(pending)
            if outcome is not RunOutcome.TAKEN_OVER:
                note_neighbours(book, row, cores, watcher, known)
    finally:
        end(carrying(SESSION_MARK, f"{row.uid}:{session}"), planned.campaign.grace + 5)
        if outcome not in (RunOutcome.TAKEN_OVER, RunOutcome.LEDGER_FAILED):
            book.end_session(row.campaign, session, owner, outcome)
        with contextlib.suppress(OSError):
            RunDirectory(Path(row.directory)).clock_file(session).unlink(missing_ok=True)
    if outcome in (RunOutcome.COMPLETE, RunOutcome.EXHAUSTED):
        pack_at_end(book, row.name, watcher.say)
    if outcome is RunOutcome.LEDGER_FAILED:  # what the driver knows; the journals have it too
        counts = {
            InstanceState.DONE: driver.snapshot.done,
            InstanceState.EXHAUSTED: driver.snapshot.exhausted,
        }
    else:
        counts = book.instance_counts(row.campaign)
    return RunResult(
        campaign=row.name,
        outcome=outcome,
        total=planned.size,
        done=counts.get(InstanceState.DONE, 0),
        exhausted=counts.get(InstanceState.EXHAUSTED, 0),
        directory=directory,
        ledger=str(book),
    )


def _parsl_engine(site: Site, stage: Stage, directory: Path, first_block: int) -> Engine:
    from orchestrator.engines.parsl_engine import ParslEngine

    return ParslEngine(site, stage, directory, job_name(os.environ[CAMPAIGN_MARK]), first_block)


@contextlib.contextmanager
def _environment(row: CampaignRow, session: int, cores: Iterable[int]) -> Iterator[None]:
    """Mark what the engine starts as this campaign's, and keep the ledger's address from it."""
    before = dict(os.environ)
    os.environ[CAMPAIGN_MARK] = row.uid
    os.environ[SESSION_MARK] = f"{row.uid}:{session}"
    os.environ[DIRECTORY_MARK] = row.directory
    os.environ[CORES_MARK] = ",".join(map(str, cores))
    os.environ["SPT_NOENV"] = "1"  # or else Parsl's processes write their titles over the mark
    for secret in (URL_VARIABLE, "PGPASSWORD"):
        os.environ.pop(secret, None)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
