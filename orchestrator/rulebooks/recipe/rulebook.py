"""The rulebook of recipes: every metric of every instance against the bound that the recipe states.

The recipe is part of the registered campaign, so that a verdict needs no other file. Its fixed parameters
make runs of one recipe comparable, on whatever machine.
"""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

from orchestrator.rulebooks import common_rules, design_rule, mark_rules, provenance_rules, work_rules
from orchestrator.rulebooks.model import (
    BenchmarkVerdict,
    CheckResult,
    Figure,
    PlannedRun,
    Rule,
    Rulebook,
    RuleResult,
    Verdict,
    rule,
)
from orchestrator.rulebooks.recipe_file import RUN_SECONDS, Bound
from orchestrator.wording import count_of
from workloads.metrics.outputs import LARGEST

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from orchestrator.rulebooks.measurements import Measurements

NAME = "recipe"
WORST_MISS = "worst_miss"
"""The figure that says by how much a benchmark misses its recipe, in percent of the bound."""


def preflight(run: PlannedRun) -> list[str]:
    """List broken rules of the workload's own, and synthetic data."""
    synthetic = [f"{run.workload} will read synthetic data"] if run.synthetic_data else []
    return [*run.broken_parameters, *synthetic]


def judge(measurements: Sequence[Measurements]) -> Verdict:
    """State the worst instance of every metric, and the result of every rule."""
    bounds = {name: bound for one in measurements if one.recipe for name, bound in one.recipe.metrics.items()}
    recipes = list({id(one.recipe): one.recipe for one in measurements if one.recipe}.values())
    # By identity: of thousands of points, a few recipes are compared.
    torn = {id(one) for one in recipes if not all(one.agrees_with(other) for other in recipes)}
    columns = [(f"{name} {bound.unit}".rstrip(), name) for name, bound in bounds.items()]
    return Verdict(
        rulebook=NAME,
        headline=None,
        columns=(
            ("planned", "planned_instances"),
            ("accepted", "accepted_instances"),
            *columns,
            ("metrics passed", "metrics_passed"),
            ("worst miss %", WORST_MISS),
        ),
        worst_first=WORST_MISS,
        benchmarks=tuple(_benchmark(found, bounds, torn) for found in measurements),
    )


def _benchmark(
    found: Measurements, all_bounds: Mapping[str, Bound], torn: Collection[int]
) -> BenchmarkVerdict:
    bounds = found.recipe.metrics if found.recipe else {}
    values = {name: _values(found, name) for name in bounds}
    metrics = [_metric(name, bound, values[name], _units(found, name)) for name, bound in bounds.items()]
    passed = sum(one.passed is True for one in metrics)
    decided = sum(one.passed is not None for one in metrics)
    return BenchmarkVerdict(
        benchmark=found.benchmark,
        workload=found.workload,
        run_class=found.run_class,
        attempts=found.attempts,
        headline=Figure(
            "metrics_passed",
            passed if found.recipe else None,
            arithmetic=f"{passed} of {decided} metrics that have a bound",
        ),
        figures=(
            Figure("planned_instances", found.planned),
            Figure("accepted_instances", found.accepted),
            _worst_miss(bounds, values),
            *(
                _worst_figure(name, bounds[name], values[name])
                if name in bounds
                else Figure(name, None, bound.unit, absent="its recipe does not have it")
                for name, bound in all_bounds.items()
            ),
        ),
        rules=(
            _recipe(found, torn),
            *metrics,
            _data(found),
            common_rules.complete(found),
            _replaced(found),
            _of_times(found, common_rules.timed(found)),
            _of_times(found, mark_rules.marks(found)),
            _slots(found),
            common_rules.devices(found),
            common_rules.seeds(found),
            design_rule.design(found),
            *work_rules.results(found, decisive=False),
            *provenance_rules.results(found),
        ),
    )


def _values(found: Measurements, name: str) -> list[float]:
    """Return a metric of every accepted instance: NaN where it has none, inf for `LARGEST`."""
    runs = found.runs
    if runs is None:
        return []
    if name == RUN_SECONDS:
        spans = zip(runs.start_us, runs.stop_us, strict=True)
        return [(stop - start) / 1e6 if stop > start else math.nan for start, stop in spans]
    column = runs.accuracy if name == found.accuracy.metric else runs.metrics.get(name)
    if column is None:
        return [math.nan] * found.accepted
    return [math.inf if one >= LARGEST else one for one in column]


def _worst(bound: Bound, values: Sequence[float]) -> float | None:
    """Return the value that is worst by a bound, or the median without one; None where none is known."""
    known = [one for one in values if not math.isnan(one)]
    if not known:
        return None
    if bound.stated_only:
        return median(known)
    return max(known) if bound.at_most is not None else min(known)


def _worst_figure(name: str, bound: Bound, values: Sequence[float]) -> Figure:
    worst = _worst(bound, values)
    if worst == math.inf:
        return Figure(name, None, bound.unit, absent="it is infinite, or no number")
    return Figure(name, worst, bound.unit)


def _worst_miss(bounds: Mapping[str, Bound], values: Mapping[str, Sequence[float]]) -> Figure:
    """Return by how much the worst metric of the worst instance misses its bound."""
    misses = [bound.miss(one) for name, bound in bounds.items() for one in values[name] or [math.nan]]
    worst = max(misses, default=math.nan)
    if math.isfinite(worst):
        return Figure(WORST_MISS, worst, "%")
    text = "an instance has no such metric, or one that is not finite, or there is none"
    return Figure(WORST_MISS, None, "%", absent=text)


