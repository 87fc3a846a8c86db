"""An allocation that the driver runs inside of, as of salloc or qsub -I: its nodes, its end, a block in it.

No job is submitted there. A block is the submit script's process on the driver's host, whose launcher
starts a worker pool on every node of the allocation; it ends before the allocation does.
"""

from __future__ import annotations

import math
import os
import shlex
import shutil
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from orchestrator.errors import CampaignError
from orchestrator.host.processes import SESSION_MARK, descendants, terminate
from orchestrator.protocol.block_environment import without_step
from orchestrator.schedulers.client import SchedulerClient, run_command
from orchestrator.schedulers.families import enclosing_families, family_of, launcher_of
from orchestrator.schedulers.launchers import launcher_words
from orchestrator.schedulers.model import (
    Command,
    Family,
    Job,
    JobRequest,
    JobState,
    SchedulerError,
    Submitted,
)
from sites import Site
from sites.quantities import CountRange, DurationRange
from sites.schedulers import Batch
from workloads.spelling import near

CLOSING_SECONDS = 30.0
"""Time between the end of a block and that of its allocation, in which the driver closes its session."""
_KILL_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Allocation:
    """Nodes and time that a batch system has given to the driver.

    Parameters
    ----------
    ends
        When it ends, in seconds since the epoch.
    limited
        Whether the batch system says so; otherwise the site file's walltime counts from now.
    """

    job: str
    nodes: tuple[str, ...]
    ends: float
    limited: bool = True

    @property
    def holds_driver(self) -> bool:
        """True if this process runs on one of its nodes."""
        return socket.gethostname().partition(".")[0] in {node.partition(".")[0] for node in self.nodes}

    def __str__(self) -> str:
        count = len(self.nodes)
        names = f"{', '.join(self.nodes[:4])}{', …' if count > 4 else ''}"
        end = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(self.ends))
        return f"allocation {self.job}: {count} node{'s'[: count != 1]} ({names}), until {end}"


def with_allocation(site: Site, here: bool | None, pool: str | None = None) -> tuple[Site, Allocation | None]:
    """Return a site as the allocation around this process has it, and that allocation.

    Parameters
    ----------
    here
        Whether to use an allocation; None: as the site's ``scheduler.inside_allocation`` says, where there
        is one.
    pool
        Pool of the site that the allocation is of, in this session alone.

    Raises
    ------
    CampaignError
        If there is none, it has ended, or it cannot be used; or `pool` is none of the site, or is given
        where no allocation is used.
    """
    pools = site.pooled()
    if pool is not None and pool not in pools:
        names = [one for one in pools if one]
        has = near(pool, names, f"it has {', '.join(names)}") if names else "; leave out --pool"
        raise CampaignError(f"--pool {pool}: site {site.site} has no pool of that name{has}")
    batches = {name: one for name, one in pools.items() if not one.local}
    if here and not (batches if pool is None else pool in batches):
        whose = f"site {site.site}" if pool is None else f"pool {pool} of site {site.site}"
        raise CampaignError(
            f"{whose} has no batch system, and so no allocation to use; name the site of this machine with "
            "--site, or leave out --here"
        )
    allocated = _allocated(pools, pool, asked=bool(here))
    if not (here if here is not None else allocated):
        if pool is not None:
            raise CampaignError(
                f"--pool {pool} names the pool of an allocation that is used; add --here, or keep to a pool "
                f"in all sessions with --set site.pool={pool}"
            )
        return site, None
    fits = [pool] if pool is not None else allocated or list(batches)
    if len(fits) > 1:
        raise CampaignError(
            f"site {site.site} has pools {', '.join(fits)}, and an allocation is of one; name it with "
            f"--pool, such as --here --pool {fits[0]}"
        )
    site = pools[fits[0]]
    if not isinstance(site.scheduler, Batch):
        raise TypeError(f"site {site.site} has no batch system")
    try:
        allocation = find_allocation(site)
    except SchedulerError as error:
        raise CampaignError(f"site {site.site}: {error}") from None
    return _fitted(site, site.scheduler, allocation), allocation


