"""A collector of OpenTelemetry on loopback, which reads requests with the project's own messages."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass
class Received:
    """Requests that a collector took.

    Parameters
    ----------
    refused
        Status of HTTP with which it answers each request; 0: it takes them.
    """

    address: str = ""
    refused: int = 0
    resources: list[dict[str, Any]] = field(default_factory=list)
    spans: list[Any] = field(default_factory=list)
    points: dict[tuple[str, ...], float] = field(default_factory=dict)
    headers: list[dict[str, str]] = field(default_factory=list)

    def trace(self, content: bytes) -> None:
        """Take a request with spans."""
        request = ExportTraceServiceRequest.FromString(content)
        for group in request.resource_spans:
            self.resources.append(texts_of(group.resource.attributes))
            for scope in group.scope_spans:
                self.spans.extend(scope.spans)

    def metrics(self, content: bytes) -> None:
        """Take a request with metrics."""
        request = ExportMetricsServiceRequest.FromString(content)
        for group in request.resource_metrics:
            for scope in group.scope_metrics:
                for metric in scope.metrics:
                    data = metric.sum if metric.HasField("sum") else metric.gauge
                    for point in data.data_points:
                        labels = texts_of(point.attributes)
                        labels.pop("campaign")
                        self.points[metric.name, *labels.values()] = point.as_double or point.as_int


def texts_of(attributes: Any) -> dict[str, Any]:
    """Return the values of attributes by name."""
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in attributes}


@contextmanager
def collecting() -> Iterator[Received]:
    """Yield a collector on a free port."""
    received = Received()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["content-length"]))
            if self.headers.get("content-encoding") == "gzip":
                content = gzip.decompress(content)
            if not received.refused:
                received.headers.append({name.lower(): value for name, value in self.headers.items()})
                {"/v1/traces": received.trace, "/v1/metrics": received.metrics}[self.path](content)
            self.send_response(received.refused or 200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    received.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield received
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
