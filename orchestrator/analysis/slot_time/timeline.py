"""States of every slot over time, and the number of runs at once, in bins small enough to draw."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from db.states import OPEN_STATES
from orchestrator.analysis.slot_time.parts import heard_ends

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from db.queries.attempt_times import AttemptTimes
    from db.rows import Block, Session

DISCARDED = "not accepted"
"""Name of what attempts are counted under that failed, were lost or were discarded."""
OTHERS = "other benchmarks"


@dataclass(frozen=True, slots=True, eq=False)
class SlotTimeline:
    """States of slots, in rows of slots and columns of time.

    Parameters
    ----------
    names
        Benchmarks, the busiest first; then `OTHERS` and `DISCARDED` where there are such attempts.
    busy
        Share of the slot-time of each cell with a process, shape (rows, columns), between 0 and 1.
    owner
        Position in `names` of what took the most time in each cell; -1 where nothing ran.
    slots, nodes
        Slots and nodes on which attempts ran.
    begin_us, end_us
        Limits of the columns, UTC microseconds.
    """

    names: tuple[str, ...]
    busy: NDArray[np.float32]
    owner: NDArray[np.int8]
    slots: int
    nodes: int
    begin_us: int
    end_us: int


@dataclass(frozen=True, slots=True, eq=False)
class ConcurrentRuns:
    """The largest number of accepted runs at once in each of a number of equal spans of time.

    Parameters
    ----------
    edges_us
        Limits of the spans, UTC microseconds.
    most
        Numbers by benchmark, in the order of their first start.
    """

    edges_us: NDArray[np.int64]
    most: dict[str, NDArray[np.int64]]


def slot_timeline(
    times: AttemptTimes,
    *,
    rows: int,
    columns: int,
    benchmarks: int,
    blocks: Sequence[Block] = (),
    sessions: Sequence[Session] = (),
    until_us: int | None = None,
) -> SlotTimeline | None:
    """Return what slots did in at most `rows` × `columns` cells; None if no process started.

    Parameters
    ----------
    benchmarks
        Number of benchmarks that keep their name; the time of the rest goes to `OTHERS`.
    blocks, sessions
        Those of the campaign: what a dead driver left was found long after it had ended.
    until_us
        End of the time that is looked at, UTC microseconds; None for the last end.
    """
    still_open = _is_open(times)
    stops = np.where(still_open, 0, heard_ends(times, blocks, sessions))
    chosen = np.flatnonzero((times.process_start_us > 0) & (times.node.codes >= 0))
    if not chosen.size:
        return None
    starts = times.process_start_us[chosen]
    end = max(int(stops[chosen].max()), int(starts.max()) + 1, until_us or 0)
    stops = np.where(still_open[chosen], end, np.maximum(stops[chosen], starts))
    begin = int(starts.min())
    lanes, slots = _lanes(times, chosen)
    height, width = min(rows, slots), columns
    names, owner_of = _owners(times, chosen, stops - starts, benchmarks)
    best = np.zeros((height, width), dtype=np.float32)
    total = np.zeros((height, width), dtype=np.float32)
    owner = np.full((height, width), -1, dtype=np.int8)
    row = lanes * height // slots
    in_row = np.bincount(np.arange(slots) * height // slots, minlength=height)[:, None]
    for number in range(len(names)):
        mine = np.flatnonzero(owner_of == number)
        share = _coverage(row[mine], starts[mine] - begin, stops[mine] - begin, end - begin, (height, width))
        share /= in_row
        larger = share > best
        best[larger], owner[larger] = share[larger], number
        total += share
    nodes = len(set(times.node.codes[chosen].tolist()))
    return SlotTimeline(names, np.minimum(total, 1), owner, slots, nodes, begin, end)


def _is_open(times: AttemptTimes) -> NDArray[np.bool_]:
    """Return whether each attempt has not ended."""
    states = [code for code, state in enumerate(times.state.texts) if state in OPEN_STATES]
    found: NDArray[np.bool_] = np.isin(times.state.codes, states)
    return found


def _owners(
    times: AttemptTimes, chosen: NDArray[np.intp], lengths: NDArray[np.int64], most: int
) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Return names, and for each attempt the position of its name."""
    codes = times.benchmark.codes[chosen]
    spent = np.bincount(codes, weights=lengths, minlength=len(times.benchmark.texts))
    ranked = [int(code) for code in np.argsort(-spent, kind="stable") if spent[code] > 0]
    names = [times.benchmark.texts[code] for code in ranked[:most]]
    position = np.full(len(times.benchmark.texts), len(names), dtype=np.int64)
    position[ranked[:most]] = np.arange(len(names))
    if len(ranked) > most:
        names.append(OTHERS)
    found = np.where((times.accepted | _is_open(times))[chosen], position[codes], len(names))
    return ((*names, DISCARDED) if (found == len(names)).any() else tuple(names)), found


