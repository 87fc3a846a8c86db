"""Pause and change pools of a campaign's site, whether its driver runs or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from db.events import EventKind
from db.ledger import Ledger
from db.reader import Reader
from db.records import CampaignRow
from db.states import Action
from db.writing.requests import Request
from orchestrator.catalog.registered_site import registered_site
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.changed_files import changed_site, requested_change
from orchestrator.lifecycle.checks.plans import check_changed
from orchestrator.lifecycle.driver_process.identity import is_dead, live_driver
from orchestrator.lifecycle.requests.instances import Asked, ask
from orchestrator.planning.plan import Plan
from orchestrator.planning.registered import registered_plan
from orchestrator.wording import few
from sites import Site
from sites.schedulers import Batch
from workloads.spelling import near

MAY_CHANGE = (
    *("account", "walltime", "nodes_per_block", "max_blocks", "extra_directives", "skip_directives"),
    *("partition", "qos", "constraint", "queue", "select", "place", "properties", "requires", "attributes"),
)
"""Keys of schedulers that only say how blocks are asked for; all others would change slots, or what runs."""

_NAMED = 6
_CHANGES = (Action.CHANGE, Action.EXCLUDE, Action.INCLUDE, Action.ADD, Action.REMOVE)


def pause_pools(
    name: str, pools: Sequence[str], *, ledger: str | None = None, paused: bool = True
) -> list[Asked]:
    """Start no more attempts on pools, or start them there again; those that run finish.

    Raises
    ------
    CampaignError
        If the campaign's site has no such pool any more, or the driver has a change of it to take.
    """
    action = Action.PAUSE if paused else Action.UNPAUSE
    with Ledger(ledger) as book:
        row = settled(book, name)
        site = registered_site(row)
        if not site.pools:
            raise CampaignError(
                f"site {site.site} of {name} has no pools; `orchestrator stop {name}` ends what runs, and "
                "`orchestrator instance pause` holds back benchmarks"
            )
        for one in pools:
            check_pool(row, site, one)
            check_no_change_waits(book, row, one)
        return [ask(book, name, Request(action, f"pool {one}", pool=one), 0) for one in dict.fromkeys(pools)]


def change_pool(name: str, pool: str, settings: Sequence[str], *, ledger: str | None = None) -> Asked:
    """Ask for the blocks of a pool with other settings from now on; those that have nodes keep them.

    Parameters
    ----------
    pool
        Pool of the site, or the name of a site without pools.
    settings
        ``KEY=VALUE`` with keys of the pool's scheduler.

    Raises
    ------
    CampaignError
        If there is no such pool or key, a value is wrong, an instance would fit no block any more, the batch
        system refuses the blocks, or the driver has another change to take.
    SchedulerError
        If the batch system does not answer.
    """
    with Ledger(ledger) as book:
        row = settled(book, name)
        check_no_change_waits(book, row)
        site = registered_site(row)
        path = scheduler_path(row, site, pool)
        for one in settings:
            _check_key(site, pool, one)
        changed, file = changed_site(row, site, None, [f"{path}.{one}" for one in settings])
        if file is None:
            raise CampaignError(f"pool {pool} has these settings already")
        _check_plan(book, row, changed)
        given, what = " ".join(settings), f"blocks of pool {pool} were asked for with other settings"
        change = requested_change(book, row, replace(file, source=given), what, given)
        return ask(book, name, Request(Action.CHANGE, f"pool {pool}", pool=pool, site=change), 0)


def settled(book: Ledger, name: str) -> CampaignRow:
    """Return a campaign once what a dead driver was asked, such as to change a pool, is applied."""
    row = book.campaign(name)
    dead = row.lease_owner if row.lease_owner and is_dead(row.lease_owner) else None
    book.apply_left_requests(row.campaign_id, dead)
    return book.campaign(name)


def check_pool(row: CampaignRow, site: Site, pool: str) -> None:
    """Refuse a pool that a campaign does not use, or no longer."""
    known = site.pooled()
    if pool in known:
        return
    if pool in site.pools and site.pools[pool].removed:
        hint = f"`orchestrator node add {row.name} {pool}` brings it back"
        raise CampaignError(f"pool {pool} was removed from {row.name}; {hint}")
    raise CampaignError(f"no pool {pool!r}{near(pool, known, f'{row.name} has {few(list(known), _NAMED)}')}")


def check_no_change_waits(book: Ledger, row: CampaignRow, pool: str = "") -> None:
    """Refuse a change of pools or nodes while another was asked for and is not applied yet.

    Parameters
    ----------
    pool
        Only changes of this pool count; by default all do.
    """
    asked, known = (
        [one.data or {} for one in book.events(row.campaign_id, kinds=[kind])]
        for kind in (EventKind.INSTANCES_REQUESTED, EventKind.INSTANCES_CHANGED)
    )
    changes = {
        one["request"] for one in asked if one.get("action") in _CHANGES and pool in ("", one.get("pool"))
    }
    if not changes <= {one.get("request") for one in known}:
        raise CampaignError(f"the driver of {row.name} has still to take another change; ask in some seconds")


def runs_in_allocation(book: Reader, row: CampaignRow) -> bool:
    """Return whether a driver runs the campaign in an allocation, where no blocks are asked for."""
    if not live_driver(row):
        return False
    session = f"session {book.sessions_of(row.campaign_id)[-1].session_number}"
    used = book.events(row.campaign_id, kinds=[EventKind.ALLOCATION_USED])
    return any(one.subject == session for one in used)


def scheduler_path(row: CampaignRow, site: Site, pool: str) -> str:
    """Return where the settings of a pool's scheduler stand in the site; see `change_pool` for its name."""
    if site.pools:
        check_pool(row, site, pool)
        return f"site.pools.{pool}.scheduler"
    if pool != site.site:
        hint = near(pool, [site.site], f"a site without pools is one, {site.site}")
        raise CampaignError(f"no pool {pool!r}{hint}")
    return "site.scheduler"


