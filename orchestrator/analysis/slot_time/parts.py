"""Where the slot-time of a campaign went, in whole microseconds that add up exactly.

A lane is one slot of one scheduler job (block), from the request of the block to its end. Every microsecond
of every lane, and of the time between two sessions, is charged to one part and to one benchmark. The clocks
of nodes differ from the driver's; a time outside its lane is moved to the nearest end of the lane.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from db.states import OPEN_STATES, UNSEEN_END, AttemptState, RunOutcome

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from db.queries.attempt_times import AttemptTimes
    from db.rows import Block, Session

    Column = NDArray[np.int64]

PARTS: Mapping[str, str] = {
    "queue_wait": "the block waited in the batch system's queue",
    "pool_start": "from the block's start to the first process on the node",
    "launch_skew": "from the first process on the node to the slot's own first process",
    "imports": "from the start of an accepted attempt's process until it was ready to run",
    "barrier_wait": "ready, until its run began: the wait for the other instances of a wave",
    "load": "loading data within the run",
    "median_run": "the rest of the run, up to the benchmark's median",
    "straggler_tail": "the rest of the run beyond that median",
    "exit": "from the end of the run to the end of the process",
    "retries": "attempts that failed or ran into their time limit",
    "lost_work": "attempts that were lost or cancelled, or do not count",
    "unfinished": "attempts that still run",
    "idle_between": "no process, between two attempts on the slot",
    "idle_at_end": "no process, after the slot's last attempt",
    "never_used": "slots of a started block on which no attempt ran",
    "driver_outage": "no process, and no driver: from the last record of a driver that died",
    "between_sessions": "no block: from the end of a session's blocks to the next session",
}
"""Parts of slot-time, in the order in which they occur."""
COUNTED = ("load", "median_run", "straggler_tail")
"""Parts that are accepted runs."""
NOT_OFFERED = "between_sessions"
"""The part in which no block had nodes, or waited for them: no slot could be used."""
_PLACE = {name: number for number, name in enumerate(PARTS)}
_NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, eq=False)
class SlotTime:
    """The slot-time of a campaign.

    Parameters
    ----------
    parts
        Microseconds of each part, by slot shape and benchmark; the benchmark is empty where a slot of
        several benchmarks was used by none.
    offered_us
        Slots × time from the request to the end of each block, and between sessions: the sum of all parts,
        computed without them.
    run_us, median_us
        Of each attempt, microseconds of its run without loading data and the median of its benchmark; 0 where
        it is not accepted.
    """

    parts: Mapping[tuple[str, str], Mapping[str, int]]
    offered_us: int
    run_us: Column
    median_us: Column

    def total(self, *, shape: str | None = None, benchmark: str | None = None) -> dict[str, int]:
        """Return microseconds of each part, of all or of one slot shape or benchmark."""
        chosen = [
            parts
            for (of_shape, of_benchmark), parts in self.parts.items()
            if shape in (None, of_shape) and benchmark in (None, of_benchmark)
        ]
        return {name: sum(one[name] for one in chosen) for name in PARTS}


@dataclass(slots=True)
class _Window:
    """A block: when it was requested, started and over, and how many slots it had."""

    session: int
    shape: str
    requested: int
    started: int
    ended: int
    lanes: int


def slot_time(
    times: AttemptTimes,
    blocks: Sequence[Block],
    sessions: Sequence[Session],
    slots_of: Mapping[str, tuple[int, int]],
) -> SlotTime:
    """Return where the slot-time of a campaign went.

    Parameters
    ----------
    slots_of
        Slots of a node, and nodes of an instance, by slot shape.
    """
    begun = _session_begins(times, blocks)
    ends = _attempt_ends(times, blocks, begun)
    ran = np.flatnonzero((times.process_start_us > 0) & (times.node.codes >= 0))
    keys = [(int(times.session[i]), times.shape.of(i), times.block.of(i)) for i in ran]
    numbers: dict[tuple[int, str, str], int] = {}
    for one in blocks:
        numbers.setdefault((one.session_number, one.slot_shape, one.block_id), len(numbers))
    of_block = np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)
    lane = _codes(of_block, times.node.codes[ran], times.slot[ran] + 1)
    windows = _windows(times, blocks, begun, ends, numbers, ran, of_block, lane, slots_of)
    ledger = _Account(times)
    silent = _silent_since(times, blocks, sessions, begun)
    if ran.size:
        ledger.charge_lanes(ran, of_block, lane, windows, ends, silent)
    used = np.bincount(_first_of_each(lane, of_block), minlength=len(windows))
    for window, lanes_used in zip(windows, used.tolist(), strict=True):
        ledger.charge_unused(window, window.lanes - lanes_used, silent.get(window.session, _NEVER))
    offered = sum(window.lanes * (window.ended - window.requested) for window in windows)
    for gap, slots in _gaps(windows, begun, sessions):
        ledger.add("", "", "between_sessions", gap * slots)
        offered += gap * slots
    return SlotTime(dict(ledger.parts), offered, ledger.run_us, ledger.median_us)


def heard_ends(times: AttemptTimes, blocks: Sequence[Block], sessions: Sequence[Session]) -> Column:
    """Return when each attempt ended, UTC microseconds, as far as its own driver or its process recorded it.

    An attempt without an end of its process, whose driver died, ended with the last record of that driver.
    """
    begun = _session_begins(times, blocks)
    ends, silent = _attempt_ends(times, blocks, begun), _silent_since(times, blocks, sessions, begun)
    limits = np.array([silent.get(one, _NEVER) for one in times.session.tolist()], dtype=np.int64)
    return np.where(times.process_stop_us > 0, ends, np.minimum(ends, limits))


class _Account:
    """Microseconds by slot shape and benchmark."""

    def __init__(self, times: AttemptTimes) -> None:
        self.times = times
        self.parts: defaultdict[tuple[str, str], dict[str, int]] = defaultdict(
            lambda: dict.fromkeys(PARTS, 0)
        )
        self.run_us = np.zeros(len(times), dtype=np.int64)
        self.median_us = np.zeros(len(times), dtype=np.int64)
        owners: dict[int, set[int]] = {}
        for shape, name in set(zip(times.shape.codes.tolist(), times.benchmark.codes.tolist(), strict=True)):
            owners.setdefault(shape, set()).add(name)
        self._owner = {
            times.shape.texts[shape]: times.benchmark.texts[min(names)]
            for shape, names in owners.items()
            if len(names) == 1
        }

    def add(self, shape: str, benchmark: str, part: str, microseconds: int) -> None:
        if microseconds:
            self.parts[shape, benchmark][part] += microseconds

    def charge_unused(self, window: _Window, lanes: int, silent: int) -> None:
        """Charge the slots of a block on which no attempt ran."""
        owner = self._owner.get(window.shape, "")
        outage = max(0, window.ended - max(window.started, silent))
        self.add(window.shape, owner, "queue_wait", lanes * (window.started - window.requested))
        self.add(window.shape, owner, "driver_outage", lanes * outage)
        self.add(window.shape, owner, "never_used", lanes * (window.ended - window.started - outage))

    def charge_lanes(
        self,
        ran: Column,
        of_block: Column,
        lane: Column,
        windows: Sequence[_Window],
        ends: Column,
        silent: Mapping[int, int],
    ) -> None:
        """Charge the slots on which attempts ran."""
        order = np.lexsort((self.times.process_start_us[ran], lane))
        ran, of_block, lane = ran[order], of_block[order], lane[order]
        column = {
            name: np.array([getattr(one, name) for one in windows], dtype=np.int64)[of_block]
            for name in ("session", "requested", "started", "ended")
        }
        first = np.append(True, lane[1:] != lane[:-1])
        last = np.append(first[1:], True)
        start = np.clip(self.times.process_start_us[ran], column["started"], column["ended"])
        following = np.where(last, column["ended"], np.append(start[1:], 0))
        stop = np.minimum(np.clip(ends[ran], start, column["ended"]), following)
        before = np.where(first, column["started"], np.append(0, stop[:-1]))
        node = _codes(of_block, self.times.node.codes[ran])
        node_start = np.full(node.max() + 1, _NEVER)
        np.minimum.at(node_start, node, start)
        since = np.array([silent.get(int(one), _NEVER) for one in column["session"]], dtype=np.int64)
        charged = np.zeros((len(PARTS), len(ran)), dtype=np.int64)
        charged[_PLACE["queue_wait"]] = np.where(first, column["started"] - column["requested"], 0)
        charged[_PLACE["pool_start"]] = np.where(first, node_start[node] - column["started"], 0)
        charged[_PLACE["launch_skew"]] = np.where(first, start - node_start[node], 0)
        for part, begin, end in (
            ("idle_between", np.where(first, start, before), start),
            ("idle_at_end", np.where(last, stop, following), following),
        ):
            outage = np.maximum(0, end - np.maximum(begin, since))
            charged[_PLACE["driver_outage"]] += outage
            charged[_PLACE[part]] = end - begin - outage
        self._charge_processes(ran, start, stop, charged)
        kind = _codes(self.times.shape.codes[ran], self.times.benchmark.codes[ran])
        for code in range(kind.max() + 1):
            mine = kind == code
            one = int(ran[np.argmax(mine)])
            where = self.times.shape.of(one), self.times.benchmark.of(one)
            for part, number in _PLACE.items():
                self.add(*where, part, int(charged[number, mine].sum()))

    def _charge_processes(self, ran: Column, start: Column, stop: Column, charged: Column) -> None:
        """Charge the time between the start and the stop of each attempt's process."""
        times = self.times
        ready, run, over = times.ready_us[ran], times.run_start_us[ran], times.run_stop_us[ran]
        accepted = times.accepted[ran]
        state = np.array(times.state.texts, dtype=object)[times.state.codes[ran]]
        failed = np.isin(state, [AttemptState.FAILED.value, AttemptState.TIMED_OUT.value])
        unfinished = np.isin(state, OPEN_STATES)
        ready = np.clip(np.where(ready > 0, ready, np.where(run > 0, run, stop)), start, stop)
        run = np.clip(np.where(run > 0, run, ready), ready, stop)
        over = np.clip(np.where(over > 0, over, stop), run, stop)
        load = np.minimum(times.load_us[ran], over - run)
        rest = over - run - load
        median = np.zeros_like(rest)
        benchmark = times.benchmark.codes[ran]
        for code in np.unique(benchmark[accepted]):
            mine = accepted & (benchmark == code)
            median[mine] = int(np.median(rest[mine]))
        steady = np.minimum(rest, median)
        for part, microseconds, which in (
            ("imports", ready - start, accepted),
            ("barrier_wait", run - ready, accepted),
            ("load", load, accepted),
            ("median_run", steady, accepted),
            ("straggler_tail", rest - steady, accepted),
            ("exit", stop - over, accepted),
            ("retries", stop - start, ~accepted & failed),
            ("unfinished", stop - start, ~accepted & unfinished),
            ("lost_work", stop - start, ~accepted & ~failed & ~unfinished),
        ):
            charged[_PLACE[part]] = np.where(which, microseconds, 0)
        self.run_us[ran] = np.where(accepted, rest, 0)
        self.median_us[ran] = median