def _lanes(times: AttemptTimes, chosen: NDArray[np.intp]) -> tuple[NDArray[np.int64], int]:
    """Return the number of each attempt's slot, in the order of nodes and slots, and how many there are."""
    ordered = sorted(range(len(times.node.texts)), key=lambda code: natural(times.node.texts[code]))
    rank = np.empty(len(ordered), dtype=np.int64)
    rank[ordered] = np.arange(len(ordered))
    slot = times.slot[chosen] + 1
    key = rank[times.node.codes[chosen]] * (int(slot.max()) + 1) + slot
    found, lanes = np.unique(key, return_inverse=True)
    return lanes.astype(np.int64), len(found)


def natural(text: str) -> tuple[tuple[int, int | str], ...]:
    """Return a key that sorts ``n2`` before ``n10``."""
    return tuple((0, int(part)) if part.isdigit() else (1, part) for part in re.split(r"(\d+)", text) if part)


def _coverage(
    row: NDArray[np.int64],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    span: int,
    shape: tuple[int, int],
) -> NDArray[np.float32]:
    """Return how much of each cell intervals cover: 1 where one covers all of it, the sum of all that do."""
    height, width = shape
    edges = np.zeros((height, width + 1), dtype=np.float64)
    for moments, sign in ((starts, 1.0), (stops, -1.0)):
        place = np.clip(moments / span * width, 0, width)
        column = np.minimum(place.astype(np.int64), width - 1)
        inside = place - column
        np.add.at(edges, (row, column), sign * (1 - inside))
        np.add.at(edges, (row, column + 1), sign * inside)
    found: NDArray[np.float32] = np.maximum(np.cumsum(edges[:, :-1], axis=1), 0).astype(np.float32)
    return found


def concurrent_runs(times: AttemptTimes, *, spans: int) -> ConcurrentRuns | None:
    """Return the number of accepted runs at once over time; None if none was timed."""
    timed = np.flatnonzero(times.accepted & (times.run_start_us > 0) & (times.run_stop_us > 0))
    if not timed.size:
        return None
    starts, stops, codes = times.run_start_us[timed], times.run_stop_us[timed], times.benchmark.codes[timed]
    edges = np.linspace(starts.min(), max(stops.max(), starts.min() + 1), spans + 1).astype(np.int64)
    first = {code: starts[codes == code].min() for code in np.unique(codes).tolist()}
    most = {}
    for code in sorted(first, key=lambda one: first[one]):
        mine = codes == code
        moments, place = np.unique(np.concatenate([starts[mine], stops[mine]]), return_inverse=True)
        change = np.repeat([1, -1], mine.sum())
        levels = np.cumsum(np.bincount(place, weights=change)).astype(np.int64)
        most[times.benchmark.texts[code]] = _largest(moments, levels, edges)
    return ConcurrentRuns(edges, most)


def _largest(
    moments: NDArray[np.int64], levels: NDArray[np.int64], edges: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the largest level of a step function in each span."""
    span = np.clip(np.searchsorted(edges, moments, side="right") - 1, 0, len(edges) - 2)
    largest = np.zeros(len(edges) - 1, dtype=np.int64)
    np.maximum.at(largest, span, levels)
    before = np.searchsorted(moments, edges[:-1], side="right") - 1  # the level that a span begins with
    carried = np.where(before >= 0, levels[np.maximum(before, 0)], 0)
    found: NDArray[np.int64] = np.maximum(largest, carried)
    return found
