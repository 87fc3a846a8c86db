"""Accepted attempts of benchmarks, summed up by what they observed, and when they ran.

Rows are read in parts, of which only sums and the times of runs stay in memory, so that a campaign of a
million attempts needs as much as one of ten thousand, and 32 bytes for each attempt.
"""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from db.documents import read_texts
from db.evidence.clocks import COLUMNS as CLOCK_COLUMNS
from db.evidence.clocks import Clocks, ClockTimes, Place, Spans
from db.evidence.mark_times import MarkTimes, differences
from db.evidence.superseded import superseded_ids

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from db.plain import Row, RowReader

_AT_ONCE = 10_000
"""Rows that are summed up together."""
_COLUMNS = (
    "instance_id",
    "attempt_number",
    "accepted_attempt",
    "benchmark",
    "observation_sha256",
    "fom_seconds",
    "accuracy",
    "cpu_seconds",
    "run_start_us",
    "run_stop_us",
    "timed_window_start_us",
    "timed_window_stop_us",
    "run_start_arrived_us",
    "timed_window_start_arrived_us",
    "timed_window_stop_arrived_us",
    "run_stop_arrived_us",
    "run_start_cpu_seconds",
    "timed_window_stop_cpu_seconds",
    "run_stop_cpu_seconds",
    *CLOCK_COLUMNS,
)
_PLACE = {name: place for place, name in enumerate(_COLUMNS)}


@dataclass(frozen=True, slots=True)
class ObservationGroup:
    """Accepted attempts with the same observation on the same kind of slot.

    Parameters
    ----------
    observed
        Observation of their processes, without host, process id and the like.
    data
        Facts of the data they read; JSON text.
    number
        Number of attempts.
    timed, longest_seconds
        Number of attempts with a FOM time, and the longest one.
    longest_process_us
        The longest time from the start of a process to its end, in microseconds; None where none is known.
    lowest_share, highest_share
        Lowest and highest (FOM time × timed units) ÷ timed interval; None where no attempt has both.
    with_accuracy, lowest_accuracy, highest_accuracy, below_target
        How many have an accuracy, the lowest and the highest one, and how many miss the target.
    marks
        How their marks agree with what their supervisors saw.
    """

    observed: Any
    data: str | None
    cores: str | None
    devices: str | None
    number: int
    timed: int
    longest_seconds: float | None
    longest_process_us: int | None
    lowest_share: float | None
    highest_share: float | None
    with_accuracy: int
    lowest_accuracy: float | None
    highest_accuracy: float | None
    below_target: int
    marks: MarkTimes = field(default_factory=MarkTimes)


@dataclass(frozen=True, slots=True)
class Accepted:
    """The accepted attempts of one benchmark.

    Parameters
    ----------
    groups
        One for each different thing that was seen.
    runs, windows
        Start and stop of each run, and of each window of timed steps, that was measured, by where
        it ran, by the clock there.
    """

    groups: tuple[ObservationGroup, ...]
    runs: Mapping[Place, Spans]
    windows: Mapping[Place, Spans]


@dataclass(frozen=True, slots=True)
class Question:
    """A benchmark of a campaign, and what its attempts are compared with.

    Parameters
    ----------
    campaign_id, benchmark
        Number of the campaign, and label of the benchmark.
    least_accuracy, most_accuracy
        Target of `ObservationGroup.below_target`: one of the two, or None without a target.
    window
        Whether the timed interval is the window of timed steps, and not the run.
    units
        Number of batches or samples in the timed interval, 1 for a run; None where unknown.
    """

    campaign_id: int
    benchmark: str
    least_accuracy: float | None = None
    most_accuracy: float | None = None
    window: bool = False
    units: float | None = 1


def accepted_with_clocks(reader: RowReader, questions: Sequence[Question]) -> tuple[list[Accepted], Clocks]:
    """Return the accepted attempts of different benchmarks of a campaign, and the bounds of its clocks.

    The attempts are in the order of the questions. The rows of the campaign are read once.
    """
    [campaign] = {one.campaign_id for one in questions}
    times = ClockTimes(reader.sessions_of(campaign))
    sums = {one: _Sums(one) for one in questions}
    asked: dict[str, list[_Sums]] = {}
    for one in questions:
        asked.setdefault(one.benchmark, []).append(sums[one])
    with reader.moment() as moment:
        gone = superseded_ids(moment, campaign)
        rows = moment.rows("attempts", _COLUMNS, campaign)
        while part := list(islice(rows, _AT_ONCE)):
            times.add([row[-len(CLOCK_COLUMNS) :] for row in part])
            _add(asked, (row for row in part if row[1] == row[2] and row[0] not in gone))
        keys = {key for one in questions for key in sums[one].parts if key is not None}
        contents = {key: json.loads(text) for key, text in read_texts(moment, keys).items()}
    return [sums[one].result(contents) for one in questions], times.clocks()


