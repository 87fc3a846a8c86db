"""Launching, resuming and stopping campaigns."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import orchestrator
from db.connect import URL_VARIABLE
from db.errors import CampaignExistsError
from db.events import now_us
from db.ledger import Ledger
from db.reader import Reader
from db.records import Campaign as CampaignRow
from db.records import NewCampaign
from db.states import InstanceState
from orchestrator.adoption import adopt
from orchestrator.data import prepare
from orchestrator.driver.driver import Driver, RunOutcome
from orchestrator.driver.ledger_writer import LEASE_SECONDS, Recorder
from orchestrator.driver.periodic import Chore
from orchestrator.driver.progress import Silent, Watcher
from orchestrator.driver.stop_requests import StopSwitch
from orchestrator.drivers import dead, driver_of, own_name
from orchestrator.engines.base import Engine
from orchestrator.errors import CampaignError
from orchestrator.host.processes import CAMPAIGN_MARK, CORES_MARK, SESSION_MARK, carrying, end
from orchestrator.neighbours import DIRECTORY_MARK, note_neighbours
from orchestrator.packing import pack_at_end
from orchestrator.planning.campaign_file import load_campaign, parse_campaign
from orchestrator.planning.plan import Plan, Stage, make_plan
from orchestrator.planning.site_facts import driver_address, node_facts
from orchestrator.requirements import check_packages
from orchestrator.rundir import clock_file
from orchestrator.schedulers.client import BatchSystem, job_name
from orchestrator.schedulers.model import SchedulerError
from sites import FileError, Site, load, parse

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
}
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


def plan(
    campaign: str | Path,
    site: str = "local",
    *,
    name: str | None = None,
    data: str | Path | None = None,
) -> Plan:
    """Return what launching a campaign on a site would do.

    Parameters
    ----------
    campaign
        Path of a campaign file, or the name of one that comes with the project.
    site
        Name or path of a site.
    name
        Name in the ledger; by default the file's.
    data
        Directory of the data folders; by default the site's.

    Raises
    ------
    CampaignError
        If a file is wrong, or a slot is bigger than the node.
    """
    spec, _ = load_campaign(campaign)
    machine, _ = _load_site(site)
    return make_plan(spec, machine, node_facts(machine), _data_path(machine, data), name)


def launch(
    campaign: str | Path,
    site: str = "local",
    *,
    ledger: str | None = None,
    name: str | None = None,
    data: str | Path | None = None,
    check_data: bool = True,
    watcher: Watcher | None = None,
    make_engine: EngineMaker | None = None,
) -> RunResult:
    """Register a campaign and run it to its end.

    Parameters
    ----------
    campaign, site, name, data
        As for `plan`.
    ledger
        Ledger URL; by default the environment's, else the default file.
    check_data
        Read all data files first; otherwise only look for their folders.
    watcher
        Told where the campaign stands; by default nobody is. The command line's own prints a line now and
        then, or a live one on a terminal: ``with Progress(rich.console.Console()) as watcher``, from
        `orchestrator.driver.progress`.
    make_engine
        Execution engine; Parsl by default.

    Raises
    ------
    CampaignError, WorkloadError
        If a file or the data are wrong. Nothing has been made then.
    LedgerError
        If the ledger is unfit or the name is taken.
    """
    watcher = watcher or Silent()
    spec, spec_text = load_campaign(campaign)
    machine, site_text = _load_site(site)
    planned = make_plan(spec, machine, node_facts(machine), _data_path(machine, data), name)
    _check_interpreter(machine)
    check_packages(planned, watcher.say)
    driver_address(machine)  # or else it fails once it is registered, and has the wrong site for ever
    if not machine.local:
        BatchSystem(machine).check()
    if Ledger.exists(ledger):
        with Ledger(ledger) as book:
            if any(row.name == planned.name for row in book.campaigns()):
                raise CampaignExistsError(planned.name)
    prepare(planned, watcher.say, check=check_data)
    with Ledger.open(ledger) as book:
        directory = _make_directory(Path(machine.paths.runs).expanduser().absolute() / planned.name)
        try:
            book.register(
                NewCampaign(
                    name=planned.name,
                    uid=uuid.uuid4().hex,
                    spec_text=spec_text,
                    site_name=machine.site,
                    site_text=site_text,
                    rulebook=spec.rulebook,
                    run_class=spec.run_class,
                    directory=str(directory),
                    data=str(_data_path(machine, data)),
                ),
                [benchmark.row() for benchmark in planned.benchmarks],
                planned.instances(),
            )
        except BaseException:
            shutil.rmtree(directory)
            raise
        row = book.campaign(planned.name)
        watcher.say(f"campaign {row.name}: {planned.size} instances, {directory}")
        return _run(book, row, planned, "launch", watcher, make_engine)


def resume(
    name: str,
    *,
    ledger: str | None = None,
    retry_exhausted: bool = False,
    watcher: Watcher | None = None,
    make_engine: EngineMaker | None = None,
) -> RunResult:
    """Continue a campaign after a stop, a crash, or new retries; finished instances are not run again.

    Ends processes that an earlier driver left behind, adopts results that reached a journal but
    not the ledger, marks attempts nobody will hear of as lost, and runs what is missing.

    Parameters
    ----------
    name
        Campaign.
    retry_exhausted
        Also try instances again that are out of retries.
    ledger, watcher, make_engine
        As for `launch`.

    Raises
    ------
    UnknownCampaignError
        If the ledger has no such campaign.
    LeaseError
        If a driver runs it now.
    """
    watcher = watcher or Silent()
    with Ledger(ledger) as book:
        row = book.campaign(name)
        spec = parse_campaign(row.spec_text, f"campaign {name} in the ledger")
        machine = parse(row.site_text, Site, f"site {row.site_name} in the ledger")
        planned = make_plan(spec, machine, node_facts(machine), Path(row.data), name)
        if not Path(row.directory).is_dir():
            raise CampaignError(
                f"the campaign's directory {row.directory} is gone, and with it the journals; "
                "results that had not reached the ledger are lost. Make it again to go on without them"
            )
        return _run(book, row, planned, "resume", watcher, make_engine, retry_exhausted=retry_exhausted)


def stop(name: str, *, ledger: str | None = None, cancel: bool = False) -> bool:
    """Ask the driver of a campaign to drain, or to cancel if it drains already; False if none runs it.

    Parameters
    ----------
    cancel
        End running instances at once, instead of letting them finish.
    """
    with Ledger(ledger) as book:
        row = book.campaign(name)
        if driver_of(row) is None:
            return False
        book.request_stop(row.campaign, "cancel" if cancel or row.stop_request else "drain")
        return True


def wait_until_stopped(name: str, *, ledger: str | None = None) -> str:
    """Return how the campaign's driver ended, once it has ended."""
    with Reader(ledger) as reader:
        while True:
            row = reader.campaign(name)
            if row.lease_owner is None:
                return row.outcome or "stopped"
            if dead(row.lease_owner):
                return "its driver died; resume goes on"
            time.sleep(0.5)


