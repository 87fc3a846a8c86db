"""Slots of instances that ran out of memory or disk: on a pool that has more, else with fewer on a node."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.errors import CampaignError
from orchestrator.planning.larger_slots import FIRST, Level
from orchestrator.planning.plan import Plan, without
from orchestrator.planning.plan_checks import check_longer_retries
from tests.orchestrator.simulation.simulated import made_plan
from tests.orchestrator.simulation.test_pools import SITE, pooled_plan


def site(**disks: str) -> dict[str, Any]:
    """Return a site with a pool of 4 cores for each name, and its node's disk where a size is given."""
    return {
        **SITE,
        "pools": {name: {"node": {"cores": "0-3", "disk": size or None}} for name, size in disks.items()},
    }


def grown(plan: Plan) -> list[tuple[tuple[int, int], str, str, int]]:
    """Return level, pool, shape and slots of each stage of retries."""
    return [
        (tuple(stage.level), stage.site.pool or "", stage.shape.label, len(stage.slots))
        for stage in plan.retry_stages
    ]


def planned(disks: dict[str, str], **keys: Any) -> list[tuple[tuple[int, int], str, str, int]]:
    retries = {"disk": "x2", "benchmark": 3, **keys.pop("retries", {})}
    benchmark = {"name": "a", "instances": 4, **keys}
    return grown(pooled_plan(benchmark, site=site(**disks), retries=retries))


def test_a_share_of_the_disk_grows_as_fewer_share_the_node() -> None:
    assert planned({"wide": ""}) == [((0, 1), "wide", "c1-d1of2", 2), ((0, 2), "wide", "c1-d1", 1)]
    half = {"disk": "x1.5"}  # of three slots on the node
    assert planned({"wide": ""}, retries=half) == [
        ((0, 1), "wide", "c1-d1of2", 2),
        ((0, 2), "wide", "c1-d1", 1),
    ]
    assert planned({"wide": ""}, slot={"cores": 2}, retries={"disk": "x1.01"}) == [
        ((0, 1), "wide", "c2-d1", 1)
    ]
    assert planned({"wide": ""}, retries={"benchmark": 1}) == [((0, 1), "wide", "c1-d1of2", 2)]


def test_a_pool_whose_nodes_have_more_disk_is_taken_where_all_state_it() -> None:
    assert planned({"small": "1 TB", "big": "4 TB"}) == [
        ((0, 1), "small", "c1-d1of2", 2), ((0, 2), "small", "c1-d1", 1), ((0, 3), "big", "c1-d1of2", 2),
    ]  # fmt: skip
    assert planned({"small": "1 TB", "big": "4 TB"}, pools=["small"])[-1] == ((0, 2), "small", "c1-d1", 1)
    # Fractions of nodes whose disks are not known cannot be compared.
    assert planned({"small": "1 TB", "big": ""})[-1] == ((0, 2), "small", "c1-d1", 1)
    assert planned({"big": "4 TB", "small": "1 TB"}, spread=True)[0] == ((0, 1), "big", "c1-d1of2", 2)


@pytest.mark.parametrize(
    "keys",
    [
        {"alone": "node"},
        {"alone": True},
        {"slot": {"cores": 4}},
        {"workload": "tests.toys.multi_rank", "slot": {"nodes": 2, "ranks": 2}},
    ],
)
def test_an_instance_without_neighbours_has_the_whole_disk(keys: dict[str, Any]) -> None:
    assert planned({"wide": ""}, **keys) == []
    refused = pooled_plan({"instances": 4, **keys}, site=site(wide=""), retries={"disk": "x2"})
    said = "^retries.disk: no node of site made has a slot with more disk .*; write slots with fewer cores"
    with pytest.raises(CampaignError, match=said):
        check_longer_retries(refused)
    pools = ["wide", "big"]
    more = planned({"wide": "1 TB", "big": "2 TB"}, retries={"benchmark": 1}, pools=pools, **keys)
    assert [(level, pool, slots) for level, pool, _, slots in more] == [((0, 1), "big", 1)]


