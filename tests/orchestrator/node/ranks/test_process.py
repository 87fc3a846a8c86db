"""Several processes make one instance: one verdict, one time, and none of them lives on."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from orchestrator.node.ranks.child_process import ChildProcess, ForkedProcess
from orchestrator.node.ranks.process import RankProcess
from orchestrator.node.ranks.results import (
    combine_marks,
    combine_results,
    first_failed,
    root_cause,
    timed_ranks,
)
from orchestrator.protocol.report import OTHER_PROGRAM, REFUSED_REPORTS, TrainingError, TrainingResult
from tests.harness import ROOT, CampaignSandbox, wait_for
from workloads.forking import forked_child


def result(rank: int, **changes: Any) -> TrainingResult:
    seen = {"cpuset": [rank], "gpus": [], "host": "n1", "pid": 100 + rank, "framework": "tensorflow"}
    content = {"fom_seconds": 2.0 + rank, "accuracy": 75.0, "seen": seen, "metrics": []} | changes
    return TrainingResult.from_json(content)


class Child(ChildProcess):
    """A child that comes to no barrier."""

    at_barrier = False

    def open_barrier(self, start_us: int) -> None:
        raise AssertionError("it has no barrier to open")


def test_a_forked_process_is_signalled_before_it_has_a_group_of_its_own() -> None:
    child = Child(0, ForkedProcess(forked_child.fork(lambda: signal.pause() or 0)))
    child.signal(signal.SIGKILL)
    wait_for(child.poll, "the end of the process")
    assert child.exit_code == -signal.SIGKILL
    child.signal(signal.SIGKILL)  # no other process may get it


def begun(program: str, size: int = 1) -> RankProcess:
    """Return a rank that runs a program, which has ``send`` for its reports and ``order``."""

    def start(request: Mapping[str, Any], inherited: Sequence[int]) -> subprocess.Popen[bytes]:
        whole = (
            f"import json, os, sys, time\norder = {request!r}\n"
            "from workloads.report_lines import line_writer\n"
            "send = line_writer(order['report_fd'], bytes.fromhex(order['report_key']))\n"
            "mark = lambda name, at: send({'mark': name, 'at_us': at})\n"
        )
        return subprocess.Popen(
            [sys.executable, "-c", whole + program],
            pass_fds=inherited,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )

    return RankProcess(0, {"size": size}, start, interpreter=sys.executable)


def ran(program: str, stand_still: Callable[[], object] = lambda: None, size: int = 1) -> RankProcess:
    """Return a rank that has run a program."""
    rank = begun(program, size)
    stand_still()
    wait_for(rank.poll, "the end of the process")
    rank.close()
    return rank


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ('send({"result": {"fom_seconds": 1.0, "data": {"a": "x" * 2**21}}})', "more than 1 MiB"),
        ('send({"a": "x" * 2**21}); send({"error": {"message": "mine"}})', "mine"),
        ('send({"a": "x" * 2**21}); send({"result": {"fom_seconds": 1.0}})', None),
    ],
)
def test_a_report_that_is_too_long_is_told(program: str, told: str | None) -> None:
    rank = ran(program)
    if told is None:
        assert rank.error is None
        assert rank.result is not None
        assert rank.result.fom_seconds == 1.0
    else:
        assert rank.result is None
        assert rank.error is not None
        assert told in rank.error.message


_BENT = """
mark("run_start", 1)
while time.process_time() < 0.3: pass
mark("run_stop", 2)
"""


def test_marks_are_dated_when_they_arrive_whatever_the_training_says() -> None:
    earliest = time.time_ns() // 1000
    rank = ran(_BENT)
    latest = time.time_ns() // 1000
    assert rank.marks == {"run_start": 1, "run_stop": 2}
    assert earliest <= rank.arrivals["run_start"] <= rank.arrivals["run_stop"] <= latest
    assert rank.mark_cpu_seconds["run_start"] <= rank.mark_cpu_seconds["run_stop"]


def test_cpu_times_of_other_ranks_are_read_at_the_marks_of_the_one_that_is_timed(tmp_path: Path) -> None:
    burn = "while time.process_time() < 0.5: pass"
    wait = f"while not os.path.exists({str(tmp_path / 'go')!r}): time.sleep(0.01)"
    read = wait.replace("/go'", "/read'")  # a mark of a process that has ended is read too late
    timed = begun(f"{wait}\nmark('run_start', 1)\nmark('run_stop', 2)\n{read}\nsend({{'result': {{}}}})")
    other = begun(f"mark('run_start', 1)\n{burn}\nopen({str(tmp_path / 'burnt')!r}, 'w')\n{read}")
    timed.time_others([other])
    wait_for((tmp_path / "burnt").exists, "the CPU time")
    other.poll()
    assert other.mark_cpu_seconds == {}
    (tmp_path / "go").touch()
    wait_for(lambda: timed.poll() or "run_stop" in timed.mark_cpu_seconds, "the marks")
    (tmp_path / "read").touch()
    for rank in (timed, other):
        wait_for(rank.poll, "the end of the process")
        rank.close()
    assert timed.mark_cpu_seconds["run_start"] < 0.4
    assert other.mark_cpu_seconds.keys() == timed.mark_cpu_seconds.keys() == {"run_start", "run_stop"}
    assert other.mark_cpu_seconds["run_start"] > 0.4


@pytest.mark.parametrize(("size", "stated"), [(1, None), (2, 1)])
def test_one_of_several_ranks_that_was_busy_before_the_run_says_so(
    size: int, stated: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("orchestrator.node.ranks.process._BUSY_BEFORE", 0.3)
    burn = "while time.process_time() < 0.4: pass"
    result = "send({'result': {'fom_seconds': 1.0, 'seen': {'busy_before_seconds': 0}}})"
    rank = ran(f"{burn}\nmark('run_start', 1)\n{result}", size=size)
    assert rank.result is not None
    assert rank.result.observed.facts.get("busy_before_seconds") == stated


def _age(file: Path) -> float:
    return time.time() - file.stat().st_mtime


def test_a_mark_that_is_read_late_is_told_apart_from_one_that_comes_late(tmp_path: Path) -> None:
    now = "time.time_ns() // 1000"
    told = "send({'result': {'fom_seconds': 1.0, 'seen': {'unread_seconds': 9}}}); open('done', 'w')"
    program = f"mark('run_start', {now}); os.chdir({str(tmp_path)!r}); {told}"
    done = tmp_path / "done"
    rank = ran(program, lambda: wait_for(lambda: done.exists() and _age(done) > 1.2, "reports left unread"))
    assert rank.result is not None
    assert rank.result.observed.facts["unread_seconds"] in range(2, 30)
    assert rank.mark_cpu_seconds == {}
    honest = ran(f"mark('run_start', {now} - 5_000_000); os.chdir({str(tmp_path)!r}); {told}")
    assert honest.result is not None
    assert "unread_seconds" not in honest.result.observed.facts


_END = "\nmark('run_stop', 9); send({'result': {'fom_seconds': 1.0}})"
_CHILD = "mark('ready', 1)\nif os.fork() == 0:\n  mark('run_stop', 2); os._exit(0)\nos.wait()"
_BY_NAME = """
mark('ready', 1)
for end in f"/proc/{os.getppid()}/fd/{order['report_fd']}", f"/proc/{os.getpid()}/fd/{order['report_fd']}":
    try:
        open(end, "w").write('{"mark": "run_stop", "at_us": 2}\\n')
    except OSError:
        pass
