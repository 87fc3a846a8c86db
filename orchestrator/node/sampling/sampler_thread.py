"""The thread of a supervisor or agent that samples: a driver that hangs must not hold up the attempt."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence

from orchestrator.node.sampling.sampler import RUN, WINDOW, Sampler
from orchestrator.protocol.sampling import Sampling

OVERHEAD = 0.005
"""Most that sampling may take of one core of a node, over all attempts on it."""
_RESERVE = 0.6
"""Part of `OVERHEAD` that is aimed at: the cost of samples varies."""
_LONGEST_INTERVAL = 60.0
_ANSWER_SECONDS = 5.0
_MARKS = {
    RUN: ("run_start", "run_stop"),
    WINDOW: ("timed_window_start", "timed_window_stop"),
}


class SamplerThread:
    """Samples in a thread of its own from `start` to `finish`.

    Parameters
    ----------
    make
        Returns the sampler; called in the thread.
    seconds
        Time between two samples; longer where sampling takes more than `OVERHEAD`.
    attempts
        Attempts that run on this node at once.
    """

    def __init__(self, make: Callable[[], Sampler], seconds: float, attempts: int) -> None:
        self._make, self._seconds, self._attempts = make, seconds, attempts
        self._orders: queue.Queue[tuple[str, str] | None] = queue.Queue()
        self._sent: set[tuple[str, str]] = set()
        self._marked: dict[str, float] = {}
        self._found: Sampling | None = None
        self._problem = f"no meter answered within {_ANSWER_SECONDS:.0f} s"
        self._thread = threading.Thread(target=self._run, name="sampler", daemon=True)

    def start(self) -> None:
        """Begin to sample; where the system has no thread left, the attempt goes on without."""
        try:
            self._thread.start()
        except RuntimeError as error:
            self._problem = f"sampling failed: {error}"

    def update(self, marks: Sequence[Mapping[str, int]]) -> None:
        """Take note of the marks that ranks have set: the first begins an interval, the last ends it."""
        for name, (begin, end) in _MARKS.items():
            if any(begin in one for one in marks):
                self._send(name, "begin")
            if marks and all(begin in one and end in one for one in marks) and name not in self._marked:
                first, last = min(one[begin] for one in marks), max(one[end] for one in marks)
                self._marked[name] = (last - first) / 1e6
                self._send(name, "end")

    def finish(self) -> Sampling:
        """Stop, and return what was sampled."""
        self._orders.put(None)
        if self._thread.ident is not None:
            self._thread.join(_ANSWER_SECONDS)
        return self._found or Sampling(absent={"sampling": self._problem})

    def _send(self, name: str, what: str) -> None:
        if (name, what) not in self._sent:
            self._sent.add((name, what))
            self._orders.put((name, what))

    def _run(self) -> None:
        try:
            self._sample()
        except Exception as error:  # noqa: BLE001  no measurement may end an attempt
            self._problem = f"sampling failed: {type(error).__name__}: {error}"

    def _sample(self) -> None:
        sampler = self._make()
        used = time.thread_time()
        sampler.sample()
        while True:
            before, used = used, time.thread_time()  # with what waking up takes
            try:
                order = self._orders.get(timeout=interval(self._seconds, used - before, self._attempts))
            except queue.Empty:
                sampler.sample()
                continue
            if order is None:
                break
            name, what = order
            (sampler.begin if what == "begin" else sampler.end)(name)
        self._found = sampler.result(dict(self._marked))


def interval(seconds: float, cost_seconds: float, attempts: int) -> float:
    """Return the seconds until the next sample, so that all attempts of a node stay below `OVERHEAD`.

    Parameters
    ----------
    seconds
        What the site file asks for.
    cost_seconds
        CPU time of the last sample.
    attempts
        Attempts that run on the node at once.
    """
    return max(seconds, min(_LONGEST_INTERVAL, cost_seconds * attempts / (_RESERVE * OVERHEAD)))
