"""Another name for a campaign that no driver runs; its identity, run directory and packages stay."""

from __future__ import annotations

import re

from db.ledger import Ledger
from db.writing.changes import NewName
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.ending.compaction import why_busy
from orchestrator.lifecycle.saved_rows import save_rows
from sites.schema import NAME, NAME_WORDS


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
