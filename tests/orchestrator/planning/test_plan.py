"""From files to a plan: every instance once, no seed twice, every slot on the node."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.errors import CampaignError
from orchestrator.planning.campaign_file import CampaignFile
from orchestrator.planning.plan import Plan, make_plan
from orchestrator.planning.plan_facts import plan_facts
from orchestrator.planning.slots import NodeFacts, SlotShape
from orchestrator.protocol.order import LEAD_SECONDS, LOCAL_LEAD_SECONDS
from sites import Site

GIB = 1 << 30
NODE = NodeFacts(tuple(range(8)), 32 * GIB)
SMALL = NodeFacts(tuple(range(4)), 8 * GIB)
SITE = Site(site="test")


def batch_site(**scheduler: Any) -> Site:
    return Site.model_validate(
        {
            "site": "test",
            "interface": "lo",
            "scheduler": {"type": "slurm", "walltime": "1 h", **scheduler},
            "node": {"cores": "0-3", "memory": "8 GiB"},
        }
    )


def campaign(*benchmarks: dict[str, Any], **changes: Any) -> CampaignFile:
    complete = [{"workload": "tests.toys.behave", "instances": 1, "timeout": 60} | one for one in benchmarks]
    return CampaignFile.model_validate({"campaign": "toy", "benchmarks": complete} | changes)


def plan(*benchmarks: dict[str, Any], node: NodeFacts = NODE, site: Site = SITE, **changes: Any) -> Plan:
    return make_plan(campaign(*benchmarks, **changes), site, node, Path("/data"))


rows = st.fixed_dictionaries(
    {
        "workload": st.sampled_from(["tests.toys.behave", "lstm", "p1b1", "p3b1"]),
        "instances": st.integers(1, 40),
        "timeout": st.integers(10_000, 20_000),
    },
    optional={
        "slot": st.fixed_dictionaries(
            {"cores": st.integers(1, 8)}, optional={"memory": st.sampled_from(["1 GiB", "4 GiB", "32 GiB"])}
        ),
        "expected_runtime": st.integers(1, 10_000),
    },
)
campaigns = st.builds(
    lambda rows, seed: campaign(*({**row, "name": f"b{k}"} for k, row in enumerate(rows)), seed=seed),
    st.lists(rows, min_size=1, max_size=6),
    st.integers(0, 2**32 - 1) | st.integers(2**32 - 60, 2**32 - 1),
)


@settings(deadline=None)
@given(campaigns)
def test_a_plan_holds_everything_once(spec: CampaignFile) -> None:
    made = make_plan(spec, SITE, NODE, Path("/data"))
    instances = list(made.instances())

    assert made.size == sum(benchmark.instances for benchmark in spec.benchmarks) == len(instances)
    assert [one.instance_id for one in instances] == list(range(made.size))
    seeds = [one.seed for one in instances]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**32 for seed in seeds)
    for benchmark in spec.benchmarks:
        mine = [one for one in instances if one.benchmark == benchmark.name]
        assert [one.benchmark_index for one in mine] == list(range(benchmark.instances))

    staged = [one.name for stage in made.stages for one in stage.benchmarks]
    assert sorted(staged) == sorted(benchmark.name for benchmark in spec.benchmarks)
    assert len({stage.shape for stage in made.stages}) == len(made.stages)
    for stage in made.stages:
        assert {one.shape for one in stage.benchmarks} == {stage.shape}
        # The suite runs one benchmark at a time, so each has waves of its own.
        assert stage.waves == sum(-(-one.instances // len(stage.slots)) for one in stage.benchmarks)
        used = [core for slot in stage.slots for place in slot for core in place.cores]
        assert len(used) == len(set(used))
        assert set(used) <= set(NODE.cores)
        assert len(stage.slots) * (stage.shape.memory_bytes or 0) <= NODE.memory_bytes
        lengths = [one.expected_seconds or one.timeout_seconds for one in stage.benchmarks]
        assert lengths == sorted(lengths, reverse=True)


@settings(deadline=None, max_examples=30)
@given(campaigns)
def test_a_plan_is_json_and_the_same_every_time(spec: CampaignFile) -> None:
    made = make_plan(spec, SITE, NODE, Path("/data"))
    facts = plan_facts(made)
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts
    assert plan_facts(make_plan(spec, SITE, NODE, Path("/data"))) == facts
    assert facts["instances"] == made.size == sum(stage["instances"] for stage in facts["stages"])
    seeds = {one.benchmark: one.seed for one in made.instances()}  # the last one of each
    for stage in facts["stages"]:
        assert len(stage["slots"]) == stage["slots_per_node"]
        assert {one["name"]: one["seeds"][1] for one in stage["benchmarks"]}.items() <= seeds.items()


@settings(deadline=None, max_examples=30)
@given(campaigns)
def test_rows_for_the_ledger_say_what_will_run(spec: CampaignFile) -> None:
    made = make_plan(spec, SITE, NODE, Path("/data"))
    for benchmark in made.benchmarks:
        row = benchmark.row()
        assert (row.benchmark, row.instances) == (benchmark.name, benchmark.instances)
        assert json.loads(row.parameters) == benchmark.parameters
        slot = json.loads(row.slot)
        assert (slot["cores"], slot["memory_bytes"]) == (benchmark.shape.cores, benchmark.shape.memory_bytes)
        assert row.timeout_seconds == benchmark.timeout_seconds
        own = benchmark.workload.own_target
        suite = made.rulebook.workloads().get(benchmark.module)
        target = (suite.target if suite else None) or own
        expected = (target.metric, target.at_least) if target else (None, None)
        assert (row.quality_metric, row.quality_target) == expected


@pytest.mark.parametrize(
    ("rulebook", "workload", "target"),
    [
        ("coral2", "p1b1", ("pearson_correlation", 0.7808)),
        ("coral2", "lstm", (None, None)),
        ("coral2", "tests.toys.behave", ("score", 0.0)),  # the workload's own
        ("none", "p1b1", (None, None)),
        ("none", "tests.toys.behave", ("score", 0.0)),
    ],
)
def test_the_quality_target_of_the_ledger_is_the_rulebooks(
    rulebook: str, workload: str, target: tuple[str | None, float | None]
) -> None:
    one = {"workload": workload, "instances": 1, "timeout": 60}
    spec = CampaignFile.model_validate({"campaign": "toy", "rulebook": rulebook, "benchmarks": [one]})
    row = make_plan(spec, SITE, NODE, Path("/data")).benchmarks[0].row()
    assert (row.quality_metric, row.quality_target) == target


def test_parameters_are_complete_and_overridden() -> None:
    made = plan({"parameters": {"seconds": 2}})
    assert made.benchmarks[0].parameters == {
        "behaviour": "succeed",
        "seconds": 2.0,
        "folder": "",
        "megabytes": 0,
    }


def test_the_benchmarks_slot_comes_before_the_sites() -> None:
    site = Site.model_validate({"site": "test", "slot": {"cores": 2, "memory": "4 GiB"}})
    made = plan({"name": "own", "slot": {"cores": 4}}, {"name": "sites"}, site=site)
    assert {one.name: one.shape for one in made.benchmarks} == {
        "own": SlotShape(4, None),
        "sites": SlotShape(2, 4 * GIB),
    }
    assert [len(stage.slots) for stage in made.stages] == [2, 4]


def test_a_slot_bigger_than_the_node_is_named_with_its_benchmark() -> None:
    with pytest.raises(CampaignError, match="benchmark wide: a slot needs 9 cores, the node offers 8"):
        plan({"name": "fits"}, {"name": "wide", "slot": {"cores": 9}})
    with pytest.raises(CampaignError, match=r"benchmark fat: a slot needs 33\.0 GiB of memory"):
        plan({"name": "fat", "slot": {"memory": "33 GiB"}})


def test_a_workload_of_one_process_has_no_ranks() -> None:
    with pytest.raises(CampaignError, match="behave runs as one process, its slot has 2 ranks"):
        plan({"slot": {"ranks": 2}})


def test_one_machine_has_one_node() -> None:
    with pytest.raises(
        CampaignError, match=r"an instance needs 2 nodes, site .* has 1; write nodes: 1 into its"
    ):
        plan({"workload": "tests.toys.multi_rank", "slot": {"nodes": 2, "ranks": 2}})


def test_a_start_is_announced_earlier_where_a_network_delays_files() -> None:
    assert plan({"name": "a", "workload": "triad"}).lead_seconds == LOCAL_LEAD_SECONDS
    assert plan({"name": "a", "workload": "triad"}, site=batch_site()).lead_seconds == LEAD_SECONDS


def test_the_share_of_the_system_that_an_instance_holds_is_planned() -> None:
    made = plan({"workload": "tests.toys.multi_rank", "slot": {"ranks": 2, "cores": 3}})
    assert made.benchmarks[0].share_of_system == 0.75
    assert json.loads(made.benchmarks[0].row().slot)["share_of_system"] == 0.75


def test_more_instances_than_seeds_are_refused() -> None:
    with pytest.raises(CampaignError, match="distinct seeds"):
        plan({"name": "a", "instances": 2**32}, {"name": "b"})


def test_expected_length_needs_every_benchmarks_expectation() -> None:
    one = plan({"instances": 16, "expected_runtime": "10 s"}).stages[0]
    assert (len(one.slots), one.waves, one.expected_seconds) == (8, 2, 20.0)
    both = plan({"name": "a", "expected_runtime": "10 s"}, {"name": "b"}).stages[0]
    assert both.expected_seconds is None


def test_expected_length_counts_whole_waves() -> None:
    benchmarks = (
        {"name": "a", "instances": 9, "expected_runtime": "10 s"},
        {"name": "b", "expected_runtime": "4 s"},
    )
    assert plan(benchmarks[0]).stages[0].expected_seconds == 20.0
    assert plan(*benchmarks).stages[0].expected_seconds == 24.0  # the suite runs one after the other
    [stage] = plan(*benchmarks, rulebook="none").stages
    assert stage.expected_seconds == 20.0  # b runs beside the ninth of a
    assert plan(*benchmarks, start="synchronized").stages[0].expected_seconds == 24.0


def test_data_lies_below_the_data_directory() -> None:
    made = plan(
        {"name": "default", "workload": "p1b1"},
        {"name": "own", "workload": "p1b1", "data": "mine/p1b1"},
        {"name": "elsewhere", "workload": "p1b1", "data": "/scratch/p1b1"},
        {"name": "none"},
    )
    assert [one.data for one in made.benchmarks] == [
        Path("/data/p1b1"),
        Path("/data/mine/p1b1"),
        Path("/scratch/p1b1"),
        None,
    ]


def test_a_name_of_its_own() -> None:
    assert make_plan(campaign({}), SITE, NODE, Path("/data")).name == "toy"
    assert make_plan(campaign({}), SITE, NODE, Path("/data"), "friday").name == "friday"


@pytest.mark.parametrize("name", ["../elsewhere", "a/b", "/etc", "..", ".hidden", "a b", "a\nb", "-x"])
def test_a_name_that_is_no_name_is_refused(name: str) -> None:
    """It becomes a folder; the campaign file's own name is held to the same pattern."""
    with pytest.raises(CampaignError):
        make_plan(campaign({}), SITE, NODE, Path("/data"), name)


