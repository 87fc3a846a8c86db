"""Record when the ranks of an instance communicate, and add it up: Horovod's timeline.

Horovod's rank 0 writes a JSON array of trace events, which Perfetto and chrome://tracing open as it is. One
row of it is a tensor. An operation on a tensor has two events with a beginning and an end: ``NEGOTIATE_…``,
from the first rank that is ready to the last, then the operation itself. Within the former, an event named by
its rank's number marks the moment when each rank was ready. Source: Horovod's documentation, "Analyze
Performance".
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

from workloads.context import Metric

LIMIT_BYTES = 64 << 20
"""Recording ends when the file is larger; compressed it is about a twentieth of that."""
_LOOK_SECONDS = 1.0
_END_SECONDS = 10.0
OPERATIONS = ("allreduce", "broadcast", "allgather")
STEPS = {
    "NEGOTIATE_ALLREDUCE": "negotiation",
    "WAIT_FOR_DATA": "wait_for_data",
    "WAIT_FOR_OTHER_TENSOR_DATA": "wait_for_other_data",
    "QUEUE": "queue",
    "MEMCPY_IN_FUSION_BUFFER": "memcpy_in",
    "GLOO_ALLREDUCE": "reduce", "NCCL_ALLREDUCE": "reduce", "MPI_ALLREDUCE": "reduce",
    "MEMCPY_OUT_FUSION_BUFFER": "memcpy_out",
}  # fmt: skip
"""The seven steps of an all-reduce, by the names of their events, most of which are within ``ALLREDUCE``."""
_ALLREDUCE_IN_ALL = "ALLREDUCE with its negotiation"
_BYTES = {
    "uint8": 1, "int8": 1, "bool": 1, "uint16": 2, "int16": 2, "float16": 2, "bfloat16": 2,
    "int32": 4, "float32": 4, "int64": 8, "float64": 8,
}  # fmt: skip
_EVENT = re.compile(r"\{(?:[^{}]|\{[^{}]*\})*\}")
_CHUNK = 1 << 20


@dataclass(slots=True)
class Activity:
    """Calls, seconds and bytes of one kind of event.

    Parameters
    ----------
    calls
        Number of tensors.
    spans
        Beginnings and ends of the times in which at least one of them was in this activity, microseconds.
    bytes
        Of the tensors on one rank; 0 for negotiations.
    """

    calls: int = 0
    spans: list[tuple[float, float]] = field(default_factory=list)
    bytes: int = 0

    @property
    def seconds(self) -> float:
        """Time in which at least one tensor was in this activity."""
        return sum(stop - start for start, stop in self.spans) / 1e6


@dataclass(slots=True)
class Summary:
    """Sums of a timeline.

    Parameters
    ----------
    activities
        By name, such as ``NEGOTIATE_ALLREDUCE``.
    first, last
        Moments of the first and the last event, microseconds since the recording began.
    last_ranks
        How often each rank was the last that was ready.
    steps
        Number of tensors and their microseconds in all, of each of the `STEPS` of all-reduce.
    """

    activities: dict[str, Activity] = field(default_factory=dict)
    first: float = 0.0
    last: float = 0.0
    last_ranks: Counter[int] = field(default_factory=Counter)
    steps: dict[str, tuple[int, float]] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        """Time from the first event to the last."""
        return (self.last - self.first) / 1e6

    def metrics(self) -> tuple[Metric, ...]:
        """Return seconds, calls and bytes of operations and negotiations, and mean seconds of steps."""
        found = [Metric("timeline_seconds", self.seconds, "s")]
        for operation in OPERATIONS:
            for name in (f"NEGOTIATE_{operation.upper()}", operation.upper()):
                if (one := self.activities.get(name)) is None:
                    continue
                short = f"timeline_{name.lower()}"
                found += [Metric(f"{short}_seconds", one.seconds, "s"), Metric(f"{short}_calls", one.calls)]
                if one.bytes:
                    found.append(Metric(f"{short}_bytes", one.bytes, "B"))
        for step, (calls, total) in self.steps.items():
            found.append(Metric(f"timeline_mean_{step}_seconds", total / 1e6 / calls, "s"))
        if (both := self.activities.get(_ALLREDUCE_IN_ALL)) is not None and self.seconds:
            found.append(Metric("timeline_allreduce_share", both.seconds / self.seconds))
        if self.last_ranks:
            rank, number = self.last_ranks.most_common(1)[0]
            found.append(Metric("timeline_latest_rank", rank))
            found.append(Metric("timeline_latest_rank_share", number / self.last_ranks.total()))
        return tuple(found)


def summarize(events: Iterable[dict[str, Any]]) -> Summary:
    """Return what the events of a timeline add up to; an operation that did not end is left out."""
    summary = Summary()
    stacks: dict[int, list[tuple[str, float]]] = {}
    running: dict[str, tuple[int, float]] = {}
    last_ready: dict[int, int] = {}
    first = None
    for event in events:
        kind, at = event.get("ph"), event.get("ts")
        if at is None or kind not in ("B", "E", "X"):
            continue
        first = at if first is None else first
        summary.first, summary.last = first, at
        row = event["pid"]
        if kind == "X":
            if event["name"].isdecimal():
                last_ready[row] = int(event["name"])
            continue
        stack = stacks.setdefault(row, [])
        if kind == "B":
            stack.append((event["name"], at))
            for name in _counted_as(event["name"]):
                number, since = running.get(name, (0, at))
                running[name] = (number + 1, at if number == 0 else since)
        elif stack:
            name, since = stack.pop()
            _end_step(summary, name, at - since, stack[-1][0] if stack else "")
            for counted in _counted_as(name):
                _end(summary, counted, at, running, event.get("args"))
            if name.startswith("NEGOTIATE_") and row in last_ready:
                summary.last_ranks[last_ready.pop(row)] += 1
    return summary


def _end_step(summary: Summary, name: str, microseconds: float, parent: str) -> None:
    """Count a step of all-reduce that ends; those of other operations have the same names."""
    step = STEPS.get(name)
    if step is not None and (parent == "ALLREDUCE" or step == "negotiation"):
        calls, total = summary.steps.get(step, (0, 0.0))
        summary.steps[step] = calls + 1, total + microseconds


def _counted_as(name: str) -> tuple[str, ...]:
    return (name, _ALLREDUCE_IN_ALL) if name in ("ALLREDUCE", "NEGOTIATE_ALLREDUCE") else (name,)


def _end(
    summary: Summary,
    name: str,
    at: float,
    running: dict[str, tuple[int, float]],
    facts: dict[str, Any] | None,
) -> None:
    """Count an activity that ends; its time is that in which any tensor is in it."""
    one = summary.activities.setdefault(name, Activity())
    number, since = running[name]
    one.calls += 1
    if number == 1:
        one.spans.append((since, at))
    running[name] = (number - 1, since)
    if facts and "shape" in facts:
        shape = [int(size) for size in re.findall(r"\d+", facts["shape"])]
        one.bytes += prod(shape) * _BYTES.get(facts.get("dtype", ""), 0)


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the events of a timeline, also of one that a killed training left without its end."""
    rest = ""
    opener: Any = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as stream, suppress(EOFError):
        while text := stream.read(_CHUNK):
            rest += text
            end = 0
            for match in _EVENT.finditer(rest):
                end = match.end()
                yield json.loads(match[0])
            rest = rest[end:]