def _units(found: Measurements, name: str) -> frozenset[str]:
    """Return the units in which instances reported a metric; none where it has no unit."""
    units = found.runs.units.get(name, frozenset()) if found.runs is not None else frozenset()
    return frozenset({"s"}) if name == RUN_SECONDS else units - {""}


@rule(
    "metric",
    "Every accepted instance has the metric within its bound, in the recipe's unit; one such "
    "rule for each metric.",
)
def _metric(name: str, bound: Bound, values: Sequence[float], units: frozenset[str]) -> CheckResult:
    if bound.unit and units - {bound.unit}:
        reported = " and ".join(sorted(units))
        return CheckResult(False, f"{name} failed: it is in {reported}, and the recipe calls it {bound.unit}")
    worst, absent = _worst(bound, values), sum(map(math.isnan, values))
    if bound.stated_only:
        shown = "not reported" if worst is None else f"median {worst:.10g} {bound.unit}".rstrip()
        return CheckResult(None, f"{name}: {shown}; the recipe sets no bound")
    if worst is None:
        return CheckResult(False, f"{name} failed: no accepted instance has it; the recipe says {bound}")
    missed = sum(not bound.met_by(one) for one in values)
    passed = missed == 0
    of = "" if len(values) == 1 else f"the worst of {len(values):,} instances has "
    shown = "one that is infinite or no number" if worst == math.inf else f"{worst:.10g} {bound.unit}"
    text = f"{name} {'PASSED' if passed else 'failed'}: {of}{shown.rstrip()}"
    text += f", the recipe says {bound}"
    if missed and of:
        text += f"; {missed:,} of them miss it"
    if absent:
        text += f", {absent:,} as they have no such metric"
    return CheckResult(passed, text)


def _of_times(found: Measurements, result: RuleResult) -> RuleResult:
    """Return the result of a rule about times, which breaks nothing where no time has a bound."""
    if result.passed is not False or found.recipe is None or found.recipe.bounds_a_time:
        return result
    return replace(result, passed=None, reason=f"{result.reason}; the recipe bounds no time")


def _slots(found: Measurements) -> RuleResult:
    """Return the result of the rule about slots; a profile breaks it, as metrics with times are stated."""
    result = common_rules.slots(found)
    return result if found.work.profiled else _of_times(found, result)


@rule("recipe", "The benchmark follows a recipe, whose fixed parameters it keeps; recipes of one name agree.")
def _recipe(found: Measurements, torn: Collection[int]) -> CheckResult:
    """Return whether a benchmark keeps its recipe; `torn` has the ids of those that contradict others."""
    if found.recipe is None:
        return CheckResult(False, "the registered campaign has no recipe for it")
    if id(found.recipe) in torn:
        text = f"recipe {found.recipe.recipe} fixes or bounds something else in another benchmark"
        return CheckResult(False, f"{text}; judge them apart")
    changed = [
        f"{name} is {found.parameters.get(name)!r}, the recipe fixes {value!r}"
        for name, value in found.recipe.fixed.items()
        if found.parameters.get(name) != value
    ]
    text = f"all {len(found.recipe.fixed)} fixed parameters of recipe {found.recipe.recipe} are kept"
    return CheckResult(not changed, "; ".join(changed) or text)


@rule("data", "No instance read synthetic data, unless the recipe allows it.")
def _data(found: Measurements) -> CheckResult:
    if found.data.synthetic is None:
        return CheckResult(None, "no instance reported the data it read")
    if found.data.place is not None and found.data.place.changed:
        return CheckResult(False, f"files in {found.data.place.path} were changed after the launch")
    if found.recipe is not None and found.recipe.synthetic_data:
        return CheckResult(None, "the recipe allows synthetic data")
    text = "an instance read synthetic data" if found.data.synthetic else "no synthetic data"
    return CheckResult(not found.data.synthetic, text)


@rule("replaced", "No instance was replaced by another one after its metrics were known.")
def _replaced(found: Measurements) -> CheckResult:
    if number := found.superseded.number:
        text = f"{count_of(number, 'instance', 'were')} replaced with metrics known: that selects results"
        return CheckResult(False, text)
    return CheckResult(True, "no instance was replaced")


RULES: tuple[Rule[...], ...] = (
    _recipe,
    _metric,
    _data,
    common_rules.complete,
    _replaced,
    common_rules.timed,
    common_rules.slots,
    common_rules.devices,
    common_rules.seeds,
    design_rule.design,
    mark_rules.marks,
    *work_rules.RULES,
    *provenance_rules.RULES,
)
RULEBOOK = Rulebook(
    name=NAME,
    title="Recipes: fixed and mutable parameters, and metrics that every instance must reach",
    source="this project, after the recipes of Deep500 (deep500/deep500 commit cd9b21e)",
    headline="metrics within the recipe's bounds, of each benchmark",
    meaning="A metric counts where every instance stays within the bound that the recipe states.",
    run_classes=("recipe",),
    rules=RULES,
    judge=judge,
    preflight=preflight,
    needs_runs=True,
    decides_exit_code=True,
)