def _check_key(site: Site, pool: str, setting: str) -> None:
    key, equals, _ = setting.partition("=")
    scheduler = site.pooled()[pool if site.pools else ""].scheduler
    if not isinstance(scheduler, Batch):
        raise CampaignError(f"pool {pool} has no batch system that is asked for blocks")
    known = [one for one in MAY_CHANGE if one in type(scheduler).model_fields]
    if key not in known or not equals:
        hint = near(key, known, f"may change: {', '.join(known)}")
        raise CampaignError(f"{setting}: not a setting of pool {pool} that may change{hint}")


def _check_plan(book: Ledger, row: CampaignRow, changed: Site) -> None:
    """Refuse settings by which a benchmark would run elsewhere, or fit no block."""
    rows = book.benchmarks(row.campaign_id)
    before, after = registered_plan(row, rows), registered_plan(row, rows, changed)
    if moved := [name for name, where in _pools(before).items() if _pools(after).get(name) != where]:
        raise CampaignError(
            f"benchmark {moved[0]} would fit no block of its pool any more; ask for a longer walltime"
        )
    if before.campaign.start == "synchronized" and (resized := _resized(before.site, changed)):
        raise CampaignError(
            f"nodes_per_block of pool {resized} cannot change while instances of {row.name} start together, "
            f"as the blocks of a wave have one size; stop it, and `orchestrator resume {row.name} --set` it"
        )
    check_changed(before, after, row.uid, submits=not runs_in_allocation(book, row))


def _resized(before: Site, after: Site) -> str | None:
    """Return a pool whose blocks get another number of nodes; None if there is none."""
    sizes = [
        {
            name or site.site: batch.nodes_per_block.written
            for name, one in site.pooled().items()
            if isinstance(batch := one.scheduler, Batch)
        }
        for site in (before, after)
    ]
    return next((name for name, size in sizes[0].items() if sizes[1].get(name, size) != size), None)


def _pools(plan: Plan) -> dict[str, list[str]]:
    return {one.name: [place.pool for place in one.places] for one in plan.benchmarks}
