"""Pause and change pools of a campaign's site, whether its driver runs or not."""

from __future__ import annotations

from collections.abc import Sequence

from db.column_values import sha256
from db.events import EventKind
from db.ledger import Ledger
from db.records import CampaignRow
from db.writing.requests import Action, Request, SiteChange
from orchestrator.catalog.registered_site import registered_site
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.changed_files import ChangedFile, changed_site
from orchestrator.lifecycle.driver_process.identity import is_dead
from orchestrator.lifecycle.requests.instances import Asked, ask
from orchestrator.planning.plan import Plan
from orchestrator.planning.plan_checks import check_longer_retries
from orchestrator.planning.registered import registered_plan
from sites import Site
from sites.schedulers import Batch
from workloads.spelling import near

MAY_CHANGE = (
    *("account", "walltime", "max_blocks", "extra_directives", "skip_directives"),
    *("partition", "qos", "constraint", "queue", "select", "place", "properties", "requires", "attributes"),
)
"""Keys of schedulers that only say how blocks are asked for; all others would change slots, or what runs."""

_CHANGES = (Action.CHANGE, Action.EXCLUDE, Action.INCLUDE, Action.ADD, Action.REMOVE)


def pause_pools(
    name: str, pools: Sequence[str], *, ledger: str | None = None, paused: bool = True
) -> list[Asked]:
    """Start no more attempts on pools, or start them there again; those that run finish.

    Raises
    ------
    CampaignError
        If the campaign's site has no such pool.
    """
    action = Action.PAUSE if paused else Action.UNPAUSE
    with Ledger(ledger) as book:
        site = registered_site(book.campaign(name))
        if not site.pools:
            raise CampaignError(
                f"site {site.site} of {name} has no pools; `orchestrator stop {name}` ends what runs, and "
                "`orchestrator instance pause` holds back benchmarks"
            )
        for one in pools:
            if one not in (known := site.pooled()):
                hint = near(one, known, f"the site has {', '.join(known)}")
                raise CampaignError(f"no pool {one!r}{hint}")
        return [
            ask(book, name, Request(action, f"pool {one}", pool=one), 0, "") for one in dict.fromkeys(pools)
        ]


def change_pool(
    name: str, pool: str, settings: Sequence[str], *, ledger: str | None = None, source: str = ""
) -> Asked:
    """Ask for the blocks of a pool with other settings from now on; those that have nodes keep them.

    Parameters
    ----------
    pool
        Pool of the site, or the name of a site without pools.
    settings
        ``KEY=VALUE`` with keys of the pool's scheduler.
    source
        Who asks, for the event; by default user and host of this process.

    Raises
    ------
    CampaignError
        If there is no such pool or key, a value is wrong, an instance would fit no block any more, or the
        driver has another change to take.
    """
    with Ledger(ledger) as book:
        row = settled(book, name)
        check_no_change_waits(book, row)
        site = registered_site(row)
        path = _scheduler_path(site, pool)
        for one in settings:
            _check_key(site, pool, one)
        changed, file = changed_site(row, site, None, [f"{path}.{one}" for one in settings])
        if file is None:
            raise CampaignError(f"pool {pool} has these settings already")
        _check_plan(book, row, changed)
        change = _change(book, row, pool, settings, file)
        return ask(book, name, Request(Action.CHANGE, f"pool {pool}", pool=pool, site=change), 0, source)


def settled(book: Ledger, name: str) -> CampaignRow:
    """Return a campaign once what a dead driver was asked, such as to change a pool, is applied."""
    row = book.campaign(name)
    dead = row.lease_owner if row.lease_owner and is_dead(row.lease_owner) else None
    book.apply_left_requests(row.campaign_id, dead)
    return book.campaign(name)


def check_no_change_waits(book: Ledger, row: CampaignRow) -> None:
    """Refuse a change of pools or nodes while another was asked for and is not applied yet."""
    asked, known = (
        [one.data or {} for one in book.events(row.campaign_id, kinds=[kind])]
        for kind in (EventKind.INSTANCES_REQUESTED, EventKind.INSTANCES_CHANGED)
    )
    changes = {one["request"] for one in asked if one.get("action") in _CHANGES}
    if not changes <= {one.get("request") for one in known}:
        raise CampaignError(f"the driver of {row.name} has still to take another change; ask in some seconds")


def _scheduler_path(site: Site, pool: str) -> str:
    if site.pools and pool in site.pooled():
        return f"site.pools.{pool}.scheduler"
    if not site.pools and pool == site.site:
        return "site.scheduler"
    names = list(site.pooled()) if site.pools else [site.site]
    what = f"the site has {', '.join(names)}" if site.pools else f"a site without pools is one, {site.site}"
    raise CampaignError(f"no pool {pool!r}{near(pool, names, what)}")


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
    check_longer_retries(after)


def _pools(plan: Plan) -> dict[str, list[str]]:
    return {one.name: [place.pool for place in one.places] for one in plan.benchmarks}


def _change(
    book: Ledger, row: CampaignRow, pool: str, settings: Sequence[str], file: ChangedFile
) -> SiteChange:
    sessions = book.sessions_of(row.campaign_id)
    session = sessions[-1].session_number if sessions else 1
    given = " ".join(settings)
    return SiteChange(
        f"blocks of pool {pool} were asked for with other settings since session {session}: {given}",
        session,
        file.changed,
        given,
        sha256(file.before),
        file.after,
    )
