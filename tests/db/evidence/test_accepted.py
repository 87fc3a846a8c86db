"""Sums of accepted attempts, as judging takes them, are those of the single rows."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import pytest

from db.evidence.accepted import Accepted, Question, accepted_with_clocks
from db.evidence.clocks import clocks
from db.ledger import Ledger
from db.states import InstanceState
from db.writing.reported_rows import observation
from tests.db import rows
from tests.db.rows import T0, attempt, report
from tests.db.test_verification import force

TARGET = 0.5


def fill(ledger: Ledger, count: int = 60, benchmarks: str = "ab", *, twice: bool = False) -> int:
    """Run instances of benchmarks on three kinds of slots; some of what is told is missing."""
    draw = random.Random(7)
    number = ledger.register(
        rows.campaign(),
        [rows.benchmark(name, count) for name in benchmarks],
        [one for k, name in enumerate(benchmarks) for one in rows.planned(count, name, first=k * count)],
    )
    rows.begin(ledger, number)
    last = len(benchmarks) * count - 1
    if twice:  # the first of two that comes is accepted
        both = [attempt(last, 1), attempt(last, 2)]
        ledger.submit(number, 1, both)
        for one in both:
            ledger.record(number, [report(one.token, "succeeded", received_us=T0, fom_seconds=9.0)])
    for k in range(last if twice else last + 1):
        start = T0 + draw.randrange(10**9)
        core = draw.randrange(3)
        values: dict[str, Any] = {
            "run_start_us": draw.choice([None, start, start]),
            "run_stop_us": draw.choice([None, start + draw.randrange(10**9)]),
            "timed_window_start_us": start + 1,
            "timed_window_stop_us": start + 2,
            "fom_seconds": draw.choice([None, draw.random(), math.inf]),
            "accuracy": draw.choice([None, draw.random(), math.nan]),
            "node": draw.choice([None, "n0", "n1"]),
            "cores": draw.choice([None, str(core)]),
            "devices": draw.choice([None, "GPU-1"]),
            "observed": draw.choice([None, {}, {"cpuset": [core], "pid": k, "host": f"n{k}"}]),
            "data_facts": draw.choice([None, {"synthetic": True}]),
        }
        for number_of_try, state in enumerate(
            draw.choice([["succeeded"], ["failed", "succeeded"], ["lost"]])
        ):
            becomes = InstanceState.DONE if state == "succeeded" else InstanceState.PLANNED
            new = attempt(k, number_of_try + 1)
            ledger.submit(number, 1, [new])
            ledger.record(number, [report(new.token, state, becomes, received_us=T0, **values)])
    return number


def told(one: Any) -> str:
    facts = one if isinstance(one, dict) else observation(one.observed, one.data, one.cores, one.devices)
    return json.dumps(facts, sort_keys=True)


def beside(ledger: Ledger, asked: Question) -> Accepted:
    [found], _ = accepted_with_clocks(ledger, [asked])
    return found


@pytest.mark.parametrize("least", [TARGET, None])
@pytest.mark.parametrize(
    ("benchmarks", "twice"),
    [("ab", False), ("b", False), ("b", True)],
    ids=["one of two", "one", "one with a second success"],
)
def test_sums_are_those_of_the_rows(
    ledger_url: str, least: float | None, benchmarks: str, twice: bool
) -> None:
    with Ledger(ledger_url) as ledger:
        number = fill(ledger, benchmarks=benchmarks, twice=twice)
        found = beside(ledger, Question(number, "b", least))
        each = rows.accepted(ledger, number, "b")
        assert len(each) == sum(one.number for one in found.groups) > 30
        wanted: dict[str, list[Any]] = {}
        for row in each:
            seen = row.observed and json.loads(row.observed)
            wanted.setdefault(told(observation(seen, row.data_facts, row.cores, row.devices)), []).append(row)
        assert sorted(map(told, found.groups)) == sorted(wanted)
        for one in found.groups:
            mine = wanted[told(one)]
            seconds = [row.fom_seconds for row in mine if row.fom_seconds is not None]
            accuracies = [row.accuracy for row in mine if row.accuracy is not None]
            assert (one.number, one.timed, one.with_accuracy) == (len(mine), len(seconds), len(accuracies))
            assert one.longest_seconds == max(seconds, default=None)  # to the last bit
            assert one.lowest_accuracy == min(accuracies, default=None)
            assert one.below_target == (0 if least is None else sum(value < least for value in accuracies))
        for what, intervals in (("run", found.runs), ("timed_window", found.windows)):
            assert set(intervals) == {(1, "n0"), (1, "n1"), (1, None)}
            for place, times in intervals.items():
                mine = [row for row in each if row.node == place[1]]
                pairs = [(getattr(row, f"{what}_start_us"), getattr(row, f"{what}_stop_us")) for row in mine]
                measured = sorted(pair for pair in pairs if None not in pair)
                assert sorted(zip(*times, strict=True)) == measured != []


def test_accepted_attempts_come_together_with_the_clocks(ledger_url: str) -> None:
    with Ledger(ledger_url) as ledger:
        number = fill(ledger, benchmarks="b")
        _, found = accepted_with_clocks(ledger, [Question(number, "b", TARGET)])
        assert found == clocks(ledger, number)
        assert found.nodes.keys() == {(1, "n0"), (1, "n1")}


def test_an_attempt_whose_observation_was_removed_has_seen_nothing(sqlite_url: str) -> None:
    with Ledger(sqlite_url) as ledger:
        number = rows.started(ledger, 1)
        ledger.record(number, [report("toy-t0.1", "succeeded", observed={"cpuset": [0]})])
        force(sqlite_url, ["UPDATE attempts SET observation_sha256 = NULL"])
        [group] = beside(ledger, Question(number, "toy", TARGET)).groups
    assert (group.observed, group.cores, group.number) == (None, None, 1)


def test_of_nothing_there_is_nothing(ledger_url: str) -> None:
    with Ledger(ledger_url) as ledger:
        number = rows.started(ledger)
        found = beside(ledger, Question(number, "toy", TARGET))
    assert (found.groups, found.runs, found.windows) == ((), {}, {})


def test_what_a_database_client_wrote_is_no_time_and_no_accuracy(sqlite_url: str) -> None:
    """SQLite keeps infinities that are written past the ledger; none may become the longest time."""
    with Ledger(sqlite_url) as ledger:
        number = rows.started(ledger, 2)
        with rows.raw(sqlite_url) as connection:
            connection.exec_driver_sql("UPDATE attempts SET fom_seconds = 9e999, accuracy = -9e999")
        for k, seconds in enumerate([None, 2.0]):
            ledger.record(number, [report(f"toy-t{k}.1", "succeeded", fom_seconds=seconds, accuracy=seconds)])
        [found] = beside(ledger, Question(number, "toy", TARGET)).groups
    assert (found.timed, found.longest_seconds, found.with_accuracy, found.lowest_accuracy) == (
        1,
        2.0,
        1,
        2.0,
    )
    assert found.below_target == 0