"""


@pytest.mark.parametrize(
    ("program", "refused"),
    [
        ("mark('ready', 1)", None),
        (_BY_NAME, None),
        (_CHILD, "a report of another process"),
        (
            'os.write(order[\'report_fd\'], b\'{"mark": "run_stop", "at_us": 2}\\n\')',
            "a line without the key of its reports",
        ),
        ("mark('run_stop', 9); mark('run_stop', 2)", "a second run_stop"),
        ("send({'result': {'fom_seconds': 1.0}}); mark('run_stop', 9)", "a second result, a second run_stop"),
    ],
)
def test_what_others_report_is_refused_and_what_is_repeated_told(program: str, refused: str | None) -> None:
    rank = ran(program + _END)
    assert rank.marks["run_stop"] == 9
    assert rank.result is not None
    assert rank.result.fom_seconds == 1.0
    assert rank.result.observed.facts.get(REFUSED_REPORTS) == refused
    assert OTHER_PROGRAM not in rank.result.observed.facts


def test_a_child_that_reports_in_place_of_the_process_that_was_started_is_told() -> None:
    rank = ran("\nif os.fork():\n  os.wait(); os._exit(0)" + _END)
    assert rank.result is not None
    assert "a process that" in rank.result.observed.facts[OTHER_PROGRAM]


def test_an_instance_starts_with_its_first_rank_and_stops_with_its_last() -> None:
    marks = [
        {"ready": 10, "run_start": 10, "timed_window_start": 12, "run_stop": 20},
        {"ready": 15, "run_start": 15, "timed_window_start": 16, "run_stop": 18},
    ]
    assert combine_marks(marks) == {"ready": 15, "run_start": 10, "timed_window_start": 12, "run_stop": 20}
    del marks[1]["run_stop"]
    assert "run_stop" not in combine_marks(marks)
    assert combine_marks(marks[:1]) == marks[0]


def test_the_slowest_ranks_time_counts_and_every_rank_is_seen() -> None:
    made = combine_results([result(0), result(1)])
    assert made is not None
    assert (made.fom_seconds, made.accuracy) == (3.0, 75.0)
    assert made.observed.cpuset == (0, 1)
    assert [one.pid for one in made.observed.ranks or ()] == [100, 101]


def test_the_code_of_every_rank_is_kept_with_its_documents() -> None:
    shared, own = {"variables": {}}, {"packages": {}, "files": {"mine.py": "1"}}
    ranks = [
        result(0, seen={"code": "c0", "variables": "v"}, documents=[shared]),
        result(1, seen={"code": "c1", "variables": "v"}, documents=[own, shared]),
    ]
    made = combine_results(ranks)
    assert made is not None
    assert [(one.code, one.variables) for one in made.observed.ranks or ()] == [("c0", "v"), ("c1", "v")]
    assert made.documents == (shared, own)
    assert TrainingResult.from_json(made.to_json()).documents == (shared, own)
    assert "documents" not in result(0).to_json()
    assert result(0, documents=["odd"]).documents == ()


def test_one_rank_without_a_result_or_a_time_leaves_the_instance_without() -> None:
    assert combine_results([result(0), None]) is None
    made = combine_results([result(0), result(1, fom_seconds=None)])
    assert made is not None
    assert math.isnan(made.fom_seconds)


@pytest.mark.parametrize(("seconds", "counted"), [("run", [0, 1]), ("mllog", [0]), ("window", [0])])
def test_of_a_command_that_states_its_time_rank_0_alone_is_timed(seconds: str, counted: list[int]) -> None:
    external = {"command": {"seconds": seconds}}
    assert timed_ranks([0, 1], external) == counted
    assert timed_ranks([0, 1], None) == [0, 1]
    made = combine_results([result(0), result(1, accuracy=None)], external)
    assert made is not None
    assert (made.fom_seconds, made.accuracy) == (result(len(counted) - 1).fom_seconds, 75.0)
    assert made.accuracies is None


def test_a_single_ranks_result_is_left_as_it_is() -> None:
    assert combine_results([result(0)]) == result(0)


@pytest.mark.parametrize(
    ("codes", "blamed"), [((1, -9), 1), ((1, 7), 0), ((0, 3), 1), ((0, 0), None), ((-11, -9), 0)]
)
def test_a_killed_rank_is_blamed_before_those_that_miss_it(
    codes: tuple[int, ...], blamed: int | None
) -> None:
    ranks: list[Any] = [
        SimpleNamespace(number=k, exit_code=code, failed=code != 0) for k, code in enumerate(codes)
    ]
    found = first_failed(ranks)
    assert (found and found.number) == blamed


def test_a_rank_that_misses_another_points_to_its_error() -> None:
    lost = SimpleNamespace(number=0, error=TrainingError("rank lost"))
    cause = SimpleNamespace(number=1, error=TrainingError("exception"))
    silent = SimpleNamespace(number=2, error=None)
    ranks: list[Any] = [lost, cause, silent]
    assert root_cause(ranks, ranks[0]) is cause
    assert root_cause(ranks, ranks[2]) is silent
    assert root_cause(ranks[:1], ranks[0]) is lost
    assert root_cause(ranks, None) is None


@pytest.mark.slow
def test_campaigns_of_several_ranks(tmp_path: Path) -> None:
    place = CampaignSandbox(tmp_path)
    behaviours = ("succeed", "die", "raise", "disagree", "stray", "silent")
    content = {
        "campaign": "toy",
        "grace_period": 1,
        "retries": {"benchmark": 0, "infrastructure": 0},
        "abort_after_failures": 1000,
        "benchmarks": [
            {
                "workload": "tests.toys.multi_rank",
                "name": behaviour,
                "instances": 1,
                "timeout": 30,
                "slot": {"ranks": 2, "cores": 1},
                "parameters": {"behaviour": behaviour},
            }
            for behaviour in behaviours
        ],
    }
    (tmp_path / "toy.yaml").write_text(json.dumps(content))
    ended = place.run("launch", "toy.yaml", "--site", "site.yaml")
    assert ended.returncode == 3, ended.stderr
    rows = place.rows(
        "SELECT i.benchmark, a.state, a.failure_category, a.failure_reason, a.failure_message, "
        "a.cores, a.observed FROM attempts a "
        "JOIN instances i ON i.campaign_id = a.campaign_id AND i.instance_id = a.instance_id"
    )
    found = {row[0]: row[1:4] for row in rows}
    assert found == {
        "succeed": ("succeeded", None, None),
        "die": ("failed", "infrastructure", "killed by SIGKILL"),
        "raise": ("failed", "benchmark", "exception"),
        "disagree": ("failed", "benchmark", "ranks disagree"),
        "stray": ("failed", "infrastructure", "slot mismatch"),
        "silent": ("failed", "benchmark", "no result"),
    }
    messages = {row[0]: row[4] for row in rows}
    assert messages["die"].startswith("rank 1: ")
    assert "rank 1: RuntimeError: rank 1 was to fail" in messages["raise"]
    assert messages["stray"].startswith("rank 1 ran on cores")
    (succeeded,) = [row for row in rows if row[0] == "succeed"]
    seen = json.loads(succeeded[6])
    assert [rank["cpuset"] for rank in seen["ranks"]] == [[int(core)] for core in succeeded[5].split(",")]
    assert place.processes("workloads.run") == []
    ((start, stop),) = place.rows("SELECT run_start_us, run_stop_us FROM accepted")
    assert start < stop
