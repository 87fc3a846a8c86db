"""The CORAL-2 rulebook: formulas of the figure of merit (FOM), and the verdict on a campaign.

All formulas are those of the CORAL-2 Deep Learning Suite benchmark description (LLNL). Times in
them are maxima over instances, so one straggler lowers the whole figure. A campaign that runs a
workload of the suite under two labels gets both listed and neither counted: the rulebook does
not choose the better one, nor does it add them up.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

from orchestrator.rulebooks import provenance_rules
from orchestrator.rulebooks.coral2.formulas import (
    resnet50_fom,
    resnet50_optimized_factor,
    throughput_fom,
)
from orchestrator.rulebooks.coral2.reference import BenchmarkReference, reference
from orchestrator.rulebooks.coral2.rules import (
    RULES,
    first_word,
    formula,
    free_parameters,
    listed_once,
    modifications,
    results_of,
    suite,
    sweep,
    swept,
)
from orchestrator.rulebooks.means import geometric_mean, usable, weighted_mean
from orchestrator.rulebooks.model import (
    BenchmarkVerdict,
    Figure,
    GroupVerdict,
    PlannedRun,
    Rulebook,
    Verdict,
    WorkloadRules,
)
from orchestrator.wording import count_of
from workloads.description import FOM_UNITS, QualityTarget, broken_rules

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from orchestrator.rulebooks.measurements import Measurements

NAME = "coral2"
RUN_CLASSES = ("base", "optimized")
_UNMODIFIED = ("base",)
_COLUMNS = (
    ("at once", "instances"),
    ("max s", "seconds"),
    ("reference s", "reference_seconds"),
    ("accuracy", "accuracy"),
    ("target", "target"),
    ("FOM", "fom"),
)


def workloads() -> dict[str, WorkloadRules]:
    """Return what the suite demands of each of its benchmarks in a base run."""
    return {
        name: WorkloadRules(
            target=QualityTarget(known.accuracy.metric, known.accuracy.minimum) if known.accuracy else None,
            parameters=known.parameters,
            data=known.data,
        )
        for name, known in reference().benchmarks.items()
    }


def judge(measurements: Sequence[Measurements]) -> Verdict:
    """State the suite's figures of merit of a campaign, and the result of every rule."""
    for found in measurements:
        if found.run_class not in RUN_CLASSES:
            raise ValueError(f"{found.benchmark}: run class is base or optimized, not {found.run_class!r}")
    listed = Counter(found.workload for found in measurements if found.sweep is None)
    benchmarks = tuple(
        _suite_benchmark(found, reference().benchmarks[found.workload], listed[found.workload])
        if found.workload in reference().benchmarks and found.sweep is None
        else _unlisted_benchmark(found)
        for found in measurements
    )
    counted = [benchmark for benchmark in benchmarks if benchmark.group is not None]
    groups = tuple(_group(name, [b for b in counted if b.group == name]) for name in reference().groups)
    overall, problems = _overall(groups)
    reasons = [f"{benchmark.benchmark}: {reason}" for benchmark in counted for reason in benchmark.reasons]
    return Verdict(
        rulebook=NAME,
        benchmarks=benchmarks,
        groups=groups,
        headline=overall,
        columns=_COLUMNS,
        reasons=(*reasons, *problems, *_mixed(counted)),
    )


def reject_reason(workload: str, run_class: str, parameters: Mapping[str, Any]) -> str | None:
    """Return why a run of a workload of the suite cannot be of its class; None if it can.

    Judging would find the same afterwards: a base run has another framework, precision or communication than
    the suite allows. A workload without such parameters is judged by what it reports.
    """
    base = reference().base
    if run_class != "base" or workload not in reference().benchmarks:
        return None
    settings = (
        ("framework", base.frameworks),
        ("precision", base.precisions),
        ("communication", base.communications),
    )
    for name, allowed in settings:
        value = parameters.get(name)
        if value is not None and str(value).lower() not in allowed:
            return (
                f"{name} is {value}, a base run allows {', '.join(sorted(allowed))} only; "
                "write `class: optimized`"
            )
    return None


