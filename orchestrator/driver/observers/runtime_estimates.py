"""How long instances take, from those that ended."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from db.states import AttemptState, InstanceState
from orchestrator.driver.observers.observer import DriverObserver
from orchestrator.driver.queue.in_flight import InFlightAttempt
from orchestrator.protocol.report import AttemptReport

ENOUGH = 20
"""Finished instances from which on a percentile leaves out stragglers."""
_REMEMBERED = 200
_SHARE = 0.95
_MARGIN = 1.1


class RuntimeEstimates(DriverObserver):
    """Expected runtimes of a session's benchmarks.

    Parameters
    ----------
    expected
        Seconds that the campaign file expects an instance of each benchmark to take.
    longest
        Seconds that instances took in earlier sessions at most.
    """

    def __init__(
        self, expected: Mapping[str, float | None], longest: Mapping[str, float] | None = None
    ) -> None:
        self._expected = expected
        self._earlier = longest or {}
        self._longest: dict[tuple[str, str], float] = {}
        self._recent: dict[tuple[str, str], deque[float]] = {}
        self._cut: dict[tuple[str, str], float] = {}  # by the end of their block, since the last success
        self._known: dict[tuple[str, str], float | None] = {}

    def expected_seconds(self, benchmark: str, pool: str = "") -> float | None:
        """Return the expected runtime: the recent 95th percentile plus 10 %, else the campaign file's.

        With fewer than `ENOUGH` instances the longest counts. Later the longest few do not, as one
        straggler must not keep all further instances from what is left of a block. An attempt that the end
        of its block cut off counts until the next success: blocks that fit what is expected would else cut
        it off again and again.

        Parameters
        ----------
        pool
            Pool of the site: of another one, only earlier sessions count.
        """
        key = benchmark, pool
        if key not in self._known:
            learned = self._learned(key)  # None stays so: an attempt that was cut off says too little
            self._known[key] = learned and max(learned, self._cut.get(key, 0.0) * _MARGIN)
        return self._known[key]

    def _learned(self, key: tuple[str, str]) -> float | None:
        recent = sorted(self._recent.get(key, ()))
        if len(recent) >= ENOUGH:
            return recent[int(_SHARE * len(recent))] * _MARGIN
        benchmark, _ = key
        longest = max(self._longest.get(key, 0.0), self._earlier.get(benchmark, 0.0))
        return longest * _MARGIN if longest else self._expected[benchmark]

    def attempt_ended(
        self,
        attempt: InFlightAttempt,
        report: AttemptReport,
        instance: InstanceState,  # noqa: ARG002
    ) -> None:
        """Learn from the times of an attempt that succeeded, or was cut off."""
        key = attempt.pending.benchmark, attempt.queue.pool
        seconds = ((report.process_stop_us or 0) - (report.process_start_us or 0)) / 1e6
        seconds -= report.barrier_seconds or 0.0
        if report.state is not AttemptState.SUCCEEDED:
            if report.failure_reason == "walltime" and seconds > 0:
                self._known.pop(key, None)
                self._cut[key] = max(seconds, self._cut.get(key, 0.0))
            return
        self._known.pop(key, None)
        self._cut.pop(key, None)
        self._longest[key] = max(seconds, self._longest.get(key, 0.0))
        self._recent.setdefault(key, deque(maxlen=_REMEMBERED)).append(seconds)
