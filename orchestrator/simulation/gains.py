"""Changes of its blocks that would make a campaign that runs end sooner, and by how much, simulated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from orchestrator.catalog.registered_site import registered_site
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.changed_files import changed_site
from orchestrator.lifecycle.checks.plans import check_changed
from orchestrator.lifecycle.requests.pools import runs_in_allocation, scheduler_path
from orchestrator.planning.registered import registered_plan
from orchestrator.schedulers.families import keep_their_place
from orchestrator.schedulers.model import SchedulerError
from orchestrator.simulation.begun import Begun
from orchestrator.simulation.history import history_of
from orchestrator.simulation.prediction import USUAL_RUNS, CombinedProgress, predict
from orchestrator.simulation.rest import begun_of, check_runs
from sites.schedulers import Batch

if TYPE_CHECKING:
    from db.reader import Reader
    from db.records import CampaignRow
    from db.rows import BenchmarkRow
    from orchestrator.driver.progress import ProgressDisplay
    from orchestrator.planning.plan import Plan
    from sites import Site

_LEAST_GAIN = 0.01
"""A gain is at least this share of the time that is left."""


@dataclass(frozen=True, slots=True)
class Gain:
    """A change of a pool's blocks that `orchestrator node set` makes.

    Parameters
    ----------
    setting
        ``KEY=VALUE``, with a key of the pool's scheduler.
    sooner_seconds
        By how much the campaign ends sooner, in the median of the simulated campaigns.
    node_hours
        By how many node-hours more it takes, in the median; below 0 if it takes less.
    """

    pool: str
    setting: str
    sooner_seconds: float
    node_hours: float


def gains(
    reader: Reader, row: CampaignRow, now_us: int, *, display: ProgressDisplay | None = None
) -> list[Gain]:
    """Return the changes with which a campaign would end sooner than as it stands, best first.

    Each pool is tried with twice as many blocks, and with blocks of twice the walltime, as far as the machine
    and the batch system take them. A block waits in the queue as blocks of its size did before, however many
    there are. Blocks that wait already lose their place by a change; that alone is no gain.

    Parameters
    ----------
    now_us
        UTC microseconds.
    display
        As for `predict`.

    Raises
    ------
    CampaignError
        As `predict_rest`; or if no batch system gives the campaign blocks.
    """
    check_runs(reader, row)
    site, rows = registered_site(row), reader.benchmarks(row.campaign_id)
    if runs_in_allocation(reader, row) or all(one.local for one in site.pooled().values()):
        raise CampaignError(f"{row.name} asks no batch system for blocks, so no other blocks end it sooner")
    plan = registered_plan(row, rows)
    begun, history = begun_of(reader, row, plan, now_us), history_of(reader, plan)
    tried = list(_candidates(row, site, rows, plan))
    pools = sorted({pool for pool, *_ in tried})
    size = USUAL_RUNS * (len(begun.pending) + len(begun.wave))
    shown = display and CombinedProgress(display, len(tried) + len(pools) + 1, size)
    simulate = partial(predict, display=shown, history=history, queue_seconds=begun.wait_seconds)
    asked = {pool: _asked_anew(begun, plan, pool) for pool in pools}
    usual, anew = simulate(plan, begun=begun), {pool: simulate(plan, begun=asked[pool]) for pool in pools}
    found = []
    for pool, setting, other, kept in tried:
        if kept:
            made, ends = simulate(other, begun=begun), usual.makespan_seconds.median
        else:
            made = simulate(other, begun=asked[pool])
            both = usual, anew[pool]
            ends = min(one.makespan_seconds.median for one in both)  # by the change, not by chance
        sooner, hours = ends - made.makespan_seconds.median, made.node_hours.median - usual.node_hours.median
        found.append(Gain(pool, setting, sooner, hours))
    least = _LEAST_GAIN * (usual.makespan_seconds.median - begun.seconds)
    best = sorted(found, key=lambda one: -one.sooner_seconds)
    return [one for one in best if one.sooner_seconds > max(least, 0.0)]


def _candidates(
    row: CampaignRow, site: Site, rows: Sequence[BenchmarkRow], plan: Plan
) -> Iterator[tuple[str, str, Plan, bool]]:
    """Yield pools with settings, the plan with each, and whether blocks that wait keep their place.

    Settings that `node set` refuses are left out.
    """
    for name, pool in site.pooled().items():
        batch, nodes = pool.scheduler, pool.nodes
        if not isinstance(batch, Batch):
            continue
        settings = []
        sizes = [one.nodes_per_block for one in plan.all_stages if (one.site.pool or "") == name]
        if nodes is None or 2 * batch.max_blocks * max(sizes, default=1) <= nodes:
            settings.append(f"max_blocks={2 * batch.max_blocks}")
        if not batch.has_ranges:
            settings.append(f"walltime={2 * batch.walltime:.0f}s")
        label = name or site.site
        for setting in settings:
            changed, _ = changed_site(row, site, None, [f"{scheduler_path(row, site, label)}.{setting}"])
            other = registered_plan(row, rows, changed)
            try:
                with suppress(SchedulerError):  # without an answer nothing is refused
                    check_changed(plan, other, row.uid)
            except CampaignError:
                continue
            after = changed.pooled()[name].scheduler
            yield label, setting, other, isinstance(after, Batch) and keep_their_place(batch, after)


def _asked_anew(begun: Begun, plan: Plan, pool: str) -> Begun:
    """Return where a campaign stands whose blocks of a pool that wait are asked for anew."""
    stages = {one.label for one in plan.all_stages if (one.site.pool or one.site.site) == pool}
    blocks = {
        stage: [one for one in found if one.runs] if stage in stages else found
        for stage, found in begun.blocks.items()
    }
    return replace(begun, blocks=blocks)
