"""Changes that a resume may make to a registered campaign: its site, and settings that change no result."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from db.column_values import sha256
from db.events import EventKind
from db.ledger import Ledger
from db.records import CampaignRow
from db.rows import BenchmarkRow
from db.states import InstanceState
from db.writing.changes import CampaignChange
from db.writing.requests import SiteChange
from orchestrator.catalog.registered_site import registered_places
from orchestrator.errors import CampaignError
from orchestrator.planning.campaign_file import CampaignFile
from orchestrator.planning.overrides import campaign_settings, site_settings
from orchestrator.planning.plan import Plan
from orchestrator.planning.registered import registered_pools
from orchestrator.planning.slots import shape_facts
from orchestrator.planning.stage import PlannedBenchmark
from orchestrator.wording import few
from sites import FileError, Model, Site, load
from sites.files import validate
from sites.resolved import Setting, stored

_log = logging.getLogger(__name__)
_NAMED = 6
_MAY_CHANGE = {
    *("description", "retries", "start_timeout", "abort_after_failures", "grace_period", "logs"),
    *("until", "decide", "budget"),
}
_MAY_CHANGE_OF_BENCHMARKS = {"expected_runtime"}


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A site or campaign of a ledger as a resume changes it.

    Parameters
    ----------
    source
        File or settings that it comes from.
    """

    before: str
    after: str
    changed: tuple[str, ...]
    source: str


def changed_site(
    row: CampaignRow, registered: Site, site: str | None, overrides: Sequence[str]
) -> tuple[Site, ChangedFile | None]:
    """Return the site that a resume goes on with, and how it differs from the ledger's; None if it does not.

    Parameters
    ----------
    site
        Name or path of another site; None for the ledger's.
    overrides
        Values of the command line, of which those of a site count.

    Raises
    ------
    CampaignError
        If a file or value is wrong.
    """
    settings = site_settings(overrides)
    if site is None and not settings:
        return registered, None
    return with_settings(row, registered, settings, site)


def with_settings(
    row: CampaignRow, registered: Site, settings: Sequence[Setting], site: str | None = None
) -> tuple[Site, ChangedFile | None]:
    """Return the ledger's site, or another one, with some values, as `changed_site` does."""
    source = f"site {row.site_name} in the ledger"
    try:
        if site is not None:
            machine, text = load(site, settings)
        else:
            resolved = stored(row.site_yaml, Site, source).with_settings(settings)
            machine, text = validate(resolved.data, Site, source, resolved.where), resolved.text
    except FileError as error:
        raise CampaignError(str(error)) from None
    changed = differing(registered, machine)
    given = [*([f"--site {site}"] if site else []), *(one.words for one in settings)]
    return machine, ChangedFile(row.site_yaml, text, changed, " ".join(given)) if changed else None


def changed_campaign(
    row: CampaignRow, registered: CampaignFile, overrides: Sequence[str]
) -> tuple[CampaignFile, ChangedFile | None]:
    """Return the campaign that a resume goes on with, and how it differs from the ledger's.

    Raises
    ------
    CampaignError
        If a value is wrong, or changes what instances compute or which there are.
    """
    source = f"campaign {row.name} in the ledger"
    try:
        before = stored(row.campaign_yaml, CampaignFile, source)
        settings = campaign_settings(overrides, before.data)
        if not settings:
            return registered, None
        resolved = before.with_settings(settings)
        spec = validate(resolved.data, CampaignFile, source, resolved.where)
    except FileError as error:
        raise CampaignError(str(error)) from None
    changed = differing(registered, spec)
    refused = [key for key in changed if not _may_change(key)]
    if refused:
        if hint := _other_instances(row.name, registered, spec):
            raise CampaignError(hint)
        raise CampaignError(
            f"{refused[0]} cannot change once a campaign is registered, as its instances would no longer be "
            "the same; launch another campaign (may change: expected_runtime of benchmarks, "
            f"{', '.join(sorted(_MAY_CHANGE))})"
        )
    given = " ".join(f"--set {one.written}" for one in settings)
    return spec, ChangedFile(row.campaign_yaml, resolved.text, changed, given) if changed else None


