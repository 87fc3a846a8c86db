"""Other campaigns of a ledger that ran a workload of those in a package: how many tries there were."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from db.plain import RowReader
from db.records import CampaignRow
from db.states import InstanceState
from orchestrator.wording import count_of, few

OTHERS = "other_campaigns.json"
_SHOWN = 10


def other_campaigns(reader: RowReader, rows: Sequence[CampaignRow]) -> list[dict[str, Any]]:
    """Return name, site, run class, outcome and counts of each other campaign under this rulebook."""
    names = reader.campaigns_of_workloads(rows[0].rulebook, [row.campaign_id for row in rows])
    return [_facts(reader, reader.campaign(name)) for name in names]


def _facts(reader: RowReader, row: CampaignRow) -> dict[str, Any]:
    counts = reader.instance_counts(row.campaign_id)
    return {
        "name": row.name,
        "uid": row.uid,
        "site": row.site_name,
        "run_class": row.run_class,
        "created_us": row.created_us,
        "outcome": row.outcome,
        "sessions": len(reader.sessions_of(row.campaign_id)),
        "instances": sum(counts.values()),
        "accepted": counts.get(InstanceState.DONE, 0),
    }


def stated_others(file: Path) -> Iterator[str]:
    """Yield a line about the other campaigns that a package names; nothing if it names none."""
    try:
        found = json.loads(file.read_bytes())["campaigns"]
        lines = [_line(one) for one in found]
    except (OSError, ValueError, TypeError, KeyError):
        return  # the comparison of texts has a finding
    if lines:
        number = count_of(len(lines), "other campaign")
        yield f"the ledger that it is of had {number} of these workloads: {few(lines, _SHOWN)}"


def _line(one: Mapping[str, Any]) -> str:
    outcome = one["outcome"] or "not ended"
    return f"{one['name']} ({outcome}, {one['accepted']:,} of {one['instances']:,} accepted)"