def _add(asked: Mapping[str, Sequence[_Sums]], rows: Iterable[Row]) -> None:
    """Sum up accepted rows by benchmark and observation."""
    groups: dict[tuple[str, str | None], list[Row]] = {}
    benchmark, observed = _PLACE["benchmark"], _PLACE["observation_sha256"]
    for row in rows:
        if row[benchmark] in asked:
            groups.setdefault((row[benchmark], row[observed]), []).append(row)
    for (name, key), alike in groups.items():
        columns = dict(zip(_COLUMNS, zip(*alike, strict=True), strict=True))
        for one in asked[name]:
            one.add(key, columns)


class _Sums:
    """Sums over the accepted attempts of one benchmark."""

    def __init__(self, asked: Question) -> None:
        self._asked = asked
        self.parts: dict[str | None, list[ObservationGroup]] = {}
        self._runs: dict[Place, tuple[array[int], array[int]]] = {}
        self._windows: dict[Place, tuple[array[int], array[int]]] = {}

    def add(self, key: str | None, columns: Mapping[str, Sequence[Any]]) -> None:
        """Add attempts with the same observation."""
        self.parts.setdefault(key, []).append(_sums(self._asked, columns))
        places = list(zip(columns["session_number"], columns["node"], strict=True))
        for what, found in (("run", self._runs), ("timed_window", self._windows)):
            for place, start, stop in zip(places, *_interval(what, columns), strict=True):
                starts, stops = found.get(place) or found.setdefault(place, (array("q"), array("q")))
                if start and stop is not None and stop >= start:
                    starts.append(start)
                    stops.append(stop)

    def result(self, contents: Mapping[str, Any]) -> Accepted:
        """Return the attempts, with observations by key."""
        ordered = sorted(self.parts.items(), key=lambda one: one[0] or "")
        return Accepted(
            tuple(_combined(parts, contents.get(key or "", {})) for key, parts in ordered),
            _in_order(self._runs),
            _in_order(self._windows),
        )


def _in_order(times: Mapping[Place, tuple[array[int], array[int]]]) -> dict[Place, Spans]:
    ordered = sorted(times.items(), key=lambda one: (one[0][0], one[0][1] or ""))
    return {place: Spans(*found) for place, found in ordered}


def _sums(asked: Question, columns: Mapping[str, Sequence[Any]]) -> ObservationGroup:
    """Return the sums over attempts, given as the values of each column."""
    seconds = [one if _is_finite(one) else None for one in columns["fom_seconds"]]
    timed = [one for one in seconds if one is not None]
    accuracies = [one for one in columns["accuracy"] if _is_finite(one)]
    starts, stops = _interval("timed_window" if asked.window else "run", columns)
    shares: list[float] = []
    if asked.units is not None:
        unit_us = 1e6 * asked.units
        shares = [
            second * unit_us / (stop - start)
            for second, start, stop in zip(seconds, starts, stops, strict=True)
            if second is not None and start is not None and stop is not None and stop > start
        ]
    below = 0
    if asked.least_accuracy is not None:
        below = sum(one < asked.least_accuracy for one in accuracies)
    elif asked.most_accuracy is not None:
        below = sum(one > asked.most_accuracy for one in accuracies)
    processes = differences(columns["process_stop_us"], columns["process_start_us"])
    return ObservationGroup(
        observed=None,
        data=None,
        cores=None,
        devices=None,
        number=len(seconds),
        timed=len(timed),
        longest_seconds=max(timed, default=None),
        longest_process_us=max(processes, default=None),
        lowest_share=min(shares, default=None),
        highest_share=max(shares, default=None),
        with_accuracy=len(accuracies),
        lowest_accuracy=min(accuracies, default=None),
        highest_accuracy=max(accuracies, default=None),
        below_target=below,
        marks=MarkTimes.of_columns(columns, window=asked.window),
    )


def _combined(parts: Sequence[ObservationGroup], facts: Mapping[str, Any]) -> ObservationGroup:
    """Return the sums of several with the same observation, which has these facts."""

    def known(name: str) -> list[Any]:
        return [value for one in parts if (value := getattr(one, name)) is not None]

    return ObservationGroup(
        observed=facts.get("seen"),
        data=facts.get("data"),
        cores=facts.get("cores"),
        devices=facts.get("devices"),
        number=sum(known("number")),
        timed=sum(known("timed")),
        longest_seconds=max(known("longest_seconds"), default=None),
        longest_process_us=max(known("longest_process_us"), default=None),
        lowest_share=min(known("lowest_share"), default=None),
        highest_share=max(known("highest_share"), default=None),
        with_accuracy=sum(known("with_accuracy")),
        lowest_accuracy=min(known("lowest_accuracy"), default=None),
        highest_accuracy=max(known("highest_accuracy"), default=None),
        below_target=sum(known("below_target")),
        marks=MarkTimes.combined(one.marks for one in parts),
    )


def _is_finite(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


def _interval(what: str, columns: Mapping[str, Sequence[Any]]) -> tuple[Sequence[Any], Sequence[Any]]:
    return columns[f"{what}_start_us"], columns[f"{what}_stop_us"]
