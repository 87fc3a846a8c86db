"""Forecasts of campaigns, from before their launch and from while they ran, beside what came of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from db.events import SITE_CHANGES, EventKind, now_us
from db.evidence.node_hours import node_hours
from db.states import RunOutcome
from db.times import utc, utc_seconds
from orchestrator.wording import count_of, number_words
from sites.quantities import shown

if TYPE_CHECKING:
    from db.reader import Reader
    from db.records import CampaignRow

CONFIDENCE = 0.9
"""Probability with which a figure lies in its range."""
_CHANGES = (
    EventKind.BUDGET_SPENT,
    EventKind.CAMPAIGN_CHANGED,
    EventKind.CAMPAIGN_EXTENDED,
    EventKind.INSTANCES_REQUESTED,
    EventKind.POINT_SETTLED,
    *SITE_CHANGES,
)
_LARGEST = 1e10
"""Seconds or node-hours; a larger figure is not a forecast."""
_ENDED = (RunOutcome.COMPLETE, RunOutcome.EXHAUSTED)


@dataclass(frozen=True, slots=True)
class Range:
    """A figure that is predicted.

    Parameters
    ----------
    low, high
        Between which it lies with a probability of 90 %; None where too few campaigns were simulated.
    """

    low: float | None
    median: float
    high: float | None

    def holds(self, value: float) -> bool:
        """Return whether a value lies in the range."""
        return self.low is not None and self.high is not None and self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class RegisteredForecast:
    """The forecast of a campaign, as its launch recorded it, or one that was made while the campaign ran.

    Parameters
    ----------
    registered_us
        When the campaign was registered, UTC microseconds; the length counts from there.
    made_us
        When the forecast was made.
    runs
        Number of simulated campaigns.
    """

    registered_us: int
    made_us: int
    runs: int
    makespan_seconds: Range
    node_hours: Range

    def words(self) -> str:
        """Return when the campaign was to end, and how many node-hours it was to take."""
        length, hours = self.makespan_seconds, self.node_hours
        if length.low is None or length.high is None or hours.low is None or hours.high is None:
            return f"about {shown(length.median)} and {number_words(hours.median, 3)} node-hours"
        first, last = (
            str(utc_seconds(self.registered_us + round(one * 1e6))) for one in (length.low, length.high)
        )
        same_day = first[:10] == last[:10]
        return (
            f"end {first} to {last[11:] if same_day else last} UTC, {number_words(hours.low, 3)} to "
            f"{number_words(hours.high, 3)} node-hours (each 90 %)"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        facts = asdict(self)
        times = {name: utc(facts.pop(f"{name}_us")) for name in ("registered", "made")}
        return {**times, "confidence": CONFIDENCE, **facts}


@dataclass(frozen=True, slots=True)
class ScoredForecast:
    """A forecast beside what the campaign took.

    Parameters
    ----------
    makespan_seconds, node_hours
        Measured, from the registration to the end, or until now.
    ended
        Whether the campaign ended by itself; if not, and it is scored, it has already gone beyond its range.
    left_out
        Why it says nothing about forecasts; empty if it does.
    update_inside
        Whether the campaign ended in the range of the first forecast that was made after half of its time,
        and after the last change and the last session's start; None without such a forecast.
    """

    campaign: str
    site: str
    forecast: RegisteredForecast
    makespan_seconds: float
    node_hours: float | None
    ended: bool
    left_out: str
    update_inside: bool | None

    @property
    def inside(self) -> bool | None:
        """True if the campaign ended in the range; None if it is left out."""
        if self.left_out:
            return None
        return self.forecast.makespan_seconds.holds(self.makespan_seconds)

    @property
    def hours_inside(self) -> bool | None:
        """True if its node-hours are in their range; None if they are not known or it is left out."""
        if self.left_out or not self.ended or self.node_hours is None:
            return None
        return self.forecast.node_hours.holds(self.node_hours)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        facts = asdict(self) | {"forecast": self.forecast.to_dict(), "left_out": self.left_out or None}
        return facts | {"inside": self.inside, "hours_inside": self.hours_inside}


@dataclass(frozen=True, slots=True)
class ForecastScores:
    """All forecasts of a ledger.

    Parameters
    ----------
    length_ratio, hours_ratio
        Median over the campaigns of the measured figure by the median of its forecast.
    """

    rows: tuple[ScoredForecast, ...]
    length_ratio: float | None
    hours_ratio: float | None

    @classmethod
    def of(cls, rows: Sequence[ScoredForecast]) -> ForecastScores:
        """Return the scores of forecasts."""
        counted = [one for one in rows if one.ended and not one.left_out]
        lengths = [
            one.makespan_seconds / one.forecast.makespan_seconds.median
            for one in counted
            if one.forecast.makespan_seconds.median > 0
        ]
        hours = [
            one.node_hours / one.forecast.node_hours.median
            for one in counted
            if one.node_hours is not None and one.forecast.node_hours.median > 0
        ]
        return cls(tuple(rows), median(lengths) if lengths else None, median(hours) if hours else None)

    @property
    def inside(self) -> tuple[int, int]:
        """How many campaigns ended in their range, and how many could be counted."""
        return _count_true([one.inside for one in self.rows])

    @property
    def hours_inside(self) -> tuple[int, int]:
        """How many campaigns took node-hours in their range, and how many could be counted."""
        return _count_true([one.hours_inside for one in self.rows])

    @property
    def updates_inside(self) -> tuple[int, int]:
        """How many campaigns ended in the range of a forecast made while they ran, and how many had one."""
        return _count_true([one.update_inside for one in self.rows])

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        inside, scored = self.inside
        hours_inside, hours_scored = self.hours_inside
        updates_inside, updates_scored = self.updates_inside
        return {
            "confidence": CONFIDENCE,
            "scored": scored,
            "inside": inside,
            "hours_scored": hours_scored,
            "hours_inside": hours_inside,
            "updates_scored": updates_scored,
            "updates_inside": updates_inside,
            "length_ratio": self.length_ratio,
            "hours_ratio": self.hours_ratio,
            "forecasts": [one.to_dict() for one in self.rows],
        }


def registered_forecast(reader: Reader, row: CampaignRow) -> RegisteredForecast | None:
    """Return the forecast that a campaign's launch recorded; None without one that can be read."""
    return next(iter(_forecasts(reader, row, EventKind.FORECAST_REGISTERED)), None)


