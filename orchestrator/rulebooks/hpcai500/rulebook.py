"""The HPC AI500 V2.0 rulebook: Valid FLOPS of two trainings, which rank machines.

A campaign has one benchmark for each training and scale, often points of a sweep over ranks; its instances
are the repeats. Both counts of FLOP per sample are stated: the suite's, measured with NVProf, is the
headline's, and the one that the training counted in its own graph stands beside it.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from orchestrator.rulebooks import common_rules, provenance_rules
from orchestrator.rulebooks.hpcai500.formulas import flops, penalty
from orchestrator.rulebooks.hpcai500.layers import PARAMETERS, model_is_the_suites
from orchestrator.rulebooks.hpcai500.reference import BenchmarkReference, epochs_rule, reference
from orchestrator.rulebooks.hpcai500.repeats import COUNTED, SAMPLES, SECONDS, WATTS, Means, means
from orchestrator.rulebooks.hpcai500.rules import (
    RULES,
    UNMODIFIED,
    formula,
    no_power,
    other_quality,
    results_of,
    suite,
)
from orchestrator.rulebooks.model import (
    BenchmarkVerdict,
    Figure,
    PlannedRun,
    Ranking,
    Rulebook,
    RuleResult,
    Verdict,
    WorkloadRules,
)
from orchestrator.wording import count_of
from workloads.description import broken_rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orchestrator.rulebooks.measurements import Measurements

NAME = "hpcai500"
REQUIRED = (
    ("time to quality", "time_to_quality_seconds"),
    ("FLOPS", "flops"),
    ("FLOPS per watt", "flops_per_watt"),
    ("Valid FLOPS", "vflops"),
    ("Valid FLOPS per watt", "vflops_per_watt"),
    ("variation of the repeats", "variation"),
    ("penalty", "penalty"),
    ("exponent of the penalty", "penalty_exponent"),
)
_COLUMNS = (
    ("ranks", "ranks"),
    ("repeats", "repeats"),
    ("kept", "kept_repeats"),
    ("time to quality s", "time_to_quality_seconds"),
    ("quality", "quality"),
    ("FLOPS", "flops"),
    ("penalty", "penalty"),
    ("VFLOPS", "vflops"),
    ("VFLOPS/W", "vflops_per_watt"),
)
_UNIT = "FLOP/s"


def workloads() -> dict[str, WorkloadRules]:
    """Return what level ``hardware`` demands of each training."""
    return {
        name: WorkloadRules(
            target=known.quality.as_target, parameters=known.fixed | known.kept, data=known.data
        )
        for name, known in reference().benchmarks.items()
    }


def preflight(run: PlannedRun) -> list[str]:
    """List broken rules of parameters, data, and too few repeats."""
    known = reference().benchmarks.get(run.workload)
    if known is None:
        named = run.workload in reference().microbenchmarks
        return [*([] if named else [f"{run.workload} is no training of HPC AI500"]), *run.broken_parameters]
    broken = known.broken(known.fixed, run.parameters)
    if run.run_class == "free":
        broken = broken_rules(epochs_rule(known.epochs), run.parameters)
    reasons = list(dict.fromkeys((*run.broken_parameters, *broken)))
    if run.synthetic_data:
        reasons.append("its data are synthetic; the suite's own are asked for")
    if run.instances is not None and run.instances < known.repeats.stricter:
        reasons.append(
            f"{count_of(run.instances, 'repeat', 'are')} planned, the rules ask for {known.repeats.stricter}"
        )
    if run.gpus_unprovable is not None:
        reasons.append(f"no instance can prove its GPUs: {run.gpus_unprovable}")
    return reasons


def judge(measurements: Sequence[Measurements]) -> Verdict:
    """State the figures of each training, the result of every rule, and the ranking of several."""
    benchmarks = tuple(map(_benchmark, measurements))
    return Verdict(
        rulebook=NAME,
        headline=None,
        columns=_COLUMNS,
        benchmarks=benchmarks,
        rankings=_rankings(benchmarks),
        required=REQUIRED,
    )


def _rankings(benchmarks: Sequence[BenchmarkVerdict]) -> tuple[Ranking, ...]:
    """Return the order by Valid FLOPS of those of one training and class; reportable ones come first."""
    rivals: dict[tuple[str, str], list[BenchmarkVerdict]] = {}
    for one in benchmarks:
        if one.workload in reference().benchmarks:
            rivals.setdefault((one.workload, one.run_class), []).append(one)
    return tuple(
        Ranking(
            f"{reference().benchmarks[workload].title}, class {run_class}, by VFLOPS",
            tuple(one.benchmark for one in sorted(found, key=_place)),
        )
        for (workload, run_class), found in rivals.items()
        if len(found) > 1
    )


def _place(one: BenchmarkVerdict) -> tuple[bool, bool, float]:
    value = one["vflops"]
    return not one.reportable, value is None, -(value or 0.0)


def _benchmark(found: Measurements) -> BenchmarkVerdict:
    known = reference().benchmarks.get(found.workload)
    if known is None:
        return _unlisted(found)
    over = _means(found, known)
    figures = _figures(found, known, over)
    absent = figures["vflops"].absent
    return BenchmarkVerdict(
        benchmark=found.benchmark,
        workload=found.workload,
        run_class=found.run_class,
        attempts=found.attempts,
        headline=figures.pop("vflops"),
        figures=tuple(figures.values()),
        rules=_ordered(suite(found, known), formula(found, absent), *results_of(found, known, over)),
        modifications=tuple(_modifications(found, known)),
    )


def _means(found: Measurements, known: BenchmarkReference) -> Means:
    """Return the means of the repeats, without those of a quality that is not the suite's."""
    over = means(found.runs)
    other = other_quality(found, known)
    return replace(over, quality=None, missing=(*over.missing, other)) if other else over


