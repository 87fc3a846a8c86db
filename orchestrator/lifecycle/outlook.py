"""What a campaign does now, and what it waits for, from its ledger and its run directory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from db.events import Event, EventKind
from db.reader import Reader
from db.records import Campaign
from db.requests import FLAG, paused
from db.rows import Block
from orchestrator.catalog.registered_site import registered_site
from orchestrator.lifecycle.driver_identity import live_driver
from orchestrator.rundir.layout import RunDirectory
from sites import FileError, Site
from sites.schedulers import Batch

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
)


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
    """What a campaign does now.

    Parameters
    ----------
    excluded_nodes
        Nodes that the present driver gives no more work, with its reasons.
    wave
        Number of the wave that waits at the start barrier; None if none does.
    per_minute
        Accepted instances per minute of the present session; None before the first.
    seconds_left
        Until the last instance, at that rate; None without a rate, and if none is left.
    """

    blocks: tuple[BlockNow, ...]
    excluded_nodes: dict[str, str]
    wave: int | None
    per_minute: float | None
    seconds_left: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return asdict(self)


def outlook(reader: Reader, row: Campaign, now_us: int) -> Outlook:
    """Return what a campaign does now; without a driver, only the blocks that it may have left.

    Parameters
    ----------
    now_us
        UTC microseconds.
    """
    walltimes = _walltimes(row)
    blocks = tuple(
        _block(one, walltimes.get(one.pool or ""), now_us) for one in reader.unended_blocks(row.campaign_id)
    )
    if live_driver(row) is None:
        return Outlook(blocks, {}, None, None, None)
    session = reader.sessions_of(row.campaign_id)[-1]
    recent = _since(reader, row, session.started_us)
    counts = reader.instance_counts(row.campaign_id)
    left = counts.get("planned", 0) + counts.get("in_flight", 0)
    accepted = reader.accepted_since(row.campaign_id, session.started_us)
    rate = 60e6 * accepted / max(now_us - session.started_us, 1) if accepted else None
    return Outlook(
        blocks,
        {one.subject: one.message for one in recent if one.kind == EventKind.NODE_EXCLUDED},
        waiting_wave(RunDirectory(Path(row.run_directory)), session.session_number),
        rate,
        60 * left / rate if rate and left else None,
    )


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


def explain_campaign(reader: Reader, row: Campaign, now_us: int) -> list[str]:
    """Return what a campaign waits for, one sentence each, the most important first."""
    name, counts = row.name, reader.instance_counts(row.campaign_id)
    planned, flying = counts.get("planned", 0), counts.get("in_flight", 0)
    if not planned and not flying:
        if exhausted := counts.get("exhausted", 0):
            return [
                f"{exhausted} instances are out of retries; try them again with "
                f"`orchestrator resume {name} --retry-exhausted`"
            ]
        cancelled = counts.get("cancelled", 0)
        rest = f", or was cancelled ({cancelled:,})" if cancelled else ""
        return [f"nothing: every instance has an accepted attempt{rest}"]
    now = outlook(reader, row, now_us)
    if live_driver(row) is None:
        return _without_driver(row, now, planned + flying)
    stops = row.stop_request and row.stop_request != FLAG
    lines = [f"it {_stopping(row)}; nothing new starts"] if stops else []
    lines += _trouble(_since(reader, row, reader.sessions_of(row.campaign_id)[-1].started_us))
    lines += [_block_line(block) for block in now.blocks]
    if not now.blocks and not flying:
        lines.append("no block has been requested yet")
    for benchmark, states in sorted(reader.in_flight_by_benchmark(row.campaign_id).items()):
        running, submitted = states.get("running", 0), states.get("submitted", 0)
        lines.append(f"{benchmark}: {running} run, {submitted} are handed out and wait for a free slot")
    if now.wave is not None:
        lines.append(f"wave {now.wave} waits at the start barrier until all of its instances are ready")
    lines += [f"node {node} gets no more work: {why}" for node, why in now.excluded_nodes.items()]
    held_back = sorted(paused(reader.applied_requests(row.campaign_id)))
    if held_back:
        lines.append(f"{', '.join(held_back)}: paused; `orchestrator unpause {name} BENCHMARK` goes on")
    if planned:
        among = ", those of paused benchmarks among them" if held_back else ""
        lines.append(f"{planned} instances wait for their turn{among}")
    return lines


def explain_instance(reader: Reader, row: Campaign, label: str, now_us: int) -> list[str]:
    """Return what an instance waits for, and what the campaign does if that is why."""
    found = reader.find_instance(row.campaign_id, label)
    tried = reader.attempts_of(row.campaign_id, found.instance_id)
    last = max(tried, key=lambda one: one.attempt_number, default=None)
    if found.state == "done":
        return [f"nothing: attempt {found.accepted_attempt} was accepted"]
    if found.state == "cancelled":
        return [f"nothing: it was cancelled; `orchestrator retry {row.name} {label}` plans it again"]
    lines = []
    if last is not None and last.failure_message:
        lines.append(f"attempt {last.attempt_number} ended as {last.state}: {last.failure_message}")
    if found.state == "exhausted":
        again = f"`orchestrator resume {row.name} --retry-exhausted` tries it again"
        return [*lines, f"it is out of retries after {len(tried)} attempts; {again}"]
    if last is not None and last.state == "running":
        since = (now_us - (last.process_start_us or last.submitted_us)) / 1e6
        timeout = next(
            one.timeout_seconds
            for one in reader.benchmarks(row.campaign_id)
            if one.benchmark == found.benchmark
        )
        limit = f", and may run {timeout:g} s" if timeout else ""
        lines.append(f"attempt {last.attempt_number} runs on node {last.node} since {since:.0f} s{limit}")
        return lines if live_driver(row) else [*lines, *explain_campaign(reader, row, now_us)]
    if last is not None and last.state == "submitted":
        lines.append(f"attempt {last.attempt_number} was handed out and waits for a free slot")
    elif last is not None:
        lines.append("it will be tried again, after those that were not tried yet")
    others = [name for name in reader.in_flight_by_benchmark(row.campaign_id) if name != found.benchmark]
    if others and found.state == "planned":
        lines.append(f"instances of {', '.join(sorted(others))} run before or beside it")
    return [*lines, *explain_campaign(reader, row, now_us)]


def _without_driver(row: Campaign, now: Outlook, left: int) -> list[str]:
    site = _site(row)
    lines = [f"no driver runs it, and {left} instances are not done: `orchestrator resume {row.name}`"]
    if row.outcome:
        lines[0] = f"{lines[0]} (its last session ended as {row.outcome})"
    if now.blocks and site is not None and site.outlives_driver:
        lines.append("attempts that outlived the driver may still run; resume waits for them")
        lines += [_block_line(block) for block in now.blocks]
    return lines


def _stopping(row: Campaign) -> str:
    return "drains: running instances finish" if row.stop_request == "drain" else "is being cancelled"


def _trouble(recent: Sequence[Event]) -> list[str]:
    """Return what stands in the way of the present session, by its events."""
    lines = []
    pairs = (
        (EventKind.SCHEDULER_AWAY, EventKind.SCHEDULER_BACK),
        (EventKind.LEDGER_AWAY, EventKind.LEDGER_BACK),
    )
    for away, back in pairs:
        last = next((one for one in reversed(recent) if one.kind in (away, back)), None)
        if last is not None and last.kind == away:
            lines.append(last.message)
    for kind in (EventKind.BLOCK_WAITING, EventKind.BLOCK_FAILED, EventKind.BLOCK_SHORT):
        last = next((one for one in reversed(recent) if one.kind == kind), None)
        if last is not None:
            lines.append(f"last trouble with blocks: {last.message}")
            break
    return lines


def _block_line(block: BlockNow) -> str:
    job = f" (job {block.job})" if block.job else ""
    where = f" of pool {block.pool}" if block.pool else ""
    text = f"block {block.block}{job} of {block.nodes} nodes{where} is {block.state}"
    if block.reason:
        text += f": {block.reason}"
    if block.left_seconds is not None:
        text += f", {block.left_seconds:.0f} s of its walltime are left"
    return text


def _block(block: Block, walltime: float | None, now_us: int) -> BlockNow:
    left = None
    if walltime is not None and block.started_us is not None:
        left = max(0.0, walltime - (now_us - block.started_us) / 1e6)
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


def _since(reader: Reader, row: Campaign, started_us: int) -> list[Event]:
    return [one for one in reader.events(row.campaign_id, kinds=_KINDS) if one.at_us >= started_us]


def _site(row: Campaign) -> Site | None:
    try:
        return registered_site(row)
    except FileError:
        return None


def _walltimes(row: Campaign) -> dict[str, float]:
    """Return the walltime of the blocks of each pool, in seconds; none without a batch system."""
    site = _site(row)
    pools = {} if site is None else site.pooled()
    return {name: one.scheduler.walltime for name, one in pools.items() if isinstance(one.scheduler, Batch)}
