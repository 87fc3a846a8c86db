"""The campaign of MLPerf HPC can be planned, and its plan says which rules it breaks."""

from __future__ import annotations

import pytest

from orchestrator.rulebooks.mlperf_hpc.reference import reference
from tests.orchestrator.planning.test_hpcai500_campaigns import planned


def test_the_demo_trains_models_to_the_target_in_equal_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned("mlperf-hpc-demo", "local", monkeypatch)
    target = reference().benchmarks["cosmoflow"].target
    assert [one.target for one in plan.benchmarks] == [target, target]
    assert {one.parameters["target_mae"] for one in plan.benchmarks} == {target.bound}
    steps = [(one.shape.ranks, one.parameters["batch_size"]) for one in plan.benchmarks]
    assert steps == [(1, 8), (2, 4)]
    waves = sum(one.instances * (one.expected_seconds or 3600) for one in plan.benchmarks)
    assert waves <= 300
    for one in plan.benchmarks:
        assert plan.broken_rules(one) == [
            "image_edge is 16, rules say 128",
            "conv_layers is 4, rules say 5",
            "width_divisor is 4, rules say 1",
        ]
