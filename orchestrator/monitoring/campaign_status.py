"""Where a campaign stands: read once, shown by commands, screens, pages and metrics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from db.events import now_us
from db.evidence.superseded import superseded_counts
from db.queries.instance_totals import InstanceTotals, left_to_run, totals_of
from db.queries.labels import NO_LABELS, Labels, labels
from db.states import RunOutcome
from db.times import utc
from db.writing.requests import FLAG, paused, paused_pools, pool_changes
from orchestrator.analysis.live.progress import BenchmarkProgress, LiveProgress, live_progress
from orchestrator.analysis.projection.forecasts import (
    RegisteredForecast,
    registered_forecast,
    updated_forecasts,
)
from orchestrator.analysis.search.trials import search_results
from orchestrator.analysis.sequential.registered import answers
from orchestrator.lifecycle.driver_process.identity import is_dead, live_driver, may_be_alive
from orchestrator.monitoring.estimate import expected_runtimes
from orchestrator.monitoring.outcome_words import outcome_words, session_words
from orchestrator.monitoring.outlook import Outlook, outlook
from orchestrator.planning.left_out import left_out

if TYPE_CHECKING:
    from db.reader import Reader
    from db.records import CampaignRow
    from db.rows import Session
    from orchestrator.analysis.search.trials import SearchResult
    from orchestrator.analysis.sequential.questions import Answer
    from orchestrator.lifecycle.driver_process.place import DriverPlace

_REASONS = 50
_SILENT_SECONDS = 120.0  # in which a driver whose ledger was away renews its lease


@dataclass(frozen=True, slots=True, eq=False)
class CampaignStatus:
    """A campaign at one moment.

    Parameters
    ----------
    driver
        The driver that runs it now; None without one.
    counts
        Instances of each benchmark by state; superseded instances are among the done.
    superseded
        Superseded instances of each benchmark that has some.
    sweeps
        Name of its sweep for each benchmark that is a point of one.
    attempts
        Attempts by state.
    reasons
        Reasons of attempts that did not succeed, with their number, the most frequent first.
    left_out
        Optional benchmarks of the campaign file that were not registered.
    paused, paused_pools
        Benchmarks and pools that start no instance until a user lets them.
    pool_changes
        Pools that users added or removed, a sentence each.
    labels
        Its owner, tags and note.
    answers
        What is known of each question that may end the campaign.
    searches
        What is known of each search.
    forecast
        What its launch expected it to take; None if it recorded no forecast.
    updated
        What it was expected to take when this was last predicted while it runs; None without such a forecast.
    read_us
        When this was read, UTC microseconds.
    """

    row: CampaignRow
    driver: str | None
    outlook: Outlook
    progress: LiveProgress
    counts: Mapping[str, Mapping[str, int]]
    superseded: Mapping[str, int]
    sweeps: Mapping[str, str]
    attempts: Mapping[str, int]
    reasons: Sequence[tuple[str, int]]
    left_out: Sequence[str]
    paused: Sequence[str]
    paused_pools: Sequence[str]
    pool_changes: Sequence[str]
    sessions: Sequence[Session]
    labels: Labels
    answers: Sequence[Answer]
    searches: Sequence[SearchResult]
    forecast: RegisteredForecast | None
    updated: RegisteredForecast | None
    read_us: int

    @classmethod
    def read(cls, reader: Reader, row: CampaignRow) -> Self:
        """Return where a campaign stands now.

        Raises
        ------
        LedgerError
            If the ledger cannot be read now.
        """
        number, now = row.campaign_id, now_us()
        requests = reader.applied_requests(number)
        return cls(
            row=row,
            driver=live_driver(row),
            outlook=outlook(reader, row, now),
            progress=live_progress(reader, row, now, expected_runtimes),
            counts=reader.counts(number),
            superseded=superseded_counts(reader, number),
            sweeps=reader.sweeps(number),
            attempts=reader.attempt_counts(number),
            reasons=reader.failure_counts(number, _REASONS),
            left_out=left_out(row.campaign_yaml, [one.benchmark for one in reader.benchmarks(number)]),
            paused=sorted(paused(requests)),
            paused_pools=sorted(paused_pools(requests)),
            pool_changes=pool_changes(requests),
            sessions=reader.sessions_of(number),
            labels=labels(reader, number).get(number, NO_LABELS),
            answers=answers(reader, number),
            searches=search_results(reader, number),
            forecast=registered_forecast(reader, row),
            updated=next(reversed(updated_forecasts(reader, row)), None) if live_driver(row) else None,
            read_us=now,
        )

    def only(self, benchmarks: Collection[str]) -> Self:
        """Return the same with some benchmarks alone; the campaign's totals stay."""
        shown = tuple(one for one in self.progress.benchmarks if one.benchmark in benchmarks)
        return replace(self, progress=replace(self.progress, benchmarks=shown))

    @property
    def forecasts(self) -> dict[str, str]:
        """The forecast of its launch, and the last one since then, in words."""
        known = {"forecast": self.forecast, "updated": self.updated}
        return {name: found.words() for name, found in known.items() if found is not None}

    @property
    def instances(self) -> dict[str, int]:
        """Instances of the campaign by state."""
        return dict(sum(map(Counter, self.counts.values()), Counter()))

    @property
    def totals(self) -> InstanceTotals:
        """Instances as the verdict counts them."""
        return totals_of(self.instances, sum(self.superseded.values()))

    @property
    def left(self) -> bool:
        """True while instances wait or run."""
        return left_to_run(self.instances) > 0

    @property
    def over(self) -> bool:
        """True if no driver runs it, and no submitted job will, as far as the ledger knows."""
        if self.driver is not None or (self.left and self.outlook.driver_job is not None):
            return False
        if self.row.lease_owner is None or is_dead(self.row.lease_owner):
            return True
        return self.read_us > (self.row.lease_expires_us or 0) + _SILENT_SECONDS * 1e6

    @property
    def outcome(self) -> str | None:
        """How it ended; None while it runs, and before its first session."""
        return outcome_of(self.row)

    @property
    def last_end_us(self) -> int | None:
        """When its last session ended, UTC microseconds; None while it runs, and before the first."""
        return self.sessions[-1].ended_us if self.sessions else None

    @property
    def stop_request(self) -> str | None:
        """The stop that a user asked for; None without one."""
        return None if self.row.stop_request == FLAG else self.row.stop_request

    @property
    def next_command(self) -> list[str] | None:
        """The command that goes on with it; None while a driver may run it, or if nothing is left to run."""
        return None if may_be_alive(self.row) else next_command(self.row.name, self.instances)

    def groups(self) -> list[tuple[str, list[BenchmarkProgress]]]:
        """Return benchmarks by name, the points of a sweep together under the sweep's."""
        groups: dict[str, list[BenchmarkProgress]] = {}
        for benchmark in self.progress.benchmarks:
            group = self.sweeps.get(benchmark.benchmark, benchmark.benchmark)
            groups.setdefault(group, []).append(benchmark)
        return list(groups.items())

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data; empty lists, and facts of the present that are not known, are left out."""
        shown = {one.benchmark for one in self.progress.benchmarks}
        sweeps: dict[str, list[str]] = {}
        for point, sweep in self.sweeps.items():
            sweeps.setdefault(sweep, []).append(point)
        now = asdict(self.outlook)
        optional = {
            "driver_place": now.pop("driver"),
            **now,
            "sweeps": sweeps,
            "superseded": dict(self.superseded),
            "left_out": list(self.left_out),
            "paused": list(self.paused),
            "paused_pools": list(self.paused_pools),
            "pool_changes": list(self.pool_changes),
            "answers": [one.to_dict() for one in self.answers],
            "searches": [one.to_dict() for one in self.searches],
            "forecast": self.forecast and self.forecast.to_dict(),
            "updated_forecast": self.updated and self.updated.to_dict(),
        }
        outcome = self.outcome
        return {
            "at": utc(self.read_us),
            "campaign": self.row.name,
            "site": self.row.site_name,
            "class": self.row.run_class,
            "created": utc(self.row.created_us),
            **self.labels.to_dict(),
            "driver": self.driver,
            "outcome": outcome and outcome_words(outcome),
            "stop_request": self.stop_request,
            "next": self.next_command,
            "instances": self.instances,
            "benchmarks": {name: dict(states) for name, states in self.counts.items() if name in shown},
            "progress": self._pace(),
            "attempts": dict(self.attempts),
            "reasons": dict(self.reasons),
            "directory": self.row.run_directory,
            **{name: value for name, value in optional.items() if value not in (None, (), [], {})},
            "sessions": [_session(one) for one in self.sessions],
        }

    def _pace(self) -> dict[str, Any]:
        """Return the progress; what only a driver makes is null without one: nothing records how runs end."""
        facts = self.progress.to_dict()
        if self.driver:
            return facts
        benchmarks = [one | {"longest_running_seconds": None} for one in facts["benchmarks"]]
        return facts | {"benchmarks": benchmarks, "per_minute": None, "slots_busy": None, "time_left": None}


def _session(one: Session) -> dict[str, Any]:
    return {
        "session": one.session_number,
        "kind": one.kind,
        "host": one.host,
        "started": utc(one.started_us),
        "ended": utc(one.ended_us),
        "outcome": session_words(one.outcome),
    }


def outcome_of(row: CampaignRow) -> str | None:
    """Return how a campaign ended; None while a driver runs it, and before its first session."""
    if live_driver(row):
        return None
    return row.outcome or (RunOutcome.DRIVER_DIED if row.lease_owner else None)


def next_command(name: str, instances: Mapping[str, int]) -> list[str] | None:
    """Return the command that goes on with a campaign without a driver; None if nothing is left to run.

    Parameters
    ----------
    instances
        How many there are in each state.
    """
    if left_to_run(instances):
        return ["orchestrator", "resume", name]
    return ["orchestrator", "resume", name, "--retry-exhausted"] if instances.get("exhausted") else None


def longest(points: Sequence[BenchmarkProgress]) -> tuple[float, str] | None:
    """Return the longest FOM time so far, and its unit; None without one, and where units differ."""
    times = [one.longest for one in points if one.longest is not None]
    return (max(times), points[0].unit) if times and len({one.unit for one in points}) == 1 else None


def waiting_launch(name: str, job: DriverPlace) -> dict[str, Any]:
    """Return JSON-ready data of a campaign that a submitted job will launch, in the form of `to_dict`."""
    nothing: dict[str, Any] = {"driver": None, "outcome": None, "instances": {}, "benchmarks": {}}
    return {"campaign": name, **nothing, "driver_job": asdict(job)}
