"""Add pools to a campaign's site and remove them, whether its driver runs or not."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import replace

from db.ledger import Ledger
from db.records import CampaignRow
from db.states import Action
from db.writing.requests import Request, paused_pools
from orchestrator.catalog.registered_site import registered_site
from orchestrator.catalog.registry import describe
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.changed_files import (
    ChangedFile,
    differing,
    moved_slots,
    requested_change,
    with_settings,
)
from orchestrator.lifecycle.checks.plans import check_changed
from orchestrator.lifecycle.requests.instances import Asked, ask
from orchestrator.lifecycle.requests.pools import (
    check_no_change_waits,
    check_pool,
    runs_in_allocation,
    settled,
)
from orchestrator.planning import placement
from orchestrator.planning.campaign_file import CampaignFile
from orchestrator.planning.plan import Plan
from orchestrator.planning.registered import registered_plan
from orchestrator.planning.site_facts import node_facts
from orchestrator.wording import few
from sites import FileError, Site, load
from sites.resolved import Setting
from sites.schema import Pool
from workloads.spelling import near

_NAMED = 6
_OF_NODES = {
    *(Pool.model_fields.keys() - {"description", "removed"}),
    *("inherit", "instance_setup", "instance_teardown"),
}
_LEFT = {"planned", "in_flight"}


def add_pool(name: str, pool: str, *, site: str | None = None, ledger: str | None = None) -> Asked:
    """Let a campaign use one more pool: its spread benchmarks run there too, from now on.

    Parameters
    ----------
    pool
        Pool of the site file, whose keys are merged into the site that the campaign has; or a removed one.
    site
        Name or path of the site file; by default the file that the search path has for the campaign's site,
        and for a removed pool what the ledger has of it.

    Raises
    ------
    CampaignError
        If there is no such pool, it is the driver's own machine, the campaign uses it already, or used
        another one of that name, it would
        be another one than in the file, no benchmark can run there, a check fails, the batch system refuses
        its blocks, benchmarks run one after another, or the driver has another change to take.
    SchedulerError
        If the batch system does not answer.
    """
    with Ledger(ledger) as book:
        row, before = _with_open_pools(book, name)
        if pool in before.site.pooled():
            raise CampaignError(
                f"{name} has pool {pool} already; `orchestrator node set {name} {pool} KEY=VALUE` changes it"
            )
        machine, file = _with_pool(row, before.site, pool, site)
        if pool in machine.local_pools:
            raise CampaignError(
                f"pool {pool} is the driver's own machine, which a session has from its start or not at all: "
                f"stop {name}, and `orchestrator resume {name} --site FILE` goes on with it"
            )
        after = registered_plan(row, book.benchmarks(row.campaign_id), machine)
        names = [one.name for one in after.benchmarks]
        reasons = _without_place(after.campaign, names, {pool: machine.pooled()[pool]})
        if reasons.keys() >= set(names):
            raise CampaignError(
                "\n".join([f"no benchmark of {name} can run on pool {pool}", *list(reasons.values())[:2]])
            )
        check_changed(before, after, row.uid)
        served = [one.name for one in after.benchmarks if any(place.pool == pool for place in one.places)]
        more = (
            f"{few(served, _NAMED)} may run there"
            if served
            else "no benchmark that is spread may run there, and others only once their pool is removed"
        )
        change = requested_change(
            book, row, file, f"pool {pool} was added", more, slots=_other_slots(before, after)
        )
        return ask(book, name, Request(Action.ADD, f"pool {pool}", pool=pool, site=change), 0)


def remove_pool(
    name: str,
    pool: str,
    *,
    now: bool = False,
    mixed: bool = False,
    ledger: str | None = None,
) -> Asked:
    """Let a campaign use a pool no more: what runs there finishes, and its blocks are given back.

    Parameters
    ----------
    now
        End what runs there under a driver; it runs again elsewhere, and costs no retry.
    mixed
        Let benchmarks move that have accepted instances on the pool.

    Raises
    ------
    CampaignError
        If the campaign has no such pool or no other one, a benchmark fits no other pool, or may not move
        there, a check fails, the batch system refuses the blocks, benchmarks run one after another, or the
        driver has another change to take.
    SchedulerError
        If the batch system does not answer.
    """
    with Ledger(ledger) as book:
        row, before = _with_open_pools(book, name)
        check_pool(row, before.site, pool)
        rest = {one: site for one, site in before.site.pooled().items() if one != pool}
        if not rest:
            raise CampaignError(
                f"{pool} is the only pool of {name}; `orchestrator stop {name}` ends what runs"
            )
        if reasons := _without_place(before.campaign, [one.name for one in before.benchmarks], rest):
            hint = f"`orchestrator node pause {name} {pool}` gives its blocks back, and what waits stays"
            raise CampaignError(
                "\n".join([f"pool {pool} is needed: {few(list(reasons), _NAMED)} can run on no other; {hint}",
                           *list(reasons.values())[:2]])
            )  # fmt: skip
        setting = Setting(("pools", pool, "removed"), True, f"site.pools.{pool}.removed=true")
        machine, file = _site_with(row, before.site, setting)
        after = registered_plan(row, book.benchmarks(row.campaign_id), machine)
        moved = moved_slots(book, row, after, mixed=mixed)
        check_changed(before, after, row.uid)
        change = requested_change(
            book, row, file, f"pool {pool} was removed", _moves(before, after, pool),
            slots=_other_slots(before, after), mixed=moved,
        )  # fmt: skip
        request = Request(Action.REMOVE, f"pool {pool}", pool=pool, site=change, ends_running=now)
        asked = ask(book, name, request, 0)
        if rest.keys() - paused_pools(book.applied_requests(row.campaign_id)):
            return asked
        hint = f"{few(list(rest), _NAMED)}: paused, `orchestrator node unpause {name} POOL` goes on"
        return replace(asked, message=f"{asked.message}; {hint}")


def _moves(before: Plan, after: Plan, pool: str) -> str:
    """Say which benchmarks the removal of a pool moves, and which lose their larger slots."""
    planned = {one.name: one for one in after.benchmarks}
    alone = [one.name for one in before.benchmarks if one.pool == pool and not one.others]
    words = [f"{one} moves to {planned[one].pool}" for one in alone]
    lost = [one.name for one in before.benchmarks if one.larger and not planned[one.name].larger]
    return few([*words, *(f"{one} has no larger slot for retries any more" for one in lost)], _NAMED)


def _with_open_pools(book: Ledger, name: str) -> tuple[CampaignRow, Plan]:
    """Return a campaign whose pools may change, and its plan; raises `CampaignError` where they cannot."""
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
    elif runs_in_allocation(book, row):
        why = "its driver runs in an allocation"
    if why:
        raise CampaignError(f"{name}: {why}, and its pools cannot change meanwhile; {other}")
    return row, plan


def _with_pool(row: CampaignRow, own: Site, pool: str, file: str | None) -> tuple[Site, ChangedFile]:
    """Return a campaign's site with a pool as a site file has it; a removed pool comes back as it was."""
    back = Setting(("pools", pool, "removed"), False, f"site.pools.{pool}.removed=false")
    if file is None and pool in own.pools:
        return _site_with(row, own, back)
    given = file or row.site_name
    try:
        found, _ = load(given)
    except FileError as error:
        hint = "" if file else "; name the site file by --site"
        raise CampaignError(f"{error}{hint}") from None
    if pool not in found.pools:
        names = f"it has {few(list(found.pools), _NAMED)}" if found.pools else "it has no pools"
        raise CampaignError(f"site file {given} has no pool {pool!r}{near(pool, found.pools, names)}")
    if "type" not in found.pools[pool].scheduler and found.scheduler.type != own.scheduler.type:
        raise CampaignError(
            f"pool {pool} of {given} has keys from outside of pools, of {found.scheduler.type}, and those of "
            f"{row.name} are of {own.scheduler.type}: write all that it has under pools.{pool} there, with "
            "scheduler.type"
        )
    theirs = found.all_pools()[pool]
    if pool in own.pools:
        if differ := _differing_keys(own.all_pools()[pool], theirs):
            raise CampaignError(
                f"{row.name} had another pool {pool}, which differs from that of {given} in {differ}: give "
                "it another name there, or leave out --site, and the former one comes back"
            )
        return _site_with(row, own, back)
    written = found.pools[pool].model_dump(
        mode="json", by_alias=True, exclude_unset=True, exclude={"removed"}
    )
    setting = Setting(("pools", pool), written, f"pool {pool} of {given}", option="")
    machine, change = _site_with(row, own, setting)
    if differ := _differing_keys(machine.all_pools()[pool], theirs):
        raise CampaignError(
            f"pool {pool} would be another one beside the keys of {row.name}'s site than it is in {given}: "
            f"{differ} differ; write them under pools.{pool} there, as far as a pool has them, or as the "
            "campaign has them"
        )
    return machine, change


