"""What a plan of CORAL-2 announces, and what its programs declare."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.rulebooks.coral2.reference import deviations, originals, reference
from orchestrator.rulebooks.coral2.rulebook import judge, preflight
from orchestrator.rulebooks.model import PlannedRun
from tests.orchestrator.rulebooks.test_coral2_verdict import measured, parameters, rule


def planned(workload: str, at_once: int, share: float | None, **changes: Any) -> PlannedRun:
    values: dict[str, Any] = {"run_class": "base", "parameters": parameters(workload)} | changes
    return PlannedRun(workload=workload, at_once=at_once, share_of_system=share, **values)


def test_a_plan_says_what_will_keep_resnet50_from_counting() -> None:
    assert preflight(planned("resnet50", 50, 0.02)) == []
    assert preflight(planned("p1b1", 1, None)) == []
    few, wide = preflight(planned("resnet50", 2, 1.0))
    assert few == "2 instances run at once, the rules ask for 50"
    assert wide == "an instance holds 100.0% of the system, allowed 2%"
    assert "is unknown; set nodes in the site file" in preflight(planned("resnet50", 50, None))[0]


def test_a_plan_says_which_parameters_break_rules() -> None:
    small = parameters("p1b1", epochs=3, loader="cache")
    loader = "loader is cache, rules say one of numpy, pandas, pandas_low_memory_false"
    assert preflight(planned("p1b1", 1, None, parameters=small)) == [
        "epochs is 3, rules say at least 100",
        loader,
    ]
    optimized = planned("p1b1", 1, None, parameters=small, run_class="optimized")
    assert preflight(optimized) == []
    wide = planned("p1b1", 1, None, parameters=small | {"latent_width": 3}, run_class="optimized")
    assert preflight(wide) == ["latent_width is 3, rules say 2"]
    own = ("flag is x, rules say y",)
    outside = "nt3 is not a benchmark of CORAL-2"
    assert preflight(planned("nt3", 1, None, broken_parameters=own)) == [outside, *own]
    made = planned("p1b1", 1, None, parameters=parameters("p1b1"), synthetic_data=True)
    assert preflight(made) == ["its data are synthetic; the suite's own are asked for"]


def test_a_plan_warns_of_runs_that_are_known_to_miss_the_target() -> None:
    short = planned("p3b1", 1, None, parameters=parameters("p3b1", max_epochs=0))
    [text] = preflight(short)
    assert "0.5611, the target is 0.5637; set max_epochs" in text
    assert preflight(planned("p3b1", 1, None, parameters=parameters("p3b1", max_epochs=20))) == []
    # An optimized run may miss the target by one percent.
    optimized = planned("p3b1", 1, None, parameters=parameters("p3b1", max_epochs=0), run_class="optimized")
    assert preflight(optimized) == []


def test_differences_of_the_shipped_programs_are_declared() -> None:
    [fom] = judge([measured("p1b1", parameters=parameters("p1b1", loader="numpy"))]).benchmarks
    assert fom.reportable
    assert any("typed NumPy reader" in text for text in fom.declared)
    [other] = judge([measured("p1b1", parameters=parameters("p1b1", loader="pandas"))]).benchmarks
    assert not any("NumPy reader" in text for text in other.declared)
    assert len(other.declared) == len(fom.declared) - 1
    assert other.to_dict()["declared"] == list(other.declared)


def test_every_program_of_the_suite_has_declared_differences_and_an_original() -> None:
    assert deviations().keys() == originals().keys() == reference().benchmarks.keys()
    for name, known in deviations().items():
        for one in known:
            assert one.when.keys() <= reference().benchmarks[name].parameters.keys()
    assert all(len(digest) == 64 for one in originals().values() for digest in one.files.values())


def test_an_optimized_run_lists_what_it_modified() -> None:
    changed = parameters("p1b1", epochs=60, batch_size=200, precision="mixed_bfloat16")
    item = measured(
        "p1b1",
        run_class="optimized",
        parameters=changed,
        fewest_epochs_run=60,
        software__precisions=frozenset({"mixed_bfloat16"}),
    )
    [fom] = judge([item]).benchmarks
    assert fom.reportable
    assert fom.modifications == (
        "epochs is 60, rules say at least 100",
        "batch_size is 200, rules say 100",
        "precision is mixed_bfloat16, rules say float32",
    )
    [other] = judge([measured("p1b1", run_class="optimized", program="external")]).benchmarks
    assert other.modifications == ("program: an external command",)
    assert rule(measured("p1b1", run_class="optimized", program="external"), "source").passed


def test_an_unknown_class_is_a_defect_of_the_ledger() -> None:
    with pytest.raises(ValueError, match="p1b1: run class is base or optimized, not 'fast'"):
        judge([measured("p1b1", run_class="fast")])


def test_a_plan_says_when_gpus_cannot_be_proven() -> None:
    run = planned("p1b1", 1, None, gpus_unprovable="the kernel states no unique_id")
    assert "no instance can prove its GPUs: the kernel states no unique_id" in preflight(run)