def _ordered(*results: RuleResult) -> tuple[RuleResult, ...]:
    names = [rule.name for rule in RULES]
    return tuple(sorted(results, key=lambda result: names.index(result.name)))


def _unlisted(found: Measurements) -> BenchmarkVerdict:
    """List a micro-benchmark, which has no figure of merit, or a workload that the suite does not have."""
    micro = found.workload in reference().microbenchmarks
    results = [suite(found, None)]
    if micro:
        results += [common_rules.complete(found), common_rules.slots(found), common_rules.devices(found)]
    if found.provenance.description is not None and found.provenance.description.problem:
        results.append(provenance_rules.description(found))
    stated = {"ranks": max(found.slots.ranks, default=None), "repeats": found.accepted}
    names = dict.fromkeys([*(key for _, key in _COLUMNS), *(key for _, key in REQUIRED)])
    return BenchmarkVerdict(
        benchmark=found.benchmark,
        workload=found.workload,
        run_class=found.run_class,
        attempts=found.attempts,
        headline=None if micro else Figure("vflops", None, _UNIT),
        figures=tuple(Figure(name, stated.get(name)) for name in names if micro or name != "vflops"),
        rules=tuple(results),
    )


def _modifications(found: Measurements, known: BenchmarkReference) -> list[str]:
    """List what a run changed that its class leaves free, and must report."""
    rules = dict(known.reported)
    if found.run_class == "free":
        rules |= known.model | known.hyper_parameters | known.policy_of(found.parameters) | known.kept
    changed = [text for text in broken_rules(rules, found.parameters) if "not stated" not in text]
    if found.program != "shipped":
        changed.append(f"program: {found.program}")
    if found.run_class != "free":
        changed += known.unknown(found.parameters)
    return changed + ([] if found.run_class in UNMODIFIED else provenance_rules.changes(found))


def _figures(found: Measurements, known: BenchmarkReference, over: Means) -> dict[str, Figure]:
    """Return every figure of a training by its name; absent ones say why."""
    quality = known.quality
    figures = [
        Figure("ranks", max(found.slots.ranks, default=None)),
        Figure("devices", found.slots.largest_devices),
        Figure("repeats", over.repeats),
        Figure("kept_repeats", over.kept),
        Figure("mean_training_seconds", over.seconds, "s"),
        Figure(
            "variation",
            over.variation,
            absent="" if over.variation is not None else "it needs the times of two repeats",
        ),
        _time_to_quality(found, known, over),
        Figure("quality", over.quality),
        Figure("target", quality.target),
        Figure("penalty_exponent", quality.exponent),
        Figure("suite_flop_per_sample", known.flop_per_sample, "FLOP"),
        Figure("counted_flop_per_sample", over.counted_flop_per_sample, "FLOP"),
        Figure("mean_watts", over.watts, "W", absent="" if over.watts else no_power(found)),
    ]
    factor = _penalty(known, over)
    applied, why = _flop_per_sample(found, known, over)
    stated = _flops("flops", over, applied, why)
    valid = _valid("vflops", stated, factor)
    counted = _flops("flops_counted", over, over.counted_flop_per_sample, f"no repeat counted {COUNTED}")
    figures += [factor, stated, valid, counted, _valid("vflops_counted", counted, factor)]
    figures += [_per_watt(one, over, found) for one in (stated, valid)]
    return {one.name: one for one in figures}


def _flop_per_sample(found: Measurements, known: BenchmarkReference, over: Means) -> tuple[float | None, str]:
    """Return the FLOP per sample of the headline: the suite's for its own model, else those counted."""
    same = model_is_the_suites(found, known)
    if same or (same is None and found.run_class != "free"):
        return known.flop_per_sample, ""
    why = f"the suite's FLOP per sample are of its own model, and no repeat counted {COUNTED}"
    return over.counted_flop_per_sample, why


