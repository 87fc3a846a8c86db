"""Record the kernels of a part of a run, which begins and ends by time."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

from workloads.context import Metric
from workloads.runtime.profiling.kernels import profile_of
from workloads.runtime.profiling.profilers import Profiler, profiler


class ProfileRecording:
    """The profile of one rank. Errors are printed on standard error and stop no training.

    Parameters
    ----------
    path
        File to write, whose name ends in ``.json.gz``.
    delay_seconds, duration_seconds
        From the start of the run to the beginning of the profile, and from there to its end; it ends with the
        run at the latest.

    Attributes
    ----------
    problem
        Why there is no profile; None as long as nothing is wrong.
    """

    def __init__(self, path: str, delay_seconds: float, duration_seconds: float) -> None:
        self._path = Path(path)
        self._delay, self._duration = delay_seconds, duration_seconds
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._record, name="profile", daemon=True)
        self._profiler: Profiler | None = None
        self._seconds = 0.0
        self.problem: str | None = f"the run ended before its profile began, after {delay_seconds:g} s"

    def start(self) -> None:
        """Begin to wait for the beginning; call it on the main thread when the run starts."""
        try:
            self._profiler = profiler()
        except Exception as error:  # noqa: BLE001  of a framework
            self.problem = f"{type(error).__name__}: {error}"
            return
        if self._profiler is None:
            self.problem = "the run had imported neither TensorFlow, JAX nor PyTorch when it began"
            return
        self._thread.start()

    def end(self) -> None:
        """Let the profile end; call it when the run ends."""
        self._ended.set()

    def keep(self) -> tuple[Metric, ...]:
        """Write what was recorded, and return its metrics; none where there is no profile."""
        self.end()
        if self._thread.ident is not None:
            self._thread.join()
        if self._profiler is None or self.problem is not None:
            print(f"no profile: {self.problem}", file=sys.stderr)
            return ()
        try:
            place, spans = self._profiler.spans()
            found = profile_of(self._profiler.name, place, self._seconds, spans)
            found.write(self._path)
        except Exception as error:  # noqa: BLE001  what a run measured must not be lost with its profile
            self.problem = f"{type(error).__name__}: {error}"
            print(f"no profile: {self.problem}", file=sys.stderr)
            return ()
        return found.metrics()

    def _record(self) -> None:
        assert self._profiler is not None  # noqa: S101
        if self._ended.wait(self._delay):
            return
        try:
            self._profiler.start()
            begun = time.monotonic()
            self._ended.wait(self._duration)
            self._seconds = time.monotonic() - begun
            self._profiler.stop()
            self.problem = None
        except Exception as error:  # noqa: BLE001  of a framework
            self.problem = f"{type(error).__name__}: {error}"
