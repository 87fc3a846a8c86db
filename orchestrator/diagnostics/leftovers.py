"""Finding, and on request ending, what campaigns left behind whose driver is gone.

Only what is known to be ours is named: processes by the campaign's mark in their environment,
scheduler jobs by the campaign's own job name, files by their place. A campaign whose driver lives,
or may live on another host, is left alone.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import psutil

from db.errors import LedgerError
from db.events import EventKind
from db.ledger import Ledger
from db.queries.blocks import open_blocks
from db.reader import Reader
from db.records import CampaignRow
from orchestrator.catalog.registered_site import registered_site
from orchestrator.diagnostics.stale_probes import stale_probes
from orchestrator.errors import CampaignError, OrchestratorError
from orchestrator.host.processes import CAMPAIGN_MARK, by_mark, runs, terminate
from orchestrator.lifecycle.driver_process.identity import display_name, is_dead, is_remote, may_be_alive
from orchestrator.lifecycle.recovery.campaign_jobs import campaign_jobs, campaign_systems
from orchestrator.lifecycle.recovery.driver_loss import end_open_attempts
from orchestrator.lifecycle.recovery.earlier_allocations import EarlierAllocation, earlier_allocations
from orchestrator.lifecycle.recovery.unseen_ends import unseen_ends
from orchestrator.schedulers.client import SchedulerClient
from orchestrator.wording import count_of
from sites import FileError

_GRACE_SECONDS = 15.0


@dataclass(slots=True)
class Leftover:
    """One thing that was left behind.

    Parameters
    ----------
    kind
        ``process``, ``job``, ``allocation``, ``order``, ``lease``, ``blocks`` or ``probe``.
    campaign
        Whose it is; empty where it is no campaign's.
    process
        Where it is one; all are ended together, and `finish` only looks.
    """

    kind: str
    campaign: str
    description: str
    finish: Callable[[], object]
    process: psutil.Process | None = None
    ended: bool = False
    problem: str = ""


@dataclass(slots=True)
class Diagnosis:
    """Leftovers that were found, and notes on those that could not be looked at or were left alone."""

    leftovers: list[Leftover] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def find_leftovers(ledger: str | None, name: str | None = None, *, finish: bool = False) -> Diagnosis:
    """Look for leftovers of one campaign, or of all in a ledger and of probes.

    Raises
    ------
    LedgerError
        If the ledger or the campaign is not there.
    """
    # First the processes, then the leases: processes from before a lease was free belong to no driver.
    processes = by_mark(CAMPAIGN_MARK)
    with Ledger(ledger) if finish else Reader(ledger) as book:
        rows = [book.campaign(name)] if name is not None else book.campaigns()
        found = Diagnosis()
        for row in rows:
            mine = list(_of_campaign(book, row, processes.get(row.uid, []), found, asked=name is not None))
            found.leftovers += mine
            if finish and isinstance(book, Ledger) and mine:
                _finish(book, row, mine)
        if name is None:
            _strangers(rows, processes, found)
            probes = list(stale_probes({Path(row.run_directory).parent for row in rows}))
            leftovers = [
                Leftover("probe", "", text, partial(shutil.rmtree, folder)) for folder, text in probes
            ]
            found.leftovers += leftovers
            for one in leftovers if finish else []:
                _try(one)
    return found


def _of_campaign(
    book: Reader, row: CampaignRow, processes: list[psutil.Process], found: Diagnosis, *, asked: bool
) -> Iterator[Leftover]:
    """Yield a campaign's leftovers in the order in which they are to be ended."""
    if may_be_alive(row):
        if asked:
            found.notes.append(
                f"{row.name} is being run by {display_name(row.lease_owner or '')}; it is left alone"
            )
        return
    if row.lease_owner is not None and is_remote(row.lease_owner):
        found.notes.append(
            f"{row.name}: its driver, {display_name(row.lease_owner)}, is silent, and only its own host can "
            f"tell whether it lives; ask there, or take the campaign over: orchestrator resume {row.name}"
        )
        return
    for process in processes:
        yield Leftover("process", row.name, _described(process), partial(_require_ended, process), process)
    unended = open_blocks(book, row.campaign_id)
    unclean = row.outcome is None or row.lease_owner is not None or unended > 0
    jobs, alive, all_answered = _jobs(book, row, found) if asked or unclean else ([], set(), True)
    alive |= {str(one.pid) for one in processes}
    if (processes or jobs) and _outlives(row):
        found.notes.append(
            f"{row.name}: attempts may go on without their driver; `orchestrator resume {row.name}` waits "
            "for them and takes their results, --fix ends them"
        )
    yield from jobs
    orders = Path(row.run_directory) / "orders"
    for file in sorted(orders.glob("*.json")) if orders.is_dir() else ():
        yield Leftover(
            "order",
            row.name,
            f"order {file} of a driver that has ended",
            partial(file.unlink, missing_ok=True),
        )
    if row.lease_owner is not None and is_dead(row.lease_owner):
        text = f"lease of {display_name(row.lease_owner)}, which died; resume would take it over too"
        yield Leftover("lease", row.name, text, _releasing(book, row, row.lease_owner))
    if unended and all_answered:
        text = f"{count_of(unended, 'block')} without an end in the ledger"
        yield Leftover("blocks", row.name, text, _closing(book, row, alive))


