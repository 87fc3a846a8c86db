"""Nodes on which attempts only fail."""

from __future__ import annotations

from dataclasses import dataclass

FAILURES_OF_A_NODE = 4


@dataclass(frozen=True, slots=True)
class FailingNode:
    """A node that only ever fails.

    Parameters
    ----------
    name
        The node's.
    pool
        The worker pool that serves it now.
    failures, message
        How often it failed in a row, and how the last attempt ended.
    """

    name: str
    pool: str
    failures: int
    message: str

    def __str__(self) -> str:
        return f"node {self.name} is set aside after {self.failures} failures in a row: {self.message}"
