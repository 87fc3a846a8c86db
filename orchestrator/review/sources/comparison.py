"""Compares the sources in a package with the hashes that attempts recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from db.documents import campaign_documents
from db.plain import RowReader
from db.records import CampaignRow
from orchestrator.review.readable import as_json
from orchestrator.review.sources.recorded import (
    PROJECT,
    Listing,
    Source,
    absent_line,
    code_folder,
    is_source,
    listing_name,
    recorded_sources,
)


def source_findings(
    reader: RowReader, rows: Sequence[CampaignRow], folder: Path, digests: Mapping[str, str]
) -> tuple[list[str], list[str]]:
    """Return where sources are not those that attempts ran, and which sources a package states as absent.

    Parameters
    ----------
    folder
        Where the package was unpacked.
    digests
        SHA-256 of its members.
    """
    findings: list[str] = []
    notes: list[str] = []
    members: set[str] = set()
    for row in rows:
        sources = recorded_sources(campaign_documents(reader, row.campaign_id))
        try:
            text = (folder / listing_name(row)).read_bytes()
            listing = Listing.read(text)
        except (OSError, ValueError) as error:
            findings.append(f"{listing_name(row)} cannot be read: {error}")
            continue
        if as_json(listing.data()) != text:
            findings.append(f"{listing_name(row)} is not as packages have it")
        members |= {_member(source, listing) for source in sources if source not in listing.absent}
        findings += _differences(row, sources, listing, digests)
        notes += [*filter(None, [absent_line(row, listing, len(sources))])]
    others = sorted(name for name in digests if is_source(name) and name not in members)
    return [*findings, *(f"{name} is no source that attempts recorded" for name in others)], notes


def _member(source: Source, listing: Listing) -> str:
    return f"{PROJECT}/{source.name}" if source.of_project else listing.files.get(source.name, "")


def _differences(
    row: CampaignRow, sources: Sequence[Source], listing: Listing, digests: Mapping[str, str]
) -> Iterator[str]:
    """Yield which recorded sources a package has otherwise, or neither has nor states as absent."""
    for source in sources:
        if source in listing.absent:
            continue
        member = _member(source, listing)
        if not source.of_project and member and not member.startswith(code_folder(row)):
            yield f"{listing_name(row)}: {member} is no place for a source of {row.name}"
        elif member not in digests:
            yield f"{row.name}: source {source.name} is neither in the package nor stated as absent"
        elif digests[member] != source.sha256:
            yield f"{member} is not the source that attempts recorded, of SHA-256 {str(source.sha256)[:12]}…"
    known = {source.name for source in sources}
    for name in sorted({*listing.files, *(one.name for one in listing.absent)} - known):
        yield f"{listing_name(row)}: no attempt recorded {name}"
