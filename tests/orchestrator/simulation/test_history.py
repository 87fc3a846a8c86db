"""Predictions from earlier campaigns: which of their times count, and how wide the ranges are."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from db.ledger import Ledger
from db.reader import Reader
from db.records import BlockRecord
from db.states import InstanceState
from orchestrator.analysis.projection.forecasts import Range
from orchestrator.planning.plan import Plan
from orchestrator.schedulers.model import QueueWait
from orchestrator.simulation.history import History, history_of, with_waits
from orchestrator.simulation.prediction import _range_of, predict
from sites import Site
from tests.db import rows
from tests.orchestrator.simulation.simulated import made_plan
from tests.orchestrator.simulation.test_pools import BOTH, pooled_plan

SECOND = 1_000_000


@pytest.fixture
def plan() -> Plan:
    return made_plan({"instances": 40, "expected_runtime": "10 min"}, slots=4, batch={"nodes_per_block": 2})


@pytest.fixture
def ledger(sqlite_url: str) -> Iterator[Ledger]:
    with Ledger(sqlite_url) as made:
        yield made


@pytest.fixture
def either(ledger_url: str) -> Iterator[Ledger]:
    with Ledger(ledger_url) as made:
        yield made


def ran(
    ledger: Ledger,
    plan: Plan,
    name: str,
    seconds: list[float],
    waits: list[float],
    site: str = "made",
    nodes: int = 2,
    barrier: float = 0.0,
    failed: int = 0,
    pool: str | None = None,
    **changes: Any,
) -> None:
    """Write a campaign of the plan's benchmark, with the times of its runs and the waits of its blocks."""
    benchmark = replace(plan.benchmarks[0].row(), instances=len(seconds), **changes)
    planned = rows.planned(len(seconds), benchmark.benchmark)
    text = json.dumps({"campaign": name, "start": "synchronized" if barrier else "independent"})
    number = ledger.register(rows.campaign(name, site_name=site, campaign_yaml=text), [benchmark], planned)
    rows.begin(ledger, number)
    tokens = [f"{name}-{k}" for k in range(len(seconds))]
    ledger.submit(number, 1, [rows.attempt(k, token=token) for k, token in enumerate(tokens)])
    ready = rows.T0 + 2 * SECOND
    begin = ready + round(barrier * SECOND)
    times = [
        {
            "process_start_us": rows.T0,
            "ready_us": ready,
            "run_start_us": begin,
            "process_stop_us": begin + round(one * SECOND),
        }
        for one in seconds
    ]
    ledger.record(
        number,
        [
            rows.report(token, "timed_out", InstanceState.EXHAUSTED, received_us=rows.T0, **mine)
            if place < failed
            else rows.report(token, "succeeded", InstanceState.DONE, received_us=rows.T0, **mine)
            for place, (token, mine) in enumerate(zip(tokens, times, strict=True))
        ],
    )
    blocks = [
        BlockRecord(
            slot_shape="c1",
            block_id=str(k),
            job_id=str(k),
            state="completed",
            requested_us=rows.T0,
            started_us=rows.T0 + round(wait * SECOND),
            ended_us=rows.T0 + round((wait + 3600) * SECOND),
            nodes=nodes,
            message=None,
            pool=pool,
        )
        for k, wait in enumerate(waits)
    ]
    ledger.record_blocks(number, 1, blocks)


def read(ledger: Ledger, plan: Plan) -> History:
    with Reader(ledger.url.render_as_string(hide_password=False)) as reader:
        return history_of(reader, plan)


# -- times that count ------------------------------------------------------------------------


def test_times_of_alike_runs_on_the_site_count(either: Ledger, plan: Plan) -> None:
    ran(either, plan, "first", [100.0, 102.0], [60.0])
    ran(either, plan, "second", [110.0] * 3, [30.0, 90.0])
    found = read(either, plan)
    assert found.runs == {"behave": {"first": [(2.0, 100.0), (2.0, 102.0)], "second": [(2.0, 110.0)] * 3}}
    assert found.waits == {"": {"first": [60.0], "second": [30.0, 90.0]}}
    assert (found.ended, found.failures, found.failures_of) == ({"behave": (0, 5)}, 0.0, {})
    several = History(ended={"a": (5, 20), "b": (5, 19)})
    assert (several.failures, several.failures_of) == (10 / 39, {"a": 0.25})
    assert found.node_hours == pytest.approx(6.0)
    assert found.node_hours_to_failure == pytest.approx(10_006.0)
    assert found.facts() == {
        "campaigns": ["first", "second"],
        "runs": {"behave": 5},
        "waits": 3,
        "node_failures": 0,
        "node_hours": pytest.approx(6.0),
        "node_starts": 0,
    }


