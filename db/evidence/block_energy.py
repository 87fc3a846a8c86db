"""The energy of a campaign's blocks, as the batch system accounted for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from db.events import EventKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from db.plain import RowReader

Key = tuple[int, str, str]
"""Session, slot shape and number of a block."""


@dataclass(frozen=True, slots=True)
class BlockEnergy:
    """Energy of blocks, as far as the ledger has it.

    Parameters
    ----------
    joules
        By block that was asked for; None where the batch system states none.
    reasons
        Why the batch system states the energy of no job; each once.
    """

    joules: Mapping[Key, float | None] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data: joules in all, of how many blocks, and why others have none."""
        known = [one for one in self.joules.values() if one is not None]
        return {
            "joules": sum(known) if known else None,
            "blocks": len(self.joules),
            "stated": len(known),
            "reasons": list(self.reasons),
        }

    def __str__(self) -> str:
        known = [one for one in self.joules.values() if one is not None]
        parts = list(self.reasons)
        if self.joules:
            stated = f"of {len(known):,} of {len(self.joules):,} blocks"
            parts = [f"{sum(known):.6g} J {stated}" if known else f"none stated {stated}", *parts]
        text = "; ".join(parts)
        return f"energy by the batch system's accounting, of whole blocks: {text}" if text else ""


def block_energy(reader: RowReader, campaign_id: int) -> BlockEnergy:
    """Return the energy of a campaign's blocks; it is charged to no attempt, as a block runs many."""
    joules: dict[Key, float | None] = {}
    reasons: dict[str, None] = {}
    for event in reader.events(campaign_id, kinds=[EventKind.BLOCK_ENERGY]):
        data = event.data or {}
        if "block" in data:
            joules[data["session"], data["slot_shape"], data["block"]] = data["joules"]
        elif "reason" in data:
            reasons[data["reason"]] = None
    return BlockEnergy(joules, tuple(reasons))
