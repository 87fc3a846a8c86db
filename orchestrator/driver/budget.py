"""Node-hours and time after which a campaign starts no further instance."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from db.records import BlockRecord
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
        known = list(blocks)
        held = [(one.nodes, one.started_us, one.ended_us or now_us) for one in known if one.started_us]
        if not known:
            held = [(1, self.session_us, now_us)]
        hours = self.used_hours + sum(nodes * (end - start) for nodes, start, end in held) / _HOUR_US
        return f"the budget of {self.node_hours:g} node-hours is spent" if hours >= self.node_hours else None
