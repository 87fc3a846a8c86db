"""How the marks of accepted attempts agree with what their supervisors saw.

A training dates its marks by its own clock. Its supervisor dates their arrival, and reads the CPU time that
the processes had used by then; both are on one node.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from db.plain import RowReader

ARRIVAL_ALLOWANCE_SECONDS = 1.0
"""How long a mark takes to arrive at most, on a node that is busy."""
_MARKS = ("run_start", "timed_window_start", "timed_window_stop", "run_stop")
_IN_ORDER = (
    ("run_start", "run_stop"),
    ("timed_window_start", "timed_window_stop"),
    ("run_start", "timed_window_start"),
    ("timed_window_stop", "run_stop"),
)


@dataclass(frozen=True, slots=True)
class MarkTimes:
    """The extremes of accepted attempts; None where none was measured.

    Parameters
    ----------
    undated
        How many have a mark whose arrival is not known.
    disordered
        How many have marks that stop before they start.
    with_interval
        How many have a timed interval.
    latest_us, earliest_us
        The largest and the smallest time from the date of a mark until it arrived.
    stretch_us
        By how much a timed interval between arrivals is longer than between marks.
    shortest_us
        The shortest timed interval.
    busiest
        Most CPU time from the run's start to its stop, or to that of the window, as a share of that time and
        `ARRIVAL_ALLOWANCE_SECONDS`: how many cores were busy at least.
    before_us, before_cpu_seconds
        The longest time, and most CPU time, from the start of the processes until that of the run.
    after_us, after_cpu_seconds
        The longest time, and most CPU time, from the stop of the run until the processes had ended.
    after_window_us
        The longest time from the stop of the window until that of the run.
    """

    undated: int = 0
    disordered: int = 0
    with_interval: int = 0
    latest_us: int | None = None
    earliest_us: int | None = None
    stretch_us: int | None = None
    shortest_us: int | None = None
    busiest: float | None = None
    before_us: int | None = None
    before_cpu_seconds: float | None = None
    after_us: int | None = None
    after_cpu_seconds: float | None = None
    after_window_us: int | None = None

    @classmethod
    def combined(cls, parts: Iterable[MarkTimes]) -> MarkTimes:
        """Return the extremes and sums of several."""
        all_parts = list(parts)
        return cls(
            **_extremes({one.name: [getattr(part, one.name) for part in all_parts] for one in fields(cls)})
        )

    @classmethod
    def of_columns(cls, columns: Mapping[str, Sequence[Any]], *, window: bool) -> MarkTimes:
        """Return the extremes of attempts, given as the values of each column.

        Parameters
        ----------
        window
            Whether the timed interval is the window of timed steps, and not the run.
        """
        times = {name: columns[f"{name}_us"] for name in _MARKS}
        arrivals = {name: columns[f"{name}_arrived_us"] for name in _MARKS}
        late = {name: _less(arrivals[name], times[name]) for name in _MARKS}
        delays = [one for name in _MARKS for one in late[name] if one is not None]
        timed = "timed_window" if window else "run"
        start, stop = f"{timed}_start", f"{timed}_stop"
        lengths = [one for one in differences(times[stop], times[start]) if one > 0]
        busiest = [*_busy(columns, "run_stop"), *_busy(columns, "timed_window_stop")]
        cpu = columns["run_start_cpu_seconds"]
        return cls(
            undated=_number([_lacks(times[name], arrivals[name]) for name in _MARKS]),
            disordered=_number([_reversed(times[first], times[then]) for first, then in _IN_ORDER]),
            with_interval=len(lengths),
            latest_us=max(delays, default=None),
            earliest_us=min(delays, default=None),
            stretch_us=max(differences(late[stop], late[start]), default=None),
            shortest_us=min(lengths, default=None),
            busiest=max(busiest, default=None),
            before_us=max(differences(times["run_start"], columns["process_start_us"]), default=None),
            before_cpu_seconds=max((one for one in cpu if one is not None), default=None),
            after_us=max(differences(columns["process_stop_us"], times["run_stop"]), default=None),
            after_cpu_seconds=max(
                differences(columns["cpu_seconds"], columns["run_stop_cpu_seconds"]), default=None
            ),
            after_window_us=max(differences(times["run_stop"], times["timed_window_stop"]), default=None),
        )


_SUMS = ("undated", "disordered", "with_interval")
_LOWEST = ("earliest_us", "shortest_us")


def _extremes(values: Mapping[str, Iterable[Any]]) -> dict[str, Any]:
    """Return the sum or the extreme of the values of each field; nothing for an extreme of no known value."""
    found = {}
    for name, some in values.items():
        known = [value for value in some if value is not None]
        if name in _SUMS:
            found[name] = sum(known)
        elif known:
            found[name] = min(known) if name in _LOWEST else max(known)
    return found


def differences(first: Iterable[Any], second: Iterable[Any]) -> list[Any]:
    """Return by how much each value of the first column is more, where both columns have values."""
    both = zip(first, second, strict=True)
    return [one - other for one, other in both if one is not None and other is not None]


def _less(first: Iterable[Any], second: Iterable[Any]) -> list[Any]:
    """Return each difference of two columns; None where one of them has no value."""
    both = zip(first, second, strict=True)
    return [None if one is None or other is None else one - other for one, other in both]


def _lacks(times: Iterable[int | None], arrivals: Iterable[int | None]) -> list[bool]:
    return [bool(at) and arrived is None for at, arrived in zip(times, arrivals, strict=True)]


def _reversed(first: Iterable[int | None], then: Iterable[int | None]) -> list[bool]:
    both = zip(first, then, strict=True)
    return [one is not None and other is not None and other < one for one, other in both]


def _number(conditions: Sequence[Sequence[bool]]) -> int:
    """Return of how many rows any of the conditions is true."""
    return sum(map(any, zip(*conditions, strict=True)))


def _busy(columns: Mapping[str, Sequence[Any]], until: str) -> list[float]:
    """Return the CPU seconds from the run's start to a mark, for each second between them."""
    used = _less(columns[f"{until}_cpu_seconds"], columns["run_start_cpu_seconds"])
    between = _less(columns[f"{until}_us"], columns["run_start_us"])
    return [
        seconds * 1e6 / (us + 1e6 * ARRIVAL_ALLOWANCE_SECONDS)
        for seconds, us in zip(used, between, strict=True)
        if seconds is not None and us is not None and us >= 0
    ]


def longest_before_us(reader: RowReader, campaign_id: int, benchmark: str) -> int | None:
    """Return the longest time from the start of an accepted attempt's processes until it was ready to run.

    What it waits at a start barrier comes after that.
    """
    columns = ["ready_us", "run_start_us", "process_start_us"]
    with reader.moment() as moment:
        rows = moment.rows("attempts", columns, campaign_id, accepted=True, benchmark=benchmark)
        ready_and_start = [(run if ready is None else ready, start) for ready, run, start in rows]
    return max(differences(*zip(*ready_and_start, strict=True)), default=None) if ready_and_start else None
