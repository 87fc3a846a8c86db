"""The hash chain of a campaign's events: what makes a removed, changed or added one visible.

All events of a campaign are chained, in the order of `event_id`, but transitions, which the rows of attempts
repeat, and those in `UNCHAINED`, which are written about a verdict and are no evidence. The chain after an
event is the SHA-256 of the chain before it and of the event's columns. Events of the kinds in `LINKS` keep,
as ``events`` in their data, the number of the chained events before them and the chain after the last of
these: heads of journals, every few minutes of a session, and its end. They are chained themselves, so that
the next one shows whether they are there and unchanged.

Nothing else is written per event, and no event waits for another: `db.connection.locks.lock_events` lets the
writer of a link wait for the events that are being written, so that none gets a smaller number afterwards.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from db.events import SITE_CHANGES, EventKind
from db.plain import Except

if TYPE_CHECKING:
    from collections.abc import Mapping

    from db.plain import Rows

UNCHAINED = (EventKind.EVIDENCE_PACKAGED, EventKind.VERDICT_STATED)
"""Kinds of events about a verdict; packages leave them out."""
LINKS = (EventKind.JOURNAL_HEADS, EventKind.SESSION_ENDED)
"""Kinds of events that keep a link of the chain."""
READ_BY_RULES = (
    EventKind.CAMPAIGN_CHANGED,
    EventKind.CAMPAIGN_EXTENDED,
    EventKind.CAMPAIGN_REGISTERED,
    EventKind.CODE_CHANGED,
    EventKind.CODE_FILES_CHANGED,
    EventKind.CODE_RECORDED,
    EventKind.CORES_FREE,
    EventKind.CORES_SHARED,
    EventKind.DATA_CHANGED,
    EventKind.DATA_READ,
    EventKind.DISK_RAISED,
    EventKind.EXCLUDE_LIST,
    EventKind.EXHAUSTED_REOPENED,
    EventKind.INSTANCES_CHANGED,
    EventKind.INSTANCE_SUPERSEDED,
    EventKind.JOURNAL_DAMAGED,
    EventKind.JOURNAL_HEADS,
    EventKind.LATE_REPORT,
    EventKind.MEMORY_RAISED,
    EventKind.NODE_DESCRIBED,
    EventKind.ORDER_DEVIATED,
    EventKind.ORDER_REGISTERED,
    EventKind.QUESTIONS_REGISTERED,
    EventKind.REJECTED_VALUES,
    EventKind.SEARCH_REGISTERED,
    EventKind.SESSION_PLACE,
    *SITE_CHANGES,
    EventKind.TIMEOUT_RAISED,
    EventKind.TRIAL_SUGGESTED,
    EventKind.WORKLOAD_RECORDED,
)
"""Kinds of events that a rule, a figure or the verification of journals reads."""
_GENESIS = "0" * 64
CHAINED = Except((EventKind.TRANSITION.value, *(kind.value for kind in UNCHAINED)))
"""Condition on the kind of events that are chained."""
COLUMNS = (
    "at_us", "kind", "instance_id", "attempt_number", "from_state", "to_state", "message", "subject", "data"
)  # fmt: skip
"""Columns of events that are chained."""


class Link(NamedTuple):
    """The number of events that are chained, and the chain after the last of them."""

    number: int = 0
    chain: str = _GENESIS

    def after(self, columns: tuple[Any, ...]) -> Link:
        """Return the link after one more event."""
        line = json.dumps(columns, ensure_ascii=False, separators=(",", ":"))
        content = self.chain.encode() + line.encode(errors="surrogatepass")
        return Link(self.number + 1, hashlib.sha256(content).hexdigest())


@dataclass(slots=True)
class EventChain:
    """Findings in the chain of a campaign's events.

    Parameters
    ----------
    links
        How many events keep a link.
    problems
        Contradictions between a link and the events before it.
    unlinked
        Kinds that rules read of events after the last link, with their number.
    session, outcome, rows_sha256, row_parts
        The last session that ended, how, the hash of rows that its end keeps, and those of their parts; see
        `db.evidence.content_hash.row_part`.
    ends_sha256, open_blocks
        The hash of ends of blocks that it keeps beside, and the blocks without one; None in those of former
        versions.
    """

    links: int = 0
    problems: list[str] = field(default_factory=list)
    unlinked: dict[str, int] = field(default_factory=dict)
    session: int | None = None
    outcome: str | None = None
    rows_sha256: str | None = None
    row_parts: list[str] = field(default_factory=list)
    ends_sha256: str | None = None
    open_blocks: list[list[int | str]] = field(default_factory=list)


def check_events(moment: Rows, campaign_id: int) -> EventChain:
    """Return what the chain of a campaign's events shows, with one pass over them."""
    found = EventChain()
    link = Link()
    read = {str(kind) for kind in READ_BY_RULES}
    for row in moment.rows("events", COLUMNS, campaign_id, kind=CHAINED):
        kind, subject, content = row[1], row[7], row[8]
        kept, data = None, {}
        if kind in LINKS:
            data = mapping(content)
            kept = link_of(data)
        if kind == EventKind.SESSION_ENDED:
            found.session, found.outcome = data.get("session"), data.get("outcome")
            found.rows_sha256, found.row_parts = data.get("rows_sha256"), data.get("row_parts", [])
            found.ends_sha256, found.open_blocks = data.get("ends_sha256"), data.get("open_blocks", [])
        if kept is not None:
            if kept != link:
                found.problems.append(_contradiction(subject, kept, link))
                link = kept
            found.links += 1
            found.unlinked.clear()
        elif kind in read:
            found.unlinked[kind] = found.unlinked.get(kind, 0) + 1
        link = link.after(tuple(row))
    return found


def mapping(data: str | None) -> dict[str, Any]:
    """Return the data of an event; empty where they are no mapping."""
    try:
        content = json.loads(data or "{}")
    except ValueError:  # it was edited; the next link says so
        return {}
    return content if isinstance(content, dict) else {}


def link_of(data: Mapping[str, Any]) -> Link | None:
    """Return the link that an event keeps; None where it keeps none."""
    try:
        number, chain = data["events"]
        return Link(int(number), str(chain))
    except (KeyError, TypeError, ValueError):
        return None


def _contradiction(subject: str | None, kept: Link, found: Link) -> str:
    where = f"the events before number {kept.number + 1:,}, of {subject or 'a session'},"
    if kept.number != found.number:
        return f"{where} are {found.number:,}, not {kept.number:,} as it says: some were removed or added"
    return f"{where} are not those that it has the hash of: some were changed, removed or added"
