"""How long instances take, from those that ended."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from db.states import AttemptState, InstanceState
from orchestrator.driver.in_flight import InFlightAttempt
from orchestrator.driver.observer import DriverObserver
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
        self._longest = dict(longest or {})
        self._recent: dict[str, deque[float]] = {}
        self._known: dict[str, float | None] = {}

    def expected_seconds(self, benchmark: str) -> float | None:
        """Return the expected runtime: the recent 95th percentile plus 10 %, else the campaign file's.

        With fewer than `ENOUGH` instances the longest counts. Later the longest few do not, as one
        straggler must not keep all further instances from what is left of a block.
        """
        if benchmark not in self._known:
            self._known[benchmark] = self._learned(benchmark)
        return self._known[benchmark]

    def _learned(self, benchmark: str) -> float | None:
        recent = sorted(self._recent.get(benchmark, ()))
        if len(recent) >= ENOUGH:
            return recent[int(_SHARE * len(recent))] * _MARGIN
        longest = self._longest.get(benchmark)
        return longest * _MARGIN if longest else self._expected[benchmark]

    def attempt_ended(
        self,
        attempt: InFlightAttempt,
        report: AttemptReport,
        instance: InstanceState,  # noqa: ARG002
    ) -> None:
        """Learn from the times of an attempt that succeeded."""
        if report.state is not AttemptState.SUCCEEDED:
            return
        benchmark = attempt.pending.benchmark
        seconds = ((report.process_stop_us or 0) - (report.process_start_us or 0)) / 1e6
        seconds -= report.gate_seconds or 0.0
        self._known.pop(benchmark, None)
        self._longest[benchmark] = max(seconds, self._longest.get(benchmark, 0.0))
        self._recent.setdefault(benchmark, deque(maxlen=_REMEMBERED)).append(seconds)
