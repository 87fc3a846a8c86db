"""Where slot-time went: worked by hand, painted microsecond by microsecond, and on simulated campaigns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from db.queries.attempt_times import AttemptTimes, Names
from db.rows import Block, Session
from db.states import UNSEEN_END
from orchestrator.analysis.slot_time.makespan_explained import explain
from orchestrator.analysis.slot_time.parts import COUNTED, PARTS, slot_time
from orchestrator.driver.stop_requests import StopLevel
from orchestrator.errors import CampaignError
from orchestrator.simulation.fault_model import FaultModel
from tests.orchestrator.simulation.simulated import SimulatedCampaign, made_plan

MOMENTS = ("submitted", "process_start", "ready", "run_start", "run_stop", "process_stop", "received")


def names(values: list[str]) -> Names:
    texts = tuple(dict.fromkeys(values))
    return Names(np.array([texts.index(value) for value in values], dtype=np.int64), texts)


def attempts(*given: dict[str, Any]) -> AttemptTimes:
    """Return attempts; `at` has the moments of `MOMENTS`, 0 where none was measured."""

    def column(name: str, default: Any, kind: Any = np.int64) -> Any:
        return np.array([one.get(name, default) for one in given], dtype=kind)

    moments = np.array([one["at"] for one in given], dtype=np.int64).reshape(-1, len(MOMENTS))
    return AttemptTimes(
        benchmark=names([one.get("benchmark", "b") for one in given]),
        shape=names(["c1"] * len(given)),
        block=names([one.get("block", "0") for one in given]),
        node=names([one.get("node", "n1") for one in given]),
        state=names([one.get("state", "succeeded") for one in given]),
        session=column("session", 1),
        index=np.arange(len(given)),
        slot=column("slot", 0),
        accepted=np.array([one.get("state", "succeeded") == "succeeded" for one in given]),
        superseded=column("superseded", False, np.bool_),
        fom_seconds=column("fom", 1.0, np.float64),
        load_us=column("load", 0),
        **{f"{name}_us": moments[:, k] for k, name in enumerate(MOMENTS)},
    )


def block(requested: int, started: int | None, ended: int | None, nodes: int = 1, **changes: Any) -> Block:
    row = Block(1, 1, "c1", "0", "7", "released", requested, started, ended, nodes, None, None)
    return replace(row, **changes)


def session(number: int, outcome: str = "complete", started: int = 0, slots: int = 2) -> Session:
    return Session(1, number, "launch", "h", 1, "0", slots, started, None, outcome)


def parts(found: Any, **chosen: Any) -> dict[str, int]:
    return {name: value for name, value in found.total(**chosen).items() if value}


def test_two_slots_worked_by_hand() -> None:
    """Two nodes of two slots, requested at 10, started at 100, over at 1000; one node runs nothing."""
    times = attempts(
        {
            "at": (20, 150, 160, 170, 270, 275, 276),
            "load": 30,
        },  # 10 imports, 10 barrier, 30 load, 70 run, 5 exit
        {"at": (20, 190, 200, 200, 400, 400, 401), "slot": 1},  # 40 later than the first; 200 run
        {"at": (20, 300, 310, 310, 0, 350, 351), "state": "failed"},
        {"at": (20, 360, 365, 365, 0, 0, 380), "state": "lost"},
        {"at": (20, 500, 500, 500, 600, 600, 601)},  # 100 run
    )
    found = slot_time(times, [block(10, 100, 1000, nodes=2)], [session(1)], {"c1": (2, 1)})
    assert found.offered_us == 4 * 990
    assert parts(found) == {
        "queue_wait": 4 * 90,
        "pool_start": 2 * 50,  # the node's first process began at 150
        "launch_skew": 40,
        "imports": 10 + 10 + 0,
        "barrier_wait": 10,
        "load": 30,
        "median_run": 70 + 100 + 100,  # runs of 70, 200 and 100; their median is 100
        "straggler_tail": 100,
        "exit": 5,
        "retries": 50,
        "lost_work": 20,
        "idle_between": (300 - 275) + (360 - 350) + (500 - 380),
        "idle_at_end": (1000 - 600) + (1000 - 400),
        "never_used": 2 * 900,
    }


def test_what_happens_while_no_driver_lives() -> None:
    """The driver dies at 400; its block is ended by the next session, which began at 700 with three slots."""
    times = attempts(
        {"at": (10, 100, 100, 100, 300, 300, 301)},
        {"at": (390, 390, 390, 390, 600, 600, 690)},  # it ran on, and its result was adopted
        {"at": (720, 800, 800, 800, 900, 900, 900), "session": 2},
    )
    blocks = [block(10, 100, 695), block(720, 800, 900, session_number=2)]
    sessions = [session(1, "driver_died", 5), session(2, started=680, slots=3)]
    found = slot_time(times, blocks, sessions, {"c1": (1, 1)})
    assert parts(found) == {
        "queue_wait": 90 + 80,
        "median_run": 200 + 200 + 100,
        "straggler_tail": 10,
        "idle_between": 90,
        "driver_outage": 695 - 600,  # after the last attempt of the dead driver's slot
        "between_sessions": 3 * (720 - 695),  # from its block's end to the next request
    }


def test_the_time_without_a_driver_is_an_outage_where_the_next_session_runs_nothing() -> None:
    """The next session adopts the result; the block's end is its last sign of life, which no driver saw."""
    times = attempts({"at": (10, 100, 100, 100, 300, 300, 900)})
    seen, unseen = block(10, 100, 500), block(10, 100, 500, message=UNSEEN_END)
    sessions = [session(1, "driver_died", 5), session(2, started=880)]
    assert parts(slot_time(times, [unseen], sessions, {"c1": (1, 1)})) == {
        "queue_wait": 90,
        "median_run": 200,
        "driver_outage": 200,
    }
    assert parts(slot_time(times, [seen], sessions, {"c1": (1, 1)}))["idle_at_end"] == 200
    times = attempts({"at": (10, 100, 100, 100, 300, 300, 0)})
    closed = [session(1, "driver_died", 5)]  # by `node leftovers`: none follows
    assert parts(slot_time(times, [unseen], closed, {"c1": (1, 1)}))["driver_outage"] == 200


