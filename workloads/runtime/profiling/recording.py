"""Record the kernels of a part of a run, which begins and ends by time."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from workloads.context import Metric
from workloads.runtime.profiling import PROFILE_SECONDS
from workloads.runtime.profiling.profilers import Profiler, profiler

_STOP_SECONDS = 300.0
"""Longest wait for a profiler that writes what it recorded."""


class ProfileRecording:
    """The profile of one rank. Errors are printed on standard error and stop no training.

    Parameters
    ----------
    path
        File to write, whose name ends in ``.json.gz``.
    delay_seconds, duration_seconds
        From the start of the run to the beginning of the profile, and from there to its end; it ends with the
        run at the latest.
    make
        Makes the profiler as the run starts; by default that of the framework.

    Attributes
    ----------
    state
        ``not begun``; ``failed`` from the beginning of the profile on; ``recorded`` once it is written.
    """

    def __init__(
        self,
        path: str,
        delay_seconds: float,
        duration_seconds: float,
        make: Callable[[], Profiler | None] | None = None,
    ) -> None:
        self.state: Literal["not begun", "failed", "recorded"] = "not begun"
        self._path = Path(path)
        self._delay, self._duration = delay_seconds, duration_seconds
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._record, name="profile", daemon=True)
        self._make = profiler if make is None else make
        self._profiler: Profiler | None = None
        self._seconds = 0.0
        self._problem: str | None = f"the run ended before its profile began, after {delay_seconds:g} s"

    def note(self, mark: str) -> None:
        """Take note of a mark that the run passes for the first time, on its main thread."""
        if mark == "run_start":
            self.start()
        elif mark == "run_stop":
            self.end()

    def start(self) -> None:
        """Start the profile after its delay; call it on the main thread when the run starts."""
        try:
            self._profiler = self._make()
            if self._profiler is None:
                self._problem = "the run had imported neither TensorFlow, JAX nor PyTorch when it began"
            else:
                self._thread.start()
        except Exception as error:  # noqa: BLE001  of a framework, or no thread is left
            self._problem = f"{type(error).__name__}: {error}"

    def end(self) -> None:
        """Let the profile end; call it when the run ends."""
        self._ended.set()

    def keep(self) -> tuple[Metric, ...]:
        """Write what was recorded, and return its metrics; of a profile that failed only how long it was."""
        self._join()
        if self._profiler is not None and self._problem is None:
            try:
                found = self._profiler.profile(self._seconds)
                found.write(self._path)
                self.state = "recorded"
                return found.metrics()
            except Exception as error:  # noqa: BLE001  what a run measured must not be lost with its profile
                self._problem = f"{type(error).__name__}: {error}"
        print(f"no profile: {self._problem}", file=sys.stderr)
        return () if self.state == "not begun" else (Metric(PROFILE_SECONDS, self._seconds, "s"),)

    def close(self) -> None:
        """End recording, whatever became of the run, and remove what the profiler left."""
        self._join()
        if self._profiler is not None:
            self._profiler.close()

    def _join(self) -> None:
        self.end()
        if self._thread.ident is not None:
            self._thread.join(_STOP_SECONDS)
            if self._thread.is_alive():
                self._problem = f"the profiler did not stop within {_STOP_SECONDS:g} s"

    def _record(self) -> None:
        assert self._profiler is not None  # noqa: S101
        try:
            if self._ended.wait(self._delay):
                return
            self.state = "failed"
            self._profiler.start()
            begun = time.monotonic()
            self._ended.wait(self._duration)
            self._seconds = time.monotonic() - begun
            self._profiler.stop()
            self._problem = None
        except Exception as error:  # noqa: BLE001  of a framework
            self._problem = f"{type(error).__name__}: {error}"
