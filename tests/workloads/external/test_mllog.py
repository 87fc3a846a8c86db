"""MLLOG lines of a command: what is read from them, whoever prints what beside them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from tests.workloads.external.files import error, go, result
from workloads.context import Context, SlotView
from workloads.external.command import Command, MllogPoints, MllogSource
from workloads.external.mllog import MllogLines, RunMarks

READ = Command(
    arguments=("train",),
    folder="/",
    accuracy=MllogSource("accuracy", "eval_error"),
    curves={"error": MllogPoints("eval_error", "epoch_num"), "loss": MllogPoints("loss")},
)
PROGRAM = """
import json, sys, time
def put(key, value=None, **metadata):
    event = {"namespace": "", "time_ms": int(time.time() * 1e3), "event_type": "POINT_IN_TIME", "key": key}
    print(":::MLLOG " + json.dumps(event | {"value": value, "metadata": metadata}), flush=True)
put("init_start")
"""
READS: dict[str, Any] = {
    "accuracy": {"mllog": "eval_error"},
    "seconds": "mllog",
    "metrics": {"samples": {"mllog": "train_samples"}},
    "curves": {"error": {"mllog": "eval_error", "epoch": "epoch_num"}},
}


def line(key: str, value: Any = None, time_ms: Any = 1_000, **metadata: Any) -> str:
    """Return a line as the logging library of MLPerf prints it."""
    event = {"namespace": "", "time_ms": time_ms, "event_type": "POINT_IN_TIME", "key": key}
    return f":::MLLOG {json.dumps(event | {'value': value, 'metadata': metadata})}"


def seen(*lines: str) -> tuple[MllogLines, dict[str, list[list[float | None]]]]:
    """Return what is read of lines, and the points of the curves by name."""
    context = Context(seed=1, slot=SlotView())
    read = MllogLines(READ, context, None)
    for one in lines:
        read.see(one)
    return read, {one["name"]: one["points"] for one in context.curves.to_json()}


def test_events_are_values_curves_and_lines() -> None:
    lines = [
        line("eval_error", 0.5, epoch_num=1),
        "0: " + line("eval_error", 0.25, 5_000, epoch_num=2),
        "Epoch 2",
    ]
    read, curves = seen(*lines, line("seed", 3))
    assert read.last == {"eval_error": 0.25}  # the seed is not asked for
    assert curves == {"error": [[1, 0.5], [2, 0.25]]}
    facts = read.facts()
    assert (facts["left_out"], facts["unreadable"]) == (0, 0)
    assert [json.loads(one)["key"] for one in facts["lines"]] == ["eval_error", "eval_error", "seed"]


def test_several_ranks_print_an_event_once() -> None:
    ranks = [line("loss", 0.5, 1_000 + rank) for rank in range(4)]
    read, curves = seen(*ranks, ranks[0] + ranks[1], line("loss", 0.5, 9_000))  # the last is a later one
    assert curves == {"loss": [[1, 0.5], [2, 0.5]]}
    assert len(read.facts()["lines"]) == 2


def test_lines_that_ranks_tore_apart_are_read_as_far_as_they_are_whole() -> None:
    whole, torn = line("eval_error", 0.25, epoch_num=2), line("eval_error", 0.125, epoch_num=3)
    read, curves = seen(torn[:60] + whole + " and text", torn[:-1], torn[: torn.index("0.125") + 3])
    assert read.last == {"eval_error": 0.25}
    assert curves == {"error": [[2, 0.25]]}
    assert read.facts()["unreadable"] == 3


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "{}", "[]", "null", "[" * 100_000, '"eval_error"', "1" * 5000,
        line("loss", 1, True)[9:], line("loss", 1, "now")[9:], line("loss", 1, math.inf)[9:],
        line("loss", 1, 10**400)[9:], line("", 1)[9:], line("k" * 101, 1)[9:],
        line("loss", 1)[9:].replace("{}", "[1]"), line("loss", 1)[9:].replace('"loss"', "7"),
    ],
)  # fmt: skip
def test_what_is_no_event_is_read_as_nothing(text: str) -> None:
    read, curves = seen(f":::MLLOG {text}")
    assert (read.last, curves, read.facts()) == ({}, {}, {"lines": [], "left_out": 0, "unreadable": 1})


@pytest.mark.parametrize("value", [None, "0.5", True, [0.5], {"a": 1}, 10**400])
def test_a_value_that_is_no_number_is_no_point(value: Any) -> None:
    assert seen(line("eval_error", value, epoch_num=1))[1] == {}


@pytest.mark.parametrize("place", [None, "1", True, -1, 2**60, math.nan, math.inf, [1]])
def test_a_point_without_its_place_is_none(place: Any) -> None:
    assert seen(line("eval_error", 0.5, epoch_num=place))[1] == {}


def test_what_is_not_finite_is_kept_as_such() -> None:
    read, curves = seen(line("eval_error", math.nan, epoch_num=1), line("eval_error", -math.inf, epoch_num=2))
    assert read.last == {"eval_error": -math.inf}
    assert curves == {"error": [[1, None], [2, None]]}


def test_many_and_long_lines_are_kept_in_part() -> None:
    many = [line("loss", step, epoch_num=step) for step in range(3000)]
    read, _ = seen(line("dump", "x" * 2000), *many, line("eval_error", 0.5, epoch_num=1), line("run_stop"))
    facts = read.facts()
    kept = [json.loads(one) for one in facts["lines"]]
    assert [one["value"] for one in kept] == [*range(1000), 2999, 0.5, None]
    assert facts["left_out"] == 2000
    keys, _ = seen(*(line(f"key {number}") for number in range(3000)))
    assert len(keys.facts()["lines"]) == 1200


def test_the_run_is_from_its_start_line_to_its_stop_line(tmp_path: Path) -> None:
    training = "time.sleep(0.2); put('run_start'); put('eval_error', 0.5, epoch_num=1); time.sleep(0.05)"
    report = go(
        tmp_path, f"{PROGRAM}{training}; put('train_samples', 8); put('run_stop', status='success')", **READS
    )
    found = result(report)
    assert report.marks == ["ready", "run_start", "run_stop"]
    ready, start, stop = (one["at_us"] for one in report.lines[:3])
    assert start - ready > 200_000  # what comes before its start is no part of the run
    assert found["fom_seconds"] == pytest.approx((stop - start) / 1e6)
    assert found["accuracy"] == 0.5
    assert [(one["name"], one["value"]) for one in found["metrics"]] == [("samples", 8.0)]
    assert found["curves"] == [{"name": "error", "axis": "epoch", "points": [[1, 0.5]]}]
    assert found["seen"]["seconds_from"] == "mllog"
    assert found["seen"]["accuracy_from"] == "MLLOG lines eval_error of the output"
    kept = found["seen"]["external"]["mllog"]
    keys = ["init_start", "run_start", "eval_error", "train_samples", "run_stop"]
    assert [json.loads(one)["key"] for one in kept["lines"]] == keys


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("", "seconds: the output has no MLLOG line run_start"),
        ("put('run_stop')", "seconds: the output has no MLLOG line run_start"),
        ("put('run_start')", "seconds: the output has no MLLOG line run_stop after run_start"),
        ("print('x', end='');put('run_start'); time.sleep(.3); put('run_stop')", "no MLLOG line eval_error"),
        ("put('run_start'); time.sleep(.3); put('eval_error', '0.5'); put('run_stop')",
         "accuracy: the last MLLOG line eval_error is '0.5', not a number"),
    ],
)  # fmt: skip
def test_what_the_lines_lack_is_a_clear_error(tmp_path: Path, program: str, said: str) -> None:
    assert said in error(go(tmp_path, PROGRAM + program, **READS))


def test_lines_that_come_at_once_or_again_do_not_time_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [10.0]
    monkeypatch.setattr("workloads.external.mllog.time.monotonic", lambda: now[0])
    marks = RunMarks(Context(seed=1, slot=SlotView()))
    marks.see("run_start")
    marks.see("run_stop")
    with pytest.raises(Exception, match="arrived at once: the command buffers its output"):
        marks.check()
    marks = RunMarks(Context(seed=1, slot=SlotView()))
    for now[0], key in [(10.0, "run_start"), (10.5, "run_start"), (60.0, "run_stop")]:
        marks.see(key)
    marks.check()  # half a second apart are two ranks
    now[0] = 65.0
    marks.see("run_stop")
    with pytest.raises(Exception, match=r"a second MLLOG line run_stop came 5\.0 s after the first"):
        marks.check()
