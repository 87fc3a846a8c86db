"""Where campaigns stand, as metrics of Prometheus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector

from orchestrator.monitoring.campaign_status import longest

if TYPE_CHECKING:
    from orchestrator.analysis.live.progress import FigureSoFar
    from orchestrator.monitoring.campaign_status import CampaignStatus

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
_PREFIX = "orchestrator_"


class _Statuses(Collector):
    def __init__(
        self, statuses: Sequence[CampaignStatus], figures: Mapping[str, Sequence[FigureSoFar]], *, up: bool
    ):
        self._statuses = statuses
        self._figures = figures
        self._up = up

    def collect(self) -> Iterator[Metric]:
        yield GaugeMetricFamily(_PREFIX + "ledger_up", "Whether the ledger could be read.", float(self._up))
        for part in (_campaigns, _instances, _attempts, _slots, _blocks):
            yield from part(self._statuses)
        fom = _gauge("fom", "Figure of merit of what is accepted by now.", "benchmark", "figure")
        for name, found in self._figures.items():
            for one in found:
                fom.add_metric([name, one.subject, one.name], float(one.value or 0))
        yield fom


def exposition(
    statuses: Sequence[CampaignStatus], figures: Mapping[str, Sequence[FigureSoFar]], *, up: bool = True
) -> bytes:
    """Return metrics of campaigns in Prometheus text form.

    Parameters
    ----------
    figures
        Figures of merit so far by campaign, where they are known.
    up
        Whether the ledger could be read.
    """
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Statuses(statuses, figures, up=up))
    return generate_latest(registry)


def _gauge(name: str, text: str, *labels: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(_PREFIX + name, text, labels=["campaign", *labels])


def _campaigns(statuses: Iterable[CampaignStatus]) -> Iterator[Metric]:
    about = InfoMetricFamily(_PREFIX + "campaign", "What a campaign is.", labels=["campaign"])
    driven = _gauge("driver_up", "Whether a driver runs the campaign.")
    rate = _gauge("accepted_instances_per_second", "Instances accepted per second of the last session.")
    left = _gauge("time_left_seconds", "Until the last instance ends, by the durations so far.")
    for status in statuses:
        name, row, found = [status.row.name], status.row, status.progress
        outcome = "running" if status.driver else row.outcome or ""
        texts = {"site": row.site_name, "rulebook": row.rulebook, "run_class": row.run_class}
        about.add_metric(name, texts | {"outcome": outcome})
        driven.add_metric(name, float(status.driver is not None))
        if status.driver is not None and found.per_minute is not None:
            rate.add_metric(name, found.per_minute / 60)
        if status.driver is not None and found.time_left.seconds is not None:
            left.add_metric(name, found.time_left.seconds)
    yield from (about, driven, rate, left)


def _instances(statuses: Iterable[CampaignStatus]) -> Iterator[Metric]:
    states = _gauge("instances", "Instances of a benchmark or sweep by state.", "benchmark", "state")
    times = _gauge("longest_fom_time", "Longest FOM time so far, in `unit`.", "benchmark", "unit")
    for status in statuses:
        for name, points in status.groups():
            for state in ("planned", "running", "done", "exhausted"):
                states.add_metric([status.row.name, name, state], sum(getattr(one, state) for one in points))
            if (found := longest(points)) is not None:
                times.add_metric([status.row.name, name, found[1]], found[0])
    yield from (states, times)


def _attempts(statuses: Iterable[CampaignStatus]) -> Iterator[Metric]:
    states = _gauge("attempts", "Attempts by state.", "state")
    failures = CounterMetricFamily(
        _PREFIX + "failures", "Attempts that did not succeed, by reason.", labels=["campaign", "reason"]
    )
    for status in statuses:
        for state, number in status.attempts.items():
            states.add_metric([status.row.name, state], number)
        for reason, number in status.reasons:
            failures.add_metric([status.row.name, reason], number)
    yield from (states, failures)


def _slots(statuses: Iterable[CampaignStatus]) -> Iterator[Metric]:
    slots = _gauge("slots", "Slots of the last session when every block has its nodes.")
    busy = _gauge("slots_busy", "Slots that run an instance; none without a driver.")
    for status in statuses:
        if status.progress.slots is not None:
            slots.add_metric([status.row.name], status.progress.slots)
        if status.driver is not None:
            busy.add_metric([status.row.name], status.progress.slots_busy)
    yield from (slots, busy)


def _blocks(statuses: Iterable[CampaignStatus]) -> Iterator[Metric]:
    blocks = _gauge("blocks", "Blocks (jobs of the batch system) without an end.", "pool", "state")
    left = _gauge("block_walltime_left_seconds", "Shortest walltime left of a pool's blocks.", "pool")
    for status in statuses:
        numbers: dict[tuple[str, str], int] = {}
        shortest: dict[str, float] = {}
        for one in status.outlook.blocks:
            pool = one.pool or ""
            numbers[pool, one.state] = numbers.get((pool, one.state), 0) + 1
            if one.left_seconds is not None:
                shortest[pool] = min(shortest.get(pool, one.left_seconds), one.left_seconds)
        for labels, number in numbers.items():
            blocks.add_metric([status.row.name, *labels], number)
        for pool, seconds in shortest.items():
            left.add_metric([status.row.name, pool], seconds)
    yield from (blocks, left)