def uses_allocation(site: Site, here: bool | None, pool: str | None = None) -> bool:
    """Return whether a session uses the allocation around this process, as `with_allocation` does."""
    return here if here is not None else bool(_allocated(site.pooled(), pool, asked=False))


def _allocated(pools: Mapping[str, Site], pool: str | None, *, asked: bool) -> list[str]:
    """Return the pools in whose batch system's allocation this process runs.

    Parameters
    ----------
    pool
        The only one that counts; None: all.
    asked
        Whether the user asks for the allocation; else the site file must.
    """
    return [
        name
        for name, one in pools.items()
        if pool in (None, name)
        and isinstance(one.scheduler, Batch)
        and (asked or one.scheduler.inside_allocation == "use")
        and family_of(one.scheduler).allocation_variable in os.environ
    ]


def find_allocation(site: Site) -> Allocation:
    """Return the allocation around this process; raises `SchedulerError` where none can be used."""
    family = _family(site)
    variable = family.allocation_variable
    name = os.environ.get(variable)
    if not name:
        raise SchedulerError(
            f"--here: this is no allocation, {variable} is not set; get one first, such as with salloc, "
            "qsub -I, bsub -Is or flux alloc"
        )
    left = _seconds_left(family, name)
    if math.isinf(left):
        left = _enclosing_seconds_left()
    if left <= CLOSING_SECONDS:
        much = "has ended" if left <= 0 else f"has only {left:.0f} s left"
        raise SchedulerError(f"allocation {name} {much}; get another one, and launch or resume there")
    limited = math.isfinite(left)
    ends = time.time() + (left if limited else _batch(site).walltime)
    return Allocation(name, _nodes(family), ends, limited)


def _seconds_left(family: Family, name: str) -> float:
    """Return how long an allocation lasts; raises `SchedulerError` if the batch system does not tell."""
    command = family.allocation_command(name)
    code, stdout, stderr = run_command(command)
    if code or not stdout.strip():
        words = " ".join((stderr or stdout).split()) or f"exit code {code}"
        raise SchedulerError(
            f"{family.allocation_variable} is {name}, which {command.words[0]} does not know: {words}"
        )
    try:
        return family.seconds_left(stdout, time.time())
    except (ValueError, LookupError, TypeError, AttributeError):
        raise SchedulerError(
            f"{command.words[0]} does not state when allocation {name} ends: {stdout.strip()[:80]!r}"
        ) from None


def _enclosing_seconds_left() -> float:
    """Return how long the allocation lasts in which an instance of Flux was started, if in one."""
    left = math.inf
    for family in enclosing_families():
        if name := os.environ.get(family.allocation_variable):
            with suppress(SchedulerError):  # its commands need not be on this node
                left = min(left, _seconds_left(family, name))
    return left


def _nodes(family: Family) -> tuple[str, ...]:
    """Return the nodes of the allocation around this process; raises `SchedulerError`."""
    code, stdout, stderr = run_command(Command(("bash", "-c", family.list_nodes_command)))
    nodes = tuple(stdout.split())
    if code or not nodes:
        words = " ".join(stderr.split()) or "the list is empty"
        raise SchedulerError(f"the nodes of the allocation cannot be read: {words}")
    return nodes


def _fitted(site: Site, batch: Batch, allocation: Allocation) -> Site:
    """Return a site whose only block is the allocation; raises `CampaignError` without a launcher."""
    launcher = launcher_of(batch)
    command = launcher_words(launcher.type, launcher.options, len(allocation.nodes))[0]
    if shutil.which(command) is None:
        raise CampaignError(
            f"site {site.site}: no command {command} here, which starts the workers on the nodes; load its "
            "module, or name another scheduler.launcher"
        )
    if launcher.type == "srun":
        # Else it would wait for the end of the step that this process may run in.
        launcher = launcher.model_copy(update={"options": [*launcher.options, "--overlap"]})
    changes = {
        "nodes_per_block": CountRange(len(allocation.nodes)),
        "max_blocks": 1,
        "walltime": DurationRange(max(1.0, allocation.ends - time.time() - CLOSING_SECONDS)),
        "launcher": launcher,
    }
    return site.model_copy(update={"scheduler": batch.model_copy(update=changes)})


