"""The site that a campaign was registered on, from the text in the ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sites import Site, parse

if TYPE_CHECKING:
    from db.records import Campaign


def registered_site(row: Campaign) -> Site:
    """Return a campaign's site; raises `sites.FileError` where it has no readable text, as simulated ones."""
    return parse(row.site_yaml, Site, f"site {row.site_name} in the ledger", stored=True)
