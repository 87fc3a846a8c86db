"""Reads the present state of a campaign, and the things that it waits for, from ledger and run directory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from db.events import Event, EventKind
from db.evidence.registered_design import raised_timeouts
from db.queries.blocks import chosen_walltimes, left_seconds, unended_blocks
from db.queries.instance_totals import left_to_run
from db.queries.live_counts import in_flight_by_benchmark
from db.reader import Reader
from db.records import CampaignRow
from db.rows import Block
from db.writing.requests import FLAG, paused, paused_pools, pool_changes
from orchestrator.catalog.registered_site import pool_walltimes, registered_site
from orchestrator.lifecycle.driver_process.identity import display_name, is_dead, live_driver
from orchestrator.lifecycle.driver_process.place import DriverPlace, driver_places
from orchestrator.monitoring.outcome_words import state_words
from orchestrator.rundir.layout import RunDirectory
from orchestrator.wording import count_of
from sites.quantities import shown

if TYPE_CHECKING:
    from sites import Site

_KINDS = (
    EventKind.NODE_EXCLUDED,
    EventKind.BLOCK_WAITING,
    EventKind.BLOCK_FAILED,
    EventKind.BLOCK_SHORT,
    EventKind.SCHEDULER_AWAY,
    EventKind.SCHEDULER_BACK,
    EventKind.LEDGER_AWAY,
    EventKind.LEDGER_BACK,
    EventKind.DRAIN_STARTED,
    EventKind.ENGINE_RESTARTED,
    EventKind.ENGINE_FAILED,
    EventKind.ABORTED_AFTER_FAILURES,
)
_BLOCKS = (EventKind.BLOCK_WAITING, EventKind.BLOCK_FAILED, EventKind.BLOCK_SHORT)
_ENDED_BY = (EventKind.ENGINE_FAILED, EventKind.ABORTED_AFTER_FAILURES)
_BLOCKS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class BlockNow:
    """A block that has not ended.

    Parameters
    ----------
    reason
        What the scheduler says of it, with the start that it expects if it names one.
    requested_us, started_us
        UTC microseconds.
    left_seconds
        Walltime that is left; None before its start, and without a batch system.
    pool
        Pool of the site that it belongs to; None where the site has none.
    """

    block: str
    job: str | None
    state: str
    reason: str | None
    nodes: int
    requested_us: int
    started_us: int | None
    left_seconds: float | None
    pool: str | None = None


@dataclass(frozen=True, slots=True)
class Outlook:
    """Present state of a campaign.

    Parameters
    ----------
    driver
        Where the driver of the last session runs, or ran.
    driver_job
        A job that was submitted to run the next driver and has not begun; None with a driver.
    excluded_nodes
        Nodes that the present driver gives no more work, with its reasons.
    wave
        Number of the wave that waits at the start barrier; None if none does.
    """

    driver: DriverPlace | None
    driver_job: DriverPlace | None
    blocks: tuple[BlockNow, ...]
    excluded_nodes: dict[str, str]
    wave: int | None


def outlook(reader: Reader, row: CampaignRow, now_us: int) -> Outlook:
    """Return what a campaign does now; without a driver, only where it was and the blocks that it left.

    Parameters
    ----------
    now_us
        UTC microseconds.
    """
    held = unended_blocks(reader, row.campaign_id)
    walltimes = pool_walltimes(row) if held else {}
    chosen = chosen_walltimes(reader, row.campaign_id) if held else {}
    blocks = tuple(
        _block(one, chosen.get((one.pool or "", one.job_id or ""), walltimes.get(one.pool or "")), now_us)
        for one in held
    )
    driver, job = driver_places(reader, row.campaign_id)
    if live_driver(row) is None:
        return Outlook(driver, job, blocks, {}, None)
    session = reader.sessions_of(row.campaign_id)[-1]
    recent = _since(reader, row, session.started_us)
    return Outlook(
        driver,
        None,
        blocks,
        _excluded(reader, row.campaign_id, recent),
        waiting_wave(RunDirectory(Path(row.run_directory)), session.session_number),
    )


def _excluded(reader: Reader, campaign_id: int, recent: Sequence[Event]) -> dict[str, str]:
    """Return the nodes that get no more work, with the reasons, without those that a user let back."""
    lists = [
        {str(node) for node in (event.data or {}).get("nodes", ())}
        for event in reader.events(campaign_id, kinds=[EventKind.EXCLUDE_LIST])
    ]
    let_back = set().union(*lists) - lists[-1] if lists else set()
    return {
        one.subject: one.message
        for one in recent
        if one.kind == EventKind.NODE_EXCLUDED and one.subject not in let_back
    }


def waiting_wave(directory: RunDirectory, session: int) -> int | None:
    """Return the number of the wave of a session whose start is not announced; None without one."""
    waves = []
    for file in directory.barrier_file(session, 0).parent.glob(f"{session}-*"):
        number = file.name.rpartition("-")[2]
        try:
            if number.isdecimal() and not file.stat().st_size:
                waves.append(int(number))
        except OSError:  # removed meanwhile
            continue
    return max(waves, default=None)


def explain_campaign(reader: Reader, row: CampaignRow, now_us: int) -> list[str]:
    """Return what a campaign waits for, one sentence each, the most important first."""
    name, counts = row.name, reader.instance_counts(row.campaign_id)
    planned, flying = counts.get("planned", 0), counts.get("in_flight", 0)
    if not planned and not flying:
        return _nothing_left(name, counts)
    now = outlook(reader, row, now_us)
    requests = reader.applied_requests(row.campaign_id)
    held_back, pools = sorted(paused(requests)), sorted(paused_pools(requests))
    waits = []
    if held_back:
        waits = [f"{', '.join(held_back)}: paused; `orchestrator instance unpause {name} BENCHMARK` goes on"]
    if pools:
        waits.append(f"pool {', '.join(pools)}: paused; `orchestrator node unpause {name} POOL` goes on")
    waits += pool_changes(requests)
    if live_driver(row) is None:
        lines = _without_driver(reader, row, now, planned + flying, held_back)
        return [*lines, *waits]
    stops = row.stop_request and row.stop_request != FLAG
    lines = [f"it {_stopping(row)}; nothing new starts"] if stops else []
    lines += _trouble(_since(reader, row, reader.sessions_of(row.campaign_id)[-1].started_us), now_us)
    lines += _block_lines(now.blocks)
    if not now.blocks and not flying:
        lines.append("no block has been requested yet")
    for benchmark, states in sorted(in_flight_by_benchmark(reader, row.campaign_id).items()):
        running, submitted = states.get("running", 0), states.get("submitted", 0)
        wait = f", and {submitted:,} {'waits' if submitted == 1 else 'wait'} for a free slot"
        lines.append(
            f"{benchmark}: {running:,} {'runs' if running == 1 else 'run'}{wait if submitted else ''}"
        )
    if now.wave is not None:
        lines.append(
            f"wave {now.wave} waits at the start barrier: its instances start together when the last is ready"
        )
    lines += [f"node {node} gets no more work: {why}" for node, why in now.excluded_nodes.items()]
    lines += waits
    if planned:
        among = ", those of paused benchmarks among them" if held_back else ""
        lines.append(f"{_instances(planned)} for {_their(planned)} turn{among}")
    if now.driver is not None:
        lines.append(f"its driver is {now.driver}")
    return lines


def holdup(reader: Reader, row: CampaignRow, now_us: int) -> str:
    """Return in short why no instance of a campaign runs that a driver runs."""
    session = reader.sessions_of(row.campaign_id)[-1]
    if (wave := waiting_wave(RunDirectory(Path(row.run_directory)), session.session_number)) is not None:
        return f"wave {wave} waits at the start barrier"
    blocks = [_block(one, None, now_us) for one in unended_blocks(reader, row.campaign_id)]
    if any(one.started_us is not None for one in blocks):
        return "workers and trainings start"
    trouble = _trouble(_since(reader, row, session.started_us), now_us)
    return next(iter([*trouble, *_block_lines(blocks)]), "the engine starts; no block has been requested yet")


def _nothing_left(name: str, counts: Mapping[str, int]) -> list[str]:
    done, cancelled = counts.get("done", 0), counts.get("cancelled", 0)
    again = f"`orchestrator instance retry {name} --where state=cancelled` plans them again"
    if exhausted := counts.get("exhausted", 0):
        lines = [
            f"{count_of(exhausted, 'instance', 'are')} out of retries; try them again with "
            f"`orchestrator resume {name} --retry-exhausted`"
        ]
        return [*lines, f"{cancelled:,} were cancelled; {again}"] if cancelled else lines
    settled = [
        f"{counts[state]:,} are {words}"
        for state, words in (("not_needed", "not needed"), ("pruned", "pruned"))
        if counts.get(state)
    ]
    if settled:
        rest = f", and {cancelled:,} were cancelled; {again}" if cancelled else ""
        had = count_of(done, "instance", "have")
        return [f"nothing: {had} an accepted attempt, and {', '.join(settled)}{rest}"]
    if not cancelled:
        return ["nothing: every instance has an accepted attempt"]
    if not done:
        return [f"nothing: all {count_of(cancelled, 'instance', 'were')} cancelled; {again}"]
    return [
        f"nothing: {count_of(done, 'instance', 'have')} an accepted attempt, {cancelled:,} were "
        f"cancelled; {again}"
    ]


def _instances(number: int) -> str:
    return count_of(number, "instance", "wait")


def _their(number: int) -> str:
    return "its" if number == 1 else "their"


def explain_instance(reader: Reader, row: CampaignRow, label: str, now_us: int) -> list[str]:
    """Return what an instance, or a benchmark, waits for, and what the campaign does if that is why."""
    if (states := reader.counts(row.campaign_id).get(label)) is not None:  # a whole benchmark
        if not left_to_run(states):
            return _nothing_left(row.name, states)
        many = ", ".join(f"{number:,} {state_words(state)}" for state, number in states.items())
        return [f"of its instances, {many}", *explain_campaign(reader, row, now_us)]
    found = reader.find_instance(row.campaign_id, label)
    tried = reader.attempts_of(row.campaign_id, found.instance_id)
    last = max(tried, key=lambda one: one.attempt_number, default=None)
    if found.state == "done":
        return [f"nothing: attempt {found.accepted_attempt} was accepted"]
    if found.state == "cancelled":
        return [f"nothing: it was cancelled; `orchestrator instance retry {row.name} {label}` plans it again"]
    lines = []
    if last is not None and last.failure_message:
        lines.append(f"attempt {last.attempt_number} ended as {last.state}: {last.failure_message}")
    if found.state == "exhausted":
        again = f"`orchestrator resume {row.name} --retry-exhausted` tries it again"
        return [*lines, f"it is out of retries after {count_of(len(tried), 'attempt')}; {again}"]
    if last is not None and last.state == "running":
        since = (now_us - (last.process_start_us or last.submitted_us)) / 1e6
        timeout = raised_timeouts(reader, row.campaign_id).get(label) or next(
            one.timeout_seconds
            for one in reader.benchmarks(row.campaign_id)
            if one.benchmark == found.benchmark
        )
        limit = f", and may run {timeout:g} s" if timeout else ""
        if live_driver(row):
            lines.append(f"attempt {last.attempt_number} runs on node {last.node} for {since:.0f} s{limit}")
            return lines
        lines.append(f"attempt {last.attempt_number} ran on node {last.node} when its driver was lost")
        return [*lines, *explain_campaign(reader, row, now_us)]
    if last is not None and last.state == "submitted":
        lines.append(f"attempt {last.attempt_number} was handed out and waits for a free slot")
    elif last is not None:
        lines.append("it will be tried again, after those that were not tried yet")
    others = [name for name in in_flight_by_benchmark(reader, row.campaign_id) if name != found.benchmark]
    if others and found.state == "planned":
        lines.append(f"instances of {', '.join(sorted(others))} run before or beside it")
    return [*lines, *explain_campaign(reader, row, now_us)]


def _all_paused(reader: Reader, row: CampaignRow, held_back: Sequence[str]) -> bool:
    left = ("planned", "in_flight")
    return all(
        name in held_back or not any(states.get(state) for state in left)
        for name, states in reader.counts(row.campaign_id).items()
    )


def _without_driver(
    reader: Reader, row: CampaignRow, now: Outlook, left: int, held_back: Sequence[str]
) -> list[str]:
    site = _site(row)
    many = count_of(left, "instance", "are")
    lines = [f"no driver runs it, and {many} not done: `orchestrator resume {row.name}`"]
    if now.driver_job is not None:
        job = f"job {now.driver_job.job}, which prints to {now.driver_job.output}"
        lines = [f"no driver runs it, and {many} not done: it goes on once the scheduler starts {job}"]
    elif held_back and _all_paused(reader, row, held_back):
        lines = [
            f"no driver runs it, and {many} not done, all of paused benchmarks: unpause them, then resume"
        ]
    if row.lease_owner is not None:
        dead = is_dead(row.lease_owner)
        fate = "died" if dead else "has been silent since its lease ran out, and may have died"
        lines.append(f"its driver, {display_name(row.lease_owner)}, {fate}")
    elif row.outcome:
        lines.append(f"its last session ended: {row.outcome.replace('_', ' ')}")
    if sessions := reader.sessions_of(row.campaign_id):
        until = sessions[-1].ended_us or row.lease_expires_us or sessions[-1].started_us
        lines += _trouble(_since(reader, row, sessions[-1].started_us), until, ended=True)
    if now.blocks and site is not None and site.outlives_driver:
        lines.append("attempts that outlived the driver may still run; resume waits for them")
        lines += _block_lines(now.blocks)
    return lines


def _stopping(row: CampaignRow) -> str:
    return "drains: running instances finish" if row.stop_request == "drain" else "is being cancelled"


def _trouble(recent: Sequence[Event], now_us: int, *, ended: bool = False) -> list[str]:
    """Return what stands in the way of a session, or stood there when it ended, by its events."""
    lines = []
    pairs = (
        (EventKind.SCHEDULER_AWAY, EventKind.SCHEDULER_BACK),
        (EventKind.LEDGER_AWAY, EventKind.LEDGER_BACK),
    )
    for away, back in pairs:
        last = next((one for one in reversed(recent) if one.kind in (away, back)), None)
        if last is not None and last.kind == away:
            lines.append(last.message)
    for kinds in (_ENDED_BY if ended else (), _BLOCKS):
        for kind in kinds:
            last = next((one for one in reversed(recent) if one.kind == kind), None)
            if last is not None:
                ago = shown(round(max(0, now_us - last.at_us) / 1e6))
                when = f"{ago} before it ended" if ended else f"{ago} ago"
                lines.append(f"last trouble, {when}: {last.message}")
                return lines
    return lines


def _block_lines(blocks: Sequence[BlockNow]) -> list[str]:
    lines = [_block_line(block) for block in blocks[:_BLOCKS_SHOWN]]
    rest = len(blocks) - _BLOCKS_SHOWN
    if rest > 0:
        lines.append(f"and {count_of(rest, 'more block')}; `orchestrator status --json` lists all")
    return lines


def _block_line(block: BlockNow) -> str:
    job = f" (job {block.job})" if block.job else ""
    where = f" of pool {block.pool}" if block.pool else ""
    nodes = f"{block.nodes} node{'s'[: block.nodes != 1]}"
    text = f"block {block.block}{job} of {nodes}{where} is {block.state}"
    if block.reason:
        text += f": {block.reason}"
    if block.left_seconds is not None:
        text += f", {shown(round(block.left_seconds))} of its walltime are left"
    return text


def _block(block: Block, walltime: float | None, now_us: int) -> BlockNow:
    left = None if walltime is None else left_seconds(block, walltime, now_us)
    return BlockNow(
        block.block_id,
        block.job_id,
        block.state,
        block.message,
        block.nodes,
        block.requested_us,
        block.started_us,
        left,
        block.pool,
    )


def _since(reader: Reader, row: CampaignRow, started_us: int) -> list[Event]:
    return [one for one in reader.events(row.campaign_id, kinds=_KINDS) if one.at_us >= started_us]


def _site(row: CampaignRow) -> Site | None:
    from sites import FileError  # here: most of `status` needs no site

    try:
        return registered_site(row)
    except FileError:
        return None
