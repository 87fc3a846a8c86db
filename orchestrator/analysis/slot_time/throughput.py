"""Instances that ended over the time of a campaign: accepted attempts, and those that were not accepted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from db.queries.attempt_times import AttemptTimes

_SECOND_US = 1_000_000
_STEPS = tuple(
    seconds * _SECOND_US
    for seconds in (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400)
)
"""Lengths of a step that people read easily, microseconds."""
_ENDS_PER_STEP = 2
"""Mean number of ends in a step, so that single ends do not look like changes of the pace."""


@dataclass(frozen=True, slots=True, eq=False)
class Throughput:
    """Numbers of attempts that ended in steps of equal length; the last one ends with the campaign's time.

    Parameters
    ----------
    begin_us, end_us
        First start of a process and end of the time that is looked at, UTC microseconds.
    step_us
        Length of a step, microseconds; the last has the rest too, as few ends in a short one are no pace.
    accepted, others
        Attempts that ended in each step: those that count, and those that failed or were lost.
    """

    begin_us: int
    end_us: int
    step_us: int
    accepted: NDArray[np.int64]
    others: NDArray[np.int64]

    @property
    def edges_us(self) -> NDArray[np.int64]:
        """Limits of the steps, UTC microseconds."""
        inner = self.begin_us + self.step_us * np.arange(len(self.accepted), dtype=np.int64)
        return np.append(inner, self.end_us)

    def per_second(self, ended: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return numbers of attempts ÷ the length of their steps."""
        rates: NDArray[np.float64] = ended * 1e6 / np.maximum(np.diff(self.edges_us), 1)
        return rates


def throughput(times: AttemptTimes, *, steps: int, until_us: int | None = None) -> Throughput | None:
    """Return how many attempts ended in each of at most `steps` steps; None if none ended.

    Parameters
    ----------
    until_us
        End of the time that is looked at, UTC microseconds; None for the last end.
    """
    stops = np.where(times.process_stop_us > 0, times.process_stop_us, times.received_us)
    ended = np.flatnonzero((times.process_start_us > 0) & (stops > 0))
    if not ended.size:
        return None
    begin = int(times.process_start_us[times.process_start_us > 0].min())
    moments = np.maximum(stops[ended], begin)
    end = max(until_us or 0, int(moments.max()), begin + 1)
    step = _step_us(end - begin, min(steps, max(ended.size // _ENDS_PER_STEP, 1)))
    number = max((end - begin) // step, 1)
    place = np.minimum((moments - begin) // step, number - 1)
    accepted = times.accepted[ended]
    return Throughput(
        begin, end, step,
        np.bincount(place[accepted], minlength=number),
        np.bincount(place[~accepted], minlength=number),
    )  # fmt: skip


def _step_us(span_us: int, most: int) -> int:
    """Return the length of the shortest steps of which at most a number fill a span."""
    days = -(-span_us // (most * _STEPS[-1])) * _STEPS[-1]
    return next((step for step in _STEPS if step * most >= span_us), days)
