"""Predictions of campaigns that run: where they stand, and how much is left."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import pytest

from db.queries.live_counts import open_by_instance
from db.records import CampaignRow
from db.states import Action, AttemptState, RunOutcome
from db.writing.requests import Request
from orchestrator.analysis.projection.forecasts import Range
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.driver_process.identity import this_driver
from orchestrator.protocol.order import AttemptOrder
from orchestrator.schedulers.model import JobState
from orchestrator.simulation.begun import Begun, end_wave
from orchestrator.simulation.durations import Durations
from orchestrator.simulation.engine import SimulatedEngine
from orchestrator.simulation.fault_model import FaultModel, SimulatedRun
from orchestrator.simulation.history import History, history_of
from orchestrator.simulation.machine import Machine, PresentBlock
from orchestrator.simulation.prediction import predict
from orchestrator.simulation.rest import begun_of, predict_rest
from orchestrator.simulation.unrecorded import waiting
from orchestrator.simulation.virtual_clock import START_US, VirtualClock
from tests.messages import order
from tests.orchestrator.simulation.simulated import SimulatedCampaign, made_plan
from tests.orchestrator.simulation.test_pools import pooled_plan

BATCH = {"nodes_per_block": 2, "max_blocks": 2}
SITE = {
    "site": "made",
    "interface": "lo",
    "node": {"cores": "0-3", "memory": "8 GiB"},
    "scheduler": {"type": "slurm", "walltime": "1 h", **BATCH},
}
CALM = FaultModel(seed=1, spread=0.0, stragglers=0.0, queue_waits={"": [60.0, 1800.0]})


def world_of(folder: Path, model: FaultModel = CALM, **benchmark: Any) -> SimulatedCampaign:
    """Return a campaign of 48 runs of ten minutes on two blocks of eight slots."""
    spec = {"instances": 48, "expected_runtime": "10 min", **benchmark}
    plan = made_plan(spec, slots=4, batch=BATCH)
    world = SimulatedCampaign(folder, plan, model)
    world.write_texts(plan.campaign.model_dump_json(by_alias=True, exclude_unset=True), json.dumps(SITE))
    return world


def look(
    world: SimulatedCampaign,
    seconds: float,
    act: Callable[[CampaignRow, int], None],
    outcome: RunOutcome = RunOutcome.COMPLETE,
) -> None:
    """Run a campaign, and give `act` its row and the time after some seconds; its driver is this process."""

    def now() -> None:
        owner, expires = this_driver(), 2**62
        row = replace(world.book.campaign("toy"), created_us=START_US, lease_owner=owner)
        act(replace(row, lease_expires_us=expires), world.machine.clock.now_us())

    world.machine.clock.at(seconds, now)
    assert world.run() is outcome


def test_where_a_campaign_stands(tmp_path: Path) -> None:
    world = world_of(tmp_path)
    states: list[Begun] = []
    look(world, 1500.0, lambda row, now: states.append(begun_of(world.book, row, world.plan, now)))
    [begun] = states
    assert begun.name == "toy"
    assert begun.seconds == 1500.0
    running = {label.rpartition("/")[2] for label, _ in begun.ages}
    first = [str(one.benchmark_index) for one in begun.pending[: len(running)]]
    assert set(first) == running
    assert len(running) == 8  # a block runs, and another waits
    assert {one.attempts for one in begun.pending} == {0}
    assert all(0 < age < 900 for age in begun.ages.values())
    (runs, waits) = begun.blocks[world.plan.stages[0].label]
    assert (runs.nodes, runs.waited_seconds) == (2, None)
    assert runs.seconds == pytest.approx(3600 - 1440, abs=5)
    assert (waits.nodes, waits.seconds) == (2, 3600)
    assert waits.waited_seconds == pytest.approx(1500, abs=5)
    assert begun.node_hours == pytest.approx(2 * 1440 / 3600, rel=0.01)
    world.close()


@pytest.mark.parametrize("seconds", [30.0, 400.0, 1000.0, 1700.0])
def test_what_is_left_ends_when_the_campaign_does(tmp_path: Path, seconds: float) -> None:
    world = world_of(tmp_path, replace(CALM, queue_waits={"": [60.0]}))
    found = []
    look(world, seconds, lambda row, now: found.append(predict_rest(world.book, row, now)))
    took = world.machine.clock.seconds()
    [prediction] = found
    length = prediction.makespan_seconds
    assert length.low is not None
    assert length.high is not None
    assert length.low <= took * 1.01
    assert length.high >= took * 0.99
    assert prediction.complete == prediction.runs == 19
    if seconds > 600:  # runs have ended
        assert length.median == pytest.approx(took, rel=0.02)
        held = world.rows("SELECT sum(nodes * (ended_us - started_us)) / 3.6e9 FROM blocks")[0][0]
        assert prediction.node_hours.median == pytest.approx(held, rel=0.05)
    world.close()


def test_what_failed_before_has_so_many_retries_less(tmp_path: Path) -> None:
    world = world_of(tmp_path, replace(CALM, failures=0.5), instances=16)
    tries: list[Counter[int]] = []

    def count(row: CampaignRow, now: int) -> None:
        begun = begun_of(world.book, row, world.plan, now)
        tries.append(Counter(one.attempts for one in begun.pending))
        for label, attempt in begun.ages:
            index = int(label.rpartition("/")[2])
            [one] = [one for one in begun.pending if one.benchmark_index == index]
            assert one.attempts == attempt - 1

    look(world, 900.0, count, RunOutcome.EXHAUSTED)
    assert tries[0][1] > 0
    world.close()


def test_campaigns_without_an_end_are_refused(tmp_path: Path) -> None:
    world = world_of(tmp_path, instances=8)
    row = world.row
    with pytest.raises(CampaignError, match="toy does not run: `orchestrator resume toy` goes on"):
        predict_rest(world.book, row, START_US)
    paused = replace(row, lease_owner=this_driver(), lease_expires_us=2**62)
    world.book.request(row.campaign_id, Request(Action.PAUSE, "behave", benchmark="behave"), "me")
    with pytest.raises(CampaignError, match="ends once somebody unpauses behave"):
        predict_rest(world.book, paused, START_US)
    world.close()


def test_a_campaign_that_is_through_has_nothing_left(tmp_path: Path) -> None:
    world = world_of(tmp_path, instances=8)
    assert world.run() is RunOutcome.COMPLETE
    with pytest.raises(CampaignError, match="toy has nothing left to run"):
        predict_rest(world.book, world.book.campaign("toy"), START_US)
    world.close()


# -- what is there ---------------------------------------------------------------------------


def lengths(world: SimulatedCampaign, seconds: float, outcome: RunOutcome = RunOutcome.COMPLETE) -> Range:
    """Return the predicted length of a campaign that is looked at after some seconds."""
    found = []
    look(world, seconds, lambda row, now: found.append(predict_rest(world.book, row, now)), outcome)
    world.close()
    return found[0].makespan_seconds


def test_what_runs_is_not_refused_by_what_is_left_of_its_block(tmp_path: Path) -> None:
    """Runs of 40 minutes after 35 of them, in a block of an hour."""
    model = replace(CALM, queue_waits={"": [60.0]})
    world = world_of(tmp_path, model, instances=16, expected_runtime="40 min")
    found = lengths(world, 2200.0)
    assert found.low is not None
    assert 2400 < found.low < found.median < 3200  # another run would begin after an hour


def test_what_runs_keeps_what_is_left_of_its_timeout(tmp_path: Path) -> None:
    """Eight runs hang until their timeout of 50 minutes, which begins with them."""
    plan = made_plan(
        {"instances": 8, "expected_runtime": "10 min", "timeout": "50 min"},
        slots=4,
        batch=BATCH | {"walltime": 8 * 3600.0},
        retries={"benchmark": 0, "infrastructure": 0},
    )
    model = replace(CALM, queue_waits={"": [60.0]})
    world = SimulatedCampaign(tmp_path, plan, model, draw=lambda _: SimulatedRun(1.0, 9000.0))
    world.write_texts(plan.campaign.model_dump_json(by_alias=True, exclude_unset=True), json.dumps(SITE))
    found = lengths(world, 2900.0, RunOutcome.EXHAUSTED)
    assert found.high == pytest.approx(3070, rel=0.02)


def test_a_wave_that_runs_ends_before_the_next(tmp_path: Path) -> None:
    plan = made_plan(
        {"instances": 48, "expected_runtime": "10 min"}, slots=4, batch=BATCH, start="synchronized"
    )
    world = SimulatedCampaign(tmp_path, plan, replace(CALM, queue_waits={"": [60.0]}))
    world.write_texts(plan.campaign.model_dump_json(by_alias=True, exclude_unset=True), json.dumps(SITE))
    states: list[Begun] = []
    predicted = []

    def act(row: CampaignRow, now: int) -> None:
        states.append(begun_of(world.book, row, plan, now))
        predicted.append(predict_rest(world.book, row, now))

    look(world, 900.0, act)  # within the second of three waves
    [begun], [found] = states, predicted
    assert (len(begun.wave), len(begun.pending), begun.ages) == (16, 16, {})
    assert {round(age) for _, age in begun.wave} <= set(range(200, 300))  # since the barrier opened
    assert found.makespan_seconds.median == pytest.approx(world.machine.clock.seconds(), rel=0.02)
    held = world.rows("SELECT sum(nodes * (ended_us - started_us)) / 3.6e9 FROM blocks")[0][0]
    assert found.node_hours.median == pytest.approx(held, rel=0.03)
    world.close()


def test_blocks_keep_their_nodes_whatever_is_asked_for(tmp_path: Path) -> None:
    batch = {"nodes_per_block": "1..8", "max_blocks": 3}
    plan = made_plan({"instances": 40, "expected_runtime": "10 min"}, slots=4, batch=batch)
    label = plan.stages[0].label
    present = {label: [PresentBlock(2, 1800.0), PresentBlock(7, 3600.0, 100.0)]}
    clock = VirtualClock()
    machine = Machine(clock, CALM, CALM.sampler({"behave": 600.0}), 10.0, lambda _: None, present=present)
    engine = SimulatedEngine(machine, plan.site, plan.stages[0])
    engine.start()
    assert [(one.nodes, one.walltime, one.state) for one in machine.blocks] == [
        (2, 1800.0, JobState.RUNNING),
        (7, 3600.0, JobState.QUEUED),
    ]
    assert engine.open_slots() == 8
    assert machine.take_present(label) == ()


def test_open_attempts_come_first_and_where_they_are(tmp_path: Path) -> None:
    """A third of the slots is on another pool; what runs there is not handed to the first."""
    plan = pooled_plan({"name": "a", "instances": 48, "spread": True, "expected_runtime": "10 min"})
    world = SimulatedCampaign(tmp_path, plan, replace(CALM, queue_waits={}))
    shapes: list[str] = []
    took: list[Range] = []

    def act(row: CampaignRow, now: int) -> None:
        begun = begun_of(world.book, row, plan, now)
        found = open_by_instance(world.book, row.campaign_id)
        shapes.extend(
            found[one.benchmark, one.benchmark_index].slot_shape for one in begun.pending[: len(found)]
        )
        took.append(predict(plan, history=history_of(world.book, plan), begun=begun).makespan_seconds)

    look(world, 900.0, act)
    assert shapes == sorted(shapes, key=[stage.label for stage in plan.all_stages].index)
    assert len(set(shapes)) == 2
    assert took[0].median == pytest.approx(world.machine.clock.seconds(), rel=0.03)
    world.close()


def test_failures_of_the_session_count_against_the_retries(tmp_path: Path) -> None:
    """Four of eight instances always fail; after their first failure they have a single attempt left."""
    plan = made_plan(
        {"instances": 8, "expected_runtime": "10 min"},
        slots=4,
        batch=BATCH | {"walltime": 8 * 3600.0},
        retries={"benchmark": 1, "infrastructure": 0},
    )

    def run(order: AttemptOrder) -> SimulatedRun:
        return SimulatedRun(1.0, 600.0, exit_code=int(int(order.label.rpartition("/")[2]) < 4))

    world = SimulatedCampaign(tmp_path, plan, replace(CALM, queue_waits={"": [60.0]}), draw=run)
    states: list[Begun] = []
    look(
        world,
        900.0,
        lambda row, now: states.append(begun_of(world.book, row, plan, now)),
        RunOutcome.EXHAUSTED,
    )
    assert [(one.state, one.category) for one in states[0].ended] == [
        *[(AttemptState.FAILED, "benchmark")] * 4,
        (AttemptState.SUCCEEDED, None),
    ]
    failing = History(ended={"behave": (20, 20)})
    found = predict(plan, runs=1, history=failing, begun=states[0])
    assert (found.middle.exhausted, found.middle.attempts) == (4, {"failed": 4})
    world.close()


def test_what_fails_of_a_wave_runs_again_and_blocks_go_on_meanwhile() -> None:
    plan = made_plan(
        {"instances": 8, "expected_runtime": "10 min"}, slots=4, batch=BATCH, start="synchronized"
    )
    [one, other, *_] = waiting(plan)
    stage = plan.stages[0].label
    blocks = {stage: [PresentBlock(2, 700.0), PresentBlock(2, 3600.0, 100.0), PresentBlock(2, 400.0)]}
    begun = Begun("toy", [], wave=[(replace(one, attempts=1), 100.0), (other, 100.0)], blocks=blocks)

    def draw(label: str, attempt: int) -> SimulatedRun:
        return SimulatedRun(0.0, 500.0, exit_code=attempt)

    model = replace(CALM, queue_waits={"": [300.0]})
    found = end_wave(begun, draw, model, timeouts={"behave": 900.0}, pools={stage: ""})
    assert found.seconds == 500.0
    assert [one.attempts for one in found.begun.pending] == [1]
    assert [(one.instance, one.state) for one in found.begun.ended] == [(0, AttemptState.FAILED)]
    assert found.begun.blocks == {stage: [PresentBlock(2, 200.0), PresentBlock(2, 3300.0)]}
    assert found.node_hours == pytest.approx(2 * (500 + 300 + 400) / 3600)
    late = end_wave(begun, draw, model, timeouts={"behave": 300.0}, pools={})
    assert (late.seconds, len(late.begun.pending)) == (200.0, 2)


# -- what runs -------------------------------------------------------------------------------


def left(age: float, runs: list[float], number: int = 4000) -> list[float]:
    """Return how long attempts still take that have run for a time, beside runs of such lengths."""
    found = []
    for seed in range(number):
        sample = FaultModel(seed).sampler({}, {"a": [(0.0, one) for one in runs]}, {("a/0", 1): age})
        found.append(sample(order(label="a/0", attempt=1)).run_seconds)
    return found


def test_an_attempt_takes_what_is_left_of_a_longer_run() -> None:
    found = left(50.0, [10.0, 40.0, 60.0, 80.0])
    within = [one for one in found if one in (10.0, 30.0)]
    beyond = [one for one in found if one not in (10.0, 30.0)]
    assert len(within) / len(found) == pytest.approx(2 / 3, abs=0.03)  # the longest of three in 1 of 3 cases
    assert min(beyond) >= 30.0


@pytest.mark.parametrize("shorter", [1, 1000])
def test_shorter_runs_say_nothing_of_one_that_is_older(shorter: int) -> None:
    found = left(50.0, [10.0] * shorter + [60.0, 80.0], 1000)
    assert sum(one in (10.0, 30.0) for one in found) / 1000 == pytest.approx(2 / 3, abs=0.05)


def test_one_that_has_run_longer_than_any_goes_on_for_as_long_as_runs_differ() -> None:
    alike = left(101.0, [100.0 + k / 100 for k in range(40)])
    assert 0 < sorted(alike)[len(alike) // 2] < 5
    apart = left(301.0, [100.0, 110.0, 120.0, 130.0, 180.0, 300.0])
    assert 50 < sorted(apart)[len(apart) // 2] < 300
    only = left(100.0, [90.0])
    assert min(only) > 0


def test_a_retry_and_one_that_waits_take_a_whole_run() -> None:
    sample = FaultModel(1).sampler({}, {"a": [(0.0, 100.0)]}, {("a/0", 1): 99.0})
    assert sample(order(label="a/0", attempt=2)).run_seconds == 100.0
    assert sample(order(label="a/1", attempt=1)).run_seconds == 100.0


def test_expected_durations_have_ages_too() -> None:
    sample = FaultModel(1).sampler({"a": 100.0}, ages={("a/0", 1): 95.0, ("a/1", 1): 1000.0})
    near = sample(order(label="a/0", attempt=1))
    assert 0 < near.run_seconds < 60
    assert near.ready_seconds == 0.0
    assert sample(order(label="a/1", attempt=1)).run_seconds > 0


def test_runs_are_drawn_by_the_shares_that_kaplan_and_meier_give_them() -> None:
    """Of 16 attempts five have ended, and eleven have run longer than all of these."""
    known = Durations([(0.0, 60.0 + 10 * k) for k in range(5)], [100.5] * 11)
    random = Random(1)
    drawn = Counter(round(sum(known.draw(random))) for _ in range(16_000))
    assert all(abs(drawn[one] - 1000) < 130 for one in (60, 70, 80, 90, 100))


def test_a_single_run_does_not_stand_for_all_where_a_duration_is_stated() -> None:
    sample = FaultModel(1).sampler({"a": 300.0}, {"a": [(0.0, 600.0)]})
    found = [sample(order(label=f"a/{k}", attempt=1)).run_seconds for k in range(400)]
    assert 0.8 < sum(one < 400 for one in found) / 400 < 0.95


# -- what waits ------------------------------------------------------------------------------


def test_a_block_waits_as_long_as_those_that_waited_longer() -> None:
    model = FaultModel(1, queue_waits={"": [10.0, 100.0, 200.0]})
    assert {model.queue(str(k), "", 50.0) for k in range(40)} == {50.0, 150.0}
    beyond = sorted(model.queue(str(k), "", 1000.0) for k in range(400))
    assert beyond[200] == pytest.approx(1000, rel=0.2)
    assert {model.queue(str(k), "") for k in range(40)} == {10.0, 100.0, 200.0}
    assert FaultModel(1).queue("0", "", 100.0) > 0
    assert FaultModel(1).queue("0", "") == 0.0


def test_waits_of_a_campaign_that_goes_on_are_as_its_own_waits() -> None:
    waits = {"": {"old": [600.0] * 4, "older": [700.0] * 4, "new": [7000.0] * 6}}
    history = History(waits=waits)
    own = [median(history.draw(Random(k), "new").waits[""]) for k in range(40)]
    further = [median(history.draw(Random(k)).waits[""]) for k in range(40)]
    assert 4000 < median(own) < 7500
    assert max(own) / min(own) < 4 < max(further) / min(further)
    alone = History(waits={"": {"new": [7000.0]}})
    assert 3000 < median(median(alone.draw(Random(k), "new").waits[""]) for k in range(40)) < 15_000


def test_a_campaign_that_goes_on_differs_as_its_runs_so_far_say() -> None:
    old = [(0.0, 100.0 + k) for k in range(-4, 5)]
    history = History(runs={
        "a": {"old": old, "new": [(0.0, 150.0)] * 4},
        "b": {"old": [(0.0, 10.0)] * 9},
    })  # fmt: skip
    drawn = [history.draw(Random(seed), "new") for seed in range(20)]
    assert median(one.factor for one in drawn) == pytest.approx(1.5, rel=0.1)
    assert drawn[0].medians["b"] == pytest.approx(10 * drawn[0].factor)
    assert (0.0, 150.0) in drawn[0].runs["a"]


def test_attempts_that_still_run_say_that_the_campaign_is_slower() -> None:
    """The first two of 32 end after 90 s, and the others go on beyond 140 s: not a fast campaign."""
    old = [(0.0, 60.0 + 10 * k) for k in range(9)]
    history = History(runs={"a": {"old": old, "new": [(0.0, 90.0)] * 2}})
    fast = median(history.draw(Random(k), "new").factor for k in range(20))
    slow = median(history.draw(Random(k), "new", {"a": [140.0] * 30}).factor for k in range(20))
    assert slow > 1.2 * fast


def test_stated_durations_are_corrected_by_what_ended_of_other_benchmarks() -> None:
    history = History(runs={f"t{k}": {"new": [(1.0, 200.0 + k)]} for k in range(6)})
    stated = {f"t{k}": 100.0 for k in range(8)}
    drawn = [history.draw(Random(seed), "new", {}, stated) for seed in range(20)]
    assert median(one.expected["t7"] for one in drawn) == pytest.approx(200, rel=0.1)
    assert median(one.spread or 0.0 for one in drawn) < 0.1
    assert {one.ready_seconds for one in drawn} == {1.0}
    before = History().draw(Random(1), None, {}, stated)
    assert before.spread is None
    late = [History().draw(Random(k), "new", {"t7": [300.0] * 4}, stated) for k in range(20)]
    assert median(one.expected["t7"] for one in late) > 200  # none has ended, and all are late
    assert before.expected["t7"] == pytest.approx(100 * before.factor)