class Recording:
    """The timeline of one instance, written by rank 0 while the ranks train.

    Errors are printed on standard error and stop no training.

    Parameters
    ----------
    horovod
        Horovod's module, initialized with ``HOROVOD_TIMELINE=DYNAMIC``; None records nothing.
    path
        File to write, whose name ends in ``.json.gz``; it is there once the recording is kept.
    """

    def __init__(self, horovod: Any, path: Path | None) -> None:
        self._horovod, self._path = horovod, path
        self._stopped = threading.Event()
        self._stopping = threading.Lock()
        self._raw = None if path is None or horovod is None else path.with_suffix("")
        if self._raw is None:
            return
        try:
            self._raw.parent.mkdir(parents=True, exist_ok=True)
            horovod.start_timeline(str(self._raw), mark_cycles=False)
        except (OSError, ValueError, RuntimeError) as error:
            print(f"no timeline is recorded: {error}", file=sys.stderr)
            self._raw = None
            return
        threading.Thread(target=self._watch, args=(self._raw,), daemon=True, name="timeline").start()

    def _watch(self, raw: Path) -> None:
        """Stop when the file is large enough."""
        while not self._stopped.wait(_LOOK_SECONDS):
            with suppress(OSError):
                if raw.stat().st_size > LIMIT_BYTES:
                    self._stop()

    def _stop(self) -> None:
        with self._stopping:  # the watching thread and the training may both come to this
            if not self._stopped.is_set():
                self._stopped.set()
                self._horovod.stop_timeline()

    def keep(self) -> tuple[Metric, ...]:
        """Stop, compress what was recorded, and return its metrics; none where nothing was recorded."""
        if self._raw is None or self._path is None:
            return ()
        self._stop()
        partial = self._path.with_suffix(".partial")
        try:
            _wait_for_end(self._raw)
            found = summarize(read(self._raw)).metrics()
            with self._raw.open("rb") as source, gzip.open(partial, "wb", compresslevel=6) as target:
                shutil.copyfileobj(source, target)
            partial.replace(self._path)
            self._raw.unlink()
        except (OSError, ValueError, KeyError) as error:
            print(f"the timeline cannot be read or kept: {error}", file=sys.stderr)
            return ()
        return found


def _wait_for_end(raw: Path) -> None:
    """Wait until Horovod's own thread has written the end of the array."""
    deadline = time.monotonic() + _END_SECONDS
    while time.monotonic() < deadline:
        with raw.open("rb") as stream:
            stream.seek(max(0, raw.stat().st_size - 8))
            if stream.read().rstrip().endswith(b"]"):
                return
        time.sleep(0.05)
