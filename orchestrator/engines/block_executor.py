"""Interface of an executor that holds blocks and their worker pools, as `ParslBlocks` needs it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class ConnectedPool:
    """A connected worker pool: its name, its block, and how many orders it holds."""

    name: str
    block: str
    orders: int


@dataclass(frozen=True, slots=True)
class BlockReport:
    """A block as Parsl sees it: the name of its state, whether that is final, and messages."""

    state: str
    terminal: bool
    message: str | None = None
    stderr: str | None = None


class BlockExecutor(Protocol):
    """Interface of an executor that holds blocks and their worker pools."""

    @property
    def label(self) -> str:
        """Name of the slot shape."""

    @property
    def job_ids(self) -> Mapping[str, object]:
        """The job id of every block that was submitted; other threads add to it."""

    def reports(self) -> dict[str, BlockReport]:
        """Return what is known of every block, refused ones included."""

    def request_block(self) -> bool:
        """Submit one block; return whether the scheduler took it."""

    def pools(self) -> list[ConnectedPool] | None:
        """Return the connected worker pools; None while they cannot be listed."""

    def hold(self, pool: str) -> None:
        """Give a worker pool no more orders."""

    def local_stderr(self, block: str) -> str:
        """Return the last that a local block wrote to standard error, and in which file it stands."""
