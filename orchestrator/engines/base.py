"""What the rest of the orchestrator needs of an execution engine."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from typing import Protocol

from db.records import BlockRecord
from orchestrator.protocol.order import AttemptOrder
from orchestrator.protocol.report import AttemptReport


class Engine(Protocol):
    """Runs orders on slots of one shape."""

    def start(self) -> None:
        """Acquire slots; raises `EngineError` if that cannot work."""

    def scale(self, left: int) -> None:
        """Hold as many blocks as `left` unfinished instances can fill, within the site's limit.

        Called about once a second. Raises `EngineError` if no more blocks can be had.
        """

    def retire(self, pool: str) -> None:
        """Give a worker pool no more work: its block is about to end."""

    def submit(self, order: AttemptOrder) -> Future[AttemptReport]:
        """Queue an order; the future gives its final report, or an exception if its worker was lost."""

    def blocks(self) -> list[BlockRecord]:
        """Return the blocks asked for so far."""

    def news(self) -> list[str]:
        """Return what happened to blocks since the last call, in words for the user."""

    def set_aside(self, pool: str, node: str) -> None:
        """Give a node's worker pool, as its reports name it, no more work; avoid the node in later blocks."""

    def orders(self) -> dict[str, int]:
        """Return how many orders each worker pool that is heard of holds, as far as that is known."""

    def give_up(self, standing: Mapping[str, str]) -> None:
        """Lose the orders of the worker pools that start none now, and have others in their place.

        Called again and again, with words for the user where they are not told yet. A pool that is no
        longer named has gone on. Raises `EngineError` where only a new engine can replace one.
        """

    def check(self) -> None:
        """Raise `EngineError` if the engine can no longer run anything."""

    def stop(self) -> None:
        """Give all slots back; what still runs there is ended."""
