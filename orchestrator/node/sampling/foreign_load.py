"""CPU time that other processes took on a slot's cores during the timed run of an attempt."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from orchestrator.host.cpu_time import busy_seconds, tree_seconds

BEGIN, END = "run_start", "run_stop"


@dataclass(frozen=True, slots=True)
class ForeignLoad:
    """CPU seconds of other processes, or the reason why they are unknown."""

    seconds: float | None = None
    unknown: str | None = None

    def __add__(self, other: ForeignLoad) -> ForeignLoad:
        """Return the load of two nodes; unknown if that of one is."""
        if self.seconds is None or other.seconds is None:
            return ForeignLoad(unknown=self.unknown or other.unknown)
        return ForeignLoad(self.seconds + other.seconds)


class ForeignLoadMeter:
    """Compares the busy time of cores with the CPU time of this process's own tree.

    Both are read once when all ranks have begun their timed run, and once when all have ended it.

    Parameters
    ----------
    cores
        Logical CPUs of the slot.
    busy, own
        Return CPU seconds of the cores, and of this process with its descendants.
    """

    def __init__(
        self,
        cores: Sequence[int],
        busy: Callable[[Sequence[int]], float] = busy_seconds,
        own: Callable[[], float] = lambda: tree_seconds(os.getpid()),
    ) -> None:
        self._cores = cores
        self._busy, self._own = busy, own
        self._begin: float | None = None
        self._end: float | None = None
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
        return ForeignLoad(max(0.0, self._end - self._begin))

    def _read(self) -> float | None:
        """Return the seconds of the cores that this tree did not use."""
        try:
            return self._busy(self._cores) - self._own()
        except (OSError, ValueError) as error:
            self._unknown = str(error)
            return None
