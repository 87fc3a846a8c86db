"""The rule `design` on ledgers of simulated campaigns."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

from db.evidence.registered_design import deviations
from db.states import RunOutcome
from orchestrator.analysis.verdict.design_facts import design_facts
from orchestrator.analysis.verdict.evidence import measurements
from orchestrator.analysis.verdict.fom import judge
from orchestrator.rulebooks.design_rule import design
from orchestrator.rulebooks.measurements import DesignFacts
from orchestrator.rulebooks.model import RuleResult
from orchestrator.simulation.fault_model import FaultModel
from tests.orchestrator.simulation.simulated import SimulatedCampaign
from tests.orchestrator.simulation.test_order import swept
from tests.orchestrator.simulation.test_stopping import asking, started


def facts(world: SimulatedCampaign) -> list[DesignFacts]:
    rows = world.book.benchmarks(world.row.campaign_id)
    return list(design_facts(world.book, world.row.campaign_id, rows).values())


def results(world: SimulatedCampaign) -> list[RuleResult]:
    return [design(found) for found in measurements(world.book, world.row)]


def test_the_order_of_the_file_has_nothing_to_judge(tmp_path: Path) -> None:
    world = SimulatedCampaign(tmp_path, swept("file"), FaultModel(seed=3))
    assert world.run() is RunOutcome.COMPLETE
    assert {one.passed for one in results(world)} == {None}
    world.close()


def test_only_benchmarks_of_the_same_slots_take_turns(tmp_path: Path) -> None:
    world = SimulatedCampaign(tmp_path, swept("interleaved"), FaultModel(seed=3))
    assert world.run() is RunOutcome.COMPLETE
    assert {one.takes_turns for one in facts(world)} == {True}
    number, rows = world.row.campaign_id, world.book.benchmarks(world.row.campaign_id)
    apart = [replace(row, slot=f'{{"slots": {place}}}') for place, row in enumerate(rows, 1)]
    assert {one.takes_turns for one in design_facts(world.book, number, apart).values()} == {False}
    assert judge(world.book, [world.row]).makespans == {}  # no slot use of their own
    world.close()


def test_deviations_are_declared_and_an_order_without_events_is_refused(tmp_path: Path) -> None:
    rough = FaultModel(seed=5, failures=0.05, node_hours_to_failure=10.0, queue_seconds=30.0)
    world = SimulatedCampaign(tmp_path, swept("interleaved", retries={"benchmark": 5}), rough)
    assert world.run() in (RunOutcome.COMPLETE, RunOutcome.EXHAUSTED)
    found = facts(world)
    assert sum(one.deviations for one in found) == len(deviations(world.book, world.row.campaign_id)) > 0
    assert {one.contradictions for one in found} == {0}
    assert all(one.passed for one in results(world))
    assert any("outside of their block" in text for one in results(world) for text in one.declared)
    with sqlite3.connect(tmp_path / "ledger.sqlite") as connection:
        connection.execute("DROP TRIGGER attempts_final")
        last = "(SELECT max(submitted_us) FROM attempts)"
        connection.execute(f"UPDATE attempts SET submitted_us = {last} + 1 WHERE instance_id = 0")
    assert [one.contradictions for one in facts(world)] == [1, 0, 0, 0, 0]
    assert [one.passed for one in results(world)] == [False, True, True, True, True]
    world.close()


def test_looks_and_runs_that_are_not_needed_are_stated(tmp_path: Path) -> None:
    decide = {"compare": "seconds", "difference": "3 %", "at_most": 60}
    plan = asking([1.0, 1.1], decide=decide, retries={"benchmark": 0})
    world = started(tmp_path, plan, failures=0.1)
    assert world.run() in (RunOutcome.COMPLETE, RunOutcome.EXHAUSTED)
    for one, found in zip(facts(world), measurements(world.book, world.row), strict=True):
        assert one.looks is not None
        assert one.looks >= 5
        assert one.not_needed == 60 - found.planned > 0
    assert (
        sum(one.left_out for one in facts(world))
        == world.rows("SELECT count(*) FROM instances WHERE state = 'exhausted'")[0][0]
    )
    [first, _] = results(world)
    assert first.passed
    assert f"a look after each run, {facts(world)[0].looks} at the last" in first.reason
    assert "instances not needed" in first.reason
    world.close()


def test_questions_that_changed_are_declared(tmp_path: Path) -> None:
    decide = {"compare": "seconds", "difference": "3 %", "at_most": 60}
    world = started(tmp_path, asking([1.0, 1.1], decide=decide))
    assert world.run() is RunOutcome.COMPLETE
    world.plan = asking([1.0, 1.1], decide={**decide, "difference": "9 %"})
    assert world.run() is RunOutcome.COMPLETE
    assert all("changed after its launch" in one.declared[0] for one in results(world))
    world.close()
