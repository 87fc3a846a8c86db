"""MLLOG lines of a command, as the logging library of MLPerf prints them: ``:::MLLOG {...}``, one event each.

Several ranks may print the same event within a second; it counts once. What is no whole event, such as a line
that was cut off, is counted as unreadable, and read as nothing.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from workloads.context import Context
from workloads.description import CommandError
from workloads.external.command import Command, MllogPoints, MllogSource

START = ":::MLLOG "
_DECODER = json.JSONDecoder()
_MOST_LINES, _MOST_KEYS, _MOST_SEEN = 1000, 200, 10_000
_LONGEST_LINE, _LONGEST_KEY = 1000, 100
_LARGEST_PLACE = 1 << 53
_SHORTEST_SECONDS = 0.001
_RANKS_SECONDS = 1.0
"""Ranks print the same event within this time."""


@dataclass(frozen=True, slots=True)
class Event:
    """An event; `text` is its JSON as it was printed, `identity` the same where only times differ."""

    key: str
    value: Any
    metadata: Mapping[str, Any]
    time_ms: float
    text: str
    identity: int


def events(line: str) -> Iterator[Event | None]:
    """Yield the events of a line, None for each that cannot be read; ranks may print several on a line."""
    for text in line.split(START)[1:]:
        yield _event(text.lstrip())


def _event(text: str) -> Event | None:
    try:
        content, end = _DECODER.raw_decode(text)
        key, value, kind = content["key"], content["value"], content["event_type"]
        metadata = content["metadata"] or {}
        identity = hash(json.dumps([key, kind, value, metadata], sort_keys=True))
        time_ms = number_of(content["time_ms"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    typed = isinstance(key, str) and isinstance(kind, str) and isinstance(metadata, dict)
    if time_ms is None or not math.isfinite(time_ms) or not typed or not 0 < len(key) <= _LONGEST_KEY:
        return None
    return Event(key, value, metadata, time_ms, text[:end], identity)


def number_of(value: object) -> float | None:
    """Return a value of JSON as a number, which may be infinite or NaN; None if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


class RunMarks:
    """Marks the run from its program's event ``run_start`` to ``run_stop``, as their lines arrive."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._times: dict[str, float] = {}
        self._again = ""

    def see(self, key: str) -> None:
        """Mark what an event of this key starts or stops."""
        if key not in ("run_start", "run_stop") or (key == "run_stop" and "run_start" not in self._times):
            return
        now = time.monotonic()
        if key not in self._times:
            self._times[key] = now
            (self._context.start if key == "run_start" else self._context.stop)()
        elif (late := now - self._times[key]) > _RANKS_SECONDS:
            self._again = self._again or f"a second MLLOG line {key} came {late:.1f} s after the first"

    def check(self) -> None:
        """Raise `CommandError` if an event is missing or came again, or if both arrived at once."""
        if self._again:
            raise CommandError(f"seconds: {self._again}; an instance trains once")
        for key in ("run_start", "run_stop"):
            if key not in self._times:
                after = " after run_start" if key == "run_stop" else ""
                raise CommandError(f"seconds: the output has no MLLOG line {key}{after}")
        if self._times["run_stop"] - self._times["run_start"] < _SHORTEST_SECONDS:
            raise CommandError(
                "seconds: the MLLOG lines run_start and run_stop arrived at once: the command buffers its "
                "output, and must write it line by line, as with stdbuf -oL"
            )


class MllogLines:
    """Reads the events of a command's output, and keeps their lines in bounded memory.

    `last` has the last value of each key that is read as a number or fact.

    The first 1,000 lines are kept, and after them the last of each key.

    Parameters
    ----------
    command
        What it reads from MLLOG lines.
    marks
        Sees the key of each event first; None where the run is not timed by events.
    """

    def __init__(self, command: Command, context: Context, marks: RunMarks | None) -> None:
        self.last: dict[str, Any] = {}
        self._wanted = {one.mllog for one in command.sources if isinstance(one, MllogSource)}
        self._curves, self._context, self._marks = command.points, context, marks
        self._seen: dict[int, float] = {}
        self._points: dict[str, int] = dict.fromkeys(self._curves, 0)
        self._first: list[str] = []
        self._later: dict[str, tuple[int, str]] = {}
        self._number = self._unreadable = 0

    def see(self, line: str) -> None:
        """Take a line of the output."""
        if START not in line:
            return
        for event in events(line):
            if event is None:
                self._unreadable += 1
                continue
            if self._marks is not None:
                self._marks.see(event.key)
            if abs(event.time_ms - self._seen.get(event.identity, -math.inf)) > _RANKS_SECONDS * 1000:
                self._take(event)

    def facts(self) -> dict[str, Any]:
        """Return the kept lines, and how many were left out or could not be read."""
        lines = [*self._first, *(text for _, text in sorted(self._later.values()))]
        return {"lines": lines, "left_out": self._number - len(lines), "unreadable": self._unreadable}

    def _take(self, event: Event) -> None:
        if event.key in self._wanted:
            self.last[event.key] = event.value
        if event.identity in self._seen or len(self._seen) < _MOST_SEEN:
            self._seen[event.identity] = event.time_ms
        self._number += 1
        if len(event.text) <= _LONGEST_LINE:
            if len(self._first) < _MOST_LINES:
                self._first.append(event.text)
            elif event.key in self._later or len(self._later) < _MOST_KEYS:
                self._later[event.key] = (self._number, event.text)
        for name, points in self._curves.items():
            if points.mllog == event.key:
                self._draw(name, points, event)

    def _draw(self, name: str, points: MllogPoints, event: Event) -> None:
        """Add a point to a curve; what is no number, or stands nowhere, is no point."""
        self._points[name] += 1
        value = number_of(event.value)
        axis = "step" if points.epoch is None else "epoch"
        key = points.step if points.epoch is None else points.epoch
        place = number_of(self._points[name] if key is None else event.metadata.get(key))
        if value is not None and place is not None and 0 <= place < _LARGEST_PLACE:
            self._context.curve(name, value, **{axis: int(place)})
