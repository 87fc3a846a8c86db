from __future__ import annotations

import pytest

from workloads.context import Context, Metric, Paths, Result, SlotView
from workloads.description import DataError, Workload
from workloads.runtime.collectives import Ranks
from workloads.runtime.training.joint_run import joint_run

WORKLOAD = Workload("toy", "a toy", "this project's tests", "m:f", (), "run")


def context(data, marks):
    return Context(
        seed=1,
        slot=SlotView(cores=(0,)),
        paths=Paths(data=data),
        send=lambda message: marks.append(message["mark"]),
    )


def test_the_clock_starts_before_the_training_and_the_result_gets_what_else_is_known(tmp_path):
    marks = []

    def train(directory):
        assert (directory, marks) == (tmp_path, ["ready", "run_start"])
        return Result(accuracy=0.5, measure_after=lambda: (Metric("flop", 2.0),))

    of = context(tmp_path, marks)
    found = joint_run(WORKLOAD, of, Ranks(of), {"framework": "none"}, train)
    assert (found.accuracy, found.observed) == (0.5, {"framework": "none"})
    assert found.measure_after() == (Metric("flop", 2.0),)
    assert joint_run(WORKLOAD, of, Ranks(of), {}, lambda _: Result()).measure_after() == ()


def test_no_clock_starts_without_data(tmp_path):
    marks = []
    of = context(tmp_path / "absent", marks)
    with pytest.raises(DataError, match=r"absent: no such data directory; run `orchestrator data"):
        joint_run(WORKLOAD, of, Ranks(of), {}, lambda _: Result())
    assert marks == []
