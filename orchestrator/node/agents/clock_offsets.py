"""Convert times of other nodes of an attempt to the clock of its supervisor.

An agent writes its time when it starts and when its ranks end. Each of these instants lies between the
supervisor's start of the agents and its reading of their reports, which bounds how far the agent's clock
is ahead to some seconds. Times of a clock that may be right are not changed. Times of a clock that is
certainly wrong are corrected so that the attempt's duration is not overstated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from orchestrator.node.ranks.results import BEGIN_MARKS

_INTERVALS = (("run_start", "run_stop"), ("timed_window_start", "timed_window_stop"))


@dataclass(frozen=True, slots=True)
class ClockOffset:
    """Bounds, in microseconds, of how far a node's clock is ahead of the supervisor's."""

    low_us: int = 0
    high_us: int = 0

    @property
    def nonzero(self) -> bool:
        """True if the offset is certainly not 0."""
        return not self.low_us <= 0 <= self.high_us

    def instant(self, at_us: int) -> int:
        """Return an instant in the supervisor's clock; a certain offset is corrected by its middle."""
        return at_us - (self.low_us + self.high_us) // 2 if self.nonzero else at_us

    def marks(self, marks: Mapping[str, int]) -> dict[str, int]:
        """Return marks in the supervisor's clock: the latest possible beginnings, the earliest possible ends.

        An interval that may have had no length becomes one instant.
        """
        if not self.nonzero:
            return dict(marks)
        moved = {
            name: at - (self.low_us if name in BEGIN_MARKS else self.high_us) for name, at in marks.items()
        }
        for begin, end in _INTERVALS:
            if begin in moved and end in moved and moved[begin] > moved[end]:
                moved[begin] = moved[end] = (moved[begin] + moved[end]) // 2
        return moved


def offset_bounds(times_us: Iterable[int], started_us: int, read_us: int) -> ClockOffset:
    """Return the bounds of a node's clock offset.

    Parameters
    ----------
    times_us
        Instants by the node's clock, UTC microseconds; without any, the offset is taken as 0.
    started_us, read_us
        When the agents were started and their reports read, by the supervisor's clock.
    """
    reported = sorted(times_us)
    if not reported:
        return ClockOffset()
    # Sorted, as the bounds of a clock that was set meanwhile contradict each other.
    return ClockOffset(*sorted((reported[-1] - read_us, reported[0] - started_us)))
