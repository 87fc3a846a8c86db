"""When and where every attempt of a campaign ran, as columns, and the scheduler jobs that held its nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import select

from db.connection.open_ledger import select_rows
from db.counted import select_superseded
from db.rows import Block
from db.tables import attempts, blocks, instances, metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from db.connection.open_ledger import OpenLedger

LOAD_METRIC = "load_seconds"


@dataclass(frozen=True, slots=True, eq=False)
class Names:
    """A column of texts: element i of the column is ``texts[codes[i]]``; an absent text is empty."""

    codes: NDArray[np.int64]
    texts: tuple[str, ...]

    def of(self, position: int) -> str:
        """Return one element."""
        return self.texts[int(self.codes[position])]


@dataclass(frozen=True, slots=True, eq=False)
class AttemptTimes:
    """One element per attempt, in the order of instances and attempts.

    Times are UTC microseconds, 0 where they were not measured: those of processes by the clock of the node,
    those of submission and receipt by the driver's.

    Parameters
    ----------
    index
        Number of the instance within its benchmark.
    accepted
        Whether it is the attempt that counts; none of a superseded instance does.
    superseded
        Whether it was accepted of an instance that is superseded.
    slot
        Slot on the node; -1 where it is not known.
    fom_seconds
        NaN where not measured.
    load_us
        Microseconds of the run that were spent loading data; 0 where not measured or not accepted.
    """

    benchmark: Names
    shape: Names
    block: Names
    node: Names
    state: Names
    session: NDArray[np.int64]
    index: NDArray[np.int64]
    slot: NDArray[np.int64]
    accepted: NDArray[np.bool_]
    superseded: NDArray[np.bool_]
    submitted_us: NDArray[np.int64]
    process_start_us: NDArray[np.int64]
    ready_us: NDArray[np.int64]
    run_start_us: NDArray[np.int64]
    run_stop_us: NDArray[np.int64]
    process_stop_us: NDArray[np.int64]
    received_us: NDArray[np.int64]
    fom_seconds: NDArray[np.float64]
    load_us: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.session)

    @property
    def timed(self) -> NDArray[np.bool_]:
        """True if it counts and has a usable FOM time."""
        return self.accepted & self._has_time

    @property
    def ever_timed(self) -> NDArray[np.bool_]:
        """True as for `timed`, also of superseded instances, whose times count for the longest."""
        return (self.accepted | self.superseded) & self._has_time

    @property
    def _has_time(self) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = np.isfinite(self.fom_seconds) & (self.fom_seconds > 0)
        return found

    def label(self, position: int) -> str:
        """Return the instance of an attempt, ``benchmark/number``."""
        return f"{self.benchmark.of(position)}/{self.index[position]}"


def attempt_times(reader: OpenLedger, campaign_id: int) -> AttemptTimes:
    """Return the times of every attempt of a campaign."""
    a, i = attempts.c, instances.c
    started = (a.submitted_us, a.process_start_us, a.ready_us, a.run_start_us)
    stopped = (a.run_stop_us, a.process_stop_us, a.received_us)
    texts = (i.benchmark, a.slot_shape, a.block_id, a.node, a.state)
    whole = (a.session_number, i.benchmark_index, a.slot_index, a.instance_id, a.attempt_number)
    statement = (
        select(*texts, *whole, i.accepted_attempt, *started, *stopped, a.fom_seconds)
        .select_from(attempts.join(instances))
        .where(a.campaign_id == campaign_id)
        .order_by(a.instance_id, a.attempt_number)
    )
    loaded = (
        select(metrics.c.instance_id, metrics.c.attempt_number, metrics.c.value)
        .select_from(metrics)
        .join(
            instances,
            (i.campaign_id == metrics.c.campaign_id)
            & (i.instance_id == metrics.c.instance_id)
            & (i.accepted_attempt == metrics.c.attempt_number),
        )
        .where(i.campaign_id == campaign_id, metrics.c.name == LOAD_METRIC, metrics.c.value > 0)
    )
    with reader.connection() as connection:
        rows: Sequence[Any] = connection.execute(statement).all()
        load = {(key, number): value for key, number, value in connection.execute(loaded)}
        superseded = set(connection.execute(select_superseded(campaign_id)).scalars())
    columns: list[Sequence[Any]] = list(zip(*rows, strict=True)) or [()] * len(statement.selected_columns)
    benchmark, shape, block, node, state = (_names(column) for column in columns[:5])
    session, index, slot, instance, number, accepted = columns[5:11]
    submitted, start, ready, run_start, run_stop, stop, received = (
        _whole(column, 0) for column in columns[11:18]
    )
    seconds = [load.get(key, 0.0) for key in zip(instance, number, strict=True)]
    is_accepted = np.array([one == two for one, two in zip(number, accepted, strict=True)], dtype=np.bool_)
    is_gone = np.array([key in superseded for key in instance], dtype=np.bool_)
    return AttemptTimes(
        benchmark=benchmark,
        shape=shape,
        block=block,
        node=node,
        state=state,
        session=_whole(session, 0),
        index=_whole(index, 0),
        slot=_whole(slot, -1),
        accepted=is_accepted & ~is_gone,
        superseded=is_accepted & is_gone,
        submitted_us=submitted,
        process_start_us=start,
        ready_us=ready,
        run_start_us=run_start,
        run_stop_us=run_stop,
        process_stop_us=stop,
        received_us=received,
        fom_seconds=np.array([np.nan if one is None else one for one in columns[18]], dtype=np.float64),
        load_us=np.round(np.minimum(np.array(seconds, dtype=np.float64), 1e9) * 1e6).astype(np.int64),
    )


def blocks_of(reader: OpenLedger, campaign_id: int) -> list[Block]:
    """Return every scheduler job of a campaign, in the order of requests."""
    with reader.connection() as connection:
        found = connection.execute(
            select_rows(Block).where(blocks.c.campaign_id == campaign_id).order_by(blocks.c.requested_us)
        )
        return [Block(*row) for row in found]


def environments_of(reader: OpenLedger, campaign_id: int) -> list[str]:
    """Return the keys of the documents with the software environments of the accepted attempts."""
    statement = (
        select(attempts.c.environment_sha256)
        .select_from(attempts.join(instances))
        .where(
            attempts.c.campaign_id == campaign_id,
            instances.c.accepted_attempt == attempts.c.attempt_number,
            attempts.c.environment_sha256.is_not(None),
        )
        .distinct()
    )
    with reader.connection() as connection:
        return sorted(connection.execute(statement).scalars())


def _names(column: Sequence[str | None]) -> Names:
    known: dict[str, int] = {}
    codes = [known.setdefault(text or "", len(known)) for text in column]
    return Names(np.array(codes, dtype=np.int64), tuple(known))


def _whole(column: Sequence[int | None], absent: int) -> NDArray[np.int64]:
    return np.array([absent if value is None else value for value in column], dtype=np.int64)
