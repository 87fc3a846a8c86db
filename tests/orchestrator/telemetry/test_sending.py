"""Campaigns at a collector of OpenTelemetry."""

from __future__ import annotations

import pytest

from db.ledger import Ledger
from db.reader import Reader
from db.rows import Block
from orchestrator.telemetry.sending import Collector, CollectorError, FollowedTrace
from tests.db import rows
from tests.orchestrator.serve.made_ledger import fill, finish
from tests.orchestrator.telemetry.collector import collecting, texts_of

ERROR, OK = 2, 1
ENDED = 2 * 11
"""Attempts that `fill` ends: of each of two benchmarks ten that succeed and one that fails."""


def by_name(spans: list) -> dict:
    return {span.name: span for span in spans}


def test_a_campaign_is_a_trace_that_grows(sqlite_url: str) -> None:
    number = fill(sqlite_url)
    followed = FollowedTrace("toy")
    with collecting() as collector:
        with Reader(sqlite_url) as reader:
            assert not followed.send(reader, Collector(collector.address))
        spans = by_name(collector.spans)
        assert len(spans) == len(collector.spans) == followed.sent == ENDED
        [resource] = collector.resources
        assert resource["service.name"] == "orchestrator"
        assert resource["orchestrator.campaign"] == "toy"
        good, bad = spans["p1b1/0"], spans["p1b1/10"]
        assert (good.start_time_unix_nano, good.end_time_unix_nano) == (
            rows.T0 * 1000,
            (rows.T0 + 5_000_000) * 1000,
        )
        facts = texts_of(good.attributes)
        assert facts["orchestrator.fom_seconds"] == 4.0
        assert facts["orchestrator.state"] == "succeeded"
        assert (good.status.code, bad.status.code) == (OK, ERROR)
        assert texts_of(bad.attributes)["orchestrator.failure_reason"] == "timeout"
        assert collector.points["orchestrator.instances", "p1b1", "done"] == 10
        assert collector.points["orchestrator.failures", "timeout"] == 2
        assert collector.points["orchestrator.attempts", "running"] == 6

        finish(sqlite_url, number, 11)
        block = Block(number, 1, "cpu", "0", "77", "ended", rows.T0, rows.T0 + 5, rows.T0 + 9, 1, None)
        with Ledger(sqlite_url) as ledger:
            ledger.record_blocks(number, 1, [block])
            ledger.end_session(number, 1, "me", "drained")
        del collector.spans[:]
        with Reader(sqlite_url) as reader:
            assert followed.send(reader, Collector(collector.address))
        spans = by_name(collector.spans)
        assert set(spans) == {"p1b1/11", "session 1", "block 0", "campaign toy"}
        root, session = spans["campaign toy"], spans["session 1"]
        assert not root.parent_span_id
        assert session.parent_span_id == root.span_id
        assert spans["block 0"].parent_span_id == session.span_id
        [start] = spans["block 0"].events
        assert (start.name, start.time_unix_nano) == ("started", (rows.T0 + 5) * 1000)
        assert len({good.trace_id, *(span.trace_id for span in spans.values())}) == 1

        del collector.spans[:]
        with Reader(sqlite_url) as reader:
            assert FollowedTrace("toy").send(reader, Collector(collector.address))
        assert {span.name: span.span_id for span in collector.spans}["p1b1/0"] == good.span_id


def test_what_a_collector_refuses_is_sent_again(sqlite_url: str) -> None:
    fill(sqlite_url)
    followed = FollowedTrace("toy")
    with collecting() as collector, Reader(sqlite_url) as reader:
        collector.refused = 400
        with pytest.raises(CollectorError, match=f"^{collector.address} did not take all: .*400"):
            followed.send(reader, Collector(collector.address))
        assert followed.sent == 0
        collector.refused = 0
        followed.send(reader, Collector(collector.address))
        assert followed.sent == len(collector.spans) == ENDED
