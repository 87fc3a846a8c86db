"""The rulebook that the rulebooks' README shows."""

from orchestrator.rulebooks import common_rules
from orchestrator.rulebooks.model import (
    BenchmarkVerdict,
    CheckResult,
    Figure,
    Rulebook,
    Verdict,
    WorkloadRules,
    rule,
)
from workloads.description import QualityTarget


def workloads():
    return {"p1b1": WorkloadRules(target=QualityTarget("pearson_correlation", at_least=0.9))}


def preflight(run):
    return [] if run.workload in workloads() else [f"{run.workload} is not counted"]


@rule("within the hour", "At least one training reaches 90 % within 3600 s.")
def within_the_hour(found, number):
    return CheckResult(number > 0, f"{number} of {found.accepted} trainings")


def judge(measurements):
    return Verdict(
        rulebook="hour",
        headline=None,  # no figure of the whole campaign
        columns=(("trainings", "trainings"),),
        benchmarks=tuple(map(_benchmark, measurements)),
    )


def _benchmark(found):
    each = zip(found.runs.accuracy, found.runs.fom_seconds, strict=True)
    number = sum(accuracy >= 0.9 and seconds <= 3600 for accuracy, seconds in each)
    return BenchmarkVerdict(
        benchmark=found.benchmark,
        workload=found.workload,
        run_class=found.run_class,
        headline=Figure("trainings", number, arithmetic=f"{number} of {found.accepted}"),
        rules=(within_the_hour(found, number), common_rules.slots(found)),
    )


RULEBOOK = Rulebook(
    name="hour",
    title="Trainings that reach 90 % within an hour",
    source="an example",
    headline="trainings",
    run_classes=("standard",),
    rules=(within_the_hour, common_rules.slots),
    judge=judge,
    preflight=preflight,
    workloads=workloads,
    needs_runs=True,  # judge reads Measurements.runs; leave it out if sums are enough
)
