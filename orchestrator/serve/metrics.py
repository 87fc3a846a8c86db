"""Where campaigns stand, as metrics of Prometheus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector

from orchestrator.monitoring.measures import Measure, MeasureKind, measures

if TYPE_CHECKING:
    from orchestrator.analysis.live.progress import FigureSoFar
    from orchestrator.monitoring.campaign_status import CampaignStatus

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
_PREFIX = "orchestrator_"


class _Measures(Collector):
    def __init__(self, found: Sequence[Measure], *, up: bool):
        self._found = found
        self._up = up

    def collect(self) -> Iterator[Metric]:
        yield GaugeMetricFamily(_PREFIX + "ledger_up", "Whether the ledger could be read.", float(self._up))
        yield from map(_family, self._found)


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
    registry.register(_Measures(list(measures(statuses, figures)), up=up))
    return generate_latest(registry)


def _family(measure: Measure) -> Metric:
    name, text = _PREFIX + measure.name, measure.text
    if measure.kind is MeasureKind.INFO:
        info = InfoMetricFamily(name, text, labels=measure.labels[:1])
        for texts in measure.samples:
            info.add_metric(texts[:1], dict(zip(measure.labels[1:], texts[1:], strict=True)))
        return info
    kind = CounterMetricFamily if measure.kind is MeasureKind.COUNTER else GaugeMetricFamily
    family = kind(name, text, labels=measure.labels)
    for texts, value in measure.samples.items():
        family.add_metric(texts, value)
    return family