def _run(
    book: Ledger,
    row: CampaignRow,
    planned: Plan,
    kind: str,
    watcher: Watcher,
    make_engine: EngineMaker | None,
    *,
    retry_exhausted: bool = False,
) -> RunResult:
    owner = own_name()
    session = book.begin_session(
        row.campaign,
        owner,
        LEASE_SECONDS,
        dead=row.lease_owner if row.lease_owner is not None and dead(row.lease_owner) else None,
        kind=kind,
        host=socket.gethostname(),
        pid=os.getpid(),
        version=orchestrator.__version__,
        slots=max(stage.width for stage in planned.stages),
    )
    outcome = RunOutcome.ABORTED
    try:
        if kind == "resume":
            _clean_up(book, row, planned, watcher)
            if retry_exhausted:
                book.reopen_exhausted(row.campaign)
        pending = book.pending(row.campaign)
        counts = book.instance_counts(row.campaign)
        directory = Path(row.directory)
        cores = node_facts(planned.site).cores if planned.site.local else ()
        known: set[str] = set()
        clock = clock_file.clock_file(directory, session)
        with StopSwitch() as switch, _environment(row, session, cores):
            driver = Driver(
                planned,
                row,
                session,
                Recorder(book, row.campaign, session, owner),
                lambda stage, first_block: (make_engine or _parsl_engine)(
                    planned.site, stage, directory / "parsl" / str(session), first_block
                ),
                switch,
                watcher,
                already_done=counts.get(InstanceState.DONE, 0),
                already_exhausted=counts.get(InstanceState.EXHAUSTED, 0),
                longest_seconds=book.longest_seconds(row.campaign),
                chores=[
                    Chore(_NEIGHBOUR_SECONDS, lambda: note_neighbours(book, row, cores, watcher, known)),
                    Chore(clock_file.PERIOD_SECONDS, lambda: clock_file.tell(clock, now_us())),
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
            clock_file.clock_file(Path(row.directory), session).unlink(missing_ok=True)
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


def _clean_up(book: Ledger, row: CampaignRow, planned: Plan, watcher: Watcher) -> None:
    """End what an earlier driver left behind, then adopt what its attempts reported."""
    _cancel_blocks(book, row, planned.site, watcher)
    orphans = carrying(CAMPAIGN_MARK, row.uid)
    if orphans:
        count = end(orphans, planned.campaign.grace + 5)
        book.note(row.campaign, "orphans", f"ended {count} processes of an earlier driver")
        watcher.say(f"ended {count} processes that an earlier driver left behind")
    book.end_blocks(row.campaign)
    adopt(book, row, watcher)


def _cancel_blocks(book: Ledger, row: CampaignRow, site: Site, watcher: Watcher) -> None:
    """Cancel the scheduler jobs of an earlier driver, those included that it did not live to note."""
    if site.local:
        return
    try:
        system = BatchSystem(site)
        left = system.find(job_name(row.uid))
        system.cancel(left)
    except SchedulerError as error:
        raise CampaignError(
            f"blocks of an earlier driver may still run, and cannot be ended: {error}; resume again when the "
            "batch system answers"
        ) from None
    if left:
        book.note(row.campaign, "orphans", f"cancelled blocks {', '.join(left)} of an earlier driver")
        watcher.say(f"cancelled {len(left)} blocks that an earlier driver left behind: {', '.join(left)}")


def _make_directory(directory: Path) -> Path:
    try:
        directory.mkdir(parents=True)
    except FileExistsError:
        raise CampaignError(
            f"{directory} exists already, from a campaign in another ledger; use another --name"
        ) from None
    except OSError as error:
        raise CampaignError(
            f"campaign directory {directory} cannot be made: {error.strerror}; write another folder into "
            "paths.runs of the site file, or launch from another one"
        ) from None
    return directory


def _check_interpreter(site: Site) -> None:
    if site.interpreter is not None and shutil.which(site.interpreter) is None:
        raise CampaignError(f"site {site.site}: interpreter {site.interpreter} is no program that can be run")


def _parsl_engine(site: Site, stage: Stage, directory: Path, first_block: int) -> Engine:
    from orchestrator.engines.parsl_engine import ParslEngine

    return ParslEngine(site, stage, directory, job_name(os.environ[CAMPAIGN_MARK]), first_block)


def _load_site(site: str) -> tuple[Site, str]:
    try:
        return load(site)
    except FileError as error:
        raise CampaignError(str(error)) from None


def _data_path(site: Site, data: str | Path | None) -> Path:
    return Path(data or site.paths.data).expanduser().absolute()


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
