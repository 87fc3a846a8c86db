"""Times of other nodes of an instance, in the clock of its supervisor.

An agent tells its time when it starts and when its ranks end. The supervisor knows when it started the
agents and when it read what they told: between the two stands each of these times, and so how far the
agent's clock is ahead lies between bounds some seconds apart. A clock that may be right is taken as it
is. One that is off for certain is corrected so that the instance ran no longer than is certain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from orchestrator.node.rank_process import BEGINNINGS

_WINDOWS = (("run_start", "run_stop"), ("window_start", "window_stop"))


@dataclass(frozen=True, slots=True)
class Ahead:
    """How far a node's clock is ahead of the supervisor's: at least, and at most, in microseconds."""

    low_us: int = 0
    high_us: int = 0

    @property
    def off(self) -> bool:
        """Whether the clock is wrong for certain."""
        return not self.low_us <= 0 <= self.high_us

    def instant(self, at_us: int) -> int:
        """Return an instant in the supervisor's clock, as near as is known."""
        return at_us - (self.low_us + self.high_us) // 2 if self.off else at_us

    def marks(self, marks: Mapping[str, int]) -> dict[str, int]:
        """Return marks in the supervisor's clock: beginnings at the latest, ends at the earliest.

        A run or a window that may have been no longer than nothing becomes an instant.
        """
        if not self.off:
            return dict(marks)
        moved = {
            name: at - (self.low_us if name in BEGINNINGS else self.high_us) for name, at in marks.items()
        }
        for begin, end in _WINDOWS:
            if begin in moved and end in moved and moved[begin] > moved[end]:
                moved[begin] = moved[end] = (moved[begin] + moved[end]) // 2
        return moved


def ahead(times_us: Iterable[int], began_us: int, read_us: int) -> Ahead:
    """Return the bounds that hold for a node's clock.

    Parameters
    ----------
    times_us
        Instants that its agent told; without any, nothing is known and nothing is corrected.
    began_us, read_us
        When the agents were started and when their words were read, by the supervisor's clock.
    """
    told = sorted(times_us)
    if not told:
        return Ahead()
    bounds = sorted((told[-1] - read_us, told[0] - began_us))  # a clock that was set contradicts itself
    return Ahead(*bounds)