def _flops(name: str, over: Means, flop_per_sample: float | None, why: str) -> Figure:
    if over.seconds is None or over.samples is None:
        return Figure(name, None, _UNIT, absent="; ".join(over.missing) or "a training time cannot be a time")
    if flop_per_sample is None:
        return Figure(name, None, _UNIT, absent=why)
    try:
        value = flops(over.samples, over.seconds, flop_per_sample)
    except ValueError as error:
        return Figure(name, None, _UNIT, absent=str(error))
    counted = "suite" if flop_per_sample != over.counted_flop_per_sample else "counted"
    text = f"{over.samples:.10g} ÷ {over.seconds:.10g} s × {flop_per_sample:.10g} (flop: {counted})"
    return Figure(name, value, _UNIT, f"{text}, means of {over.kept} of {count_of(over.repeats, 'repeat')}")


def _penalty(known: BenchmarkReference, over: Means) -> Figure:
    quality = known.quality
    if over.quality is None:
        return Figure("penalty", None, absent="; ".join(over.missing) or "no quality was measured")
    try:
        value = penalty(over.quality, quality.target, quality.exponent)
    except ValueError as error:
        return Figure("penalty", None, absent=str(error))
    text = f"({over.quality:.10g} ÷ {quality.target:.10g}) ^ {quality.exponent}"
    return Figure("penalty", value, arithmetic=text)


def _valid(name: str, of: Figure, factor: Figure) -> Figure:
    if of.value is None or factor.value is None:
        return Figure(name, None, _UNIT, absent=of.absent or factor.absent)
    return _finite(name, of.value * factor.value, _UNIT, f"{of.value:.10g} × {factor.value:.10g}")


def _per_watt(of: Figure, over: Means, found: Measurements) -> Figure:
    name, unit = f"{of.name}_per_watt", f"{_UNIT}/W"
    if of.value is None:
        return Figure(name, None, unit, absent=of.absent)
    if over.watts is None:
        return Figure(name, None, unit, absent=no_power(found))
    return _finite(name, of.value / over.watts, unit, f"{of.value:.10g} ÷ {over.watts:.10g} W")


def _finite(name: str, value: float, unit: str, arithmetic: str) -> Figure:
    if not math.isfinite(value):
        return Figure(name, None, unit, absent=f"{arithmetic} is no finite number")
    return Figure(name, value, unit, arithmetic)


def _time_to_quality(found: Measurements, known: BenchmarkReference, over: Means) -> Figure:
    """Return the mean training time where every repeat reached the target; the epochs are fixed."""
    name, least = "time_to_quality_seconds", found.accuracy.lowest
    if over.seconds is None:
        return Figure(name, None, "s", absent="; ".join(over.missing) or "a training time cannot be a time")
    if found.times.resumed:
        return Figure(name, None, "s", absent="a repeat went on from a checkpoint; its time is not the whole")
    target = known.quality.as_target
    if other := other_quality(found, known):
        return Figure(name, None, "s", absent=other)
    if found.accuracy.missing or least is None:
        return Figure(name, None, "s", absent=f"not every repeat reports whether it reached {target}")
    if not least >= known.quality.target:
        of_all = f"of {over.repeats}, kept or not, " if over.kept < over.repeats else ""
        text = f"not every repeat reached {target}: {of_all}the lowest has {least:.6g}"
        return Figure(name, None, "s", absent=text)
    text = f"mean of {over.kept} of {count_of(over.repeats, 'repeat')}, which all reached {target}"
    return Figure(name, over.seconds, "s", text)


RULEBOOK = Rulebook(
    name=NAME,
    title="HPC AI500 V2.0: Valid FLOPS of image classification and extreme weather analytics",
    source=reference().source,
    headline="Valid FLOPS, of each training and scale",
    meaning="Floating-point operations per second × (quality ÷ target quality) ^ 5 or 10.",
    fixed_runs="HPC AI500 fixes the number of repeats",
    run_classes=("hardware", "system", "free"),
    unmodified_run_classes=UNMODIFIED,
    rules=RULES,
    judge=judge,
    preflight=preflight,
    workloads=workloads,
    one_benchmark_at_a_time=True,
    needs_runs=True,
    metrics=(SECONDS, SAMPLES, WATTS, COUNTED, PARAMETERS, "epochs_run", *reference().times.phases_outside),
    node_facts=tuple(dict.fromkeys(fact for layer in reference().layers.values() for fact in layer.facts)),
    ranks_campaigns=True,
    shows_roofline=True,
)