def _session_begins(times: AttemptTimes, blocks: Sequence[Block]) -> dict[int, int]:
    """Return the first submission or request of each session, by the driver's clock, in their order."""
    found: dict[int, int] = {one.session_number: one.requested_us for one in reversed(blocks)}
    for session in np.unique(times.session).tolist():
        first = int(times.submitted_us[times.session == session].min())
        found[session] = min(first, found.get(session, first))
    return dict(sorted(found.items()))


def _attempt_ends(times: AttemptTimes, blocks: Sequence[Block], begun: Mapping[int, int]) -> Column:
    """Return when each attempt ended: its process, else its report, else the last moment of its session.

    One without an end of its own ended with its block, if no driver saw that: it was found long after.
    """
    latest = np.stack(
        [times.submitted_us, times.process_start_us, times.process_stop_us, times.received_us]
    ).max(0)
    last = {one: int(latest[times.session == one].max()) for one in begun if (times.session == one).any()}
    ends = np.where(times.process_stop_us > 0, times.process_stop_us, times.received_us)
    ends = np.where(ends > 0, ends, np.array([last[one] for one in times.session.tolist()], dtype=np.int64))
    unseen = {
        (one.session_number, one.slot_shape, one.block_id): one.ended_us
        for one in blocks
        if one.message == UNSEEN_END and one.ended_us is not None
    }
    for i in np.flatnonzero(times.process_stop_us == 0).tolist() if unseen else ():
        over = unseen.get((int(times.session[i]), times.shape.of(i), times.block.of(i)))
        if over is not None:
            ends[i] = max(int(times.process_start_us[i]), min(int(ends[i]), over))
    return ends