def test_an_attempt_without_an_end_of_its_own_ended_with_its_block_that_no_driver_saw_end() -> None:
    """Everything died at 500; the next session found it at 90,000."""
    times = attempts({"at": (10, 100, 100, 100, 0, 0, 90_000), "state": "lost"})
    sessions = [session(1, "driver_died", 5), session(2, started=90_000)]
    unseen = block(10, 100, 500, message=UNSEEN_END)
    found = slot_time(times, [unseen], sessions, {"c1": (1, 1)})
    assert parts(found) == {"queue_wait": 90, "lost_work": 400}
    assert found.offered_us == 490


def test_clocks_that_are_off_move_times_into_the_block() -> None:
    times = attempts({"at": (10, 50, 60, 70, 2000, 2100, 900)})
    found = slot_time(times, [block(10, 100, 800)], [session(1)], {"c1": (1, 1)})
    assert found.offered_us == sum(parts(found).values()) == 2100 - 10
    assert parts(found)["queue_wait"] == 40  # a poll noticed the start late


def test_slots_that_none_of_two_benchmarks_used_belong_to_neither() -> None:
    times = attempts(
        {"at": (0, 10, 10, 10, 20, 20, 20), "benchmark": "a"},
        {"at": (0, 20, 20, 20, 40, 40, 40), "benchmark": "b"},
    )
    found = slot_time(times, [block(0, 0, 40, nodes=2)], [session(1)], {"c1": (1, 1)})
    assert parts(found, benchmark="a") == {"pool_start": 10, "median_run": 10}
    assert parts(found, benchmark="b") == {"median_run": 20}
    assert parts(found, benchmark="") == {"never_used": 40}
    assert parts(found, shape="c1") == parts(found)


def test_nothing_at_all() -> None:
    found = slot_time(attempts(), [], [], {})
    assert (found.offered_us, parts(found)) == (0, {})
    waiting = slot_time(attempts({"at": (10, 0, 0, 0, 0, 0, 0), "state": "submitted", "node": ""}),
                        [block(5, None, None, nodes=3)], [session(1)], {"c1": (2, 1)})  # fmt: skip
    assert parts(waiting) == {"queue_wait": 6 * 5}