def updated_forecasts(reader: Reader, row: CampaignRow) -> list[RegisteredForecast]:
    """Return the forecasts that were made of a campaign while it ran, the latest last.

    Those from before its last session and before its last change are of another course, and left out.
    """
    sessions = reader.sessions_of(row.campaign_id)[-1:]
    changes = reader.events(row.campaign_id, kinds=_CHANGES)
    since = max([*(one.started_us for one in sessions), *(one.at_us for one in changes)], default=0)
    return [one for one in _forecasts(reader, row, EventKind.FORECAST_UPDATED) if one.made_us >= since]


def forecast_message(facts: Mapping[str, Any], end: str) -> str:
    """Return the message of an event that records a forecast with such data."""
    length, hours = shown(facts["makespan_seconds"]["median"]), facts["node_hours"]["median"]
    return f"{length} from launch to end and {number_words(hours, 3)} node-hours {end}"


def _forecasts(reader: Reader, row: CampaignRow, kind: EventKind) -> list[RegisteredForecast]:
    """Return the forecasts that events of a campaign state; those that cannot be read are left out."""
    found = []
    for event in reader.events(row.campaign_id, kinds=[kind]):
        data = event.data or {}
        length, hours = _range(data.get("makespan_seconds")), _range(data.get("node_hours"))
        runs = data.get("runs")
        if length is not None and hours is not None and isinstance(runs, int):
            found.append(RegisteredForecast(row.created_us, event.at_us, runs, length, hours))
    return found


def _range(facts: object) -> Range | None:
    """Return the range that an event's data state; None where they state none."""
    if not isinstance(facts, dict):
        return None
    ends = [facts.get(name) for name in ("low", "median", "high")]
    low, middle, high = (
        float(one) if isinstance(one, int | float) and 0 <= one < _LARGEST else None for one in ends
    )
    return None if middle is None else Range(low, middle, high)


def scores(reader: Reader, names: Collection[str] = ()) -> ForecastScores:
    """Return the forecasts of campaigns beside what came of them; by default of all campaigns."""
    found, now = [], now_us()
    for row in [reader.campaign(name) for name in names] or reader.campaigns():
        forecast = registered_forecast(reader, row)
        if forecast is not None:
            found.append(_scored(reader, row, forecast, now))
    return ForecastScores.of(found)


def _scored(reader: Reader, row: CampaignRow, forecast: RegisteredForecast, now: int) -> ScoredForecast:
    sessions = reader.sessions_of(row.campaign_id)
    last = sessions[-1].ended_us if sessions else None
    ended = row.outcome in _ENDED and last is not None
    took = ((now if last is None else last) - forecast.registered_us) / 1e6
    high = forecast.makespan_seconds.high
    left_out = ""
    if len(sessions) > 1:
        left_out = f"it took {count_of(len(sessions), 'session')}"
    elif change := next(iter(reader.events(row.campaign_id, kinds=_CHANGES)), None):
        left_out = f"it was changed: {change.kind}"
    elif not ended and (high is None or took <= high):
        left_out = "it has not ended" if last is None else f"it ended otherwise: {row.outcome}"
    hours = node_hours(reader, row.campaign_id) if ended else None
    update_inside = _update_inside(reader, row, took) if ended else None
    return ScoredForecast(row.name, row.site_name, forecast, took, hours, ended, left_out, update_inside)


def _update_inside(reader: Reader, row: CampaignRow, took: float) -> bool | None:
    """Return whether a length is in the range of the first forecast after half of it."""
    since = row.created_us + round(took * 5e5)
    update = next((one for one in updated_forecasts(reader, row) if one.made_us >= since), None)
    return None if update is None else update.makespan_seconds.holds(took)


def _count_true(values: Sequence[bool | None]) -> tuple[int, int]:
    known = [one for one in values if one is not None]
    return sum(known), len(known)
