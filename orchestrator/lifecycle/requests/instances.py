"""Cancel, retry and pause instances of a campaign, whether its driver runs or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from db.ledger import Ledger
from db.records import CampaignRow
from db.states import Action, InstanceState
from db.writing.requests import AppliedRequest, Request, cancelled_in_flight, ranges_of
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.driver_process.identity import is_dead, this_user
from orchestrator.lifecycle.requests.selection import select
from orchestrator.lifecycle.saved_rows import save_rows
from orchestrator.rundir.layout import RunDirectory
from orchestrator.rundir.signal_files import request_cancel


@dataclass(frozen=True, slots=True)
class Asked:
    """Outcome of a request.

    Parameters
    ----------
    applied
        Whether it is applied; otherwise the campaign's driver applies it within seconds.
    instances
        How many instances were named.
    """

    applied: bool
    instances: int
    message: str


def change_instances(
    name: str,
    action: Action,
    selections: Sequence[str] = (),
    where: Sequence[str] = (),
    *,
    ledger: str | None = None,
    end_running: bool = True,
    source: str = "",
) -> Asked:
    """Cancel instances that are not done, or plan exhausted and cancelled ones again.

    Parameters
    ----------
    selections, where
        As for `selection.select`; a retry without any is of all exhausted instances.
    end_running
        Whether a cancel ends attempts that are in flight; otherwise they end by themselves.
    source
        Who asks, for the event; by default user and host of this process.

    Raises
    ------
    CampaignError
        If a selection is wrong, or nothing matches it.
    """
    if not selections and not where:
        if action is Action.CANCEL:
            raise CampaignError(
                "name what to cancel: a benchmark, such as p1b1, p1b1/3 or p1b1/5..20, or --where"
            )
        where = [f"state={InstanceState.EXHAUSTED}"]
    with Ledger(ledger) as book:
        numbers = select(book, name, selections, where)
        chosen = " ".join([*selections, *where])
        ends = end_running and action is Action.CANCEL
        request = Request(action, chosen, ranges_of(numbers), ends_running=ends)
        return ask(book, name, request, len(numbers), source)


def pause(
    name: str, benchmarks: Sequence[str], *, ledger: str | None = None, paused: bool = True, source: str = ""
) -> list[Asked]:
    """Start no more instances of benchmarks, or start them again; those that run finish.

    Parameters
    ----------
    source
        Who asks, for the event; by default user and host of this process.

    Raises
    ------
    CampaignError
        If the campaign has no such benchmark.
    """
    action = Action.PAUSE if paused else Action.UNPAUSE
    with Ledger(ledger) as book:
        for one in benchmarks:
            if "/" in one:
                raise CampaignError(f"{one}: only whole benchmarks are paused; name {one.partition('/')[0]}")
        campaign = book.campaign(name).campaign_id
        found = [point for one in benchmarks for point in book.select_benchmarks(campaign, one)]
        return [
            ask(book, name, Request(action, one, benchmark=one), 0, source) for one in dict.fromkeys(found)
        ]


def end_cancelled(book: Ledger, row: CampaignRow) -> int:
    """Let attempts end whose instances were cancelled; return how many are open in the ledger.

    Raises
    ------
    OSError
        If the run directory cannot be written.
    """
    wanted = cancelled_in_flight(book.applied_requests(row.campaign_id), ended=True)
    tokens = [one.token for one in book.open_attempts(row.campaign_id) if one.instance_id in wanted]
    if tokens:
        request_cancel(RunDirectory(Path(row.run_directory)), tokens)
    return len(tokens)


def ask(book: Ledger, name: str, request: Request, number: int, source: str = "") -> Asked:
    """Ask for a change of a campaign, and return what became of it; `number` counts the instances named."""
    row = book.campaign(name)
    dead = row.lease_owner if row.lease_owner and is_dead(row.lease_owner) else None
    before = max((one.event_id for one in book.applied_requests(row.campaign_id)), default=0)
    if not book.request(row.campaign_id, request, source or this_user(), dead=dead):
        return Asked(False, number, f"{name}: asked its driver to {request.action} {request.chosen}")
    *_, last = book.applied_requests(row.campaign_id, before)
    save_rows(book, row)
    return Asked(True, number, f"{name}: {last.message}{_end_without_driver(book, row, last)}")


def _end_without_driver(book: Ledger, row: CampaignRow, request: AppliedRequest) -> str:
    """End what a dead driver left of a cancelled selection; return what became of that, for people."""
    if not (request.ends_running and request.in_flight):
        return ""
    try:
        end_cancelled(book, row)
    except OSError as error:
        return (
            f"; no driver runs it, and attempts that outlived it go on: {row.run_directory}: {error.strerror}"
        )
    return (
        "; no driver runs it: what still runs ends within seconds, and "
        f"`orchestrator resume {row.name}` takes the reports"
    )
