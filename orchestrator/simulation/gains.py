"""Changes that would make a campaign that runs end sooner, and by how much, simulated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from orchestrator.catalog.registered_site import registered_site
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.requests.pools import runs_in_allocation
from orchestrator.planning.registered import registered_plan
from orchestrator.simulation.begun import Begun
from orchestrator.simulation.block_changes import BlockChange, Machines, block_changes
from orchestrator.simulation.history import history_of, sizes_of
from orchestrator.simulation.packings import PackingGain, best_packings, packing_gains
from orchestrator.simulation.prediction import USUAL_RUNS, CombinedProgress, Prediction, predict
from orchestrator.simulation.queue_waits import KnownWaits, QueueWaits
from orchestrator.simulation.rest import begun_of, check_runs

if TYPE_CHECKING:
    from db.reader import Reader
    from db.records import CampaignRow
    from orchestrator.driver.progress import ProgressDisplay
    from orchestrator.planning.plan import Plan
    from orchestrator.simulation.history import History

_LEAST_GAIN = 0.01
"""A gain is at least this share of the time that is left."""


@dataclass(frozen=True, slots=True)
class Gain:
    """A change of a pool's blocks that `orchestrator node set` makes.

    Parameters
    ----------
    settings
        ``KEY=VALUE``, with keys of the pool's scheduler.
    sooner_seconds
        By how much the campaign ends sooner, in the median of the simulated campaigns.
    node_hours
        By how many node-hours more it takes, in the median; below 0 if it takes less.
    waits
        Number and nodes of the blocks by whose waits its blocks wait; empty where these are as blocks of the
        campaign waited before.
    """

    pool: str
    settings: tuple[str, ...]
    sooner_seconds: float
    node_hours: float
    waits: str = ""


@dataclass(frozen=True, slots=True)
class UnknownWait:
    """A change of a pool's blocks that is not simulated, as nothing says how long these would wait.

    Parameters
    ----------
    answers
        Answers of the batch system about its blocks, such as when it would start them.
    """

    pool: str
    settings: tuple[str, ...]
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Gains:
    """Changes that would make a campaign end sooner.

    Parameters
    ----------
    changes
        The best first.
    without_gain
        Changes that were simulated, and with which it would not end sooner.
    packings
        Numbers of instances a node with which a next campaign would be shorter, by earlier measurements.
    packings_are_measured
        Whether any number of instances a node was measured that the campaign does not have.
    """

    changes: list[Gain]
    without_gain: list[Gain]
    unknown: list[UnknownWait]
    packings: list[PackingGain]
    packings_are_measured: bool


def gains(reader: Reader, row: CampaignRow, now_us: int, *, display: ProgressDisplay | None = None) -> Gains:
    """Return what would make a campaign end sooner than as it stands; see `block_changes` and `packings`.

    A block waits in the queue as blocks of its size did before, however many there are; in another queue, as
    blocks did there, or other jobs of the user. Blocks that wait already lose their place by most changes;
    that alone is no gain.

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
    begun, machines = begun_of(reader, row, plan, now_us), Machines.of(site)
    waits = QueueWaits(reader, site, machines.default_queues)
    history = _in_its_queues(history_of(reader, plan), plan, waits)
    tried: list[tuple[BlockChange, KnownWaits | None]] = []
    unknown: list[UnknownWait] = []
    for change in block_changes(row, site, plan, machines):
        known = _waits_of(change, waits) if change.waits_differ else None
        if change.waits_differ and known is None:
            unknown.append(UnknownWait(change.label, change.settings, change.answers))
        else:
            tried.append((change, known))
    found, usual = _simulated(plan, begun, history, tried, display)
    left = max(usual.makespan_seconds.median - begun.seconds, 0.0)
    least = _LEAST_GAIN * left
    best = sorted(found, key=lambda one: -one.sooner_seconds)
    measured = best_packings(reader, row, rows, plan, history)
    return Gains(
        [one for one in best if one.sooner_seconds > least],
        [one for one in best if one.sooner_seconds <= least],
        unknown,
        _worth_it(packing_gains(plan, history, measured.better, left, display)),
        measured.are_measured,
    )


def _worth_it(packings: list[PackingGain]) -> list[PackingGain]:
    return [one for one in packings if one.before_seconds - one.seconds > _LEAST_GAIN * one.before_seconds]


def _in_its_queues(history: History, plan: Plan, waits: QueueWaits) -> History:
    """Return a history without waits of a pool in other queues, where waits in its own queue are known."""
    pools = plan.site.pooled()
    known = {pool: waits.of(pools[pool], sizes, jobs=False) for pool, sizes in sizes_of(plan).items()}
    here = {pool: found.seconds for pool, found in known.items() if found is not None}
    return replace(history, waits={**history.waits, **here})


def _waits_of(change: BlockChange, waits: QueueWaits) -> KnownWaits | None:
    """Return how long the blocks of a change wait; None where nothing says it."""
    pool = change.plan.site.pooled()[change.pool]
    return waits.of(pool, sizes_of(change.plan)[change.pool], jobs=change.same_qos)


def _simulated(
    plan: Plan,
    begun: Begun,
    history: History,
    tried: list[tuple[BlockChange, KnownWaits | None]],
    display: ProgressDisplay | None,
) -> tuple[list[Gain], Prediction]:
    """Return by how much each change makes a campaign end sooner, and the campaign as it stands."""
    asked = {
        change.pool: _asked_anew(begun, plan, change.pool) for change, _ in tried if not change.keeps_places
    }
    size = USUAL_RUNS * (len(begun.pending) + len(begun.wave))
    shown = display and CombinedProgress(display, len(tried) + len(asked) + 1, size)
    simulate = partial(predict, display=shown, queue_seconds=begun.wait_seconds)
    usual = simulate(plan, begun=begun, history=history)
    anew: Mapping[str, Prediction] = {
        pool: simulate(plan, begun=one, history=history) for pool, one in asked.items()
    }
    found = []
    for change, known in tried:
        before = [usual] if change.keeps_places else [usual, anew[change.pool]]
        ends = min(one.makespan_seconds.median for one in before)  # by the change, not by chance
        waits = history.waits if known is None else {**history.waits, change.pool: known.seconds}
        start = begun if change.keeps_places else asked[change.pool]
        made = simulate(change.plan, begun=start, history=replace(history, waits=waits))
        hours = made.node_hours.median - usual.node_hours.median
        source = "" if known is None else known.source
        sooner = ends - made.makespan_seconds.median
        found.append(Gain(change.label, change.settings, sooner, hours, source))
    return found, usual


def _asked_anew(begun: Begun, plan: Plan, pool: str) -> Begun:
    """Return where a campaign stands whose blocks of a pool that wait are asked for anew."""
    stages = {one.label for one in plan.all_stages if (one.site.pool or "") == pool}
    blocks = {
        stage: [one for one in found if one.runs] if stage in stages else found
        for stage, found in begun.blocks.items()
    }
    return replace(begun, blocks=blocks)