def _jobs(book: Reader, row: CampaignRow, found: Diagnosis) -> tuple[list[Leftover], set[str], bool]:
    """Return a campaign's jobs and allocations of other hosts, the jobs' ids, and whether all answered."""
    jobs: list[tuple[SchedulerClient, str]] = []
    elsewhere: list[EarlierAllocation] = []
    try:
        systems = campaign_systems(book, row, registered_site(row))
        jobs, problems = campaign_jobs(systems, row)
        elsewhere = [
            one
            for one in (earlier_allocations(book, row) if systems else ())
            if not one.here and one.may_hold(row.uid, systems) and book.open_attempts(row.campaign_id)
        ]
    except (FileError, OrchestratorError) as error:
        problems = [str(error)]
    if problems:
        found.notes.append(f"{row.name}: its scheduler jobs cannot be looked for: {'; '.join(problems)}")
    leftovers = [
        Leftover("job", row.name, f"job {job} of {row.site_name}", partial(system.cancel, [job]))
        for system, job in jobs
    ] + [
        Leftover(
            "allocation",
            row.name,
            f"attempts in allocation {one.job}, which another host holds; they end within seconds",
            partial(end_open_attempts, book, row),
        )
        for one in elsewhere
    ]
    return leftovers, {job for _, job in jobs}, not problems


def _outlives(row: CampaignRow) -> bool:
    try:
        site = registered_site(row)
    except FileError:
        return False
    return site.outlives_driver


def _strangers(rows: list[CampaignRow], processes: dict[str, list[psutil.Process]], found: Diagnosis) -> None:
    """Note processes whose campaign is in no ledger that was asked: whether it lives is not known."""
    for uid in sorted(processes.keys() - {row.uid for row in rows}):
        pids = ", ".join(str(process.pid) for process in processes[uid])
        found.notes.append(f"processes {pids} are of a campaign ({uid[:8]}) in another ledger; left alone")


def _finish(book: Ledger, row: CampaignRow, leftovers: list[Leftover]) -> None:
    now = book.campaign(row.name)
    if now.lease_owner != row.lease_owner:
        for one in leftovers:
            one.problem = f"{display_name(now.lease_owner or 'a driver')} took the campaign up meanwhile"
        return
    # Together: one that does not listen holds up no other.
    terminate([one.process for one in leftovers if one.process is not None], _GRACE_SECONDS)
    for one in leftovers:
        _try(one)
    ended = [one.description for one in leftovers if one.ended and one.kind in ("process", "job")]
    if ended:
        book.note(row.campaign_id, EventKind.LEFTOVERS_ENDED, f"ended {len(ended)}: {'; '.join(ended)}")


def _try(one: Leftover) -> None:
    try:
        one.finish()
    except (OrchestratorError, LedgerError, OSError, psutil.Error) as error:
        one.problem = str(error)
    else:
        one.ended = True


def _described(process: psutil.Process) -> str:
    with process.oneshot():
        try:
            started = datetime.fromtimestamp(process.create_time(), UTC)
            command = " ".join(process.cmdline())[:80] or process.name()
        except psutil.Error:
            return f"process {process.pid}"
    return f"process {process.pid}, started {started:%Y-%m-%d %H:%M:%S} UTC: {command}"


def _require_ended(process: psutil.Process) -> None:
    if runs(process):
        raise CampaignError("it does not end, even when killed")


def _releasing(book: Reader, row: CampaignRow, owner: str) -> Callable[[], object]:
    return lambda: isinstance(book, Ledger) and book.close_dead_session(row.campaign_id, owner)


def _closing(book: Reader, row: CampaignRow, alive: Collection[str]) -> Callable[[], object]:
    return lambda: (
        isinstance(book, Ledger) and book.end_blocks(row.campaign_id, unseen_ends(book, row, alive))
    )