def _windows(
    times: AttemptTimes,
    blocks: Sequence[Block],
    begun: Mapping[int, int],
    ends: Column,
    numbers: Mapping[tuple[int, str, str], int],
    ran: Column,
    of_block: Column,
    lane: Column,
    slots_of: Mapping[str, tuple[int, int]],
) -> list[_Window]:
    """Return the windows of all blocks, by their numbers; an attempt without a block has one of its own."""
    rows = {numbers[one.session_number, one.slot_shape, one.block_id]: one for one in blocks}
    first, last = np.full(len(numbers), _NEVER), np.zeros(len(numbers), dtype=np.int64)
    np.minimum.at(first, of_block, times.process_start_us[ran])
    np.maximum.at(last, of_block, ends[ran])
    used = np.bincount(_first_of_each(lane, of_block), minlength=len(numbers))
    known = {
        session: max([begin, *ends[times.session == session].tolist()]) for session, begin in begun.items()
    }
    later = _following(begun)
    found = []
    for (session, shape, _), number in numbers.items():
        slots, nodes = slots_of.get(shape, (1, 1))
        row = rows.get(number)
        begin, end = int(first[number]), int(last[number])
        if row is None:
            submitted = times.submitted_us[ran[of_block == number]]
            requested, started, ended, lanes = int(submitted.min()), begin, end, slots
            started = min(started, requested)
        else:
            lanes = row.nodes // nodes * slots
            requested = row.requested_us
            ended = max(row.ended_us if row.ended_us is not None else max(known[session], requested), end)
            started = row.started_us if row.started_us is not None else min(ended, begin)
            started = min(started, begin)  # a poll notices the start late
        limit = later.get(session, _NEVER)
        ended = min(ended, limit)
        started = min(started, ended)
        found.append(
            _Window(session, shape, min(requested, started), started, ended, max(lanes, int(used[number])))
        )
    return found


