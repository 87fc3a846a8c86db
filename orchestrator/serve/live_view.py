"""What the page of a running campaign and its metrics show, read at one time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from db.events import now_us
from orchestrator.analysis.live_progress import (
    BenchmarkProgress,
    FigureSoFar,
    LiveProgress,
    figures_so_far,
    live_progress,
)
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.driver_identity import live_driver
from orchestrator.lifecycle.outlook import Outlook, outlook

if TYPE_CHECKING:
    from db.records import Campaign
    from orchestrator.serve.ledger_source import LedgerSource

_REASONS = 50
_POLL_SECONDS, _IDLE_SECONDS, _FIGURES_SECONDS = 2.0, 10.0, 60.0
_POLL_SHARE, _FIGURES_SHARE = 0.2, 0.05
"""Largest parts of the time that readings of one campaign take."""


@dataclass(frozen=True, slots=True, eq=False)
class LiveView:
    """Where a campaign stands.

    Parameters
    ----------
    driver
        The driver that runs it now; None without one.
    last_end_us
        When its last session ended, UTC microseconds; None while it runs, and before the first.
    sweeps
        Name of its sweep for each benchmark that is a point of one.
    attempts
        Attempts by state.
    reasons
        Reasons of attempts that did not succeed, with their number, the most frequent first.
    read_us
        When this was read, UTC microseconds.
    """

    row: Campaign
    driver: str | None
    last_end_us: int | None
    progress: LiveProgress
    outlook: Outlook
    sweeps: Mapping[str, str]
    attempts: Mapping[str, int]
    reasons: Sequence[tuple[str, int]]
    read_us: int

    def groups(self) -> list[tuple[str, list[BenchmarkProgress]]]:
        """Return benchmarks by name, the points of a sweep together under the sweep's."""
        found: dict[str, list[BenchmarkProgress]] = {}
        for one in self.progress.benchmarks:
            found.setdefault(self.sweeps.get(one.benchmark, one.benchmark), []).append(one)
        return list(found.items())


def longest(points: Sequence[BenchmarkProgress]) -> tuple[float, str] | None:
    """Return the longest FOM time so far, and its unit; None without one, and where units differ."""
    times = [one.longest for one in points if one.longest is not None]
    return (max(times), points[0].unit) if times and len({one.unit for one in points}) == 1 else None


def read_live(source: LedgerSource, name: str) -> LiveView:
    """Return where a campaign stands.

    Raises
    ------
    UnknownCampaignError
        If there is none of that name.
    LedgerError
        If the ledger cannot be read now.
    """
    with source.reader() as reader:
        row, now = reader.campaign(name), now_us()
        sessions = reader.sessions_of(row.campaign_id)
        return LiveView(
            row=row,
            driver=live_driver(row),
            last_end_us=sessions[-1].ended_us if sessions else None,
            progress=live_progress(reader, row, now),
            outlook=outlook(reader, row, now),
            sweeps=reader.sweeps(row.campaign_id),
            attempts=reader.attempt_counts(row.campaign_id),
            reasons=reader.failure_counts(row.campaign_id, _REASONS),
            read_us=now,
        )


def read_figures(source: LedgerSource, name: str) -> list[FigureSoFar]:
    """Return the figures of merit of what is accepted by now, those that have a value.

    Raises
    ------
    LedgerError
        If the ledger cannot be read now.
    """
    with source.reader() as reader:
        try:
            found = figures_so_far(reader, reader.campaign(name))
        except CampaignError:  # it cannot be judged yet
            return []
    return [one for one in found if one.value is not None]


def poll_seconds(view: LiveView, took: float) -> float:
    """Return after how many seconds a campaign is read again."""
    return max(_IDLE_SECONDS if view.driver is None else _POLL_SECONDS, took / _POLL_SHARE)


def figures_seconds(_: Sequence[FigureSoFar], took: float) -> float:
    """Return after how many seconds a campaign is judged again."""
    return max(_FIGURES_SECONDS, took / _FIGURES_SHARE)
