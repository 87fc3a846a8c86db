"""Interface of an execution engine, as the rest of the orchestrator needs it."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Protocol

from db.events import EventKind
from db.records import BlockRecord
from orchestrator.planning.stage import Stage
from orchestrator.protocol.order import AttemptOrder
from orchestrator.protocol.report import AttemptReport

OnEnd = Callable[[str, AttemptReport | Exception], None]
"""Takes an order's token, and the final report or why there is none, such as a lost worker; on any thread."""


@dataclass(frozen=True, slots=True)
class EngineMessage:
    """An event of a block, or of the scheduler.

    Parameters
    ----------
    subject
        Name of the block; empty for the scheduler.
    data
        Facts for programs.
    """

    kind: EventKind
    text: str
    subject: str = ""
    data: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class ExpectedWork:
    """How long the unfinished instances of an engine are expected to take.

    Parameters
    ----------
    seconds
        Of all instances, one after another.
    shortest, longest
        Seconds that a block must have left so that the shortest instance starts there, and the longest.
    """

    seconds: float
    shortest: float
    longest: float


@dataclass(frozen=True, slots=True)
class Allowance:
    """Cost that a campaign's budget leaves for further blocks; infinite without a limit.

    Parameters
    ----------
    node_seconds
        Without those that blocks which run or wait may still take, until their walltimes end.
    seconds
        Until no further instance starts.
    """

    node_seconds: float = math.inf
    seconds: float = math.inf


UNLIMITED = Allowance()


class WorkerPools(Protocol):
    """Worker pools of an engine, or of several."""

    def drain_pool(self, pool: str) -> None:
        """Give a worker pool no more orders: its block is about to end."""

    def exclude_node(self, pool: str, node: str) -> None:
        """Drain a node's worker pool, named as in its reports, and request no more blocks with the node."""

    def queued_by_pool(self) -> dict[str, int]:
        """Return how many orders each connected worker pool holds, running ones included, if known."""

    def replace_pools(self, stalled: Mapping[str, str]) -> Collection[str]:
        """Lose the orders of worker pools that start none any more, and replace these pools.

        Called every few seconds with all pools that are stalled now; a pool that is missing from a later
        call starts orders again.

        Parameters
        ----------
        stalled
            Reason for each pool, for the user; empty if it was given before.

        Returns
        -------
        collection of str
            Those that are replaced; of several engines, some may have failed.

        Raises
        ------
        EngineError
            If only a new engine can replace a pool.
        """


class Engine(WorkerPools, Protocol):
    """Runs orders on slots of one shape."""

    def start(self) -> None:
        """Acquire slots; raises `EngineError` if that cannot work."""

    def scale(
        self, left: int, expected: ExpectedWork | None = None, allowance: Allowance = UNLIMITED
    ) -> None:
        """Hold as many blocks as `left` unfinished instances can fill, within the site's limit.

        Where the site gives ranges, shapes are chosen by how long the instances are expected to take, if
        that is known, and cost no more than the budget leaves. Called about once a second. Raises
        `EngineError` if no more blocks may be requested, `AllocationEndedError` where the end of the driver's
        own allocation is why, and `BudgetTooSmallError` where no block is left and the budget pays for none.
        """

    def promised_node_seconds(self) -> float:
        """Return what blocks that run or wait may still take, until their walltimes end.

        It is 0 without a batch system, where a session holds its host for as long as it runs.
        """

    def change(self, stage: Stage) -> None:
        """Request further blocks with other settings of the site, and give those without nodes back.

        Blocks with nodes keep them, and slots and nodes of a block are the same.
        """

    def leave_out(self, nodes: tuple[str, ...]) -> None:
        """Request further blocks without these nodes, and with all others that were left out before."""

    def open_slots(self) -> int:
        """Return how many instances run at a time on worker pools that take orders.

        All slots of a block count that has nodes and whose worker pools have not connected yet.
        """

    def submit(self, order: AttemptOrder, on_end: OnEnd) -> None:
        """Queue an order; `on_end` is called at its end, on any thread, perhaps before this returns.

        It is never called twice, and not for orders that `stop` leaves.
        """

    def blocks(self) -> list[BlockRecord]:
        """Return the blocks requested so far."""

    def messages(self) -> list[EngineMessage]:
        """Return what happened to blocks since the last call."""

    def check(self) -> None:
        """Raise `EngineError` if the engine can no longer run anything."""

    def stop(self) -> None:
        """Release all slots, and end what still runs there."""
