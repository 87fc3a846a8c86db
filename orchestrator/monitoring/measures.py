"""Where campaigns stand, as named numbers with labels: for Prometheus, and for OpenTelemetry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from orchestrator.monitoring.campaign_status import longest

if TYPE_CHECKING:
    from orchestrator.analysis.live.progress import FigureSoFar
    from orchestrator.monitoring.campaign_status import CampaignStatus

CAMPAIGN = "campaign"


class MeasureKind(Enum):
    """How a measure changes."""

    GAUGE = "gauge"
    COUNTER = "counter"
    """It only grows."""
    INFO = "info"
    """Its labels say something; its value is always 1."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A named number for each of some labels.

    Parameters
    ----------
    name
        Without a prefix.
    text
        Explains it to people.
    labels
        Names of the labels; the first is `CAMPAIGN`.
    samples
        A value for the texts of the labels.
    """

    name: str
    text: str
    labels: tuple[str, ...]
    kind: MeasureKind = MeasureKind.GAUGE
    samples: dict[tuple[str, ...], float] = field(default_factory=dict)

    def add(self, value: float, *texts: str) -> None:
        """Add a sample."""
        self.samples[texts] = value


def measures(
    statuses: Sequence[CampaignStatus], figures: Mapping[str, Sequence[FigureSoFar]]
) -> Iterator[Measure]:
    """Yield the measures of campaigns.

    Parameters
    ----------
    figures
        Figures of merit so far by campaign, where they are known.
    """
    for part in (_campaigns, _instances, _attempts, _slots, _blocks):
        yield from part(statuses)
    fom = _gauge("fom", "Figure of merit of what is accepted by now.", "benchmark", "figure")
    for name, known in figures.items():
        for figure in known:
            fom.add(float(figure.value or 0), name, figure.subject, figure.name)
    yield fom


def _gauge(name: str, text: str, *labels: str) -> Measure:
    return Measure(name, text, (CAMPAIGN, *labels))


def _campaigns(statuses: Iterable[CampaignStatus]) -> Iterator[Measure]:
    labels = (CAMPAIGN, "site", "rulebook", "run_class", "outcome")
    about = Measure("campaign", "What a campaign is.", labels, MeasureKind.INFO)
    driven = _gauge("driver_up", "Whether a driver runs the campaign.")
    rate = _gauge("accepted_instances_per_second", "Instances accepted per second of the last session.")
    left = _gauge("time_left_seconds", "Until the last instance ends, by the durations so far.")
    for status in statuses:
        row, progress = status.row, status.progress
        outcome = "running" if status.driver else row.outcome or ""
        about.add(1.0, row.name, row.site_name, row.rulebook, row.run_class, outcome)
        driven.add(float(status.driver is not None), row.name)
        if status.driver is not None and progress.per_minute is not None:
            rate.add(progress.per_minute / 60, row.name)
        if status.driver is not None and progress.time_left.seconds is not None:
            left.add(progress.time_left.seconds, row.name)
    yield from (about, driven, rate, left)


def _instances(statuses: Iterable[CampaignStatus]) -> Iterator[Measure]:
    states = _gauge("instances", "Instances of a benchmark or sweep by state.", "benchmark", "state")
    times = _gauge("longest_fom_time", "Longest FOM time so far, in `unit`.", "benchmark", "unit")
    for status in statuses:
        for name, points in status.groups():
            for state in ("planned", "running", "done", "exhausted"):
                states.add(sum(getattr(point, state) for point in points), status.row.name, name, state)
            if (time := longest(points)) is not None:
                times.add(time[0], status.row.name, name, time[1])
    yield from (states, times)


def _attempts(statuses: Iterable[CampaignStatus]) -> Iterator[Measure]:
    states = _gauge("attempts", "Attempts by state.", "state")
    failures = Measure(
        "failures",
        "Attempts that did not succeed, by reason.",
        (CAMPAIGN, "reason"),
        MeasureKind.COUNTER,
    )
    for status in statuses:
        for state, number in status.attempts.items():
            states.add(number, status.row.name, state)
        for reason, number in status.reasons:
            failures.add(number, status.row.name, reason)
    yield from (states, failures)


def _slots(statuses: Iterable[CampaignStatus]) -> Iterator[Measure]:
    slots = _gauge("slots", "Slots of the last session when every block has its nodes.")
    busy = _gauge("slots_busy", "Slots that run an instance; none without a driver.")
    for status in statuses:
        if status.progress.slots is not None:
            slots.add(status.progress.slots, status.row.name)
        if status.driver is not None:
            busy.add(status.progress.slots_busy, status.row.name)
    yield from (slots, busy)


def _blocks(statuses: Iterable[CampaignStatus]) -> Iterator[Measure]:
    blocks = _gauge("blocks", "Blocks (jobs of the batch system) without an end.", "pool", "state")
    left = _gauge("block_walltime_left_seconds", "Shortest walltime left of a pool's blocks.", "pool")
    for status in statuses:
        name = status.row.name
        for block in status.outlook.blocks:
            pool = block.pool or ""
            blocks.add(blocks.samples.get((name, pool, block.state), 0) + 1, name, pool, block.state)
            if block.left_seconds is not None:
                shortest = left.samples.get((name, pool), block.left_seconds)
                left.add(min(shortest, block.left_seconds), name, pool)
    yield from (blocks, left)