def preflight(run: PlannedRun) -> list[str]:
    """List broken rules of parameters, and for ResNet-50 those of instances at once and their share."""
    if run.sweep is not None:
        return [swept(run.sweep), *run.broken_parameters]
    known = reference().benchmarks.get(run.workload)
    suite = broken_rules(known.parameters, run.parameters) if known else []
    reasons = list(dict.fromkeys((*run.broken_parameters, *suite)))
    if known is None:
        return [f"{run.workload} is not a benchmark of CORAL-2", *reasons]
    if run.synthetic_data and known.data:
        reasons.append("its data are synthetic; the suite's own are asked for")
    free = free_parameters(run.run_class, known, reference())
    reasons = [text for text in reasons if first_word(text) not in free]
    reasons += _unlikely_accuracy(run, known)
    if run.gpus_unprovable is not None:
        reasons.append(f"no instance can prove its GPUs: {run.gpus_unprovable}")
    if known.partition is None:
        return reasons
    asked = known.partition
    if run.at_once < asked.instances:
        reasons.append(
            f"{count_of(run.at_once, 'instance', 'run')} at once, the rules ask for {asked.instances}"
        )
    if run.share_of_system is None:
        reasons.append(
            "the share of the system that an instance holds is unknown; set nodes in the site file"
        )
    elif run.share_of_system > asked.largest_share:
        reasons.append(
            f"an instance holds {run.share_of_system:.1%} of the system, allowed {asked.largest_share:.0%}"
        )
    return reasons


def node_fom(workload: str, instances: int, seconds: float) -> float:
    """Return the FOM that one node adds with a workload of the suite.

    Parameters
    ----------
    instances
        At once on the node.
    seconds
        Longest of their times, in the unit of the workload's FOM time.
    """
    known = reference().benchmarks[workload]
    if known.partition is None:
        return throughput_fom(known.seconds, seconds, instances, reference().instances)
    share = instances / known.partition.instances  # of the nodes that the formula's instances need
    return resnet50_fom(known.seconds, seconds, known.partition.factor) * share


def _unlikely_accuracy(run: PlannedRun, known: BenchmarkReference) -> list[str]:
    """Return a warning where runs of the planned length are known to miss the target."""
    accuracy = known.accuracy
    if accuracy is None or accuracy.documented is None:
        return []
    tolerance = accuracy.optimized_tolerance if run.run_class == "optimized" else 0.0
    documented = known.parameters["epochs"].reference
    planned = max(run.parameters.get("epochs", 0), run.parameters.get("max_epochs", 0))
    if accuracy.documented >= accuracy.minimum * (1 - tolerance) or planned > documented:
        return []
    return [
        f"{accuracy.label} of the documented run of {documented} epochs is {accuracy.documented:g}, the "
        f"target is {accuracy.minimum:g}; set max_epochs, so that an instance may go on until it reaches it"
    ]


def _unlisted_benchmark(found: Measurements) -> BenchmarkVerdict:
    """List a workload the suite does not have, or a point of a sweep; it counts for nothing."""
    results = [sweep(found) if found.sweep is not None else suite(found, known=False)]
    if found.provenance.description is not None and found.provenance.description.problem:
        results.append(provenance_rules.description(found))
    return BenchmarkVerdict(
        benchmark=found.benchmark,
        workload=found.workload,
        run_class=found.run_class,
        headline=Figure("fom", None),
        attempts=found.attempts,
        figures=_figures(found, found.overlap.counted),
        rules=tuple(results),
    )


def _suite_benchmark(found: Measurements, known: BenchmarkReference, times_listed: int) -> BenchmarkVerdict:
    partition, instances = known.partition, found.overlap.counted
    if partition is not None:
        instances = min(instances, partition.instances)
    headline, lacking = Figure("fom", None), ""
    try:
        headline = _formula(found, known, instances)
    except ValueError as error:
        lacking = str(error)
    results = (
        suite(found, known=True),
        listed_once(found, times_listed),
        *results_of(found, known, reference()),
        formula(lacking),
        *provenance_rules.results(found, unmodified=found.run_class in _UNMODIFIED),
    )
    return BenchmarkVerdict(
        benchmark=found.benchmark,
        workload=found.workload,
        group=known.group,
        run_class=found.run_class,
        headline=headline,
        attempts=found.attempts,
        figures=_figures(found, instances, known),
        rules=results,
        modifications=_modifications(found, known),
    )


def _modifications(found: Measurements, known: BenchmarkReference) -> tuple[str, ...]:
    if found.run_class in _UNMODIFIED:
        return ()
    return (*modifications(found, known, reference()), *provenance_rules.changes(found))


def _figures(
    found: Measurements, instances: int, known: BenchmarkReference | None = None
) -> tuple[Figure, ...]:
    """Return the numbers that a FOM rests on."""
    reference_instances = None
    if known is not None:
        partition = known.partition
        reference_instances = partition.reference_instances if partition else reference().instances
    return (
        Figure("seconds", _finite(found.least_max_seconds), found.times.unit),
        Figure("instances", instances),
        Figure("peak_instances", found.overlap.concurrent),
        Figure("process_seconds", found.times.process_seconds, "s"),
        Figure("reference_seconds", known.seconds if known else None, found.times.unit),
        Figure("reference_instances", reference_instances),
        Figure("accuracy", _finite(found.accuracy.lowest)),
        Figure("target", known.accuracy.minimum if known and known.accuracy else None),
    )


