"""Calls and seconds of the kernels that a profiler recorded, and how long any of them ran."""

from __future__ import annotations

import gzip
import heapq
import json
import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from workloads.context import Metric
from workloads.runtime.profiling import PROFILE_SECONDS
from workloads.runtime.profiling.kernel_classes import CLASSES, KernelClass, kernel_class

Place = Literal["device", "host"]
"""Where kernels ran: on GPUs, or on a CPU."""


class Span(NamedTuple):
    """One call of a kernel; times are nanoseconds.

    Parameters
    ----------
    name
        Name of the kernel.
    scope
        As of `kernel_class`.
    """

    begin: int
    end: int
    name: str
    scope: str = ""


Lines = Iterable[Iterable[Span]]
"""Spans of each thread or stream; those of one are nested or apart."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """Calls of one kernel.

    Parameters
    ----------
    seconds
        Of all calls together, without those of kernels that they called.
    """

    name: str
    kind: KernelClass
    calls: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Profile:
    """Kernels of a part of a training, those that took longest first.

    Parameters
    ----------
    profiler
        ``tensorflow``, ``jax``, ``torch`` or ``nsys``.
    place
        ``device`` for kernels of a GPU; ``host`` for the operations of a framework on a CPU.
    seconds
        How long was recorded.
    busy_seconds
        Time in which at least one kernel ran; None where the profiler tells sums alone.
    """

    profiler: str
    place: Place
    seconds: float
    busy_seconds: float | None
    kernels: tuple[Kernel, ...] = field(default=())

    @property
    def kernel_seconds(self) -> float:
        """Time of all kernels; more than `seconds` where several run at once."""
        return sum(kernel.seconds for kernel in self.kernels)

    def by_class(self) -> dict[KernelClass, float]:
        """Return the seconds of each class of kernels, in the order of the classes.

        All-reduce is left out where none was seen: Horovod and MPI do it on threads of their own, which a
        framework's profiler does not see.
        """
        seconds = dict.fromkeys(CLASSES, 0.0)
        for kernel in self.kernels:
            seconds[kernel.kind] += kernel.seconds
        if not seconds["allreduce"]:
            del seconds["allreduce"]
        return seconds

    def metrics(self) -> tuple[Metric, ...]:
        """Return what was recorded, and the share of each class in the time of all kernels."""
        total = self.kernel_seconds
        classes = self.by_class().items() if total else ()
        busy = self.busy_seconds
        return (
            Metric(PROFILE_SECONDS, self.seconds, "s"),
            *(() if busy is None else (Metric("profile_busy_seconds", busy, "s"),)),
            Metric("profile_kernel_seconds", total, "s"),
            *(Metric(f"profile_{name}_percent", 100 * seconds / total, "%") for name, seconds in classes),
        )

    def write(self, path: Path) -> None:
        """Write it as compressed JSON, at once."""
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        partial.write_bytes(gzip.compress(json.dumps(asdict(self)).encode()))
        partial.replace(path)


def read_profile(path: Path) -> Profile:
    """Return a profile from its file.

    Raises
    ------
    OSError
        If it cannot be read.
    ValueError
        If it holds no profile.
    """
    import msgspec  # which trainings do without

    try:
        return msgspec.json.decode(gzip.decompress(path.read_bytes()), type=Profile)
    except (msgspec.MsgspecError, RecursionError, EOFError, zlib.error) as error:
        raise ValueError(f"it holds no profile: {error}") from error


def profile_of(profiler: str, seconds: float, place: Place, lines: Lines) -> Profile:
    """Return what the spans of lines add up to: the time of a kernel is that in which it called no other."""
    calls: dict[tuple[KernelClass, str], int] = defaultdict(int)
    times: dict[tuple[KernelClass, str], int] = defaultdict(int)
    kinds: dict[tuple[str, str], KernelClass] = {}
    busy: list[list[tuple[int, int]]] = []
    for line in lines:
        ordered = sorted(line, key=lambda span: (span.begin, -span.end))
        busy.append(_merged((span.begin, span.end) for span in ordered))
        for span, own in zip(ordered, _own_times(ordered), strict=True):
            kind = kinds.get((span.name, span.scope))
            if kind is None:
                kind = kinds[span.name, span.scope] = kernel_class(span.name, span.scope)
            calls[kind, span.name] += 1
            times[kind, span.name] += own
    kernels = [Kernel(name, kind, calls[kind, name], time / 1e9) for (kind, name), time in times.items()]
    kernels.sort(key=lambda kernel: (-kernel.seconds, kernel.name))
    busy_ns = sum(end - begin for begin, end in _merged(heapq.merge(*busy)))
    return Profile(profiler, place, seconds, min(busy_ns / 1e9, seconds), tuple(kernels))


def _own_times(ordered: Sequence[Span]) -> list[int]:
    """Return the nanoseconds of each span of a line without those of the spans within it."""
    own = [span.end - span.begin for span in ordered]
    open_spans: list[int] = []
    for number, span in enumerate(ordered):
        while open_spans and ordered[open_spans[-1]].end <= span.begin:
            open_spans.pop()
        if open_spans:
            outer = ordered[open_spans[-1]]
            own[open_spans[-1]] -= max(0, min(span.end, outer.end) - span.begin)
        open_spans.append(number)
    return [max(0, time) for time in own]


def _merged(intervals: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the union of intervals, which come in the order of their beginnings."""
    merged: list[tuple[int, int]] = []
    for begin, end in intervals:
        if merged and begin <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((begin, end))
    return merged
