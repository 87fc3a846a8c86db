"""CPU time that other processes took on a slot's cores during the timed run of an attempt."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from orchestrator.host.cpu_time import busy_seconds, tree_seconds

BEGIN, END = "run_start", "run_stop"


@dataclass(frozen=True, slots=True)
class ForeignLoad:
    """CPU seconds of other processes, or the reason why they are unknown.

    Attributes
    ----------
    core_seconds
        Cores × seconds of the interval in which they were measured.
    """

    seconds: float | None = None
    core_seconds: float = 0.0
    unknown: str | None = None

    def __add__(self, other: ForeignLoad) -> ForeignLoad:
        """Return the load of two nodes; unknown if that of one is."""
        if self.seconds is None or other.seconds is None:
            return ForeignLoad(unknown=self.unknown or other.unknown)
        return ForeignLoad(self.seconds + other.seconds, self.core_seconds + other.core_seconds)


class ForeignLoadMeter:
    """Compares the busy time of cores with the CPU time of this process's own tree.

    Both are read once when all ranks have begun their timed run, and once when all have ended it. The share
    of the cores' time is of the interval between these two readings, which starts and ends a little later
    than the run.

    Parameters
    ----------
    cores
        Logical CPUs of the slot.
    busy, own
        Return CPU seconds of the cores, and of this process with its descendants.
    clock
        Returns seconds.
    """

    def __init__(
        self,
        cores: Sequence[int],
        busy: Callable[[Sequence[int]], float] = busy_seconds,
        own: Callable[[], float] = lambda: tree_seconds(os.getpid()),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._cores = cores
        self._busy, self._own, self._clock = busy, own, clock
        self._begin: tuple[float, float] | None = None
        self._end: tuple[float, float] | None = None
        self._unknown = "the attempt ended before its timed run"

    def update(self, marks: Sequence[dict[str, int]]) -> None:
        """Take note of the marks that ranks have set."""
        if not marks or self._end is not None:
            return
        if self._begin is None and all(BEGIN in one for one in marks):
            self._begin = self._read()
        if self._begin is not None and all(END in one for one in marks):
            self._end = self._read()

    def result(self) -> ForeignLoad:
        """Return what was measured."""
        if self._begin is None or self._end is None:
            return ForeignLoad(unknown=self._unknown)
        foreign, time_of_cores = (end - begin for begin, end in zip(self._begin, self._end, strict=True))
        return ForeignLoad(max(0.0, foreign), time_of_cores)

    def _read(self) -> tuple[float, float] | None:
        """Return the seconds of the cores that this tree did not use, and cores × the clock's seconds."""
        try:
            busy, at = self._busy(self._cores), self._clock()  # a look at many processes takes a while
            return busy - self._own(), at * len(self._cores)
        except (OSError, ValueError) as error:
            self._unknown = str(error)
            return None
