"""Checks of a plan before anything runs: variables, ranks and memory of slots, programs, and retries."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from orchestrator.errors import CampaignError
from orchestrator.planning.containers import containers_of
from orchestrator.planning.placement import BLOCK_OVERHEAD_SECONDS
from orchestrator.planning.plan import Plan
from orchestrator.planning.site_facts import node_facts
from orchestrator.rulebooks.switches import modifications
from sites.quantities import shown
from sites.schedulers import Batch
from workloads.description import WorkloadError
from workloads.external.command import ExternalWorkload
from workloads.external.started import position_of_script
from workloads.provenance.variables import is_secret

_log = logging.getLogger(__name__)


def check_plan(plan: Plan) -> None:
    """Refuse a plan that would fail once it runs, or that its rulebook forbids.

    Raises
    ------
    CampaignError
        With place, fault and advice, of the first kind of fault a line each.
    """
    check_rank_shares(plan)
    check_programs(plan)
    check_longer_retries(plan)
    check_environment(plan)


def check_environment(plan: Plan) -> None:
    """Refuse variables that shorten trainings or change their arithmetic where the rulebook forbids it.

    Warns of secrets written into the site file, which the ledger keeps with each campaign.

    Raises
    ------
    CampaignError
        With file, variable and effect of each, a line each.
    """
    pools = plan.site.pooled().values()
    for name, value in dict.fromkeys(item for site in pools for item in site.environment.items()):
        if is_secret(name, value) and not value.startswith("$"):
            _log.warning(
                "site %s: environment.%s may hold a secret, and the ledger keeps the site file's text with "
                "every campaign; export it before launching, and write inherit: [%s] instead",
                plan.site.site,
                name,
                name,
            )
    run_class = plan.campaign.run_class
    if run_class not in plan.rulebook.unmodified_run_classes:
        return
    problems = [
        f"{place}: {text}; remove it, or run another class than {run_class}"
        for place, variables in _variables(plan)
        for text in modifications(variables)
    ]
    if problems:
        raise CampaignError("\n".join(problems))


def _variables(plan: Plan) -> Iterator[tuple[str, Mapping[str, str | None]]]:
    for pool, site in plan.site.pooled().items():
        yield (
            f"site {site.site}: environment" + (f" of pool {pool}" if pool else ""),
            {name: os.path.expandvars(value) for name, value in site.environment.items()},
        )
    for benchmark in plan.benchmarks:
        if isinstance(benchmark.workload, ExternalWorkload):
            variables = benchmark.workload.command.environment
            given = {name: value for name, value in variables.items() if value is not None}
            yield f"benchmark {benchmark.name}: command.environment", given


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
    _refuse(problems)


def check_programs(plan: Plan) -> None:
    """Refuse a command whose program or script would lie beside its description, and does not.

    Raises
    ------
    CampaignError
        With benchmark and file, of the first three a line each.
    """
    containers = containers_of(plan)
    problems = []
    for benchmark in plan.benchmarks:
        if not isinstance(benchmark.workload, ExternalWorkload):
            continue
        if containers[benchmark.pool, benchmark.name] is not None:  # its image may have another folder there
            continue
        command = benchmark.workload.command
        position = position_of_script(command.arguments)
        for argument in command.arguments[:1] if position is None else command.arguments[: position + 1]:
            file = Path(argument.replace("{folder}", command.folder, 1))
            if argument.startswith("{folder}/") and "{" not in str(file) and not file.exists():
                problems.append(f"benchmark {benchmark.name}: command.arguments: there is no file {file}")
    _refuse(problems)


def check_longer_retries(plan: Plan) -> None:
    """Refuse retries with a longer timeout that no block can hold, or more memory or disk that no node has.

    Raises
    ------
    CampaignError
        With benchmark, pool and both times, of the first three a line each.
    """
    retries = plan.campaign.retries
    for key in retries.enlarged:
        if not any(getattr(level, key) for one in plan.benchmarks for level in one.larger):
            less = "less memory" if key == "memory" else "fewer cores, so that a node has several"
            raise CampaignError(
                f"retries.{key}: no node of site {plan.site.site} has a slot with more {key} than first "
                f"attempts have; write slots with {less}, another pool, or no {key}"
            )
    pools = plan.site.pooled() if retries.walltime is not None else {}
    problems = []
    for place in (place for one in plan.benchmarks for place in one.all_places if pools):
        batch, longest = pools[place.pool].scheduler, retries.longest(place.timeout_seconds)
        if isinstance(batch, Batch) and longest + BLOCK_OVERHEAD_SECONDS > batch.walltime:
            pool = f" of pool {place.pool}" if place.pool else ""
            problems.append(
                f"benchmark {place.name}: a retry may take {shown(longest)} by retries.walltime, and a "
                f"block{pool} has {shown(batch.walltime)}; write retries.up_to, or longer blocks"
            )
    _refuse(problems)


def _refuse(problems: list[str]) -> None:
    """Raise `CampaignError` with the first problems, if there are any."""
    if (more := len(problems) - _SHOWN) > 0:
        problems[_SHOWN:] = [f"and {more} more points or benchmarks"]
    if problems:
        raise CampaignError("\n".join(problems))
