"""When another campaign used the cores of this one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from db.events import EventKind
from db.evidence.clocks import Place, Spans
from db.plain import RowReader
from orchestrator.analysis.verdict.gathering import together


def shared_times(reader: RowReader, campaign_id: int) -> list[tuple[float, float]]:
    """Return from when to when another campaign may have used the same cores, UTC microseconds."""
    open_since: dict[str, float] = {}
    times = []
    # A session that ends or dies beside another campaign notes no end of it, and the next one looks anew.
    begun = [one.started_us for one in reader.sessions_of(campaign_id)]
    for event in reader.events(campaign_id, kinds=[EventKind.CORES_SHARED, EventKind.CORES_FREE]):
        facts = event.data or {}
        other = str(facts.get("campaign"))
        since = open_since.pop(other, None)
        if event.kind == EventKind.CORES_FREE:
            if since is not None:
                times.append((since, float(facts.get("until_us", math.inf))))
            continue
        if since is not None:
            times.append((since, float(event.at_us)))
        # Older versions noted neither since when nor until when.
        open_since[other] = float(facts.get("since_us", -math.inf))
        if "since_us" in facts and (later := [one for one in begun if one > event.at_us]):
            times.append((open_since.pop(other), float(min(later))))
    return times + [(since, math.inf) for since in open_since.values()]


def ran_within(runs: Mapping[Place, Spans], times: Iterable[tuple[float, float]]) -> bool:
    """Return whether any run, or where none was measured any attempt, may have been within these times."""
    ran = list(zip(*together(runs), strict=True))
    return any(
        not ran or any(start < until and stop > since for start, stop in ran) for since, until in times
    )
