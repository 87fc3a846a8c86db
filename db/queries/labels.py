"""Owner, tags and note of campaigns: events, of which the newest of a campaign counts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from db.events import EventKind
from db.records import NewEvent

if TYPE_CHECKING:
    from db.plain import RowReader
    from db.records import CampaignRow


@dataclass(frozen=True, slots=True)
class Labels:
    """How its users find a campaign; no rule and no figure reads it.

    Parameters
    ----------
    owner
        Name of a user; empty where none is known.
    tags
        Words, sorted.
    note
        A line; empty for none.
    """

    owner: str = ""
    tags: tuple[str, ...] = ()
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data, without what is empty."""
        found = {"owner": self.owner, "tags": list(self.tags), "note": self.note}
        return {name: value for name, value in found.items() if value}

    def words(self) -> dict[str, str]:
        """Return what is known by name, for people."""
        return {name: ", ".join(value) if name == "tags" else value for name, value in self.to_dict().items()}

    def event(self) -> NewEvent:
        """Return the event that gives a campaign these labels."""
        message = "; ".join(f"{name} {value}" for name, value in self.words().items()) or "no labels"
        return NewEvent(EventKind.CAMPAIGN_LABELLED, message, data=self.to_dict())

    def has(self, wanted: Labels) -> bool:
        """Tell whether these have the owner, if one is wanted, and all tags that are wanted."""
        return wanted.owner in ("", self.owner) and set(wanted.tags) <= set(self.tags)


NO_LABELS = Labels()
"""Empty labels: those of an unlabelled campaign, and as wanted ones a filter that takes every campaign."""


def labels(ledger: RowReader, campaign_id: int | None = None) -> dict[int, Labels]:
    """Return the labels of campaigns by their number; those without labels are left out.

    Parameters
    ----------
    campaign_id
        Number of the only campaign to look at; None for all.
    """
    kind = EventKind.CAMPAIGN_LABELLED.value
    with ledger.moment() as moment:
        rows = moment.rows("events", ["campaign_id", "data"], campaign_id, kind=kind)
        return {number: _read(json.loads(data or "{}")) for number, data in rows}


def labelled(ledger: RowReader, wanted: Labels) -> list[CampaignRow]:
    """Return the campaigns with an owner and tags, oldest first; all of them where none are wanted."""
    rows = ledger.campaigns()
    if wanted == NO_LABELS:
        return rows
    known = labels(ledger)
    return [row for row in rows if known.get(row.campaign_id, NO_LABELS).has(wanted)]


def _read(data: Mapping[str, Any]) -> Labels:
    return Labels(data.get("owner", ""), tuple(data.get("tags", ())), data.get("note", ""))
