"""The MLPerf HPC rulebook: its Throughput metric, until v2.0 called "weak scaling".

Rules are those of MLPerf HPC Training Rules 3.0; `reference.yaml` names file and commit. The unpruned score
counts every model that converged. The rules let a submitter prune further results, so the score with the
best pruning of the last to end is stated beside it. The metric is per benchmark; there is no overall figure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from orchestrator.rulebooks import common_rules, mark_rules, provenance_rules, work_rules
from orchestrator.rulebooks.measurements import Measurements
from orchestrator.rulebooks.mlperf_hpc.reference import BenchmarkReference, reference
from orchestrator.rulebooks.mlperf_hpc.throughput import Score, best_pruned_score, converged_runs, score
from orchestrator.rulebooks.model import (
    BenchmarkVerdict,
    CheckResult,
    Figure,
    PlannedRun,
    Rule,
    Rulebook,
    RuleResult,
    Verdict,
    WorkloadRules,
    rule,
)
from orchestrator.wording import count_of, counts_of
from workloads.description import QualityTarget, broken_rules

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NAME = "mlperf_hpc"
_COLUMNS = (
    ("models", "models"),
    ("converged", "converged_models"),
    ("scale S", "instance_scale"),
    ("scale T", "total_scale"),
    ("TTTa s", "seconds_to_train_all"),
    ("models/min", "models_per_minute"),
    ("pruned to", "pruned_models"),
    ("TTTa s", "pruned_seconds_to_train_all"),
    ("models/min", "pruned_models_per_minute"),
)


def workloads() -> dict[str, WorkloadRules]:
    """Return what the closed division demands of each benchmark."""
    return {
        name: WorkloadRules(target=known.target, parameters=known.parameters, data=known.data)
        for name, known in reference().benchmarks.items()
    }


def preflight(run: PlannedRun) -> list[str]:
    """List a workload that is not in the suite, broken hyperparameters, and too few models."""
    known = reference().benchmarks.get(run.workload)
    if known is None:
        return [f"{run.workload} is not a benchmark of MLPerf HPC", *run.broken_parameters]
    return _broken(run.broken_parameters, run.run_class, run.parameters, known)


def judge(measurements: Sequence[Measurements]) -> Verdict:
    """State the Throughput score of each benchmark, and the result of every rule."""
    return Verdict(
        rulebook=NAME, headline=None, columns=_COLUMNS, benchmarks=tuple(map(_benchmark, measurements))
    )


def _benchmark(found: Measurements) -> BenchmarkVerdict:
    known = reference().benchmarks.get(found.workload)
    target = known.target if known else found.own_target
    intervals = converged_runs(found.runs, target) if target and found.runs else []
    counted = score(intervals)
    pruned = best_pruned_score(intervals, known.models if known else 1)
    return BenchmarkVerdict(
        benchmark=found.benchmark,
        workload=found.workload,
        run_class=found.run_class,
        attempts=found.attempts,
        headline=_rate("models_per_minute", counted),
        figures=(
            Figure("models", found.planned),
            Figure("converged_models", len(intervals)),
            # Devices: GPUs, or ranks of an instance on cores. T is what was in use at one time at the most.
            Figure("instance_scale", found.slots.largest_devices, "devices"),
            Figure("total_scale", found.overlap.concurrent * found.slots.largest_devices, "devices"),
            Figure("seconds_to_train_all", counted.seconds if counted else None, "s"),
            Figure("pruned_models", pruned.models if pruned else None),
            Figure("pruned_seconds_to_train_all", pruned.seconds if pruned else None, "s"),
            _rate("pruned_models_per_minute", pruned),
            Figure("target", target.bound if target else None),
        ),
        rules=_results(found, known, target, len(intervals)),
    )


def _rate(name: str, counted: Score | None) -> Figure:
    if counted is None:
        return Figure(name, None, "1/min")
    arithmetic = f"{counted.models:,} ÷ {counted.seconds:.10g} s × 60"
    return Figure(name, counted.models_per_minute, "1/min", arithmetic)


def _results(
    found: Measurements, known: BenchmarkReference | None, target: QualityTarget | None, converged: int
) -> tuple[RuleResult, ...]:
    return (
        _suite(found, known),
        common_rules.disclosed(_converged(found, target, converged), found, target),
        common_rules.with_changes(_models(known, converged), found),
        _timed(found),
        mark_rules.marks(found),
        _clocks(found),
        _parameters(found, known),
        _data(found, known),
        common_rules.slots(found),
        common_rules.devices(found),
        common_rules.seeds(found),
        _time_to_solution(),
        *work_rules.results(found, decisive=False),
        *provenance_rules.results(found),
    )


@rule("suite", "The workload is a benchmark of MLPerf HPC.")
def _suite(found: Measurements, known: BenchmarkReference | None) -> CheckResult:
    text = f"{found.workload} is {'not ' if known is None else ''}a benchmark of MLPerf HPC"
    return CheckResult(known is not None, text)


@rule("clocks", "TTTa spans nodes, so that their clocks must not contradict each other.")
def _clocks(found: Measurements) -> CheckResult:
    reason = common_rules.contradiction(found)
    return CheckResult(reason is None, reason or "no clock contradicts another")


@rule(
    "time to solution",
    "The score is reported only beside a time-to-solution score of the same benchmark.",
)
def _time_to_solution() -> CheckResult:
    return CheckResult(None, "report it beside a time-to-solution score; this ledger holds none")


@rule("converged", "Only models that reached the quality target count; all others are pruned.")
def _converged(found: Measurements, target: QualityTarget | None, converged: int) -> CheckResult:
    if target is None:
        return CheckResult(False, "the workload has no quality target, so that no model can converge")
    text = f"{converged:,} of {found.accepted:,} accepted models reached {target} in a measured interval"
    pruned = found.planned - converged
    return CheckResult(converged > 0, f"{text}; {pruned:,} of {found.planned:,} planned are pruned")


@rule("models", "The models that count are at least as many as the benchmark's minimum.")
def _models(known: BenchmarkReference | None, converged: int) -> CheckResult:
    if known is None:
        return CheckResult(None, "the rules state no least number of models for this workload")
    return CheckResult(
        converged >= known.models, f"{converged:,} models count, the rules ask for {known.models}"
    )


@rule(
    "time",
    "Every accepted model has a measured run interval of one whole training, which begins "
    "with its first attempt.",
)
def _timed(found: Measurements) -> CheckResult:
    if found.times.resumed:
        return CheckResult(
            False, "an accepted model continued from a checkpoint; its interval is not the whole"
        )
    spans = [] if found.runs is None else zip(found.runs.start_us, found.runs.stop_us, strict=True)
    unmeasured = sum(stop <= start for start, stop in spans)
    if found.runs is None or unmeasured:
        return CheckResult(
            False, f"{count_of(unmeasured, 'accepted model', 'have')} no measured run interval"
        )
    text = f"{count_of(found.accepted, 'accepted model', 'have')} a measured run interval"
    if again := sum(began > 0 for began in found.runs.began_us):
        text += f"; {again:,} of them were tried again, and count from the start of their first attempt"
    if found.ended.outcomes:
        text += f"; ended attempts: {counts_of(found.ended.outcomes)}"
    return CheckResult(found.accepted > 0, text)


@rule("parameters", "The closed division keeps the hyperparameters of the rules; the open division is free.")
def _parameters(found: Measurements, known: BenchmarkReference | None) -> CheckResult:
    if found.run_class == "open":
        return CheckResult(None, "free in the open division")
    broken = _broken(found.broken_parameters, found.run_class, found.parameters, known)
    return CheckResult(not broken, "; ".join(broken) or "all as the rules say")


def _broken(
    own: Sequence[str], run_class: str, parameters: Mapping[str, Any], known: BenchmarkReference | None
) -> list[str]:
    if run_class == "open":
        return []
    suite = broken_rules(known.parameters, parameters) if known else []
    return list(dict.fromkeys((*own, *suite)))


@rule("data", "Models were trained on the suite's data, not on synthetic ones.")
def _data(found: Measurements, known: BenchmarkReference | None) -> CheckResult:
    if found.data.synthetic is None:
        return CheckResult(None, "no model reported the data it read")
    if found.data.place is not None and found.data.place.changed:
        return CheckResult(False, f"files in {found.data.place.path} were changed after the launch")
    if found.data.synthetic:
        return CheckResult(False, "a model was trained on synthetic data")
    broken = [text for facts in found.data.facts for text in broken_rules(known.data if known else {}, facts)]
    return CheckResult(not broken, "; ".join(dict.fromkeys(broken)) or "no synthetic data")


RULES: tuple[Rule[...], ...] = (
    _suite,
    _converged,
    _models,
    _timed,
    mark_rules.marks,
    _clocks,
    _parameters,
    _data,
    common_rules.slots,
    common_rules.devices,
    common_rules.seeds,
    _time_to_solution,
    *work_rules.RULES,
    *provenance_rules.RULES,
)
RULEBOOK = Rulebook(
    name=NAME,
    title="MLPerf HPC Throughput (weak scaling): models trained to target, and the time to train all",
    source=reference().source,
    headline="models per minute, of each benchmark",
    meaning="Models that reached the target, per minute from the first start to the last stop.",
    fixed_runs="MLPerf HPC fixes the number of trainings before they run",
    run_classes=("closed", "open"),
    rules=RULES,
    judge=judge,
    preflight=preflight,
    workloads=workloads,
    needs_runs=True,
)
