"""Users' requests: cancel, retry, pause, change pools, exclude nodes. Kept as events, applied once.

A request is an event. Whoever holds the campaign applies it (its driver, or, where none runs, the command
that asks) and appends an event that names the request. A request that a dead driver left is applied by the
next session, or by the next request.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, func, select, text, update

from db.column_values import sha256
from db.connection.bulk_sql import update_rows
from db.events import EventKind
from db.states import Action, InstanceState
from db.tables import NOTED, campaigns, events, instances
from db.writing.changes import CampaignChange, apply_change
from db.writing.noting import note

FLAG = "requests"
"""Value of ``campaigns.stop_request`` by which the driver learns of requests."""

Ranges = Sequence[Sequence[int]]
"""First and last instance of each range."""


_FROM = {
    Action.CANCEL: (InstanceState.PLANNED, InstanceState.EXHAUSTED),
    Action.RETRY: (InstanceState.EXHAUSTED, InstanceState.CANCELLED),
}
_TO = {Action.CANCEL: InstanceState.CANCELLED, Action.RETRY: InstanceState.PLANNED}
_WORDS = {Action.CANCEL: "cancelled", Action.RETRY: "planned again"}
_NODES = (Action.EXCLUDE, Action.INCLUDE)
_SITE = {
    Action.CHANGE: EventKind.SITE_CHANGED,
    Action.ADD: EventKind.POOL_ADDED,
    Action.REMOVE: EventKind.POOL_REMOVED,
}
_POOLS = (Action.ADD, Action.REMOVE)
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class SiteChange:
    """Another text of the site file, with other settings of a pool, or with other pools.

    Parameters
    ----------
    message
        What differs, for people and for the verdict.
    session
        The session that runs, or ran last.
    before
        SHA-256 of the text that it changes; where the ledger has another one by then, nothing is changed.
    slots, mixed
        New slot, as JSON, of benchmarks that other pools serve from then on, and how it differs of those
        with accepted instances.
    """

    message: str
    session: int
    changed: tuple[str, ...]
    given: str
    before: str
    after: str
    slots: Mapping[str, str] = field(default_factory=dict)
    mixed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Request:
    """A request about instances, a benchmark, a pool or nodes.

    Parameters
    ----------
    chosen
        What it is about, as the user wrote it.
    instances
        Numbers of the instances, in ranges; empty for a pause.
    benchmark, pool
        The benchmark, or the pool of the site, of a pause, and the pool that is changed, added or removed.
    site
        The change of a pool or of the pools; None otherwise.
    ends_running
        Whether a cancel also ends attempts that are in flight, or the removal of a pool those that run there.
    nodes, reason
        Nodes that the campaign leaves out from now on, or no longer, and why; empty otherwise.
    """

    action: Action
    chosen: str
    instances: Ranges = ()
    benchmark: str = ""
    ends_running: bool = False
    pool: str = ""
    site: SiteChange | None = None
    nodes: Sequence[str] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class AppliedRequest:
    """A request as it was applied.

    Parameters
    ----------
    event_id
        Of the event that keeps it.
    asked, changed, in_flight
        Instances that were named, whose state changed, and that were in flight.
    before
        How many had which state before.
    site_text
        The text of the site from then on; empty where it stays.
    ends_running
        Whether attempts of those in flight are ended.
    nodes
        All nodes that the campaign leaves out from then on, where the request was about nodes.
    """

    event_id: int
    message: str
    action: Action
    benchmark: str
    asked: frozenset[int]
    changed: frozenset[int]
    in_flight: frozenset[int]
    before: dict[str, int]
    ends_running: bool
    pool: str = ""
    site_text: str = ""
    nodes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StandingRequests:
    """Requests that hold for a session that begins.

    Parameters
    ----------
    last
        Event of the last request that was applied; 0 without one.
    """

    paused: frozenset[str] = frozenset()
    paused_pools: frozenset[str] = frozenset()
    last: int = 0


def ranges_of(numbers: Iterable[int]) -> list[list[int]]:
    """Return numbers as ranges, each its first and last one."""
    found = []
    for _, group in groupby(enumerate(sorted(numbers)), lambda pair: pair[1] - pair[0]):
        run = [number for _, number in group]
        found.append([run[0], run[-1]])
    return found


def ask(connection: Connection, campaign_id: int, request: Request, source: str, *, free: bool) -> None:
    """Append a request, and apply it where no driver holds the campaign."""
    note(
        connection,
        campaign_id,
        EventKind.INSTANCES_REQUESTED,
        f"asked to {request.action} {request.chosen}, by {source}",
        subject=source,
        data={
            "request": secrets.token_hex(8),  # an import gives other numbers to events
            "action": request.action,
            "instances": request.instances,
            "benchmark": request.benchmark,
            "chosen": request.chosen,
            "ends_running": request.ends_running,
            **({"pool": request.pool} if request.pool else {}),
            **({"site": asdict(request.site)} if request.site else {}),
            **({"nodes": request.nodes, "reason": request.reason, "by": source} if request.nodes else {}),
        },
    )
    if free:
        apply_waiting(connection, campaign_id)
    else:
        set_flag(connection, campaign_id, wanted=True)


def request_stop(connection: Connection, campaign_id: int, how: str, source: str) -> None:
    """Ask the driver that holds the campaign to stop."""
    connection.execute(
        update(campaigns).where(campaigns.c.campaign_id == campaign_id).values(stop_request=how)
    )
    message = f"stop requested: {how}" + (f", by {source}" if source else "")
    note(connection, campaign_id, EventKind.STOP_REQUESTED, message, subject=source, data={"how": how})


def set_flag(connection: Connection, campaign_id: int, *, wanted: bool) -> None:
    """Tell the driver that there are requests, or that they were taken; a request to stop stays."""
    before, after = (None, FLAG) if wanted else (FLAG, None)
    here = campaigns.c.stop_request.is_(None) if before is None else campaigns.c.stop_request == before
    connection.execute(
        update(campaigns).where(campaigns.c.campaign_id == campaign_id, here).values(stop_request=after)
    )


def apply_waiting(connection: Connection, campaign_id: int) -> None:
    """Apply the requests that were not applied yet."""
    asked = _noted(connection, campaign_id, EventKind.INSTANCES_REQUESTED)
    if not asked:
        return
    known = {data["request"] for _, _, data in _noted(connection, campaign_id, EventKind.INSTANCES_CHANGED)}
    for _, _, data in asked:
        if data["request"] not in known:
            _apply(connection, campaign_id, data)


def applied(connection: Connection, campaign_id: int, after: int = 0) -> list[AppliedRequest]:
    """Return the requests that were applied, those after an event."""
    return [
        AppliedRequest(
            number,
            message,
            Action(data["action"]),
            data["benchmark"],
            _members(data["instances"]),
            _members(data["changed"]),
            _members(data["in_flight"]),
            data["before"],
            data.get("ends_running", False),  # former versions let them finish
            data.get("pool", ""),
            data.get("site_text", ""),
            tuple(data.get("nodes", ())),
        )
        for number, message, data in _noted(connection, campaign_id, EventKind.INSTANCES_CHANGED, after)
    ]


def begin(connection: Connection, campaign_id: int) -> StandingRequests:
    """Apply what waits, cancel what was in flight when that was asked, and return what still holds."""
    apply_waiting(connection, campaign_id)
    found = applied(connection, campaign_id)
    if cancelled := cancelled_in_flight(found):
        states = _states(connection, campaign_id, ranges_of(cancelled))
        planned = [one for one in cancelled if states.get(one) == InstanceState.PLANNED]
        _set(connection, campaign_id, planned, InstanceState.CANCELLED)
    last = max((one.event_id for one in found), default=0)
    return StandingRequests(paused(found), paused_pools(found), last)


def cancelled_in_flight(requests: Iterable[AppliedRequest], *, ended: bool = False) -> set[int]:
    """Return the instances that were in flight when they were cancelled, and not retried since.

    Parameters
    ----------
    ended
        Only those whose attempts are to be ended.
    """
    found: set[int] = set()
    for one in requests:
        if one.action is Action.CANCEL and (one.ends_running or not ended):
            found |= one.in_flight
        elif one.action is Action.RETRY:
            found -= one.asked
    return found


def reopen_exhausted(connection: Connection, campaign_id: int) -> int:
    """Plan exhausted instances again and return how many there were."""
    exhausted = (instances.c.campaign_id == campaign_id, instances.c.state == InstanceState.EXHAUSTED)
    counted = (
        select(instances.c.benchmark, func.count().label("number"))
        .where(*exhausted)
        .group_by(instances.c.benchmark)
    )
    counts = {row.benchmark: row.number for row in connection.execute(counted)}
    changed = connection.execute(
        update(instances).where(*exhausted).values(state=InstanceState.PLANNED)
    ).rowcount
    if changed:
        note(
            connection,
            campaign_id,
            EventKind.EXHAUSTED_REOPENED,
            f"exhausted instances planned again: {changed}",
            data={"instances": changed, "benchmarks": counts},
        )
    return changed


def paused(requests: Iterable[AppliedRequest]) -> frozenset[str]:
    """Return the benchmarks that are paused after some requests, given all in their order."""
    found: set[str] = set()
    for one in requests:
        if one.action is Action.PAUSE and one.benchmark:
            found.add(one.benchmark)
        elif one.action is Action.UNPAUSE:
            found.discard(one.benchmark)
    return frozenset(found)


def paused_pools(requests: Iterable[AppliedRequest]) -> frozenset[str]:
    """Return the pools that are paused after some requests, given all in their order.

    A pool that is removed is not paused, until it was added again.
    """
    found: set[str] = set()
    removed: set[str] = set()
    for one in requests:
        if one.action in _POOLS and one.site_text:
            found.discard(one.pool)
            (removed.add if one.action is Action.REMOVE else removed.discard)(one.pool)
        elif one.action is Action.PAUSE and one.pool and one.pool not in removed:
            found.add(one.pool)
        elif one.action is Action.UNPAUSE:
            found.discard(one.pool)
    return frozenset(found)


def pool_changes(requests: Iterable[AppliedRequest]) -> list[str]:
    """Return how the pools that were added or removed stand after some requests, a sentence each."""
    last = {one.pool: one.message for one in requests if one.action in _POOLS and one.site_text}
    return [last[pool] for pool in sorted(last)]


def _apply(connection: Connection, campaign_id: int, data: dict[str, Any]) -> None:
    action = Action(data["action"])
    changed: list[int] = []
    in_flight: list[int] = []
    exhausted: list[int] = []
    before: dict[str, int] = {}
    site_text = ""
    nodes: list[str] = []
    if action in _TO:
        states = _states(connection, campaign_id, data["instances"])
        changed = [instance for instance, state in states.items() if state in _FROM[action]]
        in_flight = [one for one, state in states.items() if state == InstanceState.IN_FLIGHT]
        exhausted = [one for one in changed if states[one] == InstanceState.EXHAUSTED]
        for instance in changed:
            before[states[instance]] = before.get(states[instance], 0) + 1
        _set(connection, campaign_id, changed, _TO[action])
        message = f"{len(changed):,} instance{'s'[: len(changed) != 1]} {_WORDS[action]} ({data['chosen']})"
        if in_flight and action is Action.CANCEL:
            fate = "ended and " if data.get("ends_running") else ""
            verb = "is" if len(in_flight) == 1 else "are"
            message += f"; {len(in_flight):,} in flight {verb} {fate}not tried again"
    elif action in _SITE:
        message, site_text = _change_site(connection, campaign_id, action, data["pool"], data["site"])
    elif action in _NODES:
        message, nodes = _change_exclude_list(connection, campaign_id, action, data)
    else:
        pool = data.get("pool")
        message = f"pool {pool} {action}d" if pool else f"benchmark {data['benchmark']} {action}d"
    note(
        connection,
        campaign_id,
        EventKind.INSTANCES_CHANGED,
        message,
        data={
            "request": data["request"],
            "action": action,
            "benchmark": data["benchmark"],
            "instances": data["instances"],
            "changed": ranges_of(changed),
            "exhausted": ranges_of(exhausted),
            "in_flight": ranges_of(in_flight),
            "before": before,
            "ends_running": data.get("ends_running", False),
            **({"pool": data["pool"]} if data.get("pool") else {}),
            **({"site_text": site_text} if site_text else {}),
            **({"nodes": nodes} if action in _NODES else {}),
        },
    )


def _change_site(
    connection: Connection, campaign_id: int, action: Action, pool: str, site: dict[str, Any]
) -> tuple[str, str]:
    """Write the text of a changed site; return what became of it, and the text unless nothing changed."""
    c = campaigns.c
    now = connection.execute(select(c.site_yaml, c.site_name).where(c.campaign_id == campaign_id)).one()
    if sha256(now.site_yaml) != site["before"]:
        return f"pool {pool} is not changed, as another change of the site came before it; ask again", ""
    data = {name: site[name] for name in ("session", "changed", "given")} | {"mixed": site.get("mixed", {})}
    change = CampaignChange(
        _SITE[action], site["message"], f"session {site['session']}", data, "site", now.site_name,
        now.site_yaml, site["after"], slots=site.get("slots", {}),
    )  # fmt: skip
    apply_change(connection, campaign_id, change)
    return site["message"], site["after"]


def _change_exclude_list(
    connection: Connection, campaign_id: int, action: Action, data: dict[str, Any]
) -> tuple[str, list[str]]:
    """Record which nodes a campaign leaves out from now on; return what became of that, and these nodes."""
    lists = _noted(connection, campaign_id, EventKind.EXCLUDE_LIST)
    before = [str(node) for node in lists[-1][2].get("nodes", ())] if lists else []
    if action is Action.EXCLUDE:
        nodes = list(dict.fromkeys([*before, *data["nodes"]]))
    else:
        nodes = [node for node in before if node not in data["nodes"]]
    count, named = len(data["nodes"]), ", ".join(data["nodes"][:_SHOWN])
    named += ", …" if count > _SHOWN else ""
    message = f"{count:,} node{'s'[: count != 1]} ({named}) {action}d by {data['by']}"
    message += f": {data['reason']}" if data["reason"] else ""
    facts = {"nodes": nodes, "source": "", "reason": data["reason"], "by": data["by"]}
    note(connection, campaign_id, EventKind.EXCLUDE_LIST, message, data=facts)
    return message, nodes


def _set(connection: Connection, campaign_id: int, numbers: Collection[int], state: str) -> None:
    rows = [(one, str(state)) for one in sorted(numbers)]
    update_rows(connection, instances, campaign_id, ["instance_id"], ["state"], rows)


def _states(connection: Connection, campaign_id: int, ranges: Ranges) -> dict[int, str]:
    """Return the states of instances, asked for at once: there may be thousands of ranges."""
    wanted = _members(ranges)
    statement = select(instances.c.instance_id, instances.c.state).where(
        instances.c.campaign_id == campaign_id,
        instances.c.instance_id.between(min(wanted, default=0), max(wanted, default=0)),
    )
    rows = connection.execute(statement)
    return {row.instance_id: row.state for row in rows if row.instance_id in wanted}


def _noted(
    connection: Connection, campaign_id: int, kind: EventKind, after: int = 0
) -> list[tuple[int, str, dict[str, Any]]]:
    statement = (
        select(events.c.event_id, events.c.message, events.c.data)
        .where(text(NOTED), events.c.campaign_id == campaign_id, events.c.kind == kind.value)
        .where(events.c.event_id > after)
        .order_by(events.c.event_id)
    )
    return [(row.event_id, row.message, json.loads(row.data)) for row in connection.execute(statement)]


def _members(ranges: Ranges) -> frozenset[int]:
    return frozenset(number for first, last in ranges for number in range(first, last + 1))
