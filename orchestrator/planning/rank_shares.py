"""Trainings whose work cannot be shared out among the ranks of their slots."""

from __future__ import annotations

from orchestrator.errors import CampaignError
from orchestrator.planning.plan import Plan
from workloads.description import WorkloadError

_SHOWN = 3


def check_rank_shares(plan: Plan) -> None:
    """Refuse what a training would refuse once it runs, such as epochs that cannot be divided.

    Raises
    ------
    CampaignError
        With benchmark, fault and advice, of the first three a line each.
    """
    problems = []
    for benchmark in plan.benchmarks:
        try:
            benchmark.workload.check_ranks(benchmark.parameters, benchmark.shape.ranks)
        except WorkloadError as error:
            problems.append(f"benchmark {benchmark.name}: {error}")
    if (more := len(problems) - _SHOWN) > 0:
        problems[_SHOWN:] = [f"and {more} more points or benchmarks"]
    if problems:
        raise CampaignError("\n".join(problems))
