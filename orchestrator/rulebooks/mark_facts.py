"""Facts about the marks of accepted instances that supervisors saw, beside what the trainings reported."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkFacts:
    """The extremes of the accepted instances of a benchmark; None where none was measured.

    Parameters
    ----------
    undated
        Instances with a mark whose arrival no supervisor dated.
    disordered
        Instances with marks that stop before they start.
    without_interval
        Instances without a timed interval.
    refused
        Reports that supervisors refused, in words.
    latest_seconds, earliest_seconds
        The longest and the shortest time from the date of a mark until it arrived; negative if it arrived
        before its date. The longest is without the time for which its supervisor stood still.
    unread_seconds
        The longest time for which a supervisor stood still, so that it read a mark late.
    stretch_seconds
        By how much a timed interval between arrivals is longer than between marks.
    shortest_seconds
        The shortest timed interval.
    busiest_share
        Most CPU time of an instance between marks, as a share of what the cores of its slot have in that time
        and a second.
    before_seconds
        The longest time from the start of the processes until that of the run, or until they wait for it at a
        start barrier.
    cpu_before_seconds, cpu_after_seconds
        Most CPU time of a rank before the start of the run, and after the stop: of a rank that is known to
        have used much, else the mean of an instance's ranks.
    after_seconds
        The longest time from the stop of a run until its processes, and lines of ``instance_teardown``, had
        ended.
    teardown_seconds
        The longest time of these lines, as supervisors measured it.
    after_window_seconds
        The longest time from the stop of the window until that of the run.
    phases_after_seconds
        The longest sum of the phases that may lie there: evaluation, validation, checkpoints.
    """

    undated: int = 0
    disordered: int = 0
    without_interval: int = 0
    refused: frozenset[str] = frozenset()
    latest_seconds: float | None = None
    earliest_seconds: float | None = None
    unread_seconds: int = 0
    stretch_seconds: float | None = None
    shortest_seconds: float | None = None
    busiest_share: float | None = None
    before_seconds: float | None = None
    cpu_before_seconds: float | None = None
    cpu_after_seconds: float | None = None
    after_seconds: float | None = None
    after_window_seconds: float | None = None
    phases_after_seconds: float = 0.0
    teardown_seconds: float = 0.0
