"""Predict when a campaign that runs will end: what is left of it is simulated from where it stands."""

from __future__ import annotations

from dataclasses import replace
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

from db.events import EventKind, now_us
from db.evidence.node_hours import node_hours
from db.ledger import Ledger
from db.queries.blocks import chosen_walltimes, left_seconds, unended_blocks
from db.queries.instance_totals import left_to_run
from db.queries.live_counts import any_succeeded, failures_of_open, open_by_instance
from db.reader import Reader
from db.states import AttemptState
from db.writing.requests import paused, paused_pools
from orchestrator.analysis.projection.forecasts import RegisteredForecast, forecast_message
from orchestrator.driver.queue.retry_policy import EndedAttempt
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.driver_process.identity import may_be_alive
from orchestrator.planning.registered import registered_plan
from orchestrator.rundir.layout import RunDirectory
from orchestrator.rundir.signal_files import announced_start
from orchestrator.simulation.begun import Begun
from orchestrator.simulation.history import history_of
from orchestrator.simulation.machine import PresentBlock
from orchestrator.simulation.prediction import Prediction, predict
from sites.schedulers import Batch

if TYPE_CHECKING:
    from db.records import CampaignRow, Pending
    from db.rows import Block
    from orchestrator.driver.progress import ProgressDisplay
    from orchestrator.planning.plan import Plan

_NO_INSTANCE = -1
_SHORTEST_SECONDS = 1.0
"""A block whose walltime is over ends within so long."""


def update_forecast(
    ledger: str | None, name: str, display: ProgressDisplay | None = None
) -> RegisteredForecast:
    """Predict what a campaign that runs will have taken in the end, record it, and return it.

    Raises
    ------
    CampaignError
        As `predict_rest`; or if it ended meanwhile.
    LedgerError
        If the ledger cannot be read or written.
    """
    with Reader(ledger) as reader:
        row = reader.campaign(name)
        found = predict_rest(reader, row, now_us(), display=display)
    with Ledger(ledger) as book:
        if not may_be_alive(book.campaign(row.name)):
            raise CampaignError(f"{row.name} has ended meanwhile")
        facts, at_us = found.registered(), now_us()
        message = forecast_message(facts, "by now")
        book.note(row.campaign_id, EventKind.FORECAST_UPDATED, message, data=facts, at_us=at_us)
    return RegisteredForecast(row.created_us, at_us, found.runs, found.makespan_seconds, found.node_hours)


def predict_rest(
    reader: Reader, row: CampaignRow, now_us: int, *, display: ProgressDisplay | None = None
) -> Prediction:
    """Return how long a campaign that runs will have taken in the end, counted from its registration.

    What has ended of it counts as it was; what runs or waits goes on from its age; the rest is drawn as for
    a forecast before the launch, and as the campaign's own runs so far make likely.

    Parameters
    ----------
    now_us
        UTC microseconds.
    display
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
    return predict(plan, display=display, history=history_of(reader, plan), begun=begun)


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
    found = open_by_instance(reader, number)
    together = plan.campaign.start == "synchronized"
    stages = {stage.label: place for place, stage in enumerate(plan.all_stages)}
    pending: list[tuple[int, bool, Pending]] = []
    ages: dict[tuple[str, int], float] = {}
    wave: list[Pending] = []
    for one in reader.pending(number):
        attempt = found.get((one.benchmark, one.benchmark_index))
        if attempt is None:
            pending.append((len(stages), False, one))
            continue
        runs = attempt.since_us is not None
        if runs and together:
            wave.append(one)
            continue
        if attempt.since_us is not None:
            label = f"{one.benchmark}/{one.benchmark_index}"
            ages[label, one.attempts] = max(now_us - attempt.since_us, 0) / 1e6
        place = stages.get(attempt.slot_shape, len(stages))  # what is open is handed out anew, where it is
        pending.append((place, not runs, replace(one, attempts=one.attempts - 1)))
    last = max((one.session_number for one in reader.sessions_of(number)), default=0)
    began = _wave_began(row, last) if wave else None
    return Begun(
        name=row.name,
        pending=[one for _, _, one in sorted(pending, key=itemgetter(0, 1))],
        ages=ages,
        wave=[(one, 0.0 if began is None else max(now_us - began, 0) / 1e6) for one in wave],
        blocks=_present_blocks(reader, number, last, plan, now_us),
        seconds=max(now_us - row.created_us, 0) / 1e6,
        node_hours=node_hours(reader, number, now_us) or 0.0,
        ended=_ended(reader, number, last),
    )


def _wave_began(row: CampaignRow, session: int) -> int | None:
    """Return when the last wave of a session was let go, UTC microseconds; None while one waits."""
    folder = RunDirectory(Path(row.run_directory)).barrier_file(session, 0).parent
    starts = [announced_start(file) for file in folder.glob(f"{session}-*")]
    return None if None in starts else max((one for one in starts if one is not None), default=None)


def _ended(reader: Reader, campaign_id: int, session: int) -> list[EndedAttempt]:
    """Return the attempts of a session that further ones are judged by; see `Begun`."""
    found = [EndedAttempt(*one) for one in failures_of_open(reader, campaign_id, session)]
    if any_succeeded(reader, campaign_id, session):
        found.append(EndedAttempt(_NO_INSTANCE, AttemptState.SUCCEEDED, None))
    return found


def _present_blocks(
    reader: Reader, campaign_id: int, session: int, plan: Plan, now_us: int
) -> dict[str, list[PresentBlock]]:
    """Return the blocks of a session that have not ended, by stage; those that run come first."""
    chosen = chosen_walltimes(reader, campaign_id)
    batches = {stage.label: stage.site.scheduler for stage in plan.all_stages}
    found: dict[str, list[PresentBlock]] = {}
    for block in unended_blocks(reader, campaign_id):
        batch = batches.get(block.slot_shape)
        if block.session_number == session and isinstance(batch, Batch):
            walltime = chosen.get((block.pool or "", block.job_id or ""), float(batch.walltime))
            found.setdefault(block.slot_shape, []).append(_present(block, walltime, now_us))
    for blocks in found.values():
        blocks.sort(key=lambda one: not one.runs)
    return found


def _present(block: Block, walltime: float, now_us: int) -> PresentBlock:
    left = left_seconds(block, walltime, now_us)
    if left is None:
        return PresentBlock(block.nodes, walltime, max(now_us - block.requested_us, 0) / 1e6)
    return PresentBlock(block.nodes, max(left, _SHORTEST_SECONDS))
