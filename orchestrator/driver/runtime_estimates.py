"""What a driver learns as it goes: how long instances take, and which nodes only ever fail."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from db.states import AttemptState
from orchestrator.driver.node_health import FAILURES_OF_A_NODE, FailingNode
from orchestrator.protocol.report import AttemptReport

ENOUGH = 20
"""Instances after which stragglers are told from the others."""
_REMEMBERED = 200
_SHARE = 0.95
_MARGIN = 1.1


class Experience:
    """Remembers across the attempts of a session.

    Parameters
    ----------
    expected
        Seconds that the campaign expects an instance of each benchmark to take.
    longest
        Seconds that instances took in earlier sessions.
    """

    def __init__(
        self, expected: Mapping[str, float | None], longest: Mapping[str, float] | None = None
    ) -> None:
        self._expected = expected
        self._longest = dict(longest or {})
        self._recent: dict[str, deque[float]] = {}
        self._failures: dict[str, int] = {}
        self._failing: dict[str, FailingNode] = {}
        self._told: set[str] = set()

    def expected(self, benchmark: str) -> float | None:
        """Return how long an instance may take: as long as others did and a tenth, else the campaign's word.

        One straggler must not keep all further instances from what is left of a block, so once there
        are enough, the longest few of the recent ones do not count.
        """
        recent = sorted(self._recent.get(benchmark, ()))
        if len(recent) >= ENOUGH:
            return recent[int(_SHARE * len(recent))] * _MARGIN
        longest = self._longest.get(benchmark)
        return longest * _MARGIN if longest else self._expected[benchmark]

    def learn(self, benchmark: str, report: AttemptReport) -> None:
        """Take the final report of an attempt."""
        pool = report.pool or ""
        node = report.node or pool
        if report.state is AttemptState.SUCCEEDED:
            seconds = ((report.process_stop_us or 0) - (report.process_start_us or 0)) / 1e6
            seconds -= report.gate_seconds or 0.0
            self._longest[benchmark] = max(seconds, self._longest.get(benchmark, 0.0))
            self._recent.setdefault(benchmark, deque(maxlen=_REMEMBERED)).append(seconds)
            self._failures.pop(node, None)
        elif pool and report.category == "infrastructure":
            # By node: another block may get the same one, and then its first failure is enough.
            failures = self._failures[node] = self._failures.get(node, 0) + 1
            if failures >= FAILURES_OF_A_NODE and pool not in self._told:
                self._failing[pool] = FailingNode(node, pool, failures, report.message or "")

    def failing(self) -> list[FailingNode]:
        """Return nodes that only ever fail, each of their worker pools once."""
        found, self._failing = list(self._failing.values()), {}
        self._told.update(one.pool for one in found)
        return found