RUNS = st.tuples(
    st.integers(0, 3), st.integers(0, 60), st.lists(st.integers(0, 15), min_size=4, max_size=4), st.booleans()
)


@given(st.lists(RUNS, max_size=12), st.integers(0, 20), st.integers(0, 30), st.integers(0, 80))
def test_parts_are_those_of_a_slot_painted_moment_by_moment(
    runs: list[tuple[int, int, list[int], bool]], queued: int, started: int, length: int
) -> None:
    """An independent account: every slot is a list of moments, each painted once."""
    given: list[dict[str, Any]] = []
    free = dict.fromkeys(range(4), queued + started)
    end = queued + started + length
    painted: dict[int, list[str]] = {slot: [] for slot in range(4)}
    for slot, gap, steps, succeeds in runs:
        begin = free[slot] + gap
        marks = np.cumsum([begin, *steps]).tolist()
        if marks[-1] > end:
            continue
        free[slot] = marks[-1]
        painted[slot] += ["idle"] * gap
        if succeeds:
            for name, width in zip(("imports", "barrier_wait", "run", "exit"), steps, strict=True):
                painted[slot] += [name] * width
        else:
            painted[slot] += ["retries"] * sum(steps)
        given.append(
            {"at": (1, *marks, marks[-1] + 1), "slot": slot, "state": "succeeded" if succeeds else "failed"}
        )
    given = [{**one, "at": tuple(moment + 1 for moment in one["at"])} for one in given]  # 0 is no time
    found = parts(slot_time(attempts(*given), [block(1, 1 + queued, 1 + end)], [session(1)], {"c1": (4, 1)}))
    every = [name for moments in painted.values() for name in moments]
    for name in ("imports", "barrier_wait", "exit", "retries"):
        assert found.get(name, 0) == every.count(name)
    assert sum(found.get(name, 0) for name in COUNTED) == every.count("run")
    assert sum(found.values()) == 4 * end


def test_a_calm_campaign_is_explained_by_name(tmp_path: Path) -> None:
    plan = made_plan({"instances": 24, "expected_runtime": "5 min"}, slots=4, batch={"nodes_per_block": 3})
    world = SimulatedCampaign(tmp_path, plan, FaultModel(spread=0.0, stragglers=0.0, queue_seconds=60.0))
    world.run()
    found = explain(world.book, world.row)
    total = found.parts
    assert set(total) == set(PARTS)
    assert total["straggler_tail"] < 24  # rounding of the simulated clock
    assert total["median_run"] == pytest.approx(24 * 300e6)
    assert total["retries"] == total["lost_work"] == total["driver_outage"] == total["unfinished"] == 0
    assert found.slot_use == pytest.approx(sum(total[name] for name in COUNTED) / sum(total.values()))
    assert found.node_hours.accepted == pytest.approx(24 * 300 / 3600 / 4)
    assert found.node_hours.accepted < found.node_hours.busy < found.node_hours.held
    [one] = found.blocks
    assert one.queued_seconds == pytest.approx(total["queue_wait"] / 1e6 / 12)
    assert one.held_seconds == pytest.approx(found.node_hours.held * 3600 / 3)
    assert explain(world.book, world.row, "behave").parts == total
    with pytest.raises(CampaignError, match="ran no benchmark 'other'; it ran behave"):
        explain(world.book, world.row, "other")
    with pytest.raises(CampaignError, match="ran no stage 'c9'"):
        explain(world.book, world.row, stage="c9")
    world.close()


def test_a_campaign_that_is_stopped_and_resumed_has_time_between_its_sessions(tmp_path: Path) -> None:
    plan = made_plan({"instances": 16, "expected_runtime": "5 min"}, batch={"nodes_per_block": 2})
    world = SimulatedCampaign(tmp_path, plan, FaultModel(stragglers=0.0))
    world.machine.clock.at(400.0, lambda: world.switch.request(StopLevel.DRAIN))
    world.run()
    world.machine.clock.pass_time(1000.0)
    world.run()
    assert world.slot_time().total()["between_sessions"] == pytest.approx(4 * 1000e6, rel=0.02)
    world.close()
