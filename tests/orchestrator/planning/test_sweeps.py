"""Sweeps in campaign files: each point is a benchmark, and what is wrong is named with its line."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from db.rows import BenchmarkRow
from orchestrator.errors import CampaignError
from orchestrator.planning.campaign_file import CampaignFile
from orchestrator.planning.campaign_limits import check_limits
from orchestrator.planning.campaign_reading import load_campaign, parse_campaign
from orchestrator.planning.left_out import left_out
from orchestrator.planning.plan import Plan, make_plan
from orchestrator.planning.plan_facts import plan_facts
from orchestrator.planning.registered import as_registered
from orchestrator.planning.slots import NodeFacts
from sites import Site
from sites.nodes import Gpus, Node

SITE = Site(site="test")
NODE = NodeFacts(tuple(range(8)), 32 << 30)
HEAD = "campaign: toy\nrulebook: none\nbenchmarks:\n  - workload: p1b1\n    name: nt3\n    timeout: 1 h\n"
TOY = {"workload": "tests.toys.behave", "timeout": 60}


def campaign(*benchmarks: dict[str, Any], **changes: Any) -> CampaignFile:
    written = {"campaign": "toy", "rulebook": "none", "benchmarks": [TOY | one for one in benchmarks]}
    return parse_campaign(json.dumps(written | changes), "toy.yaml")


def plan(*benchmarks: dict[str, Any], node: NodeFacts = NODE, site: Site = SITE, **changes: Any) -> Plan:
    return make_plan(campaign(*benchmarks, **changes), site, node, Path("/data"))


def test_each_point_is_a_benchmark_of_its_own() -> None:
    content = (
        HEAD + "    matrix:\n      batch_size: 10..40 x2\n      derive:\n"
        "        learning_rate: 0.001 * sqrt(batch_size / 10)\n"
        "        epochs: int(epochs / batch_size)\n"
        "        expected_runtime: 60 * epochs\n    repeat: 3\n"
    )
    made = make_plan(parse_campaign(content, "toy.yaml"), SITE, NODE, Path("/data"))
    assert [one.name for one in made.benchmarks] == [f"nt3[batch_size={size}]" for size in (10, 20, 40)]
    assert [one.instances for one in made.benchmarks] == [3, 3, 3]
    assert [one.first_instance for one in made.benchmarks] == [0, 3, 6]
    assert [one.parameters["batch_size"] for one in made.benchmarks] == [10, 20, 40]
    assert [one.parameters["epochs"] for one in made.benchmarks] == [10, 5, 2]
    assert [one.expected_seconds for one in made.benchmarks] == [600, 300, 120]
    assert made.benchmarks[2].parameters["learning_rate"] == 0.002
    assert [one.seed for one in made.instances()] == list(range(2017, 2026))  # of repeats as of all others


def test_axes_may_be_keys_of_the_slot() -> None:
    site = Site(site="test", node=Node(gpus=Gpus(count=4)))
    node = NodeFacts(tuple(range(8)), 32 << 30, gpus=4)
    made = plan(
        {
            "workload": "resnet50",
            "matrix": {"ranks": [1, 2, 4], "gpus": [1], "derive": {"cores": "8 // ranks"}},
        },
        site=site,
        node=node,
    )
    assert [(one.shape.ranks, one.shape.cores) for one in made.benchmarks] == [(1, 8), (2, 4), (4, 2)]
    assert [stage.shape.ranks for stage in made.stages] == [1, 2, 4]  # one after another
    rows = made.point_rows()
    assert [asdict(row) for row in rows[2:4]] == [
        {"benchmark": "resnet50[ranks=2,gpus=1]", "axis": axis, "place": place, "sweep": "resnet50"}
        | {"value": value, "number": number}
        for place, (axis, value, number) in enumerate([("ranks", "2", 2.0), ("gpus", "1", 1.0)])
    ]


def test_a_share_of_a_gpu_is_an_axis() -> None:
    made = campaign({"matrix": {"gpus": ["1/4", 1]}})
    assert [one.name for one in made.benchmarks] == ["behave[gpus=1of4]", "behave[gpus=1]"]
    point = made.benchmarks[0].point
    assert point is not None
    assert str(point.slot["gpus"]) == "1/4"


def test_seed_groups_differ_in_their_seeds_alone() -> None:
    made = plan({"matrix": {"seed_group": ["a", "b"]}, "repeat": 2})
    first, second = made.benchmarks
    assert (first.parameters, first.shape) == (second.parameters, second.shape)
    assert [(one.benchmark, one.seed) for one in made.instances()] == [
        ("behave[seed_group=a]", 2017),
        ("behave[seed_group=a]", 2018),
        ("behave[seed_group=b]", 2019),
        ("behave[seed_group=b]", 2020),
    ]


def test_instances_may_fill_the_site_at_each_point() -> None:
    made = plan({"matrix": {"cores": [1, 4]}, "instances": "fill"})
    assert [one.instances for one in made.benchmarks] == [8, 2]


def test_points_run_alone_unless_they_share() -> None:
    axes = {"matrix": {"megabytes": [0, 1, 2, 3]}, "expected_runtime": 10}
    alone, shared = plan(axes).stages[0], plan(axes | {"share": True}).stages[0]
    assert len(alone.groups) == 4
    assert (alone.waves, alone.expected_seconds) == (4, 40)
    assert len(shared.groups) == 1
    assert (shared.waves, shared.expected_seconds) == (1, 10)
    assert sum(shared.node_hours_of(one) or 0 for one in shared.benchmarks) * 3600 == 10  # its node is held


def test_instances_that_run_alone_have_a_slot_each_and_one_block() -> None:
    made = plan({"matrix": {"megabytes": [0, 1]}, "repeat": 3, "alone": True, "expected_runtime": 10})
    [stage] = made.stages
    assert (stage.width, stage.waves, stage.expected_seconds, stage.blocks) == (1, 6, 60, 1)
    assert stage.label.endswith("-alone")
    beside = plan({"name": "a", "instances": 2, "alone": True}, {"name": "b", "instances": 2})
    assert [(one.benchmarks[0].name, one.alone) for one in beside.stages] == [("a", True), ("b", False)]
    assert plan({"name": "a", "instances": "fill", "alone": True}).size == 1


def test_alone_on_its_node_is_one_slot_a_node() -> None:
    made = plan({"matrix": {"megabytes": [0, 1]}, "repeat": 3, "alone": "node", "share": True})
    [stage] = made.stages
    assert (len(stage.slots), stage.width) == (1, stage.blocks * stage.nodes_per_block)
    assert stage.label.endswith("-alone-in-node")
    assert not stage.alone
    assert plan({"name": "a", "instances": "fill", "alone": "node"}).size == stage.width


def test_alone_in_its_pool_leaves_other_pools_their_lanes() -> None:
    pools = {
        name: {"node": {"cores": "0-1", "memory": "8 GiB"}, "scheduler": {"nodes_per_block": 1}}
        for name in ("a", "b")
    }
    scheduler = {"type": "slurm", "walltime": "1 h"}
    site = Site.model_validate({"site": "test", "interface": "lo", "scheduler": scheduler, "pools": pools})
    one = {"name": "one", "instances": 3, "alone": "pool", "pools": ["a"]}
    two = {"name": "two", "instances": 3, "pools": ["b"]}
    made = plan(one, two, site=site)
    assert [[stage.width for stage in lane] for lane in made.lanes] == [[1], [2]]
    assert len(plan({**one, "alone": True}, two, site=site).lanes) == 1


@pytest.mark.parametrize("other", ["share", "spread"])
def test_alone_excludes_what_runs_several_at_once(other: str) -> None:
    with pytest.raises(CampaignError, match=f"alone runs one instance at a time, {other} several"):
        plan({"matrix": {"megabytes": [0, 1]}, "alone": True, other: True})


def test_a_wave_that_starts_together_is_of_one_point() -> None:
    stage = plan({"matrix": {"megabytes": [0, 1]}, "share": True}, start="synchronized").stages[0]
    assert len(stage.groups) == 2


def test_shared_points_of_one_sweep_run_beside_no_other_benchmark() -> None:
    stage = plan({"matrix": {"megabytes": [0, 1]}, "share": True}, {"name": "x", "instances": 1}).stages[0]
    assert {name: len(members) for name, members in stage.groups.items()} == {"behave": 2, "": 1}


def test_a_plan_as_data_has_the_axes() -> None:
    [stage] = plan_facts(plan({"matrix": {"megabytes": [0, 1]}, "expected_runtime": 36}))["stages"]
    assert [(one["sweep"], one["axes"]) for one in stage["benchmarks"]] == [
        ("behave", {"megabytes": 0}),
        ("behave", {"megabytes": 1}),
    ]
    assert stage["benchmarks"][0]["node_hours"] == pytest.approx(0.01)
    assert stage["benchmarks"][0]["node_hours_at_most"] == stage["benchmarks"][0]["timeout_seconds"] / 3600


def test_without_an_expected_time_the_timeout_bounds_the_cost() -> None:
    made = plan({"matrix": {"megabytes": [0, 1, 2, 3]}, "share": True, "timeout": "1 h"})
    [stage] = made.stages
    assert made.node_hours is None
    assert [stage.node_hours_of(one) for one in stage.benchmarks] == [None] * 4
    assert [stage.node_hours_of(one, at_most=True) for one in stage.benchmarks] == [0.25] * 4  # of a node
    assert made.node_hours_at_most == 1.0
    assert plan({"matrix": {"megabytes": [0, 1]}, "timeout": "1 h"}).node_hours_at_most == 2  # one by one


def test_points_are_resumed_as_they_are_registered() -> None:
    spec = campaign({"matrix": {"cores": [1, 4], "megabytes": [0, 1]}, "repeat": 2})
    made = make_plan(spec, SITE, NODE, Path("/data"))
    rows = [BenchmarkRow(campaign_id=1, **asdict(one.row())) for one in made.benchmarks]
    again, differences = as_registered(spec, SITE, rows)
    assert differences == {}
    assert make_plan(again, SITE, NODE, Path("/data")).benchmarks == made.benchmarks


def test_optional_points_that_were_left_out_are_named() -> None:
    text = json.dumps({"benchmarks": [TOY | {"optional": True, "matrix": {"megabytes": "0..2"}}]})
    assert left_out(text, ["behave[megabytes=1]"]) == ["behave[megabytes=0]", "behave[megabytes=2]"]


@pytest.mark.parametrize("written", [10, 1e1, "10"])
def test_whole_numbers_may_be_written_as_floats_and_texts(written: object) -> None:
    matrix = {"cores": [1, 2]}
    assert plan({"matrix": matrix, "repeat": written}).size == 20
    assert plan({"matrix": matrix, "instances": written}).size == 20
    assert plan({"repeat": written}).size == 10
    points = [one.name for one in campaign({"matrix": matrix}).benchmarks]
    assert plan({"matrix": matrix, "instances_at": dict.fromkeys(points, written)}).size == 20


def test_a_repeat_without_a_matrix_is_a_number_of_instances() -> None:
    assert plan({"repeat": 5}).size == 5


@pytest.mark.parametrize(
    ("lines", "number", "problem"),
    [
        (["rank: [1]"], 8, "matrix.rank: workload p1b1 has no parameter 'rank', nor has a slot such a key; "
         "did you mean ranks?"),
        (["batchsize: [1]"], 8, "did you mean batch_size?"),
        (["batch_size: [1, 2.5]"], 8, "matrix.batch_size: batch_size must be a whole number, not 2.5"),
        (["batch_size: [0]"], 8, "matrix.batch_size: batch_size must be at least 1, not 0"),
        (["batch_size: [.nan]"], 8, "matrix.batch_size: must hold finite numbers"),
        (["batch_size: []"], 8, "matrix.batch_size: has no values"),
        (["batch_size: [4, 4]"], 7, "matrix: two points are nt3[batch_size=4]"),
        (["loader: [nummpy]"], 8, "matrix.loader: loader must be one of"),
        (["weights_stream: [é]"], 8, "matrix.weights_stream: weights_stream must be one of"),
        (["seed_group: [größe]"], 8, "matrix.seed_group: 'größe' cannot be part of a label"),
        (["ranks: [1.5]"], 8, "matrix.ranks: ranks must be a whole number of at least 1"),
        (["ranks: [true]"], 8, "matrix.ranks: ranks must be a whole number of at least 1"),
        (["gpus: [0.3]"], 8, "matrix.gpus: gpus is a whole number, or a share of one such as 1/4, not 0.3"),
        (["nodes: [2]", "ranks: [3]"], 7, "3 ranks cannot be spread evenly over 2 nodes"),
        (["epochs: 1..1000", "batch_size: 1..1000"], 7, "1,000,000 combinations; write at most 100,000"),
        (["epochs: [1]", "exclude: [{epochs: 1}]"], 7, "no point is left"),
        (["epochs: [1]", "include:", "  - {batch: 3}"], 10, "matrix.include.0.batch: workload p1b1 has no"),
        (["epochs: [1]", "exclude:", "  - {epochs: 3}"], 10, "matrix.exclude.0: excludes no point"),
        (["epochs: [1]", "derive:", "  batch_size: 1 / (epochs - 1)"], 10, "by zero, at nt3[epochs=1]"),
        (["epochs: [1]", "derive:", "  batch_size: 1 / 2"], 10, "batch_size is a whole number: write int"),
        (["epochs: [1]", "derive:", "  ranks: epochs / 2"], 10, "gives 0.5, and ranks is a whole number"),
        (["epochs: [1]", "derive:", "  ranks: epochs - 1"], 10, "gives 0, and ranks must be a whole number"),
        (["epochs: [1]", "derive:", "  batch_size: 9 ** 99"], 10, "has the exponent 99; at most 64"),
        (["epochs: [1]", "derive:", "  batch_size: epoch + 1"], 10, "uses epoch, which has no value; did you "
         "mean epochs?"),
        (["epochs: [1]", "derive:", "  batch_size: loader + 1"], 10, "uses loader, which is 'numpy' and no"),
        (["epochs: [1]", "derive:", "  batch_size: open('x')"], 10, "knows no function open"),
        (["epochs: [1]", "derive:", "  loader: 3"], 10, "gives 3, and loader must be a text"),
        (["epochs: [1]", "derive:", "  sharing: 3"], 10, "matrix.derive.sharing: workload p1b1 has no"),
        (["epochs: [1]", "derive:", "  timeout: epochs", "  expected_runtime: 2"], 7, "longer than timeout"),
    ],
)  # fmt: skip
def test_what_is_wrong_has_one_line_with_its_place(
    tmp_path: Path, lines: list[str], number: int, problem: str
) -> None:
    file = tmp_path / "toy.yaml"
    file.write_text(HEAD + "    matrix:\n" + "".join(f"      {line}\n" for line in lines))
    with pytest.raises(CampaignError) as error:
        load_campaign(file)
    assert problem in str(error.value)
    assert str(error.value).startswith(f"{file}: line {number}: benchmarks.0.matrix")
    assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("benchmarks", "problem"),
    [
        ([{"repeat": 2, "instances": 2}], "repeat and instances both say"),
        ([{"repeat": 0}], "repeat: must be at least 1"),
        ([{"repeat": True}], "repeat: must be a whole number"),
        ([{"repeat": 2.5, "matrix": {"cores": [1]}}], "repeat: must be a whole number"),
        ([{"repeat": "many", "matrix": {"cores": [1]}}], "repeat: must be a whole number"),
        ([{"matrix": {"cores": [1]}, "instances_at": {"a": True}}], "instances_at.a: must be a whole number"),
        ([{"instances": 1, "share": True}], "share is for the points of a matrix"),
        ([{"matrix": {"cores": [1]}}, {"instances": 1}], "two benchmarks are named behave"),
        (
            [{"matrix": {"cores": [1]}}, {"name": "behave[cores=1]", "instances": 1}],
            "two benchmarks are named",
        ),
        ([{"name": "a/b", "matrix": {"cores": [1]}}], "must not contain /"),
        ([{"matrix": []}], "matrix: must be a mapping"),
        ([{"matrix": {}}], "matrix: must be a mapping"),
        ([{"matrix": None}], "line 1: benchmarks.0.matrix: must be a mapping"),
        (
            [{"name": "a", "matrix": {"megabytes": "1..99999"}}, {"matrix": {"megabytes": "1..2"}}],
            "100,001 points in all",
        ),
    ],
)
def test_a_campaign_with_a_wrong_sweep_is_refused(benchmarks: list[dict[str, Any]], problem: str) -> None:
    with pytest.raises(CampaignError, match=problem) as error:
        campaign(*benchmarks)
    assert len(str(error.value).splitlines()) == 1


def test_limits_name_the_sweep_of_the_file() -> None:
    first = {"matrix": {"megabytes": "1..3"}}
    second = {"name": "y" * 195, "matrix": {"megabytes": [1, 10**16]}}
    content = json.dumps({"campaign": "toy", "benchmarks": [TOY | first, TOY | second]}, indent=1)
    with pytest.raises(CampaignError) as error:
        check_limits(parse_campaign(content, "toy.yaml"), content, "toy.yaml")
    found = str(error.value).splitlines()
    assert [line.split(": ")[2] for line in found] == [
        "benchmarks.1.name",
        "benchmarks.1.name",
        "benchmarks.1.matrix.megabytes",
    ]