def _other_instances(campaign: str, registered: CampaignFile, spec: CampaignFile) -> str:
    """Say what to do where a change, such as of `at_most`, asks for other numbers of instances."""
    before = {one.name: one for one in registered.benchmarks}
    for one in spec.benchmarks:
        known = before.get(one.name)
        if known is None or known.instances == one.instances:
            continue
        name, had = one.sweep or one.name, known.instances
        if not isinstance(had, int) or not isinstance(one.instances, int):
            continue
        if one.instances < had:
            return (
                f"{one.name} has {had:,} instances, and this asks for {one.instances:,}; instances are not "
                f"taken away: keep them by --set {name}.repeat={had} beside it"
            )
        return (
            f"{one.name} has {had:,} instances, and this asks for {one.instances:,}: add them by "
            f"`orchestrator instance add {campaign} --instances {name}=+{one.instances - had}`, then give "
            "this command again"
        )
    return ""


def differing(before: Model, after: Model) -> tuple[str, ...]:
    """Return the keys in which two models differ, with dots."""
    old, new = (_flat(one.model_dump(mode="json", by_alias=True)) for one in (before, after))
    return tuple(sorted(key for key in {**old, **new} if old.get(key) != new.get(key)))


def _flat(value: Any, above: str = "") -> dict[str, Any]:
    entries = value.items() if isinstance(value, dict) else enumerate(value) if _of_mappings(value) else None
    if entries is None:
        return {above: value}
    found: dict[str, Any] = {}
    for key, one in entries:
        found |= _flat(one, f"{above}.{key}" if above else str(key))
    return found


