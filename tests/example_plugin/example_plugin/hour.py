"""The rulebook that the rulebooks' README shows."""

from orchestrator.rulebooks import common_rules
from orchestrator.rulebooks.model import BenchmarkVerdict, Figure, Rule, Verdict, WorkloadRules
from workloads.description import QualityTarget

NAME = "hour"
TITLE = "Trainings that reach 90 % within an hour"
SOURCE = "an example"
HEADLINE = "trainings"
RUN_CLASSES = ("standard",)
ONE_BENCHMARK_AT_A_TIME = False
NEEDS_RUNS = True  # read Measurements.runs; leave it False if sums are enough
GROUPS = {}
RULES = {
    "within the hour": "At least one training reaches 90 % within 3600 s.",
    "slots": common_rules.SENTENCES["slots"],
}


def workloads():
    return {"p1b1": WorkloadRules(target=QualityTarget("pearson_correlation", at_least=0.9))}


def reject_reason(workload, run_class, parameters):
    return None


def preflight(run):
    return [] if run.workload in workloads() else [f"{run.workload} is not counted"]


def judge(measurements):
    return Verdict(
        rulebook=NAME,
        headline=None,  # no figure of the whole campaign
        columns=(("trainings", "trainings"),),
        benchmarks=tuple(map(_benchmark, measurements)),
    )


def _benchmark(found):
    number = int(((found.runs.accuracy >= 0.9) & (found.runs.fom_seconds <= 3600)).sum())
    return BenchmarkVerdict(
        benchmark=found.benchmark,
        workload=found.workload,
        run_class=found.run_class,
        headline=Figure("trainings", number, arithmetic=f"{number} of {found.accepted}"),
        rules=(
            Rule("within the hour", number > 0, f"{number} of {found.accepted} trainings"),
            common_rules.slots(found),
        ),
    )
