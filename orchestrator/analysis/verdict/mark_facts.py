"""Gathers facts about the marks of a benchmark's accepted instances that supervisors saw."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from db.evidence.mark_times import MarkTimes, longest_before_us
from db.evidence.runs import metric_ranges
from orchestrator.analysis.base.overlap import MICROSECONDS
from orchestrator.catalog.registered_site import registered_places
from orchestrator.protocol.report import BUSY_BEFORE_SECONDS, REFUSED_REPORTS, UNREAD_SECONDS
from orchestrator.rulebooks.mark_facts import MarkFacts
from orchestrator.rulebooks.mark_rules import MOST_UNREAD_SECONDS, STATED_AFTER_SECONDS, STATED_BEFORE_SECONDS

if TYPE_CHECKING:
    from db.plain import RowReader
    from orchestrator.analysis.verdict.gathering import Gathered
    from orchestrator.protocol.report import Observed

_TEARDOWN = "instance_teardown"
_PHASES_AFTER = ("evaluate_seconds", "validate_seconds", "checkpoint_seconds")


def mark_facts(reader: RowReader, gathered: Gathered, observed: Sequence[Observed]) -> MarkFacts:
    """Return what supervisors saw of the marks of a benchmark's accepted instances.

    Parameters
    ----------
    observed
        Observations of the groups of its accepted attempts, in their order.
    """
    groups = gathered.accepted.groups
    of_all = MarkTimes.combined(one.marks for one in groups)
    nodes = max(
        (one.get("nodes", 1) for one in registered_places(gathered.benchmark.slot).values()), default=1
    )
    ranks = [len(one.ranks or ()) or 1 for one in observed]
    shares = [
        one.marks.busiest / (nodes * len(one.cores.split(",")))
        for one in groups
        if one.marks.busiest is not None and one.cores
    ]
    unread = [_most(UNREAD_SECONDS, one) for one in observed]
    busiest = max((_most(BUSY_BEFORE_SECONDS, one) for one in observed), default=0)
    cpu_before = _most_of_a_rank([one.marks.before_cpu_seconds for one in groups], ranks)
    late = [
        one.marks.latest_us / MICROSECONDS - min(seconds, MOST_UNREAD_SECONDS)
        for one, seconds in zip(groups, unread, strict=True)
        if one.marks.latest_us is not None
    ]
    after_window, before = _seconds(of_all.after_window_us), _seconds(of_all.before_us)
    after = _seconds(of_all.after_us)
    has_teardown = any(_TEARDOWN in (one.facts.get("hooks") or ()) for one in observed)
    if before is not None and before > STATED_BEFORE_SECONDS:
        row = gathered.benchmark
        before = _seconds(longest_before_us(reader, row.campaign_id, row.benchmark))
    return MarkFacts(
        undated=of_all.undated,
        disordered=of_all.disordered,
        without_interval=sum(one.number for one in groups) - of_all.with_interval,
        refused=frozenset(
            str(one.facts[REFUSED_REPORTS])
            for whole in observed
            for one in (whole, *(whole.ranks or ()))
            if one.facts.get(REFUSED_REPORTS)
        ),
        latest_seconds=max(late, default=None),
        unread_seconds=max(unread, default=0),
        earliest_seconds=_seconds(of_all.earliest_us),
        stretch_seconds=_seconds(of_all.stretch_us),
        shortest_seconds=_seconds(of_all.shortest_us),
        busiest_share=max(shares, default=None),
        before_seconds=before,
        cpu_before_seconds=None if cpu_before is None else max(cpu_before, busiest),
        cpu_after_seconds=_most_of_a_rank([one.marks.after_cpu_seconds for one in groups], ranks),
        after_seconds=after,
        after_window_seconds=after_window,
        phases_after_seconds=_longest_together(reader, gathered, _PHASES_AFTER)
        if after_window is not None and after_window > STATED_AFTER_SECONDS
        else 0.0,
        teardown_seconds=_longest_together(reader, gathered, [f"{_TEARDOWN}_seconds"])
        if has_teardown and after is not None and after > STATED_AFTER_SECONDS
        else 0.0,
    )


def _most(fact: str, observed: Observed) -> int:
    """Return the largest whole number that is a fact of an attempt or of one of its ranks; 0 without any."""
    stated = (one.facts.get(fact) for one in (observed, *(observed.ranks or ())))
    return max((seconds for seconds in stated if isinstance(seconds, int)), default=0)


def _most_of_a_rank(seconds: Sequence[float | None], ranks: Sequence[int]) -> float | None:
    """Return the most seconds for each rank; `ranks` has how many those of each element are."""
    shares = [one / number for one, number in zip(seconds, ranks, strict=True) if one is not None]
    return max(shares, default=None)


def _longest_together(reader: RowReader, gathered: Gathered, names: Iterable[str]) -> float:
    """Return the sum of the longest seconds that accepted instances have in each of several metrics."""
    known = metric_ranges(reader, gathered.benchmark.campaign_id).get(gathered.benchmark.benchmark, {})
    return sum(known[name][1] for name in names if name in known)


def _seconds(microseconds: int | None) -> float | None:
    return None if microseconds is None else microseconds / MICROSECONDS
