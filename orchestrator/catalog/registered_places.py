"""Where a registered benchmark runs, from the ledger."""

from __future__ import annotations

import json
from typing import Any


def registered_places(slot: str) -> dict[str, dict[str, Any]]:
    """Return the slots of a benchmark by the pool that serves it, its main one first.

    Parameters
    ----------
    slot
        As the ledger has it; a site without pools has one place without a name.
    """
    first: dict[str, Any] = json.loads(slot)
    return {one.get("pool") or "": one for one in (first, *first.get("others", ()))}
