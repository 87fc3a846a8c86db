"""Node-hours and time after which a campaign starts no further instance."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from db.records import BlockRecord
from orchestrator.engines.base import UNLIMITED, Allowance
from sites.quantities import shown

_HOUR_US = 3.6e9


@dataclass(frozen=True, slots=True)
class Budget:
    """Cost after which no further instance starts.

    Parameters
    ----------
    node_hours, walltime_seconds
        Limits; None where there is none.
    used_hours
        Node-hours of earlier sessions.
    began_us, session_us
        Start of the campaign's first session and of this one, UTC microseconds.
    """

    node_hours: float | None
    walltime_seconds: float | None
    used_hours: float
    began_us: int
    session_us: int

    def allowance(self, blocks: Iterable[BlockRecord], promised: float, now_us: int) -> Allowance:
        """Return what is left for further blocks at a time.

        Parameters
        ----------
        blocks
            Those of this session.
        promised
            Node-seconds that those which run or wait may still take.
        """
        found = UNLIMITED
        if self.walltime_seconds is not None:
            found = replace(found, seconds=self.walltime_seconds - (now_us - self.began_us) / 1e6)
        if self.node_hours is not None:
            rest = (self.node_hours - self._hours(blocks, now_us)) * 3600.0
            found = replace(found, node_seconds=rest - promised)
        return found

    def _hours(self, blocks: Iterable[BlockRecord], now_us: int) -> float:
        """Return the node-hours that the campaign has taken."""
        known = list(blocks)
        held = [(one.nodes, one.started_us, one.ended_us or now_us) for one in known if one.started_us]
        if not known:
            held = [(1, self.session_us, now_us)]
        return self.used_hours + sum(nodes * (end - start) for nodes, start, end in held) / _HOUR_US

    def spent(self, blocks: Iterable[BlockRecord], now_us: int) -> str | None:
        """Return which limit is reached at a time; None if none is.

        Parameters
        ----------
        blocks
            Those of this session; one that is queued holds nothing, a session without any holds its host.
        """
        if self.walltime_seconds is not None and now_us - self.began_us >= self.walltime_seconds * 1e6:
            return f"the budget of {shown(self.walltime_seconds)} is spent"
        if self.node_hours is None:
            return None
        if self._hours(blocks, now_us) < self.node_hours:
            return None
        return f"the budget of {self.node_hours:g} node-hours is spent"
