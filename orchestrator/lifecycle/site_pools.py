"""Add pools to a campaign's site and remove them, whether its driver runs or not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from db.column_values import sha256
from db.events import EventKind
from db.ledger import Ledger
from db.records import CampaignRow
from db.writing.requests import Action, Request, SiteChange
from orchestrator.catalog.registered_site import registered_site
from orchestrator.catalog.registry import describe
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.changed_files import ChangedFile, moved_slots, with_settings
from orchestrator.lifecycle.driver_process.identity import live_driver
from orchestrator.lifecycle.launch import check_site
from orchestrator.lifecycle.requests.instances import Asked, ask
from orchestrator.lifecycle.requests.pools import check_no_change_waits, settled
from orchestrator.planning import placement
from orchestrator.planning.left_out import newly_left_out
from orchestrator.planning.plan import Plan
from orchestrator.planning.registered import registered_plan
from orchestrator.planning.site_facts import node_facts
from orchestrator.schedulers.client import SchedulerClient, job_name
from orchestrator.schedulers.model import JobRequest
from orchestrator.wording import few
from sites import FileError, Site, load
from sites.resolved import Setting
from workloads.spelling import near

_NAMED = 6
_LEFT = {"planned", "in_flight"}


def add_pool(
    name: str, pool: str, *, site: str | None = None, ledger: str | None = None, source: str = ""
) -> Asked:
    """Let a campaign use one more pool: its spread benchmarks run there too, from now on.

    Parameters
    ----------
    pool
        Pool of the site file, whose keys are merged into the site that the campaign has.
    site
        Name or path of the site file; by default the file that the search path has for the campaign's site.
    source
        Who asks, for the event; by default user and host of this process.

    Raises
    ------
    CampaignError
        If there is no such pool, the campaign uses it already, no benchmark can run there, the batch system
        refuses its blocks, benchmarks run one after another, or the driver has another change to take.
    SchedulerError
        If the batch system does not answer.
    """
    with Ledger(ledger) as book:
        row, before = _changeable(book, name)
        if pool in before.site.pooled():
            raise CampaignError(
                f"{name} has pool {pool} already; `orchestrator node set {name} {pool} KEY=VALUE` changes it"
            )
        given = site or row.site_name
        written = _written_pool(given, pool, known=site is not None)
        setting = Setting(("pools", pool), written, f"site.pools.{pool}, as in {given}")
        machine, file = _changed(row, before, setting)
        after = registered_plan(row, book.benchmarks(row.campaign_id), machine)
        names = [one.name for one in after.benchmarks]
        reasons = _without_place(after, {pool: machine.pooled()[pool]})
        if reasons.keys() >= set(names):
            raise CampaignError(
                "\n".join([f"no benchmark of {name} can run on pool {pool}", *list(reasons.values())[:2]])
            )
        if lacking := newly_left_out(after, check_site(after)):
            raise CampaignError("\n".join(f"benchmark {one}: {why}" for one, why in lacking.items()))
        _ask_scheduler(after, pool, row.uid)
        served = [one.name for one in after.benchmarks if any(place.pool == pool for place in one.places)]
        what = (
            f"{few(served, _NAMED)} may run there"
            if served
            else "no benchmark that is spread may run there, and others only once their pool is removed"
        )
        change = _change(book, row, before, after, file, f"pool {pool} was added", what)
        return ask(book, name, Request(Action.ADD, f"pool {pool}", pool=pool, site=change), 0, source)


def remove_pool(
    name: str,
    pool: str,
    *,
    now: bool = False,
    mixed: bool = False,
    ledger: str | None = None,
    source: str = "",
) -> Asked:
    """Let a campaign use a pool no more: what runs there finishes, and its blocks are given back.

    Parameters
    ----------
    now
        End what runs there under a driver; it runs again elsewhere, and costs no retry.
    mixed
        Let benchmarks move that have accepted instances on the pool.
    source
        Who asks, for the event; by default user and host of this process.

    Raises
    ------
    CampaignError
        If the campaign has no such pool or no other one, a benchmark fits no other pool, or may not move
        there, benchmarks run one after another, or the driver has another change to take.
    """
    with Ledger(ledger) as book:
        row, before = _changeable(book, name)
        pools = before.site.pooled()
        if pool not in pools:
            raise CampaignError(
                f"no pool {pool!r}{near(pool, pools, f'{name} has {few(list(pools), _NAMED)}')}"
            )
        rest = {one: site for one, site in pools.items() if one != pool}
        if not rest:
            raise CampaignError(
                f"{pool} is the only pool of {name}; `orchestrator stop {name}` ends what runs"
            )
        if reasons := _without_place(before, rest):
            hint = f"`orchestrator node pause {name} {pool}` gives its blocks back, and what waits stays"
            raise CampaignError(
                "\n".join([f"pool {pool} is needed: {few(list(reasons), _NAMED)} can run on no other; {hint}",
                           *list(reasons.values())[:2]])
            )  # fmt: skip
        machine, file = _changed(
            row, before, Setting(("pools", pool, "removed"), True, f"site.pools.{pool}.removed=true")
        )
        after = registered_plan(row, book.benchmarks(row.campaign_id), machine)
        moved = moved_slots(book, row, after, mixed=mixed)
        where = {one.name: one.pool for one in after.benchmarks}
        alone = [one.name for one in before.benchmarks if one.pool == pool and not one.others]
        what = few([f"{one} moves to {where[one]}" for one in alone], _NAMED)
        change = _change(book, row, before, after, file, f"pool {pool} was removed", what, moved)
        request = Request(Action.REMOVE, f"pool {pool}", pool=pool, site=change, ends_running=now)
        return ask(book, name, request, 0, source)


def _changeable(book: Ledger, name: str) -> tuple[CampaignRow, Plan]:
    """Return a campaign and its plan; raises `CampaignError` where its pools cannot change."""
    row = settled(book, name)
    check_no_change_waits(book, row)
    site = registered_site(row)
    other = f"stop it, and `orchestrator resume {name} --site FILE` goes on with another file"
    if not site.pools:
        raise CampaignError(f"site {site.site} of {name} has no pools; {other}")
    if site.pool:
        raise CampaignError(
            f"site.pool lets {name} use pool {site.pool} alone; `orchestrator resume {name} --set "
            "site.pool=null` lets it use all"
        )
    counts = book.instance_counts(row.campaign_id)
    if not counts.keys() & _LEFT:
        raise CampaignError(f"nothing of {name} is left to run")
    plan = registered_plan(row, book.benchmarks(row.campaign_id))
    why = None
    if plan.campaign.start == "synchronized":
        why = "its waves start together"
    elif plan.rulebook.one_benchmark_at_a_time:
        why = f"rulebook {plan.campaign.rulebook} runs one benchmark at a time"
    elif alone := next((one.name for one in plan.benchmarks if one.alone is True), None):
        why = f"benchmark {alone} runs alone"
    elif live_driver(row) and _in_allocation(book, row):
        why = "its driver runs in an allocation"
    if why:
        raise CampaignError(f"{name}: {why}, and its pools cannot change meanwhile; {other}")
    return row, plan


def _in_allocation(book: Ledger, row: CampaignRow) -> bool:
    session = f"session {book.sessions_of(row.campaign_id)[-1].session_number}"
    used = book.events(row.campaign_id, kinds=[EventKind.ALLOCATION_USED])
    return any(one.subject == session for one in used)


def _written_pool(given: str, pool: str, *, known: bool) -> dict[str, Any]:
    """Return what a site file writes about a pool."""
    try:
        found, _ = load(given)
    except FileError as error:
        hint = "" if known else "; name the site file by --site"
        raise CampaignError(f"{error}{hint}") from None
    if pool not in found.pooled():
        names = f"it has {few(list(found.pools), _NAMED)}" if found.pools else "it has no pools"
        raise CampaignError(f"site file {given} has no pool {pool!r}{near(pool, found.pools, names)}")
    return found.pools[pool].model_dump(mode="json", by_alias=True, exclude_unset=True)


def _changed(row: CampaignRow, before: Plan, setting: Setting) -> tuple[Site, ChangedFile]:
    """Return the site with one value set, and the change of its text."""
    machine, file = with_settings(row, before.site, [setting])
    if file is None:
        raise CampaignError(f"{setting.written}: the campaign has that already")
    return machine, file


def _without_place(plan: Plan, pools: Mapping[str, Site]) -> dict[str, str]:
    """Return the benchmarks that can run on none of some pools, and why."""
    machines = {name: (site, node_facts(site)) for name, site in pools.items()}
    planned = {one.name for one in plan.benchmarks}
    found = {}
    for one in plan.campaign.benchmarks:
        if one.name not in planned:
            continue
        try:
            placement.placed(one, describe(one.workload), machines)
        except CampaignError as error:
            found[one.name] = str(error)
    return found


def _ask_scheduler(plan: Plan, pool: str, uid: str) -> None:
    """Raise `CampaignError` where the batch system would refuse the blocks of a pool."""
    for stage in plan.stages:
        if stage.site.pool != pool:
            continue
        for shape in () if stage.block_range is None else stage.block_range.corners:
            request = JobRequest(
                job_name(uid), shape.nodes, shape.walltime, Path("block.out").absolute(), "true",
                on_every_node=stage.shape.nodes == 1,
            )  # fmt: skip
            answer = SchedulerClient(stage.site).ask(request)
            if answer.accepted is False:
                raise CampaignError(f"pool {pool}: the batch system refuses {shape}: {answer.words}")


def _change(
    book: Ledger,
    row: CampaignRow,
    before: Plan,
    after: Plan,
    file: ChangedFile,
    message: str,
    what: str,
    mixed: Mapping[str, str] | None = None,
) -> SiteChange:
    sessions = book.sessions_of(row.campaign_id)
    session = sessions[-1].session_number if sessions else 1
    slots = {one.name: json.dumps(one.slot_facts()) for one in after.benchmarks}
    known = {one.name: json.dumps(one.slot_facts()) for one in before.benchmarks}
    return SiteChange(
        f"{message} since session {session}" + (f": {what}" if what else ""),
        session,
        file.changed,
        file.source,
        sha256(file.before),
        file.after,
        {name: slot for name, slot in slots.items() if slot != known[name]},
        dict(mixed or {}),
    )