def _batch(site: Site) -> Batch:
    if not isinstance(site.scheduler, Batch):
        raise TypeError(f"site {site.site} has no batch system")
    return site.scheduler


def _family(site: Site) -> Family:
    family = family_of(_batch(site))
    if not family.allocation_variable:
        raise SchedulerError(f"--here is not known for scheduler {_batch(site).type}")
    return family


class AllocationClient:
    """Starts blocks as processes of this host where `SchedulerClient` submits them as jobs.

    Attributes
    ----------
    allocation
        Where they run.
    """

    def __init__(self, site: Site, allocation: Allocation) -> None:
        self.allocation = allocation
        self._scripts = SchedulerClient(site)
        self._site = site
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._cancelled: set[str] = set()
        self._ended: dict[str, Job] = {}

    array_variable = ""
    """An allocation has no job arrays."""

    def submit(self, request: JobRequest, file: Path) -> Submitted:
        """Write a block's script to `file` and start it; its id is the allocation and a process id.

        Raises
        ------
        SchedulerError
            If the script cannot be made or started.
        """
        left = max(1.0, self.allocation.ends - time.time() - CLOSING_SECONDS)
        request = replace(self._placed(request), walltime_seconds=left, is_whole=False)
        file.write_text(self._scripts.script(request), encoding="utf-8")
        environment = without_step(os.environ)
        if request.teardown:
            environment.pop(SESSION_MARK, None)  # the script says which of its processes have it
        try:
            with request.output.open("ab") as output:
                process = subprocess.Popen(
                    ["bash", str(file)],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    env=environment,
                    start_new_session=True,
                )
        except OSError as error:
            raise SchedulerError(f"bash cannot be started: {error.strerror or error}") from None
        job = f"{self.allocation.job}/{process.pid}"
        self._processes[job] = process
        return Submitted(job)

    def _placed(self, request: JobRequest) -> JobRequest:
        """Return a request whose command for one host runs on the first node, if this host is no node."""
        if request.on_every_node or self.allocation.holds_driver:
            return request
        launcher = launcher_of(_batch(self._site))
        words = launcher_words(launcher.type, launcher.options, 1, self.allocation.nodes[:1])
        return replace(request, command=shlex.join([*words, "bash", "-c", request.command]))

    def free_nodes(self) -> None:
        """Return None: no node of an allocation is free for a block."""
        return

    def status(self, ids: Sequence[str]) -> list[Job]:
        """Return where blocks stand."""
        return [self._ended.get(job) or self._job(job) for job in ids]

    def _job(self, job: str) -> Job:
        code = self._processes[job].poll()
        if code is None:
            return Job(job, JobState.RUNNING)
        if job in self._cancelled:
            state, reason = JobState.CANCELLED, ""
        elif code == 0:
            state, reason = JobState.COMPLETED, ""
        elif self._is_over():
            state, reason = JobState.TIMEOUT, f"allocation {self.allocation.job} ended"
        else:
            state, reason = JobState.FAILED, f"exit code {code}"
        self._ended[job] = Job(job, state, reason)
        return self._ended[job]

    def _is_over(self) -> bool:
        """Return whether the allocation has ended, if need be before its time."""
        if time.time() >= self.allocation.ends - CLOSING_SECONDS:
            return True
        try:
            return _seconds_left(_family(self._site), self.allocation.job) <= 0
        except SchedulerError:
            return False

    def cancel(self, ids: Sequence[str]) -> None:
        """End blocks; their launchers end what they started on the nodes."""
        longest = self._site.hook_timeout if _batch(self._site).node_teardown else 0.0
        for job in ids:
            process = self._processes[job]
            if process.poll() is None:
                self._cancelled.add(job)
                terminate([*descendants(process.pid), psutil.Process(process.pid)], _KILL_SECONDS + longest)
