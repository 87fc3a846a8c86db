"""The rulebook of ensembles that follow no suite: counts, times, accuracies, overlap and throughput.

It defines no figure of merit, so nothing is "not reportable". Rules about the quality of the measurements
are listed all the same, because contradicting clocks or shared cores distort every number.
"""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING

from orchestrator.rulebooks import (
    common_rules,
    design_rule,
    mark_rules,
    provenance_rules,
    straggler_rule,
    work_rules,
)
from orchestrator.rulebooks.measurements import Measurements
from orchestrator.rulebooks.model import (
    BenchmarkVerdict,
    CheckResult,
    Figure,
    Rule,
    Rulebook,
    RuleResult,
    Verdict,
    rule,
)
from orchestrator.wording import count_of
from workloads.description import TRAINING_SEED

if TYPE_CHECKING:
    from collections.abc import Sequence

NAME = "none"
_LOSS = "last_loss"
_RATES = {"flop_per_second": "FLOP/s", "bytes_per_second": "B/s"}
_WHERE_MEASURED = {"median_accuracy", "lowest_accuracy", *_RATES}
_COLUMNS = (
    ("accepted", "accepted"),
    ("peak at once", "peak_overlap"),
    ("median s", "median_seconds"),
    ("longest s", "longest_seconds"),
    ("accuracy", "median_accuracy"),
    *((unit, name) for name, unit in _RATES.items()),
    ("instances/h", "instances_per_hour"),
    ("lowest accuracy", "lowest_accuracy"),
    ("guaranteed", "guaranteed_overlap"),
    ("makespan s", "makespan_seconds"),
    ("planned", "planned"),
    ("out of retries", "exhausted"),
)


def judge(measurements: Sequence[Measurements]) -> Verdict:
    """State what was measured of each benchmark."""
    benchmarks = tuple(
        BenchmarkVerdict(
            benchmark=found.benchmark,
            workload=found.workload,
            run_class=found.run_class,
            attempts=found.attempts,
            headline=None,
            figures=figures(found),
            rules=_results(found),
        )
        for found in measurements
    )
    return Verdict(
        rulebook=NAME,
        headline=None,
        columns=tuple(
            (heading, name)
            for heading, name in _COLUMNS
            if name not in _WHERE_MEASURED or any(one[name] is not None for one in benchmarks)
        ),
        benchmarks=benchmarks,
    )


def figures(found: Measurements) -> tuple[Figure, ...]:
    """Return the figures of one benchmark."""
    makespan, runs = found.times.makespan_seconds, found.runs
    longest = [one for one in (found.times.max_seconds, found.superseded.longest_seconds) if one is not None]
    per_hour, arithmetic, absent = None, "", ""
    if found.design.takes_turns:
        absent = "its instances took turns with those of other benchmarks on the same slots"
    elif makespan:
        per_hour = found.accepted / makespan * 3600
        arithmetic = f"{found.accepted:,} ÷ {makespan:.10g} s × 3600"
    return (
        Figure("planned", found.planned),
        Figure("accepted", found.accepted),
        Figure("exhausted", found.states.get("exhausted", 0)),
        Figure("median_seconds", median(runs.fom_seconds) if runs else None, found.times.unit),
        Figure("longest_seconds", max(longest, default=None), found.times.unit),
        Figure("lowest_accuracy", found.accuracy.lowest),
        Figure("median_accuracy", median(runs.accuracy) if runs else None),
        Figure("peak_overlap", found.overlap.concurrent),
        Figure("sustained_overlap", found.overlap.sustained),
        Figure("guaranteed_overlap", found.overlap.counted),
        Figure("makespan_seconds", makespan, "s"),
        Figure("instances_per_hour", per_hour, "1/h", arithmetic, absent),
        *(
            Figure(name, median(runs.metrics[name]) if runs and name in runs.metrics else None, unit)
            for name, unit in _RATES.items()
        ),
    )


def median(values: Sequence[float]) -> float | None:
    """Return the median of the values that are not NaN; None where there are none."""
    known = [value for value in values if not math.isnan(value)]
    return statistics.median(known) if known else None


@rule("quality", "Every accepted instance reached the target that the workload's author set.")
def quality(found: Measurements) -> CheckResult:
    """Check accuracies by the target that came with the workload."""
    reached = common_rules.own_target(found, found.own_target)
    return common_rules.disclosed(reached, found, found.own_target)


@rule("parameters", "Parameters keep the rules that the workload's author set.")
def parameters(found: Measurements) -> CheckResult:
    """Check that no rule that came with the workload is broken."""
    broken = "; ".join(found.broken_parameters)
    return CheckResult(not broken, broken or "no rule of the workload's own is broken")


@rule("repeats", "Instances that share a training_seed end with the same loss, to the last digit.")
def repeats(found: Measurements) -> CheckResult:
    """Check that instances that compute the same have the same result."""
    seed, runs = found.parameters.get(TRAINING_SEED.name), found.runs
    if not seed or runs is None:
        return CheckResult(None, "instances share no training_seed")
    losses = runs.metrics.get(_LOSS, ())
    if len(losses) < 2 or any(map(math.isnan, losses)):
        return CheckResult(None, f"no two accepted instances with a {_LOSS}, or one without")
    number = count_of(len(losses), "instance")
    lowest, highest = min(losses), max(losses)
    if lowest == highest:
        return CheckResult(True, f"{number} with training_seed {seed}: {_LOSS} is {lowest!r} in every one")
    return CheckResult(False, f"{number} with training_seed {seed}: {_LOSS} is {lowest!r} to {highest!r}")


RULES: tuple[Rule[...], ...] = (
    common_rules.complete,
    common_rules.timed,
    common_rules.clocks,
    common_rules.slots,
    common_rules.devices,
    common_rules.seeds,
    design_rule.design,
    straggler_rule.stragglers,
    quality,
    parameters,
    repeats,
    mark_rules.marks,
    *work_rules.RULES,
    *provenance_rules.RULES,
)


def _results(found: Measurements) -> tuple[RuleResult, ...]:
    return (
        common_rules.complete(found),
        common_rules.timed(found),
        mark_rules.marks(found),
        straggler_rule.stragglers(found),
        common_rules.clocks(found),
        common_rules.slots(found),
        common_rules.devices(found),
        common_rules.seeds(found),
        design_rule.design(found),
        quality(found),
        parameters(found),
        repeats(found),
        *work_rules.results(found, decisive=False),
        *provenance_rules.results(found),
    )


RULEBOOK = Rulebook(
    name=NAME,
    title="No suite: counts, times, accuracies, overlap and throughput of the ensemble",
    source="this project",
    meaning="No figure of merit: counts, times and rates as they were measured.",
    run_classes=("ensemble",),
    rules=RULES,
    judge=judge,
    needs_runs=True,
    metrics=(_LOSS, *_RATES),
)
