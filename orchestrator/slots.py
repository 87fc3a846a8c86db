"""Cutting a node into slots of one shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.errors import CampaignError


@dataclass(frozen=True, slots=True)
class SlotShape:
    """What one instance occupies: logical CPUs, and bytes of memory (None: no limit)."""

    cores: int
    memory_bytes: int | None = None

    @property
    def label(self) -> str:
        """Short name, fit for a file name, e.g. ``c2-4096m``."""
        if not self.memory_bytes:
            return f"c{self.cores}"
        mebibytes, rest = divmod(self.memory_bytes, 2**20)
        return f"c{self.cores}-{self.memory_bytes}b" if rest else f"c{self.cores}-{mebibytes}m"


def partition(cores: Sequence[int], memory_bytes: int, shape: SlotShape) -> tuple[tuple[int, ...], ...]:
    """Cut a node's cores into slots.

    Parameters
    ----------
    cores
        Logical CPU numbers that instances may use, in the order they are handed out.
    memory_bytes
        Memory that instances may use together.
    shape
        What one slot needs.

    Returns
    -------
    tuple of tuple of int
        One tuple of core numbers per slot; no core stands twice.

    Raises
    ------
    CampaignError
        If not even one slot fits.
    """
    by_cores = len(cores) // shape.cores
    if by_cores == 0:
        raise CampaignError(f"a slot needs {shape.cores} cores, the node offers {len(cores)}")
    by_memory = memory_bytes // shape.memory_bytes if shape.memory_bytes else by_cores
    if by_memory == 0:
        raise CampaignError(
            f"a slot needs {_gib(shape.memory_bytes or 0)} of memory, the node offers {_gib(memory_bytes)}"
        )
    return tuple(
        tuple(cores[k * shape.cores : (k + 1) * shape.cores]) for k in range(min(by_cores, by_memory))
    )


def _gib(size: int) -> str:
    return f"{size / 2**30:.1f} GiB"
