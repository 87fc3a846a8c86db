"""Builds the order of an attempt from the plan."""

from __future__ import annotations

import functools
import os
import sys
from pathlib import Path

from db.records import NewAttempt, Pending
from orchestrator.planning.plan import Plan, Stage
from orchestrator.planning.slots import Slot
from orchestrator.protocol.order import AttemptOrder, Gpus, Place, pack_slots
from orchestrator.protocol.time_budget import supervisor_timeout
from orchestrator.rundir.layout import RunDirectory
from orchestrator.schedulers.families import launcher_of
from sites.schedulers import Batch
from workloads.external.command import ExternalWorkload


@functools.lru_cache(maxsize=2)
def _packed_slots(slots: tuple[Slot, ...]) -> str:
    """Return the slots of a node as short text: thousands of orders that wait each carry it."""
    return pack_slots([[Place(place.cores, place.gpus) for place in slot] for slot in slots])


class OrderBuilder:
    """Builds orders of a campaign's session.

    Parameters
    ----------
    plan
        The campaign.
    uid, session
        Its unique mark, and the number of this launch or resume.
    directory
        Its run directory.
    """

    def __init__(self, plan: Plan, uid: str, session: int, directory: RunDirectory) -> None:
        self._plan = plan
        self._uid = uid
        self._session = session
        self._directory = directory
        self._benchmarks = {benchmark.name: benchmark for benchmark in plan.benchmarks}
        scheduler = plan.site.scheduler
        self._batch = scheduler if isinstance(scheduler, Batch) else None
        self._launcher = launcher_of(self._batch) if self._batch else None

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
        stage
            Whose slots it runs on.
        pending, new
            The instance, and the attempt as the ledger knows it.
        expected_seconds
            Expected runtime; it is not started where its block ends earlier. None if unknown.
        wave
            The wave whose instances start together; None where each starts when it is ready.
        """
        site, campaign = self._plan.site, self._plan.campaign
        benchmark = self._benchmarks[pending.benchmark]
        external = benchmark.workload
        name = f"{benchmark.name}-{pending.benchmark_index}.{new.attempt_number}"
        logs = self._directory.instance_logs(self._session, pending.instance_id)
        batch, launcher = self._batch, self._launcher
        gpus = site.node.gpus
        return AttemptOrder(
            token=new.token,
            label=f"{benchmark.name}/{pending.benchmark_index}",
            attempt=new.attempt_number,
            campaign=self._uid,
            session=self._session,
            executor=stage.shape.label,
            slots=_packed_slots(stage.slots),
            workload=benchmark.module,
            external=external.to_order() if isinstance(external, ExternalWorkload) else None,
            parameters=dict(benchmark.parameters),
            seed=pending.seed,
            data=str(benchmark.data) if benchmark.data else None,
            cache=site.paths.cache,
            scratch=str(self._directory.instance_scratch(benchmark.name, pending.benchmark_index)),
            nodes=benchmark.shape.nodes,
            ranks_per_node=benchmark.shape.ranks_per_node,
            launcher=launcher.type if launcher else None,
            launcher_options=tuple(launcher.options) if launcher else (),
            setup=tuple(batch.prologue) if batch else (),
            interface=site.interface,
            gpus=Gpus(gpus.vendor, gpus.count, gpus.sharing, gpus.memory) if gpus else None,
            gpu_share=str(benchmark.shape.gpus),
            memory_bytes=benchmark.shape.slot_memory_bytes,
            wave=wave,
            expected_seconds=expected_seconds,
            timeout_seconds=benchmark.timeout_seconds,
            grace_seconds=campaign.grace_period,
            longest_seconds=supervisor_timeout(
                benchmark.timeout_seconds, campaign.start_timeout, campaign.grace_period
            ),
            logs=campaign.logs,
            stdout_path=str(logs / f"{name}.out"),
            stderr_path=str(logs / f"{name}.err"),
            directory=str(self._directory.path),
            working_directory=str(Path.cwd()),
            interpreter=site.interpreter or sys.executable,
            environment={name: os.path.expandvars(value) for name, value in site.environment.items()},
        )
