"""Calls and seconds of the kernels that a profiler recorded, and how long any of them ran."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from workloads.context import Metric
from workloads.runtime.profiling.kernel_classes import CLASSES, kernel_class


class Span(NamedTuple):
    """One call of a kernel, or of something that calls others; times are nanoseconds.

    Parameters
    ----------
    line
        Thread or stream that it ran on: spans of one line are nested or apart.
    name
        Name of the kernel; empty for what is no kernel and only holds time that is not its callers'.
    scope
        As of `kernel_class`.
    """

    line: int
    begin: int
    end: int
    name: str
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Kernel:
    """Calls of one kernel.

    Parameters
    ----------
    seconds
        Of all calls together, without those of kernels that they called.
    """

    name: str
    kind: str
    calls: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Profile:
    """Kernels of a part of a training, those that took longest first.

    Parameters
    ----------
    profiler
        ``tensorflow``, ``jax`` or ``torch``.
    place
        ``device`` for kernels of a GPU; ``host`` for the operations of a framework on a CPU.
    seconds
        How long was recorded.
    busy_seconds
        Time in which at least one kernel ran.
    """

    profiler: str
    place: str
    seconds: float
    busy_seconds: float
    kernels: tuple[Kernel, ...] = field(default=())

    @property
    def kernel_seconds(self) -> float:
        """Time of all kernels; more than `seconds` where several run at once."""
        return sum(kernel.seconds for kernel in self.kernels)

    def by_class(self) -> dict[str, float]:
        """Return the seconds of each class of kernels, in the order of the classes.

        On a CPU, all-reduce is left out where none was seen: Horovod and MPI do it on threads of their own,
        which a framework's profiler does not see.
        """
        seconds = dict.fromkeys(CLASSES, 0.0)
        for kernel in self.kernels:
            seconds[kernel.kind] += kernel.seconds
        if self.place == "host" and not seconds["allreduce"]:
            del seconds["allreduce"]
        return seconds

    def metrics(self) -> tuple[Metric, ...]:
        """Return what was recorded, and the share of each class in the time of all kernels."""
        total = self.kernel_seconds
        shares = (
            ()
            if total == 0
            else tuple(
                Metric(f"profile_{name}_percent", 100 * seconds / total, "%")
                for name, seconds in self.by_class().items()
            )
        )
        return (
            Metric("profile_seconds", self.seconds, "s"),
            Metric("profile_busy_seconds", self.busy_seconds, "s"),
            Metric("profile_kernel_seconds", total, "s"),
            *shares,
        )  # fmt: skip

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
    ValueError, TypeError, KeyError
        If it holds no profile.
    """
    content: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
    kernels = tuple(Kernel(**kernel) for kernel in content.pop("kernels"))
    return Profile(**content, kernels=kernels)


def profile_of(profiler: str, place: str, seconds: float, spans: Iterable[Span]) -> Profile:
    """Return what spans add up to: the time of a kernel is that in which it called no other."""
    lines: dict[int, list[Span]] = defaultdict(list)
    for span in spans:
        lines[span.line].append(span)
    calls: dict[tuple[str, str], int] = defaultdict(int)
    times: dict[tuple[str, str], int] = defaultdict(int)
    kinds: dict[tuple[str, str], str] = {}
    for ordered in lines.values():
        ordered.sort(key=lambda span: (span.begin, -span.end))
        for span, own in _own_times(ordered):
            if not span.name:
                continue
            kind = kinds.get((span.name, span.scope))
            if kind is None:
                kind = kinds[span.name, span.scope] = kernel_class(span.name, span.scope)
            calls[kind, span.name] += 1
            times[kind, span.name] += own
    kernels = [Kernel(name, kind, calls[kind, name], time / 1e9) for (kind, name), time in times.items()]
    kernels.sort(key=lambda kernel: (-kernel.seconds, kernel.name))
    busy = _union([(span.begin, span.end) for line in lines.values() for span in line if span.name])
    return Profile(profiler, place, seconds, busy / 1e9, tuple(kernels))


def _own_times(ordered: Sequence[Span]) -> list[tuple[Span, int]]:
    """Return the spans of a line with their nanoseconds without those of the spans within them."""
    own = [span.end - span.begin for span in ordered]
    open_spans: list[int] = []
    for number, span in enumerate(ordered):
        while open_spans and ordered[open_spans[-1]].end <= span.begin:
            open_spans.pop()
        if open_spans:
            outer = ordered[open_spans[-1]]
            own[open_spans[-1]] -= max(0, min(span.end, outer.end) - span.begin)
        open_spans.append(number)
    return [(span, max(0, time)) for span, time in zip(ordered, own, strict=True)]


def _union(intervals: list[tuple[int, int]]) -> int:
    """Return how long at least one of the intervals lasts."""
    total, reached = 0, None
    for begin, end in sorted(intervals):
        if reached is None or begin >= reached:
            total += end - begin
            reached = end
        elif end > reached:
            total += end - reached
            reached = end
    return total
