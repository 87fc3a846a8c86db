"""Owner, tags, note and name of a campaign: given at its launch, and changed afterwards."""

from __future__ import annotations

import getpass
import os
import re
from collections.abc import Collection

from db.ledger import Ledger
from db.queries.labels import NO_LABELS, Labels, labels
from db.writing.changes import NewName
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.ending.compaction import why_busy
from orchestrator.lifecycle.saved_rows import save_rows
from sites.files import NAME, NAME_WORDS

_TAG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/+-]{0,63}")
_LONGEST = 1000


def launch_labels(tags: Collection[str], note: str | None) -> Labels:
    """Return the labels of a campaign that the user of this process launches.

    Raises
    ------
    CampaignError
        If a tag or the note has other characters than such may have.
    """
    return _checked(Labels(_user(), tuple(sorted(set(tags))), note or ""))


def label(
    name: str,
    *,
    ledger: str | None = None,
    owner: str | None = None,
    add: Collection[str] = (),
    remove: Collection[str] = (),
    note: str | None = None,
) -> Labels:
    """Change the labels of a campaign, whether or not a driver runs it, and return all that it has.

    Parameters
    ----------
    owner, note
        In place of the former; an empty text removes it, and None leaves it.

    Raises
    ------
    CampaignError
        If a value has other characters than it may have, or a tag to remove is not there.
    LedgerError
        If there is no such campaign.
    """
    with Ledger(ledger) as book:
        row = book.campaign(name)
        before = labels(book, row.campaign_id).get(row.campaign_id, NO_LABELS)
        if absent := sorted(set(remove) - set(before.tags)):
            raise CampaignError(
                f"{name} has no tag {absent[0]!r}; its tags are {', '.join(before.tags) or 'none'}"
            )
        after = _checked(
            Labels(
                before.owner if owner is None else owner,
                tuple(sorted({*before.tags, *add} - set(remove))),
                before.note if note is None else note,
            )
        )
        if after != before:
            event = after.event()
            book.note(row.campaign_id, event.kind, event.message, data=event.data)
            save_rows(book, row)
    return after


def rename(name: str, new: str, *, ledger: str | None = None) -> str:
    """Give a campaign another name, and return its run directory, which stays where it is.

    Hashes and packages know a campaign by its identity and not by its name. The former name still finds it,
    and no other campaign may take it.

    Raises
    ------
    CampaignError
        If something of the campaign may still write, or `new` cannot be a name.
    LedgerError
        If there is no such campaign, or `new` is or was the name of another.
    """
    if not re.fullmatch(NAME, new):
        raise CampaignError(f"the name {new!r} {NAME_WORDS['patternErrorMessage']}")
    with Ledger(ledger) as book:
        row = book.campaign(name)
        if row.name == new:
            raise CampaignError(f"{new} is its name already")
        if why := why_busy(book, row):
            raise CampaignError(f"{why}; rename it afterwards")
        book.change(row.campaign_id, NewName(row.name, new))
        save_rows(book, book.campaign(new))
    return row.run_directory


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container whose user has no name
        return str(os.getuid())


def _checked(wanted: Labels) -> Labels:
    for tag in wanted.tags:
        if not _TAG.fullmatch(tag):
            raise CampaignError(
                f"the tag {tag[:80]!r} must be up to 64 letters, digits or ._:/+-, a letter or digit first"
            )
    for kind, value in (("owner", wanted.owner), ("note", wanted.note)):
        if len(value) > _LONGEST or (value and not value.isprintable()):
            raise CampaignError(f"the {kind} must be a line of at most {_LONGEST:,} printable characters")
    return wanted
