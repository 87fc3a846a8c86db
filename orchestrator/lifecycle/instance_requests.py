"""Cancel, retry and pause instances of a campaign, whether its driver runs or not."""

from __future__ import annotations

import getpass
import socket
from collections.abc import Sequence
from dataclasses import dataclass

from db.ledger import Ledger
from db.requests import Action, Request, ranges_of
from db.states import InstanceState
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.driver_identity import is_dead
from orchestrator.lifecycle.selection import select


@dataclass(frozen=True, slots=True)
class Asked:
    """What became of a request.

    Parameters
    ----------
    applied
        Whether it is applied; otherwise the campaign's driver applies it within seconds.
    instances
        How many instances were named.
    message
        For people.
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
) -> Asked:
    """Cancel instances that are not done, or plan exhausted and cancelled ones again.

    Parameters
    ----------
    selections, where
        As for `selection.select`; a retry without any is of all exhausted instances.

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
        return _ask(book, name, Request(action, chosen, ranges_of(numbers)), len(numbers))


def pause(
    name: str, benchmarks: Sequence[str], *, ledger: str | None = None, paused: bool = True
) -> list[Asked]:
    """Start no more instances of benchmarks, or start them again; those that run finish.

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
        return [_ask(book, name, Request(action, one, benchmark=one), 0) for one in dict.fromkeys(found)]


def _ask(book: Ledger, name: str, request: Request, number: int) -> Asked:
    row = book.campaign(name)
    dead = row.lease_owner if row.lease_owner and is_dead(row.lease_owner) else None
    before = max((one.event_id for one in book.applied_requests(row.campaign_id)), default=0)
    source = f"{getpass.getuser()}@{socket.gethostname()}"
    if not book.request(row.campaign_id, request, source, dead=dead):
        return Asked(False, number, f"{name}: asked its driver to {request.action} {request.chosen}")
    *_, last = book.applied_requests(row.campaign_id, before)
    return Asked(True, number, f"{name}: {last.message}")
