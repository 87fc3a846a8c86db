"""What `fom --rules` states besides the rules, against sums done by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from db.reader import Reader
from db.states import RunOutcome
from orchestrator.analysis.verdict.fom import campaigns_named, judge
from orchestrator.analysis.verdict.review import Review, review
from orchestrator.simulation.fault_model import FaultModel
from tests.db import rows
from tests.db.rows import T0
from tests.orchestrator.analysis.verdict.test_fom import SECOND, Book
from tests.orchestrator.simulation.simulated import SimulatedCampaign, made_plan

HOUR = 3600 * SECOND


def of(url: str, *names: str) -> dict[str, Review]:
    with Reader(url) as reader:
        return review(reader, judge(reader, campaigns_named(reader, names or ["toy"])))


def filled(url: str) -> Book:
    """Return four instances on two nodes, one of them below the target, with phases and a cache."""
    book = Book(url)
    for k, accuracy in enumerate([0.79, 0.8, 0.81, 0.5]):
        facts = {"synthetic": False, "loader": "cache", "cache": "hit" if k else "filled"}
        facts |= {"cache_stage": "copied"} if k == 1 else {}
        metrics = (("epochs_run", 100.0, ""), ("load_seconds", 1.0 + k, "s"), ("train_seconds", 5.0, "s"))
        given = {"accuracy": accuracy, "data_facts": facts, "metrics": metrics, "node": f"n{k % 2}"}
        book.run(k, 12 * (k // 2), 12 * (k // 2) + 10, process_start_us=T0 - 3 * SECOND, **given)
    return book


def test_what_a_reviewer_asks(sqlite_url: str) -> None:
    book = filled(sqlite_url)
    with rows.raw(sqlite_url) as connection:
        connection.exec_driver_sql(f"UPDATE sessions SET started_us = {T0}, ended_us = {T0 + 3 * HOUR}")
    found = of(sqlite_url)["p1b1"]
    assert found.libraries == ("tensorflow 2.18.1",)
    assert found.phases == {"load": (1.0, 4.0), "train": (5.0, 5.0)}
    assert found.cache == {
        "through the cache (filled)": 1,
        "through the cache (hit)": 2,
        "through the cache (hit, copy of the node: copied)": 1,
    }
    assert (found.at_once, found.nodes_used, found.nodes_declared) == (2, 2, None)
    assert (found.accuracies["number"], found.accuracies["reached"]) == (4, 3)
    assert (found.accuracies["lowest"], found.accuracies["median"]) == (0.5, pytest.approx(0.795))
    assert found.makespan_seconds == 22.0
    assert (found.node_hours, found.planned_node_hours) == (3.0, None)
    lines = list(found.lines())
    assert "accuracy of 4: lowest 0.5" in "\n".join(lines)
    assert "3 reach 0.78" in "\n".join(lines)
    other = Book(sqlite_url, name="other")
    assert list(of(sqlite_url, "toy", "other")) == ["toy/p1b1", "other/p1b1"]
    assert of(sqlite_url, "other")["p1b1"].accuracies == {}
    for one in (book, other):
        one.ledger.close()


def test_scheduler_jobs_count_by_their_nodes(sqlite_url: str) -> None:
    book = filled(sqlite_url)
    with rows.raw(sqlite_url) as connection:
        connection.exec_driver_sql(f"UPDATE sessions SET started_us = {T0}, ended_us = {T0 + 3 * HOUR}")
        for block, nodes, stop in ((0, 4, T0 + HOUR), (1, 2, "NULL")):
            connection.exec_driver_sql(
                "INSERT INTO blocks (campaign_id, session_number, slot_shape, block_id, state, requested_us, "
                f"started_us, ended_us, nodes) VALUES (1, 1, 'c1', '{block}', 'ended', {T0}, {T0}, {stop}, "
                f"{nodes})"
            )
    assert of(sqlite_url)["p1b1"].node_hours == 4 * 1 + 2 * 3
    book.ledger.close()


def test_the_plans_node_hours_stand_beside_those_held(tmp_path: Path) -> None:
    plan = made_plan({"instances": 4, "expected_runtime": "30 min"}, rulebook="none")
    world = SimulatedCampaign(tmp_path, plan, FaultModel(spread=0.0, stragglers=0.0))
    assert world.run() is RunOutcome.COMPLETE
    world.close()
    found = of(f"sqlite:///{tmp_path}/ledger.sqlite")["behave"]
    assert found.planned_node_hours == 1.0
    assert any("1 planned" in line for line in found.lines())
    assert all(len(line) < 400 for line in found.lines())
