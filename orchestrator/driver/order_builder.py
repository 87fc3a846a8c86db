"""Orders: everything a worker needs to run one attempt, as JSON-ready data."""

from __future__ import annotations

import functools
import os
import sys
from pathlib import Path
from typing import Any

from orchestrator.planning.plan import Plan, PlannedBenchmark, Stage, slot_facts
from orchestrator.planning.slots import Slot
from orchestrator.protocol.order import pack_slots
from orchestrator.protocol.time_budget import longest_seconds
from orchestrator.rundir.layout import log_folder
from orchestrator.schedulers.families import launcher_of
from sites.schedulers import Batch
from workloads.external.command import ExternalWorkload


@functools.lru_cache(maxsize=2)
def _packed_slots(slots: tuple[Slot, ...]) -> str:
    """Return the slots of a node as short text: thousands of orders that wait each carry it."""
    return pack_slots([slot_facts(slot) for slot in slots])


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
) -> dict[str, Any]:
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
    folder = log_folder(directory, session, instance)
    workload = benchmark.workload
    name = f"{benchmark.name}-{number}.{attempt}"
    return {
        "token": token,
        "label": f"{benchmark.name}/{number}",
        "attempt": attempt,
        "campaign": uid,
        "session": session,
        "executor": stage.shape.label,
        "slots": _packed_slots(stage.slots),
        "workload": benchmark.module,
        "external": workload.to_order() if isinstance(workload, ExternalWorkload) else None,
        "parameters": benchmark.parameters,
        "seed": seed,
        "data": str(benchmark.data) if benchmark.data else None,
        "cache": plan.site.paths.cache,
        "nodes": benchmark.shape.nodes,
        "ranks_per_node": benchmark.shape.ranks_per_node,
        "launcher": launcher.type if launcher else None,
        "launcher_options": launcher.options if launcher else [],
        "setup": plan.site.scheduler.setup if isinstance(plan.site.scheduler, Batch) else [],
        "interface": plan.site.interface,
        "gpus": plan.site.node.gpus
        and plan.site.node.gpus.model_dump(include={"vendor", "count", "sharing", "memory"}),
        "gpu_share": str(benchmark.shape.gpus),
        "memory_bytes": benchmark.shape.slot_memory_bytes,
        "wave": wave,
        "expected_seconds": expected_seconds,
        "timeout_seconds": benchmark.timeout_seconds,
        "longest_seconds": longest_seconds(
            benchmark.timeout_seconds, plan.campaign.start_timeout, plan.campaign.grace_period
        ),
        "grace_seconds": plan.campaign.grace_period,
        "logs": plan.campaign.logs,
        "stdout_path": str(folder / f"{name}.out"),
        "stderr_path": str(folder / f"{name}.err"),
        "scratch": str(directory / "scratch" / f"{benchmark.name}-{number}"),
        "directory": str(directory),
        "working_directory": str(Path.cwd()),
        "interpreter": plan.site.interpreter or sys.executable,
        "environment": {name: os.path.expandvars(value) for name, value in plan.site.environment.items()},
    }
