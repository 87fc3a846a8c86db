"""Users cancel, retry and pause instances while the driver runs; each scenario is in virtual time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from db.ledger import Ledger
from db.states import Action, RunOutcome
from db.writing.requests import Request, ranges_of
from orchestrator.simulation.fault_model import FaultModel, SimulatedRun
from tests.orchestrator.simulation.simulated import SimulatedCampaign, made_plan

CALM = FaultModel(stragglers=0.0, pool_seconds=0.0)


def world_of(tmp_path: Path, *benchmarks: tuple[str, int], cores: int = 1) -> SimulatedCampaign:
    made = [
        {"name": name, "instances": number, "expected_runtime": "10 min", "slot": {"cores": cores}}
        if name == "wide"
        else {"name": name, "instances": number, "expected_runtime": "10 min"}
        for name, number in benchmarks
    ]
    return SimulatedCampaign(tmp_path, made_plan(*made), CALM, draw=lambda order: SimulatedRun(1.0, 100.0))


def asks(
    world: SimulatedCampaign,
    at: float,
    action: Action,
    numbers: range,
    benchmark: str = "",
    *,
    ends_running: bool = False,
) -> None:
    """Let another process ask at a time."""

    def ask() -> None:
        with Ledger(str(world.book.url.database)) as other:
            request = Request(action, benchmark or "some", ranges_of(numbers), benchmark, ends_running)
            assert not other.request(1, request, "user")

    world.machine.clock.at(at, ask)


def states(world: SimulatedCampaign) -> list[str]:
    return [state for (state,) in world.rows("SELECT state FROM instances ORDER BY instance_id")]


def tried(world: SimulatedCampaign) -> set[int]:
    return {number for (number,) in world.rows("SELECT DISTINCT instance_id FROM attempts")}


@pytest.fixture
def made(tmp_path: Path) -> Callable[..., SimulatedCampaign]:
    return lambda *benchmarks, **options: world_of(tmp_path, *benchmarks, **options)


def test_cancelled_instances_do_not_start_and_those_that_run_finish(
    made: Callable[..., SimulatedCampaign],
) -> None:
    world = made(("a", 12))
    asks(world, 50.0, Action.CANCEL, range(12))
    assert world.run() is RunOutcome.COMPLETE
    started = tried(world)
    assert 2 <= len(started) < 6
    assert states(world) == ["done" if one in started else "cancelled" for one in range(12)]
    world.close()


def test_attempts_of_cancelled_instances_are_ended_and_not_tried_again(
    made: Callable[..., SimulatedCampaign],
) -> None:
    world = made(("a", 12))
    asks(world, 50.0, Action.CANCEL, range(1, 12), ends_running=True)
    assert world.run() is RunOutcome.COMPLETE
    assert states(world) == ["done"] + ["cancelled"] * 11
    ended = "SELECT DISTINCT state, failure_category, failure_reason FROM attempts WHERE instance_id > 0"
    assert world.rows(ended) == [("cancelled", "neutral", "cancelled by user")]
    ran = world.rows("SELECT process_stop_us - process_start_us FROM attempts WHERE instance_id = 1")
    assert 0 < ran[0][0] < 60e6
    world.slot_time()
    world.close()


def test_one_that_is_cancelled_and_retried_at_once_costs_no_retry(tmp_path: Path) -> None:
    plan = made_plan(
        {"instances": 2, "expected_runtime": "10 min"}, retries={"benchmark": 0, "infrastructure": 0}
    )
    world = SimulatedCampaign(tmp_path, plan, CALM, draw=lambda order: SimulatedRun(1.0, 100.0))
    asks(world, 50.0, Action.CANCEL, range(2), ends_running=True)
    asks(world, 50.1, Action.RETRY, range(2))
    assert world.run() is RunOutcome.COMPLETE
    assert states(world) == ["done", "done"]
    assert world.rows("SELECT state, count(*) FROM attempts GROUP BY 1 ORDER BY 1") == [
        ("cancelled", 2),
        ("succeeded", 2),
    ]
    world.close()


def test_a_wave_whose_instances_are_cancelled_at_the_barrier_lets_the_others_start(tmp_path: Path) -> None:
    plan = made_plan({"instances": 4, "expected_runtime": "10 min"}, slots=4, start="synchronized")
    slow = {0: 1.0, 1: 1.0, 2: 300.0, 3: 1.0}
    world = SimulatedCampaign(
        tmp_path, plan, CALM, draw=lambda order: SimulatedRun(slow[int(order.label.partition("/")[2])], 100.0)
    )
    asks(world, 100.0, Action.CANCEL, range(2, 4), ends_running=True)
    assert world.run() is RunOutcome.COMPLETE
    assert states(world) == ["done", "done", "cancelled", "cancelled"]
    assert world.rows("SELECT max(run_start_us) - min(process_start_us) < 150e6 FROM attempts") == [(1,)]
    world.close()


def test_one_that_fails_after_it_was_cancelled_is_not_tried_again(tmp_path: Path) -> None:
    plan = made_plan({"instances": 2, "expected_runtime": "10 min"}, retries={"benchmark": 9})
    world = SimulatedCampaign(tmp_path, plan, CALM, draw=lambda order: SimulatedRun(1.0, 100.0, exit_code=1))
    asks(world, 50.0, Action.CANCEL, range(2))
    world.run()
    assert states(world) == ["cancelled", "cancelled"]
    assert world.rows("SELECT count(*) FROM attempts") == [(2,)]
    world.close()


def test_cancelled_instances_come_back_even_to_a_stage_that_had_ended(
    made: Callable[..., SimulatedCampaign],
) -> None:
    world = made(("a", 8), ("wide", 4), cores=2)
    asks(world, 50.0, Action.CANCEL, range(6, 8))
    asks(world, 600.0, Action.RETRY, range(8))
    assert world.run() is RunOutcome.COMPLETE
    assert set(states(world)) == {"done"}
    world.check()
    world.close()


def test_a_paused_benchmark_waits_while_others_run_and_holds_no_node(
    made: Callable[..., SimulatedCampaign], caplog: pytest.LogCaptureFixture
) -> None:
    world = made(("a", 8), ("wide", 4), cores=2)
    asks(world, 50.0, Action.PAUSE, range(0), "a")
    assert world.run() is RunOutcome.DRAINED
    assert "what is left is paused" in caplog.text
    assert "then `orchestrator resume toy`" in caplog.text
    found = states(world)
    assert set(found[8:]) == {"done"}
    assert set(found[:8]) == {"done", "planned"}
    assert world.run() is RunOutcome.DRAINED  # it holds for later sessions
    assert states(world) == found
    with Ledger(str(world.book.url.database)) as other:
        assert other.request(1, Request(Action.UNPAUSE, "a", benchmark="a"), "user")
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    world.close()


def test_a_pause_that_is_taken_back_in_time_changes_nothing(made: Callable[..., SimulatedCampaign]) -> None:
    world = made(("a", 8), ("wide", 4), cores=2)
    asks(world, 50.0, Action.PAUSE, range(0), "a")
    asks(world, 150.0, Action.UNPAUSE, range(0), "a")
    assert world.run() is RunOutcome.COMPLETE
    world.check()
    world.close()


def test_a_ledger_that_is_away_when_it_is_asked_delays_the_request(
    made: Callable[..., SimulatedCampaign],
) -> None:
    world = made(("a", 12))
    asks(world, 50.0, Action.CANCEL, range(10, 12))
    world.book.away = [(50.5, 90.0)]
    assert world.run() is RunOutcome.COMPLETE
    assert states(world) == ["done"] * 10 + ["cancelled"] * 2
    world.close()


def test_a_driver_that_dies_at_any_write_leaves_the_request_to_the_next(tmp_path: Path) -> None:
    for write in (4, 6, 7, 8, 9, 10):
        for after in (False, True):
            world = world_of(tmp_path / f"{write}{after}", ("a", 12))
            asks(world, 3.0, Action.CANCEL, range(9, 12))
            world.book.crash_at = {world.book.writes + write: after}
            world.run()
            world.run()
            assert states(world) == ["done"] * 9 + ["cancelled"] * 3, (write, after)
            world.close()