def _silent_since(
    times: AttemptTimes, blocks: Sequence[Block], sessions: Sequence[Session], begun: Mapping[int, int]
) -> dict[int, int]:
    """Return, of each session whose driver died, the last moment that the driver itself recorded.

    Whatever the next session's driver recorded about it, such as adopted results, lies after the start of
    that session.
    """
    opened = {one.session_number: one for one in sessions}
    later, found = _following(begun), {}
    for session in begun:
        outcome = opened[session].outcome if session in opened else None
        if outcome not in (None, RunOutcome.DRIVER_DIED):
            continue
        until, following = later.get(session, _NEVER), opened.get(session + 1)
        if following is not None and following.started_us > begun[session]:
            until = min(until, following.started_us)  # it may have run nothing
        if until == _NEVER and outcome is None:  # it runs
            continue
        mine = times.session == session
        moments = [times.submitted_us[mine], times.received_us[mine]]
        of_blocks = [
            moment
            for one in blocks
            if one.session_number == session
            for moment in (
                one.requested_us,
                one.started_us,
                None if one.message == UNSEEN_END else one.ended_us,
            )
            if moment is not None
        ]
        every = np.concatenate([*moments, np.array(of_blocks, dtype=np.int64)])
        found[session] = int(every[every < until].max(initial=begun[session]))
    return found


def _gaps(
    windows: Iterable[_Window], begun: Mapping[int, int], sessions: Sequence[Session]
) -> list[tuple[int, int]]:
    """Return how long no block was held or requested between two sessions, and the slots of the later one."""
    slots = {one.session_number: one.slots or 1 for one in sessions}
    ended = dict(begun)
    for window in windows:
        ended[window.session] = max(ended[window.session], window.ended)
    order = list(begun)
    return [
        (begun[later] - ended[session], slots.get(later, 1))
        for session, later in itertools.pairwise(order)
        if begun[later] > ended[session]
    ]


def _following(begun: Mapping[int, int]) -> dict[int, int]:
    """Return the begin of the session that follows each session but the last."""
    order = list(begun)
    return {session: begun[later] for session, later in itertools.pairwise(order)}


def _codes(*columns: Column) -> Column:
    """Return a number for each different row of some columns of numbers from 0."""
    codes = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        codes = np.unique(codes * (column.max(initial=0) + 1) + column, return_inverse=True)[1]
    return codes


def _first_of_each(lane: Column, of_block: Column) -> Column:
    """Return the block of each different lane."""
    return of_block[np.unique(lane, return_index=True)[1]]
