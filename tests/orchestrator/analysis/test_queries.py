"""How many queries a verdict takes: as many for forty benchmarks as for ten."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine, event

from db.ledger import Ledger
from db.reader import Reader
from db.states import InstanceState
from orchestrator.analysis.verdict.evidence import measurements
from orchestrator.analysis.verdict.fom import judge
from orchestrator.analysis.verdict.review import review
from tests.db import rows
from tests.db.rows import T0, attempt, report

SECOND = 1_000_000


def fill(ledger: Ledger, name: str, points: int) -> int:
    """Run a campaign with a point for each instance, of which every fourth fails, and return its number."""
    names = [f"{name}{k}" for k in range(points)]
    number = ledger.register(
        rows.campaign(name, rulebook="none", run_class="free"),
        [rows.benchmark(one, 1) for one in names],
        [instance for k, one in enumerate(names) for instance in rows.planned(1, one, first=k)],
    )
    session = rows.begin(ledger, number)
    ledger.submit(number, session, [attempt(k, token=f"{name}-{k}") for k in range(points)])
    for k in range(points):
        begin = T0 + k * SECOND
        times = {"process_start_us": begin, "run_start_us": begin + 1, "process_stop_us": begin + SECOND}
        values = times | {"node": "n1", "received_us": begin + 2 * SECOND, "observed": {"cpuset": [k]}}
        if k % 4 == 3:
            failed = report(
                f"{name}-{k}", "failed", InstanceState.EXHAUSTED, failure_reason="exit code 1", **values
            )
            ledger.record(number, [failed])
            continue
        values |= {"run_stop_us": begin + SECOND // 2, "fom_seconds": 0.5 + k, "accuracy": 0.25}
        metrics = (("epochs_run", float(k), ""), ("load_seconds", 0.5, "s"))
        ledger.record(
            number, [report(f"{name}-{k}", "succeeded", InstanceState.DONE, metrics=metrics, **values)]
        )
    ledger.end_session(number, session, "me", "exhausted")
    return number


@pytest.mark.parametrize("every_run", [False, True], ids=["sums", "every run"])
def test_the_number_of_queries_does_not_grow_with_the_points(ledger_url: str, every_run: bool) -> None:
    sizes = {"ten": 10, "forty": 40}
    with Ledger(ledger_url) as ledger:
        for name, points in sizes.items():
            fill(ledger, name, points)
    asked: dict[str, list[str]] = {name: [] for name in sizes}
    for name, points in sizes.items():
        with Reader(ledger_url) as reader:
            row = reader.campaign(name)

            def note(*facts: object, to: list[str] = asked[name]) -> None:
                to.append(str(facts[2]))

            event.listen(Engine, "before_cursor_execute", note)
            try:
                found = measurements(reader, row, every_run=every_run, metrics=["load_seconds"])
                judged = judge(reader, [row])
                reviews = review(reader, judged)
            finally:
                event.remove(Engine, "before_cursor_execute", note)
        assert [one.accepted for one in found] == [0 if k % 4 == 3 else 1 for k in range(points)]
        assert [one.ended.outcomes for one in found[2:4]] == [{}, {"failed: exit code 1": 1}]
        assert [one.fewest_epochs_run for one in found[:4]] == [0, 1, 2, None]
        assert [one.times.max_seconds for one in found[:4]] == [0.5, 1.5, 2.5, None]
        assert reviews[f"{name}2"].phases == {"load": (0.5, 0.5)}
        if every_run:
            columns = [list(one.runs.metrics["load_seconds"]) for one in found[2:4] if one.runs]
            assert columns == [[0.5], []]
    assert len(asked["forty"]) == len(asked["ten"]) > 0
