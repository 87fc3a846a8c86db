"""Time limits of attempts: their timeouts, and when their supervisor must have ended them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from orchestrator.protocol.time_budget import supervisor_timeout

if TYPE_CHECKING:
    from db.records import Pending
    from orchestrator.planning.plan import Plan


@dataclass(frozen=True, slots=True)
class TimeLimit:
    """Seconds that an attempt may run, and after which its supervisor has failed.

    Parameters
    ----------
    before_seconds
        Timeout of the attempt before, which was too short; None where this one has the benchmark's own.
    """

    timeout_seconds: float
    longest_seconds: float
    before_seconds: float | None = None


class TimeLimits:
    """Time limits of a campaign's attempts.

    Parameters
    ----------
    hook_seconds
        Longest seconds of the shell lines before an attempt, and of those after it; None where it has none.
    """

    def __init__(self, plan: Plan, hook_seconds: float | None) -> None:
        campaign = plan.campaign
        self._retries = campaign.retries
        self._timeouts = {one.name: one.timeout_seconds for one in plan.benchmarks}
        self._start_seconds = campaign.start_timeout if campaign.start == "synchronized" else 0.0
        self._grace_seconds = campaign.grace_period
        self._hook_seconds = hook_seconds
        self._limits: dict[tuple[str, int], TimeLimit] = {}

    def of(self, pending: Pending) -> TimeLimit:
        """Return the limits of an instance's next attempt."""
        key = pending.benchmark, pending.timeouts
        found = self._limits.get(key)
        if found is None:
            own = self._timeouts[pending.benchmark]
            timeout = self._retries.timeout(own, pending.timeouts)
            longest = supervisor_timeout(
                timeout, self._start_seconds, self._grace_seconds, self._hook_seconds
            )
            before = self._retries.timeout(own, pending.timeouts - 1) if timeout > own else None
            found = self._limits[key] = TimeLimit(timeout, longest, before)
        return found
