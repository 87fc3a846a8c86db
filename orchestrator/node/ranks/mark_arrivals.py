"""When a rank's marks arrived at the process that started it, and the CPU time that it had used by then.

A training sets its marks by its own clock, which whoever runs it can bend. The dates of arrival are by the
clock of the supervisor or agent, and the CPU time is the kernel's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from orchestrator.node.ranks.results import combine_marks
from orchestrator.protocol.report import ARRIVALS, CPU_AT_MARKS
from workloads.context import Clock

_LATE_US = 1_000_000  # a supervisor looks once a second, and when something arrives


class MarkArrivals:
    """Dates the marks of a rank as they arrive.

    Attributes
    ----------
    at_us
        UTC microseconds of each mark's arrival.
    cpu_seconds
        CPU seconds of the rank's processes at the arrival of the marks in `CPU_AT_MARKS`.
    unread_seconds
        The longest time without a look in which a mark arrived that was read more than a second late; 0
        without any. A supervisor stands still where the run directory's file system does.
    """

    def __init__(self) -> None:
        self.at_us: dict[str, int] = {}
        self.cpu_seconds: dict[str, float] = {}
        self.unread_seconds = 0.0
        self._clock = Clock()
        self._looked_us = self._clock.now_us()

    def looked(self) -> None:
        """Note that all marks that have arrived are read."""
        self._looked_us = self._clock.now_us()

    def note(self, mark: str, at_us: int) -> bool:
        """Date a mark that arrives now; return whether the CPU time of now is that of the mark.

        Parameters
        ----------
        at_us
            Its date by the training's clock, UTC microseconds.
        """
        self.at_us[mark] = now_us = self._clock.now_us()
        unread_us = now_us - self._looked_us
        if unread_us > _LATE_US and now_us - at_us > _LATE_US:
            self.unread_seconds = max(self.unread_seconds, unread_us / 1e6)
            return False
        return mark in CPU_AT_MARKS

    def read_cpu(self, mark: str, used_seconds: Callable[[], float | None]) -> None:
        """Keep the CPU time of the rank's processes so far, which a function returns if it is known."""
        if (seconds := used_seconds()) is not None:
            self.cpu_seconds[mark] = seconds


def arrival_fields(timed: Sequence[Any], ranks: Sequence[Any]) -> dict[str, Any]:
    """Return the arrivals of an attempt's marks as fields of its report.

    As with the marks themselves, an attempt starts with its first rank and stops with its last. CPU times of
    the ranks are added up; where a rank lacks the reading, the attempt has none.

    Parameters
    ----------
    timed
        Ranks whose marks are the attempt's, with `arrivals` and `mark_cpu_seconds`, by mark.
    ranks
        All ranks, where their CPU times were read at these marks; else none.
    """
    if not timed:
        return {}
    times = combine_marks([rank.arrivals for rank in timed])
    known = [rank.mark_cpu_seconds for rank in ranks]
    used = {mark: [one[mark] for one in known if mark in one] for mark in CPU_AT_MARKS}
    return {ARRIVALS[mark]: at for mark, at in times.items() if mark in ARRIVALS} | {
        field: round(sum(used[mark]), 2)
        for mark, field in CPU_AT_MARKS.items()
        if ranks and len(used[mark]) == len(ranks)
    }
