from __future__ import annotations

import errno
import json
import math
import os
import subprocess
import sys

import pytest

from tests.workloads.orders import ROOT, send
from workloads.run import describe_error

TOY = "tests.workloads.toy"
MARKS = ["ready", "run_start", "timed_window_start", "timed_window_stop"]


def test_a_good_run_reports_marks_then_one_result():
    report = send(TOY, {"size": 2})
    assert report.code == 0
    assert report.marks == [*MARKS, "run_stop"]
    assert [list(line) for line in report.lines[-2:]] == [["mark", "at_us"], ["result"]]
    times = [line["at_us"] for line in report.lines[:-1]]
    assert times == sorted(times)
    result = report.last["result"]
    assert result["accuracy"] == 0.5
    assert result["fom_seconds"] == pytest.approx((times[-1] - times[1]) / 1e6)
    assert result["metrics"] == [{"name": "size", "value": 2.0, "unit": "m"}]
    assert list(result["phases"]) == ["train"]
    assert result["data"] == {"synthetic": True}


def test_what_the_process_saw_is_measured_in_the_process():
    report = send(TOY, cores=[0, 1, 2])
    seen = report.last["result"]["seen"]
    assert seen["cpuset"] == sorted(os.sched_getaffinity(0))
    assert seen["host"] == os.uname().nodename
    assert seen["pid"] != os.getpid()
    assert seen["threads"] == seen["thread_variables"]["OMP_NUM_THREADS"] == "3"
    assert seen["gpus"] == []
    assert seen["memory_bytes"] > 0


def test_a_profile_that_is_not_possible_costs_no_result(tmp_path):
    asked = {"path": str(tmp_path / "toy.json.gz"), "delay_seconds": 0.0, "duration_seconds": 1.0}
    report = send(TOY, profile=asked)
    problem = "the run had imported neither TensorFlow, JAX nor PyTorch when it began"
    result = report.last["result"]
    assert result["seen"]["profiled"] == "not begun"
    assert [metric["name"] for metric in result["metrics"]] == ["size"]
    assert f"no profile: {problem}" in report.stderr
    assert "profiled" not in send(TOY).last["result"]["seen"]


def test_standard_output_belongs_to_the_workload():
    assert send(TOY).stdout == "noise from a training\n"


def test_not_a_number_is_passed_on_as_it_is():
    report = send(TOY, {"ending": "nan"})
    assert report.code == 0
    assert math.isnan(report.last["result"]["accuracy"])


@pytest.mark.parametrize(
    ("ending", "kind", "message"),
    [
        ("data", "data", "file.csv: row 3, column x: bad"),
        ("parameters", "parameters", "size does not fit"),
        ("memory", "memory", "out of memory"),
        ("device memory", "memory", "OOM when allocating"),
        ("exception", "exception", "RuntimeError: broken"),
        ("exit", "exception", "SystemExit: 0"),
        ("no start", "exception", "ValueError: tests.workloads.toy:run never called context.start()"),
        ("no result", "exception", "TypeError: tests.workloads.toy:run returned NoneType"),
        ("unsendable", "exception", "TypeError: Object of type set is not JSON serializable"),
    ],
)
def test_every_bad_end_is_one_error_of_the_right_kind(ending, kind, message):
    report = send(TOY, {"ending": ending})
    assert report.code == 1
    assert [list(line) for line in report.lines if "mark" not in line] == [["error"]]
    error = report.last["error"]
    assert error["kind"] == kind
    assert error["message"].startswith(message)
    assert "\n" not in error["message"]
    assert ("Traceback" in report.stderr) is (kind == "exception")


