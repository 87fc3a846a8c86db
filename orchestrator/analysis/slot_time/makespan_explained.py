"""A campaign's makespan explained: parts of slot-time, the worst places and instances, node-hours, queues."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from db.evidence.registered_design import larger_slots
from db.queries.attempt_times import AttemptTimes, attempt_times, blocks_of
from db.queries.blocks import chosen_walltimes
from db.reader import Reader
from db.records import CampaignRow
from db.rows import Block
from orchestrator.analysis.slot_time.parts import COUNTED, NOT_OFFERED, SlotTime, slot_time
from orchestrator.catalog.registered_site import pool_walltimes, registered_places
from orchestrator.errors import CampaignError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_HOUR_US = 3_600_000_000
_PROCESSES = (
    "imports", "barrier_wait", *COUNTED, "exit", "retries", "lost_work", "unfinished"
)  # fmt: skip
WORST = 5
"""How many nodes, slots and instances are named."""


@dataclass(frozen=True, slots=True)
class Worst:
    """A node, a slot or an instance, and how much longer its accepted runs took than the median.

    Parameters
    ----------
    name
        Node, ``node slot k``, or ``benchmark/number on node slot k``.
    tail_us
        Sum of (run − median of the benchmark) over the runs that are longer, without loading data.
    ratio
        Longest run ÷ median.
    """

    name: str
    runs: int
    tail_us: int
    ratio: float


@dataclass(frozen=True, slots=True)
class NodeHours:
    """Cost of a campaign, in node-hours.

    Parameters
    ----------
    asked
        Nodes × walltime of all blocks of batch systems; None where there is none.
    held
        Nodes × time from the start to the end of all blocks.
    busy
        Slot-time of all processes, in nodes full of slots.
    accepted
        Slot-time of the runs of accepted attempts, in nodes full of slots.
    """

    asked: float | None
    held: float
    busy: float
    accepted: float


@dataclass(frozen=True, slots=True)
class BlockWait:
    """A block's time in the queue and on its nodes, in seconds; None where it has not started or ended.

    Parameters
    ----------
    pool
        Pool of the site that it belongs to; None where the site has none.
    """

    session: int
    block: str
    pool: str | None
    job: str | None
    nodes: int
    state: str
    queued_seconds: float | None
    held_seconds: float | None


@dataclass(frozen=True, slots=True)
class Explained:
    """Where the makespan of a campaign, of one of its stages or of a benchmark went.

    Parameters
    ----------
    parts
        Microseconds of slot-time by part; they add up to `offered_us`.
    by_benchmark
        The same for each benchmark; an empty name stands for slots that none of several used.
    node_hours, blocks
        Cost, and the blocks in the order of their requests; both of the whole campaign.
    until_us
        Until when what still runs counts: the last moment that an attempt recorded, UTC microseconds.
    """

    campaign: str
    parts: dict[str, int]
    by_benchmark: dict[str, dict[str, int]]
    nodes: tuple[Worst, ...]
    slots: tuple[Worst, ...]
    instances: tuple[Worst, ...]
    node_hours: NodeHours
    blocks: tuple[BlockWait, ...]
    until_us: int

    @property
    def offered_us(self) -> int:
        """Slots × time, of blocks from their request to their end and between sessions."""
        return sum(self.parts.values())

    @property
    def slot_use(self) -> float | None:
        """Share of the slot-time of blocks that is accepted runs; None where there was none."""
        offered = self.offered_us - self.parts[NOT_OFFERED]
        return sum(self.parts[name] for name in COUNTED) / offered if offered else None

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {
            "campaign": self.campaign,
            "offered_us": self.offered_us,
            "slot_use": self.slot_use,
            "parts_us": self.parts,
            "benchmarks": self.by_benchmark,
            "worst": {
                "nodes": [asdict(one) for one in self.nodes],
                "slots": [asdict(one) for one in self.slots],
                "instances": [asdict(one) for one in self.instances],
            },
            "node_hours": asdict(self.node_hours),
            "blocks": [asdict(one) for one in self.blocks],
        }


def explain(
    reader: Reader,
    row: CampaignRow,
    benchmark: str | None = None,
    stage: str | None = None,
    *,
    times: AttemptTimes | None = None,
) -> Explained:
    """Return where the makespan of a campaign, a benchmark or a stage (the label of its slots) went.

    Parameters
    ----------
    times
        Those of the campaign, where they were read before.

    Raises
    ------
    CampaignError
        If nothing was submitted yet, or the campaign has no such benchmark or stage.
    """
    times = attempt_times(reader, row.campaign_id) if times is None else times
    if not len(times):
        raise CampaignError(f"campaign {row.name} has no attempt yet; `orchestrator status {row.name}`")
    for wanted, known, what in (
        (benchmark, times.benchmark.texts, "benchmark"),
        (stage, times.shape.texts, "stage"),
    ):
        if wanted is not None and wanted not in known:
            raise CampaignError(f"campaign {row.name} ran no {what} {wanted!r}; it ran {', '.join(known)}")
    blocks = blocks_of(reader, row.campaign_id)
    slots = slots_of(reader, row, times)
    found = slot_time(times, blocks, reader.sessions_of(row.campaign_id), slots)
    chosen = times.accepted.copy()
    for wanted, names in ((benchmark, times.benchmark), (stage, times.shape)):
        if wanted is not None:
            chosen &= names.codes == names.texts.index(wanted)
    named = sorted({name for _, name in found.parts})
    until_us = int(_last_moment(times))
    return Explained(
        row.name,
        found.total(shape=stage, benchmark=benchmark),
        {name: found.total(shape=stage, benchmark=name) for name in named if benchmark in (None, name)},
        _worst(found, chosen, times.node.of),
        _worst(found, chosen, lambda i: _slot_name(times, i)),
        _worst(found, chosen, lambda i: f"{times.label(i)} on {_slot_name(times, i)}"),
        _node_hours(reader, row, found, blocks, slots, until_us),
        tuple(_wait(one) for one in blocks),
        until_us,
    )


def slots_of(reader: Reader, row: CampaignRow, times: AttemptTimes) -> dict[str, tuple[int, int]]:
    """Return, by slot shape, the slots of a node and the nodes of an instance."""
    places = {one.benchmark: registered_places(one.slot) for one in reader.benchmarks(row.campaign_id)}
    found = larger_slots(reader, row.campaign_id)
    for shape, name in set(zip(times.shape.codes.tolist(), times.benchmark.codes.tolist(), strict=True)):
        label = times.shape.texts[shape]
        if label in found:
            continue
        pools = places.get(times.benchmark.texts[name], {"": {}})
        here = [slot for pool, slot in pools.items() if pool and label.startswith(f"{pool}.")]
        slot = max(here, key=lambda one: len(one["pool"]), default=next(iter(pools.values())))
        found[label] = (slot.get("slots") or 1, slot.get("nodes") or 1)
    return found


def _slot_name(times: AttemptTimes, position: int) -> str:
    return f"{times.node.of(position)} slot {times.slot[position]}"


def _last_moment(times: AttemptTimes) -> int:
    moments = (times.submitted_us, times.process_start_us, times.process_stop_us, times.received_us)
    return max(int(one.max()) for one in moments)


def _worst(found: SlotTime, chosen: NDArray[np.bool_], name_of: Callable[[int], str]) -> tuple[Worst, ...]:
    """Return what has the largest sum of time beyond the medians."""
    positions = np.flatnonzero(chosen & (found.median_us > 0))
    numbers: dict[str, int] = {}
    named = np.array([numbers.setdefault(name_of(one), len(numbers)) for one in positions], dtype=np.intp)
    run_us, median_us = found.run_us[positions], found.median_us[positions]
    tails, ratios = np.zeros(len(numbers), dtype=np.int64), np.zeros(len(numbers))
    np.add.at(tails, named, np.maximum(run_us - median_us, 0).astype(np.int64))
    np.maximum.at(ratios, named, run_us / median_us)
    columns = (np.bincount(named, minlength=len(numbers)), tails, ratios)
    listed = map(Worst, numbers, *(one.tolist() for one in columns))
    return tuple(sorted(listed, key=lambda one: (-one.tail_us, one.name))[:WORST])


def _node_hours(
    reader: Reader,
    row: CampaignRow,
    found: SlotTime,
    blocks: Sequence[Block],
    slots: dict[str, tuple[int, int]],
    now_us: int,
) -> NodeHours:
    walltimes, chosen = pool_walltimes(row), chosen_walltimes(reader, row.campaign_id)

    def asked(block: Block) -> float:
        pool = block.pool or ""
        return block.nodes * chosen.get((pool, block.job_id or ""), walltimes.get(pool, 0.0)) / 3600

    def of(parts: Sequence[str]) -> float:
        return sum(
            sum(one[name] for name in parts) / _HOUR_US * slots[shape][1] / slots[shape][0]
            for (shape, _), one in found.parts.items()
            if shape in slots
        )

    return NodeHours(
        asked=sum(map(asked, blocks)) if walltimes else None,
        held=sum(
            one.nodes * max(0, (now_us if one.ended_us is None else one.ended_us) - one.started_us)
            for one in blocks
            if one.started_us is not None
        )
        / _HOUR_US,
        busy=of(_PROCESSES),
        accepted=of(COUNTED),
    )


def _wait(one: Block) -> BlockWait:
    queued = held = None
    if one.started_us is not None:
        queued = (one.started_us - one.requested_us) / 1e6
        held = None if one.ended_us is None else (one.ended_us - one.started_us) / 1e6
    return BlockWait(
        one.session_number, one.block_id, one.pool, one.job_id, one.nodes, one.state, queued, held
    )
