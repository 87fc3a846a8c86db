"""Sends campaigns to a collector of OpenTelemetry, over HTTP."""

from __future__ import annotations

import logging
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics.export import MetricExportResult
from opentelemetry.sdk.trace.export import SpanExportResult

from db.evidence.reported import attempts_by_token
from db.queries.attempt_times import blocks_of
from orchestrator.diagnostics.live_figures import live_figures
from orchestrator.errors import OrchestratorError
from orchestrator.monitoring.campaign_status import CampaignStatus
from orchestrator.monitoring.measures import measures
from orchestrator.telemetry.metrics import metrics_of
from orchestrator.telemetry.spans import CampaignTrace

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

    from db.reader import Reader

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
"""Variable with the address of the collector; those of headers, certificates and time limits count, too."""
_AT_ONCE = 500
"""Spans of a request: about 300 kB."""
_LIBRARY = "opentelemetry"


class CollectorError(OrchestratorError):
    """A collector took no data."""


@dataclass
class Collector:
    """The place that spans and metrics are sent to.

    Parameters
    ----------
    address
        Without ``/v1/traces``, such as ``http://localhost:4318``; empty: that of the variable `ENDPOINT`.

    Raises
    ------
    CollectorError
        If there is no address, or it is no address of HTTP.
    """

    address: str = ""

    def __post_init__(self) -> None:
        self.address = (self.address or os.environ.get(ENDPOINT, "")).rstrip("/")
        if not self.address:
            raise CollectorError(
                f"no collector is named; write --endpoint http://HOST:4318, or set {ENDPOINT}"
            )
        if urlsplit(self.address).scheme not in ("http", "https") or not urlsplit(self.address).netloc:
            raise CollectorError(f"{self.address} is no address; write one such as http://HOST:4318")
        self._spans = OTLPSpanExporter(f"{self.address}/v1/traces")
        self._metrics = OTLPMetricExporter(f"{self.address}/v1/metrics")

    def take(self, spans: Iterable[Sequence[ReadableSpan]], status: CampaignStatus, reader: Reader) -> None:
        """Send spans, a request a sequence, and metrics; raises `CollectorError` if it did not take all."""
        with _reasons() as reasons:
            taken = all(self._spans.export(some) is SpanExportResult.SUCCESS for some in spans if some)
            if taken:
                found = measures([status], {status.row.name: live_figures(reader, status.row)})
                metrics = metrics_of(status.row, found, status.read_us)
                taken = self._metrics.export(metrics) is MetricExportResult.SUCCESS
        if not taken:
            reason = reasons[-1].rstrip(".") if reasons else "it did not say why"
            raise CollectorError(
                f"{self.address} did not take all: {reason}; check that it takes OTLP over HTTP"
            )


@dataclass
class FollowedTrace:
    """Sends the spans of a campaign that have ended, each once.

    Parameters
    ----------
    campaign
        Its name.
    """

    campaign: str
    attempts: set[str] = field(default_factory=set)
    """Tokens of attempts that were sent."""
    others: set[tuple[object, ...]] = field(default_factory=set)
    """Sessions, blocks and the campaign itself that were sent."""

    @property
    def sent(self) -> int:
        """Spans that were sent."""
        return len(self.attempts) + len(self.others)

    def send(self, reader: Reader, collector: Collector) -> bool:
        """Send what ended since the last call, and the metrics of now; return whether the campaign is over.

        Raises
        ------
        LedgerError
            If the ledger cannot be read.
        CollectorError
            If the collector took not all; the next call sends again.
        """
        status = CampaignStatus.read(reader, reader.campaign(self.campaign))
        campaign = status.row.campaign_id
        ended = {token for token, state in reader.attempt_states(campaign).items() if state.final}
        new = sorted(ended - self.attempts)
        others = {key: span for key, span in self._others(reader, status) if key not in self.others}
        collector.take(self._spans(reader, status, new, others.values()), status, reader)
        self.attempts.update(new)
        self.others.update(others)
        return status.over

    def _others(
        self, reader: Reader, status: CampaignStatus
    ) -> Iterator[tuple[tuple[object, ...], ReadableSpan]]:
        trace = CampaignTrace(status.row)
        ends: list[int] = []
        for session in status.sessions:
            if session.ended_us is not None:
                ends.append(session.ended_us)
                yield ("session", session.session_number), trace.session(session)
        for block in blocks_of(reader, status.row.campaign_id):
            if block.ended_us is not None:
                yield ("block", block.session_number, block.slot_shape, block.block_id), trace.block(block)
        if status.over and ends:
            yield ("campaign", max(ends)), trace.campaign(max(ends))

    def _spans(
        self,
        reader: Reader,
        status: CampaignStatus,
        tokens: Sequence[str],
        others: Collection[ReadableSpan],
    ) -> Iterator[Sequence[ReadableSpan]]:
        trace = CampaignTrace(status.row)
        yield list(others)
        for begin in range(0, len(tokens), _AT_ONCE):
            some = attempts_by_token(reader, status.row.campaign_id, tokens[begin : begin + _AT_ONCE])
            yield [trace.attempt(labelled) for labelled in some.values()]


@contextmanager
def _reasons() -> Iterator[list[str]]:
    """Collect the messages of the library, which alone say why a collector took nothing."""
    messages: list[str] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            messages.append(" ".join(record.getMessage().split()))

    library, kept = logging.getLogger(_LIBRARY), Kept(logging.WARNING)
    before = library.propagate
    library.addHandler(kept)
    library.propagate = False
    try:
        yield messages
    finally:
        library.removeHandler(kept)
        library.propagate = before
