"""The CORAL-2 rulebook: formulas of the figure of merit (FOM), and the verdict on a campaign.

All formulas are those of the CORAL-2 Deep Learning Suite benchmark description (LLNL). Times in
them are maxima over instances, so one straggler costs the whole figure. A campaign that runs a
workload of the suite under two labels gets both listed and neither counted: the rulebook does
not choose the better one, nor does it add them up.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

from orchestrator.rulebooks.coral2.formulas import (
    resnet50_fom,
    resnet50_optimized_factor,
    throughput_fom,
    usable,
)
from orchestrator.rulebooks.coral2.reference import BenchmarkReference, reference
from orchestrator.rulebooks.coral2.rules import rules_for
from orchestrator.rulebooks.means import geometric_mean, weighted_mean
from orchestrator.rulebooks.model import BenchmarkFom, Evidence, GroupFom, Rule, RunClass, SuiteFom

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NAME = "coral2"
FREES = reference().optimized_frees


def judge(evidences: Sequence[Evidence]) -> SuiteFom:
    """Hold a campaign's evidence against the suite's rules and state its figures of merit."""
    listed = Counter(evidence.workload for evidence in evidences)
    benchmarks = tuple(
        _member(evidence, reference().benchmarks[evidence.workload], listed[evidence.workload])
        if evidence.workload in reference().benchmarks
        else _outsider(evidence)
        for evidence in evidences
    )
    counted = [benchmark for benchmark in benchmarks if benchmark.group is not None]
    groups = tuple(_group(name, [b for b in counted if b.group == name]) for name in reference().groups)
    overall, arithmetic, problems = _overall(groups)
    reasons = [f"{benchmark.benchmark}: {reason}" for benchmark in counted for reason in benchmark.reasons]
    return SuiteFom(
        rulebook=NAME,
        benchmarks=benchmarks,
        groups=groups,
        overall=overall,
        arithmetic=arithmetic,
        reasons=(*reasons, *problems, *_mixed(counted)),
    )


def refusal(workload: str, run_class: RunClass, parameters: Mapping[str, Any]) -> str | None:
    """Say why a run of a workload of the suite cannot be of its class, before it is made.

    Judging would find the same afterwards: a base run has another framework or precision than the
    suite allows. A workload without such parameters is judged by what it reports.
    """
    base = reference().base
    if run_class != "base" or workload not in reference().benchmarks:
        return None
    for name, allowed in (("framework", base.frameworks), ("precision", base.precisions)):
        value = parameters.get(name)
        if value is not None and str(value).lower() not in allowed:
            return (
                f"{name} is {value}, a base run allows {', '.join(sorted(allowed))} only; "
                "write `class: optimized`"
            )
    return None


def forecast(workload: str, at_once: int, share_of_system: float | None) -> list[str]:
    """Say what of a plan will keep ResNet-50's instances from counting; others count as they are."""
    known = reference().benchmarks.get(workload)
    if known is None or known.partition is None:
        return []
    asked = known.partition
    reasons = []
    if at_once < asked.instances:
        reasons.append(f"{at_once:,} instances run at once, the rules ask for {asked.instances}")
    if share_of_system is None:
        reasons.append(
            "the share of the system that an instance holds is unknown; say nodes in the site file"
        )
    elif share_of_system > asked.largest_share:
        reasons.append(
            f"an instance holds {share_of_system:.1%} of the system, allowed {asked.largest_share:.0%}"
        )
    return reasons


def _outsider(evidence: Evidence) -> BenchmarkFom:
    """List a workload the suite does not have; it neither counts nor spoils the others."""
    return BenchmarkFom(
        benchmark=evidence.benchmark,
        workload=evidence.workload,
        run_class=evidence.run_class,
        seconds=_finite(evidence.max_seconds),
        instances=evidence.concurrent,
        accuracy=_finite(evidence.min_accuracy),
        rules=(Rule("suite", False, f"{evidence.workload} is not a benchmark of CORAL-2"),),
    )