def _differing_keys(ours: Site, theirs: Site) -> str:
    """Return in which keys of its nodes a pool differs from one of another file; empty where in none."""
    return few([one for one in differing(ours, theirs) if one.partition(".")[0] in _OF_NODES], _NAMED)


def _site_with(row: CampaignRow, own: Site, setting: Setting) -> tuple[Site, ChangedFile]:
    """Return the site with one value set, and the change of its text."""
    machine, file = with_settings(row, own, [setting])
    if file is None:
        raise CampaignError(f"{setting.written}: the campaign has that already")
    return machine, file


def _other_slots(before: Plan, after: Plan) -> dict[str, str]:
    """Return the slots, as the ledger has them, of benchmarks whose slots are other ones than before."""
    known = {one.name: one.slot_facts() for one in before.benchmarks}
    found = {one.name: one.slot_facts() for one in after.benchmarks}
    return {name: json.dumps(slot) for name, slot in found.items() if slot != known[name]}


def _without_place(
    campaign: CampaignFile, names: Collection[str], pools: Mapping[str, Site]
) -> dict[str, str]:
    """Return the benchmarks, of some, that can run on none of some pools, and why."""
    machines = {name: (site, node_facts(site)) for name, site in pools.items()}
    found = {}
    for one in campaign.benchmarks:
        if one.name not in names:
            continue
        try:
            placement.placed(one, describe(one.workload), machines)
        except CampaignError as error:
            found[one.name] = str(error)
    return found
