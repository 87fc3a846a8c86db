"""Environment variables of a campaign's site and workload files that its run class does not allow."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping

from orchestrator.errors import CampaignError
from orchestrator.planning.plan import Plan
from orchestrator.rulebooks.switches import modifications
from workloads.external.command import ExternalWorkload
from workloads.provenance.variables import is_secret

_log = logging.getLogger(__name__)


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
    forbidden = getattr(
        plan.rulebook, "UNMODIFIED_RUN_CLASSES", ()
    )  # rulebooks of other packages may have none
    run_class = plan.campaign.run_class
    if run_class not in forbidden:
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
