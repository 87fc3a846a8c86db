"""What must not look like more than it is, and what must survive odd input."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from db.connection.connect import parse_url
from db.ledger import Ledger
from db.queries.attempts import metrics_of_instances
from orchestrator.analysis.verdict.evidence import measurements
from orchestrator.catalog.registry import describe
from orchestrator.driver.records.attempt_records import to_ledger
from orchestrator.rundir import journal
from tests import messages
from tests.db import rows
from tests.db.rows import T0, attempt, report


def accepted_lstm(url: str, windows: list[tuple[int, int] | None], workload: str = "lstm") -> Ledger:
    """Return a ledger of LSTM instances whose runs all overlap, with these windows in seconds."""
    ledger = Ledger(url)
    parameters = json.dumps(describe(workload).resolve({}))
    benchmark = rows.benchmark("b", len(windows), workload=workload, parameters=parameters)
    spec = f"campaign: toy\nbenchmarks: [{{workload: {workload}, instances: 2, timeout: 60}}]\n"
    number = ledger.register(
        replace(rows.campaign(), campaign_yaml=spec), [benchmark], rows.planned(len(windows), "b")
    )
    rows.begin(ledger, number)
    for k, window in enumerate(windows):
        new = attempt(k)
        ledger.submit(number, 1, [new])
        times = {"run_start_us": T0, "run_stop_us": T0 + 100_000_000, "fom_seconds": 0.001}
        if window:
            times |= {
                "timed_window_start_us": T0 + window[0] * 1_000_000,
                "timed_window_stop_us": T0 + window[1] * 1_000_000,
            }
        ledger.record(number, [report(new.token, "succeeded", **times)])
    return ledger


@pytest.mark.parametrize(
    ("windows", "at_once"),
    [([(0, 10), (5, 15)], 2), ([(0, 10), (10, 20)], 1), ([(0, 10), None], 1), ([None, None], 0)],
)
def test_timed_windows_must_overlap_not_only_runs(
    sqlite_url: str, windows: list[tuple[int, int] | None], at_once: int
) -> None:
    with accepted_lstm(sqlite_url, windows) as ledger:
        [found] = measurements(ledger, ledger.campaign("toy"))
    assert found.overlap.concurrent == at_once


def test_a_module_that_calls_itself_a_benchmark_of_the_suite_is_none(sqlite_url: str) -> None:
    with accepted_lstm(sqlite_url, [(0, 10)], "tests.toys.impostor") as ledger:
        [found] = measurements(ledger, ledger.campaign("toy"))
    assert found.workload == "tests.toys.impostor"


def test_a_metric_without_a_unit_does_not_stop_the_ledger(sqlite_url: str) -> None:
    result = {"fom_seconds": 1.0, "metrics": [{"name": "loss", "value": 0.5, "unit": None}]}
    told = to_ledger(messages.report("toy-t0.1", at_us=T0, result=result), received_us=T0, becomes=None)
    with Ledger(sqlite_url) as ledger:
        number = rows.started(ledger)
        assert ledger.record(number, [told]) == []
        assert [(m.name, m.value, m.unit) for m in metrics_of_instances(ledger, number, [0])[0, 1]] == [
            ("loss", 0.5, "")
        ]


def test_a_final_report_is_found_in_a_journal(tmp_path: Path) -> None:
    file = tmp_path / "worker.journal"
    assert journal.final_report(file, "a") is None
    for token, state in (("a", "running"), ("b", "succeeded"), ("a", "failed")):
        journal.append(file, messages.report(token, state))
    assert journal.final_report(file, "a") == messages.report("a", "failed")
    assert journal.final_report(file, "c") is None


def test_the_password_is_taken_before_it_leaves_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", "secret")
    assert parse_url("postgresql://me@host/name").password == "secret"
    assert parse_url("postgresql://me:own@host/name").password == "own"