def _formula(found: Measurements, known: BenchmarkReference, instances: int) -> Figure:
    """Return a benchmark's FOM and its arithmetic; a ValueError says which number is lacking."""
    seconds = found.least_max_seconds
    if found.times.unit != FOM_UNITS[known.time]:
        raise ValueError(f"the time is in {found.times.unit}, the formula takes {FOM_UNITS[known.time]}")
    if seconds is None or found.times.max_seconds is None or found.times.missing:
        raise ValueError("the longest time over all accepted instances is not known")
    speed = f"({known.seconds:.10g} s ÷ {seconds:.10g} s)"
    if known.partition is None:
        fom = throughput_fom(known.seconds, seconds, instances, reference().instances)
        return Figure("fom", fom, arithmetic=f"{speed} × ({instances:,} ÷ {reference().instances:,})")
    if instances < known.partition.instances:
        needed = known.partition.instances
        raise ValueError(
            f"factor {known.partition.factor} stands for {needed} instances at once, not {instances}"
        )
    fom = resnet50_fom(known.seconds, seconds, known.partition.factor)
    arithmetic = f"{speed} × {known.partition.factor}"
    if found.run_class == "optimized" and known.accuracy is not None:
        accuracy, target = found.accuracy.lowest, known.accuracy.minimum
        if accuracy is None or found.accuracy.missing:
            raise ValueError("the lowest accuracy over all accepted instances is not known")
        fom = usable("FOM", fom * resnet50_optimized_factor(accuracy, target))
        arithmetic += f" × (1 + (({accuracy:.10g} − {target:.10g}) ÷ (100 − {target:.10g}))³)"
    return Figure("fom", fom, arithmetic=arithmetic)


def _group(name: str, found: Sequence[BenchmarkVerdict]) -> GroupVerdict:
    members = reference().members(name)
    listed = Counter(benchmark.workload for benchmark in found)
    single = {one.workload: one["fom"] for one in found if listed[one.workload] == 1}
    foms = {workload: single.get(workload) for workload in members}
    present = [fom for fom in foms.values() if fom is not None]
    missing = tuple(workload for workload, fom in foms.items() if fom is None)
    factors = " × ".join(f"{fom:.7g}" for fom in present)
    reasons = [f"no single FOM of {', '.join(missing)}"] if missing else []
    reasons += [f"{benchmark.benchmark} is not reportable" for benchmark in found if not benchmark.reportable]
    fom = Figure("fom", None)
    if not missing:
        fom = Figure("fom", geometric_mean(present), arithmetic=f"({factors}) ^ (1 ÷ {len(present)})")
    return GroupVerdict(
        name=name,
        headline=fom,
        figures=(Figure("weight", reference().groups[name]),),
        members=members,
        missing=missing,
        reasons=(*reasons, *_mixed(found)),
    )


def _overall(groups: Sequence[GroupVerdict]) -> tuple[Figure, list[str]]:
    """Return the weighted mean of the groups, and why there is none.

    The suite does not state which weighted mean it takes; the arithmetic one is the plain reading.
    """
    nothing = Figure("overall", None)
    foms = [group["fom"] for group in groups]
    absent = [f"group {one.name} has no FOM" for one, fom in zip(groups, foms, strict=True) if fom is None]
    if absent:
        return nothing, absent
    present, weights = [fom for fom in foms if fom is not None], [group["weight"] or 0.0 for group in groups]
    try:
        overall = weighted_mean(present, weights)
    except ValueError as error:
        return nothing, [f"overall: {error}"]
    terms = [f"{weight:g} × {fom:.7g}" for weight, fom in zip(weights, present, strict=True)]
    return Figure("overall", overall, arithmetic=f"({' + '.join(terms)}) ÷ {sum(weights):g}"), []


def _mixed(benchmarks: Sequence[BenchmarkVerdict]) -> tuple[str, ...]:
    classes = {benchmark.run_class for benchmark in benchmarks}
    return ("base and optimized runs are mixed",) if len(classes) > 1 else ()


def _finite(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None


RULEBOOK = Rulebook(
    name=NAME,
    title="CORAL-2 Deep Learning Suite: speed and number of concurrent instances against Titan",
    source=reference().source,
    headline="overall FOM",
    meaning=f"FOM 1 = Titan: {reference().instances:,} instances at once, the longest in Titan's time; "
    "ResNet-50 has a factor of its own.",
    reference=reference().system,
    fixed_runs="CORAL-2 fixes the number of instances before they run: the figure counts those at once",
    run_classes=RUN_CLASSES,
    unmodified_run_classes=_UNMODIFIED,
    rules=RULES,
    groups={name: reference().members(name) for name in reference().groups},
    judge=judge,
    preflight=preflight,
    reject_reason=reject_reason,
    workloads=workloads,
    node_fom=node_fom,
    one_benchmark_at_a_time=True,
)
