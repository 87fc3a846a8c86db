"""Measurements of made-up trainings of HPC AI500, which break no rule unless they are changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

from orchestrator.rulebooks.hpcai500.reference import reference
from orchestrator.rulebooks.hpcai500.rulebook import judge
from orchestrator.rulebooks.measured_work import MeasuredWork
from orchestrator.rulebooks.measurements import Measurements
from orchestrator.rulebooks.model import BenchmarkVerdict, RuleResult
from tests.orchestrator.rulebooks.measured import measured

IMAGES = 1_281_167
SECONDS = (5000.0, 4000.0, 4100.0, 4200.0, 4300.0, 4400.0, 4500.0, 4600.0, 4700.0, 3000.0)
"""Training seconds of ten repeats; without 3000 and 5000 their mean is 4350."""


def parameters(workload: str = "resnet50_v15") -> dict[str, Any]:
    """Return the suite's parameters of a training."""
    known = reference().benchmarks[workload]
    rules = known.fixed | known.policy | known.reported | known.kept
    return {name: rule.reference for name, rule in rules.items()}


def image_classification(
    seconds: Sequence[float] = SECONDS,
    *,
    top_1: float | Sequence[float] = 77.0,
    metrics: Mapping[str, Any] | None = None,
    most_on_a_node: int = 1,
    **changes: Any,
) -> Measurements:
    """Return repeats one after another, each with 200 s of loading and evaluation around its training.

    A metric of None is one that no repeat reports.
    """
    number = len(seconds)
    accuracies = [top_1] * number if isinstance(top_1, int | float) else list(top_1)
    ends = accumulate(one + 200.0 for one in seconds)
    rows = [
        (end - one - 200.0, end, quality) for end, one, quality in zip(ends, seconds, accuracies, strict=True)
    ]
    reported: dict[str, Any] = {
        "training_seconds": list(seconds),
        "samples_seen": 90.0 * IMAGES,
        "epochs_run": 90.0,
        "load_seconds": 150.0,
        "evaluate_seconds": 50.0,
        "power_mean_watts": 2000.0,
        "training_flop_per_sample": 24.0e9,
        "trainable_parameters": 25_559_081.0,
        **(metrics or {}),
    }
    columns = {
        name: [values] * number if isinstance(values, int | float) else values
        for name, values in reported.items()
        if values is not None
    }
    values: dict[str, Any] = {
        "run_class": "hardware",
        "parameters": parameters(),
        "accuracy__metric": "top_1_percent",
        "accuracy__highest": max(accuracies, default=None),
        "overlap__concurrent": 1,
        "software__frameworks": frozenset({"tensorflow"}),
        "software__precisions": frozenset({"float32"}),
        "data__synthetic": False,
        "data__facts": ({"train_images": IMAGES, "validation_images": 50_000, "classes": 1000},),
        "slots__ranks": frozenset({8}),
        "slots__largest_devices": 8,
        "work": MeasuredWork(sampled=("gpu: nvml", "cpu: rapl")),
    }
    values |= changes
    made = measured(values.pop("workload", "resnet50_v15"), rows, **values)
    assert made.runs is not None
    return replace(made, runs=replace(made.runs, metrics=columns, most_on_a_node=most_on_a_node))


def verdict(found: Measurements) -> BenchmarkVerdict:
    """Return the verdict on one benchmark."""
    [one] = judge([found]).benchmarks
    return one


def rule(found: Measurements, name: str) -> RuleResult:
    """Return one rule of a benchmark."""
    [one] = [rule for rule in verdict(found).rules if rule.name == name]
    return one