@pytest.mark.parametrize(
    "changes",
    [
        {"site": "other"},
        {"workload": "tests.toys.busy"},
        {"parameters": json.dumps({"behaviour": "exit"})},
        {"slot": json.dumps({"cores": 64})},
    ],
)
def test_runs_of_other_places_and_work_do_not_count(
    ledger: Ledger, plan: Plan, changes: dict[str, Any]
) -> None:
    ran(ledger, plan, "other", [1.0] * 6, [], **changes)
    assert read(ledger, plan).runs == {}


def test_runs_that_timed_out_are_failures(ledger: Ledger, plan: Plan) -> None:
    ran(ledger, plan, "half", [100.0] * 20, [], failed=10)
    ran(ledger, plan, "all", [100.0] * 4, [], failed=4)
    ran(ledger, plan, "other", [100.0] * 9, [], failed=9, workload="tests.toys.busy")
    found = read(ledger, plan)
    assert found.ended == {"behave": (14, 24)}
    assert {name: len(times) for name, times in found.runs["behave"].items()} == {"half": 10}


def test_time_at_a_start_barrier_is_no_time_of_a_run(ledger: Ledger, plan: Plan) -> None:
    ran(ledger, plan, "together", [100.0], [], barrier=60.0)
    assert read(ledger, plan).runs["behave"]["together"] == [(2.0, 100.0)]


def test_nodes_start_as_they_did_before(either: Ledger, plan: Plan) -> None:
    """One node's first process came 2 s after its block had started, and another's after 4 s."""
    assert read(either, plan).longest_node_start == 10.0  # a guess
    number = either.register(
        rows.campaign("first", site_name="made"), [rows.benchmark(instances=3)], rows.planned(3)
    )
    rows.begin(either, number)
    either.submit(number, 1, [rows.attempt(k) for k in range(3)])
    started = rows.T0 + 60 * SECOND
    block = BlockRecord("c1", "0", "7", "running", rows.T0, started, None, 2, None)
    either.record_blocks(number, 1, [block])
    for instance, (node, after) in enumerate([("n1", 2), ("n1", 30), ("n2", 4)]):
        place = {"block_id": "0", "slot_shape": "c1", "node": node}
        begun = rows.report(f"t{instance}.1", "running", process_start_us=started + after * SECOND, **place)
        either.record(number, [begun])
    found = read(either, plan)
    assert sorted(found.node_starts) == [2.0, 4.0]
    assert found.longest_node_start == 8.0  # twice the median of these and of 5 s


def test_other_campaigns_do_not_push_the_history_out(ledger: Ledger, plan: Plan) -> None:
    ran(ledger, plan, "first", [100.0], [])
    for number in range(31):
        ran(ledger, plan, f"check{number}", [1.0], [], workload="tests.toys.busy")
    assert read(ledger, plan).runs["behave"] == {"first": [(2.0, 100.0)]}


def test_waits_of_much_larger_blocks_do_not_count(ledger: Ledger, plan: Plan) -> None:
    ran(ledger, plan, "wide", [100.0], [9000.0], nodes=5)
    found = read(ledger, plan)
    assert found.waits == {}
    assert found.node_hours == pytest.approx(5.0)


