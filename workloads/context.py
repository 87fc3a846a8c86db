"""What a running workload is given, and what it hands back."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_LONGEST_LEAD_SECONDS = 30.0


class Clock:
    """Wall clock that never steps: UTC microseconds read once, then carried by the monotonic clock."""

    def __init__(self) -> None:
        self._wall_ns = time.time_ns()
        self._monotonic_ns = time.monotonic_ns()

    def now_us(self) -> int:
        """Return microseconds since the Unix epoch, UTC."""
        return (self._wall_ns + time.monotonic_ns() - self._monotonic_ns) // 1000


@dataclass(frozen=True, slots=True)
class Metric:
    """A named number with a unit."""

    name: str
    value: float
    unit: str = ""


@dataclass(slots=True)
class Result:
    """What a finished run states.

    Parameters
    ----------
    accuracy
        The quality metric's value, or None where the workload has none.
    fom_seconds
        Mean seconds per batch or per sample; None where the figure of merit's time is the
        whole run, which the runner measures itself.
    metrics
        Everything else worth keeping (losses, scores, phase details).
    seen
        What the process really had: framework, versions, devices, thread counts, precision.
    data
        What was read: rows, columns, classes, and ``synthetic`` (true when the files were made
        by this project's data maker).
    observe_after
        Returns further observations; called when the run's clock has stopped.
    """

    accuracy: float | None = None
    fom_seconds: float | None = None
    metrics: tuple[Metric, ...] = ()
    seen: dict[str, Any] = field(default_factory=dict)
    data: dict[str, Any] = field(default_factory=dict)
    observe_after: Callable[[], Mapping[str, Any]] | None = None


class Context:
    """The place and identity a run was given, and the marks it sets as it goes.

    A workload calls `start` once, when its imports are done and its data directory is visible;
    the time from there to the return of its ``run`` function is the run time.

    Parameters
    ----------
    seed
        This instance's own seed; every random draw derives from it.
    data
        Directory of the data set, or None.
    cores
        Logical CPU numbers of the slot; the process is already pinned to them.
    devices
        UUIDs of the GPUs (or MIG instances) of the slot.
    memory_bytes
        Memory of the slot, or None where the site sets no limit.
    device_memory_bytes
        What this process may use of each of its GPUs, or None for all of it.
    cache
        Directory of the dataset cache, or None where there is none.
    scratch
        The instance's own directory, which outlives an attempt that fails, or None. It need not
        exist yet.
    rank, size
        Position in a multi-rank instance; rank 0's result is the instance's.
    gate
        Waits until all instances of a wave may start their timed part together; None: it starts at once.
    gate_at
        What starts at the gate: the ``run``, or the timed ``window`` of a workload that has one.
    send
        Receives each mark as a JSON-ready mapping; the runner passes it on at once.
    """

    def __init__(
        self,
        *,
        seed: int,
        data: Path | None,
        cores: tuple[int, ...],
        devices: tuple[str, ...] = (),
        memory_bytes: int | None = None,
        device_memory_bytes: int | None = None,
        cache: Path | None = None,
        scratch: Path | None = None,
        rank: int = 0,
        size: int = 1,
        gate: Callable[[], None] | None = None,
        gate_at: str = "run",
        send: Callable[[Mapping[str, Any]], None] = lambda _: None,
    ) -> None:
        self.seed = seed
        self.data = data
        self.cores = cores
        self.devices = devices
        self.memory_bytes = memory_bytes
        self.device_memory_bytes = device_memory_bytes
        self.cache = cache
        self.scratch = scratch
        self.rank = rank
        self.size = size
        self._gate = gate
        self._gate_at = gate_at
        self.phases: dict[str, float] = {}
        self._send = send
        self._clock = Clock()

    def start(self) -> None:
        """Mark the start of the run: imports are done, data is visible, the clock counts."""
        self._mark("ready")
        self._wait_for("run")
        self._mark("run_start")

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
        self._wait_for("window")
        self._mark("window_start")
        yield
        self._mark("window_stop")

    def stop(self) -> None:
        """Mark the end of the run; called by the runner when ``run`` returns."""
        self._mark("run_stop")

    def _wait_for(self, what: str) -> None:
        if self._gate is not None and self._gate_at == what:
            gate, self._gate = self._gate, None
            self._mark("at_gate")
            gate()

    def _mark(self, name: str) -> None:
        self._send({"mark": name, "at_us": self._clock.now_us()})


def barrier_on(descriptor: int) -> Callable[[], None]:
    """Return a gate that reads from a descriptor when it opens, in UTC microseconds, and waits until then.

    It is announced seconds ahead: a clock by which it is further off is wrong, and is not waited for.
    """

    def wait() -> None:
        with os.fdopen(descriptor, "rb", closefd=False) as announcement:
            line = announcement.readline()
        if not line:
            raise RuntimeError("the gate was given up before it opened")
        time.sleep(min(max(0.0, int(line) / 1e6 - time.time()), _LONGEST_LEAD_SECONDS))

    return wait


def line_writer(descriptor: int) -> Callable[[Mapping[str, Any]], None]:
    """Return a `send` that writes one JSON line per mark to an open file descriptor."""

    def send(message: Mapping[str, Any]) -> None:
        line = json.dumps(message, allow_nan=True).encode() + b"\n"
        while line:
            line = line[os.write(descriptor, line) :]

    return send
