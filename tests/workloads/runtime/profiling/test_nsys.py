"""Trainings below a stand-in for nsys: kernels in classes, and plain reasons where there are none."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.workloads.orders import ROOT
from tests.workloads.runtime.profiling.fake_nsys import COPIES, HEADER, KERNELS, NONE, write_nsys
from workloads.runtime.profiling.kernels import read_profile
from workloads.runtime.profiling.nsys import kernels_of

TOY = "tests.workloads.toy"
UNTIL_STARTED = "tests.workloads.runtime.profiling.until_started"


def run(folder: Path, path: str, delay: float = 0.0, workload: str = TOY) -> tuple[Any, list[Any], str]:
    """Return the exit code of a training, what it reported, and its standard error."""
    reports, writer = os.pipe()
    order = {
        "workload": workload, "parameters": {}, "seed": 1, "data": None, "cores": [0], "cache": None,
        "devices": [], "memory_bytes": None, "device_memory_bytes": None, "rank": 0, "size": 1,
        "report_fd": writer,
        "profile": {
            "path": str(folder / "toy-0.1.json.gz"), "delay_seconds": delay, "duration_seconds": 60.0,
            "profiler": "nsys",
        },
    }  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-m", "workloads.run"], stdin=subprocess.PIPE, stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL, pass_fds=[writer], cwd=ROOT, text=True, env=os.environ | {"PATH": path},
    )  # fmt: skip
    os.close(writer)
    _, stderr = process.communicate(json.dumps(order))
    with os.fdopen(reports) as stream:
        return process.returncode, [json.loads(line) for line in stream], stderr


def test_kernels_and_copies_are_recorded_by_class_from_the_start_of_the_run_to_its_end(
    tmp_path: Path,
) -> None:
    code, messages, stderr = run(tmp_path, write_nsys(tmp_path / "bin"), workload=UNTIL_STARTED)
    assert code == 0, (messages, stderr)
    assert [one["mark"] for one in messages if "mark" in one] == ["ready", "run_start", "run_stop"]
    result = messages[-1]["result"]
    assert result["seen"]["profiled"] == "recorded"
    metrics = {one["name"]: one["value"] for one in result["metrics"]}
    assert metrics["profile_kernel_seconds"] == pytest.approx(12)
    assert metrics["profile_gemm_percent"] == pytest.approx(50)
    assert metrics["profile_allreduce_percent"] == pytest.approx(100 / 12)
    assert metrics["profile_memcpy_percent"] == pytest.approx(200 / 12)
    assert metrics["profile_element_wise_percent"] == pytest.approx(25)
    assert "profile_busy_seconds" not in metrics
    profile = read_profile(tmp_path / "toy-0.1.json.gz")
    assert [(one.calls, one.seconds) for one in profile.kernels] == [(30, 6.0), (10, 3.0), (7, 2.0), (5, 1.0)]
    calls = [line.split() for line in (tmp_path / "bin" / "calls").read_text().splitlines()]
    assert [words[0] for words in calls] == ["launch", "start", "stop", "stats", "stats"]
    assert "--trace=cuda,nvtx" in calls[0]
    session = calls[0][1].partition("=")[2]
    assert calls[1][1] == calls[2][1] == f"--session={session}"
    left = calls[1][2].partition("=")[2]
    assert not Path(left).parent.exists()


@pytest.mark.parametrize(
    ("fake", "state", "reason"),
    [
        ({"kernels": NONE, "copies": NONE}, "failed", "ValueError: nsys recorded no kernel of a GPU"),
        ({"fails": "start"}, "failed", "`nsys start` ended with exit code 3: The session is not known."),
        ({"fails": "stop"}, "failed", "`nsys stop` ended with exit code 3: The session is not known."),
        ({"fails": "stats"}, "failed", "`nsys stats` ended with exit code 3: The session is not known."),
        ({"kernels": KERNELS.replace("Instances", "Calls")}, "failed", "the table cuda_gpu_kern_sum of nsys"),
        (None, "not begun", "nsys is not on the PATH of the training"),
    ],
)
def test_a_profile_that_fails_costs_no_result_and_says_why(
    fake: dict[str, str] | None, state: str, reason: str, tmp_path: Path
) -> None:
    path = "/usr/bin:/bin" if fake is None else write_nsys(tmp_path / "bin", **fake)
    code, messages, stderr = run(tmp_path, path, workload=TOY if fake is None else UNTIL_STARTED)
    assert code == 0, (messages, stderr)
    assert messages[-1]["result"]["seen"]["profiled"] == state
    assert stderr.startswith("no profile: ")
    assert reason in stderr


def test_a_run_that_ends_before_its_profile_says_so(tmp_path: Path) -> None:
    code, messages, stderr = run(tmp_path, write_nsys(tmp_path / "bin"), delay=3600.0)
    assert (code, messages[-1]["result"]["seen"]["profiled"]) == (0, "not begun")
    assert "no profile: the run ended before its profile began, after 3600 s" in stderr


def test_the_error_of_a_training_is_passed_on(tmp_path: Path) -> None:
    code, messages, _ = run(tmp_path, write_nsys(tmp_path / "bin"), workload="no_such_workload")
    assert code == 1
    assert "no_such_workload" in messages[-1]["error"]["message"]


def test_a_launch_that_fails_is_the_exit_code_of_the_training(tmp_path: Path) -> None:
    code, messages, stderr = run(tmp_path, write_nsys(tmp_path / "bin", fails="launch"))
    assert (code, messages) == (3, [])
    assert "The session is not known." in stderr


def test_tables_may_stand_between_other_lines_or_be_absent() -> None:
    names = [one.name for one in kernels_of("cuda_gpu_kern_sum", KERNELS + "more\n")]
    assert names[0] == "ampere_sgemm_128x64_tn"
    assert names[1].startswith("void at::native::vectorized_elementwise_kernel<4, at::native")
    assert len(kernels_of("cuda_gpu_mem_time_sum", COPIES)) == 1
    assert kernels_of("cuda_gpu_kern_sum", NONE) == kernels_of("cuda_gpu_kern_sum", "") == []
    with pytest.raises(ValueError, match="the table cuda_gpu_kern_sum of nsys stats cannot be read"):
        kernels_of("cuda_gpu_kern_sum", f"{HEADER}\n100.0,x,1,1,1,1,1,1,k\n")
