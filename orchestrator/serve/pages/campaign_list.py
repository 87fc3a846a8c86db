"""The list of a ledger's campaigns, the newest first, some at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from db.queries.instance_totals import instance_totals
from db.queries.labels import NO_LABELS, Labels, labelled, labels
from db.states import RunOutcome
from db.times import utc_seconds
from orchestrator.lifecycle.driver_process.identity import live_driver, may_be_alive
from orchestrator.monitoring.campaign_status import outcome_of
from orchestrator.monitoring.outcome_words import outcome_words
from orchestrator.report.blocks import Bar, Link, Section, Table, Text
from orchestrator.serve.pages.addresses import of_campaign, with_query
from sites.quantities import shown

if TYPE_CHECKING:
    from db.queries.instance_totals import InstanceTotals
    from db.reader import Reader
    from db.records import CampaignRow
    from db.rows import Session
    from orchestrator.analysis.live.progress import FigureSoFar

_ROWS = 50
_RECENT_US = 3_600_000_000
_MEASURED = 20


@dataclass(frozen=True, slots=True)
class Listed:
    """A campaign in the list.

    Parameters
    ----------
    seconds
        Time of all its sessions; None before the first, and where the end of a session is not known.
    verdict_key
        Text that differs whenever the verdict may; empty for a campaign that has not ended.
    """

    row: CampaignRow
    totals: InstanceTotals
    state: str
    seconds: float | None
    verdict_key: str
    labels: Labels = NO_LABELS


def listed(
    reader: Reader, before: str | None, now_us: int, wanted: Labels = NO_LABELS
) -> tuple[list[Listed], str | None]:
    """Return some campaigns, the newest first, and the address of those that follow.

    Parameters
    ----------
    before
        Name of a campaign; older ones than this are listed. None for the newest.
    now_us
        UTC microseconds.
    wanted
        Owner and tags that the campaigns have.

    Raises
    ------
    UnknownCampaignError
        If there is no campaign of that name.
    """
    rows = labelled(reader, wanted)[::-1]
    if before is not None:
        last = reader.campaign(before).campaign_id
        rows = [row for row in rows if row.campaign_id < last]
    page = rows[:_ROWS]
    tags = ",".join(wanted.tags)
    following = {"before": page[-1].name, "owner": wanted.owner, "tag": tags} if len(rows) > _ROWS else None
    older = with_query("/", following) if following else None
    known = labels(reader)
    found = [_listed(reader, row, now_us, known.get(row.campaign_id, NO_LABELS)) for row in page]
    return found, older


def campaign_list(found: Sequence[Listed], figures: Mapping[str, Sequence[FigureSoFar]]) -> Section:
    """Return campaigns as a section.

    Parameters
    ----------
    figures
        Figures of ended campaigns by their `verdict_key`, as far as they are known.
    """
    title = "Newest first"
    if not found:
        return Section("campaigns", title, [Text("The ledger has no campaign yet.")])
    columns = [
        "campaign", "state", "FOM", "reportable", "progress", "done", "out of retries", "took",
        "instances/min", "created (UTC)", "site", "owner", "tags",
    ]  # fmt: skip
    return Section(
        "campaigns", title, [Table("State, verdict and pace", columns, [_row(one, figures) for one in found])]
    )


def _listed(reader: Reader, row: CampaignRow, now_us: int, given: Labels) -> Listed:
    totals, sessions = instance_totals(reader, row.campaign_id), reader.sessions_of(row.campaign_id)
    running = live_driver(row) is not None
    key = ""
    if row.outcome is not None and not may_be_alive(row):
        key = f"{row.uid} {row.outcome} {sessions[-1].ended_us if sessions else 0} {totals}"
    seconds = session_seconds(sessions, now_us if running else None)
    return Listed(row, totals, state_of(row), seconds, key, given)


def session_seconds(sessions: Sequence[Session], now_us: int | None = None) -> float | None:
    """Return the time of all sessions together; None before the first, and where an end is not known.

    When a driver died is not: the next one only found it.

    Parameters
    ----------
    now_us
        UTC microseconds that stand for the end of a session that runs; None where none runs.
    """
    ends = [None if one.outcome == RunOutcome.DRIVER_DIED else one.ended_us or now_us for one in sessions]
    if not sessions or None in ends:
        return None
    return sum((end or 0) - one.started_us for end, one in zip(ends, sessions, strict=True)) / 1e6


def rate(done: int, seconds: float | None) -> float | None:
    """Return accepted instances per minute of the sessions; None where there are none."""
    return 60 * done / seconds if seconds and done else None


def _row(one: Listed, figures: Mapping[str, Sequence[FigureSoFar]]) -> list[object]:
    row, totals = one.row, one.totals
    fom, reportable = _verdict(one, figures)
    pace = rate(totals.done, one.seconds)
    return [
        Link(row.name, of_campaign(row.name)),
        one.state,
        fom,
        reportable,
        Bar(totals.total, {"done": totals.done, "exhausted": totals.exhausted}),
        f"{totals.done:,} of {totals.total:,}",
        totals.exhausted,
        None if one.seconds is None else shown(round(one.seconds)),
        None if pace is None else f"{pace:.3g}",
        str(utc_seconds(row.created_us))[:16],
        row.site_name,
        Link(one.labels.owner, with_query("/", {"owner": one.labels.owner})) if one.labels.owner else None,
        ", ".join(one.labels.tags),
    ]


def _verdict(one: Listed, figures: Mapping[str, Sequence[FigureSoFar]]) -> tuple[str | None, str | None]:
    """Return figure of merit and verdict of the whole campaign; never a figure without its verdict."""
    if not one.verdict_key:
        return None, None
    if one.verdict_key not in figures:
        return None, "being judged"
    whole = next((figure for figure in figures[one.verdict_key] if not figure.subject), None)
    if whole is None or whole.value is None:
        return None, None
    return f"{whole.value:.4g} {whole.unit}".strip(), "yes" if whole.reportable else "no"


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
