"""What the ledger is told of an attempt is what the attempt reported."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from db.states import AttemptState, InstanceState
from orchestrator.driver.attempt_records import lost, to_ledger

SEEN = {
    "cpuset": [0, 1],
    "host": "node7",
    "pid": 4711,
    "process_threads": 9,
    "gpus": [],
    "framework": "tensorflow",
    "framework_version": "2.18.1",
    "precision": "float32",
    "versions": {"keras": "3.15.1"},
}
FINAL: dict[str, Any] = {
    "token": "t",
    "label": "toy/0",
    "state": "succeeded",
    "at_us": 1_790_000_000_000_007,
    "node": "node7",
    "block": "0",
    "slot": 3,
    "cores": [4, 5],
    "process_start_us": 1,
    "ready_us": 2,
    "run_start_us": 3,
    "window_start_us": 4,
    "window_stop_us": 5,
    "run_stop_us": 6,
    "process_stop_us": 7,
    "clock_ahead_us": 8,
    "exit_code": 0,
    "signal": None,
    "cpu_seconds": 1.25,
    "peak_memory_bytes": 2**33,
    "result": {
        "fom_seconds": 2.000003,
        "accuracy": 0.123456789,
        "metrics": [{"name": "loss", "value": 0.5, "unit": ""}, {"name": "rows", "value": 900}],
        "phases": {"load": 0.25, "train": 1.5},
        "seen": SEEN,
        "data": {"rows": 900, "synthetic": True},
    },
}


def test_a_final_report() -> None:
    told = to_ledger(FINAL, 1_790_000_000_000_099, InstanceState.DONE)
    assert (told.token, told.state, told.at_us) == ("t", AttemptState.SUCCEEDED, 1_790_000_000_000_007)
    assert told.instance_state is InstanceState.DONE
    for name in ("node", "block", "slot", "exit_code", "cpu_seconds", "peak_memory_bytes"):
        assert told.values[name] == FINAL[name]
    times = [name for name in FINAL if name.endswith("_us") and name != "at_us"]
    assert len(times) == 8
    assert {name: told.values[name] for name in times} == {name: FINAL[name] for name in times}
    assert told.values["received_us"] == 1_790_000_000_000_099
    assert told.values["cores"] == "4,5"
    assert (told.values["fom_seconds"], told.values["accuracy"]) == (2.000003, 0.123456789)
    assert told.values["data"] == {"rows": 900, "synthetic": True}
    assert "signal" not in told.values  # what is not known is not said


def test_phases_and_metrics_keep_their_units() -> None:
    assert to_ledger(FINAL, 0, None).metrics == (
        ("load_seconds", 0.25, "s"),
        ("train_seconds", 1.5, "s"),
        ("loss", 0.5, ""),
        ("rows", 900.0, ""),
    )


def test_a_metric_told_twice_is_kept_once_as_last_told() -> None:
    twice = [{"name": "loss", "value": 1.0}, {"name": "loss", "value": 2.0, "unit": "x"}]
    told = to_ledger(FINAL | {"result": FINAL["result"] | {"metrics": twice, "phases": {}}}, 0, None)
    assert told.metrics == (("loss", 2.0, "x"),)


def test_the_environment_is_the_same_for_every_attempt_of_one_environment() -> None:
    other = SEEN | {"cpuset": [2, 3], "host": "node8", "pid": 1, "process_threads": 10}
    one = to_ledger(FINAL, 0, None)
    two = to_ledger(FINAL | {"result": FINAL["result"] | {"seen": other}}, 0, None)
    assert one.environment == two.environment
    assert one.environment is not None
    assert one.environment["versions"] == {"keras": "3.15.1"}
    changed = to_ledger(
        FINAL | {"result": FINAL["result"] | {"seen": SEEN | {"precision": "float16"}}}, 0, None
    )
    assert changed.environment != one.environment


def test_what_the_rulebook_asks_of_every_attempt_stays_with_it() -> None:
    seen = to_ledger(FINAL, 0, None).values["seen"]
    assert seen["cpuset"] == [0, 1]
    assert (seen["framework"], seen["framework_version"], seen["precision"]) == (
        "tensorflow",
        "2.18.1",
        "float32",
    )
    assert (seen["host"], seen["pid"], seen["gpus"]) == ("node7", 4711, [])


def test_the_report_of_the_start_is_not_received_yet() -> None:
    begun = {"token": "t", "state": "running", "at_us": 5, "process_start_us": 5, "cores": [0]}
    told = to_ledger(begun, 99, None)
    assert dict(told.values) == {"process_start_us": 5, "cores": "0"}
    assert (told.metrics, told.environment, told.instance_state) == ((), None, None)


def test_a_failure_without_a_result() -> None:
    failed = {"token": "t", "state": "failed", "at_us": 5, "category": "benchmark", "reason": "exit code 3"}
    told = to_ledger(failed | {"message": "m", "result": None, "exit_code": 3}, 99, InstanceState.PLANNED)
    assert dict(told.values) == {
        "category": "benchmark",
        "reason": "exit code 3",
        "message": "m",
        "exit_code": 3,
        "received_us": 99,
    }


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, None, "2.5", True, [1]])
def test_what_is_no_number_is_not_told_as_one(bad: object) -> None:
    told = to_ledger(FINAL | {"result": FINAL["result"] | {"fom_seconds": bad, "accuracy": bad}}, 0, None)
    assert (told.values["fom_seconds"], told.values["accuracy"]) == (None, None)


def test_zero_is_a_number() -> None:
    told = to_ledger(
        FINAL | {"slot": 0, "exit_code": 0, "result": FINAL["result"] | {"accuracy": 0}}, 0, None
    )
    assert (told.values["slot"], told.values["exit_code"], told.values["accuracy"]) == (0, 0, 0.0)


def test_a_report_that_went_through_a_journal_is_told_the_same() -> None:
    again = json.loads(json.dumps(FINAL))
    assert to_ledger(again, 5, InstanceState.DONE) == to_ledger(FINAL, 5, InstanceState.DONE)


def test_a_lost_attempt() -> None:
    told = to_ledger(lost("t", 7, "driver died", "no report was found"), 8, InstanceState.PLANNED)
    assert (told.state, told.at_us) == (AttemptState.LOST, 7)
    assert told.values["category"] == "infrastructure"
    assert told.values["reason"] == "driver died"


def test_an_unknown_state_is_refused() -> None:
    with pytest.raises(ValueError, match="finished"):
        to_ledger(FINAL | {"state": "finished"}, 0, None)
