"""How many instances of a campaign there are to run, and how many are through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from db.evidence.superseded import superseded_counts
from db.states import InstanceState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from db.reader import Reader


@dataclass(frozen=True, slots=True)
class InstanceTotals:
    """Numbers of instances, each counted as the verdict counts it.

    Parameters
    ----------
    total
        All but those that are cancelled, superseded, pruned or not needed: an instance in the place of
        another counts for both.
    done
        With an accepted attempt, superseded ones left out.
    exhausted, cancelled, superseded, not_needed, pruned
        Out of retries; cancelled by a user; accepted, but run again as new instances; without an attempt, as
        the campaign's questions had their answers, or as their trial was not among the best.
    """

    total: int
    done: int
    exhausted: int
    cancelled: int
    superseded: int
    not_needed: int = 0
    pruned: int = 0


def instance_totals(reader: Reader, campaign_id: int) -> InstanceTotals:
    """Return the numbers that every display of a campaign shows."""
    return totals_of(
        reader.instance_counts(campaign_id), sum(superseded_counts(reader, campaign_id).values())
    )


def totals_of(counts: Mapping[str, int], superseded: int) -> InstanceTotals:
    """Return the numbers from instances by state, and how many of the accepted ones are superseded."""
    cancelled = counts.get(InstanceState.CANCELLED, 0)
    not_needed = counts.get(InstanceState.NOT_NEEDED, 0)
    pruned = counts.get(InstanceState.PRUNED, 0)
    return InstanceTotals(
        total=sum(counts.values()) - cancelled - superseded - not_needed - pruned,
        done=counts.get(InstanceState.DONE, 0) - superseded,
        exhausted=counts.get(InstanceState.EXHAUSTED, 0),
        cancelled=cancelled,
        superseded=superseded,
        not_needed=not_needed,
        pruned=pruned,
    )


def left_to_run(counts: Mapping[str, int]) -> int:
    """Return how many instances wait or run, of the numbers in each state."""
    return counts.get(InstanceState.PLANNED, 0) + counts.get(InstanceState.IN_FLIGHT, 0)