def test_waits_count_for_their_pool_and_for_one_that_had_none(ledger: Ledger) -> None:
    plan = pooled_plan(*BOTH)
    ran(ledger, plan, "wide", [30.0], [7200.0], pool="wide")
    assert read(ledger, plan).waits == {pool: {"wide": [7200.0]} for pool in ("wide", "narrow")}
    ran(ledger, plan, "narrow", [30.0], [60.0], pool="narrow")
    found = read(ledger, plan)
    assert found.waits == {"wide": {"wide": [7200.0]}, "narrow": {"narrow": [60.0]}}
    # 32 runs of 30 s in a block of 8 slots on the one pool end after both waits.
    assert predict(plan, runs=1, history=found).makespan_seconds.median > 7200
    jobs = {"narrow": [QueueWait(2, 0.0, 9.0)], "wide": [QueueWait(2, 86_400.0, 5.0), QueueWait(9, 0.0, 7.0)]}
    assert with_waits(found, plan, jobs).waits == {"narrow": {"day 0": [9.0]}, "wide": {"day 1": [5.0]}}


def test_the_drivers_machine_has_no_queue_and_another_batch_system_one_of_its_own(ledger: Ledger) -> None:
    plan = pooled_plan(*BOTH)
    pools = {
        **plan.site.model_dump(exclude_unset=True)["pools"],
        "own": {"scheduler": {"type": "local"}},
        "far": {
            "scheduler": {"type": "lsf", "walltime": "1 h"},
            "node": {"cores": "0-1", "memory": "1 GiB"},
            "address": "127.0.0.1",
        },
    }
    site = Site.model_validate(plan.site.model_dump(exclude_unset=True) | {"pools": pools})
    plan = replace(plan, site=site)
    ran(ledger, plan, "own", [30.0], [0.0], pool="own")
    ran(ledger, plan, "far", [30.0], [99.0], pool="far")
    found = read(ledger, plan)
    assert found.waits == {}
    assert found.node_hours == pytest.approx(2.0)  # of far alone
    ran(ledger, plan, "wide", [30.0], [60.0], pool="wide")
    assert read(ledger, plan).waits == {pool: {"wide": [60.0]} for pool in ("wide", "narrow")}


def test_attempts_fail_as_those_of_their_benchmark_did() -> None:
    plan = made_plan(*({"name": name, "instances": 1, "expected_runtime": "1 min"} for name in "ab"))
    found = predict(plan, runs=1, history=History(ended={"a": (0, 20), "b": (20, 20)}))
    assert found.middle.done == 1
    assert found.middle.exhausted == 1


def test_a_slot_is_the_same_on_a_larger_system(ledger: Ledger, plan: Plan) -> None:
    slot = json.loads(plan.benchmarks[0].row().slot) | {"share_of_system": 0.001}
    ran(ledger, plan, "larger", [100.0], [], slot=json.dumps(slot))
    assert read(ledger, plan).runs["behave"]["larger"] == [(2.0, 100.0)]


# -- a further campaign ----------------------------------------------------------------------


def made(campaigns: int, between: float, random: Random, waits: bool = False) -> History:
    """Return a history of campaigns that differ by a factor with so large a logarithm."""
    runs, queue = {}, {}
    for k in range(campaigns):
        factor = math.exp(random.gauss(0.0, between))
        runs[f"c{k}"] = [(2.0, 100 * factor * math.exp(random.gauss(0.0, 0.02))) for _ in range(20)]
        queue[f"c{k}"] = [600 * factor * math.exp(random.gauss(0.0, 0.3)) for _ in range(3)]
    return History(runs={"behave": runs}, waits={"": queue} if waits else {})


def test_a_campaign_in_the_middle_is_as_fast_as_the_earlier_ones() -> None:
    history = made(5, 0.2, Random(1), waits=True)
    drawn = history.draw(None)
    assert drawn.factor == pytest.approx(1.0)
    medians = sorted(sorted(seconds for _, seconds in found)[10] for found in history.runs["behave"].values())
    assert medians[0] < drawn.medians["behave"] < medians[-1]
    assert len(drawn.runs["behave"]) == 100
    assert len(drawn.waits[""]) == 15
    assert history.draw(Random(2)) == history.draw(Random(2)) != history.draw(Random(3))