def test_a_plan_says_which_rules_its_parameters_break() -> None:
    facts = plan_facts(plan({"workload": "p1b1", "parameters": {"epochs": 3}}))
    broken = facts["stages"][0]["benchmarks"][0]["broken_rules"]
    assert broken == ["epochs is 3, rules say at least 100"]


@pytest.mark.parametrize(
    ("instances", "slot", "at_most", "expected"),
    [
        (1, {}, (2, 16), (1, 1)),
        (4, {}, (2, 16), (1, 1)),
        (5, {}, (2, 16), (1, 2)),
        (64, {}, (2, 16), (2, 16)),  # a second block is not needed, and may replace the first
        (65, {}, (2, 16), (2, 9)),  # of one size, though one of 16 and one of 1 would hold them too
        (128, {}, (2, 16), (2, 16)),
        (1000, {}, (2, 16), (2, 16)),
        (3, {"nodes": 3, "ranks": 3}, (2, 16), (1, 9)),
        (9, {"nodes": 3, "ranks": 3}, (2, 16), (2, 15)),  # no node of a block stays without an instance
        (1, {"nodes": 12, "ranks": 12}, (2, 2), (2, 12)),  # more than a block has otherwise
        (9, {"nodes": 12, "ranks": 12}, (2, 2), (2, 12)),
        (9, {"ranks": 48}, (3, 2), (3, 12)),
        (1, {}, (2, "4..16"), (1, 4)),  # no smaller than the site wants them
        (65, {}, (2, "12..16"), (2, 12)),
        (1, {"nodes": 3, "ranks": 3}, (2, "4..16"), (1, 6)),
    ],
)
def test_blocks_are_as_large_as_their_stage_needs(
    instances: int, slot: dict[str, Any], at_most: tuple[int, int | str], expected: tuple[int, int]
) -> None:
    blocks, stated = at_most
    nodes = int(str(stated).rpartition("..")[2])
    site = batch_site(max_blocks=blocks, nodes_per_block=stated)
    workload = "tests.toys.multi_rank" if slot else "tests.toys.behave"
    spec = campaign({"workload": workload, "instances": instances, "slot": slot})
    [stage] = make_plan(spec, site, SMALL, Path("/data")).stages
    assert (stage.blocks, stage.nodes_per_block) == expected
    if stage.shape.nodes > nodes:
        with pytest.raises(CampaignError, match="an instance needs 12 nodes, the allocation has 2"):
            make_plan(spec, site, SMALL, Path("/data"), whole_blocks=True)
        return
    [whole] = make_plan(spec, site, SMALL, Path("/data"), whole_blocks=True).stages
    assert (whole.blocks, int(whole.nodes_per_block)) == (blocks, nodes)


