"""The packages that were written of a campaign, as its ledger knows them."""

from __future__ import annotations

from typing import Any

from db.events import EventKind
from db.plain import RowReader
from db.records import CampaignRow

_CHANGES = (EventKind.CAMPAIGN_EXTENDED, EventKind.INSTANCE_SUPERSEDED)


def noted_packages(reader: RowReader, row: CampaignRow) -> list[dict[str, Any]]:
    """Return root hash, file name and time of a campaign's packages, and whether it went on since."""
    later = [session.started_us for session in reader.sessions_of(row.campaign_id)]
    later += [event.at_us for event in reader.events(row.campaign_id, kinds=_CHANGES)]
    return [
        {
            "root": str(event.data["root"]),
            "file": str(event.data["file"]),
            "at_us": event.at_us,
            "outdated": any(one > event.at_us for one in later),
        }
        for event in reader.events(row.campaign_id, kinds=(EventKind.EVIDENCE_PACKAGED,))
        if event.data
    ]
