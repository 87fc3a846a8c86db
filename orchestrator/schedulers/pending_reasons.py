"""Reasons for which schedulers leave a job waiting for ever, or for long, and what to change."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

PATIENCE_SECONDS = 1800.0
"""How long a block waits for a reason that may pass, until the driver names it as an event."""


@dataclass(frozen=True, slots=True)
class PendingReason:
    """One reason that a scheduler gives for a waiting job.

    Parameters
    ----------
    pattern
        Regular expression of the scheduler's own words.
    advice
        What to do, as part of a sentence.
    hopeless
        Whether only the user can change it; otherwise it may pass, as when other jobs end.
    """

    pattern: str
    advice: str
    hopeless: bool = False


# Advice that several batch systems share.
SHORTER = "write a shorter scheduler.walltime, or another partition, account or qos, into a site file"
SMALLER = "write fewer scheduler.nodes_per_block, or another partition, account or qos, into a site file"
SHARED = "it waits for other jobs of the user, account or qos; fewer scheduler.max_blocks or nodes need less"
DOWN = "ask the machine's staff when the nodes are back, or name others in the site file"
ACCOUNT = "write an account, partition and qos into the site file that may be used together"


def find_pending_reason(table: Sequence[PendingReason], words: str) -> PendingReason | None:
    """Return the entry of a table for a scheduler's words; None for ordinary waiting."""
    return next((one for one in table if re.fullmatch(one.pattern, words.strip())), None)