def test_node_hours_of_benchmarks_side_by_side_are_those_of_their_slots() -> None:
    site = batch_site(max_blocks=100, nodes_per_block=2)
    behave = {"workload": "tests.toys.behave", "timeout": "1 h"}
    both = [behave | {"name": "x", "instances": 6}, behave | {"name": "y", "instances": 6}]
    [together] = make_plan(campaign(*both), site, SMALL, Path("/data")).stages
    [alone] = make_plan(campaign(behave | {"instances": 12}), site, SMALL, Path("/data")).stages
    nodes = together.blocks * together.nodes_per_block
    halves = [together.node_hours_of(one, at_most=True) for one in together.benchmarks]
    assert sum(halves) == alone.node_hours_of(alone.benchmarks[0], at_most=True)  # type: ignore[arg-type]
    assert halves[0] == halves[1]
    assert sum(halves) <= nodes  # type: ignore[arg-type]


def test_the_most_node_hours_hold_in_any_order() -> None:
    def hours(*benchmarks: dict[str, Any]) -> float:
        each = [{"workload": "tests.toys.behave", **one} for one in benchmarks]
        made = make_plan(campaign(*each, rulebook="none"), SITE, SMALL, Path("/data"))
        assert made.width == 4
        return made.node_hours_at_most

    long = {"name": "long", "instances": 1, "timeout": "10 h"}
    short = {"name": "short", "instances": 8, "timeout": "1 h"}
    assert hours(long, short) == pytest.approx(18 / 4 + 10 * 3 / 4)  # the short ones first, then the long one
    assert hours(long | {"instances": 8}) == pytest.approx(20)
    assert hours(long, short | {"instances": 3}) == pytest.approx(10)


def test_an_instance_larger_than_the_machine_is_refused() -> None:
    one = {"workload": "tests.toys.multi_rank", "slot": {"ranks": 36}}
    with pytest.raises(CampaignError, match="needs 9 nodes, site test has 8"):
        plan(one, site=batch_site().model_copy(update={"nodes": 8}), node=SMALL)
