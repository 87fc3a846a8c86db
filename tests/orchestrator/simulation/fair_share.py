"""Priorities of waiting jobs, and the recent use of nodes by users."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

Priority = Callable[[float, float], float]
"""Returns a priority, of which the highest goes first, from the seconds that a job has waited and the recent
use of its user as a multiple of the mean user's."""

_AGE_WEIGHT = 0.25
_FULL_AGE_SECONDS = 7 * 86_400.0  # PriorityMaxAge of Slurm by default


def fair_share(waited: float, use: float) -> float:
    """Return a priority that halves with each mean use, plus a quarter after a week of waiting.

    The first term is the classic fair-share factor of Slurm for users with equal shares.
    """
    return math.exp2(-use) + _AGE_WEIGHT * min(1.0, waited / _FULL_AGE_SECONDS)


@dataclass(slots=True)
class _Account:
    """Decayed node-seconds at an instant, and the nodes held since then."""

    node_seconds: float = 0.0
    at: float = 0.0
    nodes: int = 0

    def settle(self, rate: float, now: float) -> float:
        """Return the node-seconds now; both what was used and what is being used decay at a rate."""
        decay = math.exp(rate * (self.at - now))
        self.node_seconds = self.node_seconds * decay + self.nodes * (1.0 - decay) / rate
        self.at = now
        return self.node_seconds


class RecentUse:
    """Node-seconds of each user, of which half is forgotten in each half-life.

    Parameters
    ----------
    half_life
        In seconds.
    held
        Mean nodes that users held at all times before the first.
    """

    def __init__(self, half_life: float, held: Mapping[str, float] = MappingProxyType({})) -> None:
        self._rate = math.log(2.0) / half_life
        self._users = {user: _Account(nodes / self._rate) for user, nodes in held.items()}
        self._total = _Account(sum(held.values()) / self._rate)

    def change(self, user: str, nodes: int, now: float) -> None:
        """Note that a user holds so many nodes more, or fewer, from now on."""
        for account in (self._users.setdefault(user, _Account()), self._total):
            account.settle(self._rate, now)
            account.nodes += nodes

    def relative(self, user: str, now: float) -> float:
        """Return the use of a user as a multiple of the mean of all users that ever held nodes."""
        account = self._users.get(user)
        if account is None or not self._total.settle(self._rate, now):
            return 0.0
        return account.settle(self._rate, now) * len(self._users) / self._total.node_seconds
