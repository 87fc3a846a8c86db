"""What the ledger is told of an attempt is what the attempt reported."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings

from db.states import AttemptState, InstanceState
from orchestrator.driver.records.attempt_records import lost, to_ledger
from orchestrator.protocol.codec import MessageError
from orchestrator.protocol.report import AttemptReport
from tests import messages
from tests.orchestrator.protocol.strategies import statements

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
    "block_id": "0",
    "slot_index": 3,
    "cores": [4, 5],
    "process_start_us": 1,
    "ready_us": 2,
    "run_start_us": 3,
    "timed_window_start_us": 4,
    "timed_window_stop_us": 5,
    "run_stop_us": 6,
    "process_stop_us": 7,
    "clock_offset_max_us": 8,
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


def final(**changes: Any) -> AttemptReport:
    return AttemptReport.from_json(FINAL | changes)


def result(**changes: Any) -> dict[str, Any]:
    return {"result": FINAL["result"] | changes}


def test_a_final_report() -> None:
    told = to_ledger(final(), 1_790_000_000_000_099, InstanceState.DONE)
    assert (told.token, told.state, told.at_us) == ("t", AttemptState.SUCCEEDED, 1_790_000_000_000_007)
    assert told.instance_state is InstanceState.DONE
    for name in ("node", "exit_code", "cpu_seconds", "peak_memory_bytes"):
        assert told.values[name] == FINAL[name]
    assert (told.values["block_id"], told.values["slot_index"]) == (FINAL["block_id"], FINAL["slot_index"])
    times = [name for name in FINAL if name.endswith("_us") and name != "at_us"]
    assert len(times) == 8
    assert {name: told.values[name] for name in times} == {name: FINAL[name] for name in times}
    assert told.values["received_us"] == 1_790_000_000_000_099
    assert told.values["cores"] == "4,5"
    assert (told.values["fom_seconds"], told.values["accuracy"]) == (2.000003, 0.123456789)
    assert told.values["data_facts"] == {"rows": 900, "synthetic": True}
    assert "signal" not in told.values  # what is not known is not said


def test_phases_and_metrics_keep_their_units() -> None:
    assert to_ledger(final(), 0, None).metrics == (
        ("load_seconds", 0.25, "s"),
        ("train_seconds", 1.5, "s"),
        ("loss", 0.5, ""),
        ("rows", 900.0, ""),
    )


def test_a_metric_told_twice_is_kept_once_as_last_told() -> None:
    twice = [{"name": "loss", "value": 1.0}, {"name": "loss", "value": 2.0, "unit": "x"}]
    told = to_ledger(final(**result(metrics=twice, phases={})), 0, None)
    assert told.metrics == (("loss", 2.0, "x"),)


def test_the_environment_is_the_same_for_every_attempt_of_one_environment() -> None:
    other = SEEN | {"cpuset": [2, 3], "host": "node8", "pid": 1, "process_threads": 10}
    one = to_ledger(final(), 0, None)
    two = to_ledger(final(**result(seen=other)), 0, None)
    assert one.environment == two.environment
    assert one.environment is not None
    assert one.environment["versions"] == {"keras": "3.15.1"}
    changed = to_ledger(final(**result(seen=SEEN | {"precision": "float16"})), 0, None)
    assert changed.environment != one.environment


OF_THE_ATTEMPT = {"host", "pid", "cpuset", "gpus", "ranks", "framework", "tensor_float32", "devices"}


@settings(max_examples=100, deadline=None)
@given(statements)
def test_all_that_a_process_stated_is_kept_as_it_was_stated(content: dict[str, Any]) -> None:
    told = to_ledger(final(**result(seen=content)), 0, None)
    assert told.environment is not None
    assert told.values["observed"]["steps"] == {}  # none was counted
    stated = told.values["observed"] | told.environment
    assert json.loads(json.dumps(stated)) == content | {"steps": {}}
    kept = {name for name in content if name in OF_THE_ATTEMPT or name == "thread_variables"}
    assert set(told.values["observed"]) - {"steps"} == kept


@pytest.mark.parametrize(
    ("metric", "kept"),
    [
        ({"name": "loss", "value": 0.5, "unit": None}, ("loss", 0.5, "")),
        ({"name": 5, "value": 1, "unit": "m"}, ("5", 1.0, "m")),
        ({"name": "loss", "value": 0.5, "unit": 3}, ("loss", 0.5, "3")),
    ],
)
def test_an_odd_metric_is_kept_as_text(metric: dict[str, Any], kept: tuple[str, float, str]) -> None:
    assert to_ledger(final(**result(metrics=[metric], phases={})), 0, None).metrics == (kept,)


@pytest.mark.parametrize("data", [None, {}, [1], "rows"])
def test_whatever_a_workload_calls_its_data_is_kept(data: object) -> None:
    assert to_ledger(final(**result(data=data)), 0, None).values["data_facts"] == data


def test_what_the_rulebook_asks_of_every_attempt_stays_with_it() -> None:
    seen = to_ledger(final(), 0, None).values["observed"]
    assert seen["cpuset"] == [0, 1]
    assert (seen["framework"], seen["framework_version"], seen["precision"]) == (
        "tensorflow",
        "2.18.1",
        "float32",
    )
    assert (seen["host"], seen["pid"], seen["gpus"]) == ("node7", 4711, [])


def test_the_report_of_the_start_is_not_received_yet() -> None:
    begun = messages.report(state="running", process_start_us=5, cores=(0,))
    told = to_ledger(begun, 99, None)
    assert dict(told.values) == {"process_start_us": 5, "cores": "0"}
    assert (told.metrics, told.environment, told.instance_state) == ((), None, None)


def test_a_failure_without_a_result() -> None:
    failed = messages.report(
        state="failed",
        failure_category="benchmark",
        failure_reason="exit code 3",
        failure_message="m",
        exit_code=3,
    )
    told = to_ledger(failed, 99, InstanceState.PLANNED)
    assert dict(told.values) == {
        "failure_category": "benchmark",
        "failure_reason": "exit code 3",
        "failure_message": "m",
        "exit_code": 3,
        "received_us": 99,
    }


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, None, "2.5", True, [1]])
def test_what_is_no_number_is_not_told_as_one(bad: object) -> None:
    told = to_ledger(final(**result(fom_seconds=bad, accuracy=bad)), 0, None)
    assert (told.values["fom_seconds"], told.values["accuracy"]) == (None, None)


def test_zero_is_a_number() -> None:
    told = to_ledger(final(slot_index=0, exit_code=0, **result(accuracy=0)), 0, None)
    assert (told.values["slot_index"], told.values["exit_code"], told.values["accuracy"]) == (0, 0, 0.0)


def test_a_report_that_went_through_a_journal_is_told_the_same() -> None:
    again = AttemptReport.from_json(json.loads(json.dumps(final().to_json())))
    assert to_ledger(again, 5, InstanceState.DONE) == to_ledger(final(), 5, InstanceState.DONE)


def test_a_final_report_comes_with_what_earlier_ones_told_of_the_clock() -> None:
    assert "clock_offset_min_us" not in to_ledger(final(), 5, InstanceState.DONE).values
    assert to_ledger(final(), 5, InstanceState.DONE, -7).values["clock_offset_min_us"] == -7


def test_a_lost_attempt() -> None:
    told = to_ledger(lost("t", 7, "driver died", "no report was found"), 8, InstanceState.PLANNED)
    assert (told.state, told.at_us) == (AttemptState.LOST, 7)
    assert told.values["failure_category"] == "infrastructure"
    assert told.values["failure_reason"] == "driver died"


def test_an_unknown_state_is_refused() -> None:
    with pytest.raises(MessageError, match="finished"):
        final(state="finished")