def test_an_instance_may_run_out_of_both() -> None:
    both = {"memory": "x2", "disk": "x2", "benchmark": 2}
    found = planned({"wide": "1 TB"}, slot={"memory": "1 GiB"}, retries=both)
    assert found == [
        ((0, 1), "wide", "c1-1024m-d1of2", 2), ((1, 0), "wide", "c1-2048m", 4),
        ((0, 2), "wide", "c1-1024m-d1", 1), ((1, 1), "wide", "c1-2048m-d1of2", 2),
        ((2, 0), "wide", "c1-4096m", 2), ((1, 2), "wide", "c1-2048m-d1", 1),
        ((2, 1), "wide", "c1-4096m-d1", 1), ((2, 2), "wide", "c1-4096m-d1", 1),
    ]  # fmt: skip


def test_one_resource_stays_where_the_node_has_no_more() -> None:
    """Without a limit of memory, half the slots have twice of it, too."""
    both = {"memory": "x4", "disk": "x2", "benchmark": 1}
    found = {level: (shape, slots) for level, _, shape, slots in planned({"wide": ""}, retries=both)}
    assert found[1, 0][1] == found[1, 1][1] == 1
    assert found[0, 1] == ("c1-d1of2", 2)


def test_the_highest_level_below_is_taken() -> None:
    levels = [Level(1, 0), Level(2, 0), Level(0, 1), Level(1, 1)]
    assert Level(3, 0).within(levels) == (2, 0)
    assert Level(1, 5).within(levels) == (1, 1)
    assert Level(0, 5).within(levels) == (0, 1)
    assert Level(2, 2).within(levels) == (2, 0)
    assert Level(4, 4).within([]) == FIRST
    assert not FIRST
    assert Level(0, 1)


def test_levels_stay_where_a_benchmark_is_left_out() -> None:
    plan = made_plan(
        {"name": "a", "instances": 2}, {"name": "b", "instances": 2}, slots=4, rulebook="none",
        retries={"disk": "x2"},
    )  # fmt: skip
    rest = without(plan, {"a": "no data"})
    assert [one.first_instance for one in rest.benchmarks[0].all_places] == [0, 0]
    assert grown(rest) == [((0, 1), "", "c1-d1of2", 2)]


@given(
    st.lists(
        st.tuples(st.sampled_from(["", "1 TB", "3 TB"]), st.sampled_from(["4 GiB", "8 GiB", "13 GiB"])),
        min_size=1,
        max_size=3,
    ),
    st.sampled_from(["x1.1", "x2", "x3.5"]),
    st.sampled_from([None, "x1.5", "x3"]),
    st.integers(1, 3),
)
def test_each_slot_has_more_than_those_below(
    nodes: list[tuple[str, str]], disk: str, memory: str | None, benchmark: int
) -> None:
    retries = {"disk": disk, "benchmark": benchmark, **({"memory": memory} if memory else {})}
    found = [{"cores": "0-3", "disk": size or None, "memory": memory} for size, memory in nodes]
    pools = {f"p{number}": {"node": node} for number, node in enumerate(found)}
    plan = pooled_plan({"name": "a", "instances": 4}, site={**SITE, "pools": pools}, retries=retries)
    [one] = plan.benchmarks
    stated = all(size for size, _ in nodes)

    def held(level: Level) -> dict[str, float]:
        place = one.larger[level] if level else one
        node = plan.site.pooled()[place.pool].node
        disk_bytes = (node.disk or 0) if stated else 1
        even = int(node.memory) / len(place.slots)
        return {"memory": place.shape.memory_bytes or even, "disk": disk_bytes / len(place.slots)}

    for level, place in one.larger.items():
        assert place.instances == 0
        below = {it: level._replace(**{it: times - 1}) for it, times in level.ends.items()}
        assert any(held(level)[it] > held(lower)[it] for it, lower in below.items())
        for lower in below.values():
            assert all(held(level)[it] >= held(lower)[it] for it in below)
