"""What the rest of the orchestrator needs of an execution engine."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any, Protocol

from db.records import BlockRecord


class Engine(Protocol):
    """Runs orders on slots of one shape."""

    def start(self) -> None:
        """Acquire slots; raises `EngineError` if that cannot work."""

    def submit(self, order: dict[str, Any]) -> Future[dict[str, Any]]:
        """Queue an order; the future gives its final report, or an exception if its worker was lost."""

    def blocks(self) -> list[BlockRecord]:
        """Return the blocks asked for so far."""

    def check(self) -> None:
        """Raise `EngineError` if the engine can no longer run anything."""

    def stop(self) -> None:
        """Give all slots back; what still runs there is ended."""
