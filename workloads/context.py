"""Input of a running workload, `Context`; its output is a `Result`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from workloads.curves import Curves
from workloads.report_lines import Send
from workloads.result import Metric, Result

__all__ = [
    "Barrier",
    "Clock",
    "Context",
    "DatasetCache",
    "Metric",
    "Paths",
    "Result",
    "Send",
    "SlotView",
    "TimedPart",
]

TimedPart = Literal["run", "window"]
Value = TypeVar("Value")

_MAX_LEAD_SECONDS = 30.0


class Clock:
    """Wall clock that never steps: UTC microseconds read once, then carried by the monotonic clock."""

    def __init__(self) -> None:
        self._wall_ns = time.time_ns()
        self._monotonic_ns = time.monotonic_ns()

    def now_us(self) -> int:
        """Return microseconds since the Unix epoch, UTC."""
        return (self._wall_ns + time.monotonic_ns() - self._monotonic_ns) // 1000


@dataclass(frozen=True, slots=True)
class SlotView:
    """The part of a node that this process runs on, and its place among the instance's processes.

    Parameters
    ----------
    cores
        Logical CPU numbers; the process is already pinned to them. Empty where the site does not pin.
    devices
        UUIDs of the GPUs or MIG instances.
    memory_bytes
        Limit of host memory, or None where the site sets none.
    device_memory_bytes
        Limit of the memory on each GPU, or None for all of it.
    rank, size
        Position in an instance of several processes; the result of rank 0 is the instance's.
    """

    cores: tuple[int, ...] = ()
    devices: tuple[str, ...] = ()
    memory_bytes: int | None = None
    device_memory_bytes: int | None = None
    rank: int = 0
    size: int = 1


@dataclass(frozen=True, slots=True)
class DatasetCache:
    """The dataset cache.

    Parameters
    ----------
    path
        Where it is; on a path that all nodes share, if there is a stage.
    stage
        Directory on the node's own disk for a copy of each entry that is used there; None for no copies.
    """

    path: Path
    stage: Path | None = None


@dataclass(frozen=True, slots=True)
class Paths:
    """Directories of a run; None where there is none.

    Parameters
    ----------
    data
        The data set.
    cache, cache_stage
        The dataset cache, and the node's directory for copies of its entries.
    scratch
        The instance's own directory, which outlives a failed attempt. It need not exist yet.
    timeline
        File for the timeline of the ranks' communication, where one is recorded.
    earlier
        Directory that a shorter training of the same parameters left, from whose checkpoint this one goes on.
    """

    data: Path | None = None
    cache: Path | None = None
    cache_stage: Path | None = None
    scratch: Path | None = None
    timeline: Path | None = None
    earlier: Path | None = None


@dataclass(frozen=True, slots=True)
class Barrier:
    """Start instant that all instances of a wave share, announced on a descriptor.

    Parameters
    ----------
    descriptor
        Delivers one line, the instant in microseconds since the Unix epoch, UTC.
    timed_part
        Part of the run that waits: ``run``, or the ``window`` of a workload that has one.
    """

    descriptor: int
    timed_part: TimedPart = "run"

    def wait(self) -> None:
        """Wait for the announcement, then until its instant.

        The driver announces an instant a few seconds ahead. This process waits 30 s at most: a longer
        wait means that its clock is wrong.

        Raises
        ------
        RuntimeError
            If the descriptor is closed before an instant is announced.
        """
        with os.fdopen(self.descriptor, "rb", closefd=False) as announcement:
            line = announcement.readline()
        if not line:
            raise RuntimeError("the start barrier was closed before it opened; the driver has stopped")
        time.sleep(min(max(0.0, int(line) / 1e6 - time.time()), _MAX_LEAD_SECONDS))


_NO_PATHS = Paths()


class Context:
    """Identity and resources of a run, and the marks it sets.

    A workload calls `start` once, when its imports are done and its data directory is visible;
    the time from there to the return of its ``run`` function is the run time.

    The fields of `slot` and `paths` are attributes of the context: ``context.cores``, ``context.data``.

    Parameters
    ----------
    seed
        This instance's own seed; every random draw derives from it.
    slot, paths
        Resources and directories of the run.
    barrier
        Holds the timed part back until all instances of a wave are ready; None: it starts at once.
    send
        Receives each mark, as a JSON-ready mapping, when it is set.
    """

    def __init__(
        self,
        *,
        seed: int,
        slot: SlotView,
        paths: Paths = _NO_PATHS,
        barrier: Barrier | None = None,
        send: Send = lambda _: None,
    ) -> None:
        self.seed = seed
        self.cores, self.devices = slot.cores, slot.devices
        self.memory_bytes, self.device_memory_bytes = slot.memory_bytes, slot.device_memory_bytes
        self.rank, self.size = slot.rank, slot.size
        self.data, self.cache, self.scratch = paths.data, paths.cache, paths.scratch
        self.timeline, self.cache_stage = paths.timeline, paths.cache_stage
        self.earlier = paths.earlier
        self.phases: dict[str, float] = {}
        self.metrics: list[Metric] = []
        self.observed: dict[str, Any] = {}
        self.recorded: dict[str, list[Any]] = {}
        self.curves = Curves()
        self.is_recording = True
        self.has_window = False
        self._claimed: set[str] = set()
        self._is_held = False
        self._barrier = barrier
        self._send = send
        self._clock = Clock()

    @property
    def dataset_cache(self) -> DatasetCache | None:
        """Return the dataset cache with the node's directory for copies; None if there is none."""
        return None if self.cache is None else DatasetCache(self.cache, self.cache_stage)

    def start(self) -> None:
        """Mark the start of the run: imports are done, data is visible, the clock counts."""
        if not self._is_held:
            self.hold()
        self._mark("run_start")

    def hold(self) -> None:
        """Mark that all is ready for the run, and wait where instances start together, as `start` does."""
        self._mark("ready")
        self._wait_before("run")
        self._is_held = True

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Time a named part of the run (``load``, ``train``, ``evaluate``); parts may repeat."""
        begin = time.monotonic_ns()
        try:
            yield
        finally:
            self.phases[name] = self.phases.get(name, 0.0) + (time.monotonic_ns() - begin) / 1e9

    @contextmanager
    def window(self) -> Iterator[None]:
        """Mark the timed window of a workload whose figure of merit is a mean over steps."""
        self._wait_before("window")
        self.has_window = True
        self._mark("timed_window_start")
        yield
        self._mark("timed_window_stop")

    def measure(self, function: Callable[[], Value], **options: Any) -> Value:
        """Run a function as often as its metrics need, and return the value of its ordinary run.

        That is the first after the warm-up. The figures become metrics of the attempt.

        Parameters
        ----------
        options
            See `workloads.metrics.measure.Options`; by default the wall-clock time is measured.

        Raises
        ------
        ValueError
            If a metric is unknown or lacks an argument, or was measured before under the same label, or if
            outputs and reference have different structures or shapes.
        """
        from workloads.metrics.measure import Options, measure

        return measure(self, function, Options(**options))

    def record(self, name: str, value: Any) -> None:
        """Record a value of a metric, such as the ``test_accuracy`` after an epoch.

        ``dataset_bias`` takes the number of samples of each label. What a function records while `measure`
        runs it again does not count.

        Raises
        ------
        ValueError
            If there is no such metric, `measure` measures it itself, or the value is not of its kind.
        """
        from workloads.metrics.definitions import definition

        one = definition(name)
        if one.of_series is None:
            raise ValueError(f"{name} is measured, not recorded: name it among the metrics of measure()")
        taken = one.taken(value)
        if self.is_recording:
            self.recorded.setdefault(name, []).append(taken)

    def curve(self, name: str, value: float, *, epoch: int | None = None, step: int | None = None) -> None:
        """Add the next point of a learning curve, such as the ``loss`` after an epoch.

        The value is a number on the host. Of each curve 200 points at most are kept, among them the first,
        last, lowest and highest; a run has 50 curves at most. What a function does while `measure` runs it
        again does not count.

        Parameters
        ----------
        epoch, step
            How many were done, counted from 1; a curve has either throughout.

        Raises
        ------
        ValueError
            If neither or both are given, or there are too many curves.
        """
        if self.is_recording:
            self.curves.add(name, value, epoch=epoch, step=step)

    def timed(self, name: str, values: Iterable[Value]) -> Iterator[Value]:
        """Yield values, and record the seconds that each was waited for as ``NAME``."""
        source = iter(values)
        while True:
            begin = time.monotonic_ns()
            try:
                value = next(source)
            except StopIteration:
                return
            self.record(name, (time.monotonic_ns() - begin) / 1e9)
            yield value

    def claim(self, names: Iterable[str]) -> None:
        """Raise `ValueError` if one of these metrics was measured before."""
        if again := sorted(self._claimed.intersection(wanted := list(names))):
            raise ValueError(f"{again[0]} was measured before in this run: give the second a label")
        self._claimed.update(wanted)

    def stop(self) -> None:
        """Mark the end of the run; called by the runner when ``run`` returns."""
        self._mark("run_stop")

    def _wait_before(self, part: TimedPart) -> None:
        if self._barrier is not None and self._barrier.timed_part == part:
            barrier, self._barrier = self._barrier, None
            self._mark("at_barrier")
            barrier.wait()

    def _mark(self, name: str) -> None:
        self._send({"mark": name, "at_us": self._clock.now_us()})
