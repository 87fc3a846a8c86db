"""Builds the order of an attempt from the plan."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from db.records import NewAttempt, Pending
from orchestrator.driver.code import driver_code
from orchestrator.driver.queue.time_limits import TimeLimits
from orchestrator.planning.containers import containers_of
from orchestrator.planning.plan import Plan
from orchestrator.planning.search.trials import TrialPoint, trial_label
from orchestrator.planning.stage import PlannedBenchmark, Stage
from orchestrator.protocol.inherited_variables import ALL, INHERITED
from orchestrator.protocol.order import AttemptOrder, Gpus, InstanceHooks, ProfileOrder, pack_slots
from orchestrator.rundir.layout import RunDirectory, recording_name
from orchestrator.schedulers.families import family_of, launcher_of
from sites import Site
from sites.schedulers import Batch
from workloads.description import Value
from workloads.external.command import ExternalWorkload
from workloads.provenance.code import OWN

_packed_slots = functools.lru_cache(maxsize=8)(pack_slots)  # thousands of waiting orders carry the same text


class OrderBuilder:
    """Builds orders of a campaign's session.

    Parameters
    ----------
    chosen
        Parameters of trials that were chosen while the campaign runs, by benchmark; the mapping may grow.

    Attributes
    ----------
    limits
        Time limits of attempts.
    """

    def __init__(
        self,
        plan: Plan,
        uid: str,
        session: int,
        directory: RunDirectory,
        chosen: Mapping[str, Mapping[str, Value]] = MappingProxyType({}),
    ) -> None:
        self._chosen = chosen
        self._grace_seconds = plan.campaign.grace_period
        self._session = session
        self._directory = directory
        self._benchmarks = {
            (stage.label, one.name): one for stage in plan.all_stages for one in stage.benchmarks
        }
        self._containers = containers_of(plan)
        self._hooks = instance_hooks(plan)
        self.limits = TimeLimits(plan, self._hooks.timeout_seconds if self._hooks else None)
        self._processes = {
            one.name: one.processes or plan.campaign.processes for one in plan.campaign.benchmarks
        }
        self._timelines = {one.name: one.timeline for one in plan.campaign.benchmarks}
        self._profiles = {one.name: one.profile for one in plan.campaign.benchmarks}
        self._last = {one.name: one.instances - 1 for one in plan.benchmarks}
        self._of_benchmarks: dict[tuple[str, str], tuple[Stage, functools.partial[AttemptOrder]]] = {}
        self._orders = {name: self._order_of(site, plan, uid) for name, site in plan.site.pooled().items()}

    def _order_of(self, site: Site, plan: Plan, uid: str) -> functools.partial[AttemptOrder]:
        """Return what all orders of a pool have in common."""
        gpus = site.node.gpus
        batch = site.scheduler if isinstance(site.scheduler, Batch) else None
        launcher = launcher_of(batch) if batch else None
        return functools.partial(
            AttemptOrder,
            campaign=uid,
            session=self._session,
            cache=site.paths.cache.path,
            cache_stage=site.paths.cache.stage,
            launcher=launcher.type if launcher else None,
            launcher_options=tuple(launcher.options) if launcher else (),
            prologue=tuple(batch.prologue) if batch else (),
            interface=site.interface,
            gpus=Gpus(gpus.vendor, gpus.count, gpus.sharing, gpus.memory) if gpus else None,
            grace_seconds=self._grace_seconds,
            logs=plan.campaign.logs,
            directory=str(self._directory.path),
            working_directory=str(Path.cwd()),
            interpreter=site.interpreter or sys.executable,
            environment={name: os.path.expandvars(value) for name, value in site.environment.items()},
            inherit=(ALL,) if site.inherit == "all" else (*site.inherit, *_variables_of(batch)),
            known_documents=(driver_code().packages[OWN],),
            outlives_driver=site.outlives_driver,
            hooks=self._hooks,
            sampling_seconds=site.sampling_seconds,
            hardware_counters=site.hardware_counters,
            lead_seconds=plan.lead_seconds,
            excludes_nodes=not site.local,  # users may exclude nodes while it runs
        )

    def build(
        self,
        stage: Stage,
        pending: Pending,
        new: NewAttempt,
        expected_seconds: float | None,
        wave: int | None,
    ) -> AttemptOrder:
        """Return the order of one attempt.

        Parameters
        ----------
        expected_seconds
            Expected runtime; it is not started where its block ends earlier. None if unknown.
        wave
            The wave whose instances start together; None where each starts when it is ready.
        """
        name = f"{pending.benchmark}-{pending.benchmark_index}.{new.attempt_number}"
        place = stage.label, pending.benchmark
        logs = self._directory.instance_logs(self._session, pending.instance_id)
        known, make = self._of_benchmarks.get(place, (None, None))
        if make is None or known is not stage:
            make = self._order_of_benchmark(stage, self._benchmarks[place])
            self._of_benchmarks[place] = stage, make
        limit = self.limits.of(pending)
        if limit.before_seconds is not None:  # it takes longer than that
            expected_seconds = max(expected_seconds or 0.0, limit.before_seconds)
        return make(
            token=new.token,
            label=f"{pending.benchmark}/{pending.benchmark_index}",
            attempt=new.attempt_number,
            seed=pending.seed,
            scratch=self._directory.instance_scratch(pending.benchmark, pending.benchmark_index),
            wave=wave,
            expected_seconds=expected_seconds,
            timeout_seconds=limit.timeout_seconds,
            longest_seconds=limit.longest_seconds,
            timeline=self._timeline(pending, new.attempt_number, self._benchmarks[place].shape.ranks),
            profile=self._profile(pending, new.attempt_number),
            stdout_path=f"{logs}/{name}.out",
            stderr_path=f"{logs}/{name}.err",
        )

    def _order_of_benchmark(
        self, stage: Stage, benchmark: PlannedBenchmark
    ) -> functools.partial[AttemptOrder]:
        """Return what all orders of a benchmark have in common; they share these values."""
        external = benchmark.workload
        return functools.partial(
            self._orders[benchmark.pool],
            slot_shape=stage.label,
            slots=_packed_slots(stage.slots),
            workload=benchmark.module,
            external=external.to_order() if isinstance(external, ExternalWorkload) else None,
            parameters={**benchmark.parameters, **self._chosen.get(benchmark.name, {})},
            data=str(benchmark.data) if benchmark.data else None,
            nodes=benchmark.shape.nodes,
            ranks_per_node=benchmark.shape.ranks_per_node,
            gpu_share=str(benchmark.shape.gpus),
            memory_bytes=benchmark.shape.slot_memory_bytes,
            earlier=self._rung(benchmark, -1),
            kept=self._rung(benchmark, 0),
            container=self._containers[benchmark.pool, benchmark.name],
            processes=self._processes[benchmark.name],
        )

    def _rung(self, benchmark: PlannedBenchmark, step: int) -> str | None:
        """Return the directory that a rung, or the one before it, leaves; None where there is none."""
        point = benchmark.point
        if not isinstance(point, TrialPoint):
            return None
        place, levels = point.place, point.place.search.levels
        rung = place.rung + step
        if rung not in range(len(levels) - 1):  # the last one leaves nothing
            return None
        return self._directory.rung(trial_label(point.sweep, place.number, levels[rung]))

    def _timeline(self, pending: Pending, attempt: int, ranks: int) -> str | None:
        """Return the file of an attempt's timeline, if one is recorded."""
        wanted = self._timelines[pending.benchmark]
        left_out = wanted == "last" and pending.benchmark_index != self._last[pending.benchmark]
        if not wanted or left_out or ranks == 1:
            return None
        folder = self._directory.slowest_timelines if wanted == "slowest" else self._directory.timelines
        return str(folder / recording_name(pending.benchmark, pending.benchmark_index, attempt))

    def _profile(self, pending: Pending, attempt: int) -> ProfileOrder | None:
        """Return which kernels an attempt records."""
        wanted = self._profiles[pending.benchmark]
        if wanted is None:
            return None
        name = recording_name(pending.benchmark, pending.benchmark_index, attempt)
        path = str(self._directory.profiles / name)
        return ProfileOrder(path, wanted.delay, wanted.duration, wanted.profiler)


def instance_hooks(plan: Plan) -> InstanceHooks | None:
    """Return the shell lines around an attempt: the site's are outside of the campaign's."""
    site, campaign = plan.site, plan.campaign
    setup = (*site.instance_setup, *campaign.instance_setup)
    teardown = (*campaign.instance_teardown, *site.instance_teardown)
    if not setup and not teardown:
        return None
    return InstanceHooks(setup, teardown, site.hook_timeout, site.instance_setup_failure)


def _variables_of(batch: Batch | None) -> list[str]:
    """Return the variables of an installed package's batch system that trainings inherit too."""
    own = family_of(batch).inherited_variables if batch else ()
    return [name for name in own if name not in INHERITED]