@pytest.mark.parametrize("campaigns", [2, 5, 20])
def test_nine_in_ten_further_campaigns_are_in_the_range(campaigns: int) -> None:
    """Over 400 histories, with a spread between campaigns that is larger than the prior guess."""
    inside = 0
    for trial in range(400):
        random = Random(f"{campaigns}/{trial}")
        history = made(campaigns, 0.1, random)
        drawn = sorted(history.draw(random).medians["behave"] for _ in range(19))
        inside += drawn[0] <= 100 * math.exp(random.gauss(0.0, 0.1)) <= drawn[-1]
    assert 0.85 <= inside / 400 <= 0.95


def test_waits_are_drawn_within_bounds() -> None:
    """One campaign that started at once beside one that waited two hours says nearly nothing."""
    history = History(waits={"": {"night": [0.0], "day": [7200.0]}})
    drawn = [wait for k in range(300) for wait in history.draw(Random(k)).waits[""]]
    assert 0 < min(drawn) < 600
    assert max(drawn) == pytest.approx(72_000.0)


def test_without_history_a_campaign_may_be_faster_or_slower_all_the_same() -> None:
    factors = sorted(History().draw(Random(k)).factor for k in range(200))
    assert factors[10] < 0.95 < 1.05 < factors[-10]
    assert History().draw(None).factor == 1.0


# -- the prediction --------------------------------------------------------------------------


def test_a_range_is_stated_from_19_campaigns_on() -> None:
    assert _range_of([float(k) for k in range(1, 19)]) == Range(None, 9.0, None)
    assert _range_of([float(k) for k in range(1, 20)]) == Range(1.0, 10.0, 19.0)
    assert _range_of([float(k) for k in range(1, 40)]) == Range(2.0, 20.0, 38.0)


def test_a_prediction_goes_as_earlier_campaigns_went(ledger: Ledger, plan: Plan) -> None:
    """40 runs of 300 s on 2 blocks of 8 slots: 3 waves, after half an hour in the queue."""
    for name in ("first", "second", "third"):
        ran(ledger, plan, name, [298.0, 299.0, 300.0, 301.0, 302.0], [1750.0, 1800.0, 1850.0])
    found = predict(plan, seed=1, history=read(ledger, plan))
    length = found.makespan_seconds
    assert length.low is not None
    assert length.high is not None
    assert length.low < length.median < length.high
    assert 1800 + 3 * 300 < length.median < 2 * (1800 + 3 * 300)
    assert (found.runs, found.complete, found.stated) == (19, 19, [])
    assert found.middle.makespan_seconds == length.median
    stated = json.loads(json.dumps(found.to_dict()))
    assert stated["drawn_from"]["waits"] == 9
    assert stated["makespan_range_seconds"]["low"] == length.low
    assert stated["makespan_seconds"] == length.median
    assert predict(plan, seed=1, history=read(ledger, plan)) == found


def test_a_stated_wait_delays_the_end(plan: Plan) -> None:
    at_once = predict(plan, seed=1, runs=1)
    later = predict(plan, seed=1, runs=1, queue_seconds=1800.0)
    assert later.makespan_seconds.median > at_once.makespan_seconds.median + 300
    assert later.makespan_seconds.low is None
    assert at_once.stated == ["behave"]


def test_waits_of_days_are_simulated(plan: Plan) -> None:
    found = predict(plan, runs=1, history=History(waits={"": {"busy": [1_000_000.0]}}))
    assert found.makespan_seconds.median > 1_000_000
    assert found.middle.done == 40


def test_earlier_runs_stand_in_for_an_expected_duration(ledger: Ledger) -> None:
    plan = made_plan({"instances": 8})
    ran(ledger, plan, "first", [30.0] * 6, [5.0], nodes=1)
    assert read(ledger, plan).waits == {}  # the machine of the driver has no queue
    found = predict(plan, runs=1, history=read(ledger, plan))
    assert found.middle.done == 8
    assert found.makespan_seconds.median == pytest.approx(4 * 32, rel=0.2)


def test_an_allocation_has_its_nodes_and_waits_in_no_queue(ledger: Ledger, plan: Plan) -> None:
    ran(ledger, plan, "first", [100.0], [3600.0])
    assert read(ledger, plan).waits == {"": {"first": [3600.0]}}
    held = tuple(replace(one, whole_blocks=True) for one in plan.stages)
    assert read(ledger, replace(plan, stages=held, whole_blocks=True)).waits == {}
