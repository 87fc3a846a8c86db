"""Metrics and samples of a ledger are compared with a report as the report would be written."""

from __future__ import annotations

import pytest

from db.evidence.reported import measured_by_attempt
from db.ledger import Ledger
from db.records import NewCurve, NewSample
from db.writing.reported_rows import rows_of
from tests.db import rows
from tests.db.test_event_chain import unguard

SAMPLES = (
    NewSample("power", "n1", "gpu0", "W", "nvml", rows.T0, "[[0.0,200.0],[1.0,210.0]]"),
    NewSample("power", "n1", "gpu1", "W", "nvml", rows.T0, "[[0.0,190.0]]"),
)
CURVES = (NewCurve("loss", "epoch", "[[1, 0.5]]"), NewCurve("val_loss", "epoch", "[[1, 0.6]]"))


@pytest.mark.parametrize(
    ("statement", "different"),
    [
        ("UPDATE samples SET points = '[[0.0,1.0]]' WHERE device = 'gpu0'", {"samples of power gpu0 on n1"}),
        ("DELETE FROM samples WHERE device = 'gpu1'", {"samples of power gpu1 on n1"}),
        ("UPDATE metrics SET value = 1 WHERE name = 'energy'", {"metric energy"}),
        ("UPDATE metrics SET unit = 'kJ' WHERE name = 'energy'", {"metric energy"}),
        ("UPDATE curves SET points = '[[1, 0.1]]' WHERE name = 'loss'", {"curve loss"}),
        ("DELETE FROM curves WHERE name = 'val_loss'", {"curve val_loss"}),
        ("DELETE FROM metrics WHERE name = 'loss'", {"metric loss"}),
    ],
)
def test_edited_metrics_and_samples_differ_from_their_report(
    ledger_url: str, statement: str, different: set[str]
) -> None:
    metrics = [("loss", 0.5, ""), ("energy", 9.0, "J")]
    report = rows.report("toy-t0.1", "succeeded", metrics=metrics, samples=SAMPLES, curves=CURVES)
    _, written = rows_of(report, None, None)
    with Ledger(ledger_url) as ledger:
        number = rows.started(ledger, instances=1)
        ledger.record(number, [report])
        assert measured_by_attempt(ledger, number, [0])[0, 1] == written
        with rows.raw(ledger_url) as connection:
            unguard(connection)
            connection.exec_driver_sql(statement)
        kept = measured_by_attempt(ledger, number, [0])[0, 1]
    assert {name for name in {*kept, *written} if kept.get(name) != written.get(name)} == different
