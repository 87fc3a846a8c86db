"""Checks of a plan before its campaign is launched, or goes on by it: what it needs is there."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from orchestrator.errors import CampaignError
from orchestrator.lifecycle.checks.containers import check_containers
from orchestrator.lifecycle.checks.packages import check_packages
from orchestrator.planning.left_out import newly_left_out
from orchestrator.planning.plan import Plan
from orchestrator.planning.plan_checks import check_plan
from orchestrator.planning.search.optimizer import check_installed
from orchestrator.planning.site_facts import driver_address
from orchestrator.planning.stage import Stage
from orchestrator.schedulers.block_shape import BlockShape
from orchestrator.schedulers.client import SchedulerClient, job_name
from orchestrator.schedulers.model import JobRequest
from sites import Site


def check_site(planned: Plan, *, submits: bool = True) -> Plan:
    """Return a plan without the optional benchmarks whose packages are missing, on a site that is usable.

    Parameters
    ----------
    submits
        Whether blocks are jobs that the site's batch system is asked for.

    Raises
    ------
    CampaignError
        If interpreter, packages, address or the batch system's commands are missing, or variables are set
        that the run class forbids.
    ModuleNotFoundError
        If a module is missing that chooses parameters of a search.
    """
    machines = {stage.site.pool: stage.site for stage in planned.all_stages}.values()
    check_plan(planned)
    for machine in machines:
        _check_interpreter(machine)
    planned = check_packages(planned)
    for benchmark in planned.campaign.benchmarks:
        check_installed(benchmark.search)
    check_containers(planned)
    for machine in machines:
        driver_address(machine)  # or else it fails once it is registered
        if submits and not machine.local:
            SchedulerClient(machine).check()
    return planned


def check_whole(planned: Plan, *, submits: bool = True) -> None:
    """Check a plan of a registered campaign as `check_site` does, of which no benchmark may be left out.

    Raises
    ------
    CampaignError, ModuleNotFoundError
        As `check_site`, and where packages of an optional benchmark are missing.
    """
    if lacking := newly_left_out(planned, check_site(planned, submits=submits)):
        raise CampaignError("\n".join(f"benchmark {one}: {why}" for one, why in lacking.items()))


def check_changed(before: Plan, after: Plan, uid: str, *, submits: bool = True) -> None:
    """Check a plan by which a campaign is to go on as `check_whole` does, and ask for its new blocks.

    Parameters
    ----------
    before, uid
        As for `ask_for_new_blocks`.

    Raises
    ------
    CampaignError, ModuleNotFoundError
        As `check_whole` and `ask_for_new_blocks`.
    SchedulerError
        If the batch system does not answer.
    """
    check_whole(after, submits=submits)
    if submits:
        ask_for_new_blocks(before, after, uid)


def ask_for_new_blocks(before: Plan, after: Plan, uid: str) -> list[str]:
    """Return the batch system's answers about blocks that the plan before did not have.

    Parameters
    ----------
    before
        The plan that the campaign has.
    uid
        Of the campaign.

    Raises
    ------
    CampaignError
        If the batch system would refuse one.
    SchedulerError
        If it does not answer.
    """
    answers = []
    known = [(stage.site.scheduler, shape) for stage, shape in _blocks(before)]
    for stage, shape in _blocks(after):
        if (stage.site.scheduler, shape) not in known:
            known.append((stage.site.scheduler, shape))
            answers.append(_ask_for(stage, shape, uid))
    return answers


def _blocks(plan: Plan) -> Iterator[tuple[Stage, BlockShape]]:
    """Yield the smallest and largest blocks of each stage."""
    for stage in plan.all_stages:
        if stage.block_range is not None:
            yield from ((stage, shape) for shape in stage.block_range.corners)


def _ask_for(stage: Stage, shape: BlockShape, uid: str) -> str:
    """Return the batch system's answer; raises `CampaignError` where it would refuse a block."""
    request = JobRequest(
        job_name(uid), shape.nodes, shape.walltime, Path("block.out").absolute(), "true",
        on_every_node=stage.shape.nodes == 1,
    )  # fmt: skip
    answer = SchedulerClient(stage.site).ask(request)
    if answer.accepted is False:
        where = f"pool {stage.site.pool}: " if stage.site.pool else ""
        raise CampaignError(f"{where}the batch system refuses {shape}: {answer.words}")
    return answer.words


def _check_interpreter(site: Site) -> None:
    if site.interpreter is not None and shutil.which(site.interpreter) is None:
        raise CampaignError(f"site {site.site}: interpreter {site.interpreter} not found, or not executable")
