"""Where a campaign stands, as metrics of OpenTelemetry."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    Gauge,
    Metric,
    MetricsData,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
    Sum,
)

from orchestrator.monitoring.measures import MeasureKind
from orchestrator.telemetry.spans import SCOPE, resource_of

if TYPE_CHECKING:
    from db.records import CampaignRow
    from orchestrator.monitoring.measures import Measure

_PREFIX = "orchestrator."


def metrics_of(row: CampaignRow, found: Iterable[Measure], at_us: int) -> MetricsData:
    """Return the measures of a campaign at a moment; those without a sample are left out."""
    metrics = [_metric(measure, row.created_us, at_us) for measure in found if measure.samples]
    return MetricsData([ResourceMetrics(resource_of(row), [ScopeMetrics(SCOPE, metrics, "")], "")])


def _metric(measure: Measure, begin_us: int, at_us: int) -> Metric:
    points = [
        NumberDataPoint(dict(zip(measure.labels, texts, strict=True)), begin_us * 1000, at_us * 1000, value)
        for texts, value in measure.samples.items()
    ]
    data = (
        Sum(points, AggregationTemporality.CUMULATIVE, is_monotonic=True)
        if measure.kind is MeasureKind.COUNTER
        else Gauge(points)
    )
    return Metric(_PREFIX + measure.name, measure.text, "", data)