def _of_mappings(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _may_change(key: str) -> bool:
    first, _, rest = key.partition(".")
    return first in _MAY_CHANGE or (
        first == "benchmarks" and rest.partition(".")[2] in _MAY_CHANGE_OF_BENCHMARKS
    )


def moved_slots(book: Ledger, row: CampaignRow, planned: Plan, *, mixed: bool) -> dict[str, str]:
    """Return how the slot's shape changes of benchmarks that have accepted instances.

    One that is spread may run on other pools, and return to them; its slots on known ones stay.

    Raises
    ------
    CampaignError
        If there are such benchmarks and `mixed` does not allow it.
    """
    counts = book.counts(row.campaign_id)
    registered = {one.benchmark: registered_places(one.slot) for one in book.benchmarks(row.campaign_id)}
    spread = {one.name for one in planned.campaign.benchmarks if one.spread}
    moved: dict[str, str] = {}
    for one in (place for each in planned.benchmarks for place in each.places):
        places = registered[one.name]
        if one.name in spread and one.pool not in places:
            continue
        differ = _differing_slot(places.get(one.pool) or next(iter(places.values())), one)
        if differ and counts.get(one.name, {}).get(InstanceState.DONE):
            moved[one.name] = "; ".join(filter(None, (moved.get(one.name), ", ".join(differ))))
    if moved and not mixed:
        raise CampaignError(
            "\n".join(
                f"benchmark {name} has accepted instances, and its slot would change: {what}; keep the slot "
                "as it is, or go on with --mixed, which makes the figure of merit not reportable"
                for name, what in moved.items()
            )
        )
    return moved


def _differing_slot(registered: Mapping[str, Any], planned: PlannedBenchmark) -> list[str]:
    """Return in which keys a slot differs from the registered one, each with both values."""
    shape: dict[str, Any] = shape_facts(planned.shape) | {"pool": planned.pool}
    before = {"pool": "", **registered}
    return [
        f"{key} {before[key] or 'none'} to {shape[key] or 'none'}"
        if key == "pool"
        else f"{key} {before[key]} to {shape[key]}"
        for key in shape
        if before.get(key) != shape[key]
    ]


def kept_pools(book: Ledger, row: CampaignRow, rows: Sequence[BenchmarkRow]) -> dict[str, str]:
    """Return the registered pools of benchmarks with accepted instances; the others may take any.

    Once a user has added a pool all benchmarks keep theirs, as they do in a session that runs meanwhile.
    """
    counts, pools = book.counts(row.campaign_id), registered_pools(rows)
    if any(book.events(row.campaign_id, kinds=[EventKind.POOL_ADDED])):
        return pools
    return {name: pool for name, pool in pools.items() if counts.get(name, {}).get(InstanceState.DONE)}


def other_pools(planned: Plan, rows: Sequence[BenchmarkRow]) -> dict[str, str]:
    """Return the pools of benchmarks that are registered for another one, such as that of an allocation."""
    registered = {row.benchmark: registered_places(row.slot) for row in rows}
    return {
        one.name: ", ".join(place.pool for place in one.places)
        for one in planned.benchmarks
        if any(place.pool not in registered[one.name] for place in one.places)
    }


def requested_change(
    book: Ledger,
    row: CampaignRow,
    file: ChangedFile,
    what: str,
    more: str = "",
    *,
    slots: Mapping[str, str] | None = None,
    mixed: Mapping[str, str] | None = None,
) -> SiteChange:
    """Return another site as a user's request keeps it: it holds from the session that runs, or ran last.

    Parameters
    ----------
    what, more
        What became of which pool, and what follows from that, for people.
    slots, mixed
        As of `SiteChange`.
    """
    sessions = book.sessions_of(row.campaign_id)
    session = sessions[-1].session_number if sessions else 1
    message = f"{what} since session {session}" + (f": {more}" if more else "")
    return SiteChange(
        message,
        session,
        file.changed,
        file.source,
        sha256(file.before),
        file.after,
        slots or {},
        mixed or {},
    )


def pool_change(
    planned: Plan, text: str, pools: Mapping[str, str], moved: Mapping[str, str], session: int
) -> CampaignChange:
    """Return the ledger's record of other pools of the same text of a site."""
    named = few([f"{benchmark} on {pool}" for benchmark, pool in pools.items()], _NAMED)
    message = f"sessions from {session} ran on other pools: {named}"
    data = {"session": session, "changed": ["pool"], "given": "", "mixed": dict(moved), "pools": dict(pools)}
    slots = {one.name: one.row().slot for one in planned.benchmarks}
    subject, site = f"session {session}", planned.site.site
    return CampaignChange(
        EventKind.SITE_CHANGED, message, subject, data, "site", site, text, text, slots=slots
    )


def site_change(planned: Plan, change: ChangedFile, moved: Mapping[str, str], session: int) -> CampaignChange:
    """Return the ledger's record of another site."""
    message = f"sessions from {session} ran by another text of the site file: {_differ(change.changed)}"
    data = {"session": session, "changed": change.changed, "given": change.source, "mixed": dict(moved)}
    return CampaignChange(
        EventKind.SITE_CHANGED,
        message,
        f"session {session}",
        data,
        "site",
        planned.site.site,
        change.before,
        change.after,
        slots={one.name: one.row().slot for one in planned.benchmarks},
    )


def campaign_change(change: ChangedFile, session: int) -> CampaignChange:
    """Return the ledger's record of other settings."""
    message = f"sessions from {session} ran with other settings: {_differ(change.changed)}"
    data = {"session": session, "changed": change.changed, "given": change.source}
    return CampaignChange(
        EventKind.CAMPAIGN_CHANGED,
        message,
        f"session {session}",
        data,
        "campaign",
        "",
        change.before,
        change.after,
    )


def _differ(keys: Sequence[str]) -> str:
    return f"{few(keys, _NAMED)} {'differs' if len(keys) == 1 else 'differ'}"
