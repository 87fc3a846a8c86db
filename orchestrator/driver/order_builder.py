"""Builds the order of an attempt from the plan."""

from __future__ import annotations

import functools
import os
import sys
from pathlib import Path

from orchestrator.planning.plan import Plan, PlannedBenchmark, Stage
from orchestrator.planning.slots import Slot
from orchestrator.protocol.order import AttemptOrder, Gpus, Place, pack_slots
from orchestrator.protocol.time_budget import supervisor_timeout
from orchestrator.rundir.layout import RunDirectory
from orchestrator.schedulers.families import launcher_of
from sites.schedulers import Batch


@functools.lru_cache(maxsize=2)
def _packed_slots(slots: tuple[Slot, ...]) -> str:
    """Return the slots of a node as short text: thousands of orders that wait each carry it."""
    return pack_slots([[Place(place.cores, place.gpus) for place in slot] for slot in slots])


def make_order(
    plan: Plan,
    stage: Stage,
    benchmark: PlannedBenchmark,
    *,
    uid: str,
    session: int,
    directory: Path,
    instance: int,
    number: int,
    seed: int,
    attempt: int,
    token: str,
    expected_seconds: float | None,
    wave: int | None,
) -> AttemptOrder:
    """Return the order of one attempt.

    Parameters
    ----------
    uid
        The campaign's unique mark.
    directory
        The campaign's directory; journals and logs go below it.
    instance, number
        Number in the campaign, and in the benchmark.
    expected_seconds
        How long it may take, where that is known; it is not started where its block ends earlier.
    wave
        The wave whose instances start together; None where each starts when it is ready.
    """
    launcher = launcher_of(plan.site.scheduler) if isinstance(plan.site.scheduler, Batch) else None
    gpus = plan.site.node.gpus
    run = RunDirectory(directory)
    logs = run.instance_logs(session, instance)
    name = f"{benchmark.name}-{number}.{attempt}"
    return AttemptOrder(
        token=token,
        label=f"{benchmark.name}/{number}",
        attempt=attempt,
        campaign=uid,
        session=session,
        executor=stage.shape.label,
        slots=_packed_slots(stage.slots),
        workload=benchmark.module,
        parameters=dict(benchmark.parameters),
        seed=seed,
        data=str(benchmark.data) if benchmark.data else None,
        cache=plan.site.paths.cache,
        scratch=str(run.instance_scratch(benchmark.name, number)),
        nodes=benchmark.shape.nodes,
        ranks_per_node=benchmark.shape.ranks_per_node,
        launcher=launcher.type if launcher else None,
        launcher_options=tuple(launcher.options) if launcher else (),
        setup=tuple(plan.site.scheduler.setup) if isinstance(plan.site.scheduler, Batch) else (),
        interface=plan.site.interface,
        gpus=Gpus(gpus.vendor, gpus.count, gpus.sharing, gpus.memory) if gpus else None,
        gpu_share=str(benchmark.shape.gpus),
        memory_bytes=benchmark.shape.slot_memory_bytes,
        wave=wave,
        expected_seconds=expected_seconds,
        timeout_seconds=benchmark.timeout_seconds,
        grace_seconds=plan.campaign.grace,
        longest_seconds=supervisor_timeout(
            benchmark.timeout_seconds, plan.campaign.gate, plan.campaign.grace
        ),
        logs=plan.campaign.logs,
        stdout_path=str(logs / f"{name}.out"),
        stderr_path=str(logs / f"{name}.err"),
        directory=str(directory),
        working_directory=str(Path.cwd()),
        interpreter=plan.site.interpreter or sys.executable,
        environment={name: os.path.expandvars(value) for name, value in plan.site.environment.items()},
    )
