"""One result of a check."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: what, whether it is as it should be, and what was seen.

    `needed` is whether no block could be probed as long as it is not.
    """

    what: str
    good: bool
    seen: str
    needed: bool = False
