"""Trainings whose work cannot be shared out among the ranks of their slots, or needs more memory."""

from __future__ import annotations

from orchestrator.errors import CampaignError
from orchestrator.planning.plan import Plan
from orchestrator.planning.site_facts import node_facts
from workloads.description import WorkloadError

_SHOWN = 3


def check_rank_shares(plan: Plan) -> None:
    """Refuse what a training would refuse once it runs: epochs that cannot be divided, too little memory.

    Raises
    ------
    CampaignError
        With benchmark, fault and advice, of the first three a line each.
    """
    problems = []
    node_bytes = {pool: node_facts(site).memory_bytes for pool, site in plan.site.pooled().items()}
    for benchmark in plan.benchmarks:
        memory_bytes = benchmark.shape.memory_bytes or node_bytes.get(benchmark.pool)
        try:
            benchmark.workload.check_ranks(benchmark.parameters, benchmark.shape.ranks)
            benchmark.workload.check_memory(benchmark.parameters, memory_bytes)
        except WorkloadError as error:
            problems.append(f"benchmark {benchmark.name}: {error}")
    if (more := len(problems) - _SHOWN) > 0:
        problems[_SHOWN:] = [f"and {more} more points or benchmarks"]
    if problems:
        raise CampaignError("\n".join(problems))
