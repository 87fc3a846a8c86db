"""The list of a ledger's campaigns, the newest first, some at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from db.queries.instance_totals import instance_totals
from db.times import utc_seconds
from orchestrator.lifecycle.driver_process.identity import live_driver
from orchestrator.monitoring.campaign_status import outcome_of
from orchestrator.monitoring.outcome_words import outcome_words
from orchestrator.report.blocks import Bar, Link, Section, Table, Text
from orchestrator.serve.addresses import of_campaign, with_query

if TYPE_CHECKING:
    from db.reader import Reader
    from db.records import CampaignRow

_ROWS = 50
_RECENT_US = 3_600_000_000
_MEASURED = 20


def campaign_list(reader: Reader, before: str | None) -> tuple[Section, str | None]:
    """Return campaigns as a section, and the address of those that follow.

    Parameters
    ----------
    before
        Name of a campaign; older ones than this are listed. None for the newest.

    Raises
    ------
    UnknownCampaignError
        If there is no campaign of that name.
    """
    rows = reader.campaigns()[::-1]
    if before is not None:
        last = reader.campaign(before).campaign_id
        rows = [row for row in rows if row.campaign_id < last]
    page = rows[:_ROWS]
    title = "Campaigns"
    if not page:
        return Section("campaigns", title, [Text("The ledger has no campaign yet.")]), None
    columns = [
        "campaign",
        "progress",
        "done",
        "of",
        "out of retries",
        "state",
        "site",
        "class",
        "created (UTC)",
    ]
    table = Table("Campaigns, the newest first", columns, [_row(reader, row) for row in page])
    older = with_query("/", {"before": page[-1].name}) if len(rows) > _ROWS else None
    return Section("campaigns", title, [table]), older


def _row(reader: Reader, row: CampaignRow) -> list[object]:
    found = instance_totals(reader, row.campaign_id)
    return [
        Link(row.name, of_campaign(row.name)),
        Bar(found.total, {"done": found.done, "exhausted": found.exhausted}),
        found.done,
        found.total,
        found.exhausted,
        state_of(row),
        row.site_name,
        row.run_class,
        utc_seconds(row.created_us),
    ]


def state_of(row: CampaignRow) -> str:
    """Return in words whether a campaign runs, or how it ended."""
    if live_driver(row) is not None:
        return "running"
    outcome = outcome_of(row)
    return outcome_words(outcome) if outcome else "not started"


def measured(reader: Reader, now_us: int) -> list[str]:
    """Return the campaigns that metrics are about: with a driver, or ended within an hour.

    A driver that died counts for an hour after the end of its lease.
    """
    rows = reader.campaigns()[::-1]
    driven = [
        row.name for row in rows if row.lease_owner and now_us - (row.lease_expires_us or 0) < _RECENT_US
    ]
    ended = [row for row in rows[:_ROWS] if not row.lease_owner]
    return [*driven, *(row.name for row in ended if now_us - _ended_us(reader, row) < _RECENT_US)][:_MEASURED]


def _ended_us(reader: Reader, row: CampaignRow) -> int:
    """Return when the last session of a campaign ended, UTC microseconds; 0 if it never ran."""
    return max((one.ended_us or 0 for one in reader.sessions_of(row.campaign_id)), default=0)
