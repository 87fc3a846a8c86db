"""Sweeps that ran: points beside each other or not, judged, and read again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from db.errors import UnknownCampaignError
from db.states import RunOutcome
from orchestrator.analysis.verdict.evidence import measurements
from orchestrator.analysis.verdict.fom import judge
from orchestrator.simulation.fault_model import FaultModel, SimulatedRun
from tests.orchestrator.simulation.simulated import SimulatedCampaign, made_plan

CALM = FaultModel(spread=0.0, stragglers=0.0)
AXES = {"matrix": {"megabytes": [0, 1, 2], "seconds": [0.5]}, "repeat": 2, "expected_runtime": "5 min"}


def ran(folder: Path, *benchmarks: dict[str, Any], **plan: Any) -> SimulatedCampaign:
    plan = {"slots": 4, "rulebook": "none"} | plan
    world = SimulatedCampaign(
        folder, made_plan(*benchmarks, **plan), CALM, draw=lambda _: SimulatedRun(1.0, 300.0)
    )
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    return world


@pytest.mark.parametrize(("share", "beside"), [(False, [0, 0, 0]), (True, [2, 2, 2])])
def test_points_run_side_by_side_only_where_they_share(
    tmp_path: Path, share: bool, beside: list[int]
) -> None:
    world = ran(tmp_path, AXES | {"share": share}, slots=6)
    found = measurements(world.book, world.row)
    world.close()
    assert [one.overlap.beside_others for one in found] == beside
    assert {one.sweep for one in found} == {"behave"}


def test_a_point_is_no_run_of_the_suite_and_no_second_label_of_its_workload(tmp_path: Path) -> None:
    world = ran(tmp_path, AXES, {"instances": 4, "name": "plain"}, rulebook="coral2")
    verdict = judge(world.book, [world.row]).verdict
    world.close()
    point, plain = verdict.benchmarks[0], verdict.benchmarks[-1]
    assert [(rule.name, rule.passed) for rule in point.rules] == [("sweep", False)]
    assert point.reasons == (
        "a point of sweep behave, which is no run of the suite: write the benchmark without a matrix",
    )
    assert plain.rules[0].name == "suite"


def test_the_ledger_answers_by_axis(tmp_path: Path) -> None:
    world = ran(tmp_path, AXES, {"instances": 1, "name": "plain"})
    book, number = world.book, world.row.campaign_id
    points = book.points("toy")
    assert points["megabytes"].tolist() == [0, 1, 2]
    assert set(points["sweep"]) == {"behave"}
    frame = book.instances("toy", axes=True)
    assert frame.groupby("megabytes")["fom_seconds"].count().to_dict() == {0: 2, 1: 2, 2: 2}
    assert frame["seconds"].isna().sum() == 1
    grouped = world.rows(
        "SELECT p.number, count(*) FROM points p JOIN instances i ON i.campaign_id = p.campaign_id "
        "AND i.benchmark = p.benchmark WHERE p.axis = 'megabytes' AND p.sweep = 'behave' GROUP BY p.number"
    )
    assert list(map(tuple, grouped)) == [(0.0, 2), (1.0, 2), (2.0, 2)]
    labels = [f"behave[megabytes={size},seconds=0.5]" for size in range(3)]
    assert book.select_benchmarks(number, "behave") == labels
    assert book.select_benchmarks(number, labels[1]) == labels[1:2]
    assert book.select_benchmarks(number, "plain") == ["plain"]
    for wrong, hint in (("behav", "did you mean behave"), ("x", "there are behave, plain")):
        with pytest.raises(UnknownCampaignError, match=hint):
            book.select_benchmarks(number, wrong)
    world.close()


def test_a_campaign_without_a_sweep_has_no_points(tmp_path: Path) -> None:
    world = ran(tmp_path, {"instances": 1})
    assert world.book.points("toy").empty
    assert world.book.sweeps(world.row.campaign_id) == {}
    assert len(world.book.instances("toy", axes=True)) == 1
    world.close()


@pytest.mark.parametrize(("share", "blocks"), [(False, 2), (True, 6)])
def test_no_more_blocks_are_held_than_run_side_by_side(tmp_path: Path, share: bool, blocks: int) -> None:
    batch = {"max_blocks": 8, "nodes_per_block": 1}
    axes = AXES | {"share": share, "matrix": {"megabytes": [0, 1, 2]}}
    world = ran(tmp_path, axes, slots=1, batch=batch)
    [(held,)] = world.rows(
        "SELECT max(n) FROM (SELECT count(*) AS n FROM blocks a JOIN blocks b ON "
        "b.requested_us <= a.requested_us AND b.ended_us > a.requested_us GROUP BY a.block_id) AS x"
    )
    [stage] = world.plan.stages
    world.close()
    assert held == blocks
    assert stage.node_hours == pytest.approx((3 * 2 if not share else 6) * 300 / 3600)