def _member(evidence: Evidence, known: BenchmarkReference, times_listed: int) -> BenchmarkFom:
    once = "the only benchmark of its workload"
    if times_listed > 1:
        once = (
            f"{times_listed} benchmarks of the campaign run {evidence.workload}, so which one counts is open"
        )
    rules = (Rule("listed once", times_listed == 1, once), *rules_for(evidence, known, reference()))
    partition, instances = known.partition, evidence.concurrent
    if partition is not None:
        instances = min(instances, partition.instances)
    fom, arithmetic = None, ""
    try:
        fom, arithmetic = _formula(evidence, known, instances)
    except ValueError as error:
        rules += (Rule("formula", False, f"no FOM can be stated: {error}"),)
    return BenchmarkFom(
        benchmark=evidence.benchmark,
        workload=evidence.workload,
        group=known.group,
        run_class=evidence.run_class,
        fom=fom,
        arithmetic=arithmetic,
        seconds=_finite(evidence.max_seconds),
        instances=instances,
        reference_seconds=known.seconds,
        reference_instances=partition.reference_instances if partition else reference().instances,
        accuracy=_finite(evidence.min_accuracy),
        target=known.accuracy.minimum if known.accuracy else None,
        rules=rules,
    )


def _formula(evidence: Evidence, known: BenchmarkReference, instances: int) -> tuple[float, str]:
    """Return a benchmark's FOM and its arithmetic; a ValueError says which number is lacking."""
    seconds = evidence.max_seconds
    if seconds is None or evidence.without_seconds:
        raise ValueError("the longest time over all accepted instances is not known")
    speed = f"({known.seconds:.10g} s ÷ {seconds:.10g} s)"
    if known.partition is None:
        fom = throughput_fom(known.seconds, seconds, instances, reference().instances)
        return fom, f"{speed} × ({instances:,} ÷ {reference().instances:,})"
    if instances < known.partition.instances:
        needed = known.partition.instances
        raise ValueError(
            f"factor {known.partition.factor} stands for {needed} instances at once, not {instances}"
        )
    fom = resnet50_fom(known.seconds, seconds, known.partition.factor)
    arithmetic = f"{speed} × {known.partition.factor}"
    if evidence.run_class == "optimized" and known.accuracy is not None:
        accuracy, target = evidence.min_accuracy, known.accuracy.minimum
        if accuracy is None or evidence.without_accuracy:
            raise ValueError("the lowest accuracy over all accepted instances is not known")
        fom = usable("FOM", fom * resnet50_optimized_factor(accuracy, target))
        arithmetic += f" × (1 + (({accuracy:.10g} − {target:.10g}) ÷ (100 − {target:.10g}))³)"
    return fom, arithmetic


def _group(name: str, found: Sequence[BenchmarkFom]) -> GroupFom:
    members = reference().members(name)
    listed = Counter(benchmark.workload for benchmark in found)
    single = {benchmark.workload: benchmark.fom for benchmark in found if listed[benchmark.workload] == 1}
    foms = {workload: single.get(workload) for workload in members}
    present = [fom for fom in foms.values() if fom is not None]
    missing = tuple(workload for workload, fom in foms.items() if fom is None)
    factors = " × ".join(f"{fom:.7g}" for fom in present)
    reasons = [f"no single FOM of {', '.join(missing)}"] if missing else []
    reasons += [f"{benchmark.benchmark} is not reportable" for benchmark in found if not benchmark.reportable]
    return GroupFom(
        name=name,
        fom=None if missing else geometric_mean(present),
        arithmetic="" if missing else f"({factors}) ^ (1 ÷ {len(present)})",
        weight=reference().groups[name].weight,
        members=members,
        missing=missing,
        reasons=(*reasons, *_mixed(found)),
    )


def _overall(groups: Sequence[GroupFom]) -> tuple[float | None, str, list[str]]:
    absent = [f"group {group.name} has no FOM" for group in groups if group.fom is None]
    if absent:
        return None, "", absent
    foms, weights = [g.fom for g in groups if g.fom is not None], [g.weight for g in groups]
    try:
        overall = weighted_mean(foms, weights)
    except ValueError as error:
        return None, "", [f"overall: {error}"]
    terms = [f"{weight:g} × {fom:.7g}" for weight, fom in zip(weights, foms, strict=True)]
    return overall, f"({' + '.join(terms)}) ÷ {sum(weights):g}", []


def _mixed(benchmarks: Sequence[BenchmarkFom]) -> tuple[str, ...]:
    classes = {benchmark.run_class for benchmark in benchmarks}
    return ("base and optimized runs are mixed",) if len(classes) > 1 else ()


def _finite(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None
