"""Trainings of one process give the numbers of trainings that have one each, to the last bit."""

from __future__ import annotations

from pathlib import Path
from struct import pack

import pytest

from orchestrator.catalog.registry import describe
from orchestrator.lifecycle.data_files import make_data
from tests.orchestrator.node.reusing import NUMBER, place_of, reusing
from tests.orchestrator.node.test_forked_results import SMALL, numbers
from tests.workloads.conftest import run_here

pytestmark = pytest.mark.slow

PRECISIONS = ["float32", "mixed_bfloat16", "float32"]


def test_results_of_a_reused_process_are_the_same(tmp_path: Path) -> None:
    parameters, sizes = SMALL["p3b1"]
    workload, data = describe("p3b1"), tmp_path / "data"
    make_data(workload, data, sizes or {}, 1)
    resolved = workload.resolve(parameters)
    alone = numbers(run_here("p3b1", resolved, data, seed=3).result)
    with reusing(tmp_path) as one:
        reports = [
            one.run(
                workload="p3b1", parameters={**resolved, "precision": precision}, data=str(data), seed=3,
                timeout_seconds=300.0, environment={}, memory_bytes=8 << 30,
            )
            for precision in PRECISIONS
        ]  # fmt: skip
    assert [place_of(report)[1] for report in reports] == [1, 2, 3], [one.message for one in reports]
    assert [report.result and report.result.observed.precision for report in reports] == PRECISIONS
    first, other, again = (numbers(report.result) for report in reports)
    assert [one.pop(NUMBER) for one in (first, other, again)] == [pack("d", one) for one in (1, 2, 3)]
    assert first.items() >= alone.items()
    assert again == first
    assert other != first
