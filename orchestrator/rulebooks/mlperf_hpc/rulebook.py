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
    Figure,
    PlannedRun,
    Rule,
    Rulebook,
    Verdict,
    WorkloadRules,
)
from workloads.description import QualityTarget, broken_rules

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NAME = "mlperf_hpc"
RULES: Mapping[str, str] = {
    "suite": "The workload is a benchmark of MLPerf HPC.",
    "converged": "Only models that reached the quality target count; all others are pruned.",
    "models": "The models that count are at least as many as the benchmark's minimum.",
    "time": "Every accepted model has a measured run interval of one whole training, which begins "
    "with its first attempt.",
    **mark_rules.SENTENCES,
    "clocks": "TTTa spans nodes, so that their clocks must not contradict each other.",
    "parameters": "The closed division keeps the hyperparameters of the rules; the open division is free.",
    "data": "Models were not trained on synthetic data.",
    **{name: common_rules.SENTENCES[name] for name in ("slots", "devices", "seeds")},
    "time to solution": "The score is reported only beside a time-to-solution score of the same benchmark.",
    **work_rules.SENTENCES,
    **provenance_rules.SENTENCES,
}
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
        name: WorkloadRules(target=known.target, parameters=known.parameters)
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
            Figure("instance_scale", found.largest_devices, "devices"),
            Figure("total_scale", found.concurrent * found.largest_devices, "devices"),
            Figure("seconds_to_train_all", counted.seconds if counted else None, "s"),
            Figure("pruned_models", pruned.models if pruned else None),
            Figure("pruned_seconds_to_train_all", pruned.seconds if pruned else None, "s"),
            _rate("pruned_models_per_minute", pruned),
            Figure("target", target.bound if target else None),
        ),
        rules=_rules(found, known, target, len(intervals)),
    )


def _rate(name: str, counted: Score | None) -> Figure:
    if counted is None:
        return Figure(name, None, "1/min")
    arithmetic = f"{counted.models:,} ÷ {counted.seconds:.10g} s × 60"
    return Figure(name, counted.models_per_minute, "1/min", arithmetic)


def _rules(
    found: Measurements, known: BenchmarkReference | None, target: QualityTarget | None, converged: int
) -> tuple[Rule, ...]:
    reason = common_rules.contradiction(found)
    return (
        Rule(
            "suite",
            known is not None,
            f"{found.workload} is {'' if known else 'not '}a benchmark of MLPerf HPC",
        ),
        common_rules.disclosed(_converged(found, target, converged), found, target),
        common_rules.with_changes(_models(known, converged), found),
        _timed(found),
        mark_rules.marks(found),
        Rule("clocks", reason is None, reason or "no clock contradicts another"),
        _parameters(found, known),
        _data(found),
        common_rules.slots(found),
        common_rules.devices(found),
        common_rules.seeds(found),
        Rule("time to solution", None, "report it beside a time-to-solution score; this ledger holds none"),
        *work_rules.rules(found, decisive=False),
        *provenance_rules.rules_for(found),
    )


def _converged(found: Measurements, target: QualityTarget | None, converged: int) -> Rule:
    if target is None:
        return Rule("converged", False, "the workload has no quality target, so that no model can converge")
    text = f"{converged:,} of {found.accepted:,} accepted models reached {target} in a measured interval"
    pruned = found.planned - converged
    return Rule("converged", converged > 0, f"{text}; {pruned:,} of {found.planned:,} planned are pruned")


def _models(known: BenchmarkReference | None, converged: int) -> Rule:
    if known is None:
        return Rule("models", None, "the rules state no least number of models for this workload")
    return Rule(
        "models", converged >= known.models, f"{converged:,} models count, the rules ask for {known.models}"
    )


def _timed(found: Measurements) -> Rule:
    if found.resumed:
        return Rule(
            "time", False, "an accepted model continued from a checkpoint; its interval is not the whole"
        )
    unmeasured = 0 if found.runs is None else int((found.runs.stop_us <= found.runs.start_us).sum())
    if found.runs is None or unmeasured:
        return Rule("time", False, f"{unmeasured:,} accepted models have no measured run interval")
    text = f"{found.accepted:,} accepted models have a measured run interval"
    if again := int((found.runs.began_us > 0).sum()):
        text += f"; {again:,} of them were tried again, and count from the start of their first attempt"
    if found.ended.outcomes:
        text += f"; ended attempts: {_listed(found.ended.outcomes)}"
    return Rule("time", found.accepted > 0, text)


def _listed(outcomes: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {outcome}" for outcome, number in sorted(outcomes.items()))


def _parameters(found: Measurements, known: BenchmarkReference | None) -> Rule:
    if found.run_class == "open":
        return Rule("parameters", None, "free in the open division")
    broken = _broken(found.broken_parameters, found.run_class, found.parameters, known)
    return Rule("parameters", not broken, "; ".join(broken) or "all as the rules say")


def _broken(
    own: Sequence[str], run_class: str, parameters: Mapping[str, Any], known: BenchmarkReference | None
) -> list[str]:
    if run_class == "open":
        return []
    suite = broken_rules(known.parameters, parameters) if known else []
    return list(dict.fromkeys((*own, *suite)))


def _data(found: Measurements) -> Rule:
    if found.synthetic_data is None:
        return Rule("data", None, "no model reported the data it read")
    if found.data_place is not None and found.data_place.changed:
        return Rule("data", False, f"files in {found.data_place.path} were changed after the launch")
    text = "a model was trained on synthetic data" if found.synthetic_data else "no synthetic data"
    return Rule("data", not found.synthetic_data, text)


RULEBOOK = Rulebook(
    name=NAME,
    title="MLPerf HPC Throughput (weak scaling): models trained to target, and the time to train all",
    source=reference().source,
    headline="models per minute, of each benchmark",
    run_classes=("closed", "open"),
    rules=RULES,
    judge=judge,
    preflight=preflight,
    workloads=workloads,
    needs_runs=True,
)