@pytest.mark.parametrize(
    ("name", "text", "on_gpus", "kind"),
    [
        ("ResourceExhaustedError", "OOM on /device:GPU:0 by allocator GPU_0_bfc", True, "gpu memory"),
        ("ResourceExhaustedError", "OOM on /device:CPU:0 by allocator cpu", True, "memory"),
        ("ResourceExhaustedError", "OOM on /device:CPU:0 by allocator mklcpu", False, "memory"),
        ("OutOfMemoryError", "CUDA out of memory. Tried to allocate 20.00 GiB", True, "gpu memory"),
        ("XlaRuntimeError", "RESOURCE_EXHAUSTED: Out of memory while trying to allocate", True, "gpu memory"),
        ("XlaRuntimeError", "RESOURCE_EXHAUSTED: Out of memory allocating", False, "memory"),
        ("XlaRuntimeError", "INTERNAL: no such kernel", True, "exception"),
        ("RuntimeError", "DefaultCPUAllocator: can't allocate memory", True, "memory"),
        ("ResourceExhaustedError", f"{'x' * 5000} OOM on /device:CPU:0 by allocator cpu", True, "memory"),
        ("ResourceExhaustedError", "log.bin; Too many open files", True, "exception"),
        ("ResourceExhaustedError", "log.bin; No space left on device", True, "disk"),
    ],
)
def test_memory_of_a_gpu_is_not_that_of_the_host(name, text, on_gpus, kind):
    error = type(name, (RuntimeError,), {})(text)
    assert describe_error(error, on_gpus=on_gpus)["kind"] == kind
    assert describe_error(MemoryError(), on_gpus=on_gpus)["kind"] == "memory"


def test_an_error_says_where_it_was_raised():
    where = send(TOY, {"ending": "exception"}).last["error"]["where"]
    assert where.startswith(f"{ROOT}/tests/workloads/toy.py:")


@pytest.mark.parametrize(
    ("workload", "parameters", "changes", "kind", "message"),
    [
        ("p1b4", {}, {}, "parameters", "no workload 'p1b4'; did you mean"),
        (TOY, {"siez": 1}, {}, "parameters", "workload toy has no parameter 'siez'; did you mean size?"),
        (
            "deep500_dataset",
            {"images": 10**9},
            {"memory_bytes": 2**30},
            "parameters",
            "needs about 8585.9 GiB of memory, and its slot has 1.0 GiB: give it more",
        ),
        (
            "p1b1",
            {},
            {},
            "data",
            "p1b1 reads P1B1[.dev].train.csv, P1B1[.dev].test.csv, but has no data directory",
        ),
        (
            "p3b1",
            {},
            {"data": "/nowhere"},
            "data",
            "/nowhere: no such data directory; run `orchestrator data generate",
        ),
    ],
)
def test_an_order_that_cannot_run_is_refused_before_any_mark(workload, parameters, changes, kind, message):
    report = send(workload, parameters, **changes)
    assert report.code == 1
    assert report.marks == []
    assert report.last["error"]["kind"] == kind
    assert report.last["error"]["message"].startswith(message)


@pytest.mark.parametrize("text", ["", "not json", "[]", "{}", json.dumps({"report_fd": 999})])
def test_without_a_usable_order_it_says_so_and_leaves(text):
    done = subprocess.run(
        [sys.executable, "-m", "workloads.run"],
        input=text,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("no usable order on standard input")


def test_an_error_without_traceback_has_no_place():
    assert describe_error(KeyError("x")) == {"kind": "exception", "message": "KeyError: 'x'", "where": ""}


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_an_error_of_its_own_kind(number):
    assert describe_error(OSError(number, "full", "run.log"))["kind"] == "disk"
    assert describe_error(OSError(errno.ENOENT, "none", "run.log"))["kind"] == "exception"


def test_of_a_long_message_the_beginning_is_reported():
    message = describe_error(RuntimeError("x" * 10_000_000))["message"]
    assert message == "RuntimeError: " + "x" * 4_000 + "…"


def test_an_error_is_reported_where_its_traceback_cannot_be_printed():
    with open("/dev/full", "w") as full:
        report = send(TOY, {"ending": "exception"}, stderr=full)
    assert report.code == 1
    assert report.last["error"]["message"] == "RuntimeError: broken"


@pytest.mark.parametrize("ending", ["atexit", "thread"])
def test_what_should_still_run_at_the_exit_runs(tmp_path, ending):
    file = tmp_path / "mark"
    report = send(TOY, {"ending": ending, "file": str(file)})
    assert report.code == 0
    assert file.read_text() == ending
    assert "said at the end" in report.stdout
