"""Lines of journals, whose text here is literal, are read as reports; unknown keys are left out."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from db.states import AttemptState
from orchestrator.driver.records.attempt_records import to_ledger
from orchestrator.node.ranks.process import RankProcess
from orchestrator.protocol.report import TrainingError, TrainingResult
from orchestrator.rundir.journal import Tail, decode_report, final_report
from orchestrator.rundir.packed_reader import lines

RUNNING = (
    b'adc3e5d5 {"token":"9f86d081884c7d65","label":"toy/0","state":"running","at_us":1790000000000001,'
    b'"node":"n1","block_id":"0","pool":null,"slot_index":0,"devices":[],"cores":[0,1],"nodes":[],'
    b'"process_start_us":1790000000000000,"clock_offset_max_us":null,"at_barrier":true}\n'
)
SUCCEEDED = (
    b'9418a3f3 {"token":"9f86d081884c7d65","label":"toy/0","state":"succeeded","at_us":1790000000000009,'
    b'"node":"n1","block_id":"0","pool":null,"slot_index":0,"devices":["GPU-a"],"cores":[0,1],"nodes":[],'
    b'"process_start_us":1790000000000000,"clock_offset_max_us":null,"ready_us":1790000000000002,'
    b'"run_start_us":1790000000000003,"run_stop_us":1790000000000008,"failure_category":null,"failure_reason":null,'
    b'"failure_message":null,"exit_code":0,"signal":null,"cpu_seconds":1,"peak_memory_bytes":1024,'
    b'"barrier_seconds":null,"stderr_tail":null,"process_stop_us":1790000000000009,'
    b'"of_no_version":{"a":[1]},"result":{"accuracy":null,"fom_seconds":0.30000000000000004,'
    b'"metrics":[{"name":"loss","value":NaN,"unit":null},{"name":"rows","value":900,"unit":"","x":1}],'
    b'"phases":{"load":0.25},"seen":{"host":"n1","pid":4711,"cpuset":[0,1],"gpus":[{"uuid":"GPU-a",'
    b'"proven":true}],"device_memory_bytes":null,"tensor_float32":null,"framework":"numpy","cpu_model":"x"},'
    b'"data":{"rows":900},"accuracies":null}}\n'
)
LOST = (
    b'93cc2a13 {"token":"2c26b46b68ffc68f","label":"toy/1","state":"lost","at_us":1790000000000010,'
    b'"failure_category":"infrastructure","failure_reason":"supervisor died",'
    b'"failure_message":"its supervisor died: SIGKILL",'
    b'"node":"n1","block_id":"0","pool":null}\n'
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "1" / "w.journal"
    file.parent.mkdir()
    file.write_bytes(RUNNING + SUCCEEDED + LOST)
    return file


def test_all_of_them_are_reports(file: Path, tmp_path: Path) -> None:
    reports = list(Tail(tmp_path).read())
    assert [one.state.value for one in reports] == ["running", "succeeded", "lost"]
    assert [report for _, _, report in lines(tmp_path)] == reports
    assert final_report(file, "9f86d081884c7d65") == reports[1]
    assert final_report(file, "2c26b46b68ffc68f") == reports[2]


def test_a_running_one() -> None:
    report = decode_report(RUNNING.rstrip())
    assert report is not None
    assert (report.token, report.label, report.slot_index) == ("9f86d081884c7d65", "toy/0", 0)
    assert report.at_barrier
    assert dict(to_ledger(report, 0, None).values) == {
        "block_id": "0", "node": "n1", "slot_index": 0, "process_start_us": 1790000000000000, "cores": "0,1",
    }  # fmt: skip


def test_a_succeeded_one_with_its_result() -> None:
    report = decode_report(SUCCEEDED.rstrip())
    assert report is not None
    told = to_ledger(report, 7, None)
    assert dict(told.values) == {
        "block_id": "0", "node": "n1", "slot_index": 0, "cores": "0,1", "devices": "GPU-a", "exit_code": 0,
        "process_start_us": 1790000000000000, "ready_us": 1790000000000002,
        "run_start_us": 1790000000000003, "run_stop_us": 1790000000000008,
        "process_stop_us": 1790000000000009, "cpu_seconds": 1, "peak_memory_bytes": 1024, "received_us": 7,
        "observed": {
            "host": "n1", "pid": 4711, "cpuset": [0, 1], "gpus": [{"uuid": "GPU-a", "proven": True}],
            "tensor_float32": None, "framework": "numpy", "steps": {},
        },
        "data_facts": {"rows": 900}, "fom_seconds": 0.30000000000000004, "accuracy": None,
    }  # fmt: skip
    assert told.environment == {
        "device_memory_bytes": None, "tensor_float32": None, "framework": "numpy", "cpu_model": "x",
    }  # fmt: skip
    load, loss, rows = told.metrics
    assert (load, rows) == (("load_seconds", 0.25, "s"), ("rows", 900.0, ""))
    assert (loss[0], loss[2]) == ("loss", "")
    assert math.isnan(loss[1])


def test_a_lost_one() -> None:
    report = decode_report(LOST.rstrip())
    assert report is not None
    assert (report.state, report.failure_category, report.pool) == (AttemptState.LOST, "infrastructure", None)
    assert report.failure_message == "its supervisor died: SIGKILL"


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (
            b'{"error": {"kind": "data", "message": "no file", "where": ""}}',
            TrainingError("data", "no file"),
        ),
        (
            b'{"error": {"kind": "exception", "message": "x", "where": null, "of_no_version": 1}}',
            TrainingError("exception", "x"),
        ),
        (b'{"error": {}}', TrainingError("exception", "no message")),
    ],
)
def test_what_a_training_says_of_its_error(line: bytes, error: TrainingError) -> None:
    rank = RankProcess.__new__(RankProcess)
    rank._read_line(line)
    assert rank.error == error


def test_a_result_that_cannot_be_read_is_an_error_of_the_training() -> None:
    rank = RankProcess.__new__(RankProcess)
    rank.result = rank._interpreter = rank._other_program = None
    rank._read_line(b'{"result": {"fom_seconds": 1.0, "phases": 5}}')
    assert rank.result is None
    assert rank.error.kind == "exception"
    assert "phases" in rank.error.message
    rank._read_line(b'{"result": {"fom_seconds": 1.0, "unknown": 5, "accuracy": null}}')
    assert rank.result == TrainingResult(fom_seconds=1.0)
