"""Timeouts and memory of retries, and plans whose blocks cannot hold them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.errors import CampaignError
from orchestrator.planning.instances.retries import Retries
from orchestrator.planning.plan_checks import check_longer_retries
from tests.orchestrator.simulation.simulated import made_plan
from tests.orchestrator.simulation.test_pools import SITE, pooled_plan

BIG = {"cores": "0-3", "memory": "16 GiB"}


def retries(**keys: Any) -> Retries:
    return Retries.model_validate({"benchmark": 3, **keys})


def test_each_timeout_makes_the_next_attempt_longer_up_to_a_limit() -> None:
    doubled = retries(walltime="x2", up_to="5 min")
    assert [doubled.timeout(60.0, number) for number in range(5)] == [60.0, 120.0, 240.0, 300.0, 300.0]
    assert doubled.longest(60.0) == 300.0
    assert [retries().timeout(60.0, number) for number in range(3)] == [60.0] * 3
    half = retries(walltime="x1.5")
    assert [half.timeout(60.0, number) for number in (1, 3, 4)] == [90.0, 202.5, 202.5]  # of three retries


@given(st.floats(1, 1e5), st.integers(0, 50), st.sampled_from(["x1.5", "x2", "x10"]), st.floats(1, 1e5))
def test_a_retry_is_never_shorter_and_never_above_the_longest(
    seconds: float, timeouts: int, factor: str, limit: float
) -> None:
    found = retries(walltime=factor, up_to=limit)
    assert seconds <= found.timeout(seconds, timeouts) <= found.longest(seconds)
    assert found.longest(seconds) <= max(seconds, limit)


def test_a_block_must_hold_the_longest_retry() -> None:
    batch = {"walltime": 3600, "nodes_per_block": 1}
    benchmark = {"instances": 1, "timeout": "20 min"}
    fits = {"rulebook": "none", "retries": {"walltime": "x2"}}
    check_longer_retries(made_plan(benchmark, batch=batch, **fits))
    check_longer_retries(made_plan(benchmark, **{**fits, "retries": {"walltime": "x9"}}))  # without blocks
    too_long = made_plan(benchmark, batch=batch, **{**fits, "retries": {"walltime": "x3"}})
    said = "may take 1 h 00 min by retries.walltime, and a block has 1 h 00 min; write retries.up_to"
    with pytest.raises(CampaignError, match=said):
        check_longer_retries(too_long)
    capped = {**fits, "retries": {"walltime": "x3", "up_to": "50 min"}}
    check_longer_retries(made_plan(benchmark, batch=batch, **capped))


def test_a_larger_slot_is_of_another_pool_where_its_own_has_none() -> None:
    def planned(**keys: Any) -> list[tuple[str, int, int]]:
        slot = {"cores": 2, "memory": "3 GiB"}
        site = {**SITE, "pools": {"small": {"node": {"cores": "0-3"}}, "big": {"node": BIG}}}
        benchmark = {"name": "a", "instances": 4, "slot": slot, **keys}
        plan = pooled_plan(benchmark, site=site, retries={"memory": "x1.5", "benchmark": 3})
        assert all(stage.site.pool in ("small", "big") for lane in plan.lanes for stage in lane)
        return [
            (stage.site.pool or "", (stage.shape.memory_bytes or 0) >> 20, len(stage.slots))
            for stage in plan.retry_stages
        ]

    assert planned() == [("small", 4608, 1), ("small", 6912, 1), ("big", 10368, 1)]
    assert planned(pools=["small"]) == [("small", 4608, 1), ("small", 6912, 1), ("small", 8192, 1)]
    spread = [("small", 4608, 1), ("small", 6912, 1), ("big", 10368, 1)]
    assert planned(spread=True) == spread
