"""Nodes and walltime of blocks, and the ranges of them that a site allows."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from orchestrator.wording import count_of
from sites.quantities import shown


@dataclass(frozen=True, slots=True)
class BlockShape:
    """Nodes of a block, and how long it may hold them, in seconds."""

    nodes: int
    walltime: float

    @property
    def node_seconds(self) -> float:
        """Most that a block of this shape costs."""
        return self.nodes * self.walltime

    def promised(self, held: float) -> float:
        """Return the node-seconds that a block may still take, by how long it has held its nodes."""
        return self.nodes * max(0.0, self.walltime - held)

    def __str__(self) -> str:
        """Return it as people read it."""
        return f"{count_of(self.nodes, 'node')} for {shown(self.walltime)}"


@dataclass(frozen=True, slots=True)
class BlockRange:
    """Shapes among which an engine chooses those of its blocks.

    Parameters
    ----------
    most, least
        Largest and smallest nodes and walltime.
    slots_per_node
        Instances that a node runs at a time; below 1 for instances of several nodes.
    full_blocks
        Blocks at a time that hold together what is left.
    max_blocks
        Blocks at a time, those for holes included.
    """

    most: BlockShape
    least: BlockShape
    slots_per_node: Fraction
    full_blocks: int
    max_blocks: int

    @property
    def varies(self) -> bool:
        """True if there is more than one shape."""
        return self.least != self.most

    @property
    def corners(self) -> tuple[BlockShape, ...]:
        """The largest and the smallest shape, and between them those with one end of each range."""
        most, least = self.most, self.least
        mixed = BlockShape(most.nodes, least.walltime), BlockShape(least.nodes, most.walltime)
        return tuple(dict.fromkeys((most, *mixed, least)))

    def slots(self, nodes: int) -> int:
        """Return how many instances a block of so many nodes runs at a time."""
        return int(nodes * self.slots_per_node)

    def usable(self, nodes: int) -> int:
        """Return how many of so many nodes instances can use: those of whole instances."""
        return nodes - nodes % self.slots_per_node.denominator

    def nodes_for(self, instances: int) -> int:
        """Return the nodes of a block that runs so many instances at a time, or as many as it can."""
        needed = -(-instances * self.slots_per_node.denominator // self.slots_per_node.numerator)
        return max(self.least.nodes, min(self.most.nodes, needed))
