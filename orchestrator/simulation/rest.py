"""Predict when a campaign that runs will end: what is left of it is simulated from where it stands."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from db.evidence.node_hours import node_hours
from db.queries.blocks import chosen_walltimes, unended_blocks
from db.queries.live_counts import open_attempts
from db.writing.requests import paused, paused_pools
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.driver_process.identity import may_be_alive
from orchestrator.monitoring.campaign_status import left_to_run
from orchestrator.planning.registered import registered_plan
from orchestrator.simulation.history import history_of
from orchestrator.simulation.machine import PresentBlock
from orchestrator.simulation.prediction import USUAL_RUNS, Begun, Prediction, predict
from sites.schedulers import Batch

if TYPE_CHECKING:
    from db.reader import Reader
    from db.records import CampaignRow, Pending
    from db.rows import Block
    from orchestrator.driver.progress import ProgressDisplay
    from orchestrator.planning.plan import Plan


def predict_rest(
    reader: Reader,
    row: CampaignRow,
    now_us: int,
    *,
    runs: int = USUAL_RUNS,
    display: ProgressDisplay | None = None,
) -> Prediction:
    """Return how long a campaign that runs will have taken in the end, counted from its registration.

    What has ended of it counts as it was; what runs or waits goes on from its age; the rest is drawn as for
    a forecast before the launch, from the campaign's own runs once there are some of a benchmark.

    Parameters
    ----------
    now_us
        UTC microseconds.
    runs, display
        As for `predict`.

    Raises
    ------
    CampaignError
        If no driver runs it, nothing is left to run, something of it is paused, or a benchmark that is left
        has no durations.
    """
    check_runs(reader, row)
    plan = registered_plan(row, reader.benchmarks(row.campaign_id))
    begun = begun_of(reader, row, plan, now_us)
    return predict(plan, display=display, runs=runs, history=history_of(reader, plan), begun=begun)


def check_runs(reader: Reader, row: CampaignRow) -> None:
    """Refuse a campaign of which nothing says when what is left will run; see `predict_rest`."""
    if not left_to_run(reader.instance_counts(row.campaign_id)):
        raise CampaignError(f"{row.name} has nothing left to run")
    if not may_be_alive(row):
        raise CampaignError(f"{row.name} does not run: `orchestrator resume {row.name}` goes on")
    requests = reader.applied_requests(row.campaign_id)
    if held := sorted((*paused(requests), *(f"pool {one}" for one in paused_pools(requests)))):
        raise CampaignError(
            f"{row.name} ends once somebody unpauses {', '.join(held)}: `orchestrator instance unpause`"
        )


def begun_of(reader: Reader, row: CampaignRow, plan: Plan, now_us: int) -> Begun:
    """Return where a campaign stands; see `predict_rest`."""
    number = row.campaign_id
    running = open_attempts(reader, number)
    begun: list[Pending] = []
    submitted: list[Pending] = []
    others: list[Pending] = []
    ages: dict[tuple[str, int], float] = {}
    for one in reader.pending(number):
        place = one.benchmark, one.benchmark_index
        if place not in running:
            others.append(one)
        elif (began := running[place]) is None:
            submitted.append(replace(one, attempts=one.attempts - 1))
        else:
            begun.append(replace(one, attempts=one.attempts - 1))
            ages[f"{one.benchmark}/{one.benchmark_index}", one.attempts] = max(now_us - began, 0) / 1e6
    return Begun(
        row.name,
        [*begun, *submitted, *others],
        ages,
        _present_blocks(reader, number, plan, now_us),
        max(now_us - row.created_us, 0) / 1e6,
        node_hours(reader, number, now_us) or 0.0,
    )


def _present_blocks(
    reader: Reader, campaign_id: int, plan: Plan, now_us: int
) -> dict[str, list[PresentBlock]]:
    """Return the blocks of the last session that have not ended, by stage; those that run come first."""
    sessions = reader.sessions_of(campaign_id)
    last = sessions[-1].session_number if sessions else 0
    chosen = chosen_walltimes(reader, campaign_id)
    batches = {stage.label: stage.site.scheduler for stage in plan.all_stages}
    found: dict[str, list[PresentBlock]] = {}
    for block in unended_blocks(reader, campaign_id):
        batch = batches.get(block.slot_shape)
        if block.session_number == last and isinstance(batch, Batch):
            walltime = chosen.get(block.job_id or "", batch.walltime)
            found.setdefault(block.slot_shape, []).append(_present(block, walltime, now_us))
    for blocks in found.values():
        blocks.sort(key=lambda one: (one.left_seconds is None, -one.waited_seconds))
    return found


def _present(block: Block, walltime: float, now_us: int) -> PresentBlock:
    if block.started_us is None:
        return PresentBlock(None, max(now_us - block.requested_us, 0) / 1e6)
    return PresentBlock(max(walltime - (now_us - block.started_us) / 1e6, 1.0))
